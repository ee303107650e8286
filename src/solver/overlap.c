/* The overlapping step: the main thread exchanges halos while the other threads sweep what needs
 * none, then all sweep the rim. The one place where communication and threads meet in a parallel
 * region; still MPI_THREAD_FUNNELED, since thread 0 of a region is the thread that opened it. */
#include "funnel/clock.h"
#include "solve_parts.h"
#include <math.h>
#include <omp.h>

/* What the main thread does meanwhile, on its clock. */
struct exchange_span {
    double begin_s, end_s;
};

static struct exchange_span exchange(struct solve *solve) {
    const struct field *field = sweeper_current(solve->sweeper);
    struct exchange_span span = {.begin_s = clock_now_s()};
    halo_begin(solve->halo, field);
    halo_finish(solve->halo, field);
    span.end_s = clock_now_s();
    return span;
}

/* The inner part of the boxes that are this thread's. */
static void sweep_own_boxes(struct sweeper *sweeper, int sweeps, int thread, int team) {
    for (int box = thread; box < sweeper_threads(sweeper); box += team)
        for (int tile = 0; tile < sweeper_inner_tiles(sweeper, box, false, sweeps); tile++)
            sweeper_sweep_inner(sweeper, box, tile, false, sweeps, thread);
}

/* The inner part of the main thread's boxes, by whoever has time; the main thread joins late. */
static void sweep_main_boxes(struct sweeper *sweeper, int sweeps, int thread, int team) {
    for (int box = 0; box < sweeper_threads(sweeper); box += team) {
        int tiles = sweeper_inner_tiles(sweeper, box, true, sweeps);
#pragma omp for schedule(dynamic) nowait
        for (int tile = 0; tile < tiles; tile++)
            sweeper_sweep_inner(sweeper, box, tile, true, sweeps, thread);
    }
}

/* Rims differ from box to box, so all threads share them. */
static void sweep_rims(struct sweeper *sweeper, int sweeps, int thread, int team) {
    for (int box = thread; box < sweeper_threads(sweeper); box += team)
        sweeper_refresh_rim(sweeper, box, sweeps);
#pragma omp barrier
    int tiles = sweeper_rim_tiles(sweeper);
#pragma omp for collapse(2) schedule(dynamic)
    for (int box = 0; box < sweeper_threads(sweeper); box++)
        for (int tile = 0; tile < tiles; tile++)
            sweeper_sweep_rim(sweeper, box, tile, sweeps, thread);
}

/* First pass of `sweeps` sweeps. Returns how much of the exchange nobody swept beside. */
static double first_pass(struct solve *solve, int sweeps) {
    struct sweeper *sweeper = solve->sweeper;
    struct exchange_span span = {0};
    double busy_until_s = 0; /* the last of the other threads */
    sweeper_refresh_sides(sweeper);
#pragma omp parallel num_threads(sweeper_threads(sweeper)) reduction(max : busy_until_s)
    {
        int thread = omp_get_thread_num(), team = omp_get_num_threads();
        if (thread == 0)
            span = exchange(solve);
        else
            sweep_own_boxes(sweeper, sweeps, thread, team);
        sweep_main_boxes(sweeper, sweeps, thread, team);
        if (thread != 0)
            busy_until_s = clock_now_s();
#pragma omp barrier
        sweep_rims(sweeper, sweeps, thread, team);
    }
    double exposed_s = fmax(0, span.end_s - fmax(busy_until_s, span.begin_s));
    halo_hide(solve->halo, span.end_s - span.begin_s - exposed_s);
    return exposed_s;
}

bool overlap_possible(const struct solve *solve, int sweeps) {
    return solve->plan->overlaps && !solve->halo_fresh && sweeper_has_inner(solve->sweeper, sweeps);
}

void overlap_advance(struct solve *solve, int sweeps) {
    if (solve->plan->split_wait)
        halo_meet(solve->halo);
    double begin_s = clock_now_s();
    double exposed_s = first_pass(solve, sweeps);
    int left = sweeper_end_first_pass(solve->sweeper, sweeps);
    if (left > 0)
        sweeper_advance(solve->sweeper, left);
    solve->clock.sweep_s += clock_now_s() - begin_s - exposed_s;
}
