"""How a run ends: the named reasons, their exit codes, and that all ranks stop together."""

import json
import os
import pty
import re
import select
import signal
import time

import funnel_cli
from funnel_cli import Case, ENDLESS, ended

FIXED = "solver.rtol=0"
SIGNALS = signal.SIGINT, signal.SIGTERM, signal.SIGUSR1
HYDRA_FORGETS = 0  # hydra 4.0.2 often returns 0 for ranks that exit after a signal it has passed on


class Reasons(Case):
    def check_end(self, line, code, *options, ranks=0):
        done = self.jacobi(*options, ranks=ranks)
        self.assertRegex(done.last_line, rf"^jacobi: {line} \(exit code {code}\)$")
        self.assertEqual(done.code, code, done.err)
        return done

    def test_converged(self):
        for ranks in 0, 1, 2, 4:
            done = self.check_end(r"converged after \d+ sweeps", 0, ranks=ranks)
            self.assertRegex(done.out, r"\nrate +[\d.]+ MLUP/s")

    def test_exact_sweeps(self):
        for sweeps in 1, 2, 100:
            done = self.check_end(f"sweeps done after {sweeps} sweeps", 0, FIXED,
                                  f"solver.max_sweeps={sweeps}", ranks=2)
            self.assertIn("rate ", done.out)

    def test_start_is_the_solution(self):
        self.check_end("converged after 0 sweeps", 0, "problem.north=dirichlet 0")
        self.check_end("converged after 0 sweeps", 0, "problem.initial=y", "problem.west=dirichlet y",
                       "problem.east=dirichlet y", "solver.atol=1e-9", ranks=2)

    def test_sweep_limit(self):
        """B24: reaching the limit is no success."""
        for ranks in 0, 2, 4:
            done = self.check_end("sweep limit after 10 sweeps", 3, "solver.rtol=1e-14",
                                  "solver.max_sweeps=10", ranks=ranks)
            self.assertNotIn("converged", done.out)

    def test_check_interval_does_not_divide_the_limit(self):
        """B23: exactly as many sweeps as asked, and a residual for the last one."""
        for option, reason, code in ((FIXED, "sweeps done", 0),
                                     ("solver.rtol=1e-14", "sweep limit", 3)):
            self.check_end(f"{reason} after 100 sweeps", code, option, "solver.check_every=7",
                           "solver.max_sweeps=100", "output.history=h.csv", "output.overwrite=on",
                           ranks=2)
            rows = self.read("h.csv").decode().splitlines()
            self.assertEqual(rows[0], "sweep,elapsed_s,residual_norm2")
            self.assertEqual([int(row.split(",")[0]) for row in rows[1:]], [*range(0, 100, 7), 100])

    def test_stagnated(self):
        for ranks in 0, 2:
            done = self.check_end(r"stagnated after \d+ sweeps", 8, "solver.rtol=1e-17", "grid.nx=5",
                                  "grid.ny=5", ranks=ranks)
            self.assertRegex(done.err, r"jacobi: warning: solver\.rtol: 1e-17 is below what rounding "
                             r"lets this grid reach, about \S+; the run will end as stagnated or at "
                             r"the sweep limit\n")

    def test_time_limit(self):
        """D17: stops within a fraction of a second of the limit."""
        for ranks in 0, 2:
            done = self.check_end(r"time limit after \d+ sweeps", 7, *ENDLESS, "solver.time_limit_s=0.3",
                                  ranks=ranks)
            self.assertIn("\nresult      time limit after", done.out)

    def test_one_half_has_converged_from_the_start(self):
        """B21: no rank leaves the loop alone."""
        options = "problem.north=dirichlet (x>0.6)", "problem.initial=0", "parallel.process_grid=1d-x"
        expected = self.jacobi(*options).last_line
        for ranks in 2, 4:
            self.assertEqual(self.jacobi(*options, ranks=ranks).last_line, expected)


