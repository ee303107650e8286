"""Are the points of a study comparable? What ought to be the same for all is read from their records,
and a point that differs from the rest is named with what differs.
"""
import collections
import json
import re

STUDY_WIDE = ("build", "host", "machine", "MPI", "OpenMP", "environment")
IN_SERIES = ("binding", "kernel", "halo", "form of the sweep")

# Variables that launchers set anew for each rank or job, or that a layout sets on purpose.
OF_A_LAUNCH = ("OMP_NUM_THREADS", "PMI", "HYDRA_USER_PROVIDED_BINDING", "HYDRA_PROXY_ID",
               "MPIR_CVAR_CH3_INTERFACE_HOSTNAME", "SLURM_", "OMPI_COMM_WORLD", "OMPI_UNIVERSE", "PRTE_",
               "OMPI_FILE_LOCATION", "OMPI_APP_CTX", "OMPI_FIRST_RANKS", "OMPI_COMMAND", "OMPI_ARGV",
               "OMPI_NUM_APP_CTX", "OMPI_MCA_orte", "OMPI_MCA_ess", "OMPI_MCA_initial_wdir")


def environment_that_matters(record):
    """Settings of runtime and transport that the user may have changed between runs."""
    return {name: value for name, value in sorted((record.get("environment") or {}).items())
            if not name.startswith(OF_A_LAUNCH)}


def binding_shape(record):
    """Whether threads are bound, and processors a thread: least and most over ranks."""
    ranks = (record.get("binding") or {}).get("ranks") or []
    shares = [rank["process_cpus"] / rank["threads"] for rank in ranks
              if rank.get("process_cpus") and rank.get("threads")]
    return {"bound": all(rank.get("threads_bound") for rank in ranks),
            "processors a thread": sorted({min(shares), max(shares)}) if shares else None}


def sweep_form(record):
    """Equal spacings have a shorter expression; method and checks cost time too."""
    spacing = (record.get("grid") or {}).get("spacing") or []
    plan = record.get("plan") or {}
    return {"equal spacings": len(set(spacing)) == 1, "method": plan.get("method"),
            "wait_split": plan.get("wait_split")}


def picked(record, section, *keys):
    values = record.get(section) or {}
    return {key: values.get(key) for key in keys}


def facets(record):
    """What ought to agree, by name."""
    return {
        "build": picked(record, "build", "version", "commit", "dirty", "compiler", "flags", "build_type"),
        "host": (picked(record, "machine", "hosts")["hosts"] or [None])[0],
        "machine": picked(record, "machine", "cpu_model", "kernel_release", "governor", "smt_active", "turbo",
                          "max_mhz", "memory_bytes", "transparent_hugepages"),
        "MPI": picked(record, "mpi", "library", "launcher"),
        "OpenMP": record.get("openmp"),
        "environment": environment_that_matters(record),
        "binding": binding_shape(record),
        "kernel": picked(record, "plan", "kernel", "instruction_set"),
        "halo": picked(record, "plan", "halo"),
        "form of the sweep": sweep_form(record)}


def as_text(value):
    return json.dumps(value, sort_keys=True)


def brief(value):
    """A commit by its first digits."""
    return value[:12] if isinstance(value, str) and re.fullmatch("[0-9a-f]{40}", value) else value


def difference(usual, other):
    """What differs, in few words."""
    if isinstance(usual, dict) and isinstance(other, dict):
        keys = [key for key in sorted({*usual, *other}) if usual.get(key) != other.get(key)]
        return ", ".join(f"{key} {brief(usual.get(key))} and {brief(other.get(key))}" for key in keys)
    return f"{usual} and {other}"


def odd_ones(facets_of, names):
    """{point: [what differs]} for points unlike the rest. facets_of: {point: facets of each run}, the
    smallest layout first; it decides where as many are one way as the other."""
    found = {}
    for name in names:
        texts = {point: [as_text(run[name]) for run in runs] for point, runs in facets_of.items()}
        votes = collections.Counter(text for point in texts.values() for text in dict.fromkeys(point))
        if len(votes) < 2:
            continue
        usual = votes.most_common(1)[0][0]  # among equals the first that was seen
        for point, values in texts.items():
            other = next((value for value in values if value != usual), None)
            if other is not None:
                found.setdefault(point, []).append(
                    f"{name} ({difference(json.loads(usual), json.loads(other))})")
    return found
