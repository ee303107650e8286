"""From which size on one way is faster than another, from samples taken by turns."""
import statistics
from typing import NamedTuple

NOTEWORTHY = 1.1   # ratios nearer to 1 are taken for noise,
AGREEMENT = 0.8    # and those of which fewer rounds than this share are on the same side


class Stretch(NamedTuple):
    """Sizes first..last, neighbours in what was measured, where the ratio is noteworthy."""
    first: int
    last: int
    most: float     # the greatest ratio, and where it is
    most_at: int


def ratios(slow, fast):
    """{size: slow/fast of each round}: what is measured in one round meets the machine in one state."""
    found = {}
    for size in sorted(slow.keys() & fast.keys()):
        found[size] = [one / other for one, other in zip(slow[size], fast[size])]
    return found


def inverse(by_size):
    return {size: [1 / ratio for ratio in taken] for size, taken in by_size.items()}


def is_noteworthy(taken):
    larger = sum(ratio > 1 for ratio in taken)
    return statistics.median(taken) > NOTEWORTHY and larger >= AGREEMENT * len(taken)


def stretches(by_size):
    """Runs of neighbouring sizes with a noteworthy ratio."""
    found, members = [], []
    for size in [*sorted(by_size), None]:
        if size is not None and is_noteworthy(by_size[size]):
            members.append(size)
        elif members:
            medians = {member: statistics.median(by_size[member]) for member in members}
            most_at = max(members, key=medians.get)
            found.append(Stretch(members[0], members[-1], medians[most_at], most_at))
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
    return " and ".join(words) or f"nowhere clearly, up to {size_text(largest)}"
