#!/usr/bin/env python3
"""Sets a record of the benchmark against what is to be reached, prints the table and adds it.

usage: targets.py RECORD.json

Each ratio is formed inside one round, so that the state of the machine cancels; then the median is
taken. Where a target depends on how far the cores are from each other, rounds are told apart by the
latency beside the sample.
"""
import itertools
import json
import statistics
import sys
from pathlib import Path
from typing import NamedTuple, Optional

NEAR_NS = 140  # between the two states known of such machines: 57 and 335 ns
DEPTHS_OF_TRANSFER, HALOS_OF_TRANSFER = (16, 32), ("nonblocking", "shared")

# Points of the problem that each role has, in a usual and in a quick record.
USUAL = {"large": [8192, 8192], "cached": [1024, 1024], "small": [256, 256], "huge": [16384, 16384],
         "solves": 8192, "packing": 2048, "small_solves": 256}
QUICK = {"large": [193, 130], "cached": [64, 64], "small": [31, 40], "huge": [257, 256],
         "solves": 96, "packing": 70, "small_solves": 40}


class Target(NamedTuple):
    """A measure with a value a round, and its bound: at least, or below."""
    measure: str
    values: list
    at_least: Optional[float] = None
    below: Optional[float] = None
    aim: Optional[float] = None
    unit: str = "1"
    remark: str = ""


class Samples:
    """Finds rows and their samples in a record."""

    def __init__(self, record):
        self.record = record
        self.sizes = QUICK if record["quick"] else USUAL
        self.threads = max((row["threads"] for row in record["rows"]), default=1)

    def kernel(self, kernel, role, threads=None, source=False):
        """Samples of a kernel on the problem of a role; none where there is no such row."""
        for row in self.record["rows"]:
            if (row["kernel"] == kernel and row["points"] == self.sizes[role] and
                    row["threads"] == (threads or self.threads) and row["source_varies"] == source):
                return row["samples"]
        return []

    def best(self, role, threads=None):
        """Name of the kernel with the highest median rate."""
        names = dict.fromkeys(row["kernel"] for row in self.record["rows"] if row["kernel"] != "plain")

        def rate(name):
            return median(column(self.kernel(name, role, threads), "rate_lups")) or 0

        return max(names, key=rate, default="")

    def overlap(self, kernel, role):
        for row in self.record["rows"]:
            if (row["kernel"], row["points"], row["threads"]) == (kernel, self.sizes[role], self.threads):
                return row["overlap_share"]
        return None

    def solves(self, part, **wanted):
        """Samples of the first row of solves with these values."""
        for row in self.record.get("layouts", []):
            if row["part"] == part and all(row[name] == value for name, value in wanted.items()):
                return row["samples"]
        return []


def column(samples, name):
    return [sample[name] for sample in samples if sample[name] is not None]


def median(values):
    return statistics.median(values) if values else None


def ratios(samples, others, name="rate_lups"):
    """Of one value in the same round."""
    return [mine[name] / theirs[name] for mine, theirs in zip(samples, others) if theirs[name]]


def share_of_faster(samples, others):
    """Of the slower of two; which one that is, the median says, not the noise of a round."""
    values = ratios(samples, others)
    return values if not values or median(values) <= 1 else ratios(others, samples)


def state(sample):
    if sample["latency_ns"] is None:
        return None
    return "near" if sample["latency_ns"] < NEAR_NS else "far"


def by_state(measure, samples, name, bounds):
    """A target for each state of the machine: bounds[state] = (at least, aim)."""
    for which, (at_least, aim) in bounds.items():
        seen = [sample for sample in samples if state(sample) == which]
        apart_ns = median(column(seen, "latency_ns"))
        remark = f"{apart_ns:.0f} ns apart" if seen else f"the cores were never {which}"
        yield Target(f"{measure}, cores {which}", column(seen, name), at_least, aim=aim, remark=remark)


def of_levels(samples):
    """What tiles reach of their levels by themselves, with the rows that they keep in the second cache."""
    share = median(column(samples, "levels_share"))
    return "" if share is None else f"{share:.2f} of the levels with kept rows in the second cache"


def large_targets(found):
    streaming, temporal = found.kernel("streaming", "large"), found.kernel("temporal", "large")
    overlap = found.overlap("temporal", "large")
    yield from by_state("streaming on the large grid / streaming-copy roofline", streaming,
                        "roofline_share", {"far": (0.92, None), "near": (0.97, None)})
    yield Target("temporal on the large grid / (rate in L1 x (1 - overlap))",
                 column(temporal, "ceiling_share"), 0.85, aim=0.93,
                 remark=", ".join(filter(None, ["" if overlap is None else f"overlap {100 * overlap:.1f} %",
                                                of_levels(temporal)])))
    yield from by_state("temporal on the large grid / streaming-copy roofline", temporal,
                        "roofline_share", {"far": (2.1, 2.4), "near": (3.3, 3.8)})
    source = found.kernel("temporal", "large", source=True)
    yield Target("temporal with a varying source / its rate in L1", column(source, "l1_share"), 0.75,
                 remark=of_levels(source))
    huge = [rate / 1e9 for rate in column(found.kernel("temporal", "huge"), "rate_lups")]
    yield Target("temporal on the huge grid", huge, 10, aim=11.5, unit="GLUP/s")
    yield Target("temporal / plain loop, -O3 and native", column(temporal, "ratio_to_plain"), 4.5)


