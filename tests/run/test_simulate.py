#!/usr/bin/env python3
"""run/simulate: its arithmetic anywhere; simulated ranks against formulas where the build has them.

usage: test_simulate.py BUILD-FOLDER SOURCE-ROOT
"""
import json
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import scripts

ROOT = Path(sys.argv.pop(2)).resolve()
BUILD = Path(sys.argv.pop(1)).resolve()
simulate = scripts.load("simulate")
ALPHA_S, BANDWIDTH, RATE = 40e-6, 200e6, 500e6
SIMULATES = (BUILD / simulate.SIMULATED).exists()


def options(*words):
    return simulate.read_options(["--alpha-us", "40", "--bandwidth-mb", "200", "--rate-mlups", "500", *words])


def layout(at_once, one_after_other):
    return {"ranks": 4, "process_grid": "2x2", "halo_depth": 1,
            "at_once": {"sweep_s": at_once, "comm_s": at_once - 1},
            "one_after_other": {"sweep_s": one_after_other, "comm_s": one_after_other - 1}}


class Arithmetic(unittest.TestCase):
    def test_a_message_crosses_two_links_that_make_alpha(self):
        with tempfile.TemporaryDirectory() as folder:
            simulate.write_platform(folder, options(), simulate.networks_of(options())[0], 16)
            cluster = ElementTree.parse(Path(folder) / "platform.xml").getroot().find("cluster")
            hosts = (Path(folder) / "hosts").read_text().split()
        self.assertAlmostEqual(2 * float(cluster.get("lat")[:-1]), ALPHA_S, delta=1e-12)
        self.assertAlmostEqual(float(cluster.get("bw")[:-3]), BANDWIDTH, delta=1)
        self.assertAlmostEqual(float(cluster.get("speed")[:-1]), RATE, delta=1)
        self.assertEqual(cluster.get("radical"), "0-15")
        self.assertEqual(hosts, [f"node{rank}" for rank in range(16)])

    def test_a_row_holds_simulation_and_both_countings(self):
        row = simulate.compare(layout(2.0, 3.0), {"total_s": 25.0, "computed_s": 10.0, "sweeps": 10})
        self.assertEqual(row["sweep_s"], {"simulated": 2.5, "at_once": 2.0, "one_after_other": 3.0})
        self.assertEqual(row["comm_s"], {"simulated": 1.5, "at_once": 1.0, "one_after_other": 2.0})

    def test_the_verdict_counts_what_lies_between(self):
        rows = [simulate.compare(layout(2.0, 3.0), {"total_s": total, "computed_s": 10.0, "sweeps": 10})
                for total in (19.0, 25.0, 31.0)]
        self.assertEqual(simulate.verdict(rows), "1 of 3 simulations lie between the two countings; "
                                                 "they take -5 % to +55 % against neighbours at once")

    def test_networks(self):
        self.assertEqual([network.name for network in simulate.networks_of(simulate.read_options([]))],
                         ["1gbit", "100gbit"])
        self.assertEqual([network.name for network in simulate.networks_of(options())], ["own"])

    def test_configuration_and_overrides_in_any_place(self):
        read = simulate.read_options(["a.b=1", "--sweeps", "30", "other.ini", "c.d=2"])
        self.assertEqual((read.config, read.overrides), (Path("other.ini"), ["a.b=1", "c.d=2"]))

    def test_bad_words_are_one_line_and_exit_code_2(self):
        for words, complaint in ((("--ranks", "0"), "--ranks"), (("--ranks", "4,x"), "--ranks"),
                                 (("--network", "10gbit"), "10gbit"), (("--alpha-us", "5"), "--bandwidth-mb"),
                                 (("--sweeps", "0"), "--sweeps"),
                                 (("a.ini", "b.ini"), "b.ini is one configuration too many"),
                                 (("--rate-mlups", "-1"), "--rate-mlups")):
            with self.subTest(words):
                done = subprocess.run([ROOT / "run/simulate", *words], capture_output=True, text=True, timeout=60)
                self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
                self.assertIn(complaint, done.stderr)

    def test_a_build_without_simulation(self):
        if not simulate.shutil.which("smpirun"):
            self.skipTest("smpirun is not installed")
        with tempfile.TemporaryDirectory() as folder, self.assertRaises(simulate.command.Problem) as raised:
            simulate.build(Path(folder))
        self.assertIn("-Dsimulate=true", str(raised.exception))


