"""Runs a program of the network lab as a person does; shared by its tests, each called as:
test_X.py SCHEMA PROGRAM MPIEXEC CORRUPT_MESSAGE
(CORRUPT_MESSAGE is a library to preload: a network that damages what it carries.)
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import check_schema

SCHEMA, PROGRAM, MPIEXEC, CORRUPT_MESSAGE = sys.argv[1:5]
NAME = os.path.basename(PROGRAM)
HANG_GUARD_S = 60
NODE_BYTES = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def unless_the_node_holds(bytes_):
    """For tests that ask for far more than a node has: near the limit they would take what it has."""
    return unittest.skipIf(NODE_BYTES >= bytes_ // 4 * 3,
                           f"needs a node that {bytes_ >> 30} GiB are far too much for")


def run(*options, ranks=2, launch=(), **environment):
    """Runs the program; `launch` are further words for the launcher, before the program."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MPIR_CVAR")}
    kept.update(OMP_NUM_THREADS="1", MPIEXEC_TIMEOUT=str(HANG_GUARD_S), **environment)
    return subprocess.run([MPIEXEC, "-n", str(ranks), *launch, PROGRAM, *options], env=kept, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=HANG_GUARD_S + 10)


class Case(unittest.TestCase):
    def good(self, *options, **how):
        """What a run says that must succeed."""
        done = run(*options, **how)
        self.assertEqual(done.returncode, 0, done.stderr)
        last = done.stdout.splitlines()[-1]
        self.assertTrue(last.startswith(f"{NAME}: ") and last.endswith("(exit code 0)"), last)
        return done.stdout

    def measured(self, *options, **how):
        """What the record says; it keeps to the schema."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "record.json")
            self.good(*options, "--record", path, **how)
            with open(path, encoding="utf-8") as file:
                text = file.read()
        self.assertEqual(check_schema.check(SCHEMA, text), [])
        with open(SCHEMA, encoding="utf-8") as file:
            schema = json.load(file)
        measured = json.loads(text)["measured"]
        faults = check_schema.faults(schema["$defs"][NAME], measured, schema, "measured")
        self.assertEqual(list(faults), [])
        return measured

    def refused(self, code, complaint, *options, **how):
        """A run that must fail with one line and without a result."""
        done = run(*options, **how)
        lines = [line for line in done.stderr.splitlines() if line.startswith(f"{NAME}: ")]
        self.assertEqual((done.returncode, len(lines)), (code, 1), done.stderr)
        self.assertIn(complaint, lines[0])
        self.assertNotIn("(exit code 0)", done.stdout)
        return done

    def keeps_other_files(self, option, what):
        """An output replaces nothing but `what`, which the file here is not."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "old.png")
            with open(path, "w", encoding="utf-8") as file:
                file.write('{"program": "other"}')
            self.refused(6, f"{option}: {path} exists and is no {what}; choose another name or remove it",
                         option, path)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), '{"program": "other"}')

    def damaged(self, *options, **environment):
        """A run over a network that damages messages; with --validate it must notice."""
        environment["LD_PRELOAD"] = os.path.basename(CORRUPT_MESSAGE)
        environment["LD_LIBRARY_PATH"] = os.path.dirname(CORRUPT_MESSAGE)
        environment["ASAN_OPTIONS"] = "verify_asan_link_order=0"
        if "--validate" in options:
            return self.refused(1, "validation: ", *options, **environment)
        return run(*options, **environment)


def main():
    unittest.main(argv=sys.argv[:1])
