"""Pictures by matplotlib, which the Python of the caller need not have."""
import subprocess
import sys
from pathlib import Path

NEEDS = "it needs matplotlib (package python3-matplotlib)"


def plotting_python():
    """The first Python that has matplotlib, None if none has."""
    for candidate in dict.fromkeys((sys.executable, "python3", "/usr/bin/python3")):
        try:
            answer = subprocess.run([candidate, "-c", "import matplotlib"], stdin=subprocess.DEVNULL,
                                    capture_output=True, timeout=60)
        except OSError:
            continue
        if answer.returncode == 0:
            return candidate
    return None


def draw(name, record, picture):
    """Runs run/lab/NAME.py RECORD PICTURE; returns the line that tells the user about it."""
    python = plotting_python()
    if python is None:
        return f"no picture: {NEEDS}"
    answer = subprocess.run([python, "-B", Path(__file__).with_name(f"{name}.py"), record, picture],
                            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    if answer.returncode != 0:
        return f"no picture: {(answer.stderr.strip().splitlines() or ['drawing failed'])[-1]}"
    return f"the picture: {picture}"
