"""Rates of the sweep kernels by where their data lie, measured by the solver itself, so that binding
and first touch are those of real runs.

The cost of a sweep that does not depend on its points (waking threads, waiting for the last) is
measured on a grid of 16 x 16 points a core and taken off before a rate is formed.

A core's share is the same square whatever the number of cores, which lie in strips as in a run: rates
then differ by what cores share, and not by the length of rows or by what each row costs beside its points.
"""
import math
import re
from typing import NamedTuple

from lab import command, site

BYTES_A_POINT = 16       # two iterates of doubles
TINY = 16                # points along a side of a core's share whose points cost next to nothing
IN_PASSES = ("tiled", "temporal")   # the kernels that do all sweeps between two exchanges in one pass
DEPTHS = (4, 16, 64)     # sweeps in a pass: the model draws lines between; 64 is the deepest halo
RUN_S, QUICK_S = 0.1, 0.0005  # what one run should sweep for
USUAL_LUPS = 2e9         # of one core, to choose the number of sweeps
LARGE_BYTES = 2 ** 30    # of a whole grid that no cache should hold
CONFIG = """[grid]
nx = 64
ny = 64
[problem]
west = dirichlet 1
initial = 1
[solver]
rtol = 0
atol = 0
"""


class Place(NamedTuple):
    """Where the data of a core lie; `up_to_bytes` None: beyond all caches."""
    where: str
    up_to_bytes: int
    measured_bytes: int


class Case(NamedTuple):
    kernel: str
    sweeps_in_pass: int  # those between two exchanges; 1 for kernels that work in no passes
    place: Place
    cores: int
    side: int  # points along a side of a core's square share

    @property
    def points(self):
        return self.side ** 2 * self.cores


def kernel_names(build):
    """From the table that the solver prints."""
    text = command.output_of_program(command.program_path("jacobi", build), "--reference",
                                     environment=site.clean_environment())
    table = text.partition("| `parallel.kernel` |")[2].partition("\n\n")[0]
    return re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)


def chosen_names(build, wanted):
    """Those of a list like "vector,temporal", or all."""
    known = kernel_names(build)
    chosen = known if wanted is None else wanted.split(",")
    unknown = set(chosen) - set(known)
    if unknown:
        raise command.Problem(command.USAGE, f"--kernels: {min(unknown) or 'nothing'} is none of "
                                             f"{', '.join(known)}")
    return [name for name in known if name in chosen]


def core_counts(cores):
    """1, 2, 4, ... and all."""
    return sorted({2 ** power for power in range(cores.bit_length()) if 2 ** power < cores} | {cores})


def cache_shares(caches):
    """{level: bytes that a core has of it when all cores use it}"""
    return {cache["level"]: cache["size_bytes"] // cache["cores"] for cache in caches}


def cache_places(shares):
    """(name, bytes) of working sets that caches hold: half of a core's share, because misses begin long
    before a cache is full. Virtual machines report last caches that no guest has for itself, hence the
    steps of four on the way there."""
    found = [(f"L{level}", shares[level] // 2) for level in sorted(shares) if level < 3]
    inner = max((share for level, share in shares.items() if level < 3), default=0)
    outer = max((share // 2 for level, share in shares.items() if level > 2), default=0)
    step = 4 * inner
    while 0 < step < outer:
        found.append(("L3", step))
        step *= 4
    return found + ([("L3", outer)] if outer > inner else [])


def places(caches, cores, memory_bytes):
    """Each measured at the largest working set that it stands for; memory far beyond all caches."""
    shares = cache_shares(caches)
    last = max(shares.values(), default=0)
    largest = min(max(LARGE_BYTES, 2 * last * cores), memory_bytes // 4) // cores
    found = [Place(name, up_to, up_to) for name, up_to in cache_places(shares)]
    return found + [Place("memory", None, min(largest, max(4 * last, LARGE_BYTES // 16)))]


def depths(kernel):
    """Sweeps in a pass with which it is measured."""
    return DEPTHS if kernel in IN_PASSES else (1,)


def make_cases(kernels, all_places, cores, quick):
    """In the order of the machine file."""
    cases = []
    for place in all_places[:1] + all_places[-1:] if quick else all_places:
        side = math.isqrt(place.measured_bytes // BYTES_A_POINT)
        side = min(side, 64) if quick else side
        cases += [Case(kernel, depth, place, count, side) for kernel in kernels for depth in depths(kernel)
                  for count in core_counts(cores)]
    return cases


def sweeps_for(points, cores, run_s):
    return max(4, min(100000, int(run_s * USUAL_LUPS * cores / points)))


def sweep_s(here, config, case, run_s):
    """(seconds a sweep, run) of one run; None seconds if it failed, and the run says why."""
    depth = case.sweeps_in_pass
    sweeps = max(2, math.ceil(sweeps_for(case.points, case.cores, run_s) / depth)) * depth
    words = [config, "--quiet", f"grid.nx={case.side}", f"grid.ny={case.side * case.cores}",
             f"parallel.kernel={case.kernel}", f"parallel.halo_depth={depth}",
             f"parallel.threads={case.cores}", f"solver.max_sweeps={sweeps}", f"solver.check_every={sweeps}"]
    done = site.run(here, "jacobi", words, 1, case.cores)
    if done.problem:
        return None, done
    record = done.record
    return record["phases"]["sweep"]["max_s"] / (sweeps - record["first_block_sweeps"]), done


def rate_lups(case, time_s, overhead_s):
    """None where the points cost too little beside the rest, which is paid once a pass, to be told
    apart."""
    rest_s = time_s - overhead_s / case.sweeps_in_pass
    return case.points / rest_s if rest_s > time_s / 4 else None
