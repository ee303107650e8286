"""pingpong as a person runs it: table, patterns, pairs, checks of every byte, placement, transports.

usage: see lab_cli.py
"""
import os
import re
import tempfile
import unittest

from lab_cli import Case, main, run, unless_the_node_holds

QUICK = ("--repeats", "20", "--repeats-large", "3")
SMALL = (*QUICK, "--max", "4K")
PATTERNS = ("pingpong", "stream", "bidirectional", "halo", "deep-halo", "window")
DAMAGED = {"deep-halo": 12 * 256 + 255}  # the damaged byte lies in row 12 of 16
ROW = re.compile(r"^ *(\d+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)( +\d+)?$", re.MULTILINE)
IS_UCX = "ch4:ucx" in run("--max", "1", "--repeats", "1").stdout
CPUS = sorted(os.sched_getaffinity(0))

two_cpus = unittest.skipIf(CPUS[:2] != [0, 1], "needs PUs 0 and 1")
two_cpus_only = unittest.skipIf(CPUS != [0, 1], "needs a machine with exactly PUs 0 and 1")
with_ucx = unittest.skipUnless(IS_UCX, "needs MPICH over UCX")


def rows(text):
    """The table: (bytes, median, p5, p95, min, rate) of each size."""
    return [tuple(map(float, found.groups()[:6])) for found in ROW.finditer(text)]


class Table(Case):
    def test_sizes_in_steps_of_16(self):
        table = rows(self.good(*QUICK))
        self.assertEqual([row[0] for row in table], [16 ** i for i in range(7)])
        for size, median, p5, p95, least, rate in table:
            self.assertLessEqual(least, p5)
            self.assertLessEqual(p5, median)
            self.assertLessEqual(median, p95)
            self.assertAlmostEqual(rate, size / median, delta=0.05 + rate * 0.01)

    def test_fine_sizes(self):
        text = self.good(*QUICK, "--fine", "--min", "3", "--max", "100")
        self.assertEqual([row[0] for row in rows(text)], [3, 4, 8, 16, 32, 48, 64, 100])

    def test_repetitions(self):
        sizes = self.measured("--max", "256K", "--min", "1K")["sizes"]
        self.assertEqual([(size["bytes"], size["repeats"], size["warmup"]) for size in sizes],
                         [(1024, 1000, 100), (16384, 1000, 100), (262144, 50, 5)])

    def test_the_barrier_is_recorded(self):
        """C10: a barrier inside the loop would change the verdict, so the record says where it is."""
        self.assertEqual(self.measured(*SMALL)["barrier"], "before each size, none inside")
        self.assertIn("a barrier before each size, none inside", self.good(*SMALL))

    def test_the_clock_is_taken_off(self):
        measured = self.measured(*SMALL)
        self.assertGreater(measured["clock_s"], 0)
        for size in measured["sizes"]:
            times = [size["time"][name] for name in ("min_s", "p5_s", "median_s", "p95_s", "max_s")]
            self.assertEqual(times, sorted(times))
            self.assertLessEqual(size["time"]["median_low_s"], size["time"]["median_s"])
            self.assertLessEqual(size["time"]["median_s"], size["time"]["median_high_s"])

    def test_the_distance_of_the_cores_stands_beside_each_size(self):
        for size in self.measured(*SMALL)["sizes"]:
            self.assertGreater(size["time"]["probe_s"], 0)


