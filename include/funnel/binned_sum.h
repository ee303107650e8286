/* Sums whose bits do not depend on the order of the terms. Room: base.
 *
 * Pre-rounded, binned summation after J. Demmel and H. D. Nguyen, "Parallel Reproducible
 * Summation", IEEE Transactions on Computers 64(7), 2015, section 4, in its two-pass form: the
 * largest magnitude of all terms on all ranks fixes a grid of bins, every term is cut into slices
 * of that grid, and the slices are added as integers, which is exact and therefore in any order the
 * same. What lies more than BINNED_BINS * BINNED_BITS binary digits below the largest term is
 * rounded off, term by term.
 *
 * Use: e = max over all terms (threads, ranks) of binned_exponent; binned_add everywhere with that
 * e; add the bins as integers (binned_split carries them through an integer MPI_SUM); binned_value.
 */
#ifndef FUNNEL_BINNED_SUM_H
#define FUNNEL_BINNED_SUM_H

#include <limits.h>
#include <stdint.h>

enum {
    BINNED_BINS = 3,
    BINNED_BITS = 24,
    BINNED_WORDS = 2 * BINNED_BINS, /* 64-bit words of a split sum */
    BINNED_ZERO = INT_MIN,          /* exponent of a sum whose terms are all zero */
    BINNED_NOT_FINITE = INT_MAX     /* exponent once a NaN or Inf is among the terms */
};

/* Partial sum: bin k counts units of 2^(e - BINNED_BITS*(k+1)). Holds 2^38 terms a rank. */
struct binned_sum {
    int64_t bin[BINNED_BINS];
};

/* Exponent e with |term| < 2^e for all `count` terms; BINNED_ZERO or BINNED_NOT_FINITE as above. */
int binned_exponent(const double *terms, int64_t count);

/* Adds `count` terms, each of magnitude below 2^exponent, to `sum`. */
void binned_add(struct binned_sum *sum, int exponent, const double *terms, int64_t count);

/* Adds one partial sum to another of the same exponent. */
void binned_join(struct binned_sum *sum, const struct binned_sum *other);

/* Splits the bins into words that can be added over 2^31 ranks without overflow, and back. */
void binned_split(const struct binned_sum *sum, int64_t words[BINNED_WORDS]);

/* The sum of split words, rounded once to the nearest double: 0 for BINNED_ZERO, NaN for
 * BINNED_NOT_FINITE. */
double binned_value(const int64_t words[BINNED_WORDS], int exponent);

#endif
