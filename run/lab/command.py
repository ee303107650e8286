"""Command lines of the scripts: errors of one line, exit codes of the programs, where things are."""
import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

DONE, INTERNAL, USAGE, ENVIRONMENT, FILES, STOPPED = 0, 1, 2, 5, 6, 7  # as the programs exit
ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"


class Problem(Exception):
    """What the user should read, in one line, and the exit code."""

    def __init__(self, exit_code, text):
        super().__init__(text)
        self.exit_code = exit_code


class Parser(argparse.ArgumentParser):
    def error(self, message):
        """One line, as the programs write."""
        self.exit(USAGE, f"{self.prog}: {message}; see {self.prog} --help\n")


def positive(text):
    """For Parser: a whole number from 1 up."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not at least 1")
    return value


def seconds(text):
    """For Parser: a time above 0."""
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is no time above 0")
    return value


def program_path(name, build=BUILD):
    """Where Meson puts a program; `bench` belongs to the tests."""
    return Path(build) / ("tests/bench" if name == "bench" else "src/programs") / name


def output_of_program(program, *words, environment=None):
    """What one of the programs prints by itself, without a launcher."""
    if not os.access(program, os.X_OK):
        raise Problem(ENVIRONMENT, f"{program} is missing: build it with run/build")
    answer = subprocess.run([program, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                            timeout=60, env=environment)
    if answer.returncode != 0:
        reason = " ".join(answer.stderr.split())
        raise Problem(ENVIRONMENT, f"{program} {' '.join(words)} fails: {reason}")
    return answer.stdout


def program_version(program, environment=None):
    """What `program --version` prints; the MPI library is named in it."""
    return output_of_program(program, "--version", environment=environment)


def shorten(path):
    """Relative to the current folder where that is shorter, so that the command is readable."""
    relative = os.path.relpath(path)
    relative = relative if "/" in relative else f"./{relative}"
    return relative if len(relative) < len(str(path)) else str(path)


def without_temporary(text):
    """A command whose temporary files have their names only, since their folders are gone by then."""
    return re.sub(re.escape(tempfile.gettempdir()) + r"/[^/\s']+/", "", text)


def in_checkout(path):
    """As seen from the checkout, where studies run: what they keep says nothing of who ran them where."""
    named = Path(os.path.abspath(path))
    inside = next((one for one in (named, named.resolve()) if one.is_relative_to(ROOT)), None)
    return str(inside.relative_to(ROOT) if inside else named)


def at_checkout(line):
    """A command line that is meant for the checkout, as it has to be typed here."""
    return line if Path.cwd() == ROOT else f"cd {shlex.quote(str(ROOT))} && {line}"


def run_script(name, script, arguments):
    """Calls script(arguments); turns problems and Ctrl-C into one line and an exit code."""
    try:
        return script(arguments)
    except Problem as problem:
        print(f"{name}: {problem}", file=sys.stderr)
        return problem.exit_code
    except BrokenPipeError:
        # nor may the interpreter write what is left at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print(f"{name}: nobody reads the output any more", file=sys.stderr)
        return FILES
    except OSError as error:
        print(f"{name}: {error.filename or 'files'}: {error.strerror}", file=sys.stderr)
        return FILES
    except KeyboardInterrupt:
        print(f"{name}: stopped", file=sys.stderr)
        return STOPPED
