/* Fit of message times by segments. A dynamic programme over all places of the knees makes the fit
 * exact; what a segment costs is measured in units of the noise, which the times themselves tell.
 */
#include "funnel/alpha_beta.h"
#include <math.h>
#include <stdlib.h>

enum { SEGMENT_SIZES_MIN = 3 };

/* Below this a difference is no change of protocol, however quiet the measurement. */
static const double smallest_noise = 0.02;

/* A segment must pay for itself: chance alone improves the sum of squares (in units of the noise)
 * by about 2 ln n, and the noise is itself an estimate. */
static const double price_per_log = 10;

static const double poor_error = 0.1; /* of the one line */

struct samples {
    int count;
    const double *bytes, *seconds;
};

static void check_samples(const struct samples *samples, struct status *status) {
    if (samples->count < 2 || samples->count > ALPHA_BETA_SIZES_MAX)
        status_fail(status, EXIT_CODE_USAGE, "alpha-beta fit: %d sizes; it takes 2 to %d",
                    samples->count, ALPHA_BETA_SIZES_MAX);
    for (int i = 0; i < samples->count && status_good(status); i++) {
        const double least = i > 0 ? samples->bytes[i - 1] : -1;
        if (!(samples->bytes[i] > least) || !isfinite(samples->bytes[i]))
            status_fail(status, EXIT_CODE_USAGE,
                        "alpha-beta fit: size %g follows %g; sizes must ascend", samples->bytes[i],
                        least);
        else if (!(samples->seconds[i] > 0) || !isfinite(samples->seconds[i]))
            status_fail(status, EXIT_CODE_USAGE,
                        "alpha-beta fit: %g s for %g bytes; a time must be above 0",
                        samples->seconds[i], samples->bytes[i]);
    }
}

/* Sums of the weighted normal equations; the weight of a size is 1/time^2. */
struct sums {
    double one, m, mm, t, mt;
};

static struct sums add_up(const struct samples *samples, int begin, int end) {
    struct sums sums = {0};
    for (int i = begin; i < end; i++) {
        const double inverse = 1 / samples->seconds[i], relative = samples->bytes[i] * inverse;
        sums.one += inverse * inverse;
        sums.m += relative * inverse;
        sums.mm += relative * relative;
        sums.t += inverse;
        sums.mt += relative;
    }
    return sums;
}

/* Sum of the squares of relative errors of a line over begin..end-1. */
static double squares(const struct samples *samples, int begin, int end,
                      const struct alpha_beta_segment *line) {
    double sum = 0;
    for (int i = begin; i < end; i++) {
        const double time_s = line->alpha_s + samples->bytes[i] * line->beta_s_per_byte;
        const double error = time_s / samples->seconds[i] - 1;
        sum += error * error;
    }
    return sum;
}

/* The best line with neither coefficient negative: if the free optimum has a negative one, the best
 * lies on an edge, where that one is 0. */
static struct alpha_beta_segment fit_line(const struct samples *samples, int begin, int end) {
    const struct sums sums = add_up(samples, begin, end);
    struct alpha_beta_segment line = {.sizes = end - begin};
    const double determinant = sums.one * sums.mm - sums.m * sums.m;
    line.alpha_s = (sums.t * sums.mm - sums.mt * sums.m) / determinant;
    line.beta_s_per_byte = (sums.one * sums.mt - sums.m * sums.t) / determinant;
    if (!(line.alpha_s >= 0)) {
        line.alpha_s = 0;
        line.beta_s_per_byte = sums.mt / sums.mm;
    } else if (!(line.beta_s_per_byte >= 0)) {
        line.beta_s_per_byte = 0;
        line.alpha_s = sums.t / sums.one;
    }
    line.error = sqrt(squares(samples, begin, end, &line) / line.sizes);
    return line;
}

