/* Statistics of samples, against values worked out by hand and a table of the binomial law. */
#include "funnel/samples.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the headers above first */
#include <cmocka.h>

static bool near(double a, double b) {
    return fabs(a - b) <= 1e-12 * fabs(b);
}

static void quantiles_are_linear_between_samples(void **state) {
    (void)state;
    const double sorted[] = {1, 2, 4, 8};
    assert_true(near(samples_quantile(sorted, 4, 0), 1));
    assert_true(near(samples_quantile(sorted, 4, 0.5), 3));
    assert_true(near(samples_quantile(sorted, 4, 0.75), 5));
    assert_true(near(samples_quantile(sorted, 4, 1), 8));
    assert_true(near(samples_quantile(sorted, 1, 0.3), 1));
    assert_true(isnan(samples_quantile(sorted, 0, 0.5)));
}

static void a_summary_does_not_depend_on_the_order(void **state) {
    (void)state;
    double values[21];
    for (int i = 0; i < 21; i++)
        values[i] = (i * 8) % 21 + 1; /* 1..21, each once */
    const struct samples_summary summary = samples_summarize(values, 21);
    assert_true(near(summary.min, 1));
    assert_true(near(summary.p5, 2));
    assert_true(near(summary.median, 11));
    assert_true(near(summary.p95, 20));
    assert_true(near(summary.max, 21));
}

/* Samples that must be left out at each end for a 95 % interval of the median: from the cumulated
 * binomial law, for example P(Binomial(11, 1/2) <= 1) = 12/2048, and <= 2 already 67/2048. */
static void the_interval_of_the_median_keeps_95_percent(void **state) {
    (void)state;
    const struct {
        int count, left_out;
    } cases[] = {{1, 0}, {5, 0}, {6, 0}, {8, 0}, {9, 1}, {11, 1}, {12, 2}, {25, 7}, {50, 17}};
    double values[50];
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        for (int i = 0; i < cases[c].count; i++)
            values[i] = i;
        const struct samples_summary summary = samples_summarize(values, cases[c].count);
        assert_true(near(summary.median_low, cases[c].left_out));
        assert_true(near(summary.median_high, cases[c].count - 1 - cases[c].left_out));
    }
}

/* 2^-2000 underflows; the normal law says 1000 - 0.98 sqrt(2000) = 956.2. */
static void many_samples_do_not_underflow(void **state) {
    (void)state;
    double values[2000];
    for (int i = 0; i < 2000; i++)
        values[i] = i;
    assert_true(fabs(samples_summarize(values, 2000).median_low - 956) <= 1);
}

static void nothing_is_known_without_samples(void **state) {
    (void)state;
    double none = 0;
    const struct samples_summary summary = samples_summarize(&none, 0);
    assert_true(isnan(summary.min) && isnan(summary.median) && isnan(summary.median_high));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_linear_between_samples),
        cmocka_unit_test(a_summary_does_not_depend_on_the_order),
        cmocka_unit_test(the_interval_of_the_median_keeps_95_percent),
        cmocka_unit_test(many_samples_do_not_underflow),
        cmocka_unit_test(nothing_is_known_without_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
