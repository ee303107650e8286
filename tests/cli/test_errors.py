"""Every refusal: one line with place and remedy, the right exit code, nothing run.

Row ids such as B12 stand for one kind of trap each; they are in the docstrings.
"""

import itertools
import os

import funnel_cli
from funnel_cli import Case

INTEGER = "is not an integer in 1..2147483647"


class Refusals(Case):
    def refused(self, code, message, *options, ranks=(0,), **changes):
        """One line on standard error, nothing on standard output, whatever the number of ranks."""
        for count in ranks:
            with self.subTest(options=options, ranks=count):
                done = self.jacobi(*options, ranks=count, **changes)
                self.assertEqual(done.err, f"jacobi: {message}\n")
                self.assertEqual(done.out, "")
                self.assertEqual(done.code, code)


class CommandLine(Refusals):
    def test_no_configuration(self):
        self.refused(2, "command line: a configuration file is needed: jacobi CONFIG "
                        "[section.key=value ...]; see jacobi --help", config=None, ranks=(0, 2, 4))

    def test_flags(self):
        for words, message in (
                (["--chekc"], "unknown option --chekc; did you mean --check?"),
                (["--recrod", "x"], "unknown option --recrod; did you mean --record?"),
                (["--frobnicate"], "unknown option --frobnicate; see jacobi --help"),
                (["-h"], "unknown option -h; see jacobi --help"),
                (["--record"], "--record needs FILE"),
                (["--record", ""], "--record: an empty name; give FILE"),
                (["--quiet", "--image"], "--image needs FILE.png")):
            self.refused(2, f"command line: {message}", *words)
        self.refused(2, "command line: unknown option --chekc; did you mean --check?", "--chekc",
                     ranks=(2, 4))

    def test_flags_that_contradict_each_other(self):
        flags = "--check", "--tune", "--print-config", "--sketch"
        for first, second in itertools.combinations(flags, 2):
            self.refused(2, f"command line: {first} and {second} contradict each other; give one of them",
                         second, first)
        self.refused(2, "command line: --check and --tune contradict each other; give one of them",
                     "--check", "--tune", ranks=(2,))

    def test_words(self):
        for word, message in (
                ("other.ini", "'other.ini' is not SECTION.KEY=VALUE in one line"),
                ("", "'' is not SECTION.KEY=VALUE in one line"),
                ("grid.nx=1\ngrid.ny=2",
                 "'grid.nx=1?grid.ny=2' is not SECTION.KEY=VALUE in one line"),
                ("grid.nz=5", "grid.nz: unknown key; did you mean nx?"),
                ("gird.nx=5", "unknown section [gird]; did you mean [grid]?"),
                ("solver.nx=5", "solver.nx: unknown key; it belongs to [grid]"),
                ("grid.nx=-5", "grid.nx: -5 is not in 1..2147483647")):
            self.refused(2, f"command line: {message}", word)
        self.refused(2, "command line: more than 128 words", *["grid.nx=5"] * 128)

    def test_ranks_with_different_command_lines(self):
        """B21: rank 1 alone has a wrong option, or asks for something else: nobody waits for it."""
        jacobi = [funnel_cli.JACOBI, "plate.ini"]
        for theirs, code in (["--wrong"], 2), (["--help"], 0):
            done = self.run_command([funnel_cli.MPIEXEC, "-n", "1", *jacobi, "--quiet", ":",
                                     "-n", "1", *jacobi, *theirs])
            self.assertEqual(done.code, code, done.err)


