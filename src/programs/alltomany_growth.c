/* Medians and their intervals decide, not single times: on a shared machine any two runs differ. */
#include "alltomany_growth.h"
#include "funnel/text.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

/* Where half an interval exceeds this share of its median, one time an iteration fits too easily to
 * say anything. */
static const double noise_that_hides = 0.25;
/* What a clock and a start barrier may add to an interval of identical samples. */
static const double narrowest_interval = 0.01;

static double half_width_s(const struct growth_point *point) {
    const struct samples_summary *s = &point->total_s;
    const double half = 0.5 * (s->median_high - s->median_low);
    return fmax(half, narrowest_interval * s->median);
}

static bool passes(const struct growth_point *point, double total_s) {
    const struct samples_summary *s = &point->total_s;
    const double slack = narrowest_interval * s->median;
    return total_s >= s->median_low - slack && total_s <= s->median_high + slack;
}

/* The line fixed_s + iteration_s * n, least squares weighted by the intervals. */
static void fit_line(const struct growth_point *points, int count, struct growth *growth) {
    double w = 0, wn = 0, wt = 0, wnn = 0, wnt = 0;
    for (int i = 0; i < count; i++) {
        const double n = points[i].iterations, t = points[i].total_s.median;
        const double weight = 1 / (half_width_s(&points[i]) * half_width_s(&points[i]));
        w += weight;
        wn += weight * n;
        wt += weight * t;
        wnn += weight * n * n;
        wnt += weight * n * t;
    }
    const double determinant = w * wnn - wn * wn;
    growth->iteration_s = (w * wnt - wn * wt) / determinant;
    growth->fixed_s = (wnn * wt - wn * wnt) / determinant;
}

static bool line_passes(const struct growth_point *points, int count, const struct growth *line) {
    for (int i = 0; i < count; i++)
        if (!passes(&points[i], line->fixed_s + line->iteration_s * points[i].iterations))
            return false;
    return true;
}

/* A time an iteration that lies in all intervals at once; NaN if there is none. */
static double common_iteration_s(const struct growth_point *points, int count) {
    double low = 0, high = INFINITY;
    for (int i = 0; i < count; i++) {
        const struct samples_summary *s = &points[i].total_s;
        const double slack = narrowest_interval * s->median;
        low = fmax(low, (s->median_low - slack) / points[i].iterations);
        high = fmin(high, (s->median_high + slack) / points[i].iterations);
    }
    return low <= high ? 0.5 * (low + high) : NAN;
}

static void find_extremes(const struct growth_point *points, int count, struct growth *growth) {
    growth->least_s = INFINITY;
    for (int i = 0; i < count; i++) {
        const double each_s = points[i].total_s.median / points[i].iterations;
        growth->noise = fmax(growth->noise, half_width_s(&points[i]) / points[i].total_s.median);
        if (each_s < growth->least_s) {
            growth->least_s = each_s;
            growth->least_at = points[i].iterations;
        }
        if (each_s > growth->most_s) {
            growth->most_s = each_s;
            growth->most_at = points[i].iterations;
        }
    }
}

static enum growth_verdict judge_line(const struct growth_point *points, int count,
                                      struct growth *growth) {
    fit_line(points, count, growth);
    if (growth->fixed_s < 0)
        return growth->most_at > growth->least_at ? GROWTH_RISING : GROWTH_IRREGULAR;
    return line_passes(points, count, growth) ? GROWTH_FIXED_COST : GROWTH_IRREGULAR;
}

struct growth growth_judge(const struct growth_point *points, int count) {
    struct growth growth = {.verdict = GROWTH_UNKNOWN};
    find_extremes(points, count, &growth);
    if (count < 2)
        return growth;
    growth.iteration_s = common_iteration_s(points, count);
    if (isnan(growth.iteration_s))
        growth.verdict = judge_line(points, count, &growth);
    else if (growth.noise <= noise_that_hides)
        growth.verdict = GROWTH_PROPORTIONAL;
    return growth;
}

const char *growth_sentence(char *text, size_t size, const struct growth *growth) {
    char each[32], fixed[32], least[32], most[32];
    text_seconds(each, sizeof each, growth->iteration_s);
    text_seconds(fixed, sizeof fixed, growth->fixed_s);
    text_seconds(least, sizeof least, growth->least_s);
    text_seconds(most, sizeof most, growth->most_s);
    const double noise = 100 * growth->noise;
    switch (growth->verdict) {
    case GROWTH_PROPORTIONAL:
        snprintf(text, size, "yes: %s an iteration fits every number within its noise (%.0f %%)",
                 each, noise);
        break;
    case GROWTH_FIXED_COST:
        snprintf(text, size,
                 "no: each run also pays %s once, beside %s an iteration (noise %.0f %%)", fixed,
                 each, noise);
        break;
    case GROWTH_RISING:
        snprintf(text, size,
                 "no: an iteration takes longer with more of them, %s at %d, %s at %d (noise "
                 "%.0f %%)",
                 least, growth->least_at, most, growth->most_at, noise);
        break;
    case GROWTH_IRREGULAR:
        snprintf(text, size,
                 "no: an iteration takes %s at %d and %s at %d, more than the noise (%.0f %%), and "
                 "no line fits",
                 least, growth->least_at, most, growth->most_at, noise);
        break;
    case GROWTH_UNKNOWN:
        snprintf(text, size,
                 "cannot be told: the noise (%.0f %%) hides it; more --repeats may help", noise);
        break;
    }
    return text;
}
