/* From a configuration to everything a solve needs to know before it takes memory. */
#include "funnel/memory.h"
#include "funnel/text.h"
#include "solve_parts.h"
#include <stdlib.h>
#include <string.h>

/* Says that an option names no row of a table, and which row was probably meant. */
static void refuse_name(const char *key, const char *name, const char *const *names, int count,
                        struct status *status) {
    char list[256] = "";
    for (int i = 0; i < count; i++) {
        strncat(list, i > 0 ? ", " : "", sizeof list - strlen(list) - 1);
        strncat(list, names[i], sizeof list - strlen(list) - 1);
    }
    const char *near = text_nearest(name, names, count);
    status_fail(status, EXIT_CODE_USAGE, "parallel.%s: \"%s\" is none of %s%s%s%s", key, name, list,
                near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

/* Leaves NULL for auto. */
static void find_kernel(struct solve_plan *plan, const struct config *config,
                        struct status *status) {
    if (strcmp(config->parallel.kernel, "auto") == 0)
        return;
    plan->kernel = kernel_find(config->parallel.kernel);
    if (plan->kernel)
        return;
    const char *names[32] = {"auto"};
    int count = 1;
    for (int row = 0; row < kernel_count && count < 32; row++)
        names[count++] = kernels[row].name;
    refuse_name("kernel", config->parallel.kernel, names, count, status);
}

static void find_halo(struct solve_plan *plan, const struct config *config, struct status *status) {
    plan->halo = halo_find(config->parallel.halo);
    plan->split_wait = config->timing.split == TIMING_SPLIT_ON;
    if (plan->halo) {
        halo_check_sends(plan->halo, config->parallel.synchronous_sends, status);
        return;
    }
    const char *names[32];
    int count = 0;
    for (int row = 0; row < halo_variant_count && count < 32; row++)
        names[count++] = halo_variants[row]->name;
    refuse_name("halo", config->parallel.halo, names, count, status);
}

static bool plan_equation(struct solve_plan *plan, const struct config *config,
                          struct status *status) {
    if (!config_grid(config, &plan->grid, status) ||
        !config_equation(config, &plan->equation, status))
        return false;
    plan->method = relaxation_find(config->solver.method);
    return stencil_make(&plan->stencil, &plan->grid, &plan->equation, config->solver.omega, status);
}

static void plan_part(struct solve_plan *plan, const struct config *config,
                      const struct team_facts *facts, const struct sweep_caches *caches) {
    const struct process_grid *process_grid = &plan->process_grid;
    int at[AXIS_COUNT];
    process_grid_coordinates(process_grid, facts->rank, at);
    struct sweep_part *part = &plan->part;
    *part = (struct sweep_part){
        .grid = &plan->grid,
        .stencil = plan->stencil,
        .tile = {config->parallel.kernel_tile.width, config->parallel.kernel_tile.rows},
        .caches = *caches,
        .schedule = config->parallel.schedule == SCHEDULE_DYNAMIC ? SWEEP_DYNAMIC : SWEEP_STATIC,
        .flush_denormals = config->problem.denormals == DENORMALS_FLUSH};
    global_index count[AXIS_COUNT];
    for (int axis = 0; axis < AXIS_COUNT; axis++) {
        struct extent extent =
            extent_of(plan->grid.points[axis], process_grid->count[axis], at[axis]);
        part->begin[axis] = extent.begin;
        count[axis] = extent.count;
        bool periodic = process_grid->periodic[axis];
        part->physical[axis_low_side((enum axis)axis)] = !periodic && at[axis] == 0;
        part->physical[axis_high_side((enum axis)axis)] =
            !periodic && at[axis] == process_grid->count[axis] - 1;
    }
    part->layout =
        field_layout_make(plan->grid.dimensions, count[AXIS_X], count[AXIS_Y], plan->halo_depth);
}

static void plan_threads(struct solve_plan *plan, const struct config *config) {
    plan->threads_there = sweep_threads();
    plan->threads = choose_threads(plan, config, plan->threads_there);
    plan->part.threads = plan->threads;
    plan->overlaps = plan->halo->overlaps && plan->threads > 1;
}

static void plan_values(struct solve_plan *plan, const struct config *config) {
    plan->values = (struct sweep_values){.source = config->problem.source,
                                         .initial = config->problem.initial,
                                         .exact = config->problem.exact};
    for (int side = 0; side < SIDE_COUNT; side++)
        plan->values.side[side] = config->problem.side[side].value;
}

static void plan_convergence(struct solve_plan *plan, const struct config *config,
                             struct status *status) {
    bool tolerance = config->solver.rtol > 0 || config->solver.atol > 0;
    plan->singular = problem_is_singular(&plan->grid, &plan->equation);
    plan->spectral_radius = spectral_radius(&plan->grid, &plan->stencil, plan->singular);
    plan->rounding_floor = rounding_floor(&plan->grid, &plan->stencil);
    plan->forecast_sweeps =
        tolerance ? forecast_sweeps(plan->spectral_radius, config->solver.rtol) : 0;
    plan->check_every = config->solver.check_every;
    if (plan->check_every == 0)
        plan->check_every = check_interval(plan->forecast_sweeps, config->solver.max_sweeps);
    if (tolerance && plan->singular && plan->stencil.omega == 1 &&
        has_checkerboard_mode(&plan->grid))
        status_fail(status, EXIT_CODE_USAGE,
                    "solver.method: with no Dirichlet side and no reaction plain Jacobi keeps the "
                    "mode that changes sign from point to point and never converges; use method = "
                    "weighted with omega below 1, for instance 0.8");
}

bool solve_plan_make(struct solve_plan *plan, const struct config *config,
                     const struct team_facts *facts, const struct sweep_caches *caches,
                     struct status *status) {
    struct status cause = {0};
    *plan = (struct solve_plan){0};
    if (!plan_equation(plan, config, status))
        return false;
    find_kernel(plan, config, &cause);
    find_halo(plan, config, &cause);
    plan_convergence(plan, config, &cause);
    if (status_good(&cause))
        process_grid_choose(&plan->process_grid, &plan->grid, facts->ranks,
                            &config->parallel.process_grid, facts->ranks_per_node, &cause);
    if (!status_good(&cause)) {
        config_fail_like(config, &cause, status);
        return false;
    }
    choose_blocks(plan, config, caches);
    plan_part(plan, config, facts, caches);
    plan_values(plan, config);
    plan_threads(plan, config);
    plan->tile = sweep_tile_plan(&plan->part, plan->kernel);
    plan->memory = sweep_memory_plan(&plan->part, plan->kernel);
    return true;
}

/* What rank 0 needs to know of every rank. */
struct memory_need {
    int64_t node, bytes, available;
};

/* Adds up the ranks of each node and holds them against the least that one of them sees available.
 */
static void check_nodes(const struct memory_need *needs, int ranks, struct status *status) {
    for (int first = 0; first < ranks; first++) {
        int64_t bytes = 0, available = needs[first].available;
        int sharing = 0;
        for (int rank = 0; rank < ranks; rank++) {
            if (needs[rank].node != needs[first].node)
                continue;
            bytes += needs[rank].bytes;
            sharing++;
            if (needs[rank].available < available)
                available = needs[rank].available;
        }
        if (!memory_suffices(bytes, available)) {
            char need[32], have[32];
            status_fail(status, EXIT_CODE_ENVIRONMENT,
                        "memory: %d rank%s on node %" PRId64 " need%s %s, the node or its cgroup "
                        "can give nine tenths of %s; use a smaller grid or more nodes",
                        sharing, sharing == 1 ? "" : "s", needs[first].node,
                        sharing == 1 ? "s" : "", text_bytes(need, sizeof need, (double)bytes),
                        text_bytes(have, sizeof have, (double)available));
        }
        while (first + 1 < ranks && needs[first + 1].node == needs[first].node)
            first++;
    }
}

bool solve_memory_check(struct team *team, const struct solve_plan *plan, struct status *status) {
    const struct team_facts *facts = team_facts(team);
    struct memory_need mine = {.node = facts->node,
                               .bytes = (int64_t)plan->memory.total_bytes,
                               .available = memory_available_bytes("")};
    struct memory_need *needs = NULL;
    if (facts->rank == 0 && !(needs = calloc((size_t)facts->ranks, sizeof *needs)))
        team_abort(team, EXIT_CODE_ENVIRONMENT);
    team_gather(team, &mine, sizeof mine, needs);
    if (facts->rank == 0)
        check_nodes(needs, facts->ranks, status);
    free(needs);
    return team_agree(team, status);
}
