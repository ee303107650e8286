"""collectives as a person runs it: every operation, sizes, bad input, damaged messages.

usage: see lab_cli.py
"""
import re
import subprocess

from lab_cli import PROGRAM, Case, main, run, unless_the_node_holds

OPERATIONS = ("bcast", "allgather", "allreduce", "alltoall")
SHORT = ("--repeats", "5", "--repeats-large", "2")


class Table(Case):
    def test_standard_sizes_of_every_operation(self):
        text = self.good(*SHORT)
        self.assertEqual(re.findall(r"^(\w+) +MPI_", text, re.MULTILINE), list(OPERATIONS))
        sizes = [int(size) for size in re.findall(r"^ +(\d+)(?: +[\d.]+){7}$", text, re.MULTILINE)]
        steps = [16 ** power for power in range(6)]
        self.assertEqual(sizes, steps + steps + [8] + steps[1:] + steps)

    def test_one_operation_in_fine_steps(self):
        rows = self.measured("--operation", "alltoall", "--min", "3", "--max", "20", "--fine", *SHORT)["rows"]
        self.assertEqual([row["bytes"] for row in rows], [3, 6, 12, 20])
        self.assertEqual({row["operation"] for row in rows}, {"alltoall"})

    def test_repetitions_by_size(self):
        rows = self.measured("--operation", "bcast", "--min", "65535", "--max", "64K", "--fine",
                             "--repeats", "20", "--repeats-large", "4")["rows"]
        self.assertEqual([(row["bytes"], row["repeats"], row["warmup"]) for row in rows],
                         [(65535, 20, 2), (65536, 4, 1)])

    def test_order_of_the_statistics(self):
        for row in self.measured("--max", "256", *SHORT, ranks=3)["rows"]:
            values = [row[name] for name in ("min_s", "p5_s", "median_s", "p95_s", "max_s")]
            self.assertEqual(values, sorted(values))
            self.assertLessEqual(row["fastest_median_s"], row["median_s"])

    def test_binding_comes_before_the_numbers(self):
        text = self.good("--max", "1", *SHORT, ranks=3)
        self.assertLess(text.index("binding problem"), text.index("median us"))


class Validation(Case):
    def test_every_operation_brings_every_byte(self):
        for ranks in (2, 3):
            with self.subTest(ranks=ranks):
                measured = self.measured("--validate", *SHORT, ranks=ranks)
                self.assertTrue(measured["validated"])

    def test_a_wrong_byte_is_named(self):
        for operation in OPERATIONS:
            with self.subTest(operation):
                words = self.damaged("--validate", "--operation", operation, "--min", "64K", "--max", "64K",
                                     *SHORT).stderr
                self.assertIn(f"{operation} of 65536 bytes, repetition 0: byte 0 is wrong on rank 0", words)

    def test_without_validation_nothing_is_noticed(self):
        self.assertEqual(self.damaged("--operation", "alltoall", *SHORT).returncode, 0)


class BadInput(Case):
    def test_one_line_and_exit_code_2(self):
        for options, complaint in (
                (("--min", "0"), "--min"),
                (("--min", "17", "--max", "16"), "--min 17 is above --max 16"),
                (("--max", "-1"), "--max"),
                (("--max", "2G"), "--max"),
                (("--max", "lots"), "--max"),
                (("--repeats", "0"), "--repeats: 0"),
                (("--repeats-large", "x"), "--repeats-large"),
                (("--operation", "allreduse"), "did you mean allreduce?"),
                (("--operation",), "--operation needs NAME"),
                (("--finee",), "did you mean --fine?")):
            with self.subTest(options):
                self.refused(2, complaint, *options)

    def test_one_rank_is_not_enough(self):
        self.refused(2, "two ranks are needed", ranks=1)

    @unless_the_node_holds(64 << 30)  # 4 ranks have 2 buffers of 4 blocks
    def test_more_memory_than_the_node_has(self):
        self.refused(5, "the messages need 64.0 GiB on node 0", "--max", str(2**31 - 8), ranks=4)

    def test_a_record_that_cannot_be_written(self):
        self.refused(6, "--record", "--record", "/no/such/folder/record.json")

    def test_other_files_are_not_written_over(self):
        self.keeps_other_files("--record", "record of collectives")


class Help(Case):
    def test_help_names_every_operation(self):
        done = run("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for operation in OPERATIONS:
            self.assertRegex(done.stdout, rf"(?m)^  {operation} ")

    def test_a_report_that_goes_nowhere(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([PROGRAM, "--help"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr),
                         (6, "collectives: standard output: cannot be written; check the disk or the pipe\n"))

    def test_version(self):
        self.assertIn("MPI       built with MPICH", run("--version").stdout)


if __name__ == "__main__":
    main()
