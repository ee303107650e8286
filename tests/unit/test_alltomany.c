/* The all-to-many pattern against the plain calculation of its definition, and the judgement on
 * whether time grows in proportion to the iterations. */
#include "../../src/programs/alltomany.h"
#include "../../src/programs/alltomany_growth.h"
#include "../../src/programs/alltomany_pattern.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the headers above first */
#include <cmocka.h>

static void pattern_follows_its_definition(struct pattern pattern) {
    int receivers = 0;
    int64_t offset = 0, smallest = INT64_MAX, largest = 0;
    for (int rank = 0; rank < pattern.ranks; rank++) {
        const int64_t bytes = (rank % pattern.ranks_per_node % 8 + 1) * pattern.unit_bytes;
        assert_int_equal(pattern_message_bytes(&pattern, rank), bytes);
        assert_int_equal(pattern_offset_bytes(&pattern, rank), offset);
        assert_int_equal(pattern_receives(&pattern, rank), rank % pattern.ranks_per_node == 0);
        if (rank % pattern.ranks_per_node == 0)
            assert_int_equal(pattern_receiver(&pattern, receivers++), rank);
        offset += bytes;
        smallest = bytes < smallest ? bytes : smallest;
        largest = bytes > largest ? bytes : largest;
    }
    assert_int_equal(pattern_offset_bytes(&pattern, pattern.ranks), offset);
    assert_int_equal(pattern_receivers(&pattern), receivers);
    assert_int_equal(pattern_smallest_bytes(&pattern), smallest);
    assert_int_equal(pattern_largest_bytes(&pattern), largest);
}

static void counts_and_sizes_are_those_of_the_study(void **state) {
    (void)state;
    const int64_t units[] = {0, 1, 10, 268435455};
    for (int ranks = 1; ranks <= 60; ranks++)
        for (int p = 1; p <= ranks; p++)
            for (size_t u = 0; ranks % p == 0 && u < sizeof units / sizeof units[0]; u++)
                pattern_follows_its_definition((struct pattern){ranks, p, units[u]});
}

/* 2 nodes of 10: messages of 1..8, 1, 2 units. */
static void a_study_worked_out_by_hand(void **state) {
    (void)state;
    const struct pattern pattern = {.ranks = 20, .ranks_per_node = 10, .unit_bytes = 10};
    assert_int_equal(pattern_receivers(&pattern), 2);
    assert_int_equal(pattern_receiver(&pattern, 1), 10);
    assert_int_equal(pattern_message_bytes(&pattern, 7), 80);
    assert_int_equal(pattern_message_bytes(&pattern, 8), 10);
    assert_int_equal(pattern_message_bytes(&pattern, 19), 20);
    assert_int_equal(pattern_offset_bytes(&pattern, 10), 390);
    assert_int_equal(pattern_offset_bytes(&pattern, 20), 780);
}

static void a_buffer_beyond_32_bits_is_counted_right(void **state) {
    (void)state;
    const struct pattern pattern = {1000000, 500000, 268435455};
    assert_true(pattern_offset_bytes(&pattern, 1000000) ==
                INT64_C(2) * 62500 * 36 * INT64_C(268435455));
}

static void p_must_divide_the_ranks(void **state) {
    (void)state;
    const struct {
        int ranks, p;
        const char *says; /* NULL: allowed */
    } cases[] = {{4, 1, NULL},
                 {4, 2, NULL},
                 {4, 4, NULL},
                 {1, 1, NULL},
                 {4, 3, "-p 3 does not divide 4 ranks"},
                 {4, 0, "-p 0 is not in 1..4"},
                 {4, -2, "-p -2 is not in 1..4"},
                 {4, 8, "-p 8 is not in 1..4"}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        const struct pattern pattern = {cases[c].ranks, cases[c].p, 10};
        struct status status = {.code = EXIT_CODE_DONE};
        assert_int_equal(pattern_check(&pattern, &status), cases[c].says == NULL);
        assert_int_equal(status.code, cases[c].says == NULL ? EXIT_CODE_DONE : EXIT_CODE_USAGE);
        if (cases[c].says != NULL)
            assert_non_null(strstr(status.text, cases[c].says));
    }
}

enum { MANY = 1000 };

static void check_is_permutation(const int *sequence) {
    int seen[MANY] = {0};
    for (int i = 0; i < MANY; i++) {
        assert_in_range(sequence[i], 0, MANY - 1);
        assert_int_equal(seen[sequence[i]]++, 0);
    }
}

static void orders_are_what_they_are_called(void **state) {
    (void)state;
    int sequence[MANY], again[MANY];
    pattern_sequence(ORDER_FORWARD, 1, sequence, MANY);
    assert_int_equal(sequence[0], 0);
    check_is_permutation(sequence);
    pattern_sequence(ORDER_REVERSE, 1, sequence, MANY);
    assert_int_equal(sequence[0], MANY - 1);
    assert_int_equal(sequence[MANY - 1], 0);
    check_is_permutation(sequence);
    pattern_sequence(ORDER_RANDOM, 1, sequence, MANY);
    check_is_permutation(sequence);
    pattern_sequence(ORDER_RANDOM, 1, again, MANY);
    assert_memory_equal(sequence, again, sizeof sequence);
    pattern_sequence(ORDER_RANDOM, 2, again, MANY);
    assert_memory_not_equal(sequence, again, sizeof sequence);
}

