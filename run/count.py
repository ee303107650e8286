#!/usr/bin/env python3
"""Counts what `meson test` wrote down: prints "PASSED FAILED" of all logs together.

usage: count.py MESON-LOGS/TESTLOG.json...; a log that is missing or empty is one failure, because
then the tests did not run.
"""
import json
import sys
from pathlib import Path

PASSED = ('OK', 'EXPECTEDFAIL')
NOT_RUN = ('SKIP',)


def read_results(path):
    path = Path(path)
    lines = path.read_text().splitlines() if path.exists() else []
    return [json.loads(line)['result'] for line in lines] or ['no tests ran']


def count(paths):
    results = [result for path in paths for result in read_results(path)]
    passed = sum(result in PASSED for result in results)
    return passed, len(results) - passed - sum(result in NOT_RUN for result in results)


if __name__ == '__main__':
    print(*count(sys.argv[1:]))
