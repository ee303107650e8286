"""What run/transports measures under each transport: one Series a part and transport.

Every take() is one job or a few small ones; each returns its values by message size, by (operation,
size), or by name.
"""
from lab import kernels, site
from lab.crossover import size_text
from lab.network import pingpong_times, pingpong_words
from lab.series import Series
from lab.transports import WINDOW

PARTS = ("pingpong", "halos", "collectives", "alltomany", "solver")
HALO_BYTES = [2 ** power for power in range(7, 21)]
QUICK_HALO_BYTES = [1024]
HALO_ROWS = 8            # of each rank's strip: little to sweep beside the message
HALO_RUN_S = 0.01        # of exchanges in one run
UNITS = {"alltomany": (10, 1024, 65536)}
QUICK_UNITS = (10,)
SWEEPS = 100
QUICK_SOLVE = ["solver.max_sweeps=4", "grid.nx=64", "grid.ny=64"]


def pingpong(here, transport, pair, quick):
    """Half a round trip, by size."""
    distance, places = pair
    words = pingpong_words("window" if transport.name == WINDOW else "pingpong", quick)

    def take():
        run = site.run(here, "pingpong", words, 2, 1, transport.settings, places)
        return (None if run.problem else pingpong_times(run.record)), run.problem

    return Series({"part": "pingpong", "transport": transport.name, "distance": distance}, "s", take)


def halo_time_s(record):
    """Seconds of an exchange: packing and transfer of the mean rank."""
    exchanges = record["sweeps"] - record["first_block_sweeps"]
    return (record["phases"]["pack"]["mean_s"] + record["phases"]["transfer"]["mean_s"]) / exchanges


def halo_words(config, size, sweeps):
    """Two strips, one above the other: each sends the other one row of `size` bytes a sweep."""
    return [config, "--quiet", f"grid.nx={size // 8}", f"grid.ny={2 * HALO_ROWS}", "parallel.halo_depth=1",
            "parallel.process_grid=1d-y", "parallel.kernel=vector", f"solver.max_sweeps={sweeps}",
            f"solver.check_every={sweeps}"]


def halos(here, transport, pair, quick, config):
    """An exchange of the solver between two ranks, by the bytes of a message."""
    distance, places = pair
    variant = "shared" if transport.name == WINDOW else "nonblocking"

    def take():
        values = {}
        for size in QUICK_HALO_BYTES if quick else HALO_BYTES:
            sweeps = 20 if quick else kernels.sweeps_for(2 * HALO_ROWS * size // 8, 2, HALO_RUN_S)
            run = site.run(here, "jacobi", halo_words(config, size, sweeps) + [f"parallel.halo={variant}"],
                           2, 1, transport.settings, places)
            if run.problem:
                return None, f"{size_text(size)}: {run.problem}"
            values[size] = halo_time_s(run.record)
        return values, None

    return Series({"part": "halos", "transport": transport.name, "distance": distance}, "s", take)


def collectives(here, transport, ranks, quick):
    """Time of a call on the slowest rank, by operation and size."""
    words = ["--max", "16", "--repeats", "10"] if quick else ["--fine"]

    def take():
        run = site.run(here, "collectives", words, ranks, 1, transport.settings)
        return (None if run.problem else collective_times(run.record)), run.problem

    return Series({"part": "collectives", "transport": transport.name, "ranks": ranks}, "s", take)


def collective_times(record):
    return {(row["operation"], row["bytes"]): row["median_s"] for row in record["measured"]["rows"]}


def alltomany(here, transport, ranks, quick):
    """Time of an iteration, by the unit of the message size."""
    def take():
        values = {}
        for unit in QUICK_UNITS if quick else UNITS["alltomany"]:
            run = site.run(here, "alltomany", ["-b", unit, "-n", 10 if quick else 100], ranks, 1,
                           transport.settings)
            if run.problem:
                return None, f"-b {unit}: {run.problem}"
            values[unit] = run.record["measured"]["iteration_s"]
        return values, None

    return Series({"part": "alltomany", "transport": transport.name, "ranks": ranks}, "s", take)


def solver_words(config, transport, quick):
    words = [config, "--quiet", "solver.rtol=0", "solver.atol=0", "parallel.halo_depth=1"]
    words += [f"solver.max_sweeps={SWEEPS}"] if not quick else QUICK_SOLVE
    return words + (["parallel.halo=shared"] if transport.name == WINDOW else [])


def solver(here, transport, ranks, quick, config):
    """Time of a sweep, and Tcomm in it."""
    def take():
        run = site.run(here, "jacobi", solver_words(config, transport, quick), ranks, 1, transport.settings)
        if run.problem:
            return None, run.problem
        record = run.record
        sweeps = record["sweeps"] - record["first_block_sweeps"]
        return {"sweep_s": record["total_s"] / sweeps, "tcomm_fraction": record["tcomm_fraction"]}, None

    return Series({"part": "solver", "transport": transport.name, "ranks": ranks}, "s", take)