class ConfigFile(Refusals):
    def rows(self, option):
        """The names that a table of the program holds, from its own reference."""
        lines = iter(self.jacobi("--reference", config=None).out.splitlines())
        next(line for line in lines if line.startswith(f"| `{option}` | what"))
        next(lines)
        names = []
        for line in lines:
            if not line.startswith("| `"):
                break
            names.append(line.split("`")[1])
        self.assertIn("reference" if option == "parallel.kernel" else "sendrecv", names)
        return ", ".join(names)

    def config_refused(self, message, text, **changes):
        self.write("wrong.ini", text)
        self.refused(2, message, config="wrong.ini", **changes)

    def test_not_there(self):
        """D20: a missing file ends all ranks with one message."""
        self.refused(6, "no-such.ini: cannot be opened: No such file or directory",
                     config="no-such.ini", ranks=(0, 1, 2, 4))

    def test_not_readable(self):
        os.mkdir(self.path("folder"))
        self.refused(6, "folder: cannot be read: Is a directory", config="folder")
        self.refused(6, "plate.ini/x: cannot be opened: Not a directory", config="plate.ini/x")
        self.refused(6, f"{'n' * 60}...: the name has more than 511 characters", config="n" * 600)

    def test_names(self):
        """D01: a misspelt key is an error with file, line and the nearest valid key."""
        self.config_refused("wrong.ini:3: solver.max_sweep: unknown key; did you mean max_sweeps?",
                            "[grid]\n[solver]\nmax_sweep = 10\n", ranks=(0, 2, 4))
        self.config_refused("wrong.ini:2: solver.max_itter: unknown key; [solver] has method, omega, "
                            "rtol, atol, max_sweeps, check_every, time_limit_s",
                            "[solver]\nmax_itter = 10\n")
        self.config_refused("wrong.ini:2: unknown section [gird]; did you mean [grid]?", "\n[gird]\n")

    def test_same_key_twice(self):
        """D06: two lines with one key are an error that names both."""
        self.config_refused("wrong.ini:4: grid.nx: given again, first in line 2",
                            "[grid]\nnx = 5\nny = 6\nnx = 7\n")

    def test_comments(self):
        """D07: a comment never becomes part of a value, nor a value a comment."""
        self.config_refused(f"wrong.ini:2: grid.nx: '100;cells' {INTEGER}", "[grid]\nnx = 100;cells\n")
        self.config_refused("wrong.ini:2: the value would begin with '#': put it in double quotes, or "
                            "the comment on a line of its own", "[output]\nimage = # none\n")
        self.write("good.ini", '[grid]\nnx = 100 # cells\n[output]\nimage = "a#b.png"\n')
        printed = self.jacobi("--print-config", config="good.ini").out.splitlines()
        self.assertIn("nx = 100", printed)
        self.assertIn("image = a#b.png", printed)

    def test_numbers(self):
        """D10: numbers that are none, too small or too large."""
        for text, message in (
                ("-1", "-1 is not in 1..2147483647"), ("0", "0 is not in 1..2147483647"),
                ("2147483648", "2147483648 is not in 1..2147483647"), ("1e9", f"'1e9' {INTEGER}"),
                ("99999999999999999999", f"'99999999999999999999' {INTEGER}"),
                ("10abc", f"'10abc' {INTEGER}"), ("0x10", f"'0x10' {INTEGER}"),
                ("", f"'' {INTEGER}"), ("nan", f"'nan' {INTEGER}"), ("inf", f"'inf' {INTEGER}"),
                ("auto", f"'auto' {INTEGER}")):
            self.config_refused(f"wrong.ini:2: grid.nx: {message}", f"[grid]\nnx = {text}\n")
        for option, message in (
                ("grid.length_x=nan", "'nan' is not a number above 0"),
                ("grid.length_x=0", "0 is not above 0"),
                ("solver.max_sweeps=0", "0 is not in 1..1000000000000"),
                ("solver.check_every=0", "0 is not in 1..1000000000000 or auto"),
                ("solver.rtol=inf", "'inf' is not a number in 0..1"),
                ("solver.atol=-1", "-1 is not at least 0"),
                ("solver.omega=2", "2 is not above 0 and below 2"),
                ("parallel.halo_depth=65", "65 is not in 1..64 or auto"),
                ("solver.time_limit_s=-1", "-1 is not in 0..1e+09"),
                ("parallel.process_grid=0x2",
                 "'0x2' is not auto, 1d-x, 1d-y, 2d or PXxPY, as in 4x2")):
            self.refused(2, f"command line: {option.split('=')[0]}: {message}", option)

    def test_words(self):
        kernels, halos = self.rows("parallel.kernel"), self.rows("parallel.halo")
        for option, message in (
                ("solver.method=jacoby",
                 "'jacoby' is not one of jacobi, weighted; did you mean jacobi?"),
                ("binding.policy=stric",
                 "'stric' is not one of report, warn, strict; did you mean strict?"),
                ("parallel.kernel=vectro",
                 f'"vectro" is none of auto, {kernels}; did you mean vector?'),
                ("parallel.halo=neighbour",
                 f'"neighbour" is none of {halos}; did you mean neighbor?'),
                ("problem.west=0", "'0' is not dirichlet VALUE, neumann FLUX or periodic")):
            self.refused(2, f"command line: {option.split('=')[0]}: {message}", option)
        self.config_refused(f'wrong.ini:4: parallel.halo: "pigeon" is none of {halos}',
                            "[grid]\nnx = 9\n[parallel]\nhalo = pigeon\n", ranks=(0, 2, 4))

    def test_contradictions(self):
        for message, text in (
                ("wrong.ini: grid.nx: not given; set the number of unknowns along x", "[grid]\n"),
                ("wrong.ini:4: problem.east: periodic needs problem.west = periodic too",
                 "[grid]\nnx = 9\n[problem]\neast = periodic\n"),
                ("wrong.ini:2: grid.nx: two Neumann sides need at least 2 points, not 1",
                 "[grid]\nnx = 1\n[problem]\nwest = neumann 0\neast = neumann 0\n"),
                ("wrong.ini:4: problem.north: means nothing on a line; give grid.ny for a rectangle",
                 "[grid]\nnx = 9\n[problem]\nnorth = dirichlet 0\n"),
                ("wrong.ini:4: solver.omega: this method has no omega; give solver.method = weighted, "
                 "or omega = 1", "[grid]\nnx = 9\n[solver]\nomega = 0.9\n"),
                ("wrong.ini:5: output.history: the same file as output.image",
                 "[grid]\nnx = 9\n[output]\nimage = a\nhistory = a\n"),
                ("wrong.ini:5: parallel.synchronous_sends: the halo \"neighbor\" has no synchronous "
                 "form; use sendrecv, nonblocking or persistent",
                 "[grid]\nnx = 9\n[parallel]\nhalo = neighbor\nsynchronous_sends = on\n"),
                ("wrong.ini:3: grid.ny: 2147483647 x 2147483647 points are more than the "
                 "18014398509481984 that can be counted in bytes; use a smaller grid",
                 "[grid]\nnx = 2147483647\nny = 2147483647\n")):
            self.config_refused(message, text)
            self.refused(2, message, "--check", config="wrong.ini")

    def test_expressions(self):
        self.config_refused("wrong.ini:4: problem.source: 'sin(x': Missing parenthesis at character 7",
                            "[grid]\nnx = 9\n[problem]\nsource = sin(x\n", ranks=(0, 2, 4))
        self.config_refused("wrong.ini:4: problem.west: 'y': y means nothing on a line",
                            "[grid]\nnx = 9\n[problem]\nwest = dirichlet y\n")
        self.config_refused("wrong.ini:4: problem.diffusion: must be above 0 and finite",
                            "[grid]\nnx = 9\n[problem]\ndiffusion = 0\n")


