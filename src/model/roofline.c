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

/* The rates of the place that begins at row `begin`. */
static struct core_values place_values(const struct kernel_rates *kernel, int begin) {
    struct core_values values = {0};
    for (int row = begin; row < kernel->count && values.count < ROOFLINE_VALUES_MAX &&
                          kernel->rates[row].up_to_bytes == kernel->rates[begin].up_to_bytes;
         row++)
        values.at[values.count++] =
            (struct core_value){kernel->rates[row].cores, kernel->rates[row].lups};
    return values;
}

/* Seconds a point on one of `cores` cores in the place that begins at row `begin`. */
static double point_s(const struct kernel_rates *kernel, int begin, int cores) {
    const struct core_values values = place_values(kernel, begin);
    const int most = values.at[values.count - 1].cores;
    const double lups = core_values_at(&values, cores);
    const bool grows = cores > most && isfinite(kernel->rates[begin].up_to_bytes);
    return grows ? most / lups : cores / lups;
}

/* First row of the place after the one that begins at row `begin`; count if there is none. */
static int next_place(const struct kernel_rates *kernel, int begin) {
    int row = begin;
    while (row < kernel->count &&
           kernel->rates[row].up_to_bytes == kernel->rates[begin].up_to_bytes)
        row++;
    return row;
}

/* What the traffic with memory takes a point; 0 where the bandwidth is unknown. */
static double traffic_s(const struct kernel_rates *kernel, const struct core_values *copy,
                        const struct core_load *load) {
    const double bandwidth = core_values_at(copy, load->cores);
    const int sweeps = kernel->in_passes ? load->sweeps_in_pass : 1;
    return bandwidth > 0 ? load->bytes_per_point / sweeps * load->cores / bandwidth : 0;
}

/* Seconds a point beyond the cache place that begins at row `place`: as measured in the next one.
 * Passes there were measured with many sweeps each; fewer are bound by their traffic. Without a
 * next place the rate is that in cache, as far as the traffic allows. */
static double beyond_s(const struct kernel_rates *kernel, int place, int next,
                       const struct core_values *copy, const struct core_load *load) {
    if (next == kernel->count)
        return fmax(point_s(kernel, place, load->cores), traffic_s(kernel, copy, load));
    const double measured_s = point_s(kernel, next, load->cores);
    const bool in_memory = isinf(kernel->rates[next].up_to_bytes);
    return in_memory && kernel->in_passes ? fmax(measured_s, traffic_s(kernel, copy, load))
                                          : measured_s;
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
    const double inside_s = point_s(kernel, place, load->cores);
    if (load->working_set_bytes <= up_to)
        return load->points * inside_s;
    const double outside_s = beyond_s(kernel, place, next, copy, load);
    if (load->working_set_bytes >= 2 * up_to)
        return load->points * outside_s;
    return load->points * between(load->working_set_bytes, up_to, inside_s, 2 * up_to, outside_s);
}
