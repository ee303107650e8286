"""Man pages and --help name the same options.

usage: test_man.py FOLDER-OF-PAGES PROGRAM...
"""
import re
import subprocess
import sys
import unittest
from pathlib import Path

PAGES, PROGRAMS = Path(sys.argv[1]), sys.argv[2:]
OPTION = r"(?:--[a-z][a-z-]+|-[a-z])(?![\w-])"
OF_LAUNCHERS = {"-n"}  # in examples


def of_help(program):
    text = subprocess.run([program, "--help"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=60, check=True).stdout
    return set(re.findall(rf"(?m)^  ({OPTION})", text))


def of_page(name):
    text = re.sub(r"\\f[BIRP]", "", (PAGES / f"{name}.1").read_text(encoding="utf-8")).replace("\\-", "-")
    return set(re.findall(rf"(?<![\w\]-])({OPTION})", text))


class Man(unittest.TestCase):
    def test_options_are_those_of_the_program(self):
        for program in PROGRAMS:
            with self.subTest(program=Path(program).name):
                known, told = of_help(program), of_page(Path(program).name)
                self.assertGreater(len(known), 1)
                self.assertEqual(known - told, set())
                self.assertEqual(told - known - OF_LAUNCHERS, set())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