class Problem(Refusals):
    INSULATED = [f"problem.{side}=neumann 0" for side in ("west", "east", "south", "north")]

    def test_singular(self):
        """Plain Jacobi never converges without a Dirichlet side; the advice that is given helps."""
        self.refused(2, "solver.method: with no Dirichlet side and no reaction plain Jacobi keeps the "
                        "mode that changes sign from point to point and never converges; use method = "
                        "weighted with omega below 1, for instance 0.8", *self.INSULATED,
                     ranks=(0, 2, 4))
        record = self.record(*self.INSULATED, "problem.source=cos(_pi*x)", "solver.method=weighted",
                             "solver.omega=0.8")
        self.assertEqual(record["reason"], "converged")

    def test_no_solution(self):
        for ranks in 0, 2, 4:
            done = self.jacobi(*self.INSULATED, "problem.source=1", "solver.method=weighted",
                               "solver.omega=0.8", "binding.policy=report", ranks=ranks)
            self.assertEqual(done.err, "jacobi: problem.source: with no Dirichlet side and no "
                             "reaction a solution needs source and fluxes that add up to zero; their "
                             "mean is 1: subtract it, or set one side to dirichlet\n")
            self.assertEqual(done.code, 2)
            self.assertNotIn("result", done.out)


    def test_too_small_to_be_squared(self):
        """Without it the norm of b would be 0, and the start would count as converged."""
        for options in (["problem.source=1e-200"], ["problem.west=dirichlet 1e-160"]):
            for ranks in 0, 2:
                done = self.jacobi(*options, "problem.north=dirichlet 0", "binding.policy=report",
                                   ranks=ranks)
                self.assertEqual(done.err, "jacobi: problem.source: source and sides make a "
                                 "right-hand side below 1e-120, whose squares vanish in a norm; "
                                 "multiply source, sides and start values by a large number\n")
                self.assertEqual(done.code, 2)
                self.assertNotIn("converged", done.out)
        self.assertEqual(self.record("problem.source=1e-100", "problem.north=dirichlet 0")["reason"],
                         "converged")


