"""What a summary says in words: the answer in two sentences, the warnings, the names of points."""
from lab.study.summary import NOISY, is_usable

MOST_NAMED = 4  # points in a sentence


def count_text(count, noun):
    return f"{count} {noun}" + ("" if count == 1 else "s")


def time_text(seconds):
    """A time in the unit that suits it."""
    if seconds is None:
        return "–"
    for unit, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if abs(seconds) * factor >= 1:
            form = ".3g" if seconds * factor < 1000 else ".0f"
            return f"{seconds * factor:{form}} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def number_text(value, form=".3g"):
    return "–" if value is None else format(value, form)


def percent_text(fraction, form=".2g"):
    if fraction is None:
        return "–"
    if abs(fraction) >= 1:
        form = f"{'+' if form.startswith('+') else ''}.0f"
    return f"{100 * fraction:{form}} %"


def share_text(fraction):
    """A share where there is little room: what is under a tenth of a percent is nothing."""
    return "<0.1 %" if fraction is not None and fraction < 0.001 else percent_text(fraction)


def points_text(points):
    """4000 x 4000"""
    return " x ".join(map(str, points or [])) or "–"


def axis_text(axis):
    """What the variant is called."""
    return ", ".join(f"{option.rpartition('.')[2]} {value}" for option, value in axis.items())


def point_text(point):
    layout = f"{point['ranks']} x {point['threads']}"
    return f"{layout}, {axis_text(point['axis'])}" if point["axis"] else layout


def layout_text(point):
    return f"{count_text(point['ranks'], 'rank')} of {count_text(point['threads'], 'thread')}"


def fastest(points):
    return min(points, key=lambda point: point["sweep_s"]["median"])


def slowest(points):
    return max(points, key=lambda point: point["sweep_s"]["median"])


def apart(a, b):
    """Whether all repeats of one are faster than all of the other."""
    return a["sweep_s"]["max"] < b["sweep_s"]["min"] or b["sweep_s"]["max"] < a["sweep_s"]["min"]


def named(point):
    """For a sentence: layout and variant."""
    return layout_text(point) + (f" ({axis_text(point['axis'])})" if point["axis"] else "")


def answer_strong(usable, base):
    most = max(point["cores"] for point in usable)
    best = fastest([point for point in usable if point["cores"] == most])
    if most == base["cores"]:
        return answer_matrix(usable, base)
    first = (f"On {count_text(most, 'core')} a sweep takes {time_text(best['sweep_s']['median'])}, "
             f"{best['speedup']:.3g} times as fast as on {count_text(base['cores'], 'core')} "
             f"(efficiency {best['efficiency']:.2f}), with {named(best)}.")
    return f"{first} {tcomm_sentence(best)}"


def tcomm_of(point):
    """Median of the Tcomm fraction, None where there is none."""
    return ((point.get("tcomm") or {}).get("fraction") or {}).get("median")


def tcomm_sentence(point):
    return (f"Communication takes {percent_text(tcomm_of(point))} of the ranks' time there, and the repeats "
            f"spread by {percent_text(point['sweep_s']['spread'])}.")


def answer_weak(usable, base):
    most = max(point["cores"] for point in usable)
    best = fastest([point for point in usable if point["cores"] == most])
    work = base["points_a_core"][1] if base.get("points_a_core") else None
    first = (f"With {number_text(work, ',.0f')} points a core, a sweep on {count_text(most, 'core')} takes "
             f"{1 / best['efficiency']:.3g} times as long as on {count_text(base['cores'], 'core')} "
             f"(weak efficiency {best['efficiency']:.2f}), with {named(best)}.")
    return f"{first} {tcomm_sentence(best)}"


def rivals_sentence(best, usable):
    """Whether the fastest is told apart from the others."""
    rivals = [point_text(point) for point in usable if point is not best and not apart(best, point)]
    if not rivals:
        return "All its repeats are faster than all of the others."
    more = f" and {len(rivals) - MOST_NAMED} more" if len(rivals) > MOST_NAMED else ""
    return f"This study does not tell it apart from {'; '.join(rivals[:MOST_NAMED])}{more}: repeats overlap."


