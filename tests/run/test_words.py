#!/usr/bin/env python3
"""Every command and every section.key=value that the README and the scripts of run/ show is one that
jacobi takes: test_words.py JACOBI"""
import re
import shlex
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
JACOBI = Path(sys.argv.pop(1)).resolve()
CONFIG = 'configs/hot-plate.ini'
ASSIGNMENT = re.compile(r'(?<![\w./-])[a-z]+\.[a-z_]+=[\w.:/-]+')
SHOWN = re.compile(r'^ {4}run/solve (.*)$', re.MULTILINE)
OF_SOLVE = {'-n': 2, '-t': 2, '--dry-run': 1, '--oversubscribe': 1}


def texts():
    files = [ROOT / 'README.md', *sorted((ROOT / 'run').iterdir()), *sorted((ROOT / 'man').glob('*.1'))]
    return {file.name: file.read_text() for file in files if file.is_file()}


def words_for_jacobi(command):
    """What run/solve hands on."""
    words, handed_on = shlex.split(command, comments=True), []
    while words:
        used = OF_SOLVE.get(words[0], 0)
        if used == 0:
            handed_on.append(words[0])
        words = words[max(used, 1):]
    return handed_on


class WordsTest(unittest.TestCase):
    def check(self, *words):
        done = subprocess.run([JACOBI, *words, '--check'], cwd=ROOT, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60)
        complaints = [line for line in done.stderr.splitlines() if 'sanitizer build' not in line]
        self.assertEqual((done.returncode, complaints), (0, []), words)

    def test_assignments(self):
        found = {(name, word) for name, text in texts().items() for word in ASSIGNMENT.findall(text)}
        self.assertIn(('demo', 'output.overwrite=on'), found)
        for name, word in sorted(found - {(name, 'section.key=value') for name in texts()}):
            with self.subTest(name, word=word):
                self.check(CONFIG, word)

    def test_commands_of_the_readme(self):
        commands = SHOWN.findall((ROOT / 'README.md').read_text())
        self.assertGreater(len(commands), 2)
        for command in commands:
            with self.subTest(command):
                self.check(*words_for_jacobi(command))


if __name__ == '__main__':
    unittest.main()
