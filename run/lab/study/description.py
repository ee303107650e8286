"""What a study is: a file of configs/studies read, checked and turned into a Study."""
import re
from pathlib import Path
from typing import NamedTuple

from lab.command import USAGE, Problem
from lab.launch import KINDS as LAUNCHERS
from lab.study.ini import read_ini, suggest

KINDS = ("strong", "weak", "matrix")
ORDERS = ("interleaved", "grouped")
GROWTHS = ("y", "both")
SECTIONS = ("study", "overrides", "axis")
OPTION = re.compile(r"[a-z]+\.[a-z_]+")
LAYOUT = re.compile(r"(\d+|N)x(\d+|N)")  # N is the number of cores


class Study(NamedTuple):
    """path: as the user named it. overrides: (option, value). axes: (option, its values)."""
    path: Path
    question: str
    kind: str
    config: Path
    layouts: tuple = ("all",)
    repeats: int = 5
    warmup: int = 1
    order: str = "interleaved"
    launcher: str = "auto"
    template: str = ""
    time_limit_s: float = 300.0
    grow: str = "y"
    machine: Path | None = None
    overrides: tuple = ()
    axes: tuple = ()

    @property
    def name(self):
        return self.path.stem


def take_choice(choices):
    def take(text):
        if text not in choices:
            raise ValueError(f"'{text}' is none of {', '.join(choices)}")
        return text
    return take


def take_count(least):
    def take(text):
        if not re.fullmatch(r"\d{1,6}", text) or int(text) < least:
            raise ValueError(f"'{text}' is not a whole number from {least} to 999999")
        return int(text)
    return take


def take_seconds(text):
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 1e6:
        raise ValueError(f"'{text}' is not a time above 0 and up to 1000000 seconds")
    return value


def take_layouts(text):
    words = tuple(text.split())
    for word in words:
        layout = LAYOUT.fullmatch(word)
        if word != "all" and not layout or word == "all" and len(words) > 1:
            raise ValueError(f"'{word}' is no layout; write RANKSxTHREADS, such as 1x1 2x1 Nx1 "
                             "(N: all cores), or all alone")
        if layout and "0" in (layout[1].lstrip("0") or "0", layout[2].lstrip("0") or "0"):
            raise ValueError(f"'{word}': ranks and threads begin at 1")
    if not words:
        raise ValueError("names no layout; all takes everything that fits")
    if len(set(words)) < len(words):
        raise ValueError(f"'{text}' names a layout twice")
    return words


def take_text(text):
    if not text:
        raise ValueError("is empty")
    return text


def take_any(text):
    return text


FIELDS = {"question": take_text, "kind": take_choice(KINDS), "config": take_text,
          "layouts": take_layouts, "repeats": take_count(1), "warmup": take_count(0),
          "order": take_choice(ORDERS), "launcher": take_choice(LAUNCHERS), "template": take_any,
          "time_limit_s": take_seconds, "grow": take_choice(GROWTHS), "machine": take_text}
REQUIRED = ("question", "kind", "config")
OWN = ("output.record", "output.overwrite")  # the harness says where records go


def take_field(entry):
    """A value of [study], converted."""
    if entry.key not in FIELDS:
        raise Problem(USAGE, f"{entry.place}: study.{entry.key}: unknown key; {suggest(entry.key, FIELDS)}")
    try:
        return FIELDS[entry.key](entry.value)
    except ValueError as error:
        raise Problem(USAGE, f"{entry.place}: study.{entry.key}: {error}") from error


def take_option(entry):
    """An option of the solver; whether it has such a one, the solver itself says later."""
    if not OPTION.fullmatch(entry.key):
        raise Problem(USAGE, f"{entry.place}: {entry.key} is no option of the solver; write "
                             "SECTION.KEY = VALUE, such as parallel.halo = shared")
    if entry.key in OWN:
        raise Problem(USAGE, f"{entry.place}: {entry.key}: records go to the folder of the study; "
                             "leave it out")
    return entry.key, entry.value


def take_axis(entry):
    """An option and the values it goes through."""
    option, values = take_option(entry)[0], tuple(entry.value.split())
    if not values or len(set(values)) < len(values):
        raise Problem(USAGE, f"{entry.place}: {option}: needs different values, separated by spaces")
    return option, values


def beside(path, name):
    """A file named in a study file stands relative to it."""
    return path.parent / name if name else None


def check_whole(study, places):
    """What concerns several values at once."""
    def complain(key, text):
        raise Problem(USAGE, f"{places.get(key, study.path)}: study.{key}: {text}")

    if not study.config.is_file():
        complain("config", f"there is no file {study.config}; the name is relative to the study file")
    if study.machine and not study.machine.is_file():
        complain("machine", f"there is no file {study.machine}; leave it out for no prediction")
    if (study.launcher == "template") != bool(study.template):
        complain("template", "belongs to launcher = template, and that needs it")
    if study.kind != "weak" and "grow" in places:
        complain("grow", "only a weak study grows its grid; leave it out or write kind = weak")
    twice = {option for option, _ in study.overrides} & {option for option, _ in study.axes}
    if twice:
        complain("config", f"{min(twice)} stands in [overrides] and in [axis]; keep one")


def read_study(path):
    """The study in a file; a Problem names line and remedy of what is wrong."""
    path = Path(path)
    parts = {section: [] for section in SECTIONS}
    for entry in read_ini(path):
        if entry.section not in parts:
            raise Problem(USAGE, f"{entry.place}: unknown section [{entry.section}]; "
                                 f"{suggest(entry.section, SECTIONS)}")
        parts[entry.section].append(entry)
    fields = {entry.key: take_field(entry) for entry in parts["study"]}
    for key in REQUIRED:
        if key not in fields:
            raise Problem(USAGE, f"{path}: study.{key}: missing; a study has {', '.join(REQUIRED)}")
    fields["config"] = beside(path, fields["config"])
    fields["machine"] = beside(path, fields.get("machine"))
    study = Study(path=path, **fields, overrides=tuple(map(take_option, parts["overrides"])),
                  axes=tuple(map(take_axis, parts["axis"])))
    check_whole(study, {entry.key: entry.place for entry in parts["study"]})
    return study
