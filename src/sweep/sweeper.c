/* The sweeper's life: its memory, touched first by the threads that sweep it, and its values. */
#include "sweeper.h"
#include "funnel/memory.h"
#include "kernels.h"
#include "thread_plan.h"
#include "tile_plan.h"
#include <omp.h>
#include <stdlib.h>

static int kernel_iterates(const struct kernel *kernel) {
    return kernel->iterates_read + kernel->iterates_written;
}

struct kernel_tile sweep_tile_plan(const struct sweep_part *part, const struct kernel *kernel) {
    return kernel->choose_tile ? tile_known(part->tile, part, kernel->tiling)
                               : (struct kernel_tile){0, 0};
}

/* Of one thread, for a kernel with tiles. */
static size_t scratch_bytes(const struct sweep_part *part, const struct kernel *kernel) {
    struct kernel_tile tile = sweep_tile_plan(part, kernel);
    return kernel->tiling->scratch_bytes(&tile, temporal_sweeps(part), temporal_height(part));
}

/* Of those there are, as many as the part asks for. */
static int threads_of(const struct sweep_part *part, int available) {
    return part->threads > 0 && part->threads < available ? part->threads : available;
}

struct sweep_memory sweep_memory_plan(const struct sweep_part *part, const struct kernel *kernel) {
    static const char *const names[SWEEP_ITERATES_MAX] = {"iterate 0", "iterate 1"};
    size_t threads = (size_t)threads_of(part, omp_get_max_threads());
    struct sweep_memory plan = {.array_bytes = part->layout.bytes,
                                .small_bytes =
                                    sizeof(struct sweeper) +
                                    threads * (sizeof(struct thread_box) + sizeof(double))};
    if (kernel->choose_tile)
        plan.small_bytes += threads * scratch_bytes(part, kernel);
    for (int i = 0; i < kernel_iterates(kernel); i++)
        plan.name[plan.arrays++] = names[i];
    if (part->stencil.source_varies)
        plan.name[plan.arrays++] = "source";
    for (enum side side = SIDE_WEST; side < SIDE_COUNT; side++)
        if (side_is(part, side, SIDE_NEUMANN))
            plan.small_bytes += (size_t)side_values(&part->layout, side) * sizeof(double);
    plan.total_bytes = (size_t)plan.arrays * plan.array_bytes + plan.small_bytes;
    return plan;
}

int sweep_threads(void) {
    int threads = 1;
#pragma omp parallel
#pragma omp single
    threads = omp_get_num_threads();
    return threads;
}

static bool take_boxes(struct sweeper *sweeper) {
    size_t threads = (size_t)threads_of(&sweeper->part, sweep_threads());
    struct region *cut = malloc(threads * sizeof *cut);
    sweeper->box = aligned_alloc(CACHE_LINE_BYTES, threads * sizeof *sweeper->box);
    sweeper->thread_s = calloc(threads, sizeof *sweeper->thread_s);
    if (cut && sweeper->box && sweeper->thread_s) {
        sweeper->threads = (int)threads;
        thread_plan_cut(cut, sweeper->threads, sweeper->part.layout.nx, sweeper->part.layout.ny);
        for (size_t i = 0; i < threads; i++)
            sweeper->box[i] = (struct thread_box){.interior = cut[i]};
    }
    free(cut);
    return sweeper->threads > 0;
}

static bool take_field(struct sweeper *sweeper, struct field *field, struct status *status) {
    field->layout = sweeper->part.layout;
    field->values = memory_take(field->layout.bytes, status);
    return field->values != NULL;
}

static bool take_iterate(struct sweeper *sweeper, int i, struct status *status) {
    struct field *iterate = &sweeper->iterate[i];
    if (!sweeper->part.lent)
        return take_field(sweeper, iterate, status);
    *iterate = (struct field){sweeper->part.layout, sweeper->part.lent[i]};
    return true;
}

static bool take_memory(struct sweeper *sweeper, struct status *status) {
    for (int i = 0; i < sweeper->iterates; i++) {
        if (!take_iterate(sweeper, i, status))
            return false;
        sweeper->memory[i] = sweeper->iterate[i].values;
    }
    if (sweeper->part.stencil.source_varies && !take_field(sweeper, &sweeper->source, status))
        return false;
    if (take_boxes(sweeper))
        return true;
    status_fail(status, EXIT_CODE_ENVIRONMENT, "no memory for the threads' shares of the grid");
    return false;
}

