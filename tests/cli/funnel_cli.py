"""Runs jacobi as a person does, with a time limit, and reads what it leaves behind.

Shared by the tests of the command line, each called as: test_X.py JACOBI MPIEXEC SOURCE_ROOT STUB
(STUB is a library to preload: an MPI that promises no threads).
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest

JACOBI, MPIEXEC, SOURCE_ROOT, STUB = map(os.path.abspath, sys.argv[1:5])
HANG_GUARD_S = 60
CHOSEN_BY_TESTS = ("OMP_", "GOMP_", "KMP_", "HWLOC_", "HYDRA_", "SLURM_", "PMI", "OMPI_")
CONFIG = """[grid]
nx = 16
ny = 12
[problem]
north = dirichlet 1
[solver]
rtol = 1e-3
"""
ENDLESS = ("grid.nx=100", "grid.ny=80", "solver.rtol=0", "solver.max_sweeps=1000000000")
EQUAL_FOR_EVERY_LAYOUT = ("reason", "sweeps", "checks", "field_checksum", "residual_norm2",
                          "residual_first_norm2", "rhs_norm2", "target_norm2", "error_max",
                          "error_norm2", "compatibility")


def environment(threads=1, **changes):
    """The caller's environment without what would change where and how a run runs."""
    kept = {k: v for k, v in os.environ.items()
            if k == "HWLOC_PLUGINS_PATH" or not k.startswith(CHOSEN_BY_TESTS)}
    kept.update(OMP_NUM_THREADS=str(threads), OMP_WAIT_POLICY="passive",
                MPIEXEC_TIMEOUT=str(HANG_GUARD_S))
    kept.update({k: str(v) for k, v in changes.items()})
    return kept


def launch(ranks):
    """What stands before the program; ranks=0 starts it without a launcher."""
    return [] if ranks == 0 else [MPIEXEC, "-n", str(ranks)]


class Done:
    """A run that has ended. What a slow build says of itself is left out of `err`."""

    def __init__(self, code, out, err):
        self.code, self.out = code, out
        self.err = re.sub(r"jacobi: warning: this is a \w+ build: its times say nothing\n", "", err)

    @property
    def last_line(self):
        return self.out.splitlines()[-1] if self.out else ""

    def sweeps(self):
        """Sweeps as the last line has them."""
        return int(re.search(r"after (\d+) sweeps \(exit code \d\)$", self.last_line).group(1))


class Case(unittest.TestCase):
    """A test with a folder of its own, in which programs run and plate.ini stands."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.write("plate.ini", CONFIG)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "wb") as file:
            file.write(text.encode())

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def run_command(self, command, stdin="", **changes):
        done = subprocess.run(command, input=stdin.encode(), env=environment(**changes),
                              cwd=self.folder, capture_output=True, timeout=HANG_GUARD_S,
                              check=False)
        return Done(done.returncode, done.stdout.decode(errors="replace"),
                    done.stderr.decode(errors="replace"))

    def jacobi(self, *options, ranks=0, config="plate.ini", **changes):
        """Runs jacobi CONFIG OPTIONS; config=None leaves the file out."""
        words = [] if config is None else [config]
        return self.run_command([*launch(ranks), JACOBI, *words, *options], **changes)

    def record(self, *options, code=0, **changes):
        """The record of a run that must end with `code`."""
        done = self.jacobi("--quiet", "--record", "record.json", "output.overwrite=on", *options,
                           **changes)
        self.assertEqual(done.code, code, done.err)
        record = json.loads(self.read("record.json"))
        self.assertEqual(record["exit_code"], code)
        return record

    def result(self, *options, **changes):
        """What must be the same for every layout of a run."""
        record = self.record(*options, **changes)
        return {name: record[name] for name in EQUAL_FOR_EVERY_LAYOUT}

    @contextlib.contextmanager
    def started(self, *options, ranks=0, **changes):
        """A run of jacobi that has begun: its process, its output still to be read."""
        command = [*launch(ranks), JACOBI, "plate.ini", *options]
        process = subprocess.Popen(command, env=environment(**changes), cwd=self.folder,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True)
        try:
            for line in process.stdout:
                if line.startswith("rank 0 "):
                    break
            yield process
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                process.kill()
            process.wait()
            process.stdout.close()


def ended(process):
    """Waits for a started run; its words are those after the head."""
    out, _ = process.communicate(timeout=HANG_GUARD_S)
    return Done(process.returncode, out, "")


def ranks_of(process):
    """Process ids of the ranks below a launcher, by the parents that the kernel names."""
    parents, names = {}, {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{entry}/stat", encoding="utf-8") as file:
            before, after = file.read().rsplit(")", 1)
            names[int(entry)] = before.split("(", 1)[1]
            parents[int(entry)] = int(after.split()[1])

    def is_below(pid):
        while pid in parents and pid != process.pid:
            pid = parents[pid]
        return pid == process.pid

    program = os.path.basename(JACOBI)[:15]
    return sorted(pid for pid, name in names.items() if name == program and is_below(pid))


def main():
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