class ProcessGrid(Refusals):
    SHARE = "parallel.process_grid: {} ranks cannot share {} points so that each has one; the nearest "

    def test_more_ranks_than_rows(self):
        """B12: refused with the largest usable count, and that count works."""
        rows = "grid.ny=4", "parallel.process_grid=1d-y"
        for ranks in 5, 8:
            self.refused(2, "command line: " + self.SHARE.format(ranks, "16 x 4") +
                         "usable rank count is 4", *rows, ranks=(ranks,))
        self.assertEqual(self.jacobi(*rows, ranks=4).code, 0)
        self.refused(2, self.SHARE.format(8, "1 x 4") + "usable rank count is 4", "grid.nx=1",
                     "grid.ny=4", ranks=(8,))
        self.refused(2, self.SHARE.format(5, "3 x 3") + "usable rank counts are 4 and 6",
                     "grid.nx=3", "grid.ny=3", ranks=(5,))

    def test_given_grid(self):
        self.refused(2, "command line: parallel.process_grid: 3x2 needs 6 ranks, there are 4",
                     "parallel.process_grid=3x2", ranks=(4,))
        self.refused(2, "command line: parallel.process_grid: 2x1 needs 2 ranks, there are 1",
                     "parallel.process_grid=2x1", ranks=(0, 1))


class Environment(Refusals):
    def test_memory(self):
        """B15, B16: what no node can hold is refused before it is taken."""
        for ranks in 0, 2:
            done = self.jacobi("grid.nx=90000000", "grid.ny=90000000", ranks=ranks)
            self.assertEqual(done.code, 5)
            self.assertRegex(done.err, r"^jacobi: memory: .* on node 0 needs? 115\.1 PiB, the node or "
                             r"its cgroup can give nine tenths of .*; use a smaller grid or more nodes\n$")
            self.assertEqual(done.out, "")

    def test_launcher_of_another_mpi(self):
        """Each process would be rank 0 of 1."""
        self.refused(5, self.launcher_says(4), PMI_SIZE=4, PMI_RANK=2, MPI_LOCALNRANKS=4)
        self.refused(5, self.launcher_says(2), OMPI_COMM_WORLD_SIZE=2, OMPI_COMM_WORLD_RANK=0)

    def launcher_says(self, ranks):
        version = self.jacobi("--version", config=None).out
        headers = version.split("built with ", 1)[1].split(",")[0]
        return (f"launcher says {ranks} ranks, MPI says 1: this program is built for {headers}; start "
                "it with mpiexec.mpich (under Slurm: srun --mpi=pmi2)")

    def test_no_threads_in_mpi(self):
        """B28: less than FUNNELED is refused, with both levels named."""
        asan = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        self.refused(5, "asked MPI for MPI_THREAD_FUNNELED, it provides MPI_THREAD_SINGLE: threads "
                        "would not be safe; use an MPI library built with thread support",
                     LD_PRELOAD=os.path.basename(funnel_cli.STUB),  # a path may have spaces
                     LD_LIBRARY_PATH=os.path.dirname(funnel_cli.STUB),
                     ASAN_OPTIONS=asan, ranks=(0, 2, 4), threads=2)


