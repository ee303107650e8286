/* Taking the samples of a row. Whatever is timed runs through the sweeper as a solve does; only the
 * plain loop borrows the sweeper's memory and sweeps by itself. */
#include "rows.h"
#include "funnel/clock.h"
#include "funnel/memory.h"
#include "plain.h"
#include <omp.h>

/* What sweeps: the sweeper, or the plain loop on the sweeper's memory. */
struct runner {
    struct sweeper *sweeper;
    bool by_plain_loop;
    struct plain plain;
    double *plain_source;
};

/* The result of an even number of sweeps is where the sweeper looks for its current iterate. */
static bool borrow_memory(struct runner *runner, const struct problem *problem,
                          struct status *status) {
    const struct field_layout *layout = &problem->layout;
    double *const *memory = sweeper_memory(runner->sweeper);
    runner->plain = (struct plain){.u = memory[0] + layout->origin,
                                   .u_new = memory[1] + layout->origin,
                                   .nx = layout->nx,
                                   .ny = layout->ny,
                                   .pitch = layout->pitch,
                                   .dimensions = problem->dimensions,
                                   .c = problem->stencil.cx,
                                   .cf = problem->stencil.cf};
    if (!problem->source_varies)
        return true;
    runner->plain_source = problem_source(problem, status);
    if (runner->plain_source)
        runner->plain.source = runner->plain_source + layout->origin;
    return status_good(status);
}

static void runner_close(struct runner *runner, const struct problem *problem) {
    memory_release(runner->plain_source, problem->layout.bytes);
    sweeper_free(runner->sweeper);
}

static bool runner_open(struct runner *runner, const struct problem *problem,
                        const struct kernel *kernel, const struct kernel *reference,
                        struct status *status) {
    *runner = (struct runner){.by_plain_loop = kernel == NULL};
    runner->sweeper = problem_sweeper(problem, kernel ? kernel : reference, status);
    return runner->sweeper && (kernel || borrow_memory(runner, problem, status));
}

static void run(struct runner *runner, const struct problem *problem, int64_t sweeps) {
    const int block = problem->block_sweeps;
    if (runner->by_plain_loop)
        plain_sweeps(&runner->plain, sweeps);
    else
        for (int64_t left = sweeps; left > 0; left -= block)
            sweeper_advance(runner->sweeper, left < block ? (int)left : block);
}

bool problem_reference(struct problem *problem, const struct kernel *reference,
                       struct status *status) {
    struct runner runner;
    const bool open = runner_open(&runner, problem, reference, reference, status);
    if (open) {
        int64_t done = 0;
        run(&runner, problem, WARM_UP_SWEEPS);
        for (enum load load = 0; load < LOAD_COUNT; load++) {
            run(&runner, problem, problem->sweeps[load] - done);
            done = problem->sweeps[load];
            problem->checksum[load] = sweeper_checksum(runner.sweeper);
        }
    }
    runner_close(&runner, problem);
    return open;
}

/* A copy just before the sample where memory counts; for a field in a cache that of the round. */
static double copy_beside(const struct row *row, const struct bench *bench) {
    const int64_t field_bytes = (int64_t)row->problem->layout.bytes;
    const int64_t copy_bytes = bench->arrays.count * (int64_t)sizeof(double);
    if (field_bytes >= copy_bytes / 8)
        return copy_bytes_per_s(&bench->arrays, row->threads, STORES_STREAMING);
    int t = 0;
    while (bench->threads[t] != row->threads)
        t++;
    return bench->copy_bytes_per_s[t][STORES_STREAMING][row->samples];
}

/* Share of the points computed that are none of the field's, or computed before by another tile. */
static double overlap_share(const struct runner *runner, const struct problem *problem) {
    if (runner->by_plain_loop)
        return 0;
    const double useful =
        (double)(problem->points[AXIS_X] * problem->points[AXIS_Y]) * problem->block_sweeps;
    const double more = (double)sweeper_overlap_points(runner->sweeper, problem->block_sweeps);
    return more / (useful + more);
}

bool row_take(struct row *row, const struct bench *bench, struct status *status) {
    const struct problem *problem = row->problem;
    const enum load load = kernel_load(row->kernel);
    struct sample *sample = &row->sample[row->samples];
    struct runner runner;
    omp_set_num_threads(row->threads);
    const bool open = runner_open(&runner, problem, row->kernel, bench->kernels, status);
    if (open) {
        run(&runner, problem, WARM_UP_SWEEPS);
        row->overlap_share = overlap_share(&runner, problem);
        sample->latency_ns = latency_ns();
        sample->copy_bytes_per_s = copy_beside(row, bench);
        const double start_s = clock_now_s();
        run(&runner, problem, problem->sweeps[load]);
        sample->rate_lups = problem_updates(problem, load) / (clock_now_s() - start_s);
        row->differs = sweeper_checksum(runner.sweeper) != problem->checksum[load];
        row->samples++;
    }
    runner_close(&runner, problem);
    return open;
}
