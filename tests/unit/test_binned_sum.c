/* Order-independent sums: the same bits for every order and every cut, near the exact sum, and
 * right at the ends of the range of doubles. */
#include "funnel/binned_sum.h"
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MANY = 10007 };

static uint64_t next_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 16;
}

/* Between -1 and 1, times a power of two down to 2^-`spread`. */
static double random_term(uint64_t *state, int spread) {
    double mantissa = (double)(next_random(state) % 0x10000000) * 0x1p-27 - 1;
    int shift = spread > 0 ? (int)(next_random(state) % (uint64_t)spread) : 0;
    return ldexp(mantissa, -shift);
}

static double *random_terms(int count, int spread) {
    uint64_t state = (uint64_t)(count + 1000 * spread + 1);
    double *terms = malloc((size_t)count * sizeof *terms);
    assert_non_null(terms);
    for (int i = 0; i < count; i++)
        terms[i] = random_term(&state, spread);
    return terms;
}

static void shuffle(double *terms, int count, uint64_t *state) {
    for (int i = count - 1; i > 0; i--) {
        int other = (int)(next_random(state) % (uint64_t)(i + 1));
        double term = terms[i];
        terms[i] = terms[other];
        terms[other] = term;
    }
}

static double value_of(const struct binned_sum *sum, int exponent) {
    int64_t words[BINNED_WORDS];
    binned_split(sum, words);
    return binned_value(words, exponent);
}

static double sum_of(const double *terms, int count) {
    struct binned_sum sum = {{0}};
    int exponent = binned_exponent(terms, count);
    binned_add(&sum, exponent, terms, count);
    return value_of(&sum, exponent);
}

/* The same terms as `ranks` ranks with pieces of several lengths would add them. */
static double sum_in_pieces(const double *terms, int count, int ranks) {
    int exponent = binned_exponent(terms, count);
    int64_t words[BINNED_WORDS] = {0}, split[BINNED_WORDS];
    for (int rank = 0; rank < ranks; rank++) {
        struct binned_sum sum = {{0}}, other = {{0}};
        int begin = count * rank / ranks, end = count * (rank + 1) / ranks;
        int middle = begin + (end - begin) / 3;
        binned_add(&sum, exponent, terms + begin, middle - begin);
        binned_add(&other, exponent, terms + middle, end - middle);
        binned_join(&sum, &other);
        binned_split(&sum, split);
        for (int word = 0; word < BINNED_WORDS; word++)
            words[word] += split[word];
    }
    return binned_value(words, exponent);
}

static void order_does_not_matter(void **state) {
    (void)state;
    uint64_t random = 7;
    for (int spread = 0; spread < 120; spread += 17) {
        double *terms = random_terms(MANY, spread);
        double expected = sum_of(terms, MANY);
        for (int i = 0; i < 10; i++) {
            shuffle(terms, MANY, &random);
            assert_true(sum_of(terms, MANY) == expected);
        }
        for (int ranks = 1; ranks <= 13; ranks++)
            assert_true(sum_in_pieces(terms, MANY, ranks) == expected);
        free(terms);
    }
}

static void every_length_is_summed_whole(void **state) {
    (void)state;
    double terms[70];
    for (int i = 0; i < 70; i++)
        terms[i] = i + 0.25;
    for (int count = 0; count <= 70; count++)
        assert_true(sum_of(terms, count) == count * (count - 1) / 2 + 0.25 * count);
}

/* What is rounded off lies 72 binary digits below the largest term, for each term. */
static void sums_are_near_the_exact_one(void **state) {
    (void)state;
    for (int spread = 0; spread < 60; spread += 7) {
        double *terms = random_terms(MANY, spread);
        long double exact = 0, most = 0;
        for (int i = 0; i < MANY; i++) {
            exact += (long double)terms[i];
            most = fmaxl(most, (long double)fabs(terms[i]));
        }
        long double allowed = MANY * most * 0x1p-63L + fabsl(exact) * 0x1p-53L;
        assert_true(fabsl((long double)sum_of(terms, MANY) - exact) <= allowed);
        free(terms);
    }
}

