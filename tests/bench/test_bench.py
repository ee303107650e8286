#!/usr/bin/env python3
"""The benchmark works, on small problems: every kernel has its rows, a wrong one has no rate.

usage: test_bench.py BENCH BENCH_WITH_A_WRONG_KERNEL
"""
import json
import subprocess
import sys
import unittest

BENCH, BENCH_WRONG = sys.argv[1:3]
IN_PASSES = ("tiled", "temporal")   # kernels that do all sweeps between two exchanges in one pass


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
        self.assertLessEqual({"plain", "reference", "vector", "streaming", *IN_PASSES},
                             {row[0] for row in rows})
        threads = {row[1] for row in rows}
        self.assertIn(1, threads)
        problems = [((193, 130), True), ((193, 130), False), ((64, 64), True), ((64, 64), False),
                    ((31, 40), True), ((31, 40), False), ((10001,), False)]
        wider = [((192, 8), True), ((192, 8), False), ((1536,), False)]
        levels = [((512, 4), True), ((512, 4), False)]
        in_l1 = {"plain": [], "streaming": [], "tiled": wider, "temporal": wider + levels}
        one_by_one = [((96, 8), True), ((96, 8), False), ((768,), False)]
        for kernel in {row[0] for row in rows}:
            mine = problems + in_l1.get(kernel, one_by_one)
            expected = {(kernel, count, *problem) for count in threads for problem in mine}
            if kernel in IN_PASSES:
                expected.add((kernel, max(threads), (257, 256), False))
            self.assertEqual({row for row in rows if row[0] == kernel}, expected)

    def test_a_kernel_that_blocks_in_time_states_its_overlap(self):
        for row in self.record["rows"]:
            blocked = row["kernel"] in IN_PASSES and not row["in_l1"]
            block = 32 if tuple(row["points"]) in ((64, 64), (31, 40)) else 64
            self.assertEqual(row["sweeps_at_a_time"], block if blocked else 1)
            self.assertEqual(row["sweeps"] % row["sweeps_at_a_time"], 0)
            self.assertEqual(row["bytes_per_point"],
                             (24 if row["source_varies"] else 16) / row["sweeps_at_a_time"])
            self.assertLess(row["overlap_share"], 1)
            if row["kernel"] not in IN_PASSES:
                self.assertEqual(row["overlap_share"], 0)
        self.assertTrue(any(row["overlap_share"] > 0 for row in self.record["rows"]))

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
                if not row["in_l1"]:
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
        in_l1 = next(row for row in rows if row["kernel"] == "temporal" and row["in_l1"])
        tiled = next(row for row in rows if row["kernel"] == "temporal")
        for mine, theirs in zip(tiled["samples"], in_l1["samples"]):
            share = mine["rate_lups"] / theirs["rate_lups"]
            self.assertAlmostEqual(mine["l1_share"], share, places=9)
            self.assertAlmostEqual(mine["ceiling_share"] * (1 - tiled["overlap_share"]), share,
                                   places=9)
        levels = next(row for row in rows if row["kernel"] == "temporal" and row["levels"] > 1)
        self.assertTrue(all(sample["levels_share"] is None for sample in levels["samples"]))
        for mine, theirs in zip(tiled["samples"], levels["samples"]):
            self.assertAlmostEqual(mine["levels_share"], mine["rate_lups"] / theirs["rate_lups"], places=9)
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

    def test_probe(self):
        state = json.loads(run(BENCH, "--probe", "--quick").stdout)
        self.assertIn("sendrecv", state["halo_variants"])
        self.assertGreater(state["copy_bytes_per_s"], 0)
        self.assertGreaterEqual(state["threads"], 1)

    def test_help(self):
        done = run(BENCH, "--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("--rounds N", done.stdout)

    def test_record_that_cannot_be_written(self):
        done = run(BENCH, "--quick", "--record", "/no/such/folder/record.json")
        self.assertEqual(done.returncode, 6)
        self.assertIn("--record", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
