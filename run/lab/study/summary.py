"""From the folder of a study to its summary: what each point took, how it scales, what to doubt."""
import collections
import json
import math
import statistics

from lab.study import arithmetic, folder as folders, likeness
from lab.study.verdict import OK, Verdict, binding_problems, judge, sweep_time_s, timed_sweeps

PHASES = ("sweep", "other", "pack", "transfer", "wait", "reduce")
TCOMM = ("pack", "transfer", "wait", "reduce")
NOISY = 0.05          # variation of repeats above which a warning is due
SUPERLINEAR = 1.05    # efficiency above which cache or baseline must be looked at
PLACED = (OK, "mis-bound", "oversubscribed")  # runs whose ranks and threads were those asked for
UNEVEN = 0.01         # weak: points a core may differ by this share


def load_runs(folder, plan):
    """All runs that ended: entry of the log, record, verdict; by point, warm-ups apart."""
    points = {point["name"]: point for point in plan["points"]}
    runs = []
    for entry in folders.read_log(folder):
        if entry.get("point") in points:
            record = folders.load_run(folder, entry["run"])
            verdict = judge(points[entry["point"]], entry, record, plan.get("cores"))
            runs.append({**entry, "record": record, "verdict": verdict})
    mark_wrong_bits(runs)
    return runs


def problem_solved(record):
    """Runs that agree in this must agree in every bit of the field."""
    config = record.get("config") or {}
    solver = config.get("solver") or {}
    return json.dumps([record.get("grid"), config.get("problem"), record.get("sweeps"),
                       solver.get("method"), solver.get("omega")], sort_keys=True)


def mark_wrong_bits(runs):
    """The iterates do not depend on layout, kernel or halo: who has other bits did other work."""
    groups = {}
    for run in runs:
        if run["verdict"].status == OK and run["record"].get("field_checksum"):
            groups.setdefault(problem_solved(run["record"]), []).append(run)
    for group in groups.values():
        votes = collections.Counter(run["record"]["field_checksum"] for run in group)
        usual = votes.most_common(1)[0][0]
        for run in group:
            own = run["record"]["field_checksum"]
            if own != usual:
                run["verdict"] = Verdict("wrong bits", f"field_checksum {own}, all others have {usual}")


def median_of(values):
    values = [value for value in values if value is not None]
    return statistics.median(values) if values else None


def phase_times(records):
    """Median time a sweep of each phase, mean over ranks; None for a phase that was not told apart."""
    def of(record, phase):
        seconds = ((record.get("phases") or {}).get(phase) or {}).get("mean_s")
        return None if seconds is None else seconds / timed_sweeps(record)
    return {phase: median_of(of(record, phase) for record in records) for phase in PHASES}


def tcomm_numbers(records):
    """Fraction of the ranks' time, and over ranks."""
    of_rank = [record.get("tcomm_fraction_of_rank") or {} for record in records]
    return {"fraction": arithmetic.describe(record.get("tcomm_fraction") for record in records),
            **{f"{which}_of_ranks": median_of(ranks.get(which) for ranks in of_rank)
               for which in ("min", "mean", "max")}}


def local_points(record):
    """Points of the smallest and of the largest part, a core."""
    threads = (record.get("layout") or {}).get("threads") or 1
    sizes = [product(part["points"]) / threads for part in record.get("parts") or []]
    return [min(sizes), max(sizes)] if sizes else None


def product(numbers):
    result = 1
    for number in numbers:
        result *= number
    return result


def cpu_count(text):
    """How many processors "0-3,8" names."""
    count = 0
    for part in filter(None, (text or "").split(",")):
        first, _, last = part.partition("-")
        count += int(last or first) - int(first) + 1
    return count


