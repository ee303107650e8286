"""What a run chooses by itself: kernel, halo depth, threads; and what it then says of memory.

The caches are those of an imitated machine, so that choices are the same wherever the tests run.
"""

import os
import re
import signal

import funnel_cli
from funnel_cli import Case

FIXED = "solver.rtol=0", "solver.max_sweeps=400", "solver.check_every=192"
LARGE = "grid.nx=300", "grid.ny=200"


def machine(cache_bytes):
    """Variables that make hwloc see two cores below one cache."""
    caches = f"l3:1(size={cache_bytes}) l2:2(size={cache_bytes // 16}) l1d:1(size=32768)"
    return {"HWLOC_SYNTHETIC": f"pack:1 {caches} core:1 pu:1",
            "HWLOC_THISSYSTEM": "1"}


class Choices(Case):
    def plan(self, *options, cache_bytes=2**24, **changes):
        return self.record(*FIXED, *options, **machine(cache_bytes), **changes)["plan"]

    def test_kernel_and_depth(self):
        """In a pass several sweeps are temporal beyond the second-level cache, else tiled."""
        for options, cache_bytes, kernel, depth in (
                (LARGE, 2**24, "tiled", 32),
                (LARGE, 2**16, "temporal", 48),
                (("grid.nx=3000", "grid.ny="), 2**24, "tiled", 64),
                ((*LARGE, "parallel.halo_depth=1"), 2**24, "vector", 1),
                ((*LARGE, "parallel.halo_depth=1"), 2**16, "streaming", 1),
                ((*LARGE, "parallel.kernel=vector"), 2**24, "vector", 1),
                ((*LARGE, "parallel.kernel=temporal"), 2**24, "temporal", 32),
                ((*LARGE, "solver.check_every=50"), 2**24, "tiled", 25),
                ((*LARGE, "solver.check_every=3"), 2**24, "vector", 3),
                ((*LARGE, "solver.check_every=3"), 2**16, "streaming", 1),
                ((*LARGE, "solver.max_sweeps=40", "solver.check_every=auto"), 2**24, "tiled", 10),
                ((*LARGE, "solver.max_sweeps=40", "solver.check_every=auto"), 2**16, "temporal", 10),
                (("grid.nx=200", "grid.ny=300"), 2**24, "tiled", 32),
                (("grid.nx=3000", "grid.ny=3000"), 2**24, "temporal", 64),
                (("grid.nx=100000", "grid.ny=3"), 2**24, "vector", 1)):
            with self.subTest(options=options):
                if "grid.ny=" in options:
                    self.write("plate.ini", "[grid]\nnx = 9\n")
                    options = options[:1]
                else:
                    self.write("plate.ini", funnel_cli.CONFIG)
                plan = self.plan(*options, cache_bytes=cache_bytes)
                self.assertEqual((plan["kernel"], plan["halo_depth"]), (kernel, depth))

    def test_depth_of_several_ranks(self):
        """No deeper than what is computed twice is worth, nor than parts are wide."""
        for options, least, most in (((*LARGE,), 4, 31), (("grid.nx=3000", "grid.ny=2000"), 40, 50),
                                     (("grid.nx=10", "grid.ny=9"), 1, 5)):
            with self.subTest(options=options):
                plan = self.plan(*options, "parallel.process_grid=2x1", "solver.max_sweeps=200",
                                 ranks=2)
                self.assertGreaterEqual(plan["halo_depth"], least)
                self.assertLessEqual(plan["halo_depth"], most)

    def test_reasons(self):
        """The header says what was chosen and why, and is silent about what was given."""
        out = self.jacobi(*FIXED, *LARGE, **machine(2**24)).out
        self.assertIn("auto took kernel tiled: the sweeps of a block take one pass", out)
        self.assertIn("auto took depth 32: deeper, little would be gained", out)
        out = self.jacobi(*FIXED, *LARGE, "parallel.halo_depth=2", **machine(2**16)).out
        self.assertIn("auto took kernel streaming: the iterates do not fit the caches", out)
        self.assertNotIn("auto took depth", out)
        out = self.jacobi(*FIXED, *LARGE, "parallel.halo_depth=2", "parallel.kernel=vector").out
        self.assertNotIn("auto", out)

    def test_same_bits(self):
        expected = self.result(*FIXED, *LARGE, "parallel.kernel=reference", "parallel.halo_depth=1")
        for ranks, threads, cache_bytes in (1, 1, 2**24), (1, 3, 2**16), (2, 2, 2**24), (4, 1, 2**20):
            with self.subTest(ranks=ranks, threads=threads):
                self.assertEqual(self.result(*FIXED, *LARGE, ranks=ranks, threads=threads,
                                             **machine(cache_bytes)), expected)

    def test_threads_of_small_parts(self):
        """As many as have enough to do between two barriers; all where they are asked for."""
        small = "grid.nx=40", "grid.ny=30", "parallel.kernel=vector"
        large = *LARGE, "parallel.kernel=vector"
        for options, used in ((small, 1), (large, 3), ((*small, "parallel.threads=3"), 3),
                              ((*small, "parallel.halo=overlap"), 3)):
            with self.subTest(options=options):
                record = self.record(*FIXED, *options, threads=3)
                self.assertEqual(record["layout"]["sweeping_threads"], used)
                self.assertEqual(record["layout"]["threads"], 3)
                told = "1 of 3 threads of a rank sweep: the parts are too small for more"
                self.assertEqual(told in self.jacobi(*FIXED, *options, threads=3).out, used == 1)

    def test_roofline(self):
        """Measured where the field is larger than the caches and the run long enough."""
        for options, cache_bytes, words in (
                (("problem.source=x",), 2**16, r"roofline +\d+\.\d+ times .* 24 bytes a point"),
                ((), 2**16, r"roofline +\d+\.\d+ times .* 16 bytes a point"),
                ((), 2**24, r"roofline +the iterates fit the caches"),
                (("solver.max_sweeps=70",), 2**16, r"roofline +not measured")):
            with self.subTest(options=options, cache_bytes=cache_bytes):
                options = *FIXED, *LARGE, *options
                run = self.jacobi(*options, **machine(cache_bytes))
                self.assertTrue(re.search(words, run.out), run.out)
                record = self.record(*options, ranks=2, **machine(cache_bytes))
                copy_rate = record["copy_bandwidth_bytes_per_s"]
                self.assertEqual(copy_rate is not None, "times" in words)
                if copy_rate is None:
                    self.assertIsNone(record["roofline_share"])
                else:
                    bytes_a_point = 24 if "24" in words else 16
                    self.assertAlmostEqual(record["roofline_share"],
                                           record["rate_lups"] * bytes_a_point / copy_rate, 6)

    def test_bytes_a_point(self):
        """A pass through memory serves as many sweeps as the halo is deep."""
        for depth, kernel, expected in (8, "temporal", 2), (1, "temporal", 16), (8, "vector", 16):
            record = self.record(*FIXED, f"parallel.halo_depth={depth}", f"parallel.kernel={kernel}")
            self.assertEqual(record["bytes_per_point"], expected)


