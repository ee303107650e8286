"""C08: the time that others wait for a slow rank is told as waiting, with the ranks it is about.

Called as the other tests of the command line; STUB makes one rank sleep in each of its sweeps.
"""

import os

import funnel_cli
from funnel_cli import Case

SLEEP_US, SWEEPS = 5000, 60
FIXED = ("solver.rtol=0", f"solver.max_sweeps={SWEEPS}", "solver.check_every=20", "parallel.threads=1",
         "parallel.halo_depth=1", "parallel.kernel=vector", "parallel.process_grid=1d-y")
SLEPT_S = 1e-6 * SLEEP_US * (SWEEPS - 1)  # in sweeps after the first block


class Waiting(Case):
    def phases(self, *options, slow, ranks):
        record = self.record(*FIXED, *options, ranks=ranks, SLOW_RANK=slow, SLOW_US=SLEEP_US,
                             LD_PRELOAD=os.path.basename(funnel_cli.STUB),  # a path may have spaces
                             LD_LIBRARY_PATH=os.path.dirname(funnel_cli.STUB),
                             ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0")
        return record["phases"], record

    def test_split(self):
        """The slow rank sweeps longest and waits least; the others wait, not only those next to it."""
        for slow, ranks in (1, 2), (0, 2), (0, 4):
            with self.subTest(slow=slow, ranks=ranks):
                phases, record = self.phases("timing.split=on", slow=slow, ranks=ranks)
                self.assertEqual(phases["sweep"]["max_rank"], slow)
                self.assertGreaterEqual(phases["sweep"]["max_s"], SLEPT_S)
                self.assertEqual(phases["wait"]["min_rank"], slow)
                self.assertGreater(phases["wait"]["max_s"], SLEPT_S / 2)
                self.assertGreater(phases["wait"]["mean_s"], SLEPT_S / 2 * (ranks - 1) / ranks)
                self.assertLess(phases["transfer"]["max_s"], phases["wait"]["max_s"] / 2)
                self.assertGreater(record["imbalance"], 0.5)
                self.assertGreaterEqual(record["thread_sweep"]["max_s"], SLEPT_S)
                self.assertEqual(record["tcomm_fraction_of_rank"]["min_rank"], slow)

    def test_not_split(self):
        """Without it transfer includes waiting, and a share over all ranks counts it once for each."""
        phases, record = self.phases(slow=1, ranks=2)
        self.assertIsNone(phases["wait"]["max_s"])
        self.assertEqual(phases["transfer"]["max_rank"], 0)
        self.assertGreater(phases["transfer"]["max_s"], SLEPT_S / 2)
        shares = record["tcomm_fraction_of_rank"]
        self.assertLess(shares["min"], record["tcomm_fraction"])
        self.assertLess(record["tcomm_fraction"], shares["max"])


if __name__ == "__main__":
    funnel_cli.main()
