/* The solve. Read solve_run first: exchange halos, advance, now and then a norm and a word with the
 * other ranks. MPI is behind halo_ and team_, OpenMP behind sweeper_. */
#include "funnel/clock.h"
#include "solve_parts.h"
#include <math.h>
#include <stdlib.h>

/* The iterates lie where the exchange needs them and are touched first by the threads that sweep.
 */
static bool take_memory(struct solve *solve, struct status *status) {
    const struct solve_plan *plan = solve->plan;
    int iterates = plan->kernel->iterates_read + plan->kernel->iterates_written;
    solve->memory =
        halo_memory_take(solve->team, plan->halo, iterates, plan->part.layout.bytes, status);
    if (!solve->memory)
        return false;
    struct sweep_part part = plan->part;
    part.lent = halo_memory_values(solve->memory);
    solve->sweeper = sweeper_make(&part, plan->kernel, &plan->values, status);
    return team_agree(solve->team, status);
}

static bool prepare(struct solve *solve, struct status *status) {
    const struct solve_plan *plan = solve->plan;
    if (!take_memory(solve, status))
        return false;
    team_threads(solve->team, sweeper_threads(solve->sweeper));
    struct halo_plan halo_plan = {.process_grid = &plan->process_grid,
                                  .layout = plan->part.layout,
                                  .memory = solve->memory,
                                  .synchronous_sends = solve->config->parallel.synchronous_sends};
    solve->halo = halo_make(solve->team, plan->halo, &halo_plan, status);
    if (status_good(status))
        clock_make(solve, status);
    return team_agree(solve->team, status);
}

struct solve *solve_make(struct team *team, const struct solve_plan *plan,
                         const struct config *config, struct status *status) {
    double begin_s = clock_now_s();
    struct solve *solve = calloc(1, sizeof *solve);
    if (!solve)
        status_fail(status, EXIT_CODE_ENVIRONMENT, "no memory for the solve");
    if (!team_agree(team, status)) {
        free(solve);
        return NULL;
    }
    *solve = (struct solve){.team = team, .plan = plan, .config = config, .checked_at = -1};
    if (!prepare(solve, status)) {
        solve_free(solve);
        return NULL;
    }
    solve->setup_s = clock_now_s() - begin_s;
    return solve;
}

void solve_free(struct solve *solve) {
    if (!solve)
        return;
    if (solve->halo)
        halo_release(solve->halo);
    if (solve->sweeper)
        sweeper_free(solve->sweeper);
    halo_memory_release(solve->memory);
    free(solve->clock.thread_begin_s);
    free(solve);
}

const struct field *solve_field(const struct solve *solve) {
    return sweeper_current(solve->sweeper);
}

static void exchange_halos(struct solve *solve) {
    if (solve->halo_fresh)
        return;
    const struct field *field = sweeper_current(solve->sweeper);
    if (solve->plan->split_wait)
        halo_meet(solve->halo);
    halo_begin(solve->halo, field);
    halo_finish(solve->halo, field);
    solve->halo_fresh = true;
}

static void advance(struct solve *solve, int sweeps) {
    double begin_s = clock_now_s();
    sweeper_advance(solve->sweeper, sweeps);
    solve->clock.sweep_s += clock_now_s() - begin_s;
}

/* Exchanges halos and advances, one beside the other where that is asked for and possible. */
static void run_block(struct solve *solve, int sweeps) {
    if (overlap_possible(solve, sweeps)) {
        overlap_advance(solve, sweeps);
    } else {
        exchange_halos(solve);
        advance(solve, sweeps);
    }
    solve->redundant_points += sweeper_redundant_points(solve->sweeper, sweeps);
    solve->halo_fresh = false;
}

/* Forms the residual of the current iterate, unless that was done before. */
static void check(struct solve *solve, struct solve_result *result) {
    if (solve->checked_at == result->sweeps)
        return;
    exchange_halos(solve);
    sweeper_refresh_sides(solve->sweeper);
    result->residual_norm2 = measure_norm2(solve, QUANTITY_RESIDUAL_SQUARED);
    result->checks++;
    solve->checked_at = result->sweeps;
    if (solve->watch && solve->watch->check)
        solve->watch->check(solve->watch->context, result->sweeps, clock_now_s() - solve->started_s,
                            result->residual_norm2);
}

/* Sweeps to do before the next exchange: the depth, shortened before a check and before the end. */
static int next_block(const struct solve *solve, int64_t sweep) {
    const struct solve_plan *plan = solve->plan;
    int64_t to_check = plan->check_every - sweep % plan->check_every;
    int64_t to_end = solve->config->solver.max_sweeps - sweep;
    int64_t block = plan->halo_depth;
    block = to_check < block ? to_check : block;
    return (int)(to_end < block ? to_end : block);
}