class NotFinite(Case):
    """B18, B19, B20: NaN or Inf on any rank ends all of them in the same sweep, as diverged."""

    def check_diverged(self, *options, ranks=(0, 4)):
        sweeps = set()
        for count in ranks:
            with self.subTest(options=options, ranks=count):
                done = self.jacobi(*options, "--record", "r.json", "output.overwrite=on", ranks=count)
                self.assertRegex(done.last_line, r"^jacobi: diverged after \d+ sweeps \(exit code 4\)$")
                self.assertEqual(done.code, 4, done.err)
                self.assertNotIn("converged", done.out)
                self.assertNotRegex(done.out, r"(?m)^rate ")
                record = json.loads(self.read("r.json"))
                self.assertEqual(record["reason"], "diverged")
                self.assertIsNone(record["residual_norm2"])
                self.assertIsNone(record["rate_lups"])
                sweeps.add(done.sweeps())
        self.assertEqual(len(sweeps), 1)

    def test_one_nan_in_the_start(self):
        corner = "problem.initial=(x>0.9 && y>0.9) ? 0/0 : 0"
        self.check_diverged(corner, ranks=(0, 2, 3, 4))
        self.check_diverged(corner, FIXED, "solver.max_sweeps=1000")
        self.check_diverged("problem.initial=(x<0.1 && y<0.1) ? 0/0 : 0",
                            "parallel.process_grid=1d-y")

    def test_one_nan_on_a_side(self):
        self.check_diverged("problem.east=dirichlet (y>0.9) ? 0/0 : 0", "parallel.process_grid=1d-y")
        self.check_diverged("problem.east=neumann (y<0.1) ? 0/0 : 0")

    def test_source(self):
        self.check_diverged("problem.source=(x>0.9) ? 1/0 : 0")

    def test_overflow_on_the_way(self):
        growing = ("solver.method=weighted", "solver.omega=1.99", "problem.initial=1e300",
                   "solver.check_every=10")
        self.check_diverged(*growing)
        self.check_diverged(*growing, FIXED, "solver.max_sweeps=1000000", ranks=(0, 2))


class Signals(Case):
    def check_stopped(self, done, codes=(7,)):
        """The summary was printed, and every rank had done the sweeps that it speaks of."""
        self.assertRegex(done.last_line, r"^jacobi: signal after \d+ sweeps \(exit code 7\)$")
        self.assertIn(done.code, codes)
        self.assertIn("\nresult      signal after", "\n" + done.out)
        checksum = re.search(r"^checksum +(\w+)$", done.out, re.MULTILINE).group(1)
        again = self.record(*ENDLESS, f"solver.max_sweeps={done.sweeps()}")
        self.assertEqual(again["field_checksum"], checksum)

    def test_single_process(self):
        for number in SIGNALS:
            with self.subTest(signal=number), self.started(*ENDLESS) as process:
                process.send_signal(number)
                self.check_stopped(ended(process))

    def test_to_the_launcher(self):
        """D18: hydra passes these signals on; all ranks agree on the sweep."""
        for ranks, number in zip((2, 4, 2), SIGNALS):
            with self.subTest(signal=number), self.started(*ENDLESS, ranks=ranks) as process:
                process.send_signal(number)
                self.check_stopped(ended(process), codes=(7, HYDRA_FORGETS))

    def test_to_one_rank(self):
        with self.started(*ENDLESS, ranks=3) as process:
            os.kill(funnel_cli.ranks_of(process)[-1], signal.SIGUSR1)
            self.check_stopped(ended(process))

    def test_record_tells_of_the_signal(self):
        with self.started(*ENDLESS, "--record", "stopped.json") as process:
            process.send_signal(signal.SIGTERM)
            ended(process)
        self.assertIn(b'"reason": "signal"', self.read("stopped.json"))

    def test_interrupt_from_a_terminal(self):
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.folder)
            os.execvpe(funnel_cli.MPIEXEC, [*funnel_cli.launch(2), funnel_cli.JACOBI, "plate.ini",
                                            *ENDLESS], funnel_cli.environment())
        out, deadline_s = b"", time.monotonic() + funnel_cli.HANG_GUARD_S
        try:
            out = read_terminal(terminal, b"rank 1 ", deadline_s)
            os.write(terminal, b"\x03")
            out += read_terminal(terminal, None, deadline_s)
        finally:
            os.kill(child, signal.SIGTERM)
            os.waitpid(child, 0)
            os.close(terminal)
        self.assertRegex(out.decode(), r"jacobi: signal after \d+ sweeps \(exit code 7\)\r\n$")


def read_terminal(terminal, until, deadline_s):
    """What a program writes, up to some text or its end."""
    out = b""
    while until is None or until not in out:
        ready, _, _ = select.select([terminal], [], [], max(0, deadline_s - time.monotonic()))
        if not ready:
            raise AssertionError(f"no end in sight: {out.decode()}")
        try:
            some = os.read(terminal, 65536)
        except OSError:  # how Linux says that the other side is closed
            break
        if not some:
            break
        out += some
    return out


class DeadRanks(Case):
    def test_killed_rank(self):
        """B29: the job does not wait for a rank that is gone."""
        for victim in 0, 2:
            with self.started(*ENDLESS, ranks=3) as process:
                os.kill(funnel_cli.ranks_of(process)[victim], signal.SIGKILL)
                done = ended(process)
                self.assertNotEqual(done.code, 0)
                self.assertNotIn("exit code", done.last_line)
                self.assertNotIn("\nresult ", done.out)


if __name__ == "__main__":
    funnel_cli.main()
