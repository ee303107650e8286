"""A batch script for Slurm that runs a whole study in one job, and goes on with it when submitted again.

srun of Slurm 22.05 and later takes no --cpus-per-task from the job, so run/study says it on each srun.
"""
import re
import shlex

from lab.command import USAGE, Problem

MOST_LEAD_S, LEAST_LEAD_S = 120, 60  # between TERM and the limit; Slurm counts in minutes
TIME = re.compile(r"(?:(?P<days>\d+)-)?(?P<first>\d+)(?::(?P<second>\d+))?(?::(?P<third>\d+))?")
MARK = "# Written by "
HEAD = """#!/bin/bash
{lines}
{mark}{command}. Submit it again to go on where it stopped:
# what is there is kept, and nothing is run twice.
cd {root} || exit 6
{study} &
study=$!
# TERM reaches this shell alone. run/study ends the run under way and writes nothing of it; wait
# returns early for the signal, so it is called again.
trap 'kill -TERM "$study"' TERM
wait "$study"
code=$?
if [ "$code" -gt 128 ]; then
    wait "$study"
    code=$?
fi
[ "$code" -ne 7 ] || echo "time is up; go on with: sbatch {script}"
exit "$code"
"""


def time_limit_s(text):
    """Seconds of one of Slurm's forms: M, M:S, H:M:S, D-H, D-H:M, D-H:M:S."""
    found = TIME.fullmatch(text)
    if not found:
        raise Problem(USAGE, f"--time {text}: write minutes, hours:minutes:seconds or days-hours, as sbatch "
                             "has it")
    parts = [int(part) for part in found.group("first", "second", "third") if part is not None]
    if found["days"] is not None:
        factors = (3600, 60, 1)
    else:
        factors = {1: (60,), 2: (60, 1), 3: (3600, 60, 1)}[len(parts)]
    seconds = int(found["days"] or 0) * 86400 + sum(part * factor for part, factor in zip(parts, factors))
    if seconds < 2 * LEAST_LEAD_S:
        raise Problem(USAGE, f"--time {text}: is less than two minutes, of which the end of the study needs "
                             "one")
    return seconds


def sbatch_lines(name, nodes, time, lead_s, log, more):
    """All of them, before anything else: what follows the first command is ignored by sbatch."""
    return [f"--job-name=funnel-{name}", f"--nodes={nodes}", f"--time={time}", "--exclusive",
            "--hint=nomultithread", f"--signal=B:TERM@{lead_s}", "--requeue", "--open-mode=append",
            f'--output="{log}"', *more]


def make_script(study, nodes, time, folder, script, root, command, more=()):
    """The text of the script. folder: of the results; script: its own name; more: options of sbatch."""
    for option in more:
        if not re.fullmatch(r"--?[a-zA-Z][^\n]*", option):
            raise Problem(USAGE, f"--sbatch {option}: is no option of sbatch, such as --partition=short")
    lead_s = max(LEAST_LEAD_S, min(MOST_LEAD_S, time_limit_s(time) // 4))
    lines = sbatch_lines(study.name, nodes, time, lead_s, f"{script}.log", more)
    words = ["run/study", str(study.path), "--launcher", "srun", "--resume", "--out", str(folder)]
    return HEAD.format(lines="\n".join(f"#SBATCH {line}" for line in lines), mark=MARK, command=command,
                       root=shlex.quote(str(root)), study=shlex.join(words), script=shlex.quote(str(script)))


def is_script(text):
    """Whether make_script made this text for run/batch; an empty file may become one."""
    return not text or text.startswith("#!/bin/bash\n") and f"\n{MARK}run/batch " in text
