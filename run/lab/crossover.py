"""From which size on one way is faster than another, from samples taken by turns."""
import statistics
from typing import NamedTuple

NOTEWORTHY = 1.1  # ratios nearer to 1 are taken for noise


class Stretch(NamedTuple):
    """Sizes first..last, neighbours in what was measured, where the ratio is noteworthy."""
    first: int
    last: int
    most: float     # the greatest ratio, and where it is
    most_at: int


def ratios(slow, fast):
    """{size: median over the rounds of slow/fast}, each ratio formed within its round."""
    found = {}
    for size in sorted(slow.keys() & fast.keys()):
        pairs = list(zip(slow[size], fast[size]))
        if pairs:
            found[size] = statistics.median(one / other for one, other in pairs)
    return found


def stretches(by_size):
    """Runs of neighbouring sizes with a noteworthy ratio."""
    found, members = [], []
    for size in [*sorted(by_size), None]:
        if size is not None and by_size[size] > NOTEWORTHY:
            members.append(size)
        elif members:
            most_at = max(members, key=by_size.get)
            found.append(Stretch(members[0], members[-1], by_size[most_at], most_at))
            members = []
    return found


def size_text(size):
    for unit, scale in (("MiB", 1024 ** 2), ("KiB", 1024)):
        if size >= scale:
            return f"{size / scale:.4g} {unit}"
    return f"{size} B"


def describe(by_size):
    """"from 16 KiB (to 512 KiB), up to 3.2 times at 64 KiB", or where it never is."""
    if not by_size:
        return "not measured"
    largest, words = max(by_size), []
    for part in stretches(by_size):
        if part.first == part.last:
            words.append(f"at {size_text(part.first)} ({part.most:.1f} times)")
            continue
        end = "" if part.last == largest else f" to {size_text(part.last)}"
        words.append(f"from {size_text(part.first)}{end} (up to {part.most:.1f} times, at "
                     f"{size_text(part.most_at)})")
    return " and ".join(words) or f"never by more than a tenth, up to {size_text(largest)}"
