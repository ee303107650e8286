/* Time of a message as a line in its size, T(m) = alpha + m*beta, fitted by segments. Pure
 * arithmetic. Room: model.
 *
 * The line and n-half are those of R. W. Hockney, "The communication challenge for MPP: Intel
 * Paragon and Meiko CS-2", Parallel Computing 20(3), 1994. MPI libraries change their protocol with
 * the size, so one line is rarely enough: segments are found as by R. Bellman and R. Roth, "Curve
 * fitting by segmented straight lines", Journal of the American Statistical Association 64, 1969,
 * with a price on each segment so that noise makes no knees. */
#ifndef FUNNEL_ALPHA_BETA_H
#define FUNNEL_ALPHA_BETA_H

#include "funnel/status.h"

enum { ALPHA_BETA_SEGMENTS_MAX = 8, ALPHA_BETA_SIZES_MAX = 256 };

struct alpha_beta_segment {
    double from_bytes; /* up to the next segment's; 0 for the first */
    double alpha_s, beta_s_per_byte;
    double error; /* root of the mean square of (line - time)/time over its sizes */
    int sizes;    /* how many it was fitted to; 0 if it comes from elsewhere */
};

/* T(m): `count` segments, ascending in from_bytes. */
struct alpha_beta {
    int count;
    struct alpha_beta_segment segments[ALPHA_BETA_SEGMENTS_MAX];
};

struct alpha_beta_fit {
    struct alpha_beta model;
    struct alpha_beta_segment one_line; /* a single line through all sizes */
    bool one_line_poor;                 /* its error is above a tenth */
    double noise; /* relative, estimated from the times themselves, at least 0.02 */
};

/* Fits `count` (2..ALPHA_BETA_SIZES_MAX) sizes, ascending, and their times, both sums of squares in
 * relative errors so that small messages count as much as large ones; alpha and beta are never
 * negative. A segment has at least three sizes, and a knee stands where two segments cross, or at
 * the first size beyond it where they do not cross between two sizes.
 * Fails (EXIT_CODE_USAGE) on sizes that do not ascend or times that are not above 0, and
 * (EXIT_CODE_ENVIRONMENT) without memory. */
bool alpha_beta_fit(struct alpha_beta_fit *fit, int count, const double *bytes,
                    const double *seconds, struct status *status);

/* One segment, from latency and asymptotic bandwidth. */
struct alpha_beta alpha_beta_line(double alpha_s, double bytes_per_s);

/* T(m) in seconds. */
double alpha_beta_time_s(const struct alpha_beta *model, double bytes);

/* n-half: the least size whose bandwidth m/T(m) is half of the last segment's 1/beta; alpha/beta
 * for a single line. Infinite where beta is 0. */
double alpha_beta_half_bytes(const struct alpha_beta *model);

#endif
