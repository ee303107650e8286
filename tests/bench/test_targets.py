#!/usr/bin/env python3
"""Arithmetic of the benchmark on made-up samples: what is a ratio of what, what is met, what counts."""
import unittest
from types import SimpleNamespace

import layouts
import targets
from layout_rows import USUAL, Row, make_rows


def kernel_row(kernel, points, threads, rates, source=False, overlap=0.0, **measures):
    """`measures` are lists as `rates`."""
    samples = [{"rate_lups": rate, "roofline_share": None, "l1_share": None, "ceiling_share": None, "levels_share": None,
                "ratio_to_plain": None, "latency_ns": 57, **{name: taken[i] for name, taken in
                                                            measures.items()}}
               for i, rate in enumerate(rates)]
    return {"kernel": kernel, "points": points, "threads": threads, "source_varies": source,
            "overlap_share": overlap, "samples": samples}


def solve_row(part, samples, **values):
    row = Row(part, 8192, 96, 2, 1)._replace(**values)
    return {**row._asdict(), "split": row.split == "on", "wait_policy": row.wait_policy or None,
            "samples": samples}


def rated(*rates):
    return [{"rate_lups": rate, "run_rate_lups": rate} for rate in rates]


def entries(rows, solves=(), quick=False):
    record = {"quick": quick, "rows": rows, "layouts": list(solves)}
    return {target.measure: targets.as_record(target) for target in targets.all_targets(record)}


def find(found, *words):
    (entry,) = [entry for measure, entry in found.items() if all(word in measure for word in words)]
    return entry


class OfKernels(unittest.TestCase):
    def test_median_and_range_of_the_ratio_of_each_round(self):
        row = kernel_row("temporal", [8192, 8192], 2, [1, 1, 1], overlap=0.08, ceiling_share=[0.9, 0.8, 0.84])
        entry = find(entries([row]), "(1 - overlap)")
        self.assertEqual((entry["median"], entry["min"], entry["max"]), (0.84, 0.8, 0.9))
        self.assertEqual((entry["at_least"], entry["aim"], entry["met"]), (0.85, 0.93, False))
        self.assertEqual(entry["values"], [0.9, 0.8, 0.84])
        self.assertEqual(entry["remark"], "overlap 8.0 %")

    def test_both_ceilings_are_stated(self):
        row = kernel_row("temporal", [8192, 8192], 2, [1, 1, 1], overlap=0.08, ceiling_share=[0.7] * 3,
                         levels_share=[0.9, 0.8, 0.84])
        entry = find(entries([row]), "(1 - overlap)")
        self.assertEqual(entry["remark"], "overlap 8.0 %, 0.84 of the levels with kept rows in the second cache")

    def test_rounds_near_and_far_are_told_apart(self):
        row = kernel_row("streaming", [8192, 8192], 2, [1] * 4, roofline_share=[0.98, 0.93, 0.96, 0.5],
                         latency_ns=[57, 335, 60, None])
        found = entries([row])
        near, far = (find(found, "streaming on", f"cores {state}") for state in ("near", "far"))
        self.assertEqual((near["values"], near["at_least"], near["met"]), ([0.98, 0.96], 0.97, True))
        self.assertEqual((far["values"], far["at_least"], far["met"]), ([0.93], 0.92, True))

    def test_a_state_that_was_not_seen_is_neither_met_nor_missed(self):
        row = kernel_row("temporal", [8192, 8192], 2, [1], roofline_share=[4.0])
        entry = find(entries([row]), "temporal", "roofline", "far")
        self.assertEqual((entry["met"], entry["median"], entry["values"]), (None, None, []))
        self.assertIn("never far", entry["remark"])

    def test_only_all_threads_count(self):
        rows = [kernel_row("temporal", [8192, 8192], 1, [1], ratio_to_plain=[9]),
                kernel_row("temporal", [8192, 8192], 2, [1], ratio_to_plain=[4.6])]
        entry = find(entries(rows), "plain loop")
        self.assertEqual((entry["median"], entry["met"]), (4.6, True))

    def test_a_source_is_a_row_of_its_own(self):
        rows = [kernel_row("temporal", [8192, 8192], 2, [1], l1_share=[0.9]),
                kernel_row("temporal", [8192, 8192], 2, [1], source=True, l1_share=[0.7])]
        self.assertEqual(find(entries(rows), "varying source")["values"], [0.7])

    def test_the_best_kernel_is_the_one_with_the_highest_median_rate(self):
        rows = [kernel_row("vector", [1024, 1024], 2, [5, 1, 1], l1_share=[0.9, 0.1, 0.1]),
                kernel_row("temporal", [1024, 1024], 2, [3, 3, 3], l1_share=[0.8, 0.7, 0.76])]
        entry = find(entries(rows), "cached grid")
        self.assertEqual((entry["median"], entry["remark"]), (0.76, "temporal"))

    def test_small_grid_against_one_thread_round_by_round(self):
        rows = [kernel_row("vector", [256, 256], 1, [4, 2]), kernel_row("vector", [256, 256], 2, [4, 3])]
        entry = find(entries(rows), "small grid, 2 threads")
        self.assertEqual((entry["values"], entry["met"]), ([1, 1.5], True))

    def test_huge_grid_in_updates_a_second(self):
        entry = find(entries([kernel_row("temporal", [16384, 16384], 2, [9.9e9])]), "huge")
        self.assertEqual((entry["median"], entry["unit"], entry["met"]), (9.9, "GLUP/s", False))

    def test_quick_problems_meet_nothing(self):
        row = kernel_row("temporal", [193, 130], 2, [1], ratio_to_plain=[10])
        record = {"quick": True, "rows": [row]}
        for target in targets.all_targets(record):
            self.assertIsNone(targets.as_record(target, quick=True)["met"])


