#!/usr/bin/env python3
"""Draws the figures of a summary as SVG and PNG. The only part of a study that needs matplotlib, so it
runs on its own, by whichever Python has it.

usage: charts.py SUMMARY.json FOLDER NAME...
"""
import json
import math
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from matplotlib import pyplot, ticker  # noqa: E402  the backend has to be chosen first

from lab.study.figures import shown_as_bars, timed_points, usable_points  # noqa: E402
from lab.study.palette import COLOURS, FAINT, INK, PHASE_COLOURS  # noqa: E402
from lab.study.summary import PHASES, series_of  # noqa: E402
from lab.study.wording import axis_text, percent_text, point_text, tcomm_of  # noqa: E402

WIDTH_IN = 4.6     # the width of a phone, so that text keeps its size there
WIDE = 8           # largest over smallest core count from which axes are logarithmic
LABELLED = 12      # more layouts than these are not named in the figure
STYLE = {"svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9.5, "text.color": INK,
         "axes.labelcolor": INK, "axes.edgecolor": FAINT, "xtick.color": INK, "ytick.color": INK,
         "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.color": FAINT,
         "grid.alpha": 0.35, "grid.linewidth": 0.6, "legend.frameon": False, "axes.axisbelow": True,
         "figure.facecolor": "none", "axes.facecolor": "none", "savefig.facecolor": "none"}


def unit_of(largest_s):
    """The unit in which the largest time is a readable number."""
    units = (("s", 1), ("ms", 1e3), ("µs", 1e6))
    return next((unit for unit in units if largest_s * unit[1] >= 1), ("ns", 1e9))


def new_axes(height_in=3.1):
    figure, axes = pyplot.subplots(figsize=(WIDTH_IN, height_in), layout="constrained")
    return figure, axes


def scale_cores(axes, cores, grows):
    """Core counts as ticks; where they span three powers of two, by these, and what grows with them too."""
    counts = sorted(set(cores))
    if counts[-1] / counts[0] >= WIDE:
        axes.set_xscale("log", base=2)
    if grows and counts[-1] / counts[0] >= WIDE:
        axes.set_yscale("log", base=2)
        axes.yaxis.set_major_formatter(ticker.FormatStrFormatter("%g"))
    else:
        axes.set_ylim(bottom=0)
    axes.set_xticks(counts if len(counts) <= 10 else [2**k for k in range(int(math.log2(counts[-1])) + 1)])
    axes.xaxis.set_major_formatter(ticker.FormatStrFormatter("%d"))
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.set_xlabel("cores (ranks x threads)")


def error_of(point, value):
    """Downward by the slowest repeat, upward by the fastest: what is drawn goes with 1 / time."""
    times = point["sweep_s"]
    return value - value * times["median"] / times["max"], value * times["median"] / times["min"] - value


def draw_series(axes, points, name, colour, label):
    """All layouts as marks, a line through the best of each core count."""
    best = {}
    for point in points:
        best[point["cores"]] = max(point[name], best.get(point["cores"], 0))
    axes.plot(*zip(*sorted(best.items())), color=colour, linewidth=1.6, label=label)
    errors = list(zip(*(error_of(point, point[name]) for point in points)))
    axes.errorbar([point["cores"] for point in points], [point[name] for point in points], errors, fmt="o",
                  markersize=4.5, color=colour, capsize=2.5, elinewidth=0.9)


def name_layouts(axes, points, name):
    for number, point in enumerate(points if len(points) <= LABELLED else []):
        side = -1 if number % 2 else 1
        axes.annotate(f"{point['ranks']}x{point['threads']}", (point["cores"], point[name]), (-5 * side, 4),
                      textcoords="offset points", fontsize=8.5, ha="right" if side > 0 else "left")


def draw_scaling(summary, name, label, ideal):
    points = [point for point in usable_points(summary) if name in point]
    figure, axes = new_axes()
    cores = sorted({point["cores"] for point in points})
    ideals = [ideal(count / cores[0]) for count in cores]
    axes.plot(cores, ideals, "--", color=INK, linewidth=1, label="ideal")
    groups = series_of(points)
    for number, (axis, members) in enumerate(groups):
        draw_series(axes, members, name, COLOURS[number % len(COLOURS)], axis_text(axis) or "best layout")
    if len(groups) == 1:
        name_layouts(axes, points, name)
    axes.margins(x=0.14)
    scale_cores(axes, cores, name != "efficiency")
    axes.set_ylabel(label)
    axes.legend(fontsize=8.5)
    return figure


