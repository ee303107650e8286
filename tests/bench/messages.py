#!/usr/bin/env python3
"""Times pingpong's messages of one byte against the smallest loop of MPI_Send and MPI_Recv, turn by turn.

In virtual machines the distance of two cores changes within seconds: only runs beside each other can
be compared, so what counts is the ratio of each round, and the median of those.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

REPEATS = 21000  # as many round trips as the smallest loop makes
TARGET = 1.05
ENVIRONMENT = 5  # exit code of the programs


def run(options, *program):
    command = [options.mpiexec, "-n", "2", "-bind-to", "core", *map(str, program)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                          env={**os.environ, "OMP_NUM_THREADS": "1"})
    if done.returncode != 0:
        print(f"messages: exit code {done.returncode} of {' '.join(command)}\n{done.stderr}", file=sys.stderr)
        sys.exit(ENVIRONMENT)
    return done.stdout


def take_round(options, folder):
    """One turn of each: seconds of a message by the smallest loop, by pingpong, and pingpong's record."""
    smallest_s = float(run(options, options.loop))
    record = Path(folder, "record.json")
    run(options, options.program, "--max", "1", "--repeats", REPEATS, "--record", record)
    measured = json.loads(record.read_text())
    time = measured["measured"]["sizes"][0]["time"]
    return {"smallest_s": smallest_s, "pingpong_s": time["median_s"], "probe_s": time["probe_s"]}, measured


def summary(rounds):
    ratios = sorted(row["pingpong_s"] / row["smallest_s"] for row in rounds)
    return {"median_ratio": statistics.median(ratios), "least_ratio": ratios[0], "most_ratio": ratios[-1]}


def show(rounds, found):
    print(f"{'smallest us':>12} {'pingpong us':>12} {'ratio':>7} {'probe ns':>9}")
    for row in rounds:
        print(f"{1e6 * row['smallest_s']:12.3f} {1e6 * row['pingpong_s']:12.3f} "
              f"{row['pingpong_s'] / row['smallest_s']:7.3f} {1e9 * row['probe_s']:9.0f}")
    verdict = "reached" if found["median_ratio"] <= TARGET else "not reached"
    print(f"median ratio {found['median_ratio']:.3f} ({found['least_ratio']:.3f} to {found['most_ratio']:.3f}); "
          f"target at most {TARGET}: {verdict}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--loop", required=True, help="the smallest loop")
    parser.add_argument("--program", required=True, help="pingpong")
    parser.add_argument("--mpiexec", default="mpiexec.mpich")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--record", help="keep all rounds here as JSON")
    options = parser.parse_args()
    rounds, last = [], None
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.rounds):
            row, last = take_round(options, folder)
            rounds.append(row)
    found = summary(rounds)
    show(rounds, found)
    if options.record:
        kept = {name: last[name] for name in ("build", "mpi", "machine", "environment", "binding")}
        Path(options.record).write_text(
            json.dumps({"rounds": rounds, **found, "target_ratio": TARGET, **kept}, indent=2) + "\n")


if __name__ == "__main__":
    main()
