/* Time of a sweep on the cores of a node. */
#include "funnel/roofline.h"
#include <math.h>

static double between(double x, double x0, double y0, double x1, double y1) {
    return y0 + (y1 - y0) * (x - x0) / (x1 - x0);
}

double core_values_at(const struct core_values *values, int cores) {
    const struct core_value *at = values->at;
    if (values->count == 0)
        return 0;
    if (cores <= at[0].cores)
        return at[0].value * cores / at[0].cores;
    for (int i = 1; i < values->count; i++)
        if (cores <= at[i].cores)
            return between(cores, at[i - 1].cores, at[i - 1].value, at[i].cores, at[i].value);
    return at[values->count - 1].value;
}

/* First row of the place after the one that begins at row `begin`; count if there is none. */
static int next_place(const struct kernel_rates *kernel, int begin) {
    int row = begin;
    while (row < kernel->count &&
           kernel->rates[row].up_to_bytes == kernel->rates[begin].up_to_bytes)
        row++;
    return row;
}

/* First row after those of the same place and sweeps in a pass as row `begin`. */
static int next_depth(const struct kernel_rates *kernel, int begin) {
    const int end = next_place(kernel, begin);
    int row = begin;
    while (row < end && kernel->rates[row].sweeps_in_pass == kernel->rates[begin].sweeps_in_pass)
        row++;
    return row;
}

/* Seconds a point and sweep on one of `cores` cores as measured in the rows that begin at `begin`,
 * of one place and one number of sweeps in a pass. */
static double measured_s(const struct kernel_rates *kernel, int begin, int cores) {
    const int end = next_depth(kernel, begin);
    struct core_values values = {0};
    for (int row = begin; row < end && values.count < ROOFLINE_VALUES_MAX; row++)
        values.at[values.count++] =
            (struct core_value){kernel->rates[row].cores, kernel->rates[row].lups};
    const int most = values.at[values.count - 1].cores;
    const double lups = core_values_at(&values, cores);
    const bool grows = cores > most && isfinite(kernel->rates[begin].up_to_bytes);
    return grows ? most / lups : cores / lups;
}

/* The same in the place that begins at row `begin`, for the load's sweeps in a pass: a line in 1/d
 * through two of the depths measured. A line that falls to lower d, as measurements that scatter
 * may give, is none of a pass: there the time stays. */
static double point_s(const struct kernel_rates *kernel, int begin, const struct core_load *load) {
    const int end = next_place(kernel, begin), sweeps = load->sweeps_in_pass;
    int shallow = begin, deep = next_depth(kernel, begin);
    while (deep < end && kernel->rates[deep].sweeps_in_pass <= sweeps) {
        shallow = deep;
        deep = next_depth(kernel, deep);
    }
    const double shallow_s = measured_s(kernel, shallow, load->cores);
    if (deep == end)
        return shallow_s;
    const double shallow_sweeps = kernel->rates[shallow].sweeps_in_pass;
    const double line_s =
        between(1.0 / sweeps, 1 / shallow_sweeps, shallow_s,
                1.0 / kernel->rates[deep].sweeps_in_pass, measured_s(kernel, deep, load->cores));
    return sweeps < shallow_sweeps ? fmax(line_s, shallow_s) : line_s;
}

/* What the traffic with memory takes a point; 0 where the bandwidth is unknown. */
static double traffic_s(const struct kernel_rates *kernel, const struct core_values *copy,
                        const struct core_load *load) {
    const double bandwidth = core_values_at(copy, load->cores);
    const int sweeps = kernel->in_passes ? load->sweeps_in_pass : 1;
    return bandwidth > 0 ? load->bytes_per_point / sweeps * load->cores / bandwidth : 0;
}

/* Seconds a point beyond the cache place that begins at row `place`: as measured in the next one.
 * Passes there may have been measured with more sweeps each; fewer are bound by their traffic.
 * Without a next place the rate is that in cache, as far as the traffic allows. */
static double beyond_s(const struct kernel_rates *kernel, int place, int next,
                       const struct core_values *copy, const struct core_load *load) {
    if (next == kernel->count)
        return fmax(point_s(kernel, place, load), traffic_s(kernel, copy, load));
    const double next_s = point_s(kernel, next, load);
    const bool in_memory = isinf(kernel->rates[next].up_to_bytes);
    return in_memory && kernel->in_passes ? fmax(next_s, traffic_s(kernel, copy, load)) : next_s;
}

double roofline_sweep_s(const struct kernel_rates *kernel, const struct core_values *copy,
                        const struct core_load *load) {
    int place = 0, next = next_place(kernel, 0);
    while (next < kernel->count && isfinite(kernel->rates[next].up_to_bytes) &&
           load->working_set_bytes > 2 * kernel->rates[place].up_to_bytes) {
        place = next;
        next = next_place(kernel, place);
    }
    const double up_to = kernel->rates[place].up_to_bytes;
    const double inside_s = point_s(kernel, place, load);
    if (load->working_set_bytes <= up_to)
        return load->points * inside_s;
    const double outside_s = beyond_s(kernel, place, next, copy, load);
    if (load->working_set_bytes >= 2 * up_to)
        return load->points * outside_s;
    return load->points * between(load->working_set_bytes, up_to, inside_s, 2 * up_to, outside_s);
}
