/* What memory bandwidth would have allowed: after the loop the other iterate is free, and the ranks
 * copy the field there, all at the same time. */
#include "funnel/clock.h"
#include "solve_parts.h"
#include <math.h>

enum {
    SWEEPS_A_COPY = 160, /* sweeps are at most eight times as fast: under a twentieth of the run */
    COPIES_MOST = 10,
    COPY_BYTES = 16 /* a point: one value read, one written */
};

/* Bytes a second of one copy by all ranks together. */
static double copy_once(struct solve *solve) {
    const struct field_layout *layout = &solve->plan->part.layout;
    double bytes = COPY_BYTES * (double)(layout->nx * layout->ny);
    team_barrier(solve->team);
    double begin_s = clock_now_s();
    sweeper_copy(solve->sweeper);
    double seconds = clock_now_s() - begin_s;
    struct spread rate = spread_over_team(solve->team, bytes / seconds);
    return rate.mean * team_facts(solve->team)->ranks;
}

/* The best of several: what memory can do, not what else disturbs it. */
static double copy_bytes_per_s(struct solve *solve, int64_t copies) {
    double best = 0;
    for (int64_t i = 0; i < copies && i < COPIES_MOST; i++)
        best = fmax(best, copy_once(solve));
    return best;
}

void roofline_measure(struct solve *solve, struct solve_result *result) {
    const struct solve_plan *plan = solve->plan;
    int64_t copies = (result->sweeps - result->first_block_sweeps) / SWEEPS_A_COPY;
    result->copy_bytes_per_s = result->roofline_share = nan("");
    if (plan->fits_cache || copies == 0 || isnan(result->rate_lups))
        return;
    result->copy_bytes_per_s = copy_bytes_per_s(solve, copies);
    double one_by_one = kernel_bytes(plan->kernel, &plan->stencil, 1);
    result->roofline_share = result->rate_lups * one_by_one / result->copy_bytes_per_s;
}
