#!/usr/bin/env python3
"""Draws a record of the benchmark: bars of the rates with their spread, against the roofline.

usage: draw.py RECORD.json PICTURE.png      needs matplotlib
"""
import json
import statistics
import sys

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402  the backend has to be chosen first


def rates(row):
    return [sample["rate_lups"] / 1e6 for sample in row["samples"]]


def roofline(rows, bytes_a_point):
    copies = [sample["copy_bytes_per_s"] for row in rows for sample in row["samples"]]
    return statistics.median(copies) / bytes_a_point / 1e6 if copies else None


def group(rows, key):
    groups = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def draw_bar(axes, at, width, row, colour, label):
    taken = rates(row)
    if not taken:
        return
    middle = statistics.median(taken)
    axes.bar(at, middle, width, color=colour, label=label,
             yerr=[[middle - min(taken)], [max(taken) - middle]], capsize=2,
             error_kw={"linewidth": 0.8})


def draw_panel(axes, title, groups, name, bytes_a_point):
    """Groups of bars: label -> rows; `name` names the bar of a row."""
    names = list(dict.fromkeys(name(row) for rows in groups.values() for row in rows))
    width = 0.8 / len(names)
    for place, rows in enumerate(groups.values()):
        for row in rows:
            bar = names.index(name(row))
            draw_bar(axes, place - 0.4 + (bar + 0.5) * width, width, row, f"C{bar}",
                     name(row) if place == 0 else None)
        limit = roofline(rows, bytes_a_point(rows[0]))
        if limit:
            axes.hlines(limit, place - 0.45, place + 0.45, color="black",
                        label="roofline (streaming copy)" if place == 0 else None)
    axes.set_xticks(range(len(groups)), groups.keys(), fontsize=8)
    axes.set_title(title, fontsize=10)
    axes.set_ylabel("MLUP/s")
    axes.set_ylim(0, 1.3 * axes.get_ylim()[1])  # room for the legend
    axes.legend(fontsize=7, ncol=3, loc="upper center")


def kernel_panels(record):
    rows = [row for row in record["rows"] if not row["in_l1"]]
    for points, members in group(rows, lambda row: tuple(row["points"])).items():
        title = " x ".join(map(str, points)) + (" (a line)" if len(points) == 1 else "")
        yield (title, group(members, kernel_group), lambda row: row["kernel"],
               lambda row: 24 if row["source_varies"] else 16)


def kernel_group(row):
    source = "varying source" if row["source_varies"] else "no source"
    return f"{row['threads']} thread{'s' if row['threads'] > 1 else ''}\n{source}"


def layout_panels(record):
    for points, members in group(record.get("layouts", []), lambda row: row["points"]).items():
        yield (f"{points} x {points}, solves with every halo variant", group(members, layout_group),
               lambda row: row["halo"], lambda row: 16)


def layout_group(row):
    return f"{row['ranks']} x {row['threads']}\nranks x threads"


def main(record_path, picture_path):
    with open(record_path, encoding="utf-8") as file:
        record = json.load(file)
    panels = [*kernel_panels(record), *layout_panels(record)]
    figure, axes = pyplot.subplots((len(panels) + 1) // 2, 2, squeeze=False,
                                   figsize=(11, 3.6 * ((len(panels) + 1) // 2)))
    for place, panel in zip(axes.flat, panels):
        draw_panel(place, *panel)
    for place in axes.flat[len(panels):]:
        place.axis("off")
    figure.suptitle(f"{record['machine']['cpu_model']}, {record['build']['compiler']}, medians of "
                    f"{record['rounds']} rounds with least and most", fontsize=10)
    figure.tight_layout()
    figure.savefig(picture_path, dpi=110)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
