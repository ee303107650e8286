#!/usr/bin/env python3
"""The whole benchmark: kernels, then solves, into one record; its table of targets; its picture.

Exit code 1 if the bits of a row differ from the reference.
"""
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "run"))
from lab import command, job, records  # noqa: E402

USUAL_ROUNDS, QUICK_ROUNDS = 5, 1
BITS_DIFFER = 1


def run(words, environment=None):
    """Exit code of a part; any but that of different bits ends everything. Its launchers and ranks end
    with it, however this ends."""
    sys.stdout.flush()
    running = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, env=environment,
                               start_new_session=True)
    try:
        code = running.wait()
    except KeyboardInterrupt:
        job.end_tree(running)
        raise
    if code not in (0, BITS_DIFFER):
        sys.exit(code if code > 0 else 1)
    return code


def common_words(options):
    rounds = options.rounds or (QUICK_ROUNDS if options.quick else USUAL_ROUNDS)
    return ["--rounds", rounds, *(["--quick"] if options.quick else []),
            *(["--only", options.only] if options.only else [])]


def measure_kernels(options):
    bound = {**os.environ, "OMP_PLACES": "cores", "OMP_PROC_BIND": "close"}
    return run([options.bench, *common_words(options), "--record", options.record], bound)


def measure_solves(options):
    native = ["--native-program", options.native_program] if options.native_program else []
    return run([sys.executable, "-B", HERE / "layouts.py", *common_words(options), "--bench",
                options.bench, "--program", options.program, *native, "--add-to", options.record])


def plotting_python():
    """The first Python that has matplotlib, or None."""
    for candidate in sys.executable, "/usr/bin/python3":
        try:
            subprocess.run([candidate, "-c", "import matplotlib"], capture_output=True, check=True)
            return candidate
        except (OSError, subprocess.CalledProcessError):
            continue
    return None


def draw(record):
    python, picture = plotting_python(), record.with_suffix(".png")
    if not python:
        print("no picture: it needs matplotlib (package python3-matplotlib)")
        return
    run([python, "-B", HERE / "draw.py", record, picture])
    print(f"the picture: {picture}")


def parse_arguments(arguments):
    parser = command.Parser(prog="measure.py", description=__doc__)
    parser.add_argument("--bench", required=True, type=Path, help="the program bench")
    parser.add_argument("--program", required=True, type=Path, help="the program jacobi")
    parser.add_argument("--native-program", type=Path, help="jacobi of a build with native instructions")
    parser.add_argument("--rounds", type=command.positive, help=f"{USUAL_ROUNDS}, quick {QUICK_ROUNDS}")
    parser.add_argument("--only", type=command.positive, metavar="NX", help="only problems with NX points along x")
    parser.add_argument("--quick", action="store_true", help="small problems, no speeds")
    parser.add_argument("--check", action="store_true", help="only see whether the record can be written")
    parser.add_argument("record", type=Path, help="JSON; the picture gets the same name")
    return parser.parse_args(arguments)


def main(arguments):
    options = parse_arguments(arguments)
    records.check_record_of_picture("RECORD", options.record, ("program", "bench"))
    if options.check:
        return command.DONE
    with job.stoppable():
        codes = [measure_kernels(options), measure_solves(options)]
        run([sys.executable, "-B", HERE / "targets.py", options.record])
        print(f"\nthe record: {options.record}")
        draw(options.record)
    return max(codes)


if __name__ == "__main__":
    sys.exit(command.run_script("run/bench", main, sys.argv[1:]))