/* Memory for the tiles of each thread, which touches it in its first tile. */
static bool take_scratch(struct sweeper *sweeper, struct status *status) {
    if (!sweeper->sweep_tile)
        return true;
    sweeper->scratch_bytes = scratch_bytes(&sweeper->part, sweeper->kernel);
    for (int i = 0; i < sweeper->threads; i++) {
        sweeper->box[i].scratch = memory_take(sweeper->scratch_bytes, status);
        if (!sweeper->box[i].scratch)
            return false;
    }
    return true;
}

/* Start values of all boxes; the first box that failed gives the status. */
static bool fill_boxes(struct sweeper *sweeper, const struct sweep_values *values,
                       struct status *status) {
    struct fill fill = {values, calloc((size_t)sweeper->threads, sizeof *fill.status)};
    if (!fill.status) {
        status_fail(status, EXIT_CODE_ENVIRONMENT, "no memory to fill the grid");
        return false;
    }
    boxes_each(sweeper, box_touch, NULL);
    boxes_each(sweeper, box_fill, &fill);
    for (int i = 0; i < sweeper->threads && status_good(status); i++)
        *status = fill.status[i];
    free(fill.status);
    return status_good(status);
}

static void choose_functions(struct sweeper *sweeper) {
    const struct kernel *kernel = sweeper->kernel;
    const char *instruction_set;
    sweeper->sweep = kernel->choose(&instruction_set);
    if (kernel->choose_tile)
        sweeper->sweep_tile = kernel->choose_tile(&instruction_set);
}

struct sweeper *sweeper_make(const struct sweep_part *part, const struct kernel *kernel,
                             const struct sweep_values *values, struct status *status) {
    struct sweeper *sweeper = calloc(1, sizeof *sweeper);
    if (!sweeper) {
        status_fail(status, EXIT_CODE_ENVIRONMENT, "no memory for the sweeper");
        return NULL;
    }
    sweeper->grid = *part->grid;
    sweeper->part = *part;
    sweeper->part.grid = &sweeper->grid;
    sweeper->kernel = kernel;
    sweeper->iterates = kernel_iterates(kernel);
    sweeper->tile = sweep_tile_plan(part, kernel);
    sweeper->streaming =
        (int64_t)part->layout.bytes * sweeper->iterates > caches_known(part->caches).last_level;
    choose_functions(sweeper);
    if (take_memory(sweeper, status) && take_scratch(sweeper, status) &&
        fill_boxes(sweeper, values, status) && sides_fill(sweeper, values, status))
        return sweeper;
    sweeper_free(sweeper);
    return NULL;
}

void sweeper_free(struct sweeper *sweeper) {
    if (!sweeper)
        return;
    for (int i = 0; i < sweeper->threads; i++) {
        evaluator_close(&sweeper->box[i].exact);
        memory_release(sweeper->box[i].scratch, sweeper->scratch_bytes);
    }
    for (int i = 0; i < sweeper->iterates && !sweeper->part.lent; i++)
        memory_release(sweeper->memory[i], sweeper->part.layout.bytes);
    memory_release(sweeper->source.values, sweeper->part.layout.bytes);
    for (enum side side = SIDE_WEST; side < SIDE_COUNT; side++)
        free(sweeper->mirror[side]);
    free(sweeper->box);
    free(sweeper->thread_s);
    free(sweeper);
}

const struct field *sweeper_current(const struct sweeper *sweeper) {
    return &sweeper->iterate[sweeper->current];
}

double *const *sweeper_memory(const struct sweeper *sweeper) {
    return sweeper->memory;
}

int sweeper_threads(const struct sweeper *sweeper) {
    return sweeper->threads;
}

const double *sweeper_thread_seconds(const struct sweeper *sweeper) {
    for (int i = 0; i < sweeper->threads; i++)
        sweeper->thread_s[i] = sweeper->box[i].sweep_s;
    return sweeper->thread_s;
}

static void refresh_box(const struct sweeper *sweeper, int number, void *argument) {
    (void)argument;
    sides_refresh(sweeper, sweeper_current(sweeper), sweeper->box[number].interior);
}

void sweeper_refresh_sides(struct sweeper *sweeper) {
    boxes_each(sweeper, refresh_box, NULL);
}
