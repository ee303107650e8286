#!/usr/bin/env python3
"""Times the report of many records. What the harness costs a run stands in every report.

usage: bench_report.py [RECORDS]     1000 if not given
"""
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import synthetic

REPEATS = 5


def make_study(folder, records):
    """A strong study of as many records: five of each layout."""
    study = synthetic.Study(folder, repeats=REPEATS, cores=4096)
    layouts = [(ranks, threads) for ranks in range(1, 64) for threads in range(1, 64)]
    for ranks, threads in layouts[:max(1, records // REPEATS)]:
        time_s = 0.01 / (ranks * threads)
        study.point(ranks, threads, [synthetic.make_record(ranks, threads, time_s * (1 + 0.01 * number))
                                     for number in range(REPEATS)])
    return study.write()


def time_report(records):
    with tempfile.TemporaryDirectory() as folder:
        results = make_study(Path(folder) / 'results', records)
        start_s = time.perf_counter()
        subprocess.run([synthetic.RUN / 'report', results], check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - start_s


def main(words):
    records = int(words[0]) if words else 1000
    print(f'report of {records} records: {time_report(records):.2f} s')


if __name__ == '__main__':
    main(sys.argv[1:])
