/* Order statistics: the spread of times is skewed, so means and standard deviations mislead. */
#include "funnel/samples.h"
#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b) {
    const double *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

double samples_quantile(const double *sorted, int count, double q) {
    if (count < 1)
        return NAN;
    const double place = q * (count - 1);
    const int below = (int)place;
    if (below >= count - 1)
        return sorted[count - 1];
    return sorted[below] + (place - below) * (sorted[below + 1] - sorted[below]);
}

/* How many samples may be left out at each end, k of n: the true median lies outside what is left
 * with probability 2 P(Binomial(n, 1/2) <= k), which must stay at 5 %. By logarithms, because 2^-n
 * underflows. */
static int samples_left_out(int count) {
    double log_term = -count * log(2), below = exp(log_term);
    int out = 0;
    while (below <= 0.025) {
        out++;
        log_term += log((double)(count - out + 1) / out);
        below += exp(log_term);
    }
    return out > 0 ? out - 1 : 0;
}

struct samples_summary samples_summarize(double *values, int count) {
    if (count < 1)
        return (struct samples_summary){NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    qsort(values, (size_t)count, sizeof *values, ascending);
    const int out = samples_left_out(count);
    return (struct samples_summary){
        .min = values[0],
        .p5 = samples_quantile(values, count, 0.05),
        .median = samples_quantile(values, count, 0.5),
        .p95 = samples_quantile(values, count, 0.95),
        .max = values[count - 1],
        .median_low = values[out],
        .median_high = values[count - 1 - out],
    };
}
