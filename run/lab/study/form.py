"""The form of what a summary reads from files. A record that a launcher garbled, or a person edited, is
told apart here, so that nothing behind has to doubt what it reads.
"""
NUMBER = (int, float)
TIMES = {"mean_s": NUMBER}
RECORD = {
    "reason": str, "exit_code": int, "sweeps": int, "first_block_sweeps": int, "total_s": NUMBER,
    "rate_lups": NUMBER, "roofline_share": NUMBER, "tcomm_fraction": NUMBER, "imbalance": NUMBER,
    "field_checksum": str, "hidden": TIMES,
    "tcomm_fraction_of_rank": {"min": NUMBER, "mean": NUMBER, "max": NUMBER},
    "phases": {phase: TIMES for phase in ("sweep", "other", "pack", "transfer", "wait", "reduce")},
    "layout": {"ranks": int, "nodes": int, "ranks_per_node": int, "threads": int, "sweeping_threads": int,
               "process_grid": str},
    "grid": {"points": [int], "spacing": [NUMBER]}, "plan": {"memory_bytes": int, "halo_depth": int},
    "parts": [{"points": [int]}], "config": {"problem": dict, "solver": dict}, "mpi": dict, "build": dict,
    "machine": {"hosts": [str], "caches": [{"level": int, "type": str, "size_bytes": int,
                                            "shared_by_cpus": str}]},
    "environment": dict,
    "binding": {"problems": [{"name": str}],
                "ranks": [{"rank": int, "host": str, "place": str, "threads": int, "threads_bound": bool,
                           "process_cpus": int, "thread_places": [{"cpu": int}]}]}}
PLAN = {"name": str, "question": str, "kind": str, "study_file": str, "config_file": str, "repeats": int,
        "warmup": int, "order": str, "cores": int, "nodes": int, "launcher": str, "launcher_version": str,
        "started_at": str, "machine_file": str, "repeat": str, "runs": [str],
        "points": [{"name": str, "ranks": int, "threads": int, "axis": [list], "overrides": [list],
                    "command": str}]}
ENTRY = {"run": str, "point": str, "round": int, "warmup": bool, "started_at": str, "elapsed_s": NUMBER,
         "exit_code": int, "timed_out": bool, "complaint": str}

SESSION = {"ended_at": str, "runs": int, "complete": bool, "harness_s_per_run": NUMBER}
PREDICTIONS = ({"note": str}, {"sweep_s": NUMBER, "tcomm_fraction": NUMBER})  # either of them


def fits(value, form):
    """Whether a value has the form, or is null, as what could not be read is. form: a type, [form of each
    element], or {key: form}, of which some may be absent."""
    if value is None:
        return True
    if isinstance(form, list):
        return isinstance(value, list) and all([fits_whole(one, form[0]) for one in value])
    if isinstance(form, dict):
        return isinstance(value, dict) and all([fits(value.get(key), form[key]) for key in form])
    return isinstance(value, form)


def fits_whole(value, form):
    """The same with every key present, and not null itself."""
    complete = not isinstance(form, dict) or isinstance(value, dict) and form.keys() <= value.keys()
    return value is not None and complete and fits(value, form)
