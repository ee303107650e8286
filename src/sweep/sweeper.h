/* What the files of this room share: the sweeper itself, and its boxes. Private to the room. */
#ifndef FUNNEL_SWEEP_SWEEPER_H
#define FUNNEL_SWEEP_SWEEPER_H

#include "evaluator.h"
#include "funnel/sweep.h"

enum { CACHE_LINE_BYTES = 64 };

/* One thread's part and what it alone writes, on cache lines of its own. */
struct thread_box {
    _Alignas(CACHE_LINE_BYTES) struct region interior;
    double sweep_s;
    double *scratch;        /* for a kernel with tiles */
    int64_t tiles_given[2]; /* of this pass and the next, where threads share tiles */
    struct evaluator exact;
    /* of the last pass over the box */
    int exponent;
    struct binned_sum sum;
    double error_max;
    uint64_t checksum;
    int64_t denormals;
};

struct sweeper {
    struct grid grid;
    struct sweep_part part;
    const struct kernel *kernel;
    kernel_function *sweep;
    kernel_tile_function *sweep_tile; /* NULL for a kernel without tiles */
    struct kernel_tile tile;
    size_t scratch_bytes; /* of each thread */
    bool streaming;       /* the iterates do not fit in the caches */
    int iterates, current;
    struct field iterate[SWEEP_ITERATES_MAX];
    double *memory[SWEEP_ITERATES_MAX];
    struct field source; /* values are NULL unless the source varies */
    /* u at a mirror ghost less u at the point it mirrors, along a Neumann side from -depth on */
    double *mirror[SIDE_COUNT];
    int threads;
    struct thread_box *box;
    double *thread_s;
};

/* Work on one box. Only the box itself (sweeper->box[number]) and its points may be written. */
typedef void box_work(const struct sweeper *sweeper, int number, void *argument);

/* Does `work` for every box, each by the thread that owns it. */
void boxes_each(const struct sweeper *sweeper, box_work *work, void *argument);

/* The box with `points` further points beyond each internal edge of the rank that it touches. */
struct region box_extended(const struct sweep_part *part, struct region box, local_index points);

/* First touch and start values of one box; *argument is an array of `threads` statuses. */
struct fill {
    const struct sweep_values *values;
    struct status *status;
};
box_work box_touch, box_fill;

/* Evaluates the sides: Dirichlet ghosts of all iterates, mirror terms of Neumann sides. */
bool sides_fill(struct sweeper *sweeper, const struct sweep_values *values, struct status *status);

/* Number of values along a side, halo included, and how many of them come before index 0. */
int64_t side_values(const struct field_layout *layout, enum side side);
int side_depth(const struct field_layout *layout, enum side side);
bool side_is(const struct sweep_part *part, enum side side, enum side_kind kind);

/* Writes the mirror ghosts next to `region` in the iterate. */
void sides_refresh(const struct sweeper *sweeper, const struct field *iterate,
                   struct region region);

#endif
