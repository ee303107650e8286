"""Where the programs of a measurement run: build folder, launcher, cores, time limit of a run."""
import json
import os
import shlex
import tempfile
from pathlib import Path
from typing import NamedTuple

from lab import command, cores, job, launch, mpi

# settings of the caller
FORGOTTEN = ("OMP_", "GOMP_", "KMP_", "UCX_", "MPIR_", "MPICH_", "OMPI_MCA_", "HWLOC_")


class Site(NamedTuple):
    build: Path
    launcher: launch.Launcher
    machine: cores.Machine
    limit_s: float
    version: str    # first line of the programs' --version: release and commit
    warnings: list  # of the runs so far: what was wrong with their binding


class Run(NamedTuple):
    """One job: `record` is what the program wrote, `problem` one line if it is not to be trusted."""
    command: str
    outcome: job.Outcome
    record: dict
    problem: str


def add_options(parser, limit_s):
    parser.add_argument("--build", type=Path, default=command.BUILD, metavar="FOLDER",
                        help="build folder of the programs (build)")
    parser.add_argument("--limit", type=command.seconds, default=limit_s, metavar="SECONDS",
                        help=f"time limit of a run ({limit_s})")
    launch.add_options(parser)


def open_site(options, build=None):
    """Finds the launcher for the programs of a build folder."""
    build = Path(build or options.build)
    version = command.program_version(command.program_path("jacobi", build), clean_environment())
    launcher = launch.find_launcher(version, os.environ, options.launcher, options.template)
    machine = cores.read_machine(os.sched_getaffinity(0))
    return Site(build, launcher, machine, options.limit, version.partition("\n")[0], [])


def clean_environment():
    """What the caller's shell says about OpenMP, MPI and UCX must not steer a measurement."""
    return {name: value for name, value in os.environ.items() if not name.startswith(FORGOTTEN)}


def probe(here):
    """To ask the MPI library of this build."""
    return mpi.Probe(here.launcher, command.program_path("mpiprobe", here.build), clean_environment())


def read_record(path, text):
    """The record of a run, from its file or from standard output; None if it is none."""
    try:
        return json.loads(path.read_text() if path else text)
    except (OSError, ValueError):
        return None


def judge(outcome, wanted, record, ranks):
    """Why a run does not count, None if it does. A record of another number of ranks is that of a
    launcher and a library that do not belong together."""
    if not outcome.good:
        return outcome.complaint()
    if not wanted:
        return None
    if not isinstance(record, dict):
        return "wrote no record"
    seen = (record.get("layout") or {}).get("ranks", ranks)
    return None if seen in (None, ranks) else f"ran on {seen} ranks instead of {ranks}"


def binding_warnings(program, ranks, threads, record):
    """Ranks that share a core and the like: their times are not those of the transport."""
    problems = ((record or {}).get("binding") or {}).get("problems") or []
    return [f"{program}, {ranks} x {threads}: {problem['name']}: {problem['evidence']}"
            for problem in problems]


def run(site, program, words, ranks=1, threads=1, settings=None, places=None, record=True, sample=None,
        sample_every_s=0.1):
    """Runs a program with RANKS x THREADS, bound, or placed on the CPUs of `places`."""
    path = command.program_path(program, site.build)
    if not os.access(path, os.X_OK):
        return Run(str(path), None, None, f"{program} is not in the build folder {site.build}")
    environment = clean_environment()
    enough = ranks * threads <= len(site.machine.cores)
    layout = launch.Layout(ranks, threads, not enough)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "record.json") if record else None
        all_words = [path, *words, *(["--record", file] if record else [])]
        line = launch.build_command(site.launcher, site.machine, layout, environment, all_words,
                                    settings, places)
        outcome = job.run_job(line, site.limit_s, environment, None, sample, sample_every_s)
        content = read_record(file, outcome.stdout)
    problem = judge(outcome, record, content, ranks)
    if not problem:
        site.warnings.extend(binding_warnings(program, ranks, threads, content))
    shown = shlex.join(line).replace(str(file), "RECORD.json").replace(str(path), command.shorten(path))
    return Run(command.without_temporary(shown), outcome, content, problem)
