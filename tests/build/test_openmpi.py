#!/usr/bin/env python3
"""B07: halos are right with a second MPI, which takes other numbers for what lies beyond an edge and
refuses neighbours that are none.

usage: test_openmpi.py ROOT; skipped (exit code 77) without Open MPI.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1))
COMPILER, LAUNCHER = shutil.which('mpicc.openmpi'), shutil.which('mpiexec.openmpi')
ROOMS = ('exchange', 'domain', 'base')
FLAGS = ('-std=c17', '-O1', '-ffp-contract=off', '-D_GNU_SOURCE', '-DFUNNEL_MPICH_UCX=0', '-w')
MOST_RANKS = 3
LIMIT_S = 120
SETTINGS = {'OMPI_ALLOW_RUN_AS_ROOT': '1', 'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1'}  # in containers


def sources(test):
    rooms = [path for room in ROOMS for path in sorted((ROOT / 'src' / room).glob('*.c'))]
    return [ROOT / f'tests/mpi/test_{test}.c', ROOT / 'tests/mpi/mpi_test.c', *rooms]


def run(*words):
    return subprocess.run(words, env={**os.environ, **SETTINGS}, capture_output=True, text=True, timeout=LIMIT_S)


class OpenMpiTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.program = Path(folder.name) / 'program'

    def check(self, test):
        done = run(COMPILER, *FLAGS, '-I', ROOT / 'include', *sources(test), '-lm', '-o', self.program)
        self.assertEqual(done.returncode, 0, done.stderr)
        for ranks in range(1, MOST_RANKS + 1):
            with self.subTest(test, ranks=ranks):
                done = run(LAUNCHER, '--oversubscribe', '-n', str(ranks), self.program, str(ranks))
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_ghosts(self):
        self.check('ghosts')

    def test_halos(self):
        self.check('halo')


if __name__ == '__main__':
    if COMPILER is None or LAUNCHER is None:
        print('no Open MPI: openmpi-bin and libopenmpi-dev')
        sys.exit(77)
    unittest.main()
