#!/usr/bin/env python3
"""The whole benchmark on small problems: kernels, solves, targets and picture end up together.

usage: test_whole.py BENCH JACOBI
"""
import itertools
import json
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from layout_rows import QUICK_DEPTHS
from measure import plotting_python

BENCH, JACOBI = sys.argv[1:3]
MEASURE = Path(__file__).with_name("measure.py")


class Whole(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.path = Path(cls.folder.name, "a record.json")
        cls.done = subprocess.run(
            [sys.executable, "-B", MEASURE, "--quick", "--bench", BENCH, "--program", JACOBI,
             "--native-program", JACOBI, cls.path],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=500, check=False)
        if cls.done.returncode != 0:
            raise AssertionError(cls.done.stdout + cls.done.stderr)
        cls.record = json.loads(cls.path.read_text())

    def rows(self, part):
        return [row for row in self.record["layouts"] if row["part"] == part]

    def test_every_halo_variant_at_every_depth_in_every_layout(self):
        state = json.loads(subprocess.run([BENCH, "--probe", "--quick"], capture_output=True,
                                          check=True).stdout)
        layouts = {(1, state["threads"]), (state["threads"], 1)}
        wanted = set(itertools.product(layouts, map(str, QUICK_DEPTHS), state["halo_variants"]))
        self.assertEqual({((row["ranks"], row["threads"]), row["depth"], row["halo"])
                          for row in self.rows("matrix")}, wanted)

    def test_every_sample_has_the_bits_of_the_reference_and_what_it_ran_with(self):
        for row in self.record["layouts"]:
            self.assertTrue(row["bits_equal"], row)
            (sample,) = row["samples"]
            self.assertGreater(sample["rate_lups"], 0)
            if row["depth"] != "auto":
                self.assertEqual(sample["halo_depth"], int(row["depth"]))
            if row["kernel"] != "auto":
                self.assertEqual(sample["kernel"], row["kernel"])
            self.assertEqual(sample["wait_s"] is None, not row["split"])

    def test_builds_and_ways_to_wait_stand_side_by_side(self):
        self.assertEqual({row["build"] for row in self.rows("builds")}, {"default", "native"})
        self.assertLessEqual({None, "active", "passive"},
                             {row["wait_policy"] for row in self.rows("small")})

    def test_targets_are_in_the_record_and_printed(self):
        self.assertGreater(len(self.record["targets"]), 10)
        for target in self.record["targets"]:
            self.assertIn(target["measure"], self.done.stdout)
            self.assertIsNone(target["met"])  # small problems say nothing
        measured = [target for target in self.record["targets"] if target["values"]]
        self.assertGreaterEqual(len(measured), len(self.record["targets"]) - 2)  # near or far

    def test_tables_show_each_solve(self):
        for row in self.record["layouts"]:
            self.assertIn(f"  {row['halo']:12} {row['ranks']:5} {row['threads']:7} {row['depth']:>5} ",
                          self.done.stdout)

    @unittest.skipUnless(plotting_python(), "no matplotlib")
    def test_picture(self):
        self.assertTrue(self.path.with_suffix(".png").read_bytes().startswith(b"\x89PNG"))


class Refused(unittest.TestCase):
    def test_what_is_no_record_of_it_is_not_written_over(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "a.json")
            path.write_text('{"program": "jacobi"}')
            done = subprocess.run([sys.executable, "-B", MEASURE, "--bench", BENCH, "--program", JACOBI, path],
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, path.read_text()), (6, '{"program": "jacobi"}'))
            self.assertIn("holds something else than this script writes", done.stderr)


class Stopped(unittest.TestCase):
    def test_nothing_stays_behind(self):
        """A part that is a launcher: its rank ends with the benchmark."""
        with tempfile.TemporaryDirectory() as folder:
            bench, number = Path(folder, "bench"), Path(folder, "number")
            bench.write_text(f"#!/bin/sh\nsleep 1000 &\necho $! >'{number}.new'\n"
                             f"mv '{number}.new' '{number}'\nwait\n")
            bench.chmod(0o755)
            running = subprocess.Popen([sys.executable, "-B", MEASURE, "--bench", bench, "--program", JACOBI,
                                        Path(folder, "a.json")], stdin=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, text=True)
            while not number.exists() and running.poll() is None:
                time.sleep(0.01)
            running.terminate()
            self.assertEqual((running.communicate()[1], running.returncode), ("run/bench: stopped\n", 7))
            status = Path("/proc", number.read_text().strip(), "status")
            self.assertFalse(status.exists() and "zombie" not in status.read_text())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
