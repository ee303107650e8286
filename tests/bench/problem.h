/* The problems that the benchmark solves: Dirichlet sides, equal spacings, start values and source
 * that differ from point to point, so that a wrong point changes the checksum. */
#ifndef FUNNEL_BENCH_PROBLEM_H
#define FUNNEL_BENCH_PROBLEM_H

#include "funnel/sweep.h"

enum { BLOCK_SWEEPS = 32 /* where a problem says nothing */, WARM_UP_SWEEPS = 2 };

/* How long a sample is: a kernel that does many sweeps in one pass through memory needs more of
 * them for the same time. */
enum load { LOAD_ONE_BY_ONE, LOAD_BLOCKED, LOAD_COUNT };

struct problem {
    int dimensions;
    global_index points[AXIS_COUNT]; /* of one thread's own grid where in_l1 */
    bool in_l1;                      /* every thread sweeps a grid of its own in its first cache */
    /* in_l1: for kernels blocked in time, which keep one copy of it, not two; with several levels
       the rows that a tile keeps of each lie in the second cache */
    int levels;
    bool huge; /* only for all threads and kernels that block in time */
    bool source_varies;
    int block_sweeps; /* most that a call of sweeper_advance does: a kernel may block them in time
                       */
    int64_t sweeps[LOAD_COUNT]; /* of one timed sample: even, rising, BLOCKED whole blocks */
    struct grid grid;
    struct stencil stencil;
    struct field_layout layout;
    uint64_t checksum[LOAD_COUNT]; /* after warm-up and sample, by the reference kernel */
};

/* Completes dimensions, points, source_varies, block_sweeps (0: the default) and sweeps.
 * EXIT_CODE_USAGE as grid_make. */
bool problem_complete(struct problem *problem, struct status *status);

/* With the start values in place. Owned by the caller; as sweeper_make. */
struct sweeper *problem_sweeper(const struct problem *problem, const struct kernel *kernel,
                                struct status *status);

/* The source as an array of problem->layout, for loops that have no sweeper. NULL without memory;
 * given back by memory_release. */
double *problem_source(const struct problem *problem, struct status *status);

/* The load of a kernel; NULL: a loop that sweeps one by one. */
enum load kernel_load(const struct kernel *kernel);

/* Points that one sample updates, all its sweeps together. */
double problem_updates(const struct problem *problem, enum load load);

#endif