class OfSolves(unittest.TestCase):
    ROWS = [kernel_row("temporal", [8192, 8192], 2, [1])]

    def test_the_slower_layout_against_the_faster_by_their_medians(self):
        solves = [solve_row("large", rated(8, 10, 9), depth="32", kernel="temporal"),
                  solve_row("large", rated(10, 8, 10), ranks=1, threads=2, depth="32", kernel="temporal")]
        entry = find(entries(self.ROWS, solves), "the slower / the faster")
        self.assertEqual(entry["values"], [0.8, 1.25, 0.9])
        swapped = [{**solves[0], "samples": solves[1]["samples"]},
                   {**solves[1], "samples": solves[0]["samples"]}]
        self.assertEqual(find(entries(self.ROWS, swapped), "the slower / the faster"), entry)

    def test_transfer_has_to_be_below(self):
        samples = [{"transfer_fraction": value, "redundant_fraction": 0.004} for value in (0.004, 0.005)]
        solves = [solve_row("large", samples[:1], depth="16", split="on"),
                  solve_row("large", samples[1:], depth="32", split="on")]
        found = entries(self.ROWS, solves)
        self.assertTrue(find(found, "transfer", "nonblocking, depth 16")["met"])
        self.assertFalse(find(found, "transfer", "nonblocking, depth 32")["met"])
        self.assertEqual(find(found, "transfer", "nonblocking, depth 16")["remark"], "redundant points 0.40 %")

    def test_a_run_without_split_says_nothing_about_transfer(self):
        solves = [solve_row("large", [{"transfer_fraction": 0.5}], depth="16")]
        self.assertIsNone(find(entries(self.ROWS, solves), "transfer", "nonblocking, depth 16")["met"])

    def test_builds(self):
        solves = [solve_row("builds", rated(9, 10), kernel="temporal"),
                  solve_row("builds", rated(10, 10), kernel="temporal", build="native")]
        entry = find(entries(self.ROWS, solves), "temporal, this build")
        self.assertEqual((entry["values"], entry["median"], entry["met"]), ([0.9, 1], 0.95, False))

    def test_packing(self):
        solves = [solve_row("packing", [{"tcomm_fraction": share}], halo=halo, process_grid=grid)
                  for halo, grid, share in (("nonblocking", "1d-x", 0.03), ("nonblocking", "1d-y", 0.02),
                                            ("neighbor", "1d-x", 0.08), ("neighbor", "1d-y", 0.02))]
        found = entries(self.ROWS, solves)
        self.assertTrue(find(found, "Tcomm", "by hand")["met"])
        self.assertEqual(find(found, "Tcomm", "by hand")["remark"], "4.00 packed by types")

    def test_a_row_that_differs_has_no_samples_and_no_verdict(self):
        solves = [solve_row("builds", [], kernel="temporal"),
                  solve_row("builds", rated(10), kernel="temporal", build="native")]
        self.assertIsNone(find(entries(self.ROWS, solves), "temporal, this build")["met"])


