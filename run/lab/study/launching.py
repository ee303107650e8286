"""How the runs of a study are started on this machine, and what the solver says of them beforehand."""
import os
import re
import subprocess
from pathlib import Path

from lab import cores, job, launch
from lab.command import ENVIRONMENT, ROOT, Problem, in_checkout, program_version
from lab.study import folder as folders
from lab.study.ini import parse_ini
from lab.study.points import PROCESS_GRID

CHECK_LIMIT_S = 60


def assignments(pairs):
    return ["=".join(pair) for pair in pairs]


def check_hosts(study, kind, environment):
    """Layouts counted in cores of this machine say nothing about other hosts."""
    counted = study.layouts == ("all",) or any("N" in word for word in study.layouts)
    uneven = kind == "srun" and "," in environment.get("SLURM_JOB_CPUS_PER_NODE", "")
    if uneven and counted:
        raise Problem(ENVIRONMENT,
                      f"{study.path}: study.layouts: the nodes of this allocation differ in cores "
                      f"({environment['SLURM_JOB_CPUS_PER_NODE']}); name the layouts, or ask for equal nodes")
    if kind == "hydra" and "HYDRA_HOST_FILE" in environment:
        raise Problem(ENVIRONMENT, "HYDRA_HOST_FILE names other hosts, whose cores cannot be counted from "
                                   "here; say how many there are in all with --cores")


class Launching:
    """The launcher, the machine and the words of every run."""

    def __init__(self, study, program, core_count=None):
        self.study, self.program = study, program
        self.launcher = launch.find_launcher(program_version(program), os.environ, study.launcher,
                                             study.template)
        self.machine = cores.read_machine(os.sched_getaffinity(0),
                                          process_cgroup=cores.read_text("/proc/self/cgroup"))
        if core_count is None:
            check_hosts(study, self.launcher.kind, os.environ)
            core_count, _ = launch.count_cores(self.machine, self.launcher.kind, os.environ)
        self.cores = core_count

    def words(self, point, *extra):
        """The command of a point."""
        layout = launch.Layout(point.ranks, point.threads, point.cores > self.cores)
        program, config = in_checkout(self.program), in_checkout(self.study.config)
        return launch.build_command(self.launcher, self.machine, layout, os.environ,
                                    [program if "/" in program else f"./{program}", config,
                                     *assignments(point.overrides), *extra])

    def run_words(self, folder, run):
        """The command of a run, whose record goes into the folder."""
        record = in_checkout(folders.record_path(folder, run.name))
        return self.words(run.point, "--quiet", "--record", record, "output.overwrite=on")


def effective_config(study, program, more=()):
    """What the solver makes of the configuration, as text; errors are the solver's own."""
    words = [Path(program).resolve(), in_checkout(study.config), *assignments((*study.overrides, *more)),
             "--print-config"]
    answer = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                            timeout=CHECK_LIMIT_S, cwd=ROOT)
    if answer.returncode != 0:
        raise Problem(answer.returncode, f"{study.path}: {answer.stderr.strip()}")
    return answer.stdout


def read_base(study, program):
    """The effective base configuration, by its keys."""
    text = effective_config(study, program)
    return {entry.key: entry.value for entry in parse_ini(text, "--print-config") if entry.value}


def check_axes(study, program, points):
    """Lets the solver read every combination of axes; process grids wait for their ranks."""
    axes = (tuple(pair for pair in point.axis if pair[0] != PROCESS_GRID) for point in points)
    for axis in dict.fromkeys(axes):
        effective_config(study, program, axis)


def complaint_of(program, outcome):
    """The program's own line, or how it ended."""
    own = [line for line in outcome.stderr.splitlines()
           if line.startswith(f"{Path(program).name}: ") and "warning" not in line]
    return own[0] if own else outcome.complaint()


def check_point(launching, point):
    """Lets the solver check the configuration with the very ranks of the point."""
    outcome = job.run_job(launching.words(point, "--check"), CHECK_LIMIT_S, folder=ROOT)
    place = f"{launching.study.path}: point {point.name}"
    if not outcome.good:
        code = outcome.exit_code if 0 < outcome.exit_code <= 8 else ENVIRONMENT
        raise Problem(code, f"{place}: {complaint_of(launching.program, outcome)}")
    ranks = re.findall(r"^layout +(\d+) rank", outcome.stdout, re.MULTILINE)
    if ranks != [str(point.ranks)]:
        raise Problem(ENVIRONMENT, f"{place}: started {point.ranks} ranks, but the program says "
                                   f"{' and '.join(ranks) or 'nothing'}; launcher and MPI library must "
                                   "belong together: choose with --launcher")
