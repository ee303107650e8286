"""alltomany as a person runs it: the lines of the study, every variant, bad input, damaged messages.

usage: see lab_cli.py
"""
import re

from lab_cli import Case, main, run, unless_the_node_holds

VARIANTS = ("isend", "issend", "alltoallv", "alltoallw", "persistent", "neighbor")
POSTING = ("isend", "issend", "persistent")


def number_after(words, text):
    """The first number of the line that starts with `words`."""
    return int(re.search(rf"^\s*{words}\s+(\d+)", text, re.MULTILINE).group(1))


class Study(Case):
    def test_the_lines_of_the_study(self):
        text = self.good("-p", "2", "-n", "20", "-b", "100", ranks=4)
        for words, value in (("number of processes", 4), ("number of senders", 4),
                             ("number of receivers", 2), ("number of iterations", 20),
                             ("unit of message size", 100), ("max message size", 200),
                             ("min message size", 100)):
            self.assertEqual(number_after(words, text), value)
        times = dict(re.findall(r"^  (posting irecv|posting isend|MPI_Waitall|end to end) +([\d.]+) "
                                r"\(rank \d\) +[\d.]+ +[\d.]+ \(rank \d\)$", text, re.MULTILINE))
        self.assertEqual(len(times), 4)
        each = float(re.search(r"an iteration: ([\d.]+) us \(end to end, maximum", text).group(1))
        self.assertAlmostEqual(each, 1e6 * float(times["end to end"]) / 20, delta=0.1)

    def test_the_standard_values_are_those_of_the_study(self):
        measured = self.measured()
        self.assertEqual(measured["ranks_per_node"], 2)
        self.assertEqual((measured["iterations"], measured["unit_bytes"]), (100, 10))
        self.assertEqual((measured["variant"], measured["order"], measured["throttle"]),
                         ("isend", "forward", 0))

    def test_the_record_agrees_with_the_pattern(self):
        measured = self.measured("-p", "2", "-b", "3", "-n", "5", ranks=4)
        sizes = [(rank % 2 % 8 + 1) * 3 for rank in range(4)]
        self.assertEqual(measured["receivers"], 2)
        self.assertEqual(measured["messages_per_iteration"], 8)
        self.assertEqual(measured["bytes_per_iteration"], 2 * sum(sizes))
        self.assertIn(measured["post_receives"]["max_rank"], (0, 2))
        parts = sum(measured[part]["min_s"] for part in ("post_sends", "wait"))
        self.assertLessEqual(parts, measured["end_to_end"]["max_s"])
        self.assertEqual(measured["iteration_s"], measured["end_to_end"]["max_s"] / 5)

    def test_nodes_make_p(self):
        text = self.good("-n", "2", ranks=4, MPIR_CVAR_NUM_CLIQUES="2")
        self.assertEqual(number_after("number of receivers", text), 2)

    def test_binding_comes_before_the_numbers(self):
        text = self.good("-n", "2", ranks=3)
        self.assertIn("binding problem", text)
        self.assertLess(text.index("binding problem"), text.index("number of processes"))

    def test_messages_of_no_bytes(self):
        self.good("-b", "0", "--validate")

    def test_one_rank_sends_to_itself(self):
        self.good("--validate", "-n", "3", ranks=1)


class Variants(Case):
    def test_every_variant_brings_every_byte(self):
        for variant in VARIANTS:
            for p in ("1", "2"):
                with self.subTest(variant, p=p):
                    measured = self.measured("--variant", variant, "--validate", "-n", "5", "-p", p)
                    self.assertEqual(measured["variant"], variant)
                    self.assertTrue(measured["validated"])
                    self.assertEqual(measured["post_receives"] is not None, variant in POSTING)

    def test_large_messages_too(self):
        for variant in VARIANTS:
            with self.subTest(variant):
                self.good("--variant", variant, "--validate", "-n", "2", "-b", "300K")

    def test_a_rank_that_only_sends(self):
        for variant in VARIANTS:
            with self.subTest(variant):
                self.good("--variant", variant, "--validate", "-n", "3", ranks=3)

    def test_throttle_and_order(self):
        for variant in POSTING:
            for order in ("forward", "reverse", "random"):
                with self.subTest(variant, order=order):
                    text = self.good("--variant", variant, "--validate", "-n", "3", "-p", "1",
                                     "--order", order, "--throttle", "2", ranks=3)
                    self.assertIn(f"receives posted {order} by sending rank, at most 2 at a time", text)

    def test_a_throttle_beyond_all_receives(self):
        self.good("--throttle", "100", "--validate", "-n", "3")


class Validation(Case):
    def test_a_wrong_byte_is_named(self):
        words = self.damaged("--validate", "-n", "5").stderr
        self.assertIn("iteration 0: byte 19 of the 20 from rank 1 is wrong on rank 0 (variant isend)", words)

    def test_posting_variants(self):
        for variant in ("issend", "isend"):
            for options in ((), ("--throttle", "1"), ("--order", "reverse")):
                with self.subTest(variant, options=options):
                    self.damaged("--validate", "-n", "3", "--variant", variant, *options)

    def test_one_call(self):
        words = self.damaged("--validate", "-n", "3", "--variant", "alltoallv").stderr
        self.assertIn("byte 0 of the 10 from rank 0", words)

    def test_the_last_timed_iteration_is_checked(self):
        # 5 untimed iterations, 10 of warm-up; the 20th is the last of the timed ones
        words = self.damaged("--validate", "-n", "5", CORRUPT_FROM="20").stderr
        self.assertIn("iteration 5: byte 19", words)

    def test_without_validation_nothing_is_noticed(self):
        self.assertEqual(self.damaged("-n", "5").returncode, 0)


