/* Rates in the first cache, where neither memory nor the start of parallel regions counts: the
 * ceiling of a kernel. Each thread sweeps a grid of its own with the bare kernel; one that is
 * blocked in time with the bare level of its tiles. */
#include "funnel/clock.h"
#include "rows.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHECKED_SWEEPS = 6 };

/* One thread's grid. */
struct arena {
    const struct problem *problem;
    struct field_layout layout; /* halo of one point: deeper ones would lie between the rows */
    double *iterate[2], *source;
};

static double *take(const struct arena *arena) {
    return aligned_alloc(64, (arena->layout.bytes + 63) / 64 * 64);
}

static bool arena_open(struct arena *arena, const struct problem *problem) {
    arena->problem = problem;
    arena->layout =
        field_layout_make(problem->dimensions, problem->layout.nx, problem->layout.ny, 1);
    arena->iterate[0] = take(arena);
    arena->iterate[1] = take(arena);
    arena->source = take(arena);
    return arena->iterate[0] && arena->iterate[1] && arena->source;
}

static void arena_close(struct arena *arena) {
    free(arena->iterate[0]);
    free(arena->iterate[1]);
    free(arena->source);
}

/* The same values, halo included, in both iterates; none is near zero, where numbers are slow. */
static void arena_fill(struct arena *arena) {
    for (size_t i = 0; i < arena->layout.bytes / sizeof(double); i++) {
        const double value = 1 + (double)(i * i % 89) / 64;
        arena->iterate[0][i] = value;
        arena->iterate[1][i] = value;
        arena->source[i] = value / 1024;
    }
}

static bool is_level(const struct kernel *kernel) {
    return kernel->choose_level != NULL;
}

/* An even number of sweeps by the kernel, or a level over and over. False without memory. */
static bool arena_sweep(const struct arena *arena, const struct kernel *kernel, int64_t sweeps) {
    const char *unused;
    const struct problem *problem = arena->problem;
    const int64_t origin = arena->layout.origin;
    struct kernel_box work = {.u = arena->iterate[0] + origin,
                              .u_new = arena->iterate[1] + origin,
                              .source = problem->source_varies ? arena->source + origin : NULL,
                              .pitch = arena->layout.pitch,
                              .stencil = &problem->stencil,
                              .box = {0, problem->layout.nx, 0, problem->layout.ny}};
    if (is_level(kernel))
        return kernel->choose_level(&unused)(&work, sweeps, problem->levels);
    kernel_function *sweep = kernel->choose(&unused);
    for (int64_t s = 0; s < sweeps; s++) {
        work.u = arena->iterate[s % 2] + origin;
        work.u_new = arena->iterate[1 - s % 2] + origin;
        sweep(&work);
    }
    return true;
}

/* A level is compared after one sweep: it goes on from its own copy, without sides. */
static bool same_bits(const struct problem *problem, const struct kernel *kernel,
                      const struct kernel *reference) {
    const int sweeps = is_level(kernel) ? 1 : CHECKED_SWEEPS;
    struct arena arena, expected;
    const bool open = arena_open(&arena, problem), open_too = arena_open(&expected, problem);
    bool same = open && open_too;
    if (same) {
        arena_fill(&arena);
        arena_fill(&expected);
        same = arena_sweep(&arena, kernel, sweeps) && arena_sweep(&expected, reference, sweeps);
        for (int i = 0; i < 2; i++)
            same &= memcmp(arena.iterate[i], expected.iterate[i], arena.layout.bytes) == 0;
    }
    arena_close(&arena);
    arena_close(&expected);
    return same;
}

/* Updates a second of the calling thread, NaN without memory. All threads begin at once. */
static double own_rate(const struct problem *problem, const struct kernel *kernel) {
    struct arena arena;
    double rate_lups = nan("");
    bool open = arena_open(&arena, problem);
    if (open) {
        arena_fill(&arena);
        open = arena_sweep(&arena, kernel, CHECKED_SWEEPS);
    }
#pragma omp barrier
    if (open) {
        const double start_s = clock_now_s();
        open = arena_sweep(&arena, kernel, problem->sweeps[kernel_load(kernel)]);
        if (open)
            rate_lups = problem_updates(problem, kernel_load(kernel)) / (clock_now_s() - start_s);
    }
    arena_close(&arena);
    return rate_lups;
}

bool kernel_suits_l1(const struct kernel *kernel) {
    return strcmp(kernel->name, "streaming") != 0;
}

bool row_take_in_l1(struct row *row, const struct bench *bench, struct status *status) {
    struct sample *sample = &row->sample[row->samples++];
    double rate_lups = 0;
    row->differs = !same_bits(row->problem, row->kernel, bench->kernels);
    sample->latency_ns = latency_ns();
    sample->copy_bytes_per_s = nan("");
#pragma omp parallel num_threads(row->threads) reduction(+ : rate_lups)
    rate_lups += own_rate(row->problem, row->kernel);
    sample->rate_lups = rate_lups;
    if (isnan(rate_lups))
        status_fail(status, EXIT_CODE_ENVIRONMENT, "no memory for a grid in the first cache");
    return status_good(status);
}
