"""The tables of run/transports, from its record."""
from lab import crossover
from lab.command import USAGE, Problem
from lab.records import spread
from lab.transports import ONE_COPY, TWO_COPIES

COLUMNS = 7
ROUNDS_TO_TRUST = 3
IDENTITY = ("library", "part", "transport", "distance", "ranks")
TITLES = {"pingpong": "ping-pong, half a round trip in us",
          "halos": "the solver's halos between two ranks, an exchange in us, by bytes of a message",
          "alltomany": "all-to-many, an iteration in us, by the unit of the message size",
          "collectives": "a call on the slowest rank in us"}
NAMES = {"pingpong": "ping-pong", "halos": "the solver's halos", "alltomany": "all-to-many"}


def identity(series):
    return tuple(series.get(name) for name in IDENTITY)


def key_of(value):
    """JSON has no tuples."""
    key = value["of"]
    return tuple(key) if isinstance(key, list) else key


def samples_of(series):
    return {key_of(value): value["samples"] for value in series["values"]}


def merge_series(before, after):
    """Samples of both, the earlier first; a problem of either stays."""
    taken = samples_of(before)
    for key, more in samples_of(after).items():
        taken[key] = taken.get(key, []) + more
    values = [{"of": key, **spread(samples)} for key, samples in taken.items()]
    return {**before, "problem": before["problem"] or after["problem"], "values": values}


def check_kind(before, quick, host):
    """A record to which rounds are to be added must be of the same host, and as quick."""
    if before.get("quick") != quick:
        raise Problem(USAGE, f"--add: RECORD was taken {'without' if quick else 'with'} --quick")
    its_host = (before.get("machine") or {}).get("host")
    if its_host != host:
        raise Problem(USAGE, f"--add: RECORD is of host {its_host}")


def merge(before, after):
    """A record with the rounds of both."""
    rows = {(row["library"], row["transport"]): row for row in before["rows"] + after["rows"]}
    merged = {identity(series): series for series in before["series"]}
    for series in after["series"]:
        same = merged.get(identity(series))
        merged[identity(series)] = merge_series(same, series) if same else series
    warnings = sorted({*before.get("warnings", []), *after["warnings"]})
    return {**after, "rows": list(rows.values()), "warnings": warnings,
            "series": list(merged.values()), "pieces": before["pieces"] + after["pieces"],
            "traffic": after["traffic"] or before["traffic"]}


def by_operation(samples):
    """{operation: {size: samples}}; one of name None for parts other than the collectives."""
    found = {}
    for key, taken in samples.items():
        operation, size = key if isinstance(key, tuple) else (None, key)
        found.setdefault(operation, {})[size] = taken
    return found


def win(one, operation, slow, fast):
    by_size = crossover.ratios(slow, fast)
    return {"library": one["library"], "part": one["part"], "operation": operation,
            "where": place_of(one), "rounds": min(map(len, fast.values())),
            "text": crossover.describe(by_size),
            "loses": crossover.describe(crossover.inverse(by_size)),
            "ratios": [{"bytes": size, "two_to_one": spread(taken)} for size, taken in by_size.items()]}


def wins(record):
    """Where one copy by the kernel is faster than two by the ranks: by library, part, distance."""
    found = []
    for one in record["series"]:
        if one["transport"] != ONE_COPY or one["part"] not in TITLES or one["problem"]:
            continue
        other = next((two for two in record["series"] if identity(two) ==
                      identity({**one, "transport": TWO_COPIES}) and not two["problem"]), None)
        if other:
            slow, fast = by_operation(samples_of(other)), by_operation(samples_of(one))
            found += [win(one, operation, slow[operation], fast[operation])
                      for operation in fast if operation in slow]
    return found


def columns_of(sizes):
    """A few of the sizes, evenly spread, first and last among them."""
    sizes = sorted(sizes)
    if len(sizes) <= COLUMNS:
        return sizes
    return [sizes[round(at * (len(sizes) - 1) / (COLUMNS - 1))] for at in range(COLUMNS)]


def medians(series):
    return {key_of(value): value["median"] for value in series["values"]}


def cell(value_s):
    return f"{'':>10}" if value_s is None else f"{value_s * 1e6:10.2f}"


def print_row(label, series, found, columns):
    if series["problem"]:
        print(f"{label} {series['problem']}")
    else:
        print(label + "".join(cell(found.get(column)) for column in columns))


