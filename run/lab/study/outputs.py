"""Files for other programs: results.csv (tidy, a row a sample), summary.json, extrap.jsonl."""
import csv
import json
from pathlib import Path

from lab.records import write_record
from lab.study.summary import PHASES, is_usable
from lab.study.verdict import OK

OF_A_POINT = ("ranks", "threads", "cores")


def csv_rows(summary):
    """Each sample with what identifies its point; axes and grid have columns of their own."""
    points = {point["name"]: point for point in summary["points"]}
    for sample in summary["samples"]:
        point = points[sample["point"]]
        grid = point.get("global_points") or []
        least, most = point.get("points_a_core") or (None, None)
        yield {"study": summary["study"]["name"], "point": point["name"],
               **{key: point[key] for key in OF_A_POINT},
               **point["axis"], "global_nx": grid[0] if grid else None,
               "global_ny": grid[1] if len(grid) > 1 else None,
               "least_points_a_core": least, "most_points_a_core": most,
               "mixed": "; ".join(point["mixed"]), **sample}


def write_csv(path, summary):
    rows = list(csv_rows(summary))
    columns = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def numeric_axis(axis):
    """Values of axes that are numbers: more parameters of a model."""
    numbers = {}
    for option, value in axis.items():
        try:
            numbers[option.rpartition(".")[2]] = float(value)
        except ValueError:
            continue
    return numbers


def branch_name(axis):
    """Callpath of a variant: what is no number tells branches apart."""
    words = [value for option, value in axis.items() if option.rpartition(".")[2] not in numeric_axis(axis)]
    return "->".join(["jacobi", *words])


def extrap_lines(summary):
    """Extra-P's JSON Lines: one line a point and metric, all samples of it in `value`.

    https://github.com/extra-p/extrap/blob/master/docs/file-formats.md
    """
    usable = {point["name"]: point for point in summary["points"] if is_usable(point)}
    for name, point in usable.items():
        samples = [sample for sample in summary["samples"]
                   if sample["point"] == name and sample["status"] == OK and not sample["warmup"]]
        metrics = {"time": ("jacobi", [sample["total_s"] for sample in samples])}
        for phase in PHASES:
            metrics[phase] = (phase, [sample[f"{phase}_mean_s"] for sample in samples])
        params = {"ranks": point["ranks"], "threads": point["threads"], **numeric_axis(point["axis"])}
        for phase, values in metrics.values():
            callpath = branch_name(point["axis"]) + ("" if phase == "jacobi" else f"->{phase}")
            if None not in values:
                yield {"params": params, "callpath": callpath, "metric": "time", "value": values}


def write_extrap(path, summary):
    path.write_text("".join(json.dumps(line) + "\n" for line in extrap_lines(summary)))


def write_all(folder, summary):
    """The three files; returns their names."""
    folder = Path(folder)
    write_csv(folder / "results.csv", summary)
    write_record(folder / "summary.json", {key: summary[key] for key in summary if key != "samples"})
    write_extrap(folder / "extrap.jsonl", summary)
    return "results.csv", "summary.json", "extrap.jsonl"
