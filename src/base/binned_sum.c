/* Order-independent sums: terms are cut into slices on a grid fixed beforehand, slices are added as
 * integers. The lanes only help the compiler to use vectors; they cannot change a bit. */
#include "funnel/binned_sum.h"
#include <math.h>

enum {
    LANES = 8,
    BLOCK = 1 << 20,       /* terms a lane sum may take before it is emptied: far below 2^28 */
    EXPONENT_LEAST = -900, /* smaller terms are summed on the grid of this exponent */
    EXPONENT_MOST = 980    /* the grid of a larger one would overflow */
};

/* Largest magnitude of one group of lanes so far; `taint` turns NaN once a NaN or Inf went by,
 * since 0 * x is NaN for both. */
static inline void look_at(const double *terms, double most[LANES], double taint[LANES]) {
    for (int lane = 0; lane < LANES; lane++) {
        double size = fabs(terms[lane]);
        most[lane] = size > most[lane] ? size : most[lane];
        taint[lane] += 0 * terms[lane];
    }
}

static int exponent_of(double most, double taint) {
    if (isnan(taint))
        return BINNED_NOT_FINITE;
    if (most == 0)
        return BINNED_ZERO;
    int exponent;
    frexp(most, &exponent);
    if (exponent > EXPONENT_MOST)
        return BINNED_NOT_FINITE;
    return exponent > EXPONENT_LEAST ? exponent : EXPONENT_LEAST;
}

int binned_exponent(const double *terms, int64_t count) {
    double most[LANES] = {0}, taint[LANES] = {0}, tail[LANES] = {0};
    int64_t whole = count / LANES * LANES;
    for (int64_t i = 0; i < whole; i += LANES)
        look_at(terms + i, most, taint);
    for (int64_t i = whole; i < count; i++)
        tail[i - whole] = terms[i];
    look_at(tail, most, taint);
    for (int lane = 1; lane < LANES; lane++) {
        most[0] = most[lane] > most[0] ? most[lane] : most[0];
        taint[0] += taint[lane];
    }
    return exponent_of(most[0], taint[0]);
}

/* Two terms, as every 64-bit processor handles them at once; two pairs keep its adders busy. */
typedef double pair __attribute__((vector_size(2 * sizeof(double))));
enum { PAIRS = 2, GROUP = 2 * PAIRS };

/* Cuts one group of terms into slices. Adding the anchor rounds to the bin's unit, taking it away
 * leaves the slice. */
static inline void slice_group(pair lane_sums[PAIRS][BINNED_BINS], const pair anchor[BINNED_BINS],
                               const double *terms) {
    for (int i = 0; i < PAIRS; i++) {
        pair rest = {terms[2 * i], terms[2 * i + 1]};
        for (int bin = 0; bin < BINNED_BINS; bin++) {
            pair slice = (anchor[bin] + rest) - anchor[bin];
            lane_sums[i][bin] += slice;
            rest -= slice;
        }
    }
}

/* Sums of the slices of one block, bin by bin, each exact in a double. */
static void slice_block(double sums[BINNED_BINS], const double anchor[BINNED_BINS],
                        const double *terms, int64_t count) {
    pair lane_sums[PAIRS][BINNED_BINS] = {{{0}}}, anchors[BINNED_BINS];
    double tail[GROUP] = {0};
    for (int bin = 0; bin < BINNED_BINS; bin++)
        anchors[bin] = (pair){anchor[bin], anchor[bin]};
    int64_t whole = count / GROUP * GROUP;
    for (int64_t i = 0; i < whole; i += GROUP)
        slice_group(lane_sums, anchors, terms + i);
    for (int64_t i = whole; i < count; i++)
        tail[i - whole] = terms[i];
    slice_group(lane_sums, anchors, tail);
    for (int bin = 0; bin < BINNED_BINS; bin++) {
        pair both = lane_sums[0][bin] + lane_sums[1][bin];
        sums[bin] = both[0] + both[1];
    }
}

void binned_add(struct binned_sum *sum, int exponent, const double *terms, int64_t count) {
    if (exponent == BINNED_ZERO || exponent == BINNED_NOT_FINITE)
        return;
    double anchor[BINNED_BINS], sums[BINNED_BINS];
    for (int bin = 0; bin < BINNED_BINS; bin++)
        anchor[bin] = ldexp(1.5, 52 + exponent - BINNED_BITS * (bin + 1));
    for (int64_t done = 0; done < count; done += BLOCK) {
        int64_t block = count - done < BLOCK ? count - done : BLOCK;
        slice_block(sums, anchor, terms + done, block);
        for (int bin = 0; bin < BINNED_BINS; bin++)
            sum->bin[bin] += (int64_t)ldexp(sums[bin], BINNED_BITS * (bin + 1) - exponent);
    }
}

void binned_join(struct binned_sum *sum, const struct binned_sum *other) {
    for (int bin = 0; bin < BINNED_BINS; bin++)
        sum->bin[bin] += other->bin[bin];
}

/* Low 32 bits and the rest, so that neither overflows when ranks are added. */
void binned_split(const struct binned_sum *sum, int64_t words[BINNED_WORDS]) {
    for (int bin = 0; bin < BINNED_BINS; bin++) {
        int64_t low = sum->bin[bin] & INT64_C(0xffffffff);
        words[2 * bin] = low;
        words[2 * bin + 1] = (sum->bin[bin] - low) / (INT64_C(1) << 32);
    }
}

__extension__ typedef __int128 wide_integer;

double binned_value(const int64_t words[BINNED_WORDS], int exponent) {
    if (exponent == BINNED_ZERO)
        return 0;
    if (exponent == BINNED_NOT_FINITE)
        return nan("");
    wide_integer total = 0;
    for (int bin = 0; bin < BINNED_BINS; bin++) {
        wide_integer here = (wide_integer)words[2 * bin + 1] * (INT64_C(1) << 32) + words[2 * bin];
        total = total * (INT64_C(1) << BINNED_BITS) + here;
    }
    return ldexp((double)total, exponent - BINNED_BITS * BINNED_BINS);
}
