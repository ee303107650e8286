"""Records: JSON files that are whole or not there, and the few statistics that everyone needs."""
import json
import os
import statistics
from pathlib import Path

from lab.command import FILES, USAGE, Problem


def read_record(path):
    """The JSON object in a file."""
    try:
        record = json.loads(Path(path).read_text())
    except OSError as error:
        raise Problem(FILES, f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise Problem(FILES, f"{path}: no JSON record: {error}") from error
    if not isinstance(record, dict):
        raise Problem(FILES, f"{path}: no JSON object")
    return record


def is_one(path, mark):
    """Whether a file is a JSON object that has this (key, value)."""
    try:
        return read_record(path).get(mark[0]) == mark[1]
    except Problem:
        return False


def refuse_special(named, path):
    """A rename would put a file where a device or a pipe was."""
    if os.path.isdir(path):
        raise Problem(FILES, f"{named}: is a folder")
    if os.path.exists(path) and not os.path.isfile(path):
        raise Problem(FILES, f"{named}: is a device or a pipe; name a regular file")


def check_place(option, path):
    """Before a long run: an output goes into a folder that is there, as a new file or over a regular one.
    A link stands for what it points to."""
    if str(path) == "-":
        raise Problem(USAGE, f"{option} -: is no file, and standard output has other lines; name a file")
    refuse_special(f"{option} {path}", path)
    place = Path(os.path.realpath(path))
    if not os.access(place.parent, os.W_OK | os.X_OK):
        raise Problem(FILES, f"{option} {path}: {place.parent} is no folder that can be written")


def check_writable(option, path, mark):
    """As check_place. A file that is there already is written over only where it is empty or of the same
    kind, an object with `mark`, a (key, value)."""
    check_place(option, path)
    if Path(path).exists() and Path(path).stat().st_size > 0 and not is_one(path, mark):
        raise other_kind(option, path)


def other_kind(option, path):
    return Problem(FILES, f"{option} {path}: holds something else than this script writes; choose another "
                          "name or remove it")


def check_record_of_picture(option, path, mark):
    """As check_writable, for a record whose picture gets the same name and the ending .png."""
    if Path(path).suffix == ".png":
        raise Problem(USAGE, f"{option} {path}: is the picture's name; end it in .json")
    check_writable(option, path, mark)
    check_place(option, Path(path).with_suffix(".png"))


def write_record(path, record):
    """Through a temporary file beside it: a reader never sees half a record. A link stays one."""
    refuse_special(path, path)
    path = Path(os.path.realpath(path))
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(json.dumps(record, indent=2, allow_nan=False) + "\n")
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise Problem(FILES, f"{path}: {error.strerror}") from error


def spread(values):
    """Median, least, most and all of them; None without values."""
    values = list(values)
    if not values:
        return None
    return {"median": statistics.median(values), "min": min(values), "max": max(values),
            "samples": values}
