"""The folder of a study's results: what was planned, a log with a line a run, the records.

    study.json   what was to run, and where    log.jsonl   a line a run, as they ended
    runs/NAME.json   the record as the program wrote it    runs/NAME.txt   output of a run without one
"""
import datetime
import fcntl
import json
import os
from contextlib import contextmanager
from pathlib import Path

from lab.command import FILES, USAGE, Problem
from lab.records import read_record, write_record
from lab.study import form

PLAN, LOG, RUNS = "study.json", "log.jsonl", "runs"
SCHEMA_VERSION = 1
# Of study.json: what may differ between the parts of an interrupted study.
PASSING = ("started_at", "launcher_version")


def now():
    """UTC, as in records."""
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def new_folder(results, name):
    """results/NAME/DATE, with a number where that exists."""
    date = datetime.date.today().isoformat()
    folder = Path(results) / name / date
    number = 1
    while folder.exists():
        number += 1
        folder = Path(results) / name / f"{date}-{number}"
    return folder


def is_study(folder):
    return (Path(folder) / PLAN).is_file()


def newest_unfinished(results, name):
    """The folder to go on with, None if there is none."""
    folders = [folder for folder in (Path(results) / name).glob("*") if is_study(folder)]
    open_ones = [folder for folder in folders if not is_finished(folder)]
    return max(open_ones, key=lambda folder: (folder / PLAN).stat().st_mtime, default=None)


def is_finished(folder):
    plan = read_plan(folder)
    return set(plan["runs"]) <= {entry["run"] for entry in read_log(folder)}


def read_plan(folder):
    """study.json; a Problem if this is no folder of a study."""
    if not is_study(folder):
        raise Problem(FILES, f"{folder}: no study: there is no {PLAN}; give the folder that run/study named")
    plan = read_record(Path(folder) / PLAN)
    if plan.get("schema_version") != SCHEMA_VERSION or not form.fits_whole(plan, form.PLAN):
        raise Problem(FILES, f"{folder}/{PLAN}: not of the form that this version of run/study writes; take "
                             "the one that wrote it, or run the study anew")
    return plan


def read_lines(path):
    """JSON objects of a file with one a line; a line cut off by a crash counts as not written."""
    for line in path.read_text(errors="replace").splitlines() if path.exists() else []:
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict):
            yield found


def read_log(folder):
    """A line a run, in the order of the runs; of a run done again the last one counts."""
    entries = {}
    for line in read_lines(Path(folder) / LOG):
        if form.fits_whole(line, form.ENTRY):
            entries[line["run"]] = line
    return list(entries.values())


def read_sessions(folder):
    """What each call of run/study has said at its end."""
    found = [line.get("session") for line in read_lines(Path(folder) / LOG)]
    return [session for session in found if form.fits_whole(session, form.SESSION)]


@contextmanager
def only_user(folder):
    """Holds the log locked. The kernel ends the lock with the last process that has the descriptor it
    yields: handed on to ranks, it tells of those that a killed run/study left behind, too."""
    with (Path(folder) / LOG).open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Problem(FILES, f"{folder}: is still in use by another run/study, or by runs that one left "
                                 "behind; wait for it, or end it") from None
        except OSError:
            pass  # a file system without locks
        yield file.fileno()


def append_log(folder, line):
    """On its way to the disk before the next run begins."""
    path = Path(folder) / LOG
    with path.open("ab+") as file:
        if file.tell() > 0:
            file.seek(-1, 2)
            if file.read(1) != b"\n":
                file.write(b"\n")
        file.write(json.dumps(line).encode() + b"\n")


def record_path(folder, run_name):
    return Path(folder) / RUNS / f"{run_name}.json"


def load_run(folder, run_name):
    """The record of a run, None if there is none that can be read."""
    try:
        record = read_record(record_path(folder, run_name))
    except Problem:
        return None
    return record if form.fits(record, form.RECORD) else None


def keep_output(folder, run_name, outcome):
    """What a run without a good record said, beside the records."""
    text = f"--- standard output\n{outcome.stdout}\n--- standard error\n{outcome.stderr}\n"
    record_path(folder, run_name).with_suffix(".txt").write_text(text)


def check_free(folder):
    """The folder of a new study is new, empty or (said later) of a study."""
    folder = Path(folder)
    if folder.is_dir() and any(folder.iterdir()) and not is_study(folder):
        raise Problem(FILES, f"{folder}: holds other files than a study; name a new folder with --out")


def start(folder, plan):
    """Makes the folder of a new study."""
    try:
        (Path(folder) / RUNS).mkdir(parents=True)
    except FileExistsError:
        raise Problem(FILES, f"{folder}: exists; give another --out, or --resume to go on with it") from None
    except OSError as error:
        raise Problem(FILES, f"{folder}: {error.strerror}") from error
    write_record(Path(folder) / PLAN, plan)


def check_same(folder, plan):
    """To go on is to go on with the same study: points, runs, program and machine."""
    before = read_plan(folder)
    for key in plan:
        if key not in PASSING and before.get(key) != plan[key]:
            name, old, new = first_difference(key, before.get(key), plan[key])
            raise Problem(USAGE, f"{folder}: was begun with another {name} ({old}, now {new}); start anew "
                                 "without --resume")


def by_name(value):
    """Lists of pairs and of objects with names, as objects of what they name."""
    if isinstance(value, list) and all(isinstance(one, list) and len(one) == 2 for one in value):
        return dict(value)
    if isinstance(value, list) and all(isinstance(one, dict) and "name" in one for one in value):
        return {one["name"]: one for one in value}
    return value


def first_difference(name, before, now):
    """Of two values that differ: the innermost name and both texts, from where they begin to differ."""
    before, now = by_name(before), by_name(now)
    if isinstance(before, dict) and isinstance(now, dict):
        key = next(key for key in {**now, **before} if before.get(key) != now.get(key))
        return first_difference(f"{name} {key}", before.get(key), now.get(key))
    texts = ["none" if value is None else json.dumps(value) for value in (before, now)]
    same = len(os.path.commonprefix(texts))
    return name, *(brief(text, max(0, same - 20)) for text in texts)


def brief(text, begin):
    """At most 60 characters; of a longer one those from `begin` on."""
    if len(text) <= 60:
        return text
    text = ("..." if begin else "") + text[begin:]
    return text if len(text) <= 60 else text[:57] + "..."
