"""Messages between two ranks, by the program pingpong: where the ranks sit, and what carries them."""
from lab import site, transports
from lab.series import Series

SAME, DIFFERENT = "same core complex", "different core complexes"
UNKNOWN, ONE_CORE = "unknown distance", "one core for both ranks"
NAMES = {SAME: "shared-cache", DIFFERENT: "same-node", UNKNOWN: "same-node", ONE_CORE: "same-node"}
LARGEST, QUICK_LARGEST = 4 * 1024 ** 2, 4096


def pairs(core_complexes, cores):
    """[(distance, CPUs of the two ranks)]: neighbours in a core complex, and across two of them."""
    usable = [core[0] for core in cores]
    groups = [[cpu for cpu in usable if cpu in group] for group in core_complexes] or [usable]
    groups = [group for group in groups if group]
    known = SAME if core_complexes else UNKNOWN
    found = [(known, [[group[0]], [group[1]]]) for group in groups if len(group) > 1][:1]
    if len(groups) > 1:
        found.append((DIFFERENT, [[groups[0][0]], [groups[-1][0]]]))
    return found or [(ONE_CORE, None)]


def pattern_of(transport, in_rows):
    """As a solver exchanges: both ways at once, bytes just written, deep halos in rows."""
    if transport.name == transports.WINDOW:
        return "window"
    return "deep-halo" if in_rows else "halo"


def pingpong_words(pattern, quick):
    words = ["--pattern", pattern]
    if quick:
        return words + ["--fine", "--max", str(QUICK_LARGEST), "--repeats", "20"]
    return words + ["--fine", "--max", str(LARGEST)]


def pingpong_times(record):
    """{bytes: median seconds of a message}"""
    return {size["bytes"]: size["time"]["median_s"] for size in record["measured"]["sizes"]}


def probe_s(record):
    """Median over the sizes of the flag between the two ranks, there and back; None if unknown."""
    probes = sorted(size["time"]["probe_s"] for size in record["measured"]["sizes"]
                    if size["time"]["probe_s"] is not None)
    return probes[len(probes) // 2] if probes else None


class Link(Series):
    """Runs of pingpong with one transport and placement, and the fit of the run in the middle."""

    def __init__(self, here, transport, pair, distance, quick, in_rows=False):
        super().__init__({"what": "message in rows" if in_rows else "message", "distance": distance,
                          "transport": transport.name}, "s", self.run_once)
        self.here, self.transport, self.places, self.quick = here, transport, pair[1], quick
        self.in_rows = in_rows
        self.command, self.runs, self.probes_s = None, [], []

    def run_once(self):
        words = pingpong_words(pattern_of(self.transport, self.in_rows), self.quick)
        run = site.run(self.here, "pingpong", words, 2, 1, self.transport.settings, self.places)
        if run.problem:
            return None, run.problem
        times, fit, probe = pingpong_times(run.record), run.record["measured"]["fit"], probe_s(run.record)
        self.command = run.command
        if fit:
            self.runs.append((times, fit["segments"]))
        if probe is not None:
            self.probes_s.append(probe)
        return times, None

    def deviation(self, times):
        """How far a run lies from the median of all, over all sizes."""
        return sum(abs(time_s / self.median(size) - 1) for size, time_s in times.items())

    def entry(self):
        """For `network` of a machine file; None without a run."""
        if self.problem or not self.runs:
            return None
        _, segments = min(self.runs, key=lambda run: self.deviation(run[0]))
        names = ("from_bytes", "alpha_s", "beta_s_per_byte", "error")
        return {"distance": self.name["distance"], "in_rows": self.in_rows, "transport": self.transport.what,
                "segments": [{name: segment[name] for name in names} for segment in segments]}


def make_series(here, core_complexes, library, quick):
    """Ranks near and far with what the library chooses; the window; TCP over the loopback if it can
    be chosen."""
    near = pairs(core_complexes, here.machine.cores)
    links = [Link(here, transports.DEFAULT, pair, NAMES[pair[0]], quick, in_rows)
             for pair in near for in_rows in (False, True)]
    links.append(Link(here, transports.WINDOW_ROW, near[0], "shared-window", quick))
    links += [Link(here, row, near[0], "loopback", quick)
              for row in transports.table(library) if row.name == "tcp"]
    return links
