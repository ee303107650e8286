"""Which figures a study has, what each shows, and what to see in it. Drawn by charts.py."""
from typing import NamedTuple

from lab.study.summary import is_usable
from lab.study.wording import (amdahl_text, count_text, fastest, named, percent_text, slowest, tcomm_of,
                               time_text)

MOST_BARS = 24  # a figure with more can be read by no one


class Figure(NamedTuple):
    """name: of the files. sees: what to look for. alt: for who cannot see it."""
    name: str
    title: str
    sees: str
    alt: str


def usable_points(summary):
    return [point for point in summary["points"] if is_usable(point)]


def timed_points(summary):
    """Marked ones too, if they have a time."""
    return [point for point in summary["points"] if point.get("sweep_s")]


def shown_as_bars(summary):
    """All points; of too many the fastest of each core count and variant, and no more than fit."""
    points = timed_points(summary)
    if len(points) <= MOST_BARS:
        return points
    best = {}
    for point in points:
        key = point["cores"], tuple(point["axis"].items())
        if key not in best or point["sweep_s"]["median"] < best[key]["sweep_s"]["median"]:
            best[key] = point
    return list(best.values())[:MOST_BARS]


def left_out(summary):
    shown, points = len(shown_as_bars(summary)), len(timed_points(summary))
    return f" {shown} of {points} points are shown, the fastest of each core count." if shown < points else ""


def median_time(point):
    return time_text(point["sweep_s"]["median"])


def listing(points, value):
    """For alternative text: each point with its value."""
    return "; ".join(f"{named(point)}: {value(point)}" for point in points[:MOST_BARS])


def about_speedup(summary):
    points = [point for point in usable_points(summary) if "speedup" in point]
    best = max(points, key=lambda point: point["speedup"])
    fits = [amdahl_text(series["amdahl"]) for series in summary["series"] if series["base"]]
    return Figure("speedup", "Speed-up against cores",
                  f"The dashed line is ideal: twice the cores, half the time. The highest mark is "
                  f"{named(best)} with {best['speedup']:.3g}. {fits[0] if len(fits) == 1 else ''}".strip(),
                  "Speed-up against cores with the ideal line. "
                  + listing(points, lambda point: f"{point['speedup']:.3g}"))


def about_efficiency(summary):
    points = [point for point in usable_points(summary) if "efficiency" in point]
    worst = min(points, key=lambda point: point["efficiency"])
    kind = "time on the base over time" if summary["study"]["kind"] == "weak" else "speed-up over cores"
    return Figure("efficiency", "Efficiency against cores",
                  f"Efficiency is {kind}; the dashed line at 1 is ideal. The lowest is {named(worst)} with "
                  f"{worst['efficiency']:.2f}; bars reach from the slowest repeat to the fastest.",
                  "Efficiency against cores with the ideal line at 1. "
                  + listing(points, lambda point: f"{point['efficiency']:.3g}"))


def about_scaled(summary):
    points = [point for point in usable_points(summary) if "scaled_speedup" in point]
    return Figure("scaled-speedup", "Scaled speed-up (Gustafson)",
                  "How many times the work of the base is done in the time of the base; the dashed line is "
                  "ideal.",
                  "Scaled speed-up against cores with the ideal line. "
                  + listing(points, lambda point: f"{point['scaled_speedup']:.3g}"))


def about_time(summary):
    points = shown_as_bars(summary)
    best, worst = fastest(points), slowest(points)
    has_model = any("predicted" in point for point in points)
    predicted = " Diamonds are the model's prediction." if has_model else ""
    return Figure("time", "Time a sweep",
                  f"Medians, with thin bars from the fastest to the slowest repeat.{predicted} {named(best)} "
                  f"takes {median_time(best)}, {named(worst)} {median_time(worst)}." + left_out(summary),
                  "Time a sweep of each point. " + listing(points, median_time))


def about_phases(summary):
    points = shown_as_bars(summary)
    most = max(points, key=lambda point: tcomm_of(point) or 0)
    return Figure("phases", "Where the time goes",
                  "Each column is a sweep, mean over ranks: sweep and other below, the parts of Tcomm on "
                  "top, with their share above. Each part is a median of its own, so that the column may "
                  "be a little higher or lower than the time a sweep. The largest Tcomm is "
                  f"{percent_text(tcomm_of(most))}, with {named(most)}." + left_out(summary),
                  "Stacked time of the phases of a sweep. Tcomm of "
                  + listing(points, lambda point: percent_text(tcomm_of(point))))


def about_spread(summary):
    points = shown_as_bars(summary)
    widest = max(points, key=lambda point: point["sweep_s"]["spread"] or 0)
    return Figure("spread", "Spread of the repeats",
                  "From the fastest to the slowest repeat, in percent of the median. The widest is "
                  f"{named(widest)} with {percent_text(widest['sweep_s']['spread'])} over "
                  f"{count_text(widest['sweep_s']['samples'], 'run')}: what differs by less is noise."
                  + left_out(summary),
                  "Range of the repeats around the median. "
                  + listing(points, lambda point: percent_text(point["sweep_s"]["spread"])))


def has_scaling(summary):
    """Different core counts among the points that count."""
    return len({point["cores"] for point in usable_points(summary) if "efficiency" in point}) > 1


def figures_of(summary):
    """The figures of a study in the order of the page."""
    if not timed_points(summary):
        return []
    kind, found = summary["study"]["kind"], []
    if has_scaling(summary):
        found.append(about_scaled(summary) if kind == "weak" else about_speedup(summary))
        found.append(about_efficiency(summary))
    return found + [about_time(summary), about_phases(summary), about_spread(summary)]
