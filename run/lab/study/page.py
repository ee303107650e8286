"""report.html: the whole study on one page that needs nothing else, not even a network."""
import html
import re
from pathlib import Path

from lab.study import figures, svg, table, wording
from lab.study.palette import PAGE
from lab.study.summary import bytes_text, cpu_count, is_usable

FIRST_WARNINGS = 8  # more are folded away
ORDERS = {"interleaved": "interleaved, every second one backwards", "grouped": "point by point"}
WORDS = ("variant", "marks", "kernel", "halo", "binding")  # columns of words, to the left


def text(value):
    return html.escape(str(value), quote=True)


def unbroken(value):
    """Numbers stay with their unit in one line."""
    return text(re.sub(r"(?<=\d) (?=(?:s|ms|µs|ns|%|x \d)(?:\W|$))", "\u00a0", value))


def element(name, content, **attributes):
    """An element around content that is HTML already."""
    words = "".join(f' {key.rstrip("_").replace("_", "-")}="{text(value)}"'
                    for key, value in attributes.items())
    return f"<{name}{words}>{content}</{name}>"


def style():
    """Colours of light and dark, then the rules."""
    def variables(scheme):
        return "".join(f"--{name}: {colour}; " for name, colour in PAGE[scheme].items())
    rules = Path(__file__).with_name("report.css").read_text()
    return (f":root {{ color-scheme: light dark; {variables('light')}}}\n"
            f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {variables('dark')}}} }}\n{rules}")


def warning_box(lines):
    """First of all on the page, if there is anything to doubt."""
    if not lines:
        return ""
    items = [element("li", unbroken(line)) for line in lines]
    first, rest = ("".join(part) for part in (items[:FIRST_WARNINGS], items[FIRST_WARNINGS:]))
    shown = element("h2", wording.count_text(len(lines), "warning")) + element("ul", first)
    if rest:
        more = wording.count_text(len(items) - FIRST_WARNINGS, "more warning")
        shown += element("details", element("summary", more) + element("ul", rest))
    return element("section", shown, class_="warnings")


def head(summary):
    study = summary["study"]
    timed = sum(not sample["warmup"] for sample in summary["samples"])
    facts = (f"{study['kind']} scaling study {study['name']}, begun {study['started_at']}, "
             f"{wording.count_text(len(summary['points']), 'point')}, "
             f"{wording.count_text(timed, 'timed run')}")
    return (element("h1", text(study["name"])) + element("p", text(facts), class_="quiet")
            + warning_box(wording.warnings(summary))
            + element("p", text(study["question"]), class_="question")
            + element("p", unbroken(wording.answer(summary)), class_="answer"))


def cache_text(machine):
    caches = [cache for cache in machine.get("caches") or [] if cache["type"] != "Instruction"]
    return ", ".join(f"L{cache['level']} {bytes_text(cache['size_bytes'])} (P{cache['shared_by_cpus']})"
                     for cache in caches)


def counted(numbers):
    """How many, and which: "2 (0-1)"."""
    return f"{cpu_count(numbers)} ({numbers})" if numbers else None


def machine_facts(summary):
    """Name and value of what a time depends on; what is not known is left out."""
    machine, build, mpi = (summary.get(name) or {} for name in ("machine", "build", "mpi"))
    commit = (build.get("commit") or "")[:12] + (" with changes" if build.get("dirty") else "")
    speeds = ", ".join(f"{name} {machine[name]}" for name in ("governor", "turbo")
                       if machine.get(name) is not None)
    memory = machine.get("memory_bytes")
    return [(name, value) for name, value in (
        ("host", ", ".join(machine.get("hosts") or [])), ("processor", machine.get("cpu_model")),
        ("processors online", counted(machine.get("cpus_online"))),
        ("NUMA nodes online", counted(machine.get("numa_nodes_online"))),
        ("caches of processor 0", cache_text(machine)), ("memory", bytes_text(memory) if memory else None),
        ("frequency", speeds), ("operating system", machine.get("kernel_release")),
        ("MPI", mpi.get("library")),
        ("launcher", summary["study"]["launcher_version"] or summary["study"]["launcher"]),
        ("OpenMP", summary.get("openmp")),
        ("compiler", " ".join(filter(None, (build.get("compiler"), build.get("flags"))))),
        ("Funnel", " ".join(filter(None, (build.get("version"), commit))))) if value]


def pu_box(cpu, owners):
    """A processor with the ranks and threads on it."""
    label = "+".join(f"{rank}.{thread}" for rank, thread in owners)
    crowded = " crowded" if len(owners) > 1 else ""
    said = f"P{cpu}: " + ", ".join(f"rank {rank} thread {thread}" for rank, thread in owners)
    return element("span", text(label), class_=f"pu{crowded}", title=said)


def node_picture(host, ranks):
    """The processors in use on a host, in their order."""
    owners = {}
    for rank in ranks:
        for thread, cpu in enumerate(rank["cpus"]):
            owners.setdefault(cpu, []).append((rank["rank"], thread))
    boxes = "".join(element("span", f"P{cpu} {pu_box(cpu, owners[cpu])}") for cpu in sorted(owners))
    return element("span", element("span", text(host), class_="quiet") + boxes, class_="node")


def binding_row(point, ranks):
    hosts = dict.fromkeys(rank["host"] for rank in ranks)
    nodes = "".join(node_picture(host, [rank for rank in ranks if rank["host"] == host]) for host in hosts)
    return element("div", element("b", text(wording.point_text(point))) + nodes, class_="layout")


