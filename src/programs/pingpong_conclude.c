/* From the times of each pair to those of all, and to alpha and beta. */
#include "pingpong_loops.h"
#include <math.h>
#include <stdlib.h>

/* One result a pair, of the rank that kept the clock. */
static const struct pingpong_result *result_of(const struct pingpong_measurement *measurement,
                                               int pair, int size) {
    const struct pingpong_plan *plan = measurement->plan;
    return &measurement->of_rank[(plan->first + pair) * plan->sizes + size];
}

/* Over the pairs: the least, the median of the medians, the greatest. */
static void sum_up_pairs(struct pingpong_measurement *measurement, int size, double *medians_s) {
    const struct pingpong_plan *plan = measurement->plan;
    const int64_t bytes = plan->size[size].bytes * plan->pattern->ways;
    struct pingpong_result *all = &measurement->all[size];
    *all = *result_of(measurement, 0, size);
    for (int pair = 0; pair < plan->pairs; pair++) {
        const struct pingpong_result *one = result_of(measurement, pair, size);
        all->time_s.min = fmin(all->time_s.min, one->time_s.min);
        all->time_s.p5 = fmin(all->time_s.p5, one->time_s.p5);
        all->time_s.p95 = fmax(all->time_s.p95, one->time_s.p95);
        all->time_s.max = fmax(all->time_s.max, one->time_s.max);
        all->time_s.median_low = fmin(all->time_s.median_low, one->time_s.median_low);
        all->time_s.median_high = fmax(all->time_s.median_high, one->time_s.median_high);
        all->probe_s = fmax(all->probe_s, one->probe_s);
        medians_s[pair] = one->time_s.median;
        measurement->rate_bytes_per_s[size] += (double)bytes / one->time_s.median;
    }
    all->time_s.median = samples_summarize(medians_s, plan->pairs).median;
}

void pingpong_conclude(struct pingpong_measurement *measurement, struct status *status) {
    const struct pingpong_plan *plan = measurement->plan;
    double bytes[PINGPONG_SIZES_MAX], seconds[PINGPONG_SIZES_MAX];
    double *medians_s = calloc((size_t)plan->pairs, sizeof *medians_s);
    if (!medians_s) {
        status_fail(status, EXIT_CODE_ENVIRONMENT, "no memory for the times of %d pairs",
                    plan->pairs);
        return;
    }
    for (int i = 0; i < plan->sizes; i++) {
        sum_up_pairs(measurement, i, medians_s);
        bytes[i] = (double)plan->size[i].bytes;
        seconds[i] = measurement->all[i].time_s.median;
    }
    free(medians_s);
    measurement->fitted = plan->sizes > 1;
    if (measurement->fitted &&
        alpha_beta_fit(&measurement->fit, plan->sizes, bytes, seconds, status))
        measurement->half_bytes = alpha_beta_half_bytes(&measurement->fit.model);
}
