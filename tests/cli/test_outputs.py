"""What jacobi says and writes: configurations, sizes, help, records, pictures, histories, progress."""

import json
import os
import pty
import re
import struct
import subprocess

import check_schema
import funnel_cli
from funnel_cli import Case, ENDLESS

SCHEMA = os.path.join(funnel_cli.SOURCE_ROOT, "results", "schema.json")
CONFIGS = os.path.join(funnel_cli.SOURCE_ROOT, "configs")
FLAGS = ("--check", "--tune", "--print-config", "--record", "--image", "--sketch", "--quiet", "--help",
         "--version")
SCALED_DOWN = {  # each shipped input at a size that takes no time
    "hot-plate.ini": ["grid.nx=20", "grid.ny=20"],
    "poisson-sine.ini": ["grid.nx=15", "grid.ny=15"],
    "lecture-4000.ini": ["grid.nx=60", "grid.ny=50", "solver.max_sweeps=20"],
    "line-8m.ini": ["grid.nx=900", "solver.max_sweeps=30"],
    "periodic.ini": ["grid.nx=16", "grid.ny=8"],
    "weak-2m.ini": ["grid.nx=20", "grid.ny=10", "solver.max_sweeps=20"],
}


class Configurations(Case):
    def test_shipped_inputs_printed_give_the_same_run(self):
        shipped = {name for name in os.listdir(CONFIGS) if name.endswith(".ini")}
        self.assertEqual(shipped, set(SCALED_DOWN))
        for name, smaller in SCALED_DOWN.items():
            with self.subTest(name=name):
                given = os.path.join(CONFIGS, name)
                printed = self.jacobi("--print-config", *smaller, config=given)
                self.assertEqual((printed.code, printed.err), (0, ""))
                self.write("printed.ini", printed.out)
                again = self.jacobi("--print-config", config="printed.ini")
                self.assertEqual(again.out, printed.out)
                self.assertEqual(self.result(config="printed.ini"),
                                 self.result(*smaller, config=given))

    def test_shipped_inputs_as_they_are(self):
        for name in SCALED_DOWN:
            done = self.jacobi("--check", config=os.path.join(CONFIGS, name))
            self.assertEqual((done.code, done.err), (0, ""))

    def test_printed_once(self):
        single = self.jacobi("--print-config").out
        for ranks in 1, 4:
            self.assertEqual(self.jacobi("--print-config", ranks=ranks).out, single)

    def printed(self, text):
        self.write("other.ini", text)
        done = self.jacobi("--print-config", config="other.ini")
        self.assertEqual(done.code, 0, done.err)
        return done.out

    def test_line_ends(self):
        """D05: Windows line ends, mixed ones, and none at the end are the same file."""
        text = funnel_cli.CONFIG
        expected = self.printed(text)
        self.assertEqual(self.printed(text.replace("\n", "\r\n")), expected)
        self.assertEqual(self.printed(text.replace("\n", "\r\n", 3)), expected)
        self.assertEqual(self.printed(text.rstrip("\n")), expected)
        self.assertEqual(self.printed("\ufeff" + text), expected)

    def test_from_standard_input(self):
        expected = self.jacobi("--print-config").out
        for ranks in 0, 3:
            done = self.jacobi("--print-config", config="/dev/stdin", stdin=funnel_cli.CONFIG,
                               ranks=ranks)
            self.assertEqual((done.out, done.err), (expected, ""))

    def test_paths_with_spaces(self):
        os.mkdir(self.path("my runs"))
        self.write("my runs/the plate.ini", funnel_cli.CONFIG)
        for ranks in 0, 2:
            done = self.jacobi("--record", "my runs/a record.json", "output.overwrite=on",
                               config="my runs/the plate.ini", ranks=ranks)
            self.assertEqual(done.code, 0, done.err)
            self.assertEqual(json.loads(self.read("my runs/a record.json"))["config_file"],
                             "my runs/the plate.ini")

    def test_only_rank_0_sees_the_files(self):
        """D20, B29: the other ranks stand where neither input nor outputs can be reached."""
        jacobi = [funnel_cli.JACOBI, "plate.ini", "--record", "r.json", "--image", "i.png",
                  "output.history=h.csv"]
        done = self.run_command([funnel_cli.MPIEXEC, "-n", "1", "-wdir", self.folder, *jacobi, ":",
                                 "-n", "2", "-wdir", "/proc", *jacobi])
        self.assertEqual(done.code, 0, done.err)
        self.assertEqual(sorted(os.listdir(self.folder)), ["h.csv", "i.png", "plate.ini", "r.json"])