class Fit(Case):
    def test_what_is_printed_is_what_is_recorded(self):
        """C12: segments with the error of each, and one line, flagged where it is poor."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "r.json")
            text = self.good(*QUICK, "--fine", "--record", path)
            with open(path, encoding="utf-8") as file:
                record = file.read()
        self.assertEqual(text.count("\n  from "), record.count('"from_bytes"'))
        segments = re.search(r"(?m)^fit +T\(m\) = alpha \+ m beta, (\d+) segment", text).group(1)
        self.assertEqual(text.count("\n  from "), int(segments) + 1)
        self.assertEqual(len(re.findall(r"error +[\d.]+ %", text)), int(segments) + 1)
        self.assertEqual("a poor fit" in text, '"one_line_poor": true' in record)
        self.assertRegex(text, r"(?m)^n-half +\S+ [KMG]?i?B$")

    def test_poor_by_the_error_of_the_line(self):
        fit = self.measured(*QUICK, "--fine")["fit"]
        self.assertEqual(fit["one_line_poor"], fit["one_line"]["error"] > 0.1)
        self.assertEqual(sum(segment["sizes"] for segment in fit["segments"]), 25)

    def test_one_size_has_no_line(self):
        self.assertIsNone(self.measured(*QUICK, "--min", "1K", "--max", "1K")["fit"])


class Patterns(Case):
    def test_each_is_right_and_counts_its_bytes(self):
        for pattern, ways in zip(PATTERNS, (1, 1, 2, 2, 2, 1)):
            with self.subTest(pattern):
                measured = self.measured(*SMALL, "--validate", "--pattern", pattern)
                self.assertEqual((measured["pattern"], measured["validated"]), (pattern, True))
                for size in measured["sizes"]:
                    self.assertAlmostEqual(size["rate_bytes_per_s"] * size["time"]["median_s"],
                                           ways * size["bytes"], delta=1e-6 * size["bytes"])

    def test_how_much_is_sent(self):
        """Every repetition of stream is 64 messages."""
        sent = [self.measured(*SMALL, "--min", "4K", "--pattern", pattern)["transport"]["sent_bytes"]
                for pattern in PATTERNS]
        self.assertEqual(sent, [22 * 4096, 64 * 22 * 4096] + 4 * [22 * 4096])

    def test_cold_buffers(self):
        text = self.good(*QUICK, "--cold", "--validate", "--min", "4K", "--max", "4K")
        self.assertRegex(text, r"(?m)^cold +buffers of [\d.]+ [MG]iB, one part after the other$")
        self.assertGreater(self.measured(*QUICK, "--cold", "--max", "1")["cold_bytes"], 1 << 20)


class Validation(Case):
    def test_a_damaged_byte_is_found_at_its_offset(self):
        for pattern in PATTERNS:
            with self.subTest(pattern):
                done = self.damaged(*SMALL, "--min", "4K", "--validate", "--pattern", pattern)
                self.assertRegex(done.stderr, r"validation: 4096 bytes, repetition \d+, message \d+: "
                                              rf"byte {DAMAGED.get(pattern, 4095)} from rank [01] is 0x..")
                self.assertEqual(rows(done.stdout), [])

    def test_damage_that_comes_late(self):
        done = self.damaged(*SMALL, "--validate", CORRUPT_FROM="50")
        self.assertIn("validation: 16 bytes, repetition 7, ", done.stderr)

    def test_without_checks_nothing_is_noticed(self):
        done = self.damaged(*SMALL)
        self.assertEqual(done.returncode, 0, done.stderr)


class Pairs(Case):
    def test_all_at_once(self):
        measured = self.measured(*SMALL, "--pairs", ranks=4)
        self.assertEqual([pair["ranks"] for pair in measured["pairs"]], [[0, 2], [1, 3]])
        for i, size in enumerate(measured["sizes"]):
            times = [pair["times"][i] for pair in measured["pairs"]]
            self.assertEqual(size["time"]["min_s"], min(time["min_s"] for time in times))
            self.assertEqual(size["time"]["p95_s"], max(time["p95_s"] for time in times))
            rate = sum(size["bytes"] / time["median_s"] for time in times)
            self.assertAlmostEqual(size["rate_bytes_per_s"], rate, delta=1e-6 * rate)

    def test_a_chosen_pair_while_the_others_sleep(self):
        text = self.good(*SMALL, "--pair", "2,1", ranks=3)
        self.assertRegex(text, r"(?m)^pair +2 and 1: ")
        self.assertRegex(text, r"(?m)^idle +1 rank asleep meanwhile$")
        self.assertEqual(len(rows(text)), 4)

    def test_the_first_two_by_default(self):
        self.assertEqual(self.measured(*SMALL, ranks=3)["pairs"][0]["ranks"], [0, 1])

    @two_cpus_only
    def test_waiting_that_yields_is_said(self):
        self.assertRegex(self.good(*SMALL, ranks=3), r"(?m)^yielding ")
        self.assertNotIn("yielding", self.good(*SMALL, launch=("-bind-to", "core")))


class Placement(Case):
    def warned(self, binding):
        """Both streams of a run in the order in which rank 0 wrote them."""
        launch = ("-bind-to", binding, "sh", "-c", 'exec "$0" "$@" 2>&1')
        return self.good(*SMALL, launch=launch)

    @two_cpus
    def test_two_ranks_on_one_core_are_told_before_the_numbers(self):
        """A27, C07: such times are the scheduler's."""
        text = self.warned("user:0,0")
        warning = re.search(r"(?m)^pingpong: warning: ranks 0 and 1 share one PU .*$", text)
        self.assertLess(warning.start(), ROW.search(text).start())
        self.assertLess(text.index("ranks 0 and 1 share PU P0"), ROW.search(text).start())

    @two_cpus
    def test_ranks_on_cores_of_their_own_are_not_warned(self):
        text = self.warned("core")
        self.assertNotIn("warning", text)
        self.assertRegex(text, r"(?m)^pair +0 and 1: one host \S+, .*, not one core$")

    @two_cpus
    def test_common_parts_are_recorded(self):
        for binding, core in ("user:0,0", "same"), ("user:0,1", "apart"):
            common = self.measured(*SMALL, launch=("-bind-to", binding))["pairs"][0]["common"]
            self.assertEqual((common["pu"], common["core"]), (core, core))

    @two_cpus
    def test_ranks_that_may_wander_are_perhaps_together(self):
        common = self.measured(*SMALL, launch=("-bind-to", "none"))["pairs"][0]["common"]
        self.assertEqual(common["pu"], "perhaps")

    @with_ucx
    def test_ranks_of_different_nodes(self):
        """MPICH can deal the ranks of one machine out to two nodes."""
        measured = self.measured(*SMALL, MPIR_CVAR_NUM_CLIQUES="2")
        self.assertFalse(measured["pairs"][0]["same_node"])
        self.assertIsNone(measured["sizes"][0]["time"]["probe_s"])
        self.refused(5, "ranks of different nodes share no memory", *SMALL, "--pattern", "window",
                     MPIR_CVAR_NUM_CLIQUES="2")


