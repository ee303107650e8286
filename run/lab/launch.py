"""Launchers: which there is, and its words for RANKS x THREADS with each rank on cores of its own.

hydra (MPICH), srun inside a Slurm allocation, Open MPI for programs built with it; any other by a
template of the user's.
"""
import os
import re
import shlex
import shutil
import string
import subprocess
from typing import NamedTuple

from lab.command import ENVIRONMENT, USAGE, Problem

KINDS = ("auto", "hydra", "srun", "openmpi", "template")
NAMES = {"hydra": ("mpiexec.mpich", "mpiexec.hydra", "mpiexec"),
         "openmpi": ("mpiexec.openmpi", "mpiexec"),
         "srun": ("srun",)}
SIGNS = {"hydra": "HYDRA", "openmpi": "Open", "srun": "slurm"}  # in what --version prints


class Layout(NamedTuple):
    ranks: int
    threads: int
    oversubscribed: bool


class Launcher(NamedTuple):
    kind: str    # of KINDS, never auto
    words: list  # how it is called; of a template all its words


def program_kind(version):
    """The launcher that a program's --version asks for: "openmpi" or "hydra"."""
    return "openmpi" if "Open MPI" in version else "hydra"


def is_of_kind(name, kind):
    """Plain `mpiexec` may belong to either library, a name with an ending tells."""
    if name != "mpiexec":
        return True
    answer = subprocess.run([name, "--version"], stdin=subprocess.DEVNULL, capture_output=True,
                            text=True, timeout=60)
    return SIGNS[kind] in answer.stdout


def find_by_kind(kind):
    for name in NAMES[kind]:
        if shutil.which(name) and is_of_kind(name, kind):
            return Launcher(kind, [name])
    raise Problem(ENVIRONMENT, f"no launcher of kind {kind} found, looked for "
                               f"{', '.join(NAMES[kind])}; another can be given as a template")


def template_launcher(template):
    """Words with {ranks}, {threads} and, as a word of its own, {command}; it comes last if absent."""
    words = shlex.split(template or "")
    if not words:
        raise Problem(USAGE, "launcher template needs its words, such as 'mpirun -np {ranks} {command}'")
    try:
        names = {name for word in words for _, name, _, _ in string.Formatter().parse(word)}
    except ValueError as error:
        raise Problem(USAGE, f"launcher template: {error} in {template}") from error
    unknown = names - {None, "ranks", "threads", "command"}
    if unknown:
        raise Problem(USAGE, f"launcher template: {{{min(unknown)}}} is none of {{ranks}}, {{threads}}, "
                             "{command}")
    if "command" in names and "{command}" not in words:
        raise Problem(USAGE, "launcher template: {command} must be a word of its own")
    return Launcher("template", words)


def find_launcher(version, environment, wanted="auto", template=None):
    """The launcher for a program whose --version is `version`."""
    if wanted not in KINDS:
        raise Problem(USAGE, f"launcher {wanted} is none of {', '.join(KINDS)}")
    if wanted == "template":
        return template_launcher(template)
    if wanted == "auto" and "SLURM_JOB_ID" in environment and shutil.which("srun"):
        wanted = "srun"
    launcher = find_by_kind(program_kind(version) if wanted == "auto" else wanted)
    if launcher.kind == "srun" and "SLURM_JOB_ID" not in environment:
        raise Problem(ENVIRONMENT, "launcher srun needs an allocation of Slurm (salloc, sbatch), and this is "
                                   "none")
    return launcher


def add_options(parser):
    """The options of a script that launches."""
    parser.add_argument("--launcher", default="auto", metavar="KIND", choices=KINDS,
                        help="auto, hydra, srun, openmpi or template")
    parser.add_argument("--template", metavar="WORDS",
                        help="of launcher template, such as 'mpirun -np {ranks} {command}'")


def launcher_version(launcher):
    """The first telling line of its --version; None for a template, whose flags are not known."""
    if launcher.kind == "template":
        return None
    answer = subprocess.run([*launcher.words, "--version"], stdin=subprocess.DEVNULL,
                            capture_output=True, text=True, timeout=60)
    lines = [line.strip() for line in answer.stdout.splitlines() if line.strip()]
    numbered = [line for line in lines if re.search(r"\d+\.\d+", line)]
    first = " ".join((numbered or lines or ["version unknown"])[0].split())
    return first.replace("Version:", launcher.kind)


def count_slurm_cpus(environment):
    """CPUs and nodes of a Slurm allocation, None outside: "4(x2),3" -> (11, 3)."""
    text = environment.get("SLURM_JOB_CPUS_PER_NODE")
    if text is None:
        return None
    cpus = nodes = 0
    for count, times in re.findall(r"(\d+)(?:\(x(\d+)\))?", text):
        cpus += int(count) * int(times or 1)
        nodes += int(times or 1)
    return cpus, nodes