/* Cancellation that ruins a plain sum: the small terms stay, to the last bit. */
static void large_terms_cancel_exactly(void **state) {
    (void)state;
    const double terms[] = {0x1p40, 3, -0x1p40, 0x1p-20, 0x1p40, -0x1p40, 4};
    assert_true(sum_of(terms, 7) == 7 + 0x1p-20);
}

static void zeros_have_an_exponent_of_their_own(void **state) {
    (void)state;
    const double zeros[] = {0, -0.0, 0}, one[] = {0, 1, 0};
    assert_int_equal(binned_exponent(zeros, 3), BINNED_ZERO);
    assert_int_equal(binned_exponent(zeros, 0), BINNED_ZERO);
    assert_true(sum_of(zeros, 3) == 0);
    assert_int_equal(binned_exponent(one, 3), 1);
    /* a rank of zeros beside one that has terms */
    struct binned_sum sum = {{0}};
    binned_add(&sum, 1, zeros, 3);
    binned_add(&sum, 1, one, 3);
    assert_true(value_of(&sum, 1) == 1);
}

static void bad_terms_are_seen_at_every_place(void **state) {
    (void)state;
    double terms[37] = {0};
    const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (int place = 0; place < 37; place++)
        for (int kind = 0; kind < 3; kind++) {
            terms[place] = bad[kind];
            assert_int_equal(binned_exponent(terms, 37), BINNED_NOT_FINITE);
            assert_true(isnan(sum_of(terms, 37)));
            terms[place] = 0;
        }
}

static void tiny_terms_are_summed(void **state) {
    (void)state;
    double denormals[100], small[100];
    for (int i = 0; i < 100; i++) {
        denormals[i] = (i + 1) * 0x1p-1074;
        small[i] = (i + 1) * 0x1p-1000;
    }
    /* below the grid of the least exponent they are rounded off, the same in every order */
    assert_true(sum_of(denormals, 100) >= 0 && sum_of(denormals, 100) <= 5050 * 0x1p-1074);
    assert_true(fabs(sum_of(small, 100) - 5050 * 0x1p-1000) <= 100 * 0x1p-972);
    double terms[] = {1, 0x1p-1074, -1};
    assert_true(sum_of(terms, 3) == 0);
}

static void huge_terms_are_summed_or_refused(void **state) {
    (void)state;
    double large[] = {0x1p970, 0x1p970, -0x1p969}, most[] = {1, DBL_MAX};
    assert_true(sum_of(large, 3) == 0x1.8p970);
    assert_int_equal(binned_exponent(most, 2), BINNED_NOT_FINITE);
}

/* More terms than a lane may hold before it is emptied. */
static void long_sums_do_not_overflow_a_lane(void **state) {
    (void)state;
    int count = 5000003;
    double *terms = malloc((size_t)count * sizeof *terms);
    assert_non_null(terms);
    for (int i = 0; i < count; i++)
        terms[i] = 0.99999999999999989;
    assert_true(fabs(sum_of(terms, count) - count * 0.99999999999999989) <= count * 0x1p-72 + 1e-9);
    free(terms);
}

/* Words carry more ranks than there will ever be. */
static void words_hold_many_ranks(void **state) {
    (void)state;
    struct binned_sum sum = {{INT64_C(1) << 61, -(INT64_C(1) << 61), 12345}};
    int64_t words[BINNED_WORDS];
    binned_split(&sum, words);
    for (int bin = 0; bin < BINNED_BINS; bin++) {
        assert_true(words[2 * bin] >= 0 && words[2 * bin] < INT64_C(1) << 32);
        assert_true(llabs(words[2 * bin + 1]) <= INT64_C(1) << 29);
        assert_true(words[2 * bin + 1] * (INT64_C(1) << 32) + words[2 * bin] == sum.bin[bin]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_does_not_matter),
        cmocka_unit_test(every_length_is_summed_whole),
        cmocka_unit_test(sums_are_near_the_exact_one),
        cmocka_unit_test(large_terms_cancel_exactly),
        cmocka_unit_test(zeros_have_an_exponent_of_their_own),
        cmocka_unit_test(bad_terms_are_seen_at_every_place),
        cmocka_unit_test(tiny_terms_are_summed),
        cmocka_unit_test(huge_terms_are_summed_or_refused),
        cmocka_unit_test(long_sums_do_not_overflow_a_lane),
        cmocka_unit_test(words_hold_many_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
