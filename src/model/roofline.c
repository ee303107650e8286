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

/* Beyond the last cache place: its rate, or what the traffic allows if that is less. */
static double beyond_s(const struct kernel_rates *kernel, int begin, const struct core_values *copy,
                       const struct core_load *load) {
    const double in_cache_s = point_s(kernel, begin, load->cores);
    const double bandwidth = core_values_at(copy, load->cores);
    if (!(bandwidth > 0))
        return in_cache_s;
    const int sweeps = kernel->in_passes ? load->sweeps_in_pass : 1;
    return fmax(in_cache_s, load->bytes_per_point / sweeps * load->cores / bandwidth);
}

double roofline_sweep_s(const struct kernel_rates *kernel, const struct core_values *copy,
                        const struct core_load *load) {
    int place = 0, next = next_place(kernel, 0);
    while (next < kernel->count && load->working_set_bytes > 2 * kernel->rates[place].up_to_bytes) {
        place = next;
        next = next_place(kernel, place);
    }
    const double up_to = kernel->rates[place].up_to_bytes;
    const double inside_s = point_s(kernel, place, load->cores);
    if (load->working_set_bytes <= up_to)
        return load->points * inside_s;
    const double outside_s = next < kernel->count ? point_s(kernel, next, load->cores)
                                                  : beyond_s(kernel, place, copy, load);
    if (load->working_set_bytes >= 2 * up_to)
        return load->points * outside_s;
    return load->points * between(load->working_set_bytes, up_to, inside_s, 2 * up_to, outside_s);
}
