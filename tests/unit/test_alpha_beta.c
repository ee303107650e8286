/* The fit of message times on data whose alpha, beta and knees are known. */
#include "funnel/alpha_beta.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka wants the headers above first */
#include <cmocka.h>

enum { POWERS = 25 }; /* 1 byte to 16 MiB, every power of two */

static void assert_near(double value, double expected, double relative) {
    if (!(fabs(value - expected) <= relative * fabs(expected)))
        fail_msg("%.17g is not within %g of %.17g", value, relative, expected);
}

/* A deviate of mean 0 and variance 1 (twelve uniform ones), the same on every machine. */
static double deviate(uint64_t *seed) {
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        sum += (double)(*seed >> 11) / 9007199254740992.0;
    }
    return sum;
}

/* Times of every power of two by the model, with relative noise. */
static void make_times(double *bytes, double *seconds, const struct alpha_beta *model, double noise,
                       uint64_t seed) {
    for (int i = 0; i < POWERS; i++) {
        bytes[i] = ldexp(1, i);
        seconds[i] = alpha_beta_time_s(model, bytes[i]) * (1 + noise * deviate(&seed));
    }
}

static struct alpha_beta_fit fit(int count, const double *bytes, const double *seconds) {
    struct alpha_beta_fit result;
    struct status status = {0};
    assert_true(alpha_beta_fit(&result, count, bytes, seconds, &status));
    return result;
}

/* An eager protocol up to 8 KiB, then a handshake and a faster copy. */
static const struct alpha_beta two_protocols = {
    2, {{.alpha_s = 2e-7, .beta_s_per_byte = 1e-9}, {8192, 6e-6, 1e-10, 0, 0}}};

static void an_exact_line_is_found(void **state) {
    (void)state;
    double bytes[POWERS], seconds[POWERS];
    const struct alpha_beta line = alpha_beta_line(50e-6, 110e6);
    make_times(bytes, seconds, &line, 0, 1);
    const struct alpha_beta_fit found = fit(POWERS, bytes, seconds);
    assert_int_equal(found.model.count, 1);
    assert_near(found.model.segments[0].alpha_s, 50e-6, 1e-9);
    assert_near(found.model.segments[0].beta_s_per_byte, 1 / 110e6, 1e-9);
    assert_true(found.model.segments[0].error < 1e-9);
    assert_int_equal(found.model.segments[0].sizes, POWERS);
    assert_false(found.one_line_poor);
    assert_near(alpha_beta_half_bytes(&found.model), 5500, 1e-9); /* alpha/beta */
}

static void small_messages_count_as_much_as_large_ones(void **state) {
    (void)state;
    /* plain least squares would give alpha an error of the size of the last time's noise */
    double bytes[POWERS], seconds[POWERS];
    const struct alpha_beta line = alpha_beta_line(1e-6, 1e10);
    make_times(bytes, seconds, &line, 0, 1);
    seconds[POWERS - 1] *= 1.02;
    const struct alpha_beta_fit found = fit(POWERS, bytes, seconds);
    assert_near(found.one_line.alpha_s, 1e-6, 0.01);
    assert_near(found.one_line.beta_s_per_byte, 1e-10, 0.01);
}

static void noise_makes_no_knees(void **state) {
    (void)state;
    const struct alpha_beta line = alpha_beta_line(5e-7, 8e9);
    const double noises[] = {0.005, 0.02, 0.05, 0.1};
    double bytes[POWERS], seconds[POWERS];
    for (size_t n = 0; n < sizeof noises / sizeof noises[0]; n++)
        for (uint64_t seed = 1; seed <= 100; seed++) {
            make_times(bytes, seconds, &line, noises[n], seed);
            const struct alpha_beta_fit found = fit(POWERS, bytes, seconds);
            assert_int_equal(found.model.count, 1);
            assert_near(found.one_line.alpha_s, 5e-7, 2 * noises[n]);
            assert_near(found.one_line.beta_s_per_byte, 1.25e-10, 2 * noises[n]);
        }
}

static void a_knee_is_found_in_noise(void **state) {
    (void)state;
    double bytes[POWERS], seconds[POWERS];
    for (uint64_t seed = 1; seed <= 50; seed++) {
        make_times(bytes, seconds, &two_protocols, 0.03, seed);
        const struct alpha_beta_fit found = fit(POWERS, bytes, seconds);
        assert_int_equal(found.model.count, 2);
        assert_true(found.model.segments[1].from_bytes > 4096);
        assert_true(found.model.segments[1].from_bytes <= 8192);
        assert_near(found.model.segments[0].alpha_s, 2e-7, 0.06);
        assert_near(found.model.segments[1].alpha_s, 6e-6, 0.12);
        assert_near(found.model.segments[1].beta_s_per_byte, 1e-10, 0.06);
        assert_true(found.model.segments[0].error < 0.06);
        assert_true(found.one_line_poor);
        assert_true(found.noise >= 0.02 && found.noise < 0.08);
    }
}

static void three_protocols_are_told_apart(void **state) {
    (void)state;
    const struct alpha_beta model = {3,
                                     {{.alpha_s = 2e-7, .beta_s_per_byte = 2e-10},
                                      {128, 8e-7, 1e-10, 0, 0},
                                      {16384, 4e-6, 5e-11, 0, 0}}};
    double bytes[POWERS], seconds[POWERS];
    make_times(bytes, seconds, &model, 0.02, 7);
    const struct alpha_beta_fit found = fit(POWERS, bytes, seconds);
    assert_int_equal(found.model.count, 3);
    assert_near(found.model.segments[1].from_bytes, 128, 1e-9);
    assert_near(found.model.segments[2].from_bytes, 16384, 1e-9);
}

