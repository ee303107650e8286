"""Which solves the benchmark times: what question each row answers, and how long it runs.

Sweeps are chosen so that the part of a run that counts takes a few tenths of a second on two cores.
"""
from typing import NamedTuple

DEPTHS, QUICK_DEPTHS = (1, 4, 16, 32), (1, 4)


class Row(NamedTuple):
    part: str  # matrix, large, packing, small or builds
    points: int
    sweeps: int
    ranks: int
    threads: int
    halo: str = "nonblocking"
    depth: str = "1"
    kernel: str = "auto"
    process_grid: str = "auto"
    split: str = "off"  # on: waiting for neighbours is told from transfer
    build: str = "default"  # or native
    wait_policy: str = ""  # OMP_WAIT_POLICY


class Sizes(NamedTuple):
    """Points along each axis; sweeps one by one, and where a kernel does many at a time."""
    matrix: tuple
    large: tuple
    small: tuple
    depths: tuple


USUAL = Sizes((2048, 96, 384), (8192, 12, 96), (256, 8192, 8192), DEPTHS)
QUICK = Sizes((70, 20, 64), (96, 12, 96), (40, 64, 64), QUICK_DEPTHS)


def blocked(size, depth):
    """Size, sweeps, depth and kernel of a row with halos of this depth."""
    points, one_by_one, many = size
    deep = depth > 1
    return {"points": points, "sweeps": many if deep else one_by_one, "depth": str(depth),
            "kernel": "temporal" if deep else "auto"}


def matrix_rows(sizes, threads, halos):
    layouts = dict.fromkeys([(1, threads), (threads, 1)])
    return [Row("matrix", ranks=ranks, threads=count, halo=halo, **blocked(sizes.matrix, depth))
            for ranks, count in layouts for depth in sizes.depths for halo in halos]


def all_layouts(threads):
    return [(ranks, threads // ranks) for ranks in range(1, threads + 1) if threads % ranks == 0]


def large_rows(sizes, threads):
    """Every way to share the cores between ranks and threads, then what a split of wait shows."""
    rows = [Row("large", ranks=ranks, threads=count, **{**blocked(sizes.large, depth), "kernel": kernel})
            for depth, kernel in ((32, "temporal"), (1, "streaming"))
            for ranks, count in all_layouts(threads)]
    split = [Row("large", ranks=threads, threads=1, split="on", halo=halo, **blocked(sizes.large, depth))
             for depth in (16, 32) for halo in ("nonblocking", "shared")]
    return rows + (split if threads > 1 else [])


def packing_rows(sizes, threads):
    """Columns against rows of the same length, packed by hand and by derived types."""
    if threads == 1:
        return []
    return [Row("packing", ranks=threads, threads=1, halo=halo, process_grid=grid,
                **blocked(sizes.matrix, 1))
            for halo in ("nonblocking", "neighbor") for grid in ("1d-x", "1d-y")]


def small_rows(sizes, threads):
    """What a user gets on a small grid, with one thread and with all, and how they may wait."""
    points, sweeps, _ = sizes.small
    counts = dict.fromkeys([(1, ""), (threads, ""), (threads, "active"), (threads, "passive")])
    return [Row("small", points, sweeps, 1, count, depth="auto", wait_policy=policy)
            for count, policy in counts]


def build_rows(sizes, threads, builds):
    if len(builds) == 1:
        return []
    return [Row("builds", ranks=1, threads=threads, build=build,
                **{**blocked(sizes.large, depth), "kernel": kernel})
            for depth, kernel in ((32, "temporal"), (1, "streaming")) for build in builds]


def make_rows(sizes, threads, halos, builds, only=None):
    rows = [*matrix_rows(sizes, threads, halos), *packing_rows(sizes, threads),
            *small_rows(sizes, threads), *large_rows(sizes, threads),
            *build_rows(sizes, threads, builds)]
    return [row for row in rows if only in (None, row.points)]