def phases(**seconds):
    names = ("sweep", "pack", "transfer", "wait", "reduce", "other")
    return {name: dict(zip(("min_s", "mean_s", "max_s"), seconds.get(name, (0, 0, 0)))) for name in names}


class OneSample(unittest.TestCase):
    STATE = {"copy_bytes_per_s": 3200.0, "latency_ns": 57}

    def record(self, checksum="right"):
        seconds = phases(sweep=(7, 7.5, 8), transfer=(1, 1.5, 2), pack=(0.5, 0.75, 1), other=(9, 9, 9))
        return {"phases": seconds, "grid": {"points_total": 100}, "sweeps": 30, "first_block_sweeps": 10,
                "rate_lups": 1, "hidden": {"mean_s": None}, "redundant_points": 30, "layout": {"threads": 1},
                "plan": {"kernel": "vector", "halo_depth": 1}, "binding": {"problems": []},
                "field_checksum": checksum}

    def test_the_norm_at_the_end_is_left_out(self):
        sample = layouts.take_sample(self.record(), self.STATE)
        self.assertEqual(sample["loop_s"], 10)  # the rank that sweeps longest: 8 + 1 + 1
        self.assertEqual(sample["rate_lups"], 200)
        self.assertEqual(sample["roofline_share"], 1)
        self.assertEqual(sample["tcomm_fraction"], 2.25 / 9.75)
        self.assertEqual(sample["redundant_fraction"], 0.01)

    def test_a_wrong_field_has_no_rate(self):
        rows = [Row("matrix", 70, 20, 1, 2), Row("matrix", 70, 20, 2, 1)]
        answers = iter([self.record(), self.record("wrong")])
        runner = SimpleNamespace(solve=lambda row: next(answers))
        samples = {row: [] for row in rows}
        original = layouts.probe
        self.addCleanup(setattr, layouts, "probe", original)
        layouts.probe = lambda options: self.STATE
        layouts.take_round(None, runner, samples, {(70, 20): "right"})
        self.assertEqual(len(samples[rows[0]]), 1)
        self.assertIsNone(samples[rows[1]])
        self.assertIn("no rate", layouts.describe(None))
        self.assertFalse(layouts.as_record(samples)[1]["bits_equal"])


class Rows(unittest.TestCase):
    def test_sweeps_are_whole_blocks(self):
        for row in make_rows(USUAL, 2, ["nonblocking"], ["default", "native"]):
            if row.depth != "auto":
                self.assertEqual(row.sweeps % int(row.depth), 0, row)
                self.assertGreater(row.sweeps, int(row.depth))  # the first block does not count

    def test_every_layout_of_four_cores(self):
        rows = make_rows(USUAL, 4, ["nonblocking"], ["default"])
        self.assertEqual({(row.ranks, row.threads) for row in rows if row.part == "large"},
                         {(1, 4), (2, 2), (4, 1)})

    def test_no_row_twice_even_on_one_core(self):
        for threads in 1, 2:
            rows = make_rows(USUAL, threads, ["nonblocking", "shared"], ["default", "native"])
            self.assertEqual(len(rows), len(set(rows)))

    def test_one_size_alone(self):
        rows = make_rows(USUAL, 2, ["nonblocking"], ["default"], only=256)
        self.assertEqual({row.part for row in rows}, {"small"})


if __name__ == "__main__":
    unittest.main()
