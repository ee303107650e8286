"""Study files: the INI dialect of the solver's configurations, keeping the line of every value.

Python's configparser keeps no lines, and an error has to name one.
"""
import difflib
import re
from typing import NamedTuple

from lab.command import FILES, USAGE, Problem

COMMENT = re.compile(r"(^|\s)[#;].*$")


class Entry(NamedTuple):
    section: str
    key: str
    value: str
    place: str  # "file:line", for messages


def clean(line):
    """Without comment (# or ; at the start or after white space) and surrounding space."""
    return COMMENT.sub("", line).strip()


def parse_line(text, section, place):
    """The section after this line, and its entry if it has one."""
    if text.startswith("["):
        if not re.fullmatch(r"\[\w+\]", text):
            raise Problem(USAGE, f"{place}: '{text}' is no section; it should be [NAME]")
        return text[1:-1], None
    key, equals, value = (part.strip() for part in text.partition("="))
    if not equals or not key:
        raise Problem(USAGE, f"{place}: '{text}' should be KEY = VALUE")
    if not section:
        raise Problem(USAGE, f"{place}: {key} stands before any section, such as [study]")
    if value[:1] == value[-1:] == '"' and len(value) > 1:
        value = value[1:-1]
    return section, Entry(section, key, value, place)


def parse_ini(text, name):
    """The entries of a text in their order; `name` is for messages."""
    section, entries, seen = "", [], {}
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        place, line = f"{name}:{number}", clean(line)
        if not line:
            continue
        section, entry = parse_line(line, section, place)
        if entry is None:
            continue
        first = seen.setdefault((entry.section, entry.key), number)
        if first != number:
            raise Problem(USAGE, f"{place}: {entry.key}: given again, first in line {first}")
        entries.append(entry)
    return entries


def read_ini(path):
    """The entries of a file."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise Problem(FILES, f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise Problem(USAGE, f"{path}: no text file in UTF-8") from error
    return parse_ini(text, path)


def suggest(word, known):
    """How a message about an unknown word ends."""
    near = difflib.get_close_matches(word, known, 1)
    return f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
