"""Runs what is planned, one run after the other, and keeps what comes out before the next begins."""
import sys
import time

from lab import job
from lab.command import ROOT
from lab.study import folder as folders
from lab.study.verdict import OK, judge, sweep_time_s


class Progress:
    """One line that is overwritten on a terminal, a line a run elsewhere."""

    def __init__(self, total, out=sys.stdout):
        self.total, self.out, self.terminal = total, out, out.isatty()
        self.elapsed_s = {}  # point -> times of its runs

    def time_left_s(self, runs):
        """By the mean of each point's runs; of all runs for points that had none."""
        means = {name: sum(times) / len(times) for name, times in self.elapsed_s.items()}
        usual = sum(means.values()) / len(means) if means else 0.0
        return sum(means.get(run.point.name, usual) for run in runs)

    def tell(self, done, run, verdict, record, left_s):
        sweep_s = sweep_time_s(record) if record else None
        result = f"{1e3 * sweep_s:.4g} ms a sweep" if sweep_s else "no time"
        if verdict.status != OK:
            result = f"{verdict.status}: {verdict.detail}"
        minutes, seconds = divmod(round(left_s), 60)
        line = f"{done}/{self.total} {run.name}: {result}; about {minutes}:{seconds:02d} left"
        lasting = not self.terminal or verdict.status != OK
        self.out.write(("\r\033[K" if self.terminal else "") + line + ("\n" if lasting else ""))
        self.out.flush()

    def close(self):
        if self.terminal:
            self.out.write("\n")


def remaining(folder, runs):
    """What has no line in the log yet."""
    done = {entry["run"] for entry in folders.read_log(folder)}
    return [run for run in runs if run.name not in done]


def run_once(folder, run, words, time_limit_s, cores, lock):
    """One run: its line of the log, what it was worth, its record."""
    started_at = folders.now()
    outcome = job.run_job(words, time_limit_s, folder=ROOT, hand_on=(lock,))
    entry = {"run": run.name, "point": run.point.name, "round": run.round, "warmup": run.warmup,
             "started_at": started_at, "elapsed_s": outcome.elapsed_s, "exit_code": outcome.exit_code,
             "timed_out": outcome.timed_out,
             "complaint": "" if outcome.good else outcome.complaint()}
    record = folders.load_run(folder, run.name)
    point = {"ranks": run.point.ranks, "threads": run.point.threads}
    verdict = judge(point, entry, record, cores)
    if record is None or entry["exit_code"]:
        folders.keep_output(folder, run.name, outcome)
    return entry, verdict, record


def run_all(folder, runs, words_of, time_limit_s, cores, progress):
    """Runs what the log does not have yet. words_of: the command of a run. Returns how many were not
    ok. Interrupted, it leaves the log without a line for the run that was under way."""
    with folders.only_user(folder) as lock:
        return run_left(folder, runs, words_of, time_limit_s, cores, progress, lock)


def run_left(folder, runs, words_of, time_limit_s, cores, progress, lock):
    """run_all, with the folder locked."""
    left = remaining(folder, runs)
    begin_s, launched_s, bad, done = time.monotonic(), 0.0, 0, 0
    try:
        for number, run in enumerate(left, 1):
            entry, verdict, record = run_once(folder, run, words_of(run), time_limit_s, cores, lock)
            folders.append_log(folder, entry)
            launched_s += entry["elapsed_s"]
            bad, done = bad + (verdict.status != OK), number
            progress.elapsed_s.setdefault(run.point.name, []).append(entry["elapsed_s"])
            progress.tell(len(runs) - len(left) + number, run, verdict, record,
                          progress.time_left_s(left[number:]))
    finally:
        progress.close()
        own_s = time.monotonic() - begin_s - launched_s
        folders.append_log(folder, {"session": {
            "ended_at": folders.now(), "runs": done, "complete": done == len(left),
            "harness_s_per_run": own_s / done if done else None}})
    return bad
