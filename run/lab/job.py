"""Runs a command with a time limit; whatever ends it, none of its processes stays behind.

Output goes to files: a rank that outlives its launcher would hold a pipe open for ever.
"""
import os
import select
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

NOT_STARTED = 127  # exit code
GRACE_S = 2  # between asking processes to end and ending them


class Outcome(NamedTuple):
    exit_code: int   # negative: the signal that ended the command
    timed_out: bool  # it was ended at the time limit
    elapsed_s: float
    stdout: str
    stderr: str

    @property
    def good(self):
        return self.exit_code == 0 and not self.timed_out

    def complaint(self):
        """One line about a command that was not good."""
        if self.timed_out:
            return f"ended after {self.elapsed_s:.0f} s, its time limit"
        lines = [line.strip() for line in self.stderr.splitlines() if line.strip()]
        reason = f"exit code {self.exit_code}" if self.exit_code >= 0 else f"signal {-self.exit_code}"
        return f"{reason}: {lines[-1]}" if lines else reason


def parents():
    """The parent of every process."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                found[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                pass  # it has ended
    return found


def descendants(process):
    """`process` and everything below it, whatever group or session it moved to."""
    below, family = parents(), {process}
    while True:
        more = {child for child, parent in below.items() if parent in family} - family
        if not more:
            return family
        family |= more


def send(processes, number):
    for process in processes:
        try:
            os.kill(process, number)
        except ProcessLookupError:
            pass


def end_tree(running):
    """Asks, then insists. Processes whose parents are gone are in the launcher's own group."""
    family = descendants(running.pid)
    send(family, signal.SIGTERM)
    has_ended(running, GRACE_S)
    send(family | descendants(running.pid), signal.SIGKILL)
    end_group(running)


def end_group(running):
    try:
        os.killpg(running.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def has_ended(running, wait_s):
    """Waits without polling, which would add up to 50 ms to every run."""
    if running.returncode is not None:
        return True
    descriptor = os.pidfd_open(running.pid)
    try:
        return bool(select.select([descriptor], [], [], max(wait_s, 0))[0])
    finally:
        os.close(descriptor)


def wait(running, deadline_s, sample, sample_every_s):
    """Whether it ended by itself before the deadline; calls sample() meanwhile."""
    while True:
        left_s = deadline_s - time.monotonic()
        if sample:
            sample()
        if has_ended(running, min(left_s, sample_every_s) if sample else left_s):
            return True
        if time.monotonic() >= deadline_s:
            return False


def run_job(command, time_limit_s, environment=None, folder=None, sample=None, sample_every_s=0.1,
            hand_on=()):
    """Runs the words of `command`; one that cannot be started ends with 127, as in a shell.

    hand_on: descriptors that it and its children keep. sample: called now and
    then while it runs, for example to read counters.
    """
    with tempfile.TemporaryFile("w+", errors="replace") as out, \
            tempfile.TemporaryFile("w+", errors="replace") as err:
        start_s = time.monotonic()
        try:
            running = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL,
                                       stdout=out, stderr=err, env=environment, cwd=folder,
                                       pass_fds=hand_on, start_new_session=True)
        except OSError as error:
            return Outcome(NOT_STARTED, False, 0.0, "", f"{command[0]}: {error.strerror}")
        ended = False
        try:
            ended = wait(running, start_s + time_limit_s, sample, sample_every_s)
        finally:
            elapsed_s = time.monotonic() - start_s
            (end_group if ended else end_tree)(running)
            running.wait()
        texts = [(file.seek(0), file.read())[1] for file in (out, err)]
        return Outcome(running.returncode, not ended, elapsed_s, *texts)


@contextmanager
def stoppable():
    """TERM and HUP act as Ctrl-C does, so that running jobs are ended before the script is."""
    def stop(number, frame):
        raise KeyboardInterrupt

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
