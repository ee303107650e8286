/* The problems that the benchmark solves: Dirichlet sides, equal spacings, start values and source
 * that differ from point to point, so that a wrong point changes the checksum. */
#ifndef FUNNEL_BENCH_PROBLEM_H
#define FUNNEL_BENCH_PROBLEM_H

#include "funnel/sweep.h"

enum {
    BLOCK_SWEEPS = 32, /* sweeps a call of sweeper_advance: a kernel may block them in time */
    WARM_UP_SWEEPS = 2
};

struct problem {
    int dimensions;
    global_index points[AXIS_COUNT]; /* of one thread's own grid where in_l1 */
    bool in_l1;                      /* every thread sweeps a grid of its own in its first cache */
    bool source_varies;
    int64_t blocks; /* of BLOCK_SWEEPS sweeps, in one timed sample */
    struct grid grid;
    struct stencil stencil;
    struct field_layout layout;
    uint64_t checksum; /* after warm-up and sample, by the reference kernel */
};

/* Completes dimensions, points, source_varies and blocks. EXIT_CODE_USAGE as grid_make. */
bool problem_complete(struct problem *problem, struct status *status);

/* Owned by the caller; as sweeper_make. */
struct sweeper *problem_sweeper(const struct problem *problem, const struct kernel *kernel,
                                struct status *status);

/* The source as an array of problem->layout, for loops that have no sweeper. NULL without memory;
 * given back by memory_release. */
double *problem_source(const struct problem *problem, struct status *status);

/* Points that one sample updates, all its sweeps together. */
double problem_updates(const struct problem *problem);

#endif