static void segments_that_cross_meet_where_they_cross(void **state) {
    (void)state;
    /* both lines give 3e-6 s at 10000 bytes, which is between two sizes */
    const struct alpha_beta model = {
        2, {{.alpha_s = 1e-6, .beta_s_per_byte = 2e-10}, {10000, 2e-6, 1e-10, 0, 0}}};
    double bytes[POWERS], seconds[POWERS];
    make_times(bytes, seconds, &model, 0, 1);
    const struct alpha_beta_fit found = fit(POWERS, bytes, seconds);
    assert_int_equal(found.model.count, 2);
    assert_near(found.model.segments[1].from_bytes, 10000, 1e-6);
}

static void few_sizes_are_enough(void **state) {
    (void)state;
    /* steps of x16, as pingpong measures by default */
    double bytes[7], seconds[7];
    for (int i = 0; i < 7; i++) {
        bytes[i] = ldexp(1, 4 * i);
        seconds[i] = alpha_beta_time_s(&two_protocols, bytes[i]);
    }
    struct alpha_beta_fit found = fit(7, bytes, seconds);
    assert_int_equal(found.model.count, 2);
    assert_true(found.model.segments[1].from_bytes > 4096);
    assert_true(found.model.segments[1].from_bytes <= 65536);
    found = fit(2, (double[]){0, 1000}, (double[]){1e-6, 3e-6});
    assert_int_equal(found.model.count, 1);
    assert_near(found.model.segments[0].alpha_s, 1e-6, 1e-12);
    assert_near(alpha_beta_time_s(&found.model, 2000), 5e-6, 1e-12);
}

static void no_coefficient_is_negative(void **state) {
    (void)state;
    /* times that grow faster than sizes, and times that fall */
    struct alpha_beta_fit found =
        fit(3, (double[]){1000, 2000, 3000}, (double[]){1e-6, 3e-6, 5e-6});
    assert_true(found.one_line.alpha_s == 0);
    assert_true(found.one_line.beta_s_per_byte > 0);
    found = fit(3, (double[]){1000, 2000, 3000}, (double[]){3e-6, 2e-6, 1e-6});
    assert_true(found.one_line.beta_s_per_byte == 0);
    /* sum 1/t over sum 1/t^2 */
    assert_near(found.one_line.alpha_s,
                (1 / 3e-6 + 1 / 2e-6 + 1e6) / (1e12 * (1. / 9 + 1. / 4 + 1)), 1e-9);
    assert_true(isinf(alpha_beta_half_bytes(&found.model)));
}

static void there_are_never_too_many_segments(void **state) {
    (void)state;
    double bytes[ALPHA_BETA_SIZES_MAX], seconds[ALPHA_BETA_SIZES_MAX];
    for (int i = 0; i < ALPHA_BETA_SIZES_MAX; i++) {
        bytes[i] = 1000 + i;
        seconds[i] = i / 8 % 2 == 0 ? 1e-6 : 5e-6;
    }
    const struct alpha_beta_fit found = fit(ALPHA_BETA_SIZES_MAX, bytes, seconds);
    assert_in_range(found.model.count, 1, ALPHA_BETA_SEGMENTS_MAX);
    int sizes = 0;
    for (int k = 0; k < found.model.count; k++)
        sizes += found.model.segments[k].sizes;
    assert_int_equal(sizes, ALPHA_BETA_SIZES_MAX);
}

static void half_of_the_last_bandwidth_is_found_in_any_segment(void **state) {
    (void)state;
    /* target 5e9 bytes/s: the first segment never gets there, the second at 6e-6/1e-10 */
    assert_near(alpha_beta_half_bytes(&two_protocols), 60000, 1e-9);
    /* the first segment is the faster one: 1e-6/(2e-9 - 1e-10) */
    const struct alpha_beta falling = {
        2, {{.alpha_s = 1e-6, .beta_s_per_byte = 1e-10}, {1e6, 1e-6, 1e-9, 0, 0}}};
    assert_near(alpha_beta_half_bytes(&falling), 1e-6 / 1.9e-9, 1e-9);
}

static void bad_samples_are_refused(void **state) {
    (void)state;
    const struct {
        int count;
        double bytes[3], seconds[3];
        const char *text;
    } cases[] = {
        {1, {1}, {1}, "alpha-beta fit: 1 sizes; it takes 2 to 256"},
        {257, {1}, {1}, "alpha-beta fit: 257 sizes; it takes 2 to 256"},
        {2, {8, 8}, {1, 1}, "alpha-beta fit: size 8 follows 8; sizes must ascend"},
        {2, {1, 2}, {1, 0}, "alpha-beta fit: 0 s for 2 bytes; a time must be above 0"},
        {2, {1, 2}, {NAN, 1}, "alpha-beta fit: nan s for 1 bytes; a time must be above 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct alpha_beta_fit found;
        struct status status = {0};
        assert_false(
            alpha_beta_fit(&found, cases[i].count, cases[i].bytes, cases[i].seconds, &status));
        assert_int_equal(status.code, EXIT_CODE_USAGE);
        assert_string_equal(status.text, cases[i].text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_exact_line_is_found),
        cmocka_unit_test(small_messages_count_as_much_as_large_ones),
        cmocka_unit_test(noise_makes_no_knees),
        cmocka_unit_test(a_knee_is_found_in_noise),
        cmocka_unit_test(three_protocols_are_told_apart),
        cmocka_unit_test(segments_that_cross_meet_where_they_cross),
        cmocka_unit_test(few_sizes_are_enough),
        cmocka_unit_test(no_coefficient_is_negative),
        cmocka_unit_test(there_are_never_too_many_segments),
        cmocka_unit_test(half_of_the_last_bandwidth_is_found_in_any_segment),
        cmocka_unit_test(bad_samples_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