def cut_ratios(found, halo):
    """Tcomm of columns over that of as many points in rows."""
    wide, high = (found.solves("packing", halo=halo, process_grid=grid) for grid in ("1d-x", "1d-y"))
    return ratios(wide, high, "tcomm_fraction")


def layout_targets(found):
    threads = found.threads
    if threads == 1:
        return
    ranks = found.solves("large", ranks=threads, threads=1, depth="32", split=False)
    team = found.solves("large", ranks=1, threads=threads, depth="32", split=False)
    yield Target(f"temporal, {threads} ranks x 1 and 1 rank x {threads}: the slower / the faster",
                 share_of_faster(ranks, team), 0.95)
    for halo, depth in itertools.product(HALOS_OF_TRANSFER, DEPTHS_OF_TRANSFER):
        split = found.solves("large", ranks=threads, threads=1, depth=str(depth), halo=halo, split=True)
        redundant = median(column(split, "redundant_fraction"))
        remark = "" if redundant is None else f"redundant points {100 * redundant:.2f} %"
        yield Target(f"transfer without waiting / total, {threads} ranks, {halo}, depth {depth}",
                     column(split, "transfer_fraction"), below=0.005, remark=remark)
    by_types = median(cut_ratios(found, "neighbor"))
    yield Target("Tcomm of a cut along x / along y, columns packed by hand",
                 cut_ratios(found, "nonblocking"), below=2,
                 remark="" if by_types is None else f"{by_types:.2f} packed by types")


def small_targets(found):
    cached, small = found.best("cached"), found.best("small")
    yield Target("best kernel on the cached grid / its rate in L1",
                 column(found.kernel(cached, "cached"), "l1_share"), 0.75, remark=cached)
    if found.threads == 1:
        return
    alone = found.kernel(small, "small", threads=1)
    yield Target(f"small grid, {found.threads} threads / 1 thread", ratios(found.kernel(small, "small"),
                                                                       alone), 1, remark=small)
    one, all_threads = (found.solves("small", threads=count, wait_policy=None)
                        for count in (1, found.threads))
    yield Target(f"small grid, a solve asked for {found.threads} threads / 1 thread",
                 ratios(all_threads, one, "run_rate_lups"), 1)


def build_targets(found):
    for kernel in "temporal", "streaming":
        default, native = (found.solves("builds", kernel=kernel, build=build)
                           for build in ("default", "native"))
        yield Target(f"{kernel}, this build / native build", ratios(default, native), 0.97)


def all_targets(record):
    found = Samples(record)
    return [*large_targets(found), *layout_targets(found), *small_targets(found), *build_targets(found)]


def is_met(target, quick):
    """None without a value, and where the problems are too small to tell."""
    if quick or not target.values:
        return None
    if target.below is not None:
        return median(target.values) < target.below
    return median(target.values) >= target.at_least


def as_record(target, quick=False):
    values = target.values
    return {"measure": target.measure, "unit": target.unit, "at_least": target.at_least,
            "below": target.below, "aim": target.aim, "median": median(values),
            "min": min(values, default=None), "max": max(values, default=None), "values": values,
            "met": is_met(target, quick), "remark": target.remark}


def number(value):
    return "-" if value is None else f"{value:.4f}" if abs(value) < 0.1 else f"{value:.2f}"


def line(entry):
    bound = f">= {entry['at_least']:g}" if entry["below"] is None else f"< {entry['below']:g}"
    spread = f"{number(entry['median']):>7} [{number(entry['min']):>7} .. {number(entry['max']):>7}]"
    verdicts = {None: "-" if entry["values"] else "not measured", True: "met", False: "NOT MET"}
    aim = "-" if entry["aim"] is None else f"{entry['aim']:g}"
    start = f"  {entry['measure']:68} {bound:>8} {aim:>5} {spread}"
    return f"{start} {verdicts[entry['met']]:12} {entry['remark']}".rstrip()


def print_table(entries, quick):
    print("\ntargets: ratios inside a round, then their median [least .. most]; GLUP/s where no ratio")
    if quick:
        print("  small problems: these numbers say nothing about speed")
    print(f"  {'measure':68} {'target':>8} {'aim':>5} {'median':>7} [{'min':>7} .. {'max':>7}]")
    for entry in entries:
        print(line(entry))


def complete(path):
    record = json.loads(path.read_text())
    record["targets"] = [as_record(target, record["quick"]) for target in all_targets(record)]
    print_table(record["targets"], record["quick"])
    path.write_text(json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    complete(Path(sys.argv[1]))