class Information(Case):
    def test_help_lists_every_option(self):
        text = self.jacobi("--help", config=None).out
        section = ""
        for line in self.jacobi("--print-config").out.splitlines():
            if line.startswith("["):
                section = line
                self.assertIn(f"\n{section}\n", text)
            elif line:
                part = text.split(f"\n{section}\n", 1)[1].split("\n[", 1)[0]
                self.assertRegex(part, rf"(?m)^  {line.split(' =')[0]} +\S")
        for flag in FLAGS:
            self.assertRegex(text, rf"(?m)^  {flag} +\S")
        for code in range(9):
            self.assertRegex(text.split("Exit codes:")[1], rf"\b{code} [a-z]")

    def test_every_listed_flag_exists(self):
        text = self.jacobi("--help", config=None).out
        self.assertEqual(sorted(re.findall(r"(?m)^  (--[a-z-]+)", text)),
                         sorted({*FLAGS, *re.findall(r"(?m)^  (--reference)", text)}))
        for flag in re.findall(r"(?m)^  (--[a-z-]+)", text):
            done = self.jacobi(flag, "x", "--help", config=None)
            self.assertEqual((done.code, done.err), (0, ""))

    def test_version(self):
        """A24: names all that a result depends on; the hwloc that runs is the one compiled for."""
        for ranks in 0, 3:
            done = self.jacobi("--version", config=None, ranks=ranks)
            self.assertEqual((done.code, done.err), (0, ""))
            self.assertRegex(done.out, r"\Ajacobi \(Funnel\) \d+\.\d+\.\d+, "
                             r"commit (unknown|[0-9a-f]{40})( with changes)?\n"
                             r"compiler  (gcc|clang) \d+\S*, \w+, flags .*-ffp-contract=off.*\n"
                             r"MPI       built with .+, runs with .+\n"
                             r"threads   asked MPI_THREAD_FUNNELED, provided MPI_THREAD_\w+\n"
                             r"hwloc     .+\n"
                             r"OpenMP    .+\n\Z")
            running, headers = re.search(r"hwloc +(\d+)\.\S+ \(headers (\d+)\.", done.out).groups()
            self.assertEqual(running, headers)

    def test_check_runs_nothing(self):
        for ranks in 0, 3:
            done = self.jacobi("--check", "--record", "r.json", "--image", "i.png",
                               "parallel.process_grid=1d-y", ranks=ranks)
            self.assertEqual((done.code, done.err), (0, ""))
            parts = re.findall(r"(?m)^rank (\d+) +x 0\.\.15, y (\d+)\.\.(\d+), (\d+) points, ", done.out)
            self.assertEqual(len(parts), max(ranks, 1))
            self.assertEqual(sum(int(part[3]) for part in parts), 16 * 12)
            self.assertEqual([int(part[0]) for part in parts], list(range(len(parts))))
            self.assertRegex(done.out, r"(?m)^memory .*\(\d+ bytes\)$")
            self.assertNotIn("result", done.out)
            self.assertEqual(os.listdir(self.folder), ["plate.ini"])

    def test_check_counts_beyond_32_bits(self):
        """B15, B16: index, point and byte counts of grids past 2^31 and 2^32 points."""
        for side, points in (46341, 2147488281), (65536, 4294967296):
            done = self.jacobi("--check", f"grid.nx={side}", f"grid.ny={side}", ranks=2)
            self.assertIn(done.code, (0, 5))  # 5: more than this machine has
            self.assertIn(f" = {points} points,", done.out)
            parts = re.findall(r"(?m)^rank \d+ .* (\d+) points, ", done.out)
            self.assertEqual(sum(map(int, parts)), points)
            total = int(re.search(r"(?m)^memory .*\((\d+) bytes\)$", done.out).group(1))
            self.assertGreaterEqual(total, 2 * 8 * points)
            self.assertLess(total, 2 * 8 * points * 1.01)