def print_sizes(title, rows):
    """rows: [(label, series, {size: seconds})]"""
    columns = columns_of({size for _, _, found in rows for size in found})
    print(f"\n{title}")
    print(" " * len(rows[0][0]) + "".join(f"{crossover.size_text(column):>10}" for column in columns))
    for label, series, found in rows:
        print_row(label, series, found, columns)


def label_of(record, series):
    """Of one width for all rows; the library only where there are several."""
    several = len({row["library"] for row in record["rows"]}) > 1
    names = {(row["library"], row["transport"]):
             f"{row['library']} {row['transport']}" if several else row["transport"]
             for row in record["rows"]}
    width = max(map(len, names.values()))
    return f"  {names[(series['library'], series['transport'])]:{width}}"


def place_of(series):
    return series.get("distance") or f"{series.get('ranks')} ranks"


def groups(record, part):
    """Series of a part, by distance or number of ranks."""
    found = {}
    for series in record["series"]:
        if series["part"] == part:
            found.setdefault(place_of(series), []).append(series)
    return found


def print_part(record, part):
    for where, members in groups(record, part).items():
        rows = [(label_of(record, series), series, medians(series)) for series in members]
        operations = dict.fromkeys(key[0] for _, _, found in rows for key in found if isinstance(key, tuple))
        if not operations:
            print_sizes(f"{TITLES[part]}; {where}", rows)
            continue
        for operation in operations:
            chosen = [(label, series, {key[1]: value for key, value in found.items() if key[0] == operation})
                      for label, series, found in rows]
            print_sizes(f"{operation}, {TITLES[part]}; {where}", chosen)


def print_solver(record):
    for where, members in groups(record, "solver").items():
        indent = " " * len(label_of(record, members[0]))
        print(f"\nthe solver; {where}\n{indent}{'us a sweep':>12}{'min':>12}{'max':>12}{'Tcomm':>10}")
        for series in members:
            values = {value["of"]: value for value in series["values"]}
            label = label_of(record, series)
            if series["problem"]:
                print(f"{label} {series['problem']}")
                continue
            times = "".join(f"{values['sweep_s'][name] * 1e6:12.1f}" for name in ("median", "min", "max"))
            print(f"{label}{times}{100 * values['tcomm_fraction']['median']:8.2f} %")


def row_text(row):
    if row["problem"]:
        return row["problem"]
    carried = row["carried_by"]
    return f"{row['what']}; carried by {' '.join(carried)}" if carried else row["what"]


def print_rows(record):
    print("transports")
    for row in record["rows"]:
        print(f"{label_of(record, row)}  {row_text(row)}")


def print_wins(record):
    if not record["wins"]:
        return
    for verdict, name in ("faster", "text"), ("slower", "loses"):
        print(f"\none copy by the kernel is {verdict} than two by the ranks")
        for found in record["wins"]:
            what = found["operation"] or NAMES[found["part"]]
            print(f"  {found['library']}, {what}, {found['where']}: {found[name]}")
    fewest = min(found["rounds"] for found in record["wins"])
    if fewest < ROUNDS_TO_TRUST:
        print(f"\nfrom {fewest} round(s) only: --rounds {ROUNDS_TO_TRUST} or more tell a difference from "
              "noise")
    if len({found["where"] for found in record["wins"] if found["part"] in ("pingpong", "halos")}) == 1:
        print("\nother placements of two ranks: this machine has one core complex only")


def print_traffic(record):
    if not record["traffic"]:
        return
    print("\nbytes through the interfaces of this host during a solve")
    for taken in record["traffic"]:
        label = label_of(record, taken)
        for carried in taken["interfaces"] or [None]:
            if taken["problem"] or not carried:
                print(f"{label} {taken['problem'] or 'none'}")
                continue
            received, sent = carried["received_bytes"][-1], carried["sent_bytes"][-1]
            print(f"{label} {carried['interface']}: in {received / 1e6:.2f} MB, out {sent / 1e6:.2f} MB in "
                  f"{taken['elapsed_s']:.2f} s; the halos were {taken['halo_bytes'] / 1e6:.2f} MB")


def print_warnings(record):
    """Before the numbers."""
    if record["warnings"]:
        print("binding problems, so the numbers below are not those of the transports alone")
        for text in record["warnings"]:
            print(f"  {text}")
        print()


def print_all(record):
    print_warnings(record)
    print_rows(record)
    for part in TITLES:
        print_part(record, part)
    print_solver(record)
    print_wins(record)
    print_traffic(record)
