#!/usr/bin/env python3
"""Times whole solves: one rank with all threads against as many ranks of one thread, with every halo
variant, round after round, each bound by run/solve. Prints a table.

A time counts only where the field has the bits that the reference kernel gives.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

SOLVE = Path(__file__).resolve().parents[2] / "run/solve"
BYTES_A_POINT = 16  # read and written once
USUAL_GRIDS = [(2048, 400), (8192, 64)]  # points along each axis, sweeps
QUICK_GRIDS = [(70, 20)]
CONFIG = """[grid]
nx = {points}
ny = {points}
[problem]
west = dirichlet 1
initial = x + y*y
[solver]
rtol = 0
atol = 0
max_sweeps = {sweeps}
"""


class Row(NamedTuple):
    points: int
    sweeps: int
    ranks: int
    threads: int
    halo: str


def run(command, environment=None):
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, env=environment, check=False)
    if done.returncode != 0:
        sys.exit(f"layouts: exit code {done.returncode} of {command}\n{done.stdout}{done.stderr}")
    return done.stdout


def probe(options):
    """The state of the machine: copy rate of all threads and latency; also what there is to run."""
    bound = {**os.environ, "OMP_PLACES": "cores", "OMP_PROC_BIND": "close"}
    words = ["--probe"] + (["--quick"] if options.quick else [])
    return json.loads(run([options.bench, *words], bound))


def solve(options, folder, row, kernel="auto"):
    """The record of one run."""
    config, record = Path(folder, "case.ini"), Path(folder, "record.json")
    config.write_text(CONFIG.format(points=row.points, sweeps=row.sweeps))
    run([SOLVE, config, "-n", row.ranks, "-t", row.threads, "--program", options.program, "--quiet",
         "--record", record, "output.overwrite=on", f"parallel.halo={row.halo}",
         f"parallel.kernel={kernel}"])
    return json.loads(record.read_text())


def make_rows(grids, threads, halos):
    layouts = list(dict.fromkeys([(1, threads), (threads, 1)]))
    return [Row(points, sweeps, *layout, halo)
            for points, sweeps in grids for layout in layouts for halo in halos]


def take_sample(record, state):
    return {"rate_lups": record["rate_lups"],
            "tcomm_fraction": record["tcomm_fraction"],
            "roofline_share": record["rate_lups"] * BYTES_A_POINT / state["copy_bytes_per_s"],
            "copy_bytes_per_s": state["copy_bytes_per_s"],
            "latency_ns": state["latency_ns"],
            "binding_problems": len(record["binding"]["problems"])}


def measure(options, rows):
    """Samples of each row; None for a row whose bits differ."""
    samples = {row: [] for row in rows}
    with tempfile.TemporaryDirectory() as folder:
        expected = {row.points: solve(options, folder, row, "reference")["field_checksum"]
                    for row in {row.points: row for row in rows}.values()}
        for number in range(options.rounds):
            print(f"layouts: round {number + 1} of {options.rounds}", file=sys.stderr)
            for row in rows:
                state = probe(options)
                record = solve(options, folder, row)
                if record["field_checksum"] != expected[row.points]:
                    samples[row] = None
                elif samples[row] is not None:
                    samples[row].append(take_sample(record, state))
    return samples


def median(samples, name):
    return statistics.median(sample[name] for sample in samples)


def describe(samples):
    if samples is None:
        return "bits differ from the reference: no rate"
    rates = [sample["rate_lups"] / 1e6 for sample in samples]
    return (f"{statistics.median(rates):9.0f} [{min(rates):9.0f} .. {max(rates):9.0f}]"
            f" {100 * median(samples, 'tcomm_fraction'):7.2f} % "
            f"{median(samples, 'roofline_share'):10.2f}")


def print_table(samples):
    last = None
    for row, taken in samples.items():
        if row.points != last:
            print(f"\n{row.points} x {row.points}, {row.sweeps} sweeps, kernel auto, halo depth 1")
            print(f"  {'halo':12} {'ranks':>5} {'threads':>7} {'MLUP/s':>9} [{'min':>9} .. "
                  f"{'max':>9}] {'Tcomm':>9} {'of roofline':>11}")
            last = row.points
        print(f"  {row.halo:12} {row.ranks:5} {row.threads:7} {describe(taken)}")


def as_record(samples):
    return [{**row._asdict(), "bits_equal": taken is not None, "samples": taken or []}
            for row, taken in samples.items()]


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="layouts.py", description=__doc__)
    parser.add_argument("--bench", required=True, type=Path, help="the program bench")
    parser.add_argument("--program", required=True, type=Path, help="the program jacobi")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="small grids, no speeds")
    parser.add_argument("--add-to", type=Path, metavar="RECORD", help="record of bench to complete")
    return parser.parse_args(arguments)


def main(arguments):
    options = parse_arguments(arguments)
    found = probe(options)
    grids = QUICK_GRIDS if options.quick else USUAL_GRIDS
    samples = measure(options, make_rows(grids, found["threads"], found["halo_variants"]))
    print_table(samples)
    if options.add_to:
        record = {**json.loads(options.add_to.read_text()), "layouts": as_record(samples)}
        options.add_to.write_text(json.dumps(record, indent=2) + "\n")
    return 1 if None in samples.values() else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