static bool check_due(const struct solve *solve, int64_t sweep) {
    return sweep % solve->plan->check_every == 0 || sweep == solve->config->solver.max_sweeps;
}

/* Before the loop: what is solved, from where, and how far it has to go. */
static bool begin(struct solve *solve, struct solve_result *result, struct status *status) {
    double begin_s = clock_now_s();
    exchange_halos(solve);
    sweeper_refresh_sides(solve->sweeper);
    if (solve->plan->singular)
        result->compatibility = measure_compatibility(solve, status);
    if (!status_good(status))
        return false;
    result->rhs_norm2 = measure_norm2(solve, QUANTITY_RHS_SQUARED);
    if (!measure_check_scale(solve, result->rhs_norm2, status))
        return false;
    solve->started_s = clock_now_s();
    check(solve, result);
    result->residual_first_norm2 = result->residual_norm2;
    convergence_begin(&solve->convergence, solve->plan, solve->config, result->rhs_norm2,
                      result->residual_first_norm2);
    result->target_norm2 = solve->convergence.target_norm2;
    solve->setup_s += clock_now_s() - begin_s;
    int64_t forecast = forecast_sweeps(solve->plan->spectral_radius,
                                       result->target_norm2 / result->residual_first_norm2);
    if (solve->watch && solve->watch->start)
        solve->watch->start(solve->watch->context, solve->plan, result, forecast);
    solve->started_s = clock_now_s();
    return true;
}

/* The loop, from the start values to the reason for which it ends. */
static void iterate(struct solve *solve, struct solve_result *result) {
    const int64_t max_sweeps = solve->config->solver.max_sweeps;
    bool done = convergence_verdict(&solve->convergence, result->residual_norm2, &result->reason);
    while (!done && result->sweeps < max_sweeps) {
        int sweeps = next_block(solve, result->sweeps);
        run_block(solve, sweeps);
        result->sweeps += sweeps;
        if (result->sweeps == sweeps) {
            result->first_block_s = clock_now_s() - solve->clock.begin_s;
            result->first_block_sweeps = sweeps;
            clock_begin(solve);
        }
        if (check_due(solve, result->sweeps)) {
            check(solve, result);
            done =
                convergence_verdict(&solve->convergence, result->residual_norm2, &result->reason);
        }
        if (!done)
            done = control_verdict(solve, result->sweeps, result->residual_norm2, &result->reason);
    }
    if (!done)
        result->reason = solve->convergence.tolerance ? STOP_SWEEP_LIMIT : STOP_SWEEPS_DONE;
}

/* After the loop: the residual of what is left standing, errors, times. */
static void report(struct solve *solve, struct solve_result *result) {
    const struct solve_plan *plan = solve->plan;
    clock_report(solve, result);
    result->votes = solve->control.votes;
    check(solve, result);
    if (!isfinite(result->residual_norm2))
        result->reason = STOP_DIVERGED;
    result->redundant_points = solve->redundant_points;
    team_sum(solve->team, &result->redundant_points, 1);
    result->has_error = plan->values.exact && plan->values.exact[0] != '\0';
    if (result->has_error) {
        result->error_max = measure_error_max(solve);
        result->error_norm2 = sqrt(plan->grid.spacing[AXIS_X] * plan->grid.spacing[AXIS_Y] *
                                   measure_sum(solve, QUANTITY_ERROR_SQUARED));
    }
    result->field_checksum = measure_checksum(solve);
    result->denormal_points = sweeper_denormals(solve->sweeper);
    team_sum(solve->team, &result->denormal_points, 1);
    int64_t counted = result->sweeps - result->first_block_sweeps;
    double points = (double)grid_points(&plan->grid) * (double)counted;
    bool sound = counted > 0 && result->reason != STOP_DIVERGED;
    result->rate_lups = sound ? points / result->total_s.max : nan("");
    result->bytes_per_point = kernel_bytes(plan->kernel, &plan->stencil, plan->halo_depth);
    roofline_measure(solve, result);
}

bool solve_run(struct solve *solve, const struct solve_watch *watch, struct solve_result *result,
               struct status *status) {
    *result = (struct solve_result){0};
    solve->watch = team_facts(solve->team)->rank == 0 ? watch : NULL;
    if (!begin(solve, result, status))
        return false;
    control_begin(solve);
    clock_begin(solve);
    iterate(solve, result);
    clock_end(solve);
    control_end(solve);
    report(solve, result);
    return true;
}