def cache_within_reach(record, cores):
    """Bytes of the largest level of cache of so many cores, if each has what processor 0 has."""
    levels = [(cache["level"], cache["size_bytes"], max(1, cpu_count(cache["shared_by_cpus"])))
              for cache in (record.get("machine") or {}).get("caches") or []
              if cache.get("type") != "Instruction" and cache.get("size_bytes")]
    if not levels:
        return None
    _, size, sharers = max(levels)
    return size * -(-cores // sharers)


def working_set(record):
    """Bytes of the fields of all ranks, as rank 0 has them."""
    memory = (record.get("plan") or {}).get("memory_bytes")
    ranks = (record.get("layout") or {}).get("ranks")
    return memory * ranks if memory and ranks else None


def facts_of(record):
    """What a row of a table says besides times."""
    layout, grid, plan = (record.get(name) or {} for name in ("layout", "grid", "plan"))
    return {"nodes": layout.get("nodes"), "ranks_per_node": layout.get("ranks_per_node"),
            "sweeping_threads": layout.get("sweeping_threads"), "process_grid": layout.get("process_grid"),
            "global_points": grid.get("points"),
            "local_points": sorted({tuple(part["points"]) for part in record.get("parts") or []}),
            "points_a_core": local_points(record), "kernel": plan.get("kernel"),
            "instruction_set": plan.get("instruction_set"), "halo": plan.get("halo"),
            "halo_depth": plan.get("halo_depth"), "sweeps": record.get("sweeps"),
            "mpi": (record.get("mpi") or {}).get("library"),
            "compiler": (record.get("build") or {}).get("compiler"),
            "working_set_bytes": working_set(record)}


def note_idle_threads(point):
    """The solver takes fewer threads where parts are small; then they are not what is compared."""
    sweeping = point.get("sweeping_threads")
    if not sweeping or sweeping >= point["threads"]:
        return []
    return [f"{sweeping} of {point['threads']} threads swept, because parts are small; parallel.threads = "
            f"{point['threads']} makes all sweep"]


def rates(records, times):
    """The median is that of the median time: of an even number of runs the mean of two times has another
    rate than the mean of their rates."""
    found = arithmetic.describe(record.get("rate_lups") for record in records)
    points = math.prod((records[0].get("grid") or {}).get("points") or [0])
    if found and times and points:
        found["median"] = points / times["median"]
    return found


def measured_numbers(records):
    """Medians and spreads of the runs that count."""
    times = arithmetic.describe(map(sweep_time_s, records))
    return {"sweep_s": times, "rate_lups": rates(records, times),
            "roofline_share": arithmetic.describe(record.get("roofline_share") for record in records),
            "phases_s": phase_times(records), "tcomm": tcomm_numbers(records),
            "hidden_s": median_of(((record.get("hidden") or {}).get("mean_s") or 0) / timed_sweeps(record)
                                  for record in records),
            "imbalance": arithmetic.describe(record.get("imbalance") for record in records)}


def choose_runs(runs):
    """The runs that stand for a point: the good ones; if none is good those that have a time, so that
    the table can show what the mark is about."""
    good = [run for run in runs if run["verdict"].status == OK]
    timed = [run for run in runs if run["record"] and sweep_time_s(run["record"])]
    return good or timed


def marks_of(runs, planned):
    """What was not good, with how often: [{status, runs, detail}]."""
    marks = {}
    for run in runs:
        if run["verdict"].status != OK:
            mark = marks.setdefault(run["verdict"].status, {"status": run["verdict"].status, "runs": 0,
                                                           "detail": run["verdict"].detail})
            mark["runs"] += 1
    if len(runs) < planned:
        marks["missing"] = {"status": "missing", "runs": planned - len(runs),
                            "detail": "not run (yet): the study was stopped"}
    return list(marks.values())


def make_point(planned_point, runs, repeats):
    """A point without what depends on others."""
    counted = [run for run in runs if not run["warmup"]]
    chosen = [run["record"] for run in choose_runs(counted)]
    good = [run for run in counted if run["verdict"].status == OK]
    point = {"name": planned_point["name"], "ranks": planned_point["ranks"],
             "threads": planned_point["threads"],
             "cores": planned_point["ranks"] * planned_point["threads"],
             "axis": dict(map(tuple, planned_point["axis"])), "command": planned_point["command"],
             "good_runs": len(good), "planned_runs": repeats, "marks": marks_of(counted, repeats),
             "mixed": [], "notes": [],
             "binding_problems": sorted({name for record in chosen for name in binding_problems(record)})}
    if chosen:
        point.update(facts_of(chosen[0]), **measured_numbers(chosen))
        point["notes"] += note_idle_threads(point)
        point["cache_bytes"] = cache_within_reach(chosen[0], point["cores"])
    return point


def is_usable(point):
    """Part of the scaling: it has good runs and is like the rest."""
    return point["good_runs"] > 0 and not point["mixed"]


def order(point):
    return point["cores"], point["ranks"]


def series_of(points):
    """Points with the same values of the axes, smallest layout first: [(axis, points)]."""
    groups = {}
    for point in points:
        groups.setdefault(json.dumps(point["axis"]), []).append(point)
    return [(group[0]["axis"], sorted(group, key=order)) for group in groups.values()]


def mark_mixed(points, runs):
    """Names what differs, between all points and inside each series."""
    facets = {}
    for point in sorted(points, key=order):
        good = [likeness.facets(run["record"]) for run in runs
                if run["point"] == point["name"] and run["verdict"].status == OK and not run["warmup"]]
        if good:
            facets[point["name"]] = good
    found = [likeness.odd_ones(facets, likeness.STUDY_WIDE)]
    for _, group in series_of(points):
        members = {point["name"]: facets[point["name"]] for point in group if point["name"] in facets}
        found.append(likeness.odd_ones(members, likeness.IN_SERIES))
    for point in points:
        point["mixed"] = [text for odd in found for text in odd.get(point["name"], [])]


def scale_strong(point, base):
    ratio = point["cores"] / base["cores"]
    times = base["sweep_s"]["median"], point["sweep_s"]["median"]
    speed = arithmetic.speedup(*times)
    return {"speedup": speed,
            "efficiency": arithmetic.efficiency(times[0], base["cores"], times[1], point["cores"]),
            "karp_flatt": arithmetic.karp_flatt(speed, ratio)}


def scale_weak(point, base):
    ratio = point["cores"] / base["cores"]
    times = base["sweep_s"]["median"], point["sweep_s"]["median"]
    scaled = arithmetic.scaled_speedup(*times, ratio)
    return {"efficiency": arithmetic.weak_efficiency(*times), "scaled_speedup": scaled,
            "gustafson_serial_fraction": arithmetic.gustafson_serial_fraction(scaled, ratio)}


def bytes_text(count):
    """A size in the unit that suits it."""
    if count is None:
        return "unknown"
    unit, size = next(((unit, size) for unit, size in (("GiB", 2**30), ("MiB", 2**20)) if count >= size),
                      ("KiB", 2**10))
    return f"{count / size:.4g} {unit}"


def note_superlinear(point, base):
    """Cache or baseline: the sizes that tell which."""
    now, before = point.get("working_set_bytes"), base.get("working_set_bytes")
    fits = now and point["cache_bytes"] and now <= point["cache_bytes"]
    fitted = before and base["cache_bytes"] and before <= base["cache_bytes"]
    reason = ("the working set now fits into the cache" if fits and not fitted else
              "the cache does not explain it, look at the baseline")
    return (f"superlinear (efficiency {point['efficiency']:.3g}): cache or baseline? Working set "
            f"{bytes_text(now)} against {bytes_text(point['cache_bytes'])} of last-level cache, at the base "
            f"{bytes_text(before)} against {bytes_text(base['cache_bytes'])}: {reason}")


def note_uneven(point, base):
    """Weak: all points ought to give a core the same work."""
    own, usual = point.get("points_a_core"), base.get("points_a_core")
    if not own or not usual:
        return None
    worst = max(own, key=lambda value: abs(value - usual[1]))
    share = worst / usual[1] - 1
    if abs(share) <= UNEVEN:
        return None
    return f"{worst:.0f} points a core, {100 * share:+.1f} % against the base"


def fastest_by_ratio(points, base):
    """The fastest layout of each core count: {cores over base cores: seconds}."""
    times = {}
    for point in points:
        ratio = point["cores"] / base["cores"]
        times[ratio] = min(point["sweep_s"]["median"], times.get(ratio, float("inf")))
    return times


def scale_series(kind, axis, points):
    """Scaling of one series against its smallest usable layout; fills the points in."""
    usable = [point for point in points if is_usable(point)]
    series = {"axis": axis, "points": [point["name"] for point in points], "base": None, "amdahl": None}
    if not usable:
        return series
    base = series_base = usable[0]
    series["base"] = base["name"]
    for point in usable:
        if kind == "weak":
            point.update(scale_weak(point, base))
            uneven = note_uneven(point, base)
            point["notes"] += [uneven] if uneven else []
        else:
            point.update(scale_strong(point, base))
        if point["efficiency"] > SUPERLINEAR and point["cores"] > base["cores"]:
            point["notes"].append(note_superlinear(point, base))
    if kind == "strong":
        series["amdahl"] = arithmetic.fit_amdahl(fastest_by_ratio(usable, series_base))
    return series


def compare_axis(points):
    """Against the first value of the axis, layout by layout: how many times as fast."""
    firsts = {}
    for point in points:
        if is_usable(point) and point["axis"]:
            first = firsts.setdefault((point["ranks"], point["threads"]), point)
            point["speedup_over_first_variant"] = first["sweep_s"]["median"] / point["sweep_s"]["median"]


def sample_of(run):
    """A row of results.csv: one run."""
    record = run["record"] or {}
    layout, plan = record.get("layout") or {}, record.get("plan") or {}
    return {"point": run["point"], "round": run["round"], "warmup": run["warmup"],
            "status": run["verdict"].status, "elapsed_s": run["elapsed_s"], "exit_code": run["exit_code"],
            "sweeps": record.get("sweeps"), "sweep_s": sweep_time_s(record), "total_s": record.get("total_s"),
            "rate_lups": record.get("rate_lups"), "roofline_share": record.get("roofline_share"),
            "tcomm_fraction": record.get("tcomm_fraction"), "imbalance": record.get("imbalance"),
            **{f"{phase}_mean_s": ((record.get("phases") or {}).get(phase) or {}).get("mean_s")
               for phase in PHASES},
            "nodes": layout.get("nodes"), "process_grid": layout.get("process_grid"),
            "kernel": plan.get("kernel"), "halo": plan.get("halo"), "halo_depth": plan.get("halo_depth"),
            "binding_problems": " ".join(binding_problems(record)),
            "mpi": (record.get("mpi") or {}).get("library"),
            "compiler": (record.get("build") or {}).get("compiler"),
            "field_checksum": record.get("field_checksum"), "started_at": run["started_at"]}


def where_threads_ran(runs):
    """One good run of each point: which rank and thread sat on which processor of which host."""
    places = {}
    for run in runs:
        if run["record"] and run["point"] not in places and run["verdict"].status in PLACED:
            ranks = (run["record"].get("binding") or {}).get("ranks") or []
            places[run["point"]] = [
                {"rank": rank["rank"], "host": rank["host"], "place": rank["place"],
                 "cpus": [thread["cpu"] for thread in rank["thread_places"] or []]} for rank in ranks]
    return places


def machine_of(runs):
    """The machine, build and libraries of the first good run, or of the first that has a record."""
    records = [run["record"] for run in runs if run["verdict"].status == OK]
    records = records or [run["record"] for run in runs if run["record"]] or [{}]
    return {**{name: records[0].get(name) for name in ("machine", "build", "mpi", "openmp", "hwloc")},
            "facets": {name: likeness.facets(records[0])[name] for name in likeness.STUDY_WIDE}}


def summarise(folder):
    """The summary of a folder: what summary.json holds, and the samples behind it."""
    plan = folders.read_plan(folder)
    runs = load_runs(folder, plan)
    by_point = {}
    for run in runs:
        by_point.setdefault(run["point"], []).append(run)
    points = [make_point(point, by_point.get(point["name"], []), plan["repeats"]) for point in plan["points"]]
    mark_mixed(points, runs)
    series = [scale_series(plan["kind"], axis, members) for axis, members in series_of(points)]
    compare_axis(points)
    return {"schema_version": 1, "study": {key: plan[key] for key in plan if key not in ("points", "runs")},
            "points": points, "series": series, "places": where_threads_ran(runs),
            "sessions": folders.read_sessions(folder), **machine_of(runs),
            "samples": [sample_of(run) for run in runs]}
