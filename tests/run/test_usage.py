#!/usr/bin/env python3
"""Wrong arguments of scripts that build first: one line and an exit code, before anything is built."""
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import scripts

NOBODY = 65534


class UsageTest(unittest.TestCase):
    """In a copy of the scripts where building leaves a mark."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='with space ')
        self.addCleanup(folder.cleanup)
        self.checkout = Path(folder.name)
        self.checkout.chmod(0o755)
        (self.checkout / 'results').mkdir()
        shutil.copytree(scripts.RUN, self.checkout / 'run', ignore=shutil.ignore_patterns('__pycache__'))
        (self.checkout / 'run/install').write_text('#!/bin/sh\n')
        (self.checkout / 'run/build').write_text('#!/bin/sh\ntouch "$(dirname "$0")/../built"\n')

    def refused(self, code, words, script, *arguments, **keywords):
        done = subprocess.run([self.checkout / 'run' / script, *arguments], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=50, **keywords)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count('\n')), (code, '', 1), done.stderr)
        self.assertIn(words, done.stderr)
        self.assertFalse((self.checkout / 'built').exists())

    def test_numbers_of_bench(self):
        for option, value in (('--rounds', '0'), ('--rounds', 'x'), ('--rounds', '51'), ('--only', '0'),
                              ('--only', 'nan'), ('--only', '-1')):
            self.refused(2, f'{option} {value}: needs a number from 1', 'bench', option, value)
        self.refused(2, 'needs a number', 'bench', '--rounds')

    def test_record_of_bench_that_cannot_be_written(self):
        (self.checkout / 'tests').symlink_to(scripts.RUN.parent / 'tests')
        self.refused(6, 'is a folder', 'bench', self.checkout / 'results')

    def test_unknown_options(self):
        self.refused(2, 'unrecognized arguments: --foo', 'reference', '--foo')
        self.refused(2, 'unrecognized arguments: --foo', 'test', '--foo')
        self.refused(2, 'unrecognized arguments: --foo', 'test', '--all', '--verbose', '--foo')

    def test_program_that_is_missing(self):
        self.refused(5, 'is missing: build it', 'reference', '--check')

    def test_checkout_that_cannot_be_written(self):
        shutil.copy(scripts.RUN / 'build', self.checkout / 'run')
        self.checkout.chmod(0o555)
        self.addCleanup(self.checkout.chmod, 0o755)
        user = {'user': NOBODY} if os.geteuid() == 0 else {}
        self.refused(6, 'is no folder that can be written', 'build', **user)


if __name__ == '__main__':
    unittest.main()