def count_cores(machine, kind, environment):
    """Cores and NUMA nodes of this machine, or of the whole Slurm allocation."""
    slurm = count_slurm_cpus(environment) if kind == "srun" else None
    if slurm is None:
        return len(machine.cores), machine.numa_nodes
    cpus, nodes = slurm
    per_core = max(len(core) for core in machine.cores)
    return cpus // per_core, nodes * machine.numa_nodes


def check_layout(ranks, threads, cores, oversubscribe):
    if ranks * threads > cores and not oversubscribe:
        raise Problem(ENVIRONMENT,
                      f"{ranks} ranks x {threads} threads need {ranks * threads} cores, but "
                      f"{cores} may be used; take fewer, or add --oversubscribe")
    return Layout(ranks, threads, ranks * threads > cores)


def first_cores(machine, layout):
    """CPUs of each rank: cores in order, `threads` a rank."""
    return [[cpu for core in machine.cores[rank * layout.threads:(rank + 1) * layout.threads]
             for cpu in core] for rank in range(layout.ranks)]


def hydra_places(places):
    return "user:" + ",".join("+".join(map(str, cpus)) for cpus in places)


def hydra_words(machine, layout, places):
    """hydra counts the cores of the whole machine from the first one, also those that this process
    may not use; where that differs, every rank's CPUs are named."""
    binding = f"core:{layout.threads}"
    if places:
        binding = hydra_places(places)
    elif layout.oversubscribed:
        binding = "none"
    elif not machine.whole:
        binding = hydra_places(first_cores(machine, layout))
    return ["-n", str(layout.ranks), "-bind-to", binding]


def srun_words(machine, layout, places):
    words = ["--mpi=pmi2", "-n", str(layout.ranks)]
    if places:
        masks = ",".join(hex(sum(1 << cpu for cpu in cpus)) for cpus in places)
        return words + [f"--cpu-bind=mask_cpu:{masks}"]
    if layout.oversubscribed:
        return words + ["--overcommit", "--cpu-bind=none"]
    if machine.siblings:
        words.append("--threads-per-core=1")
    return words + [f"--cpus-per-task={layout.threads}", "--cpu-bind=cores"]


def openmpi_words(machine, layout, places):
    """Open MPI takes one CPU a rank from a list, in ascending order whatever the order of the list."""
    words = ["-n", str(layout.ranks)]
    if os.geteuid() == 0:
        words.insert(0, "--allow-run-as-root")
    if places:
        cpus = ",".join(str(cpus[0]) for cpus in places)
        return words + ["--cpu-list", cpus, "--bind-to", "cpu-list:ordered"]
    if layout.oversubscribed:
        return words + ["--oversubscribe", "--bind-to", "none"]
    return words + ["--map-by", f"slot:PE={layout.threads}", "--bind-to", "core"]


LAUNCHER_WORDS = {"hydra": hydra_words, "srun": srun_words, "openmpi": openmpi_words}


def openmp_settings(layout, environment):
    """What `env` changes for OpenMP: settings to forget, settings to make. Threads stay on their
    cores; if these are too few, threads are free and sleep while they wait."""
    forget = [name for name in ("GOMP_CPU_AFFINITY", "KMP_AFFINITY", "OMP_PLACES", "OMP_WAIT_POLICY")
              if name in environment]
    make = {"OMP_NUM_THREADS": str(layout.threads)}
    if layout.oversubscribed:
        make.update(OMP_PROC_BIND="false", OMP_WAIT_POLICY="passive")
    else:
        make.update(OMP_PLACES="cores", OMP_PROC_BIND="close")
    return [name for name in forget if name not in make], make


def env_words(forget, make):
    words = [word for name in forget for word in ("-u", name)]
    return ["env", *words, *(f"{name}={value}" for name, value in make.items())]


def fill_template(words, layout, command):
    """It is not known which settings such a launcher hands on: `command` carries its own."""
    filled = []
    for word in words if "{command}" in words else [*words, "{command}"]:
        filled += command if word == "{command}" else [word.format(**layout._asdict())]
    return filled


def build_command(launcher, machine, layout, environment, program_words, settings=None, places=None):
    """The words of one job, to be run as they are.

    settings: further environment variables of all ranks, such as UCX_TLS.
    places: the CPUs (P#) of each rank, instead of cores in order; a template cannot place.
    """
    forget, make = openmp_settings(layout, environment)
    make.update(settings or {})
    forget = [name for name in forget if name not in make]
    program_words = [str(word) for word in program_words]
    if launcher.kind == "template":
        return fill_template(launcher.words, layout, env_words(forget, make) + program_words)
    words = env_words(forget, make) + launcher.words
    words += LAUNCHER_WORDS[launcher.kind](machine, layout, places)
    if launcher.kind == "openmpi":
        words += [word for name in make for word in ("-x", name)]
    return words + program_words
