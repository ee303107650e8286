"""One call of run/study: from points to a folder of results, new or gone on with."""
import os
import shlex

from lab import launch
from lab.command import DONE, ROOT, STOPPED, at_checkout, in_checkout, shorten
from lab.study import folder as folders, points, runner
from lab.study.launching import check_point

SOME_BAD = 3  # complete, but some runs were not good


def plan_of_point(launching, point):
    return {"name": point.name, "ranks": point.ranks, "threads": point.threads,
            "axis": [list(pair) for pair in point.axis],
            "overrides": [list(pair) for pair in point.overrides],
            "command": shlex.join(launching.words(point))}


def make_plan(launching, all_points, runs, repeat):
    """What study.json holds. repeat: the command that repeats the study."""
    study, launcher = launching.study, launching.launcher
    nodes = os.environ.get("SLURM_JOB_NUM_NODES") if launcher.kind == "srun" else None
    return {"schema_version": folders.SCHEMA_VERSION, "name": study.name,
            "question": study.question, "kind": study.kind,
            "study_file": in_checkout(study.path), "config_file": in_checkout(study.config),
            "repeats": study.repeats, "warmup": study.warmup, "order": study.order,
            "time_limit_s": study.time_limit_s, "cores": launching.cores,
            "nodes": int(nodes) if nodes else None, "launcher": launcher.kind,
            "launcher_version": launch.launcher_version(launcher), "started_at": folders.now(),
            "machine_file": in_checkout(study.machine) if study.machine else None, "repeat": repeat,
            "points": [plan_of_point(launching, point) for point in all_points],
            "runs": [run.name for run in runs]}


def choose_folder(study, out, resume):
    """The folder, and whether it is gone on with."""
    results = ROOT / "results"
    found = None
    if resume:
        found = folders.newest_unfinished(results, study.name) if out is None else \
            out if folders.is_study(out) else None
    folder = found or out or folders.new_folder(results, study.name)
    folders.check_free(folder)
    return folder, found is not None


def print_commands(launching, folder, all_points, runs):
    """Checks first, then runs, as they would be started."""
    for point in all_points:
        print(at_checkout(shlex.join(launching.words(point, "--check"))))
    for run in runs:
        print(at_checkout(shlex.join(launching.run_words(folder, run))))


def resume_command(repeat, folder):
    return at_checkout(f"{repeat} --out {shlex.quote(in_checkout(folder))} --resume")


def run_study(launching, all_points, folder, going_on, repeat):
    """Checks all points, then runs what is left. The exit code."""
    study, runs = launching.study, points.make_runs(launching.study, all_points)
    for point in all_points:
        check_point(launching, point)
    plan = make_plan(launching, all_points, runs, repeat)
    (folders.check_same if going_on else folders.start)(folder, plan)
    print(f"{study.name}: {len(all_points)} points, {len(runs)} runs, in {shorten(folder)}", flush=True)
    try:
        bad = runner.run_all(folder, runs, lambda run: launching.run_words(folder, run),
                             study.time_limit_s, launching.cores, runner.Progress(len(runs)))
    except KeyboardInterrupt:
        print(f"stopped; what is done is kept in {shorten(folder)}\n"
              f"go on:     {resume_command(repeat, folder)}\n"
              "or report: " + at_checkout(f"run/report {shlex.quote(in_checkout(folder))}"), flush=True)
        return STOPPED
    return SOME_BAD if bad else DONE
