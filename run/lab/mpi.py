"""What an MPI library says of itself: by the program mpiprobe, by UCX's answers, by its tools."""
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from lab import launch
from lab.cores import Machine
from lab.job import run_job

LEVELS = ("single", "funneled", "serialized", "multiple")
LIMIT_S = 20
ALIASES = {"mm", "shm", "sm", "all"}  # UCX's names for groups of transports


def output_of(words):
    """Standard output of a tool; nothing if it is not there or fails."""
    if not shutil.which(words[0]):
        return ""
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", timeout=60).stdout


class Probe(NamedTuple):
    """The program mpiprobe and how it is started; environment None: the caller's own."""
    launcher: launch.Launcher
    program: Path
    environment: dict = None

    def run(self, ranks, words, settings):
        """Unbound: where the ranks sit does not matter."""
        anywhere = Machine([(0,)], 1, True, False, float("inf"))
        line = launch.build_command(self.launcher, anywhere, launch.Layout(ranks, 1, True), os.environ,
                                    [self.program, *words], settings)
        return run_job(line, LIMIT_S, self.environment)


def parse_object(text):
    """The JSON object in an output that may have other lines around it; None without one."""
    start, end = text.find("{\n"), text.rfind("}")
    try:
        return json.loads(text[start:end + 1])
    except ValueError:
        return None


def describe_library(text):
    """"MPICH Version:\t4.0.2\n... MPICH Device:\tch4:ucx" -> name and device"""
    first = " ".join(text.partition("\n")[0].partition(",")[0].replace("Version:", "").split())
    device = re.search(r"^MPICH Device:\s*(\S+)", text, re.MULTILINE)
    return {"name": first, "device": device[1] if device else None}


def try_transport(probe, settings):
    """(transports in use between two ranks, None where the library does not tell; problem)"""
    outcome = probe.run(2, [], {**settings, "UCX_LOG_LEVEL": "info"})
    if not outcome.good:
        return None, f"does not start: {outcome.complaint()}"
    answer = parse_object(outcome.stdout)
    ranks = answer["ranks"] if answer else 0
    return ucx_chosen(outcome), None if ranks == 2 else f"started {ranks} ranks instead of 2"


def facts_of(probe, levels=LEVELS):
    """Name, device, standard, header, and the level provided for each of those asked."""
    found = {"name": None, "device": None, "standard": None, "headers": None, "thread_levels": {},
             "problem": None}
    for level in levels:
        outcome = probe.run(1, [level], {})
        answer = parse_object(outcome.stdout) if outcome.good else None
        if answer:
            take_answer(found, level, answer)
            continue
        found["thread_levels"][level] = None
        found["problem"] = found["problem"] or f"mpiprobe {level}: {outcome.complaint()}"
        if outcome.timed_out:
            break  # the others would only take as long
    return found


def take_answer(found, level, answer):
    found["thread_levels"][level] = answer["provided"].rpartition("_")[2].lower()
    found.update(describe_library(answer["library"]), standard=answer["standard"],
                 headers=answer["headers"])


def names_offered(text):
    """From UCX's "... is not available, please use one or more of: cma, 'eth0'(tcp)"; a device is
    written as ucx_info does, "tcp/eth0"."""
    found = re.search(r"please use one or more of: ([^\n]*)", text)
    if not found:
        return None
    names = {re.sub(r"'(.*)'\((.*)\)", r"\2/\1", word.strip()) for word in found[1].split(",")}
    return sorted(names - ALIASES)


def ucx_offers(probe, variable, known):
    """UCX names what there is when asked for what there is not."""
    outcome = probe.run(1, [], {variable: f"nosuchname,{known}"})
    return names_offered(outcome.stdout + outcome.stderr)


def ucx_chosen(outcome):
    """From UCX's "ep_cfg[1]: tag(sysv/memory cma/memory)"; None if it says nothing."""
    chosen = re.findall(r"ep_cfg\[\d+\]: tag\(([^)]*)\)", outcome.stdout + outcome.stderr)
    between = [text.split() for text in chosen if not text.startswith("self")]
    return list(dict.fromkeys(between[0])) if between else None


def ucx_info():
    """Transport and device of each resource that ucx_info lists."""
    text = output_of(["ucx_info", "-d"])
    pairs = re.findall(r"#\s+Transport: (\S+)\s*\n#\s+Device: (\S+)", text)
    return [f"{transport}/{device}" for transport, device in pairs]


def ucx_transports(probe):
    listed = ucx_info()
    if listed:
        available, source = sorted({name.partition("/")[0] for name in listed}), "ucx_info -d"
        devices = sorted(name for name in listed if not name.endswith("/memory"))
    else:
        available, source = ucx_offers(probe, "UCX_TLS", "self"), "UCX's answer to UCX_TLS"
        devices = ucx_offers(probe, "UCX_NET_DEVICES", "all")
    return {"by": "ucx", "available": available, "devices": devices,
            "between_ranks": try_transport(probe, {})[0], "source": source}


def openmpi_transports():
    text = output_of(["ompi_info", "--parsable"])
    names = re.findall(r"^mca:(btl|mtl|pml):([\w-]+):version:\"?mca", text, re.MULTILINE)
    return {"by": "openmpi", "available": [f"{kind} {name}" for kind, name in names] or None,
            "devices": None, "between_ranks": None, "source": "ompi_info" if names else None}


def libfabric_transports():
    names = re.findall(r"^(\S+):", output_of(["fi_info", "-l"]), re.MULTILINE)
    return {"by": "libfabric", "available": names or None, "devices": None, "between_ranks": None,
            "source": "fi_info -l" if names else None}


def transports(probe, found):
    """What carries messages; None for what this library does not tell."""
    device = found["device"] or ""
    if "ucx" in device:
        return ucx_transports(probe)
    if "ofi" in device:
        return libfabric_transports()
    if "Open MPI" in (found["name"] or ""):
        return openmpi_transports()
    return {"by": None, "available": None, "devices": None, "between_ranks": None, "source": None}


def hydra_facts(launcher):
    """What hydra can start processes with, and whose allocations it understands."""
    text = output_of([*launcher.words, "--version"])

    def listed(name):
        found = re.search(rf"{name}:\s*(.*)", text)
        return found[1].split() if found else None

    return {"hydra_starts_by": listed("Launchers available"),
            "hydra_allocations": listed("Resource management kernels available")}


def process_managers(launcher):
    """Launchers in PATH with their versions, and how srun can start MPI programs."""
    found = {}
    for kind, names in launch.NAMES.items():
        for name in names:
            if shutil.which(name) and launch.is_of_kind(name, kind):
                found[name] = launch.launcher_version(launch.Launcher(kind, [name]))
    managers = {"in_path": found}
    if launcher.kind == "hydra":
        managers.update(hydra_facts(launcher))
    if shutil.which("srun"):
        managers["srun_mpi"] = re.findall(r"^\s+(\S+)$", output_of(["srun", "--mpi=list"]), re.MULTILINE)
    return managers


def hosts(environment, this_host):
    """Hosts of the Slurm allocation, else this one."""
    listed = environment.get("SLURM_JOB_NODELIST")
    if not listed:
        return [this_host]
    return output_of(["scontrol", "show", "hostnames", listed]).split() or [listed]
