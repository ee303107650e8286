#!/usr/bin/env python3
"""Times whole solves, round after round, each bound as run/solve binds it: ranks against threads, every
halo variant at every depth, waiting told from transfer, the builds against each other. Prints a table.

A time counts only where the field has the bits that the reference kernel gives. The norm at the end
of a run is no part of it: in a run this short it would hide the sweeps.
"""
import argparse
import itertools
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from layout_rows import QUICK, USUAL, make_rows

SOLVE = Path(__file__).resolve().parents[2] / "run/solve"
ENVIRONMENT = 5  # exit code of the programs
BYTES_A_POINT = 16  # read and written once
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
[output]
overwrite = on
"""


def run(command, environment=None):
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, env=environment, check=False)
    if done.returncode != 0:
        print(f"layouts: exit code {done.returncode} of {shlex.join(map(str, command))}\n"
              f"{done.stdout}{done.stderr}", file=sys.stderr)
        sys.exit(ENVIRONMENT)
    return done.stdout


class Runner:
    """Runs solves; asks run/solve once for the launcher's words of each layout."""

    def __init__(self, options, folder):
        self.options = options
        self.config, self.record = Path(folder, "case.ini"), Path(folder, "record.json")
        self.programs = {"default": options.program}
        if options.native_program:
            self.programs["native"] = options.native_program
        self.commands = {}

    def command(self, row):
        key = row.ranks, row.threads, row.build
        if key not in self.commands:
            shown = run([SOLVE, self.config, "-n", row.ranks, "-t", row.threads, "--program",
                         self.programs[row.build], "--dry-run"])
            self.commands[key] = shlex.split(shown)
        return list(self.commands[key])

    def solve(self, row):
        """The record of one run."""
        self.config.write_text(CONFIG.format(points=row.points, sweeps=row.sweeps))
        command = self.command(row)
        if row.wait_policy:  # where `env` begins to set variables
            place = next(at for at, word in enumerate(command) if "=" in word)
            command.insert(place, f"OMP_WAIT_POLICY={row.wait_policy}")
        run([*command, "--quiet", "--record", self.record, f"parallel.halo={row.halo}",
             f"parallel.halo_depth={row.depth}", f"parallel.kernel={row.kernel}",
             f"parallel.process_grid={row.process_grid}", f"timing.split={row.split}"])
        return json.loads(self.record.read_text())


def probe(options):
    """The state of the machine: copy rate of all threads and latency; also what there is to run."""
    bound = {**os.environ, "OMP_PLACES": "cores", "OMP_PROC_BIND": "close"}
    words = ["--probe"] + (["--quick"] if options.quick else [])
    return json.loads(run([options.bench, *words], bound))


def loop_seconds(phases):
    """Sweeps and exchanges of the rank that sweeps longest, which waits least."""
    def of(name, kind):
        return phases[name][f"{kind}_s"] or 0

    return of("sweep", "max") + of("pack", "max") + of("transfer", "min") + of("wait", "min")


def take_sample(record, state):
    phases = record["phases"]
    loop_s = loop_seconds(phases)
    mean_s = {name: phases[name]["mean_s"] for name in ("sweep", "pack", "transfer", "wait")}
    exchange_s = sum(mean_s[name] or 0 for name in ("pack", "transfer", "wait"))
    points = record["grid"]["points_total"]
    rate = points * (record["sweeps"] - record["first_block_sweeps"]) / loop_s
    return {"rate_lups": rate,
            "run_rate_lups": record["rate_lups"],  # the norm at the end included
            "loop_s": loop_s,
            "tcomm_fraction": exchange_s / (exchange_s + mean_s["sweep"]),
            **{f"{name}_s": value for name, value in mean_s.items()},
            "hidden_s": record["hidden"]["mean_s"],
            "transfer_fraction": (mean_s["pack"] + mean_s["transfer"]) / (exchange_s + mean_s["sweep"]),
            "redundant_fraction": record["redundant_points"] / (points * record["sweeps"]),
            "roofline_share": rate * BYTES_A_POINT / state["copy_bytes_per_s"],
            "copy_bytes_per_s": state["copy_bytes_per_s"],
            "latency_ns": state["latency_ns"],
            "threads_measured": record["layout"]["threads"],
            "kernel": record["plan"]["kernel"],
            "halo_depth": record["plan"]["halo_depth"],
            "binding_problems": len(record["binding"]["problems"])}


