"""The cores that this process may use, from /sys; another root of it can be given for tests."""
from pathlib import Path
from typing import NamedTuple


class Machine(NamedTuple):
    """What this process may use. CPUs are numbered as the operating system does (P#)."""
    cores: list      # the allowed CPUs of each core, NUMA node by NUMA node
    numa_nodes: int  # that have any of these cores
    whole: bool      # every core of the machine is allowed
    siblings: bool   # some core has several CPUs
    quota: float     # CPUs that the cgroup grants, infinity if it does not say


def parse_cpu_list(text):
    """"0-2,5" -> {0, 1, 2, 5}"""
    cpus = set()
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        cpus.update(range(int(first), int(last or first) + 1))
    return cpus


def read_text(path):
    """The text of a file, nothing if it cannot be read."""
    try:
        return Path(path).read_text()
    except OSError:
        return ""


def core_of(cpu, system):
    """The CPUs of the core that `cpu` is in; the CPU alone where the kernel does not say."""
    topology = system / f"devices/system/cpu/cpu{cpu}/topology"
    text = read_text(topology / "core_cpus_list") or read_text(topology / "thread_siblings_list")
    return parse_cpu_list(text) or {cpu}


def read_numa_nodes(system):
    """The CPUs of each NUMA node; memory-only nodes have none."""
    lists = system.glob("devices/system/node/node[0-9]*/cpulist")
    nodes = {int(path.parent.name[len("node"):]): parse_cpu_list(read_text(path)) for path in lists}
    return [nodes[number] for number in sorted(nodes)]


def read_quota(system, process_cgroup):
    """CPUs granted by the cgroup (version 2) of this process and those above it."""
    path = process_cgroup.partition("0::")[2].partition("\n")[0].strip("/")
    quota, folder = float("inf"), system / "fs/cgroup" / path
    while folder.is_relative_to(system / "fs/cgroup"):
        words = read_text(folder / "cpu.max").split()
        if len(words) == 2 and words[0] != "max":
            quota = min(quota, int(words[0]) / int(words[1]))
        folder = folder.parent
    return quota


def read_machine(allowed, system=Path("/sys"), process_cgroup=""):
    nodes = read_numa_nodes(system)

    def place(core):
        return next((number for number, cpus in enumerate(nodes) if core[0] in cpus), 0), core

    cores = sorted({tuple(sorted(core_of(cpu, system) & allowed)) for cpu in allowed}, key=place)
    online = parse_cpu_list(read_text(system / "devices/system/cpu/online")) or allowed
    return Machine(cores=cores,
                   numa_nodes=len({place(core)[0] for core in cores}),
                   whole=online <= allowed,
                   siblings=any(len(core_of(cpu, system)) > 1 for cpu in allowed),
                   quota=read_quota(system, process_cgroup))
