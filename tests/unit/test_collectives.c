/* The slowest and the fastest rank of each repetition. */
#include "../../src/programs/collectives.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the headers above first */
#include <cmocka.h>

enum { RANKS = 3, REPEATS = 3 };

/* Each rank is the slowest once; the slowest times are 9, 7, 8, the fastest 1, 2, 3. */
static void each_repetition_has_its_own_slowest_rank(void **state) {
    (void)state;
    const double samples[RANKS * REPEATS] = {9, 2, 4, 1, 7, 3, 5, 6, 8};
    double scratch[REPEATS];
    struct collectives_row row = {.repeats = REPEATS};
    collectives_sum_up(&row, samples, RANKS, scratch);
    assert_true(fabs(row.slowest_s.min - 7) < 1e-12);
    assert_true(fabs(row.slowest_s.median - 8) < 1e-12);
    assert_true(fabs(row.slowest_s.max - 9) < 1e-12);
    assert_true(fabs(row.fastest_s - 2) < 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_repetition_has_its_own_slowest_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
