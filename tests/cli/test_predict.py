#!/usr/bin/env python3
"""predict from outside: figures done by hand, every refusal, and records and machine files that keep
to their schemas.

Usage: test_predict.py PREDICT SOURCE_ROOT
"""
import copy
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import check_schema

PREDICT, ROOT = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
MACHINE = ROOT / "tests/data/machine/two-cores.json"
MACHINE_SCHEMA = ROOT / "results/machine-schema.json"
SCHEMA = ROOT / "results/schema.json"
LECTURE = ROOT / "configs/lecture-4000.ini"
PASSES = '{"where": "L2", "up_to_bytes": 1000000, "sweeps_in_pass": 16, "cores": 1, "lups": 4e9}'
DEPTH_1 = "parallel.halo_depth=1"
BY_HAND = [DEPTH_1, "--alpha", "50us", "--beta-bandwidth", "110MB/s", "--rate", "1.33333333GLUP/s"]


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_predict(self, *words):
        return subprocess.run([PREDICT, *map(str, words)], cwd=self.folder, timeout=60, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False,
                              env={**os.environ, "OMP_NUM_THREADS": "1"})

    def record(self, *words):
        done = self.run_predict(*words, "--record", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("predict: ", done.stderr)  # the report makes room for the record
        return json.loads(done.stdout)

    def layouts(self, *words):
        """(ranks, threads) -> layout."""
        measured = self.record(*words)["measured"]
        return {(row["ranks"], row["threads"]): row for row in measured["layouts"]}

    def refused(self, code, message, *words):
        with self.subTest(words=words):
            done = self.run_predict(*words)
            self.assertEqual((done.returncode, done.stdout), (code, ""))
            self.assertEqual(done.stderr, f"predict: {message}\n")

    def assert_near(self, value, expected, relative=1e-6):
        self.assertLessEqual(abs(value - expected), relative * abs(expected), (value, expected))


class Figures(Case):
    def test_the_example_of_the_lecture(self):
        rows = self.layouts(LECTURE, *BY_HAND, "--ranks", "4,64", "parallel.process_grid=1d-y")
        four, many = rows[4, 1], rows[64, 1]
        self.assertEqual((four["message_bytes"], four["process_grid"], four["nodes"]), (32000, "1x4", 4))
        self.assert_near(four["compute_s"], 3e-3)
        self.assert_near(four["at_once"]["exchange_s"], 340.9e-6, 1e-3)
        self.assert_near(four["one_after_other"]["exchange_s"], 681.8e-6, 1e-3)
        self.assert_near(four["at_once"]["tcomm_fraction"], 0.1, 0.05)
        self.assertGreater(many["tcomm_fraction"], 0.5)
        self.assertLess(many["blocks_sweep_s"], many["strips_sweep_s"])

    def test_a_machine_of_two_cores(self):
        """In memory 16e6 points take 16 ms on one core and 12.8 ms on two; every 1000 sweeps there is
        a norm that takes as long as four, and two reductions of 48 bytes."""
        rows = self.layouts(MACHINE, LECTURE, "parallel.kernel=vector", DEPTH_1, "--ranks", "1,2",
                            "--threads", "1", "parallel.process_grid=1d-y")
        self.assert_near(rows[1, 1]["sweep_s"], 1.004 * 16e-3 + 1e-6)
        exchange_s, reduction_s = 3e-6 + 32000 * 5e-10, 2 * (1e-6 + 48e-9) / 1000
        self.assert_near(rows[2, 1]["sweep_s"], 1.004 * 12.8e-3 + 1e-6 + exchange_s + reduction_s)
        self.assert_near(rows[2, 1]["at_once"]["efficiency"],
                         rows[1, 1]["sweep_s"] / rows[2, 1]["sweep_s"] / 2)
        two = self.layouts(MACHINE, LECTURE, "parallel.kernel=vector", DEPTH_1, "--threads",
                           "2")[1, 2]
        self.assert_near(two["sweep_s"], 1.004 * 12.8e-3 + 3e-6)

    def test_points_in_cache(self):
        """200 x 200 points are 640 kB on one core."""
        row = self.layouts(MACHINE, LECTURE, "grid.nx=200", "grid.ny=200", "--ranks", "1",
                           "--threads", "1", "solver.check_every=1000000", DEPTH_1)[1, 1]
        self.assert_near(row["compute_s"], 40000 / 2e9)

    def test_a_kernel_that_is_blocked_in_time(self):
        """8 sweeps a pass: 2 bytes a point at 16 GB/s allow 8 GLUP/s, the cache 4; 2 sweeps: 2."""
        for depth, rate in ((8, 4e9), (2, 2e9)):
            row = self.layouts(MACHINE, LECTURE, "--ranks", "1", "--threads", "1",
                               "parallel.kernel=temporal", f"parallel.halo_depth={depth}")[1, 1]
            self.assert_near(row["compute_s"], 16e6 / rate)

    def test_passes_measured_with_8_and_64_sweeps(self):
        """In ns a point and sweep 0.5 with 8, 0.25 with 64: (3 + 32/d) / 14."""
        machine = json.loads(MACHINE.read_text())
        row = machine["kernels"][1]["rates"][0]
        machine["kernels"][1]["rates"] = [{**row, "sweeps_in_pass": 8, "lups": 2e9},
                                          {**row, "sweeps_in_pass": 64, "lups": 4e9}]
        (self.folder / "m.json").write_text(json.dumps(machine))
        for depth in (2, 8, 16, 64):
            row = self.layouts("m.json", LECTURE, "--ranks", "1", "--threads", "1",
                               "parallel.kernel=temporal", f"parallel.halo_depth={depth}")[1, 1]
            self.assert_near(row["compute_s"], 16e6 * (3 + 32 / depth) / 14 * 1e-9)

    def test_the_halo_variant_decides_how_messages_are_counted(self):
        for halo, counted in (("sendrecv", "one_after_other"), ("nonblocking", "at_once")):
            measured = self.record(LECTURE, *BY_HAND, "--ranks", "16",
                                   f"parallel.halo={halo}")["measured"]
            self.assertEqual(measured["counted"], counted)
            row = measured["layouts"][0]
            self.assertEqual(row["sweep_s"], row[counted]["sweep_s"])
        window = self.layouts(MACHINE, LECTURE, DEPTH_1, "--ranks", "2", "--threads", "1",
                              "parallel.halo=shared")[2, 1]
        self.assert_near(window["at_once"]["exchange_s"], 1e-7 + 32000 * 1e-10)

    def test_values_given_by_hand_win(self):
        row = self.layouts(MACHINE, LECTURE, DEPTH_1, "--alpha", "1ms", "--beta-bandwidth", "1GB/s", "--rate",
                           "1GLUP/s", "--bandwidth", "1GB/s", "--cores", "4", "--ranks", "8",
                           "--threads", "1", "parallel.process_grid=1d-y")[8, 1]
        self.assertEqual((row["kernel"], row["nodes"]), ("given", 2))
        self.assert_near(row["compute_s"], 2e6 * 16 * 4 / 1e9)  # four cores share 1 GB/s
        self.assert_near(row["at_once"]["exchange_s"], 1e-3 + 32000e-9)

    def test_up_to_a_million_ranks(self):
        rows = self.layouts(LECTURE, *BY_HAND)
        self.assertEqual(max(rows), (1048576, 1))
        self.assertEqual(rows[1048576, 1]["process_grid"], "1024x1024")

    def test_which_layouts_are_shown_without_being_asked_for(self):
        self.assertEqual(set(self.layouts(MACHINE, LECTURE)), {(1, 1), (2, 1), (1, 2)})
        given = self.layouts(LECTURE, *BY_HAND, "parallel.process_grid=3x5")
        self.assertEqual(set(given), {(15, 1)})
        small = self.layouts(LECTURE, *BY_HAND, "grid.nx=2", "grid.ny=3")
        self.assertEqual(set(small), {(1, 1), (2, 1), (4, 1)})

    def test_the_depth_of_auto_is_the_solvers(self):
        """Halos as deep as jacobi would choose: at most 64, here 16 blocks of at most 63 sweeps between two
        checks; what is computed twice stays below 4 %."""
        rows = self.layouts(LECTURE, *BY_HAND, "parallel.halo_depth=auto", "--ranks", "4,256")
        self.assertEqual({ranks: row["halo_depth"] for (ranks, _), row in rows.items()},
                         {4: 63, 256: 6})

    def test_the_best_layout_is_never_worse(self):
        measured = self.record(MACHINE, LECTURE)["measured"]
        best = {row["ranks"] * row["threads"]: row["sweep_s"] for row in measured["best"]}
        self.assertEqual(set(best), {1, 2})
        for row in measured["layouts"]:
            self.assertLessEqual(best[row["ranks"] * row["threads"]], row["sweep_s"])
        self.assertEqual(measured["best"][0]["kernel"], "temporal")

    def test_the_report(self):
        done = self.run_predict(LECTURE, *BY_HAND, "--ranks", "4,64", "parallel.process_grid=1d-y")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for words in ("50 us + m/(110 MB/s); n-half 5.4 KiB", "neighbours at once",
                      "one after the other", "2-D blocks beat 1-D strips from 4 ranks on",
                      "predict: 2 layouts; efficiency against one core, which takes 12.05 ms a sweep"):
            self.assertIn(words, done.stdout)
        self.assertIn("predict: 1 layout; ", self.run_predict(LECTURE, *BY_HAND, "--ranks", "4").stdout)
        row = next(line for line in done.stdout.splitlines() if line.split()[:1] == ["4"])
        self.assertIn("341.1 us   3.35 ms  10.17  0.90", row)

    def test_outputs(self):
        done = self.run_predict(LECTURE, *BY_HAND, "--plot", "a.png", "--record", "a.json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual((self.folder / "a.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(json.loads((self.folder / "a.json").read_text())["program"], "predict")
        self.assertIn("--beta-bandwidth RATE", self.run_predict("--help").stdout)
        self.assertIn("predict (Funnel)", self.run_predict("--version").stdout)

    def test_own_outputs_are_written_over(self):
        for _ in range(2):
            done = self.run_predict(LECTURE, *BY_HAND, "--plot", "a.png", "--record", "a.json")
            self.assertEqual((done.returncode, done.stderr), (0, ""))


class Refusals(Case):
    def test_other_files_are_not_written_over(self):
        (self.folder / "old.png").write_text("kept")
        for flag, what in (("--record", "record of predict"), ("--plot", "PNG")):
            self.refused(6, f"{flag}: old.png exists and is no {what}; choose another name or remove it",
                         LECTURE, *BY_HAND, flag, "old.png")
        self.assertEqual((self.folder / "old.png").read_text(), "kept")

    def test_inputs_are_not_written_over(self):
        for name, source in (("m.json", MACHINE), ("c.ini", LECTURE)):
            (self.folder / name).write_bytes(source.read_bytes())
        for what, name in (("machine", "m.json"), ("configuration", "c.ini")):
            self.refused(2, f"command line: --record: the same file as the {what}; choose another name",
                         "m.json", "c.ini", "--record", f"./{name}")
        self.assertEqual((self.folder / "m.json").read_bytes(), MACHINE.read_bytes())

    def test_command_lines(self):
        quantity = "prefixes n, u, m, k, M, G allowed, in"
        for message, words in (
                ("a configuration file is needed: predict MACHINE.json CONFIG [section.key=value ...]; "
                 "see predict --help", []),
                (f"without a MACHINE.json before {LECTURE} it takes --alpha, --beta-bandwidth and "
                 "--rate", [LECTURE]),
                ("--alpha and --beta-bandwidth are needed together", [LECTURE, "--alpha", "50us"]),
                ("'more' is one word too many; see predict --help", [MACHINE, LECTURE, "more"]),
                ("unknown option --rank; did you mean --ranks?", [MACHINE, LECTURE, "--rank", "2"]),
                ("--plot: the same file as --record; choose another name",
                 [MACHINE, LECTURE, "--record", "x", "--plot", "x"]),
                ("--plot: 'x.svg' does not end in .png, and pictures are PNG only",
                 [MACHINE, LECTURE, "--plot", "x.svg"]),
                ("--plot needs FILE.png", [MACHINE, LECTURE, "--plot"]),
                (f"--alpha: '50xs' is not a number of s, {quantity} 1e-12s..1s",
                 [LECTURE, *BY_HAND, "--alpha", "50xs"]),
                (f"--beta-bandwidth: '110MB' is not a number of B/s, {quantity} 1kB/s..1e+15B/s",
                 [LECTURE, *BY_HAND, "--beta-bandwidth", "110MB"]),
                (f"--rate: '5MB/s' is not a number of LUP/s, {quantity} 1kLUP/s..1e+15LUP/s",
                 [LECTURE, *BY_HAND, "--rate", "5MB/s"]),
                ("--alpha: 50 is not in 1e-12s..1s", [LECTURE, *BY_HAND, "--alpha", "50"]),
                ("--beta-bandwidth: 110 is not in 1kB/s..1e+15B/s",
                 [LECTURE, *BY_HAND, "--beta-bandwidth", "110"]),
                ("--ranks: 0 is not in 1..1048576", [MACHINE, LECTURE, "--ranks", "0"]),
                ("--ranks: 1048577 is not in 1..1048576", [MACHINE, LECTURE, "--ranks", "1048577"]),
                ("--ranks: '' is not an integer of a list such as 2,4,8",
                 [MACHINE, LECTURE, "--ranks", "1,2,"]),
                ("--threads: 3 are more than the 2 cores of a node",
                 [MACHINE, LECTURE, "--threads", "1,3"]),
                ("grid.nx: -4 is not in 1..2147483647", [MACHINE, LECTURE, "grid.nx=-4"])):
            self.refused(2, f"command line: {message}", *words)

    def test_layouts(self):
        self.refused(2, "parallel.process_grid: 5000 ranks cannot share 4000 x 4000 points so that "
                        "each has one; the nearest usable rank count is 4000", LECTURE, *BY_HAND,
                     "--ranks", "5000", "parallel.process_grid=1d-y")
        self.refused(2, "4 ranks x 1 threads need 2 nodes, but of messages between nodes nothing is "
                        "known; measure other-node, or give --alpha and --beta-bandwidth", MACHINE,
                     LECTURE, "--ranks", "4")
        self.refused(2, "parallel.process_grid: 2x2 needs 4 ranks, there are 2", MACHINE, LECTURE,
                     "--ranks", "2", "parallel.process_grid=2x2")
        self.refused(2, f"{MACHINE}: kernels: no rates of parallel.kernel = streaming, only of vector, "
                        "temporal; measure it, or give --rate", MACHINE, LECTURE,
                     "parallel.kernel=streaming")

    def test_files(self):
        missing = "No such file or directory"
        self.refused(6, f"no.json: cannot be read: {missing}", "no.json", LECTURE)
        self.refused(6, f"{self.folder}: cannot be read; give a machine file", self.folder, LECTURE)
        self.refused(6, f"no.ini: cannot be opened: {missing}", MACHINE, "no.ini")
        for flag in ("--record", "--plot"):
            self.refused(6, f"{flag}: /nowhere/x: folder /nowhere: {missing}; create it with mkdir -p",
                         MACHINE, LECTURE, flag, "/nowhere/x")

    def machine_refused(self, message, text):
        (self.folder / "m.json").write_text(text)
        self.refused(2, f"m.json{message}", "m.json", LECTURE)

    def test_what_is_no_machine_file(self):
        text = MACHINE.read_text()
        self.machine_refused(":1:0: not JSON: '[' or '{' expected near end of file", "")
        self.machine_refused(":3:18: not JSON: ':' expected near '\"example\"'",
                             text.replace('"name": "example"', '"name" "example"'))
        self.machine_refused(": not a JSON object", "[]")
        self.machine_refused(": machine_version is not 1: no machine file of this program; write one "
                             "with run/measure-machine", "{}")

    def test_values_of_a_machine_file(self):
        text = MACHINE.read_text()
        for old, new, message in (
                ('"cores": 2,\n', '"cores": 0,\n', "cores: not an integer in 1..1048576"),
                ('"alpha_s": 1e-6', '"alpha_s": -1', "network[0].segments[0].alpha_s: not a number, at "
                                                     "least 0"),
                ('"lups": 2e9', '"lups": "fast"', "kernels[0].rates[0].lups: not a number above 0"),
                ('"from_bytes": 10000', '"from_bytes": 0',
                 "network[0].segments[1].from_bytes: not above the segment before"),
                ('{"from_bytes": 0, "alpha_s": 1e-6', '{"from_bytes": 1, "alpha_s": 1e-6',
                 "network[0].segments[0].from_bytes: not 0, where the first begins"),
                ('"same-node"', '"nearby"', "network[0].distance: none of shared-cache, same-node, "
                                            "loopback, other-node, shared-window"),
                ('"same-node"', '"same-node", "in_rows": 1', "network[0].in_rows: not true or false"),
                ('"name": "temporal"', '"name": "auto"',
                 "kernels[1].name: no kernel of jacobi; see jacobi --help"),
                ('"cores": 2, "lups": 4e9', '"cores": 1, "lups": 4e9',
                 "kernels[0].rates[1].cores: not above the entry before"),
                ('null, "sweeps_in_pass": 1', '5, "sweeps_in_pass": 1',
                 "kernels[0].rates[2].up_to_bytes: below the entry before"),
                ('"sweeps_in_pass": 16', '"sweeps_in_pass": 0',
                 "kernels[1].rates[0].sweeps_in_pass: not an integer in 1..64"),
                ('"sweeps_in_pass": 16', '"sweeps_in_pass": 65',
                 "kernels[1].rates[0].sweeps_in_pass: not an integer in 1..64"),
                ('"sweeps_in_pass": 16, ', '', "kernels[1].rates[0].sweeps_in_pass: missing"),
                ('"sweeps_in_pass": 1,', '"sweeps_in_pass": 8,',
                 "kernels[0].rates[0].sweeps_in_pass: not 1, but this kernel works in no passes"),
                (PASSES, f"{PASSES}, {PASSES}", "kernels[1].rates[1].cores: not above the entry before"),
                (PASSES, f"{PASSES}, {PASSES.replace('16', '8')}",
                 "kernels[1].rates[1].sweeps_in_pass: below the entry before"),
                ('{"threads": 2', '{"threads": 1', "sweep_overhead[1].threads: not above the entry "
                                                   "before")):
            self.assertIn(old, text)
            self.machine_refused(f": {message}", text.replace(old, new, 1))


class Schemas(Case):
    def test_the_machine_file(self):
        self.assertEqual(check_schema.check(MACHINE_SCHEMA, MACHINE.read_text()), [])

    def required(self, value, schema, root):
        """(object, name) for every name that the schema requires inside a value."""
        if "$ref" in schema:
            schema = root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
        if isinstance(value, dict):
            for name in schema.get("required", []):
                yield value, name
            for name, entry in value.items():
                yield from self.required(entry, schema["properties"][name], root)
        for entry in value if isinstance(value, list) else []:
            yield from self.required(entry, schema.get("items", {}), root)

    def test_predict_misses_what_the_schema_requires(self):
        schema, machine = json.loads(MACHINE_SCHEMA.read_text()), json.loads(MACHINE.read_text())
        not_read = [entry for entry in machine["caches"]]
        tried = 0
        for owner, name in list(self.required(machine, schema, schema)):
            if any(owner is entry for entry in not_read):
                continue
            value = owner.pop(name)
            (self.folder / "m.json").write_text(json.dumps(machine))
            owner[name] = value
            done = self.run_predict("m.json", LECTURE)
            self.assertEqual((done.returncode, done.stdout), (2, ""), name)
            self.assertIn(name, done.stderr)
            tried += 1
        self.assertGreater(tried, 30)

    def test_optional_parts_may_be_missing(self):
        machine = json.loads(MACHINE.read_text())
        for name in ("measured_at", "commands", "processor", "caches", "copy", "sweep_overhead"):
            less = {key: value for key, value in machine.items() if key != name}
            (self.folder / "m.json").write_text(json.dumps(less))
            self.assertEqual(self.run_predict("m.json", LECTURE).returncode, 0, name)

    def test_records(self):
        root = json.loads(SCHEMA.read_text())
        for words in ((LECTURE, *BY_HAND), (MACHINE, LECTURE)):
            record = self.record(*words)
            self.assertEqual(check_schema.check(SCHEMA, json.dumps(record)), [])
            shape = root["$defs"]["predict"]
            self.assertEqual(list(check_schema.faults(shape, record["measured"], root)), [])
            broken = copy.deepcopy(record["measured"])
            del broken["layouts"][0]["at_once"]["sweep_s"]
            self.assertEqual(len(list(check_schema.faults(shape, broken, root))), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
