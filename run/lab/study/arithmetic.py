"""The arithmetic of scaling, as pure functions of numbers. Times are seconds, cores are counted.

Speed-up and efficiency are against a base that need not be one core: T_base on base_cores.
"""
import math
import statistics

FEWEST_CORE_COUNTS = 4  # for an interval: a line through three points says little of its own error

EXACT_PAIRS = 2500      # of a rank test: 50 repeats against 50

# Student's t, 97.5 % quantile by degrees of freedom (any statistics table, two-sided 95 %).
STUDENT_T = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262,
             10: 2.228, 12: 2.179, 15: 2.131, 20: 2.086, 30: 2.042, 60: 2.000}


def describe(values):
    """Median, extremes and spread of samples; None where there are none.

    spread: (max - min) / median. variation: standard deviation / mean, None below two samples.
    """
    values = [value for value in values if value is not None]
    if not values:
        return None
    median, mean = statistics.median(values), statistics.fmean(values)
    return {"median": median, "min": min(values), "max": max(values), "samples": len(values),
            "spread": (max(values) - min(values)) / median if median else None,
            "variation": statistics.stdev(values) / mean if len(values) > 1 and mean else None}


def speedup(base_time_s, time_s):
    """How many times faster than the base."""
    return base_time_s / time_s


def efficiency(base_time_s, base_cores, time_s, cores):
    """Strong scaling: speed-up over the ratio of cores; 1 is ideal."""
    return speedup(base_time_s, time_s) * base_cores / cores


def karp_flatt(speed, ratio):
    """The serial fraction that a speed-up on `ratio` times the cores implies; None at the base.

    Karp and Flatt, Measuring Parallel Processor Performance, CACM 33(5), 1990.
    """
    if ratio <= 1:
        return None
    return (1 / speed - 1 / ratio) / (1 - 1 / ratio)


def weak_efficiency(base_time_s, time_s):
    """Weak scaling: E = T_1 / T_p at constant work a core."""
    return base_time_s / time_s


def scaled_speedup(base_time_s, time_s, ratio):
    """Gustafson: how many times the work of the base is done in the time of the base."""
    return ratio * weak_efficiency(base_time_s, time_s)


def gustafson_serial_fraction(scaled, ratio):
    """s of S = p + (1 - p) s; None at the base. Gustafson, CACM 31(5), 1988."""
    if ratio <= 1:
        return None
    return (ratio - scaled) / (ratio - 1)


def student_t(freedom):
    """97.5 % quantile; between rows of the table that of fewer degrees, which is wider."""
    return STUDENT_T[max(known for known in STUDENT_T if known <= freedom)]


def weighted_line(xs, ys, weights):
    """Least squares y = a + b x; returns a, b and the inverse of the normal matrix."""
    s, sx, sxx = (sum(w * x ** power for w, x in zip(weights, xs)) for power in (0, 1, 2))
    sy, sxy = (sum(w * x ** power * y for w, x, y in zip(weights, xs, ys)) for power in (0, 1))
    determinant = s * sxx - sx * sx
    inverse = ((sxx / determinant, -sx / determinant), (-sx / determinant, s / determinant))
    a, b = (row[0] * sy + row[1] * sxy for row in inverse)
    return a, b, inverse


def amdahl_interval(serial_s, parallel_s, residual, inverse, freedom):
    """95 % interval of the serial fraction: the error of both terms carried through a / (a + b)."""
    total = serial_s + parallel_s
    by_a, by_b = parallel_s / total ** 2, -serial_s / total ** 2
    variance = residual / freedom * (by_a ** 2 * inverse[0][0] + 2 * by_a * by_b * inverse[0][1]
                                     + by_b ** 2 * inverse[1][1])
    half = student_t(freedom) * math.sqrt(max(variance, 0.0))
    fraction = serial_s / total
    return [fraction - half, fraction + half]


def fit_amdahl(times_by_ratio):
    """T(p) = serial + parallel / p through medians: {cores over base cores: seconds}.

    Weighted by 1/T^2, for noise grows with the time. Two ratios give the line alone, four or more an
    interval too. Returns None below two.
    """
    ratios = sorted(times_by_ratio)
    if len(ratios) < 2:
        return None
    times = [times_by_ratio[ratio] for ratio in ratios]
    weights = [1 / time ** 2 for time in times]
    inverses = [1 / ratio for ratio in ratios]
    serial_s, parallel_s, inverse = weighted_line(inverses, times, weights)
    residual = sum(w * (serial_s + parallel_s * x - y) ** 2
                   for w, x, y in zip(weights, inverses, times))
    enough = len(ratios) >= FEWEST_CORE_COUNTS
    return {"serial_fraction": serial_s / (serial_s + parallel_s), "serial_s": serial_s,
            "parallel_s": parallel_s, "core_counts": len(ratios),
            "interval_95": amdahl_interval(serial_s, parallel_s, residual, inverse, len(ratios) - 2)
            if enough else None,
            "note": None if enough else
            f"too few points for an interval: {len(ratios)} different core counts, at least "
            f"{FEWEST_CORE_COUNTS} are needed"}


def rank_sums(size_a, size_b):
    """How many ways each rank sum of the first sample can come about, without ties: {sum: ways}."""
    ways = [{0: 1}] + [{} for _ in range(size_a)]
    for rank in range(1, size_a + size_b + 1):
        for taken in range(min(rank, size_a), 0, -1):
            for total, count in ways[taken - 1].items():
                ways[taken][total + rank] = ways[taken].get(total + rank, 0) + count
    return ways[size_a]


def mid_ranks(values):
    """Rank of each value from 1; equal values share the mean of their ranks."""
    ordered = sorted(values)
    first, last = {}, {}
    for place, value in enumerate(ordered, 1):
        first.setdefault(value, place)
        last[value] = place
    return [(first[value] + last[value]) / 2 for value in values]


def rank_test(a, b):
    """Two-sided p of Wilcoxon's rank-sum test (Mann-Whitney), exact up to ties; by the normal
    distribution, which is near enough then, for more than EXACT_PAIRS pairs.

    The chance that samples of one and the same distribution differ in rank at least as much.
    """
    observed = sum(mid_ranks([*a, *b])[:len(a)])
    middle = len(a) * (len(a) + len(b) + 1) / 2
    if len(a) * len(b) > EXACT_PAIRS:
        deviation = math.sqrt(middle * len(b) / 6)
        return math.erfc(max(0.0, abs(observed - middle) - 0.5) / deviation / math.sqrt(2))
    ways = rank_sums(len(a), len(b))
    as_far = sum(count for total, count in ways.items()
                 if abs(total - middle) >= abs(observed - middle) - 1e-9)
    return as_far / sum(ways.values())


def least_p(size_a, size_b):
    """The smallest p that samples of these sizes can give."""
    return min(1.0, 2 / math.comb(size_a + size_b, size_a))


def false_discoveries(ps, rate=0.05):
    """Which of many p stand out if at most `rate` of those named may be chance.

    Benjamini and Hochberg, J. R. Statist. Soc. B 57(1), 1995.
    """
    ordered = sorted(ps)
    passed = [p for place, p in enumerate(ordered, 1) if p <= rate * place / len(ordered)]
    limit = max(passed, default=-1.0)
    return [p <= limit for p in ps]
