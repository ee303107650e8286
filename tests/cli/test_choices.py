"""What a run chooses by itself: kernel, halo depth, threads; and what it then says of memory.

The caches are those of an imitated machine, so that choices are the same wherever the tests run.
"""

import re

import funnel_cli
from funnel_cli import Case

FIXED = "solver.rtol=0", "solver.max_sweeps=400", "solver.check_every=192"
LARGE = "grid.nx=300", "grid.ny=200"


def machine(cache_bytes):
    """Variables that make hwloc see two cores below one cache."""
    return {"HWLOC_SYNTHETIC": f"pack:1 l3:1(size={cache_bytes}) core:2 l1d:1(size=32768) pu:1",
            "HWLOC_THISSYSTEM": "1"}


class Choices(Case):
    def plan(self, *options, cache_bytes=2**24, **changes):
        return self.record(*FIXED, *options, **machine(cache_bytes), **changes)["plan"]

    def test_kernel_and_depth(self):
        """Temporal and deep; else by the caches, and then no deeper than needed."""
        for options, cache_bytes, kernel, depth in (
                (LARGE, 2**24, "temporal", 32),
                (("grid.nx=3000", "grid.ny="), 2**24, "temporal", 64),
                ((*LARGE, "parallel.halo_depth=1"), 2**24, "vector", 1),
                ((*LARGE, "parallel.halo_depth=1"), 2**16, "streaming", 1),
                ((*LARGE, "parallel.kernel=vector"), 2**24, "vector", 1),
                ((*LARGE, "parallel.kernel=temporal"), 2**24, "temporal", 32),
                ((*LARGE, "solver.check_every=50"), 2**24, "temporal", 25),
                ((*LARGE, "solver.check_every=3"), 2**24, "vector", 1),
                ((*LARGE, "solver.max_sweeps=40", "solver.check_every=auto"), 2**24, "temporal", 10),
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
        for options, least, most in (((*LARGE,), 4, 31), (("grid.nx=3000", "grid.ny=2000"), 32, 32),
                                     (("grid.nx=10", "grid.ny=9"), 1, 5)):
            with self.subTest(options=options):
                plan = self.plan(*options, "parallel.process_grid=2x1", "solver.max_sweeps=200",
                                 ranks=2)
                self.assertGreaterEqual(plan["halo_depth"], least)
                self.assertLessEqual(plan["halo_depth"], most)

    def test_reasons(self):
        """The header says what was chosen and why, and is silent about what was given."""
        out = self.jacobi(*FIXED, *LARGE, **machine(2**24)).out
        self.assertIn("auto took kernel temporal: the sweeps of a block take one pass", out)
        self.assertIn("auto took depth 32: deeper, little would be gained", out)
        out = self.jacobi(*FIXED, *LARGE, "parallel.halo_depth=2", **machine(2**16)).out
        self.assertIn("auto took kernel streaming: the iterates do not fit 64.0 KiB of cache", out)
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


if __name__ == "__main__":
    funnel_cli.main()