class Growth(Case):
    def test_a_row_a_number_and_a_verdict(self):
        text = self.good("--sweep-n", "2,8,16", "--repeats", "3")
        rows = re.findall(r"^ +(\d+) +[\d.]+ +[\d.]+\.\.[\d.]+ +[\d.]+ +[\d.]+ +[\d.]+$", text, re.MULTILINE)
        self.assertEqual(rows, ["2", "8", "16"])
        self.assertRegex(text, r"verdict: (yes|no|cannot be told): ")

    def test_the_record_of_it(self):
        growth = self.measured("--sweep-n", "2,8", "--repeats", "5")["growth"]
        self.assertEqual([point["iterations"] for point in growth["points"]], [2, 8])
        for point in growth["points"]:
            self.assertEqual(point["repeats"], 5)
            self.assertLessEqual(point["min_s"], point["median_s"])
            self.assertLessEqual(point["median_s"], point["max_s"])

    def test_validation_covers_every_run(self):
        self.good("--sweep-n", "1,3", "--repeats", "2", "--validate")


class Queues(Case):
    def test_a_row_a_length_an_order_and_a_time_of_posting(self):
        """C04, C05: matching in and against the order of the queue, with receives posted first and late."""
        rows = self.measured("--queue", "4,32", "--repeats", "3")["queue"]
        self.assertEqual(len(rows), 2 * 2 * 3)
        self.assertEqual({(row["length"], row["posted_first"], row["order"]) for row in rows},
                         {(length, first, order) for length in (4, 32) for first in (True, False)
                          for order in ("forward", "reverse", "random")})
        self.assertTrue(all(row["post_s"] > 0 and row["wait_s"] > 0 for row in rows))

    def test_several_receivers(self):
        text = self.good("--queue", "8", "--repeats", "2", "-p", "1", ranks=3)
        self.assertEqual(len(re.findall(r"^ +8 +(?:before|after) arrival", text, re.MULTILINE)), 6)


class BadInput(Case):
    def test_one_line_and_exit_code_2(self):
        for options, complaint in (
                (("-p", "4"), "-p 4 is not in 1..2"),
                (("-p", "0"), "-p: 0 is not in 1.."),
                (("-p", "-1"), "-p: -1 is not in 1.."),
                (("-p", "two"), "-p"),
                (("-b", "-1"), "-b: '-1'"),
                (("-b", "10x"), "-b: '10x'"),
                (("-b", "1.9G"), "-b"),
                (("-n", "-5"), "-n: -5 is not in 1.."),
                (("-n", "0"), "-n: 0 is not in 1.."),
                (("-n", "99999999999999999999"), "-n"),
                (("-n",), "-n needs N"),
                (("--variant", "isned"), "did you mean isend?"),
                (("--variant", "neighbour"), "did you mean neighbor?"),
                (("--order", "backward"), "--order: 'backward' is not one of forward, reverse, random"),
                (("--throttle", "-1"), "--throttle: -1"),
                (("--throttle", "1", "--variant", "alltoallv"), "no meaning in variant alltoallv"),
                (("--order", "reverse", "--variant", "neighbor"), "no meaning in variant neighbor"),
                (("--sweep-n", "2,x"), "--sweep-n"),
                (("--sweep-n", "0,4"), "--sweep-n"),
                (("--queue", "0"), "--queue"),
                (("--queue", "65537"), "--queue: 65537 is not in 1..65536"),
                (("--repeats", "0"), "--repeats: 0"),
                (("--validat",), "did you mean --validate?"),
                (("words",), "unknown option words")):
            with self.subTest(options):
                self.refused(2, complaint, *options)

    def test_p_must_divide_the_ranks(self):
        self.refused(2, "-p 3 does not divide 4 ranks", "-p", "3", ranks=4)

    def test_a_queue_longer_than_mpich_has_requests_for(self):
        self.refused(2, "--queue: 65536 are more requests than MPICH has with 4 ranks and 4 receivers; "
                        "give at most 43690", "--queue", "8,65536", "-p", "1", ranks=4)

    def test_a_queue_needs_two_ranks(self):
        self.refused(2, "--queue needs 2 ranks or more", "--queue", "8", ranks=1)

    def test_more_bytes_than_mpi_counts(self):
        self.refused(2, "MPI counts to 2147483647", "-b", "1500M")
        self.refused(2, "use isend or a smaller -b", "-b", "1000M", "--variant", "alltoallw")

    @unless_the_node_holds(40 << 30)  # each of 4 ranks receives 4 messages, and sends 1
    def test_more_memory_than_the_node_has(self):
        self.refused(5, "ask for smaller ones", "-b", str(2**31 - 1), "-p", "1", "-n", "1", ranks=4)

    def test_nodes_of_different_sizes(self):
        self.refused(2, "say with -p how many make a node", ranks=3, MPIR_CVAR_NUM_CLIQUES="2")

    def test_a_record_that_cannot_be_written(self):
        self.refused(6, "--record", "--record", "/no/such/folder/record.json")

    def test_other_files_are_not_written_over(self):
        self.keeps_other_files("--record", "record of alltomany")


class Help(Case):
    def test_help_names_every_variant(self):
        for flag in ("-h", "--help"):
            done = run(flag)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            for variant in VARIANTS:
                self.assertRegex(done.stdout, rf"(?m)^  {variant} ")

    def test_version(self):
        self.assertIn("MPI       built with MPICH", run("--version").stdout)


if __name__ == "__main__":
    main()
