/* The predictions that a task asks for: every ranks x threads, and the best for so many cores. */
#include "predict.h"
#include <math.h>
#include <stdlib.h>

/* Fits the limits of the model; what was asked for is checked by the model itself. */
static bool is_usual(const struct predict_task *task, int ranks, int threads) {
    const struct machine *machine = &task->machine;
    return (int64_t)ranks * threads <= PREDICTION_RANKS_MAX && threads <= machine->cores &&
           ranks <= grid_points(task->run.grid) &&
           (machine->between_nodes.count > 0 || machine_nodes(machine, ranks, threads) == 1);
}

static struct run_case run_of(const struct predict_task *task, int ranks, int threads) {
    struct run_case run = task->run;
    run.ranks = ranks;
    run.threads = threads;
    run.depth = predict_depth(task, ranks);
    return run;
}

/* Whether the command line names this layout; one that does not is left out where it cannot be. */
static bool is_asked(const struct predict_task *task, int threads) {
    return task->ranks_asked && (task->threads_asked || threads == 1);
}

/* Adds a row; a layout that cannot be is an error if it was asked for. */
static void add_row(struct predict_results *results, const struct predict_task *task, int ranks,
                    int threads, struct status *status) {
    const struct run_case run = run_of(task, ranks, threads);
    struct predict_row *row = &results->rows[results->row_count];
    struct status fault = {0};
    *row = (struct predict_row){.ranks = ranks, .threads = threads};
    if (!is_asked(task, threads) && !is_usual(task, ranks, threads))
        return;
    if (!prediction_make(&row->found, &task->machine, &run, &fault)) {
        if (is_asked(task, threads))
            *status = fault;
        return;
    }
    row->strips_s = prediction_strips_s(&task->machine, &run, task->count);
    row->blocks_s = prediction_blocks_s(&task->machine, &run, task->count);
    results->row_count++;
}

/* Takes a number of ranks and threads as the best so far, if it is. */
static void consider(struct predict_row *best, const struct predict_task *task, int ranks,
                     int threads) {
    struct run_case run = run_of(task, ranks, threads);
    struct prediction found;
    struct status ignored = {0};
    run.wish = (struct process_grid_wish){.decomposition = DECOMPOSITION_AUTO};
    if (!is_usual(task, ranks, threads) ||
        !prediction_best_depth(&found, &task->machine, &run, task->count, &ignored))
        return;
    if (best->ranks == 0 || found.sweep_s[task->count] < best->found.sweep_s[task->count])
        *best = (struct predict_row){.ranks = ranks, .threads = threads, .found = found};
}

static bool has_cores(const struct predict_results *results, int cores) {
    for (int i = 0; i < results->best_count; i++)
        if (results->best[i].ranks * results->best[i].threads == cores)
            return true;
    return false;
}

/* The best way to use each number of cores that a row uses. */
static void find_best(struct predict_results *results, const struct predict_task *task) {
    for (int i = 0; i < results->row_count; i++) {
        const int cores = results->rows[i].ranks * results->rows[i].threads;
        struct predict_row best = {0};
        if (has_cores(results, cores))
            continue;
        for (int k = 0; k < task->tried_threads.count; k++) {
            const int threads = task->tried_threads.values[k];
            if (cores % threads == 0)
                consider(&best, task, cores / threads, threads);
        }
        if (best.ranks > 0)
            results->best[results->best_count++] = best;
    }
}

static int compare_cores(const void *a, const void *b) {
    const struct predict_row *x = a, *y = b;
    const int64_t left = (int64_t)x->ranks * x->threads, right = (int64_t)y->ranks * y->threads;
    return (left > right) - (left < right);
}

/* T_sweep on one core, to compare with. */
static double one_core_s(const struct predict_task *task, struct status *status) {
    struct prediction found;
    struct run_case run = run_of(task, 1, 1);
    run.wish = (struct process_grid_wish){.decomposition = DECOMPOSITION_AUTO};
    return prediction_make(&found, &task->machine, &run, status) ? found.sweep_s[task->count] : NAN;
}

static bool take_memory(struct predict_results *results, const struct predict_task *task,
                        struct status *status) {
    const size_t rows = (size_t)task->ranks.count * (size_t)task->threads.count;
    *results = (struct predict_results){.rows = calloc(rows + 1, sizeof *results->rows),
                                        .best = calloc(rows + 1, sizeof *results->best)};
    if (!results->rows || !results->best)
        status_fail(status, EXIT_CODE_ENVIRONMENT, "no memory for %zu predictions", rows);
    return status_good(status);
}

bool predict_all(struct predict_results *results, const struct predict_task *task,
                 struct status *status) {
    if (!take_memory(results, task, status))
        return false;
    results->one_core_s = one_core_s(task, status);
    for (int t = 0; t < task->threads.count && status_good(status); t++)
        for (int r = 0; r < task->ranks.count && status_good(status); r++)
            add_row(results, task, task->ranks.values[r], task->threads.values[t], status);
    if (status_good(status) && results->row_count == 0)
        status_fail(status, EXIT_CODE_USAGE,
                    "command line: no number of ranks fits these threads; give --ranks");
    if (!status_good(status))
        return false;
    find_best(results, task);
    qsort(results->best, (size_t)results->best_count, sizeof *results->best, compare_cores);
    struct run_case run = run_of(task, 1, task->threads.values[0]);
    run.depth = predict_crossover_depth(task);
    if (task->machine.between_nodes.count > 0)
        for (int count = 0; count < MESSAGE_COUNTS; count++)
            results->crossover[count] =
                prediction_crossover(&task->machine, &run, (enum message_count)count);
    return true;
}

void predict_results_free(struct predict_results *results) {
    free(results->rows);
    free(results->best);
}
