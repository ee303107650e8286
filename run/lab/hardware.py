"""This host's processors, caches, memory and frequencies, as Linux shows them below a root folder
(another one in tests). What cannot be read is None.
"""
import os
import platform
import re
import statistics
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

from lab.cores import core_of, parse_cpu_list, read_text

CPUS = "sys/devices/system/cpu"
SETTLE_S = 0.5  # for frequencies to follow the load


def read_int(path):
    text = read_text(path).strip()
    return int(text) if text.isdigit() else None


def parse_size(text):
    """"48K" -> 49152"""
    found = re.fullmatch(r"(\d+)([KMG]?)", text.strip())
    return int(found[1]) * 1024 ** " KMG".index(found[2] or " ") if found else None


def processor(root):
    found = re.search(r"^model name\s*:\s*(.+)$", read_text(root / "proc/cpuinfo"), re.MULTILINE)
    return found[1].strip() if found else None


def is_virtual(root):
    return bool(re.search(r"^flags\s*:.*\bhypervisor\b", read_text(root / "proc/cpuinfo"), re.MULTILINE))


def online(root):
    return parse_cpu_list(read_text(root / CPUS / "online")) or os.sched_getaffinity(0)


def packages(root, cpus):
    found = {read_int(root / CPUS / f"cpu{cpu}/topology/physical_package_id") for cpu in cpus}
    return len(found - {None}) or None


def cache_of(folder):
    """(level, type, size, CPUs that share it) or None"""
    level, size = read_int(folder / "level"), parse_size(read_text(folder / "size"))
    shared = parse_cpu_list(read_text(folder / "shared_cpu_list"))
    kind = read_text(folder / "type").strip()
    return (level, kind, size, tuple(sorted(shared))) if level and size and shared else None


def caches(root, cpus):
    """Kinds of data caches, by level: size, how many there are, cores that share one."""
    found = {cache_of(folder) for cpu in cpus
             for folder in (root / CPUS / f"cpu{cpu}/cache").glob("index*")}
    kinds = {}
    for level, kind, size, shared in filter(None, found):
        if kind != "Instruction":
            cores = {tuple(sorted(core_of(cpu, root / "sys"))) for cpu in shared}
            kinds.setdefault((level, size, len(cores)), []).append(shared)
    return [{"level": level, "size_bytes": size, "cores": cores, "count": len(members)}
            for (level, size, cores), members in sorted(kinds.items())]


def last_cache_groups(root, cpus):
    """The CPUs below each last-level cache: the core complexes, by lowest CPU; [] if unreadable."""
    found = {cache_of(folder) for cpu in cpus
             for folder in (root / CPUS / f"cpu{cpu}/cache").glob("index*")} - {None}
    last = max((cache[0] for cache in found), default=0)
    return sorted({cache[3] for cache in found if cache[0] == last})


def numa_nodes(root):
    nodes = []
    folders = root.glob("sys/devices/system/node/node[0-9]*")
    for folder in sorted(folders, key=lambda path: int(path.name[4:])):
        total = re.search(r"MemTotal:\s*(\d+) kB", read_text(folder / "meminfo"))
        nodes.append({"node": int(folder.name[4:]),
                      "cpus": sorted(parse_cpu_list(read_text(folder / "cpulist"))),
                      "memory_bytes": int(total[1]) * 1024 if total else None})
    return nodes


def memory(root):
    text = read_text(root / "proc/meminfo")

    def entry(name):
        found = re.search(rf"^{name}:\s*(\d+) kB", text, re.MULTILINE)
        return int(found[1]) * 1024 if found else None

    def chosen(name):
        found = re.search(r"\[(\w+)\]", read_text(root / "sys/kernel/mm/transparent_hugepage" / name))
        return found[1] if found else None

    return {"total_bytes": entry("MemTotal"), "available_bytes": entry("MemAvailable"),
            "huge_pages": chosen("enabled"), "shared_huge_pages": chosen("shmem_enabled")}


def current_mhz(root, cpus):
    """Median over the CPUs, and the file that told it; None, None if nothing does."""
    values = [read_int(root / CPUS / f"cpu{cpu}/cpufreq/scaling_cur_freq") for cpu in cpus]
    if all(values):
        return statistics.median(values) / 1000, "cpufreq"
    found = re.findall(r"^cpu MHz\s*:\s*([\d.]+)$", read_text(root / "proc/cpuinfo"), re.MULTILINE)
    return (statistics.median(map(float, found)), "cpuinfo") if found else (None, None)


@contextmanager
def all_busy(count):
    """`count` processes that compute for nothing."""
    spinning = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"],
                                 stdin=subprocess.DEVNULL) for _ in range(count)]
    try:
        time.sleep(SETTLE_S)
        yield
    finally:
        for process in spinning:
            process.kill()
            process.wait()


def frequency(root, cpus):
    """Idle, then with every CPU busy; limits and governor where cpufreq is there."""
    folder = root / CPUS / f"cpu{min(cpus)}/cpufreq"
    limits = [read_int(folder / name) for name in ("cpuinfo_min_freq", "cpuinfo_max_freq")]
    idle, source = current_mhz(root, cpus)
    with all_busy(len(cpus) if source else 0):
        load, _ = current_mhz(root, cpus)
    return {"source": source, "idle_mhz": idle, "load_mhz": load,
            "min_mhz": limits[0] and limits[0] / 1000, "max_mhz": limits[1] and limits[1] / 1000,
            "governor": read_text(folder / "scaling_governor").strip() or None}


def hardware(root=Path("/")):
    cpus = online(root)
    cores = {tuple(sorted(core_of(cpu, root / "sys"))) for cpu in cpus}
    return {"host": platform.node(), "kernel": f"{platform.system()} {platform.release()}",
            "processor": processor(root), "virtual": is_virtual(root), "packages": packages(root, cpus),
            "cores": len(cores), "cpus": len(cpus), "caches": caches(root, cpus),
            "core_complexes": last_cache_groups(root, cpus), "numa_nodes": numa_nodes(root),
            "memory": memory(root), "frequency": frequency(root, cpus)}
