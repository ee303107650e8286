"""What a run was worth: `ok`, or the name of what was wrong with it and a line that says more.

Only `ok` runs enter medians, speed-ups and fits; all others are kept, counted and shown.
"""
from typing import NamedTuple

OK = "ok"
# The loop ended otherwise than asked for; the text is the record's reason.
REASONS = {"diverged": "diverged", "sweep limit": "not converged", "stagnated": "stagnated",
           "time limit": "stopped", "signal": "stopped"}
# Of the topology, not of where anything runs: they are told, but spoil no time.
HARMLESS = ("topology-unreadable", "topology-foreign")


class Verdict(NamedTuple):
    status: str
    detail: str = ""


def timed_sweeps(record):
    """Sweeps that total_s covers: the first block is timed apart."""
    return (record.get("sweeps") or 0) - (record.get("first_block_sweeps") or 0)


def sweep_time_s(record):
    """Time a sweep; None where a record has none."""
    sweeps, total_s = timed_sweeps(record), record.get("total_s")
    return total_s / sweeps if sweeps > 0 and total_s else None


def binding_problems(record):
    """Names of what is wrong with where ranks and threads ran."""
    problems = (record.get("binding") or {}).get("problems") or []
    return [problem["name"] for problem in problems if problem["name"] not in HARMLESS]


def judge_end(entry, record):
    """How the run ended; None if as it should."""
    if entry["timed_out"]:
        return Verdict("timed out", entry["complaint"])
    if record is None:
        return Verdict("failed", entry["complaint"]) if entry["exit_code"] else \
            Verdict("no record", "the run ended well but left no readable record")
    if record.get("reason") in REASONS:
        return Verdict(REASONS[record["reason"]], f"{record['reason']} after {record.get('sweeps')} sweeps")
    if entry["exit_code"] or record.get("exit_code"):
        return Verdict("failed", entry["complaint"] or f"exit code {record.get('exit_code')}")
    return None


def judge_layout(point, record):
    """Whether the run had the ranks and threads that it was started with; None if so."""
    layout = record.get("layout") or {}
    ranks = (record.get("binding") or {}).get("ranks") or []
    threads = sorted({rank["threads"] for rank in ranks}) or [layout.get("threads")]
    if layout.get("ranks") == point["ranks"] and threads == [point["threads"]]:
        return None
    return Verdict("wrong layout", f"asked for {point['ranks']} ranks x {point['threads']} threads, got "
                                   f"{layout.get('ranks')} x {'/'.join(map(str, threads))}: launcher and "
                                   "MPI library do not belong together, or a setting did not arrive")


def judge_binding(point, record, cores):
    """Whether each thread had a processor of its own; None if so."""
    problems = binding_problems(record)
    crowd = "node-oversubscribed" in problems or (cores and point["ranks"] * point["threads"] > cores)
    if crowd:
        return Verdict("oversubscribed", f"{point['ranks']} x {point['threads']} on {cores} cores")
    if problems:
        return Verdict("mis-bound", ", ".join(dict.fromkeys(problems)))
    return None


def judge(point, entry, record, cores):
    """The verdict on one run. point: its ranks and threads; entry: its line of the log; record: what
    the program wrote, None if that cannot be read; cores: that the study could use."""
    verdict = judge_end(entry, record)
    if verdict is None:
        verdict = judge_layout(point, record) or judge_binding(point, record, cores)
    if verdict is None and sweep_time_s(record) is None:
        verdict = Verdict("no rate", "too few sweeps to time: the first block is timed apart")
    return verdict or Verdict(OK)