static int compare_numbers(const void *a, const void *b) {
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Relative noise: each time against the line through its two neighbours, which misses it by noise
 * alone wherever there is no knee (T. Gasser, L. Sroka, C. Jennen-Steinmetz, "Residual variance and
 * residual pattern in nonlinear regression", Biometrika 73, 1986). The median keeps knees out;
 * 0.6745 is the median of the magnitude of a normal deviate. */
static double estimate_noise(const struct samples *samples) {
    double misses[ALPHA_BETA_SIZES_MAX];
    const double *m = samples->bytes, *t = samples->seconds;
    int count = 0;
    for (int i = 1; i + 1 < samples->count; i++) {
        const double right = (m[i] - m[i - 1]) / (m[i + 1] - m[i - 1]), left = 1 - right;
        const double miss = left * t[i - 1] + right * t[i + 1] - t[i];
        const double spread = sqrt(t[i] * t[i] + left * left * t[i - 1] * t[i - 1] +
                                   right * right * t[i + 1] * t[i + 1]);
        misses[count++] = fabs(miss) / spread;
    }
    if (count == 0)
        return smallest_noise;
    qsort(misses, (size_t)count, sizeof misses[0], compare_numbers);
    return fmax(smallest_noise, misses[count * 3 / 4] / 1.1503);
}

/* The cheapest way to cut the first n sizes, for every n: cost, and where its last segment begins.
 */
struct cut {
    double cost;
    int begin;
};

/* costs[i * count + j]: of one segment over sizes i..j, in units of the noise. */
static void fill_costs(double *costs, const struct samples *samples, double noise) {
    const int count = samples->count;
    for (int i = 0; i < count; i++)
        for (int j = i; j < count; j++) {
            const struct alpha_beta_segment line = fit_line(samples, i, j + 1);
            costs[i * count + j] = line.sizes * line.error * line.error / (noise * noise);
        }
}

/* Fewer sizes than two segments need are one segment, whatever it costs. */
static bool long_enough(int begin, int end) {
    return end - begin >= SEGMENT_SIZES_MIN || begin == 0;
}

/* Fills cuts[0..count]; returns the number of segments of the whole. */
static int cut_best(struct cut *cuts, const double *costs, int count, double price) {
    cuts[0] = (struct cut){0, 0};
    for (int end = 1; end <= count; end++) {
        cuts[end] = (struct cut){INFINITY, 0};
        for (int begin = 0; begin < end; begin++) {
            const bool after_a_short_one = begin > 0 && begin < SEGMENT_SIZES_MIN;
            const double cost = cuts[begin].cost + costs[begin * count + end - 1] + price;
            if (long_enough(begin, end) && !after_a_short_one && cost < cuts[end].cost)
                cuts[end] = (struct cut){cost, begin};
        }
    }
    int segments = 0;
    for (int end = count; end > 0; end = cuts[end].begin)
        segments++;
    return segments;
}

/* Where the lines of two neighbouring segments cross, if that lies between the last size of one and
 * the first of the other; else that first size. */
static double knee(const struct alpha_beta_segment *low, const struct alpha_beta_segment *high,
                   double last_bytes, double first_bytes) {
    const double crossing =
        (high->alpha_s - low->alpha_s) / (low->beta_s_per_byte - high->beta_s_per_byte);
    return crossing > last_bytes && crossing < first_bytes ? crossing : first_bytes;
}

static void take_segments(struct alpha_beta *model, const struct samples *samples,
                          const struct cut *cuts, int segments) {
    model->count = segments;
    int end = samples->count;
    for (int k = segments - 1; k >= 0; k--) {
        const int begin = cuts[end].begin;
        model->segments[k] = fit_line(samples, begin, end);
        if (k + 1 < segments)
            model->segments[k + 1].from_bytes = knee(&model->segments[k], &model->segments[k + 1],
                                                     samples->bytes[end - 1], samples->bytes[end]);
        end = begin;
    }
}

/* Raises the price of a segment until there are few enough. */
static void fit_segments(struct alpha_beta_fit *fit, const struct samples *samples, double *costs,
                         struct cut *cuts) {
    double price = price_per_log * log(samples->count);
    fill_costs(costs, samples, fit->noise);
    int segments = cut_best(cuts, costs, samples->count, price);
    while (segments > ALPHA_BETA_SEGMENTS_MAX) {
        price *= 2;
        segments = cut_best(cuts, costs, samples->count, price);
    }
    take_segments(&fit->model, samples, cuts, segments);
}

bool alpha_beta_fit(struct alpha_beta_fit *fit, int count, const double *bytes,
                    const double *seconds, struct status *status) {
    const struct samples samples = {count, bytes, seconds};
    *fit = (struct alpha_beta_fit){0};
    check_samples(&samples, status);
    if (!status_good(status))
        return false;
    double *costs = malloc((size_t)count * (size_t)count * sizeof *costs);
    struct cut *cuts = malloc(((size_t)count + 1) * sizeof *cuts);
    if (costs && cuts) {
        fit->noise = estimate_noise(&samples);
        fit->one_line = fit_line(&samples, 0, count);
        fit->one_line_poor = fit->one_line.error > poor_error;
        fit_segments(fit, &samples, costs, cuts);
    } else
        status_fail(status, EXIT_CODE_ENVIRONMENT, "alpha-beta fit: no memory for %d sizes", count);
    free(costs);
    free(cuts);
    return status_good(status);
}

struct alpha_beta alpha_beta_line(double alpha_s, double bytes_per_s) {
    return (struct alpha_beta){
        .count = 1, .segments = {{.alpha_s = alpha_s, .beta_s_per_byte = 1 / bytes_per_s}}};
}

double alpha_beta_time_s(const struct alpha_beta *model, double bytes) {
    int k = model->count - 1;
    while (k > 0 && bytes < model->segments[k].from_bytes)
        k--;
    return model->segments[k].alpha_s + bytes * model->segments[k].beta_s_per_byte;
}

double alpha_beta_half_bytes(const struct alpha_beta *model) {
    const double target = 2 * model->segments[model->count - 1].beta_s_per_byte;
    for (int k = 0; k < model->count; k++) {
        /* alpha + m*beta = m*target; the bandwidth only rises within a segment */
        const struct alpha_beta_segment *segment = &model->segments[k];
        const double faster = target - segment->beta_s_per_byte;
        const double end = k + 1 < model->count ? model->segments[k + 1].from_bytes : INFINITY;
        if (faster <= 0)
            continue;
        const double crossing = fmax(segment->alpha_s / faster, segment->from_bytes);
        if (crossing < end)
            return crossing;
    }
    return INFINITY;
}
