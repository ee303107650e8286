"""The points of a study: every layout with every value of its axes, and the grid that each gets.

All is decided, and checked as far as numbers go, before anything runs.
"""
import itertools
import math
import re
from typing import NamedTuple

from lab.command import ENVIRONMENT, USAGE, Problem

MOST_POINTS = 1000
GRID_LIMIT = 2**31 - 1  # points along an axis, as the solver has it
PROCESS_GRID = "parallel.process_grid"


class Point(NamedTuple):
    """name: for people and file names. axis: (option, value). overrides: of the solver, all of them."""
    name: str
    ranks: int
    threads: int
    axis: tuple
    overrides: tuple

    @property
    def cores(self):
        return self.ranks * self.threads


def all_layouts(kind, cores):
    """Every ranks x threads that fits; of a matrix those that fill the cores."""
    fitting = [(ranks, threads) for ranks in range(1, cores + 1)
               for threads in range(1, cores // ranks + 1)]
    return [layout for layout in fitting if kind != "matrix" or math.prod(layout) == cores]


def expand_layouts(study, cores):
    """Pairs of ranks and threads, fewest cores first; N in a layout is the number of cores."""
    if study.layouts == ("all",):
        layouts = all_layouts(study.kind, cores)
    else:
        layouts = [tuple(cores if part == "N" else int(part) for part in word.split("x"))
                   for word in study.layouts]
    layouts = sorted(set(layouts), key=lambda layout: (math.prod(layout), layout))
    products = sorted({math.prod(layout) for layout in layouts})
    if study.kind == "matrix" and len(products) > 1:
        raise Problem(USAGE, f"{study.path}: study.layouts: a matrix keeps ranks x threads the same, but "
                             f"these have {' and '.join(map(str, products))}; kind = strong compares them")
    return layouts


def check_cores(study, layouts, cores, oversubscribe):
    for ranks, threads in layouts:
        if ranks * threads > cores and not oversubscribe:
            raise Problem(ENVIRONMENT,
                          f"{study.path}: study.layouts: {ranks}x{threads} needs {ranks * threads} cores, "
                          f"but {cores} may be used; leave it out, or add --oversubscribe: such points are "
                          "marked and no part of the scaling")


def most_square(ranks):
    """Factors of `ranks` nearest to each other, the larger along y."""
    px = max(px for px in range(1, math.isqrt(ranks) + 1) if ranks % px == 0)
    return px, ranks // px


def chosen_grid(text, ranks):
    """The process grid that a weak study grows with."""
    given = re.fullmatch(r"(\d+)x(\d+)", text)
    if given and int(given[1]) * int(given[2]) == ranks:
        return int(given[1]), int(given[2])
    shapes = {"1d-x": (ranks, 1), "1d-y": (1, ranks)}
    return shapes.get(text, most_square(ranks))


def growth(study, base, ranks, threads):
    """By how much a weak study stretches x and y, and the process grid if that follows from it."""
    if "ny" not in base:
        return (ranks * threads, 1), None
    if study.grow == "y":
        return (1, ranks * threads), None
    px, py = chosen_grid(base["process_grid"], ranks)
    return (px, py * threads), f"{px}x{py}"


def grown(study, base, layout):
    """Overrides that give this layout its grid. Lengths grow too, so that the spacing stays."""
    if study.kind != "weak":
        return ()
    factors, process_grid = growth(study, base, *layout)
    changes = []
    for axis, factor in zip("xy", factors):
        if factor == 1:
            continue
        points = int(base[f"n{axis}"]) * factor
        if points > GRID_LIMIT:
            raise Problem(USAGE, f"{study.path}: study.layouts: {layout[0]}x{layout[1]} would grow "
                                 f"grid.n{axis} to {points}, more than {GRID_LIMIT}; start smaller or leave "
                                 "it out")
        changes += [(f"grid.n{axis}", str(points)),
                    (f"grid.length_{axis}", repr(float(base[f"length_{axis}"]) * factor))]
    return (*changes, *([(PROCESS_GRID, process_grid)] if process_grid else []))


def check_free(study):
    """A weak study sets the grid itself."""
    own = {"grid.nx", "grid.ny"} & {option for option, _ in study.axes}
    if study.kind == "weak" and own:
        raise Problem(USAGE, f"{study.path}: {min(own)} is no axis of a weak study, which grows the grid")


def file_safe(text):
    return re.sub(r"[^\w.+]+", "-", text)


def point_name(layout, axis):
    words = [f"{layout[0]}x{layout[1]}"]
    words += [f"{option.rpartition('.')[2]}-{value}" for option, value in axis]
    return file_safe("-".join(words))


def make_points(study, base, cores, oversubscribe=False):
    """All points. base: nx, ny (absent on a line), length_x, length_y and process_grid in effect."""
    check_free(study)
    layouts = expand_layouts(study, cores)
    check_cores(study, layouts, cores, oversubscribe)
    points = []
    for values in itertools.product(*(values for _, values in study.axes)):
        axis = tuple(zip((option for option, _ in study.axes), values))
        for layout in layouts:
            overrides = (*study.overrides, *grown(study, base, layout), *axis)
            points.append(Point(point_name(layout, axis), *layout, axis, overrides))
    if len(points) > MOST_POINTS:
        raise Problem(USAGE, f"{study.path}: {len(points)} points are more than {MOST_POINTS}; "
                             "name fewer layouts or values")
    if len({point.name for point in points}) < len(points):
        raise Problem(USAGE, f"{study.path}: two points have the same name; write values that differ in "
                             "more than punctuation")
    return points


class Run(NamedTuple):
    """round: from 1; 0 and below are warm-ups."""
    point: Point
    round: int

    @property
    def warmup(self):
        return self.round < 1

    @property
    def name(self):
        kind = f"warmup{1 - self.round}" if self.warmup else f"round{self.round}"
        return f"{kind}-{self.point.name}"


def make_runs(study, points):
    """All runs in order. Interleaved: round after round, every second one backwards, so that a steady
    drift of the machine meets all points alike."""
    rounds = range(1 - study.warmup, study.repeats + 1)
    if study.order == "grouped":
        return [Run(point, number) for point in points for number in rounds]
    return [Run(point, number) for number in rounds
            for point in (points if number % 2 else points[::-1])]