def binding_section(summary):
    """The machine, and which thread ran where."""
    facts = "".join(element("dt", text(name)) + element("dd", text(value))
                    for name, value in machine_facts(summary))
    seen, rows = set(), []
    for point in summary["points"]:
        layout = point["ranks"], point["threads"]
        if layout not in seen and summary["places"].get(point["name"]):
            seen.add(layout)
            rows.append(binding_row({**point, "axis": {}}, summary["places"][point["name"]]))
    explained = ("Each box is a processor (P, as the operating system counts) and holds RANK.THREAD, as read "
                 "inside the thread itself at the start of one run of each layout.")
    shown = element("div", "".join(rows[:12]), class_="nodes")
    if rows[12:]:
        more = element("summary", text(wording.count_text(len(rows) - 12, "more layout")))
        shown += element("details", more + element("div", "".join(rows[12:]), class_="nodes"))
    return (element("h2", "Machine and binding") + element("dl", facts)
            + element("h3", "Where ranks and threads ran")
            + element("p", text(explained), class_="quiet") + shown)


def figure_of(folder, figure):
    """The drawing with what to see in it."""
    drawing = (folder / "figures" / f"{figure.name}.svg").read_text()
    drawn = svg.inline(drawing, f"figure-{figure.name}", figure.alt)
    said = element("h3", text(figure.title)) + element("p", unbroken(figure.sees))
    return element("figure", drawn + element("figcaption", said))


def figure_section(folder, found, drawn, why_not):
    """All figures; without matplotlib a line that says so."""
    if not found:
        return ""
    if not drawn:
        content = element("p", text(f"No figures: {why_not}. The tables below say the same."))
    else:
        content = "".join(figure_of(folder, figure) for figure in found)
    return element("h2", "Figures") + content


def word_class(name):
    return {"class_": "word"} if name in WORDS else {}


def cell(name, value):
    return element("td", unbroken(value), data_name=name, **word_class(name))


def row_of(names, point, values):
    marked = {} if is_usable(point) else {"class_": "marked"}
    return element("tr", "".join(map(cell, names, values)), **marked)


def table_of(columns, points, caption):
    names, rows = table.make_rows(columns, points)
    top = "".join(element("th", text(name), scope="col", **word_class(name)) for name in names)
    body = "".join(row_of(names, point, row) for point, row in zip(points, rows))
    return element("table", element("caption", text(caption)) + element("thead", element("tr", top))
                   + element("tbody", body))


def scaling_words(summary):
    """Fits, one line a series."""
    if summary["study"]["kind"] != "strong":
        return ""
    lines = []
    for series in summary["series"]:
        name = f"{wording.axis_text(series['axis'])}: " if series["axis"] else ""
        lines.append(element("p", text(name + wording.amdahl_text(series["amdahl"]))))
    return "".join(lines[:12])


def prediction_section(summary):
    """The model beside the measurement, where there is a prediction."""
    title = element("h2", "Model and measurement")
    points = [point for point in summary["points"] if point.get("predicted")]
    if not points:
        said = "No prediction: it needs a machine file of run/measure-machine (run/report --machine FILE)."
        return title + element("p", text(summary.get("prediction_note") or said))
    caption = (f"{table.caption(summary)}; error: predicted over measured time a sweep, less 1; machine file "
               f"{summary['machine_file'] or 'not named'}")
    return title + table_of(table.predicted_columns(summary), points, caption)


def tables_section(summary):
    points = summary["points"]
    return (element("h2", "Results") + table_of(table.main_columns(summary), points, table.caption(summary))
            + scaling_words(summary) + prediction_section(summary) + element("h2", "Details of the points")
            + table_of(table.detail_columns(summary), points, f"{table.caption(summary)}; Tcomm of ranks: "
                                                              "least / mean / most"))


def repeat_section(summary):
    """The exact commands."""
    study = summary["study"]
    single = "".join(element("pre", text(point["command"])) for point in summary["points"])
    costs = [session["harness_s_per_run"] for session in summary["sessions"] if session["runs"]]
    cost = f" The harness itself took {1e3 * max(costs):.1f} ms a run." if costs else ""
    said = (f"In Funnel's checkout. {wording.count_text(study['warmup'], 'warm-up round')}, then "
            f"{wording.count_text(study['repeats'], 'round')}, {ORDERS[study['order']]}.{cost} Every sample "
            "is in results.csv, every record in runs/, points for Extra-P in extrap.jsonl.")
    commands = element("details", element("summary", "The command of each point") + single)
    return (element("h2", "To repeat it") + element("pre", text(study["repeat"]))
            + element("p", text(said), class_="quiet") + commands)


def make_page(folder, summary, drawn, why_not=""):
    """The page as text. drawn: whether the SVG files of figures.figures_of are in FOLDER/figures."""
    body = (head(summary) + binding_section(summary)
            + figure_section(Path(folder), figures.figures_of(summary), drawn, why_not)
            + tables_section(summary) + repeat_section(summary))
    title = f"{summary['study']['name']}: {summary['study']['kind']} scaling"
    return ("<!DOCTYPE html>\n" + '<html lang="en">' + "<head>" + '<meta charset="utf-8">'
            + '<meta name="viewport" content="width=device-width, initial-scale=1">'
            + element("title", text(title)) + '<link rel="icon" href="data:,">'
            + element("style", style()) + "</head>\n"
            + element("body", element("main", body)) + "</html>\n")