def draw_speedup(summary):
    return draw_scaling(summary, "speedup", "speed-up", lambda ratio: ratio)


def draw_efficiency(summary):
    return draw_scaling(summary, "efficiency", "efficiency", lambda ratio: 1)


def draw_scaled(summary):
    return draw_scaling(summary, "scaled_speedup", "scaled speed-up", lambda ratio: ratio)


def bar_axes(points):
    """Room for a bar a point, the first one at the top."""
    figure, axes = new_axes(1.1 + 0.3 * max(len(points), 2))
    axes.set_yticks(range(len(points)), [point_text(point) for point in points], fontsize=8.5)
    axes.set_ylim(len(points) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    return figure, axes


def draw_time(summary):
    points = shown_as_bars(summary)
    unit, factor = unit_of(max(point["sweep_s"]["max"] for point in points))
    figure, axes = bar_axes(points)
    for place, point in enumerate(points):
        times = point["sweep_s"]
        marked = point["good_runs"] == 0 or point["mixed"]
        least, median, most = (times[name] * factor for name in ("min", "median", "max"))
        axes.barh(place, median, 0.62, color=FAINT if marked else COLOURS[0],
                  xerr=[[median - least], [most - median]],
                  error_kw={"ecolor": INK, "capsize": 2.5, "elinewidth": 0.9})
        if "predicted" in point:
            axes.plot(point["predicted"]["sweep_s"] * factor, place, "D", color=COLOURS[1], markersize=6)
    axes.set_xlabel(f"time a sweep in {unit}")
    return figure


def draw_phases(summary):
    points = shown_as_bars(summary)
    unit, factor = unit_of(max(point["sweep_s"]["median"] for point in points))
    figure, axes = bar_axes(points)
    lefts = [0.0] * len(points)
    for phase in PHASES:
        widths = [(point["phases_s"][phase] or 0) * factor for point in points]
        if any(widths):
            axes.barh(range(len(points)), widths, 0.62, lefts, color=PHASE_COLOURS[phase], label=phase)
        lefts = [left + width for left, width in zip(lefts, widths)]
    for place, (point, left) in enumerate(zip(points, lefts)):
        axes.annotate(f" Tcomm {percent_text(tcomm_of(point))}", (left, place), va="center", fontsize=8.5)
    axes.set_xlim(0, 1.32 * max(lefts))
    axes.set_xlabel(f"time a sweep in {unit}, mean over ranks")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, fontsize=8.5)
    return figure


def draw_spread(summary):
    points = shown_as_bars(summary)
    figure, axes = bar_axes(points)
    for place, point in enumerate(points):
        times = point["sweep_s"]
        low, high = (100 * (times[end] / times["median"] - 1) for end in ("min", "max"))
        axes.barh(place, high - low, 0.5, low, color=COLOURS[0], edgecolor=COLOURS[0])
    axes.axvline(0, color=INK, linewidth=1)
    axes.set_xlabel("repeats, in % of the median")
    return figure


DRAWERS = {"speedup": draw_speedup, "efficiency": draw_efficiency, "scaled-speedup": draw_scaled,
           "time": draw_time, "phases": draw_phases, "spread": draw_spread}


def save(figure, path):
    """SVG without a date, so that the same numbers give the same file; PNG on white, for slides."""
    pyplot.rcParams["svg.hashsalt"] = path.name
    figure.savefig(path.with_suffix(".svg"), metadata={"Date": None, "Creator": None})
    figure.savefig(path.with_suffix(".png"), dpi=150, facecolor="white")
    pyplot.close(figure)


def main(summary_path, folder, names):
    summary = json.loads(Path(summary_path).read_text())
    if not timed_points(summary):
        return
    pyplot.rcParams.update(STYLE)
    Path(folder).mkdir(exist_ok=True)
    for name in names:
        save(DRAWERS[name](summary), Path(folder) / name)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