def answer_matrix(usable, base):
    best, worst = fastest(usable), slowest(usable)
    if best is worst:
        return f"{named(best)}: {time_text(best['sweep_s']['median'])} a sweep. {tcomm_sentence(best)}"
    ratio = worst["sweep_s"]["median"] / best["sweep_s"]["median"]
    first = (f"The fastest of {len(usable)} is {named(best)} with "
             f"{time_text(best['sweep_s']['median'])} a sweep; the slowest, {named(worst)}, takes "
             f"{ratio:.3g} times as long.")
    return f"{first} {rivals_sentence(best, usable)}"


ANSWERS = {"strong": answer_strong, "weak": answer_weak, "matrix": answer_matrix}


def answer(summary):
    """Two sentences, from the numbers."""
    usable = [point for point in summary["points"] if is_usable(point)]
    if not usable:
        return "There is no answer yet: no point has a good run. The marks in the table say why."
    series = next(series for series in summary["series"] if series["base"])
    base = next(point for point in summary["points"] if point["name"] == series["base"])
    scaling = [point for point in usable if "efficiency" in point]
    variants = [point for point in usable if point["axis"]]
    kind = summary["study"]["kind"]
    if variants and kind != "weak":
        return answer_matrix(usable, base)
    return ANSWERS[kind](scaling, base)


def mark_text(mark):
    detail = f": {mark['detail']}" if mark["detail"] else ""
    return f"{count_text(mark['runs'], 'run')} {mark['status']}{detail}"


def warnings_of_point(point, nodes):
    name = point_text(point)
    for mark in point["marks"]:
        yield f"{name}: {mark_text(mark)}"
    if point["mixed"]:
        yield (f"mixed: {name} differs from the rest in {'; '.join(point['mixed'])}; "
               "it is left out of speed-ups and fits")
    for note in point["notes"]:
        yield f"{name}: {note}"
    used = point.get("nodes")
    if nodes and used and used < min(nodes, point["ranks"]):
        yield f"{name}: ran on {used} of the {nodes} nodes that were asked for"


def variation_of(point):
    return (point.get("sweep_s") or {}).get("variation") or 0.0


def warnings_of_noise(points):
    """One line for all of them: noise is of the machine, not of a point."""
    noisy = [point for point in points if is_usable(point) and variation_of(point) > NOISY]
    if not noisy:
        return
    most = max(noisy, key=variation_of)
    yield (f"repeats vary by more than {percent_text(NOISY)} (standard deviation over mean) at "
           f"{len(noisy)} of {count_text(len(points), 'point')}, most at {point_text(most)} by "
           f"{percent_text(variation_of(most))}; bind ranks and threads, leave the machine alone meanwhile, "
           "or take more repeats")


def warnings_of_build(build):
    if (build or {}).get("sanitized") or (build or {}).get("build_type") in ("debug", "plain"):
        sanitizers = " with sanitizers" if build["sanitized"] else ""
        yield f"the program is a {build['build_type']} build{sanitizers}: its times say nothing"
    if (build or {}).get("dirty"):
        yield f"the sources differed from commit {(build.get('commit') or 'unknown')[:12]}"


def warnings(summary):
    """What to doubt, first of all on the page."""
    study = summary["study"]
    found = list(warnings_of_build(summary["build"]))
    for point in summary["points"]:
        found += warnings_of_point(point, study.get("nodes"))
    found += warnings_of_noise(summary["points"])
    if study["repeats"] < 3:
        found.append(f"{count_text(study['repeats'], 'repeat')} a point: medians of fewer than three say "
                     "little")
    return found


def amdahl_text(fit):
    """The fit in a sentence, or why there is none."""
    if fit is None:
        return "No Amdahl fit: too few points, it takes two different core counts."
    serial = ("Amdahl's law fitted to the fastest layout of each core count: serial fraction "
              f"{fit['serial_fraction']:.3g}")
    if fit["serial_fraction"] < 0:
        serial += " (below 0: better than ideal, so something other than more cores helps)"
    if fit["interval_95"]:
        low, high = fit["interval_95"]
        return f"{serial} (95 % interval {low:.3g} to {high:.3g}, from {fit['core_counts']} core counts)."
    return f"{serial}; {fit['note']}."