def expected_checksums(runner, rows, threads):
    """Of each field after each number of sweeps, by the reference kernel one sweep at a time."""
    cases = {(row.points, row.sweeps): row._replace(
        ranks=1, threads=threads, halo="nonblocking", depth="1", kernel="reference",
        process_grid="auto", split="off", build="default", wait_policy="") for row in rows}
    return {case: runner.solve(row)["field_checksum"] for case, row in cases.items()}


def take_round(options, runner, samples, expected):
    """One sample of each row that has not differed; rows of one part and layout share a probe."""
    def neighbours(row):
        return row.part, row.points, row.ranks

    for _, group in itertools.groupby(samples, key=neighbours):
        state = probe(options)
        for row in group:
            if samples[row] is None:
                continue
            record = runner.solve(row)
            if record["field_checksum"] == expected[row.points, row.sweeps]:
                samples[row].append(take_sample(record, state))
            else:
                samples[row] = None


def measure(options, rows, threads):
    """Samples of each row, one a round; None for a row whose bits differ."""
    samples = {row: [] for row in rows}
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(options, folder)
        expected = expected_checksums(runner, rows, threads)
        for number in range(options.rounds):
            print(f"layouts: round {number + 1} of {options.rounds}", file=sys.stderr)
            take_round(options, runner, samples, expected)
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


TITLES = {"matrix": "every halo variant at every depth",
          "packing": "cut along x or y; columns packed by hand (nonblocking) or by types (neighbor)",
          "small": "a small grid, as a run chooses by itself",
          "large": "ranks against threads; waiting told from transfer where split is on",
          "builds": "this build against one with native instructions everywhere"}


def special(row):
    """What sets a row apart beyond its columns."""
    words = [row.kernel] if row.part != "matrix" else []
    words += [row.process_grid] if row.process_grid != "auto" else []
    words += ["split"] if row.split == "on" else []
    words += [row.build] if row.part == "builds" else []
    words += [f"wait {row.wait_policy}"] if row.wait_policy else []
    return " ".join(words)


def print_table(samples):
    last = None
    for row, taken in samples.items():
        if row.part != last:
            print(f"\n{row.points} x {row.points}: {TITLES[row.part]}")
            print(f"  {'halo':12} {'ranks':>5} {'threads':>7} {'depth':>5} {'MLUP/s':>9} "
                  f"[{'min':>9} .. {'max':>9}] {'Tcomm':>9} {'of roofline':>11}")
            last = row.part
        line = f"  {row.halo:12} {row.ranks:5} {row.threads:7} {row.depth:>5} {describe(taken)}"
        print(f"{line}  {special(row)}".rstrip())


def as_record(samples):
    return [{**row._asdict(), "split": row.split == "on", "wait_policy": row.wait_policy or None,
             "bits_equal": taken is not None, "samples": taken or []}
            for row, taken in samples.items()]


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="layouts.py", description=__doc__)
    parser.add_argument("--bench", required=True, type=Path, help="the program bench")
    parser.add_argument("--program", required=True, type=Path, help="the program jacobi")
    parser.add_argument("--native-program", type=Path, help="jacobi of a build with native instructions")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", type=int, metavar="NX", help="only grids with NX points along x")
    parser.add_argument("--quick", action="store_true", help="small grids, no speeds")
    parser.add_argument("--add-to", type=Path, metavar="RECORD", help="record of bench to complete")
    return parser.parse_args(arguments)


def main(arguments):
    options = parse_arguments(arguments)
    found = probe(options)
    builds = ["default", "native"] if options.native_program else ["default"]
    rows = make_rows(QUICK if options.quick else USUAL, found["threads"], found["halo_variants"], builds,
                     options.only)
    samples = measure(options, rows, found["threads"])
    print_table(samples)
    if options.add_to:
        record = {**json.loads(options.add_to.read_text()), "layouts": as_record(samples)}
        options.add_to.write_text(json.dumps(record, indent=2) + "\n")
    return 1 if None in samples.values() else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