@unittest.skipUnless(SIMULATES, "this build has no simulated ranks (-Dsimulate=true)")
class Simulated(unittest.TestCase):
    def script(self, *words):
        return subprocess.run([ROOT / "run/simulate", "--build", BUILD, "--alpha-us", "40", "--bandwidth-mb", "200",
                               "--rate-mlups", "500", *words], capture_output=True, text=True, timeout=120)

    def rows(self, *words):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "record.json"
            done = self.script("grid.nx=2000", "grid.ny=480", *words, "--record", path)
            self.assertEqual(done.returncode, 0, done.stderr)
            record = json.loads(path.read_text())
        self.assertIn("lie between the two countings", done.stdout)
        return record["networks"][0]["rows"]

    def test_strips_share_their_link(self):
        """Two neighbours' messages of 16,000 bytes overlap their alphas and share the bandwidth."""
        row = self.rows("parallel.halo_depth=1", "parallel.process_grid=1d-y", "--ranks", "16")[0]
        norm_s = 2 * (4 * ALPHA_S + 4 * 48 / BANDWIDTH) + 4 * 2000 * 30 / RATE
        exchange_s = ALPHA_S + 2 * 16000 / BANDWIDTH
        self.assertAlmostEqual(row["sweep_s"]["simulated"], 2000 * 30 / RATE + exchange_s + norm_s / 20,
                               delta=0.03 * exchange_s)
        self.assertEqual(row["simulated"]["messages"], 20 * 2 * 15)
        self.assertEqual(row["simulated"]["message_bytes"], 20 * 2 * 15 * 16000)

    def test_no_chain(self):
        """B04: no rank's exchange waits for the one before, whatever the variant and the number of ranks.
        B07: and beyond the last is MPI_PROC_NULL, which is another number here than in MPICH."""
        for halo in simulate.VARIANTS:
            with self.subTest(halo):
                costs = [row["comm_s"]["simulated"] for row in
                         self.rows(f"parallel.halo={halo}", "parallel.halo_depth=1", "grid.ny=1600",
                                   "parallel.process_grid=1d-y", "--ranks", "4,32", "--sweeps", "40")]
                self.assertLess(costs[1], 1.5 * costs[0])

    def test_two_ranks_have_a_link_each(self):
        row = self.rows("parallel.halo_depth=1", "parallel.process_grid=1d-y", "--ranks", "2")[0]
        self.assertAlmostEqual(row["comm_s"]["simulated"], row["comm_s"]["at_once"],
                               delta=0.05 * row["comm_s"]["at_once"])

    def test_deep_halos_send_less_often(self):
        row = self.rows("parallel.halo_depth=4", "parallel.process_grid=1d-y", "--ranks", "4",
                        "--sweeps", "18")[0]
        self.assertEqual(row["simulated"]["sweeps"], 20)
        self.assertEqual(row["simulated"]["messages"], 20 / 4 * 2 * 3)
        # 3 + 2 + 1 + 0 rows beyond each edge with a neighbour, a norm of 4 sweeps
        computed = (20 * 120 + 20 / 4 * 2 * 6 + 4 * 120) * 2000 / RATE
        self.assertAlmostEqual(row["simulated"]["computed_s"], computed, delta=1e-3 * computed)

    def test_other_variants(self):
        for halo in ("sendrecv", "persistent"):
            with self.subTest(halo):
                row = self.rows(f"parallel.halo={halo}", "parallel.halo_depth=1", "--ranks", "4")[0]
                self.assertGreater(row["comm_s"]["simulated"], ALPHA_S)

    def test_what_cannot_be_simulated(self):
        for words, complaint in ((("parallel.halo=neighbor",), "parallel.halo=neighbor cannot be simulated"),
                                 (("grid.nx=2", "grid.ny=2", "--ranks", "16"), "rank"),
                                 (("grid.nz=2",), "nz"),
                                 ((ROOT / "configs/line-8m.ini",), "only rectangles")):
            with self.subTest(words):
                done = self.script(*words)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(complaint, done.stderr.splitlines()[-1])


if __name__ == "__main__":
    unittest.main()
