#!/usr/bin/env python3
"""Draws a record of run/transports: times by size under each transport, the solver, the traffic.

usage: transports_plot.py RECORD.json PICTURE.png      needs matplotlib
"""
import json
import sys

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402  the backend has to be chosen first
from matplotlib.lines import Line2D  # noqa: E402

TITLES = {"pingpong": "ping-pong, half a round trip", "halos": "the solver's halos, an exchange",
          "alltomany": "all-to-many, an iteration"}
COLOURS = {"default": "black", "one-copy": "C0", "two-copies": "C1", "two-copies-posix": "C4", "tcp": "C3",
           "shared-window": "C2"}
STYLES = "-", "--", ":", "-."  # of the libraries
LEGEND_INCHES = 1.0            # above all panels


def names_of(record):
    """Label of each transport, in the order of the rows."""
    libraries = {row["library"] for row in record["rows"]}
    return {(row["library"], row["transport"]):
            f"{row['library']} {row['transport']}" if len(libraries) > 1 else row["transport"]
            for row in record["rows"]}


def curve_panels(record):
    """(title, [(series, [value entries])]) of each part and place; collectives an operation each."""
    found = {}
    for series in record["series"]:
        if series["problem"] or series["part"] == "solver":
            continue
        where = series.get("distance") or f"{series.get('ranks')} ranks"
        for value in series["values"]:
            operation, size = value["of"] if isinstance(value["of"], list) else (None, value["of"])
            title = f"{operation or TITLES[series['part']]}; {where}"
            curves = found.setdefault(title, {})
            curve = curves.setdefault((series["library"], series["transport"]), [])
            curve.append((size, value["median"], value["min"], value["max"]))
    return found


def line_of(name, labels):
    """A colour a transport, a style a library."""
    libraries = list(dict.fromkeys(library for library, _ in labels))
    return {"color": COLOURS[name[1]], "linestyle": STYLES[libraries.index(name[0]) % len(STYLES)],
            "linewidth": 1.2}


def draw_curves(axes, title, curves, labels):
    for name in labels:
        if name not in curves:
            continue
        sizes, middle, low, high = zip(*sorted(curves[name]))
        microseconds = [[value * 1e6 for value in values] for values in (middle, low, high)]
        axes.plot(sizes, microseconds[0], marker="o" if len(sizes) == 1 else None, **line_of(name, labels))
        axes.fill_between(sizes, microseconds[1], microseconds[2], alpha=0.08, color=COLOURS[name[1]])
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("bytes")
    axes.set_ylabel("us")
    axes.set_title(title, fontsize=9)
    axes.grid(alpha=0.3)


def draw_solver(axes, members, labels):
    for place, series in enumerate(members):
        values = {value["of"]: value for value in series["values"]}
        sweep, fraction = values["sweep_s"], values["tcomm_fraction"]["median"]
        middle = sweep["median"] * 1e3
        axes.barh(place, middle, color="C0", alpha=0.6,
                  xerr=[[middle - sweep["min"] * 1e3], [sweep["max"] * 1e3 - middle]], capsize=2)
        axes.barh(place, middle * fraction, color="C3", label="Tcomm" if place == 0 else None)
    axes.set_yticks(range(len(members)), [labels[(one["library"], one["transport"])] for one in members],
                    fontsize=7)
    axes.invert_yaxis()
    axes.set_xlabel("ms a sweep")
    axes.set_title(f"the solver; {members[0]['ranks']} ranks", fontsize=9)
    axes.legend(fontsize=7)


def rate(times, counts):
    """MB/s between the samples, at their middles."""
    steps = [(one, other) for one, other in zip(range(len(times)), range(1, len(times)))
             if times[other] > times[one]]
    return ([(times[one] + times[other]) / 2 for one, other in steps],
            [(counts[other] - counts[one]) / (times[other] - times[one]) / 1e6 for one, other in steps])


def draw_traffic(axes, taken, label):
    """Rates in and out, and the total of both on the axis beside."""
    beside = axes.twinx()
    for place, carried in enumerate(taken["interfaces"]):
        name, times = carried["interface"], carried["time_s"]
        for direction, style in (("received", "-"), ("sent", "--")):
            axes.plot(*rate(times, carried[f"{direction}_bytes"]), style, color=f"C{place}", linewidth=1,
                      label=f"{name}, {'in' if direction == 'received' else 'out'}")
        total = [(one + other) / 1e6
                 for one, other in zip(carried["received_bytes"], carried["sent_bytes"])]
        beside.plot(times, total, ":", color=f"C{place}", linewidth=1.5, label=f"{name}, total in and out")
    lines = [*axes.get_legend_handles_labels()[0], *beside.get_legend_handles_labels()[0]]
    axes.legend(handles=lines, fontsize=7)
    axes.set_xlabel("s")
    axes.set_ylabel("MB/s")
    beside.set_ylabel("MB since the start")
    axes.set_title(f"bytes through the interfaces during a solve; {label}", fontsize=9)


def panels(record):
    """Functions that draw one panel each."""
    labels = names_of(record)
    found = [lambda axes, title=title, curves=curves: draw_curves(axes, title, curves, labels)
             for title, curves in curve_panels(record).items()]
    solved = [series for series in record["series"] if series["part"] == "solver" and not series["problem"]]
    if solved:
        found.append(lambda axes: draw_solver(axes, solved, labels))
    found += [lambda axes, taken=taken: draw_traffic(axes, taken,
                                                     labels[(taken["library"], taken["transport"])])
              for taken in record["traffic"] if taken["interfaces"]]
    return found


def main(record_path, picture_path):
    with open(record_path, encoding="utf-8") as file:
        record = json.load(file)
    drawn = panels(record)
    rows = max(1, (len(drawn) + 1) // 2)
    height = 3.6 * rows + LEGEND_INCHES
    figure, axes = pyplot.subplots(rows, 2, squeeze=False, figsize=(11, height))
    for draw_panel, place in zip(drawn, axes.flat):
        draw_panel(place)
    for place in axes.flat[len(drawn):]:
        place.axis("off")
    machine = record["machine"]
    figure.suptitle(f"{machine['processor']}, {machine['cores']} cores; medians with least and most",
                    fontsize=10, y=1 - 0.1 / height, va="top")
    labels = names_of(record)
    figure.legend(handles=[Line2D([], [], label=label, **line_of(name, labels))
                           for name, label in labels.items()],
                  loc="upper center", bbox_to_anchor=(0.5, 1 - 0.35 / height), ncol=4, fontsize=7)
    figure.tight_layout(rect=(0, 0, 1, 1 - LEGEND_INCHES / height))
    figure.savefig(picture_path, dpi=90)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
