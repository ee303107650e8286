#!/usr/bin/env python3
"""The benchmark works, on small problems: every kernel has its rows, a wrong one has no rate.

usage: test_bench.py BENCH BENCH_WITH_A_WRONG_KERNEL JACOBI
"""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BENCH, BENCH_WRONG, JACOBI = sys.argv[1:4]
LAYOUTS = Path(__file__).with_name("layouts.py")


def run(*command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=100, check=False)


class Bench(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.done = run(BENCH, "--quick", "--rounds", "3", "--record", "-")
        cls.record = json.loads(cls.done.stdout)

    def test_ends_well_with_the_table_beside_the_record(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        self.assertIn("193 x 130, varying source", self.done.stderr)
        self.assertNotIn("bits differ", self.done.stderr)

    def test_every_kernel_has_every_row(self):
        rows = {(row["kernel"], row["threads"], tuple(row["points"]), row["source_varies"])
                for row in self.record["rows"]}
        self.assertEqual(len(rows), len(self.record["rows"]))
        threads = {row[1] for row in rows}
        points = {row[2] for row in rows}
        self.assertIn(1, threads)
        self.assertEqual(len(points), 6)
        for kernel in {row[0] for row in rows} - {"plain"}:
            self.assertEqual(sum(row[0] == kernel for row in rows), len(threads) * len(points) * 2)
        self.assertLessEqual({"plain", "reference", "vector"}, {row[0] for row in rows})

    def test_one_size_alone(self):
        done = run(BENCH, "--quick", "--rounds", "1", "--only", "64", "--record", "-")
        self.assertEqual({tuple(row["points"]) for row in json.loads(done.stdout)["rows"]},
                         {(64, 64)})
        for word in "7", "0", "many":
            done = run(BENCH, "--quick", "--rounds", "1", "--only", word)
            self.assertEqual(done.returncode, 2, done.stderr)

    def test_every_sample_is_kept(self):
        self.assertEqual(self.record["rounds"], 3)
        self.assertEqual(len(self.record["latency_ns"]), 3)
        for row in self.record["rows"]:
            self.assertTrue(row["bits_equal"])
            self.assertEqual(len(row["samples"]), 3)
            for sample in row["samples"]:
                self.assertGreater(sample["rate_lups"], 0)
                self.assertGreater(sample["copy_bytes_per_s"], 0)

    def test_measures_are_ratios_within_a_round(self):
        rows = self.record["rows"]
        plain = next(row for row in rows if row["kernel"] == "plain")
        other = next(row for row in rows if row["kernel"] == "vector")
        for mine, theirs in zip(other["samples"], plain["samples"]):
            ratio = mine["rate_lups"] / theirs["rate_lups"]
            self.assertAlmostEqual(mine["ratio_to_plain"], ratio, places=9)
            share = mine["rate_lups"] * 16 / mine["copy_bytes_per_s"]
            self.assertAlmostEqual(mine["roofline_share"], share, places=9)
        middle = sorted(sample["rate_lups"] for sample in other["samples"])[1]
        self.assertEqual(other["median"]["rate_lups"], middle)

    def test_says_what_it_ran_on(self):
        for name in ("build", "machine", "environment", "argv", "plain_flags"):
            self.assertTrue(self.record[name], name)


class WrongKernel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.done = run(BENCH_WRONG, "--quick", "--rounds", "1", "--record", "-")

    def test_is_an_error(self):
        self.assertEqual(self.done.returncode, 1)
        self.assertIn("bits differ from the reference; see the table", self.done.stderr)

    def test_has_no_rate(self):
        for row in json.loads(self.done.stdout)["rows"]:
            self.assertEqual(row["bits_equal"], row["kernel"] != "wrong")
            self.assertEqual(len(row["samples"]), 0 if row["kernel"] == "wrong" else 1)
        lines = [line for line in self.done.stderr.splitlines() if line.split()[:1] == ["wrong"]]
        self.assertTrue(lines)
        for line in lines:
            self.assertRegex(line, r"^  wrong +\d+ bits differ from the reference: no rate$")


class Usage(unittest.TestCase):
    def check_refused(self, text, *words):
        done = run(BENCH, *words)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, f"^bench: {text}.*\n$")

    def test_wrong_words(self):
        self.check_refused("--rounds: 0 is not in 1", "--rounds", "0")
        self.check_refused("--rounds: many is not in 1", "--rounds", "many")
        self.check_refused("--fast: unknown option", "--fast")
        self.check_refused("more: not an option", "more")

    def test_help(self):
        done = run(BENCH, "--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("--rounds N", done.stdout)

    def test_record_that_cannot_be_written(self):
        done = run(BENCH, "--quick", "--record", "/no/such/folder/record.json")
        self.assertEqual(done.returncode, 6)
        self.assertIn("--record", done.stderr)


class Layouts(unittest.TestCase):
    def test_all_halo_variants_complete_a_record(self):
        state = json.loads(run(BENCH, "--probe", "--quick").stdout)
        with tempfile.TemporaryDirectory() as folder:
            record = Path(folder, "record.json")
            record.write_text('{"program": "bench"}')
            done = run(sys.executable, "-B", LAYOUTS, "--bench", BENCH, "--program", JACOBI, "--quick",
                       "--rounds", "1", "--add-to", record)
            self.assertEqual(done.returncode, 0, done.stderr)
            rows = json.loads(record.read_text())["layouts"]
        self.assertIn("sendrecv", state["halo_variants"])
        halos = [row["halo"] for row in rows if row["ranks"] == 1]
        self.assertEqual(halos, state["halo_variants"])
        for row in rows:
            self.assertTrue(row["bits_equal"])
            self.assertGreater(row["samples"][0]["rate_lups"], 0)
            self.assertIn(f"{row['halo']:12} {row['ranks']:5}", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