/* Ascending pairs of neighbours are half of all in a random order; 3 sigma are 27. */
static void a_random_order_has_no_direction(void **state) {
    (void)state;
    int sequence[MANY], ascending = 0;
    pattern_sequence(ORDER_RANDOM, 7, sequence, MANY);
    for (int i = 1; i < MANY; i++)
        ascending += sequence[i] > sequence[i - 1];
    assert_in_range(ascending, MANY / 2 - 40, MANY / 2 + 40);
}

static void the_spread_of_some_ranks_leaves_out_the_others(void **state) {
    (void)state;
    const double values[] = {4, 100, 2, 0, 6, -7};
    const struct spread receivers = alltomany_spread(values, 6, 2),
                        all = alltomany_spread(values, 6, 1);
    assert_true(fabs(receivers.mean - 4) < 1e-12);
    assert_true(receivers.min < 2.5 && receivers.max > 5.5);
    assert_int_equal(receivers.min_rank, 2);
    assert_int_equal(receivers.max_rank, 4);
    assert_int_equal(all.min_rank, 5);
    assert_int_equal(all.max_rank, 1);
    assert_true(fabs(all.mean - 17.5) < 1e-12);
}

enum { REPEATS = 11 };

/* Points of T(n) = fixed + each * n + square * n^2, spread by +- `noise` of themselves. */
static struct growth judged(double fixed_s, double each_s, double square_s, double noise) {
    static const int iterations[] = {2, 8, 16, 32};
    struct growth_point points[4];
    for (int i = 0; i < 4; i++) {
        const double n = iterations[i], middle = fixed_s + each_s * n + square_s * n * n;
        double times[REPEATS];
        for (int r = 0; r < REPEATS; r++)
            times[r] = middle * (1 + noise * (2.0 * r / (REPEATS - 1) - 1));
        points[i] = (struct growth_point){iterations[i], samples_summarize(times, REPEATS)};
    }
    return growth_judge(points, 4);
}

static void proportional_times_are_told(void **state) {
    (void)state;
    char text[256];
    const struct growth growth = judged(0, 12e-6, 0, 0.05);
    assert_int_equal(growth.verdict, GROWTH_PROPORTIONAL);
    assert_true(fabs(growth.iteration_s - 12e-6) < 1e-12);
    assert_true(fabs(growth.noise - 0.04) < 1e-9); /* one sample is left out at each end */
    assert_string_equal(growth_sentence(text, sizeof text, &growth),
                        "yes: 12.0 us an iteration fits every number within its noise (4 %)");
    assert_int_equal(judged(0.2e-6, 12e-6, 0, 0.05).verdict, GROWTH_PROPORTIONAL);
}

static void a_fixed_cost_is_told_and_measured(void **state) {
    (void)state;
    char text[256];
    const struct growth growth = judged(40e-6, 10e-6, 0, 0.02);
    assert_int_equal(growth.verdict, GROWTH_FIXED_COST);
    assert_true(fabs(growth.fixed_s - 40e-6) < 1e-10);
    assert_true(fabs(growth.iteration_s - 10e-6) < 1e-10);
    assert_int_equal(growth.most_at, 2);
    assert_string_equal(growth_sentence(text, sizeof text, &growth),
                        "no: each run also pays 40.0 us once, beside 10.0 us an iteration (noise "
                        "2 %)");
}

static void slower_iterations_are_told(void **state) {
    (void)state;
    char text[256];
    const struct growth growth = judged(0, 10e-6, 1e-6, 0.02);
    assert_int_equal(growth.verdict, GROWTH_RISING);
    assert_string_equal(growth_sentence(text, sizeof text, &growth),
                        "no: an iteration takes longer with more of them, 12.0 us at 2, 42.0 us at "
                        "32 (noise 2 %)");
}

static void times_along_no_line_are_told(void **state) {
    (void)state;
    const struct growth growth = judged(100e-6, 1e-6, 0.5e-6, 0.01);
    assert_int_equal(growth.verdict, GROWTH_IRREGULAR);
}

static void noise_is_not_taken_for_an_answer(void **state) {
    (void)state;
    char text[256];
    const struct growth growth = judged(0, 10e-6, 0, 0.5);
    assert_int_equal(growth.verdict, GROWTH_UNKNOWN);
    assert_non_null(strstr(growth_sentence(text, sizeof text, &growth), "cannot be told"));
    /* what noise does not hide is told: 200 us at 2 and 32, 10 us an iteration in between */
    assert_int_equal(judged(180e-6, 10e-6, 0, 0.4).verdict, GROWTH_FIXED_COST);
    const struct growth_point one = {8, {1, 1, 1, 1, 1, 1, 1}};
    assert_int_equal(growth_judge(&one, 1).verdict, GROWTH_UNKNOWN);
    assert_int_equal(growth_judge(&one, 0).verdict, GROWTH_UNKNOWN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_and_sizes_are_those_of_the_study),
        cmocka_unit_test(a_study_worked_out_by_hand),
        cmocka_unit_test(a_buffer_beyond_32_bits_is_counted_right),
        cmocka_unit_test(p_must_divide_the_ranks),
        cmocka_unit_test(orders_are_what_they_are_called),
        cmocka_unit_test(a_random_order_has_no_direction),
        cmocka_unit_test(the_spread_of_some_ranks_leaves_out_the_others),
        cmocka_unit_test(proportional_times_are_told),
        cmocka_unit_test(a_fixed_cost_is_told_and_measured),
        cmocka_unit_test(slower_iterations_are_told),
        cmocka_unit_test(times_along_no_line_are_told),
        cmocka_unit_test(noise_is_not_taken_for_an_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
