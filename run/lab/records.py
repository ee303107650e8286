"""Records: JSON files that are whole or not there, and the few statistics that everyone needs."""
import json
import os
import statistics
from pathlib import Path

from lab.command import FILES, Problem


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


def check_writable(option, path):
    """Before a long run: the folder of an output must be there."""
    folder = Path(path).absolute().parent
    if not os.access(folder, os.W_OK | os.X_OK):
        raise Problem(FILES, f"{option} {path}: {folder} is no folder that can be written")
    if Path(path).is_dir():
        raise Problem(FILES, f"{option} {path}: is a folder")


def write_record(path, record):
    """Through a temporary file beside it: a reader never sees half a record."""
    path = Path(path)
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
