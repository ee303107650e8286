/* Configure-time proof that the flags leave IEEE arithmetic alone: results must not depend on
 * optimisation, and a NaN must be seen. The operands are volatile, so that the compiler cannot do
 * the sums itself; the tests are functions, so that it may try to rearrange them. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#if FLT_EVAL_METHOD != 0
#    error "doubles are evaluated in another precision (x87)"
#endif

static volatile double one = 1.0, tiny = DBL_EPSILON / 4, smallest = DBL_MIN, zero = 0.0;

static int reassociates(double a, double b) {
    return (b + a) - a != 0.0; /* b is lost in the sum, unless the two a are cancelled first */
}

static int contracts(double a, double b) {
    return a * a - b != 0.0; /* b is a * a rounded: fma would give the rounding error */
}

static int flushes_to_zero(double a) {
    return a / 2.0 == 0.0;
}

static int misses_nan(double a) {
    const double nan = a / a;
    return !isnan(nan) || nan <= 1.0 || !(nan != nan);
}

int main(void) {
    volatile double third = one / 3.0, square = third * third;
    if (misses_nan(zero)) {
        puts("comparisons with NaN are folded away (-ffast-math, -Ofast, -ffinite-math-only?)");
    } else if (reassociates(one, tiny)) {
        puts("sums are rearranged (-ffast-math, -fassociative-math?)");
    } else if (contracts(third, square)) {
        puts("products and sums are contracted (-ffp-contract=fast?)");
    } else if (flushes_to_zero(smallest)) {
        puts("small numbers are flushed to zero (-ffast-math when linking?)");
    } else {
        return 0;
    }
    return 1;
}
