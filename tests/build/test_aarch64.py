#!/usr/bin/env python3
"""The sweep compiles for AArch64, in vectors of its own (NEON), without fused operations.

usage: test_aarch64.py ROOT; skipped (exit code 77) without the cross compiler.
"""
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1))
COMPILER = shutil.which('aarch64-linux-gnu-gcc')
LOOPS = ('folded.c', 'span.c')  # compiled once for each instruction set
FLAGS = ('-std=c17', '-O3', '-ffp-contract=off', '-fopenmp', '-Wall', '-Wextra', '-Werror',
         '-D_GNU_SOURCE', '-DVECTOR_BYTES=16', '-DFOLDED_FUNCTIONS=folded_baseline',
         '-DSPAN_FUNCTION=span_baseline')


def assembly(path):
    done = subprocess.run([COMPILER, *FLAGS, '-I', ROOT / 'include', '-S', '-o', '-', path],
                          capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


class Aarch64Test(unittest.TestCase):
    def test_sources_compile_and_loops_are_in_vectors_and_not_fused(self):
        for path in sorted((ROOT / 'src' / 'sweep').glob('*.c')):
            code, text, complaints = assembly(path)
            self.assertEqual((code, complaints), (0, ''), path.name)
            self.assertIsNone(re.search(r'\bfn?m(?:la|ls|add|sub)\b', text), path.name)
            if path.name in LOOPS:
                self.assertRegex(text, r'fadd\s+v\d+\.2d', path.name)


if __name__ == '__main__':
    if COMPILER is None:
        print('no aarch64-linux-gnu-gcc')
        sys.exit(77)
    unittest.main()
