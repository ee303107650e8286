#!/usr/bin/env python3
"""Draws a record of the benchmark: bars of the rates with their spread, against the roofline, and the
halo variants at every depth with their Tcomm.

usage: draw.py RECORD.json PICTURE.png      needs matplotlib
"""
import json
import statistics
import sys

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402  the backend has to be chosen first

COLOURS = {"plain": "0.65", "reference": "C7", "vector": "C0", "streaming": "C1", "tiled": "C4",
           "temporal": "C2"}


def group(rows, key):
    groups = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def values(row, name):
    return [sample[name] for sample in row["samples"] if sample[name] is not None]


def roofline(rows, bytes_a_point):
    copies = [rate for row in rows for rate in values(row, "copy_bytes_per_s")]
    return statistics.median(copies) / bytes_a_point / 1e9 if copies else None


def draw_bar(axes, at, width, taken, colour, label, number=""):
    """One bar at the median with a line from least to most, and `number` written above."""
    if not taken:
        return
    middle = statistics.median(taken)
    axes.bar(at, middle, width, color=colour, label=label,
             yerr=[[middle - min(taken)], [max(taken) - middle]], capsize=2,
             error_kw={"linewidth": 0.8})
    if number:
        axes.annotate(number.format(middle), (at, max(taken)), xytext=(0, 2), ha="center",
                      textcoords="offset points", fontsize=6, rotation=90 if width < 0.12 else 0)


def finish(axes, title, unit, ticks):
    axes.set_xticks(range(len(ticks)), ticks, fontsize=8)
    axes.tick_params(axis="y", labelsize=8)
    axes.set_title(title, fontsize=10)
    axes.set_ylabel(unit, fontsize=8)
    axes.grid(axis="y", linewidth=0.3)
    axes.set_axisbelow(True)


def unique_legend(axes, place="upper left", columns=1):
    handles, labels = axes.get_legend_handles_labels()
    unique = dict(zip(labels, handles))
    axes.legend(unique.values(), unique.keys(), fontsize=7, ncol=columns, loc=place)


def kernel_group(row):
    source = "varying source" if row["source_varies"] else "no source"
    return f"{row['threads']} thread{'s' if row['threads'] > 1 else ''}\n{source}"


def kernel_title(rows):
    if rows[0]["in_l1"]:
        what = "a line" if len(rows[0]["points"]) == 1 else "a grid"
        kept = ", kept rows in the second" if rows[0]["levels"] > 1 else ", no memory in the way"
        return f"{what} a thread in the first cache{kept}"
    points = " x ".join(map(str, rows[0]["points"]))
    return points if len(rows[0]["points"]) == 2 else f"line of {points}"


def draw_kernels(axes, rows):
    groups = group(rows, kernel_group)
    names = list(dict.fromkeys(row["kernel"] for row in rows))
    width = 0.8 / max(len(names), 3)
    for place, members in enumerate(groups.values()):
        for row in members:
            at = place + (names.index(row["kernel"]) + 0.5 - len(names) / 2) * width
            rates = [rate / 1e9 for rate in values(row, "rate_lups")]
            draw_bar(axes, at, width, rates, COLOURS.get(row["kernel"], "C5"), row["kernel"], "{:.1f}")
        limit = roofline(members, 24 if members[0]["source_varies"] else 16)
        if limit:
            axes.hlines(limit, place - 0.45, place + 0.45, color="black", linewidth=1.5,
                        label="roofline of the streaming copy")
    finish(axes, kernel_title(rows), "GLUP/s", groups.keys())


def layout_name(row):
    return f"{row['ranks']} x {row['threads']}"


def draw_matrix(axes, rows, name, unit, scale, title):
    """Groups of bars: depths; bars: halo variants."""
    depths = list(dict.fromkeys(row["depth"] for row in rows))
    halos = list(dict.fromkeys(row["halo"] for row in rows))
    width = 0.8 / len(halos)
    for row in rows:
        bar = halos.index(row["halo"])
        at = depths.index(row["depth"]) - 0.4 + (bar + 0.5) * width
        draw_bar(axes, at, width, [scale * value for value in values(row, name)], f"C{bar}", row["halo"])
    finish(axes, title, unit, [f"depth {depth}" for depth in depths])


def matrix_panels(record):
    """For each layout rates against the roofline, and Tcomm where there are neighbours."""
    rows = [row for row in record.get("layouts", []) if row["part"] == "matrix"]
    for layout, members in group(rows, layout_name).items():
        title = f"{members[0]['points']} x {members[0]['points']}, {layout} ranks x threads"

        def rates(axes, members=members, title=title):
            draw_matrix(axes, members, "rate_lups", "GLUP/s", 1e-9, f"{title}: rate")
            limit = roofline(members, 16)
            if limit:
                axes.axhline(limit, color="black", linewidth=1.5, label="roofline of the streaming copy")

        yield rates
        if members[0]["ranks"] > 1:
            yield lambda axes, members=members, title=title: draw_matrix(
                axes, members, "tcomm_fraction", "% of the time", 100, f"{title}: Tcomm")


def panels(record):
    """Functions that draw into axes."""
    def panel(row):
        if row["in_l1"]:
            return len(row["points"]), row["levels"] > 1
        return tuple(row["points"])

    for rows in group(record["rows"], panel).values():
        yield lambda axes, rows=rows: draw_kernels(axes, rows)
    yield from matrix_panels(record)


def state(record):
    latency = [value for value in record["latency_ns"] if value is not None]
    apart = f", cores {min(latency):.0f} to {max(latency):.0f} ns apart" if latency else ""
    rounds = f"{record['rounds']} round{'s' if record['rounds'] > 1 else ''}"
    return f"{record['machine']['cpu_model']}, {record['build']['compiler']}, medians of {rounds} " \
           f"with least and most{apart}"


def main(record_path, picture_path):
    with open(record_path, encoding="utf-8") as file:
        record = json.load(file)
    drawn = list(panels(record))
    lines = (len(drawn) + 1) // 2
    figure, places = pyplot.subplots(lines, 2, squeeze=False, figsize=(12, 3.2 * lines + 0.5))
    for axes, panel in zip(places.flat, drawn):
        panel(axes)
        axes.set_ylim(0, 1.45 * axes.get_ylim()[1])  # room for the legend
        unique_legend(axes, columns=3)
    for axes in places.flat[len(drawn):]:
        axes.axis("off")
    figure.suptitle(state(record), fontsize=10)
    figure.tight_layout(rect=(0, 0, 1, 0.99))
    figure.savefig(picture_path, dpi=110)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
