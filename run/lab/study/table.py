"""The tables of a study: rows of text, for the terminal and for the page alike."""
from lab.study.summary import is_usable
from lab.study.wording import (axis_text, number_text, percent_text, points_text, tcomm_of,
                               time_text)


def mark_of(point):
    """In the table's last column: why a row counts less or not at all."""
    words = [f"{mark['runs']} {mark['status']}" for mark in point["marks"]]
    if point["mixed"]:
        words.append("mixed: " + ", ".join(text.partition(" (")[0] for text in point["mixed"]))
    return "; ".join(words)


def median_of(point, name):
    return (point.get(name) or {}).get("median")


def range_text(point):
    times = point.get("sweep_s")
    return f"{time_text(times['min'])} to {time_text(times['max'])}" if times else "–"


def with_range(point, name, form=".3g", factor=1.0):
    value = median_of(point, name)
    return number_text(None if value is None else value * factor, form)


COMMON = (("ranks", lambda point: str(point["ranks"])),
          ("threads", lambda point: str(point["threads"])),
          ("cores", lambda point: str(point["cores"])))
TIMES = (("time a sweep", lambda point: time_text(median_of(point, "sweep_s"))),
         ("fastest to slowest", range_text),
         ("MLUP/s", lambda point: with_range(point, "rate_lups", ".0f", 1e-6)),
         ("Tcomm", lambda point: percent_text(tcomm_of(point))))
STRONG = (("speed-up", lambda point: number_text(point.get("speedup"))),
          ("efficiency", lambda point: number_text(point.get("efficiency"))),
          ("Karp-Flatt", lambda point: number_text(point.get("karp_flatt"), ".2g")))
WEAK = (("grid", lambda point: points_text(point.get("global_points"))),
        ("points a core", lambda point: number_text((point.get("points_a_core") or [None])[-1], ".0f")),
        ("efficiency", lambda point: number_text(point.get("efficiency"))),
        ("scaled speed-up", lambda point: number_text(point.get("scaled_speedup"))))
VARIANT = (("speed-up over first variant",
            lambda point: number_text(point.get("speedup_over_first_variant"))),)
RUNS = (("good runs", lambda point: f"{point['good_runs']} of {point['planned_runs']}"),
        ("marks", mark_of))
DETAIL = (("of roofline", lambda point: percent_text(median_of(point, "roofline_share"), ".3g")),
          ("imbalance", lambda point: percent_text(median_of(point, "imbalance"))),
          ("Tcomm of ranks", lambda point: tcomm_range(point)),
          ("process grid", lambda point: point.get("process_grid") or "–"),
          ("points a rank", lambda point: local_text(point)),
          ("kernel", lambda point: kernel_text(point)),
          ("halo", lambda point: f"{point.get('halo') or '–'} of depth {point.get('halo_depth') or '–'}"),
          ("binding", lambda point: ", ".join(point["binding_problems"]) or
           ("good" if point.get("sweep_s") else "–")))
PREDICTED = (("measured", lambda point: time_text(median_of(point, "sweep_s"))),
             ("predicted", lambda point: time_text(point["predicted"]["sweep_s"])),
             ("error", lambda point: percent_text(point["predicted"]["sweep_error"], "+.2g")),
             ("Tcomm measured", lambda point: percent_text(tcomm_of(point))),
             ("Tcomm predicted", lambda point: percent_text(point["predicted"]["tcomm_fraction"])))


def kernel_text(point):
    return " ".join(filter(None, (point.get("kernel"), point.get("instruction_set")))) or "–"


def tcomm_range(point):
    tcomm = point.get("tcomm")
    if not tcomm:
        return "–"
    return " / ".join(percent_text(tcomm[f"{which}_of_ranks"]) for which in ("min", "mean", "max"))


def local_text(point):
    return ", ".join("x".join(map(str, part)) for part in (point.get("local_points") or [])[:2]) or "–"


def has_axes(summary):
    return any(point["axis"] for point in summary["points"])


def variant_columns(summary):
    return (("variant", lambda point: axis_text(point["axis"])),) if has_axes(summary) else ()


def main_columns(summary):
    """What the kind of study is about."""
    scaling = {"strong": STRONG, "weak": WEAK, "matrix": ()}[summary["study"]["kind"]]
    variant = VARIANT if has_axes(summary) else ()
    return (*variant_columns(summary), *COMMON, *TIMES, *scaling, *variant, *RUNS)


def detail_columns(summary):
    return (*variant_columns(summary), *COMMON[:2], *DETAIL)


def predicted_columns(summary):
    return (*variant_columns(summary), *COMMON[:2], *PREDICTED)


def make_rows(columns, points):
    """The head and the rows."""
    return [name for name, _ in columns], [[cell(point) for _, cell in columns] for point in points]


def caption(summary):
    """Names the base; every table carries it."""
    bases = [series["base"] for series in summary["series"] if series["base"]]
    first = "no base: no good run"
    if bases:
        first = f"base: {bases[0].split('-')[0].replace('x', ' x ')} (ranks x threads)"
    left_out = any(not is_usable(point) for point in summary["points"])
    rest = "; rows without good runs, or mixed, are in no fit" if left_out else ""
    return f"{first}; medians of the good runs{rest}"


def as_text(summary):
    """The main table in aligned columns."""
    head, rows = make_rows(main_columns(summary), summary["points"])
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths)).rstrip()
             for row in [head, *rows]]
    return "\n".join([caption(summary), *lines])