class Records(Case):
    def check_schema(self, text):
        self.assertEqual(check_schema.check(SCHEMA, text), [])

    def test_schema(self):
        for ranks in 1, 3:
            record = self.record("problem.exact=x*y", "timing.split=on", ranks=ranks)
            self.check_schema(self.read("record.json").decode())
            self.assertEqual(record["layout"]["ranks"], ranks)
            self.assertEqual(len(record["binding"]["ranks"]), ranks)
            self.assertEqual(len(record["parts"]), ranks)
            self.assertEqual(sum(p["points"][0] * p["points"][1] for p in record["parts"]), 16 * 12)

    def test_every_reason(self):
        for options, code in (([], 0), (["solver.rtol=0", "solver.max_sweeps=1"], 0),
                              (["solver.max_sweeps=3"], 3), (["problem.initial=0/0"], 4),
                              ([*ENDLESS, "solver.time_limit_s=0.1"], 7)):
            self.record(*options, code=code)
            self.check_schema(self.read("record.json").decode())

    def test_phases_add_up(self):
        for ranks in 1, 3:
            record = self.record("solver.rtol=0", "solver.max_sweeps=300", "timing.split=on",
                                 ranks=ranks)
            phases = record["phases"]
            mean_s = sum(phases[name]["mean_s"] for name in phases)
            self.assertAlmostEqual(mean_s, record["total"]["mean_s"], delta=1e-6)
            for times in phases.values():
                self.assertLessEqual(times["min_s"], times["mean_s"] + 1e-12)
                self.assertLessEqual(times["mean_s"], times["max_s"] + 1e-12)
                self.assertIn(times["min_rank"], range(ranks))
                self.assertIn(times["max_rank"], range(ranks))
            exposed_s = sum(phases[name]["mean_s"] for name in phases if name not in ("sweep", "other"))
            self.assertAlmostEqual(record["tcomm_fraction"], exposed_s / record["total"]["mean_s"],
                                   delta=1e-6)
            self.assertGreaterEqual(record["total_s"], record["total"]["mean_s"])

    def test_names_that_scripts_rely_on(self):
        """E07 among others: what is counted is called sweeps."""
        record = self.record("problem.exact=0", ranks=2)
        for name in ("sweeps", "reason", "total_s", "rate_lups", "tcomm_fraction", "residual_norm2",
                     "error_max", "field_checksum"):
            self.assertIsNotNone(record[name], name)
        self.assertIn("roofline_share", record)
        self.assertEqual(record["layout"]["process_grid"], "2x1")
        self.assertEqual(record["layout"]["threads"], 1)

    def test_on_standard_output(self):
        for ranks in 0, 3:
            done = self.jacobi("--record", "-", ranks=ranks)
            self.assertEqual(done.code, 0, done.err)
            self.check_schema(done.out)
            self.assertRegex(done.err, r"\njacobi: converged after \d+ sweeps \(exit code 0\)\n$")

    def test_what_was_run(self):
        record = self.record("grid.nx=9", ranks=2, threads=2, OMP_WAIT_POLICY="passive")
        self.assertEqual(record["argv"][1:3], ["plate.ini", "--quiet"])
        self.assertEqual(record["config"]["grid"]["nx"], "9")
        self.assertEqual(record["environment"]["OMP_NUM_THREADS"], "2")
        self.assertEqual(record["layout"]["threads"], 2)
        self.assertEqual(record["mpi"]["launcher"], "hydra")


