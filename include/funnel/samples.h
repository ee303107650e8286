/* Statistics of repeated measurements: what holds without assuming a distribution. Room: base. */
#ifndef FUNNEL_SAMPLES_H
#define FUNNEL_SAMPLES_H

/* Order statistics of samples, in the unit of the samples; all NaN without a sample. */
struct samples_summary {
    double min, p5, median, p95, max;
    double median_low, median_high; /* an interval that holds the true median in 95 % of cases, or
                                       the whole range where the samples are too few for that */
};

/* The q-quantile, 0 <= q <= 1, of `count` values in ascending order: linear between neighbours
 * (Hyndman and Fan, Sample Quantiles in Statistical Packages, 1996, definition 7). NaN if there are
 * none. */
double samples_quantile(const double *sorted, int count, double q);

/* Sorts `values` in place and sums them up. The interval of the median is the one of order
 * statistics (binomial, no assumption on the distribution). */
struct samples_summary samples_summarize(double *values, int count);

#endif
