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
from lab.study.summary import PHASES, TCOMM, series_of  # noqa: E402
from lab.study.wording import axis_text, layout_text, point_text, share_text, tcomm_of  # noqa: E402

WIDTH_IN = 4.6     # the width of a phone, so that text keeps its size there
WIDE = 8           # largest over smallest core count from which axes are logarithmic
LABELLED = 12      # more layouts than these are not named in the figure
SMALL = 9.5        # points; on a phone a point is a pixel
LINE_LETTERS = 44  # so many fit side by side under a figure
UPRIGHT = 9        # more numbers than these do not fit above their columns unless turned
STYLE = {"svg.fonttype": "none", "font.family": "sans-serif", "font.size": 10.5, "text.color": INK,
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
        axes.set_ylim(0, 1.03 * axes.get_ylim()[1])
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
    """To the left and right by turns, on the side of its point where the line is not: it falls in a figure of
    efficiency and rises in the others."""
    above = name != "efficiency"
    for number, point in enumerate(points if len(points) <= LABELLED else []):
        side = -1 if number % 2 else 1
        axes.annotate(f"{point['ranks']}x{point['threads']}", (point["cores"], point[name]),
                      (-5 * side, 4 if above else -4), textcoords="offset points", fontsize=SMALL,
                      ha="right" if side > 0 else "left", va="bottom" if above else "top")


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
    axes.legend(fontsize=SMALL)
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
    axes.set_yticks(range(len(points)), [point_text(point) for point in points], fontsize=SMALL)
    axes.set_ylim(len(points) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    return figure, axes


def draw_predictions(axes, points, factor):
    """The model's time a sweep as a diamond on each bar that has one."""
    marks = [(point["predicted"]["sweep_s"] * factor, place) for place, point in enumerate(points)
             if "predicted" in point]
    if marks:
        axes.plot(*zip(*marks), "D", color=COLOURS[1], markeredgecolor="white", markersize=6.5,
                  label="predicted")
        axes.legend(loc="lower right", bbox_to_anchor=(1, 1), fontsize=SMALL)


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
    draw_predictions(axes, points, factor)
    axes.set_xlabel(f"time a sweep in {unit}")
    return figure


def column_names(points):
    """What tells the columns apart, and what they have in common: of variants of one layout that."""
    if len({(point["ranks"], point["threads"]) for point in points}) > 1 or not points[0]["axis"]:
        return [point_text(point) for point in points], "ranks x threads"
    options = ", ".join(option.rpartition(".")[2].replace("_", " ") for option in points[0]["axis"])
    common = f"{options}, with {layout_text(points[0])}"
    return [", ".join(point["axis"].values()) for point in points], common


def column_axes(points):
    """Room for a column a point; names that would touch each other are turned."""
    names, common = column_names(points)
    turned = max(map(len, names)) * len(names) > LINE_LETTERS
    longest = max(map(len, names)) if turned else 0
    figure, axes = new_axes(3.3 + 0.055 * longest)
    axes.set_xticks(range(len(points)), names, fontsize=SMALL)
    if turned:
        pyplot.setp(axes.get_xticklabels(), rotation=90 if len(points) > UPRIGHT else 40, ha="right",
                    va="center", rotation_mode="anchor")
    beside = max(0.6, (4 - len(points)) / 2)
    axes.set_xlim(-beside, len(points) - 1 + beside)
    axes.set_xlabel(common)
    axes.grid(axis="x", visible=False)
    return figure, axes


def stack_phases(axes, points, factor):
    """What is no communication below, Tcomm on top of it; returns how high the columns are."""
    heights = [0.0] * len(points)
    for phase in PHASES:
        parts = [(point["phases_s"][phase] or 0) * factor for point in points]
        if any(parts):
            axes.bar(range(len(points)), parts, 0.62, heights, color=PHASE_COLOURS[phase],
                     label=f"Tcomm: {phase}" if phase in TCOMM else phase)
        heights = [height + part for height, part in zip(heights, parts)]
    return heights


def draw_phases(summary):
    points = shown_as_bars(summary)
    unit, factor = unit_of(max(point["sweep_s"]["median"] for point in points))
    figure, axes = column_axes(points)
    heights = stack_phases(axes, points, factor)
    for place, (point, height) in enumerate(zip(points, heights)):
        axes.annotate(share_text(tcomm_of(point)), (place, height), (0, 3), textcoords="offset points",
                      ha="center", va="bottom", fontsize=SMALL, rotation=90 if len(points) > UPRIGHT else 0)
    axes.set_ylim(0, (1.3 if len(points) > UPRIGHT else 1.12) * max(heights))
    axes.set_ylabel(f"time a sweep in {unit}")
    axes.legend(*(part[::-1] for part in axes.get_legend_handles_labels()), ncols=3, fontsize=SMALL,
                loc="lower center", bbox_to_anchor=(0.5, 1.0), title="above each column: share of Tcomm",
                title_fontsize=SMALL, columnspacing=1.2, handlelength=1.4)
    return figure


def draw_spread(summary):
    points = shown_as_bars(summary)
    figure, axes = bar_axes(points)
    for place, point in enumerate(points):
        times = point["sweep_s"]
        low, high = (100 * (times[end] / times["median"] - 1) for end in ("min", "max"))
        axes.barh(place, high - low, 0.5, low, color=COLOURS[0], edgecolor=COLOURS[0])
    axes.axvline(0, color=INK, linewidth=1)
    axes.use_sticky_edges = False  # else a bar ends in the axis
    axes.margins(x=0.05)
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
