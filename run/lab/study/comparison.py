"""Two studies side by side: ratios of times, and which are larger than noise.

Each point is tested by Wilcoxon's rank-sum test on the times of its repeats, exact and two-sided; of all
that are named as different at most 5 % are to be expected to be chance (Benjamini and Hochberg).
"""
import statistics
from typing import NamedTuple

from lab.study import arithmetic, likeness
from lab.study.verdict import OK
from lab.study.wording import axis_text, count_text, number_text, point_text, time_text

FALSE_RATE = 0.05
TEST = ("test: Wilcoxon rank-sum, exact, two-sided, on the times a sweep of the good repeats; at most "
        f"{100 * FALSE_RATE:.0f} % of the differences named are to be expected to be chance "
        "(Benjamini-Hochberg)")

CAUTION = ("The two were not interleaved: what the machine did meanwhile shows as a difference too. Run both "
           "again, in the other order, before you believe a small one.")
OF_A_POINT = ("kernel", "instruction_set", "halo", "halo_depth", "process_grid", "global_points")
HEAD = ["layout", "variant", "first", "second", "ratio", "of single repeats", "repeats", "p", "verdict"]


class Compared(NamedTuple):
    """A point of both. ratio: of medians, second over first; least, most: of single repeats."""
    point: dict
    first: list
    second: list
    ratio: float
    least: float
    most: float
    p: float


def good_times(summary, name):
    return [sample["sweep_s"] for sample in summary["samples"]
            if sample["point"] == name and sample["status"] == OK and not sample["warmup"]]


def compare_point(point, first, second):
    return Compared(point, first, second, statistics.median(second) / statistics.median(first),
                    min(second) / max(first), max(second) / min(first), arithmetic.rank_test(first, second))


def compare(one, other):
    """All points that have good runs in both on the same grid, and which of them differ by more than
    noise."""
    second = {point["name"]: point for point in other["points"]}
    rows = []
    for point in one["points"]:
        times = [good_times(summary, point["name"]) for summary in (one, other)]
        if all(times) and point["global_points"] == second[point["name"]]["global_points"]:
            rows.append(compare_point(point, *times))
    return rows, arithmetic.false_discoveries([row.p for row in rows], FALSE_RATE)


def verdict_of(row, differs):
    """What the test says in words."""
    if differs:
        return f"second {'slower' if row.ratio > 1 else 'faster'}"
    if arithmetic.least_p(len(row.first), len(row.second)) > FALSE_RATE:
        return "too few repeats to tell"
    return "within noise"


def not_in_both(one, other):
    """Points of one study only, on another grid, or without a good run in one."""
    compared = {row.point["name"] for row in compare(one, other)[0]}
    names = dict.fromkeys(point["name"] for summary in (one, other) for point in summary["points"])
    return [name for name in names if name not in compared]


def differences(one, other):
    """What differs between the studies besides their times: by name, with both values."""
    found = [f"the studies differ in {name} ({likeness.difference(usual, other['facets'].get(name))})"
             for name, usual in one["facets"].items() if usual != other["facets"].get(name)]
    second = {point["name"]: point for point in other["points"]}
    for point in one["points"]:
        for name in OF_A_POINT:
            values = [found_in.get(name) for found_in in (point, second.get(point["name"], {}))]
            if None not in values and values[0] != values[1]:
                found.append(f"{point_text(point)} differs in {name.replace('_', ' ')} "
                             f"({values[0]} and {values[1]})")
    return found


def cells_of(row, differs):
    point = row.point
    medians = [time_text(statistics.median(times)) for times in (row.first, row.second)]
    return [f"{point['ranks']} x {point['threads']}", axis_text(point["axis"]), *medians,
            number_text(row.ratio, ".3f"), f"{row.least:.3f} to {row.most:.3f}",
            f"{len(row.first)} + {len(row.second)}", f"{row.p:.2g}", verdict_of(row, differs)]


def as_text(one, other):
    """The whole comparison as lines."""
    rows, differ = compare(one, other)
    lines = [f"first:  {title(one)}", f"second: {title(other)}", ""]
    lines += differences(one, other)
    cells = [HEAD, *(cells_of(row, differs) for row, differs in zip(rows, differ))]
    used = [place for place in range(len(HEAD)) if any(row[place] for row in cells[1:])]
    widths = {place: max(len(row[place]) for row in cells) for place in used}
    lines += ["  ".join(row[place].rjust(widths[place]) for place in used) for row in cells]
    lines += [f"not compared: {name}" for name in not_in_both(one, other)]
    return "\n".join([*lines, "", conclusion(rows, differ), TEST, CAUTION])


def title(summary):
    study = summary["study"]
    return f"{study['name']}, begun {study['started_at']}"


def conclusion(rows, differ):
    """One sentence."""
    if not rows:
        return "No point has good runs in both studies."
    slower = sum(differs and row.ratio > 1 for row, differs in zip(rows, differ))
    faster = sum(differs and row.ratio < 1 for row, differs in zip(rows, differ))
    return (f"Of {count_text(len(rows), 'point')} the second is slower in {slower}, faster in {faster}; "
            f"{len(rows) - slower - faster} cannot be told apart.")
