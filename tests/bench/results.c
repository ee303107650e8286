/* What the samples say: each measure is a ratio inside one round, so that the state of the machine
 * cancels, and only then a median over rounds. */
#include "rows.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const measure_names[MEASURE_COUNT] = {
    "rate_lups", "roofline_share", "l1_share", "ceiling_share", "levels_share", "ratio_to_plain"};

static int compare(const void *a, const void *b) {
    double x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

struct summary summary_of(const double *values, int count) {
    double sorted[ROUNDS_MAX];
    int n = 0;
    for (int i = 0; i < count; i++)
        if (!isnan(values[i]))
            sorted[n++] = values[i];
    if (n == 0)
        return (struct summary){nan(""), nan(""), nan("")};
    qsort(sorted, (size_t)n, sizeof sorted[0], compare);
    return (struct summary){(sorted[(n - 1) / 2] + sorted[n / 2]) / 2, sorted[0], sorted[n - 1]};
}

const char *row_name(const struct row *row) {
    return row->kernel ? row->kernel->name : "plain";
}

int row_sweeps_at_a_time(const struct row *row) {
    const bool blocked = kernel_load(row->kernel) == LOAD_BLOCKED && !row->problem->in_l1;
    return blocked ? row->problem->block_sweeps : 1;
}

/* The plain loop moves what the reference does. */
double row_bytes_per_point(const struct row *row) {
    const struct kernel *kernel = row->kernel ? row->kernel : kernel_find("reference");
    return kernel_bytes(kernel, &row->problem->stencil, row_sweeps_at_a_time(row));
}

const struct row *row_plain(const struct bench *bench, const struct row *row) {
    for (const struct row *other = bench->rows; other < bench->rows + bench->row_count; other++)
        if (!other->kernel && other->problem == row->problem && other->threads == row->threads)
            return other;
    return NULL;
}

const struct row *row_in_l1(const struct bench *bench, const struct row *row, bool several_levels) {
    for (const struct row *other = bench->rows; other < bench->rows + bench->row_count; other++)
        if (other->kernel && other->kernel == row->kernel && other->threads == row->threads &&
            other->problem->in_l1 && (other->problem->levels > 1) == several_levels &&
            other->problem->dimensions == row->problem->dimensions &&
            other->problem->source_varies == row->problem->source_varies)
            return other;
    return NULL;
}

/* Rate of a row over that of another in the same round. */
static double ratio(const struct row *row, const struct row *other, int sample) {
    if (!other || other->differs || sample >= other->samples)
        return nan("");
    return row->sample[sample].rate_lups / other->sample[sample].rate_lups;
}

/* Of the rate in a first cache; that row itself has none, but with one level beside several. */
static double share_of_cache(const struct bench *bench, const struct row *row, int sample,
                             bool several_levels) {
    const bool itself = row->problem->in_l1 && (several_levels || row->problem->levels <= 1);
    return itself ? nan("") : ratio(row, row_in_l1(bench, row, several_levels), sample);
}

double row_measure(const struct bench *bench, const struct row *row, int sample,
                   enum measure measure) {
    const struct sample *taken = &row->sample[sample];
    if (row->differs)
        return nan("");
    if (measure == MEASURE_RATE)
        return taken->rate_lups;
    if (measure == MEASURE_L1 || measure == MEASURE_CEILING)
        return share_of_cache(bench, row, sample, false) /
               (measure == MEASURE_L1 ? 1 : 1 - row->overlap_share);
    if (measure == MEASURE_LEVELS)
        return share_of_cache(bench, row, sample, true);
    if (measure == MEASURE_PLAIN)
        return ratio(row, row_plain(bench, row), sample);
    return row->problem->in_l1 ? nan("")
                               : taken->rate_lups * (row->problem->source_varies ? 24 : 16) /
                                     taken->copy_bytes_per_s;
}

struct summary row_summary(const struct bench *bench, const struct row *row, enum measure measure) {
    double values[ROUNDS_MAX];
    for (int i = 0; i < row->samples; i++)
        values[i] = row_measure(bench, row, i, measure);
    return summary_of(values, row->samples);
}