@with_ucx
class Transports(Case):
    def test_shared_memory(self):
        transport = self.measured(*QUICK, "--max", "64K", "--repeats", "100")["transport"]
        self.assertEqual((transport["device"], transport["carrier"]), ("ch4:ucx", None))
        self.assertIn("inferred: shared memory", transport["inferred"])

    @unittest.skipUnless(os.path.exists("/sys/class/net/lo/statistics/tx_bytes"), "needs counters")
    def test_sockets_are_seen_in_the_counters_of_the_kernel(self):
        transport = self.measured(*QUICK, "--max", "64K", "--repeats", "100",
                                  UCX_TLS="tcp,self", UCX_NET_DEVICES="lo")["transport"]
        self.assertEqual(transport["carrier"], "lo")
        self.assertGreater(transport["carried_bytes"], transport["sent_bytes"])
        self.assertIn("UCX_TLS = tcp,self; inferred: sockets", transport["inferred"])

    def test_too_few_bytes_to_tell(self):
        self.assertIn("too few bytes", self.measured("--max", "1")["transport"]["inferred"])

    def test_a_window_needs_none(self):
        self.assertEqual(self.measured(*SMALL, "--pattern", "window")["transport"]["inferred"],
                         "none: a window of shared memory")

    def test_a_transport_that_cannot_start(self):
        for transports in "self", "cma,self", "bogus":
            self.refused(5, f"MPI cannot start over UCX_TLS = {transports}: ", *SMALL, ranks=3,
                         UCX_TLS=transports)