class Pictures(Case):
    def test_same_bytes_for_every_layout(self):
        options = "grid.nx=70", "grid.ny=50", "solver.max_sweeps=50", "output.overwrite=on"
        images = set()
        for ranks in 0, 2, 4:
            self.jacobi("--image", "i.png", *options, ranks=ranks)
            images.add(self.read("i.png"))
        self.assertEqual(len(images), 1)
        image = images.pop()
        self.assertEqual(image[:8], b"\x89PNG\r\n\x1a\n")
        width, height = struct.unpack(">II", image[16:24])
        self.assertGreater(min(width, height), 200)

    def test_on_standard_output(self):
        done = subprocess.run([funnel_cli.JACOBI, "plate.ini", "--image", "-"], cwd=self.folder,
                              env=funnel_cli.environment(), capture_output=True,
                              timeout=funnel_cli.HANG_GUARD_S, check=True)
        self.assertEqual(done.stdout[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(done.stdout[-8:-4], b"IEND")
        self.assertIn(b"jacobi: converged after", done.stderr)

    def test_sketch(self):
        sketches = [self.jacobi("--sketch", ranks=ranks).out for ranks in (0, 4)]
        pictures = [text.split("\nrate", 1)[1].split("\n", 1)[1].rsplit("jacobi: ", 1)[0]
                    for text in sketches]
        self.assertGreater(len(pictures[0].splitlines()), 5)
        self.assertEqual(pictures[0], pictures[1])


class Histories(Case):
    def test_rows(self):
        histories = set()
        for ranks in 0, 2:
            self.record("output.history=h.csv", "solver.check_every=10", ranks=ranks)
            rows = [line.split(",") for line in self.read("h.csv").decode().splitlines()]
            self.assertEqual(rows[0], ["sweep", "elapsed_s", "residual_norm2"])
            self.assertEqual([int(row[0]) for row in rows[1:]], list(range(0, 10 * len(rows) - 10, 10)))
            times_s = [float(row[1]) for row in rows[2:]]
            self.assertEqual(times_s, sorted(times_s))
            residuals = [float(row[2]) for row in rows[1:]]
            self.assertEqual(residuals, sorted(residuals, reverse=True))
            self.assertEqual(residuals[-1], json.loads(self.read("record.json"))["residual_norm2"])
            histories.add(tuple((row[0], row[2]) for row in rows))
        self.assertEqual(len(histories), 1)

    def test_on_standard_output(self):
        done = self.jacobi("output.history=-")
        self.assertTrue(done.out.startswith("sweep,elapsed_s,residual_norm2\n0,"))
        self.assertRegex(done.out, r"\A[^\n]*\n(\d+,[\d.]+,[\d.e+-]+\n)+\Z")


class Progress(Case):
    LINE = r"sweep \d+  residual \S+  \d+ MLUP/s  Tcomm [\d.]+ %  elapsed [^\n]+  left [^\n]+"

    def test_log_gets_a_line_every_few_seconds(self):
        done = self.jacobi(*ENDLESS, "solver.time_limit_s=5.8", "solver.check_every=1000")
        elapsed_s = float(re.search(r"(?m)^  total +\S+ \(rank 0\) +(\S+)", done.out).group(1))
        lines = re.findall(rf"(?m)^{self.LINE}$", done.out)
        self.assertGreaterEqual(len(lines), 1)
        self.assertLessEqual(len(lines), elapsed_s / 5)
        self.assertNotIn("\r", done.out)

    def terminal(self, *options):
        """What jacobi writes to a terminal."""
        terminal, other_side = pty.openpty()
        with subprocess.Popen([funnel_cli.JACOBI, "plate.ini", *ENDLESS, "solver.time_limit_s=1.5",
                               *options], stdout=other_side, stderr=other_side,
                              env=funnel_cli.environment(), cwd=self.folder):
            os.close(other_side)
            out = b""
            try:
                while some := os.read(terminal, 65536):
                    out += some
            except OSError:  # how Linux says that the other side is closed
                pass
        os.close(terminal)
        return out.decode()

    def test_terminal_line_is_overwritten(self):
        out = self.terminal()
        self.assertRegex(out, rf"(\r{self.LINE}\x1b\[K){{2,}}\r\nresult ")

    def test_quiet(self):
        out = self.terminal("--quiet")
        self.assertIn("\r\nresult ", out)
        self.assertNotIn("elapsed", out)
        self.assertNotIn("\x1b", out)


if __name__ == "__main__":
    funnel_cli.main()