class Outputs(Refusals):
    """D11: outputs that cannot be kept are noticed before the first sweep."""

    KEYS = "record", "image", "history"

    def test_no_folder(self):
        for key in self.KEYS:
            self.refused(6, f"output.{key}: no/such/x: folder no/such: No such file or directory; "
                            "create it with mkdir -p", f"output.{key}=no/such/x")
        self.refused(6, "output.record: no/such/x: folder no/such: No such file or directory; create "
                        "it with mkdir -p", "--record", "no/such/x", ranks=(2, 4))

    def test_no_place_for_files(self):
        for key in self.KEYS:
            self.refused(6, f"output.{key}: plate.ini/x: plate.ini is not a folder; choose another "
                            "place", f"output.{key}=plate.ini/x")
            self.refused(6, f"output.{key}: /proc/x: cannot write in folder /proc: No such file or "
                            "directory; choose another place", f"output.{key}=/proc/x")
            self.refused(6, f"output.{key}: {self.folder} is a folder; give a file in it",
                         f"output.{key}={self.folder}")

    def test_existing_file(self):
        for key in self.KEYS:
            self.write("old", "kept")
            self.refused(6, f"output.{key}: old exists already; set output.overwrite = on or choose "
                            "another name", f"output.{key}=old")
            self.assertEqual(self.read("old"), b"kept")
            done = self.jacobi(f"output.{key}=old", "output.overwrite=on")
            self.assertEqual(done.code, 0, done.err)
            self.assertNotEqual(self.read("old"), b"kept")
        self.assertEqual(sorted(os.listdir(self.folder)), ["old", "plate.ini"])

    def test_the_configuration_is_no_output(self):
        before = self.read("plate.ini")
        os.link(self.path("plate.ini"), self.path("hard.png"))
        for key in self.KEYS:
            for name in ("plate.ini", "./plate.ini", "hard.png")[2 if key == "image" else 0:]:
                self.refused(2, f"output.{key}: the same file as the configuration; choose another name",
                             f"output.{key}={name}", "output.overwrite=on")
        self.assertEqual(self.read("plate.ini"), before)

    def test_one_file_for_two_outputs(self):
        for ranks in 0, 2:
            self.refused(2, "output.image: the same file as output.record; choose another name",
                         "output.record=x.png", "output.image=./x.png", ranks=(ranks,))

    def test_full_disk(self):
        """What goes wrong while writing is said at the end, with the code for files."""
        for key in self.KEYS:
            for ranks in 0, 2:
                done = self.jacobi(f"output.{key}=/dev/full", "binding.policy=report", ranks=ranks)
                self.assertRegex(done.err, r"^jacobi: /dev/full: [^\n]+; check [^\n]+\n$")
                self.assertEqual(done.code, 6)

    def test_full_standard_output(self):
        for words in "", "--print-config", "--check", "--help", "--version", "--record -":
            done = self.run_command(["sh", "-c", f'"$0" plate.ini {words} >/dev/full',
                                     funnel_cli.JACOBI])
            self.assertEqual(done.code, 6, words)
            self.assertRegex(done.err.splitlines()[-1], r"^jacobi: .*; check the disk")


if __name__ == "__main__":
    funnel_cli.main()