class BadInput(Case):
    def test_ranks_that_cannot_be_paired(self):
        for options, ranks, complaint in (
                ((), 1, "two ranks are needed and this run has 1"),
                (("--pairs",), 3, "--pairs needs an even number of ranks, and this run has 3"),
                (("--pair", "0,2"), 2, "--pair: rank 2 is not in 0..1"),
                (("--pair", "1,1"), 2, "--pair: rank 1 cannot be its own peer"),
                (("--pair", "1"), 2, "--pair takes two ranks"),
                (("--pair", "0,1", "--pairs"), 2, "exclude each other")):
            self.refused(2, complaint, *options, ranks=ranks)

    def test_values(self):
        for options, complaint in (
                (("--max", "2G"), "--max: 2G is not in 1..1G"),
                (("--min", "0"), "--min: 0 is not in 1..1G"),
                (("--min", "2K", "--max", "1K"), "--min 2048 is above --max 1024"),
                (("--max", "4kB"), "--max: '4kB' is not a number of bytes"),
                (("--repeats", "0"), "--repeats: 0 is not in 1..1000000"),
                (("--repeats", "-3"), "--repeats: -3 is not in 1..1000000"),
                (("--pattern", "streem"), "did you mean stream?"),
                (("--patern", "stream"), "unknown option --patern; did you mean --pattern?"),
                (("stream",), "unknown option stream; see pingpong --help"),
                (("--record", "x", "--plot", "x"), "--plot: the same file as --record"),
                (("--plot", "x.jpg"), "--plot: 'x.jpg' does not end in .png"),
                (("--record",), "--record needs FILE")):
            self.refused(2, complaint, *options)

    @unless_the_node_holds(130 << 30)  # each of 2 ranks takes 64 messages and sends 1
    def test_more_than_the_memory(self):
        self.refused(5, "the messages need ", "--max", "1G", "--pattern", "stream")

    def test_files(self):
        for option in "--record", "--plot":
            self.refused(6, f"{option}: ", *SMALL, option, "/no/such/folder/file")
            self.refused(6, "/dev/full: ", *SMALL, option, "/dev/full")

    def test_no_numbers_before_the_files_are_known_to_be_writable(self):
        done = self.refused(6, "--record: ", *SMALL, "--record", "/no/such/folder/file")
        self.assertEqual(done.stdout, "")

    def test_other_files_are_not_written_over(self):
        self.keeps_other_files("--record", "record of pingpong")
        self.keeps_other_files("--plot", "PNG")


class Outputs(Case):
    def test_plot(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "plot.png")
            for options in ("--fine",), ("--min", "1K", "--max", "1K"):
                self.good(*SMALL, *options, "--plot", path)
                with open(path, "rb") as file:
                    self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")

    def test_record_on_standard_output(self):
        done = run(*SMALL, "--record", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("{"))
        self.assertEqual(len(rows(done.stderr)), 4)

    def test_help(self):
        text = run("--help").stdout
        for words in ("--fine ", "--pair A,B", "--pairs ", "--validate ", "--cold ", "--record FILE",
                      "--plot FILE.png", "--max BYTES .*default 16M", "--repeats N .*default 1000",
                      "--repeats-large N .*default 50", "--pattern NAME .*default pingpong"):
            self.assertRegex(text, rf"(?m)^  {words}")
        for pattern in PATTERNS:
            self.assertRegex(text, rf"(?m)^  {pattern} +\S")
        self.assertEqual(text.count("--help"), 1)

    def test_version(self):
        self.assertRegex(run("--version").stdout, r"\Apingpong \(Funnel\) \d+\.\d+\.\d+, commit ")


if __name__ == "__main__":
    main()