class Tuning(Case):
    def tune(self, *options, code=0, **changes):
        run = self.jacobi(*options, "--tune", **changes)
        self.assertEqual(run.code, code, run.err)
        return run

    def test_lines_are_a_configuration(self):
        """The printed lines are read back and give the same bits, whoever measured them."""
        expected = self.result(*FIXED, *LARGE, "parallel.kernel=reference")
        for ranks, threads in (1, 1), (2, 2):
            with self.subTest(ranks=ranks):
                out = self.tune(*LARGE, "parallel.threads=2", ranks=ranks, threads=threads).out
                table, lines = out.split("\n[parallel]\n", 1)
                self.assertEqual(table.count("  keep\n"), 1)
                for word in "temporal", "streaming", "vector":
                    self.assertIn(f"\n  {word} ", table)
                for halo in "persistent", "shared", "overlap":
                    self.assertEqual(f" {halo} " in table, ranks > 1)
                self.check_depths(table)
                self.assertEqual(" dynamic " in table, threads > 1)
                self.write("plate.ini", f"{funnel_cli.CONFIG}[parallel]\n{lines}")
                record = self.record(*FIXED, *LARGE, ranks=ranks)
                self.assertEqual({name: record[name] for name in expected}, expected)
                for key in "kernel", "halo", "halo_depth":
                    self.assertIn(f"{key} = {record['plan'][key]}\n", lines)
                self.write("plate.ini", funnel_cli.CONFIG)

    def check_depths(self, table):
        """The kernel and the halo that are kept were tried with other depths."""
        rows = [line.split() for line in table.splitlines() if re.match(r"  \w+ +\d+  ", line)]
        kept = next(row for row in rows if row[-1] == "keep")
        depths = {row[1] for row in rows if (row[0], row[4]) == (kept[0], kept[4])}
        self.assertGreater(len(depths), 1, table)

    def test_nothing_is_written(self):
        self.tune("--record", "r.json", "output.image=i.png", "output.history=no/such/h.csv")
        self.assertEqual(os.listdir(self.folder), ["plate.ini"])

    def test_a_few_points_swept_once_promise_too_much(self):
        """More ranks than cores, a point each: a sweep takes a time slice, not its nanoseconds."""
        ranks = min(8, 2 * len(os.sched_getaffinity(0)))
        out = self.tune("grid.nx=1", f"grid.ny={ranks}", ranks=ranks).out
        self.assertIn("  keep\n", out)

    def test_what_cannot_run(self):
        """A variant that is refused has its reason in the table; a problem that is, ends the run."""
        out = self.tune("parallel.synchronous_sends=on", ranks=2).out
        self.assertRegex(out, r" neighbor +-  .*parallel\.synchronous_sends: ")
        self.assertIn("start values are not finite", self.tune("problem.initial=0/0", code=4).err)

    def test_a_signal_ends_it(self):
        with self.started("grid.nx=2000", "grid.ny=2000", "--tune", ranks=2) as process:
            process.send_signal(signal.SIGTERM)
            self.assertIn("stopped by a signal", funnel_cli.ended(process).out)


if __name__ == "__main__":
    funnel_cli.main()
