/* What jacobi says before and after a solve. */
#include "funnel/record.h"
#include "funnel/text.h"
#include "jacobi.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void print_problem(const struct solve_plan *plan, const struct config *config, FILE *out) {
    const struct grid *grid = &plan->grid;
    if (grid->dimensions == 2)
        fprintf(out,
                "grid        %" PRI_INDEX " x %" PRI_INDEX " = %" PRI_INDEX
                " points, hx %.6g, hy %.6g\n",
                grid->points[AXIS_X], grid->points[AXIS_Y], grid_points(grid),
                grid->spacing[AXIS_X], grid->spacing[AXIS_Y]);
    else
        fprintf(out, "grid        %" PRI_INDEX " points on a line, h %.6g\n", grid_points(grid),
                grid->spacing[AXIS_X]);
    fprintf(out, "equation    -div(k grad u) + s u = f with k = %.9g, s = %.9g, f = %s\n",
            plan->equation.diffusion, plan->equation.reaction, config->problem.source);
    fprintf(out, "sides      ");
    for (int side = 0; side < (grid->dimensions == 2 ? SIDE_COUNT : SIDE_SOUTH); side++)
        fprintf(out, " %s %s%s%s%s", side_names[side], side_kind_names[grid->kind[side]],
                grid->kind[side] == SIDE_PERIODIC ? "" : " ",
                grid->kind[side] == SIDE_PERIODIC ? "" : config->problem.side[side].value,
                side + 1 < (grid->dimensions == 2 ? SIDE_COUNT : SIDE_SOUTH) ? "," : "");
    fputc('\n', out);
}

static void print_method(const struct solve_plan *plan, const struct config *config, FILE *out) {
    fprintf(out, "method      %s", plan->method->name);
    if (plan->method->takes_omega)
        fprintf(out, ", omega %g", plan->stencil.omega);
    if (config->solver.rtol > 0 || config->solver.atol > 0)
        fprintf(out, ", until residual <= max(%g * |b|, %g), at most %" PRId64 " sweeps\n",
                config->solver.rtol, config->solver.atol, config->solver.max_sweeps);
    else
        fprintf(out, ", exactly %" PRId64 " sweeps\n", config->solver.max_sweeps);
}

static void print_sweeping(const struct solve_plan *plan, const struct config *config, FILE *out) {
    const char *instruction_set = "";
    plan->kernel->choose(&instruction_set);
    fprintf(out, "sweeping    kernel %s (%s)", plan->kernel->name, instruction_set);
    if (plan->tile.width > 0)
        fprintf(out, " in tiles of %dx%d", plan->tile.width, plan->tile.rows);
    fprintf(out, "%s, halo %s of depth %d, check every %" PRId64 " sweeps\n",
            plan->part.schedule == SWEEP_DYNAMIC ? " as threads come free" : "", plan->halo->name,
            plan->halo_depth, plan->check_every);
    if (plan->kernel_why)
        fprintf(out, "            auto took kernel %s: %s\n", plan->kernel->name, plan->kernel_why);
    if (plan->depth_why)
        fprintf(out, "            auto took depth %d: %s\n", plan->halo_depth, plan->depth_why);
    if (!plan->part.flush_denormals)
        fputs("            denormals are kept\n", out);
    if (plan->threads < plan->threads_there)
        fprintf(out, "            %d of %d threads of a rank sweep%s\n", plan->threads,
                plan->threads_there,
                config->parallel.threads > 0 ? "" : ": the parts are too small for more");
    if (plan->part.tile.width > 0 && plan->tile.width == 0)
        fprintf(out, "            kernel %s has no tiles: kernel_tile does not count\n",
                plan->kernel->name);
    if (plan->halo->overlaps && !plan->overlaps)
        fputs("            overlap needs a second thread: each exchange comes before its sweep\n",
              out);
    if (plan->halo_depth < plan->halo_depth_asked)
        fprintf(out,
                "            depth %d reduced to %d: the narrowest part is %" PRI_INDEX
                " point%s wide\n",
                plan->halo_depth_asked, plan->halo_depth, plan->narrowest_part,
                plan->narrowest_part == 1 ? "" : "s");
}

static void print_layout(const struct solve_plan *plan, const struct config *config,
                         const struct team_facts *facts, FILE *out) {
    char bytes[32];
    fprintf(out,
            "layout      %d rank%s on %d node%s, process grid %dx%d, rank 0 has %" PRI_INDEX
            " x %" PRI_INDEX ", %s a rank\n",
            facts->ranks, facts->ranks == 1 ? "" : "s", facts->nodes, facts->nodes == 1 ? "" : "s",
            plan->process_grid.count[AXIS_X], plan->process_grid.count[AXIS_Y],
            plan->part.layout.nx, plan->part.layout.ny,
            text_bytes(bytes, sizeof bytes, (double)plan->memory.total_bytes));
    print_sweeping(plan, config, out);
    fprintf(out, "MPI         %s; asked %s, provided %s; launcher %s%s\n", facts->mpi_library,
            facts->thread_level_asked, facts->thread_level_provided, facts->launcher,
            facts->yields ? "; waiting yields: more ranks than PUs" : "");
}

static void warn_of_floor(const struct solve_plan *plan, const struct config *config) {
    double rtol = config->solver.rtol;
    if (rtol > 0 && rtol < plan->rounding_floor && config->solver.atol == 0)
        warning_print(
            "jacobi",
            "solver.rtol: %g is below what rounding lets this grid reach, about %.1g; the "
            "run will end as stagnated or at the sweep limit",
            rtol, plan->rounding_floor);
}

static void warn_of_build(void) {
    const struct build_facts *build = build_facts();
    if (build->sanitized || strcmp(build->build_type, "debug") == 0)
        warning_print("jacobi", "this is a %s build: its times say nothing",
                      build->sanitized ? "sanitizer" : "debug");
}

void jacobi_header(const struct solve_plan *plan, const struct config *config,
                   const struct team_facts *facts, FILE *out) {
    const struct build_facts *build = build_facts();
    fprintf(out, "jacobi      Funnel %s, commit %.12s%s, %s\n", build->version, build->commit,
            build->dirty ? " with changes" : "", config->file);
    print_problem(plan, config, out);
    print_method(plan, config, out);
    print_layout(plan, config, facts, out);
    fflush(out);
    warn_of_floor(plan, config);
    warn_of_build();
}

/* What rank 0 needs of each rank to print its sizes. */
struct size_line {
    global_index begin[AXIS_COUNT], count[AXIS_COUNT];
    int64_t bytes;
};

static void print_arrays(const struct sweep_memory *memory, FILE *out) {
    char bytes[32];
    fputs("arrays     ", out);
    for (int i = 0; i < memory->arrays; i++)
        fprintf(out, " %s,", memory->name[i]);
    fprintf(out, " %s each on rank 0;",
            text_bytes(bytes, sizeof bytes, (double)memory->array_bytes));
    fprintf(out, " everything else %s\n",
            text_bytes(bytes, sizeof bytes, (double)memory->small_bytes));
}

static void print_lines(const struct size_line *lines, int ranks, FILE *out) {
    char bytes[32];
    double total = 0;
    for (int rank = 0; rank < ranks; rank++) {
        const struct size_line *line = &lines[rank];
        total += (double)line->bytes;
        fprintf(out,
                "rank %-6d x %" PRI_INDEX "..%" PRI_INDEX ", y %" PRI_INDEX "..%" PRI_INDEX
                ", %" PRI_INDEX " points, %s\n",
                rank, line->begin[AXIS_X], line->begin[AXIS_X] + line->count[AXIS_X] - 1,
                line->begin[AXIS_Y], line->begin[AXIS_Y] + line->count[AXIS_Y] - 1,
                line->count[AXIS_X] * line->count[AXIS_Y],
                text_bytes(bytes, sizeof bytes, (double)line->bytes));
    }
    fprintf(out, "memory      %s in all ranks together (%.0f bytes)\n",
            text_bytes(bytes, sizeof bytes, total), total);
}

void jacobi_sizes(const struct solve_plan *plan, struct team *team, FILE *out) {
    const struct team_facts *facts = team_facts(team);
    const struct sweep_part *part = &plan->part;
    struct size_line mine = {.begin = {part->begin[AXIS_X], part->begin[AXIS_Y]},
                             .count = {part->layout.nx, part->layout.ny},
                             .bytes = (int64_t)plan->memory.total_bytes};
    struct size_line *lines = NULL;
    if (facts->rank == 0 && !(lines = calloc((size_t)facts->ranks, sizeof *lines)))
        team_abort(team, EXIT_CODE_ENVIRONMENT);
    team_gather(team, &mine, sizeof mine, lines);
    if (facts->rank == 0) {
        print_arrays(&plan->memory, out);
        print_lines(lines, facts->ranks, out);
        fflush(out);
    }
    free(lines);
}

static void print_spread(const char *name, struct spread spread, FILE *out) {
    fprintf(out, "  %-10s %10.4f (rank %d) %10.4f %10.4f (rank %d)\n", name, spread.min,
            spread.min_rank, spread.mean, spread.max, spread.max_rank);
}

/* What deep halos cost in place of messages. */
static void print_redundant(const struct solve_plan *plan, const struct solve_result *result,
                            FILE *out) {
    double updates = (double)grid_points(&plan->grid) * (double)result->sweeps;
    if (result->redundant_points > 0)
        fprintf(out,
                "  redundant   %.2f %% of the updates were done twice, because of deep halos\n",
                100 * (double)result->redundant_points / updates);
}

static void print_phases(const struct solve_plan *plan, const struct solve_result *result,
                         FILE *out) {
    fputs("  phase             min s              mean s      max s\n", out);
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        if (phase != PHASE_WAIT || plan->split_wait)
            print_spread(phase_names[phase], result->phase_s[phase], out);
    print_spread("total", result->total_s, out);
    if (plan->overlaps)
        print_spread("hidden", result->hidden_s, out);
    fprintf(out, "  first block of %" PRId64 " sweep%s apart: %.4f s; set-up %.4f s\n",
            result->first_block_sweeps, result->first_block_sweeps == 1 ? "" : "s",
            result->first_block_s, result->setup_s);
    fprintf(out,
            "  Tcomm       %.2f %% of the ranks' time (%.2f %% on rank %d to %.2f %% on rank %d)\n",
            100 * result->tcomm_fraction, 100 * result->tcomm_fraction_of_rank.min,
            result->tcomm_fraction_of_rank.min_rank, 100 * result->tcomm_fraction_of_rank.max,
            result->tcomm_fraction_of_rank.max_rank);
    print_redundant(plan, result, out);
    fprintf(out,
            "  imbalance   %.2f %% of sweep time between ranks; threads swept %.4f to %.4f s\n",
            100 * result->imbalance, result->thread_s.min, result->thread_s.max);
}

static void print_rate(const struct solve_result *result, FILE *out) {
    if (isnan(result->rate_lups))
        fputs("rate        none: the run is one block long, and the first block does not count\n",
              out);
    else
        fprintf(out, "rate        %.1f MLUP/s, at %.3g bytes a point %.2f GB/s\n",
                1e-6 * result->rate_lups, result->bytes_per_point,
                1e-9 * result->rate_lups * result->bytes_per_point);
}

static void print_roofline(const struct solve_plan *plan, const struct solve_result *result,
                           FILE *out) {
    if (isnan(result->rate_lups))
        return;
    if (plan->fits_cache)
        fputs("roofline    the iterates fit the caches: memory bandwidth is no limit\n", out);
    else if (isnan(result->roofline_share))
        fputs("roofline    not measured: the run is too short\n", out);
    else
        fprintf(out,
                "roofline    %.2f times what memory bandwidth allows one sweep at a time (copy "
                "%.2f GB/s, %.0f bytes a point)\n",
                result->roofline_share, 1e-9 * result->copy_bytes_per_s,
                kernel_bytes(plan->kernel, &plan->stencil, 1));
}

/* Worth a word where sweeps that meet them may have taken a noticeable part of the time. */
static void note_denormals(const struct solve_plan *plan, const struct solve_result *result,
                           FILE *out) {
    const int64_t worth_a_word = 1000; /* one point in so many */
    if (result->denormal_points > grid_points(&plan->grid) / worth_a_word)
        fprintf(out,
                "note        %" PRId64 " of %" PRI_INDEX " values are denormal (below 2.2e-308), "
                "which slows sweeps; see problem.denormals\n",
                result->denormal_points, grid_points(&plan->grid));
}

static void print_norms(const struct solve_result *result, FILE *out) {
    fprintf(out, "residual    %.17g (first %.6g, right-hand side %.6g, target %.6g)\n",
            result->residual_norm2, result->residual_first_norm2, result->rhs_norm2,
            result->target_norm2);
    if (result->has_error)
        fprintf(out, "error       max %.17g, 2-norm %.17g\n", result->error_max,
                result->error_norm2);
    fprintf(out, "checksum    %016" PRIx64 "\n", result->field_checksum);
}

void jacobi_summary(const struct solve_plan *plan, const struct team_facts *facts,
                    const struct solve_result *result, FILE *out) {
    fprintf(out, "result      %s after %" PRId64 " sweeps on %d rank%s\n",
            stop_reason_name(result->reason), result->sweeps, facts->ranks,
            facts->ranks == 1 ? "" : "s");
    print_norms(result, out);
    print_phases(plan, result, out);
    if (result->reason != STOP_DIVERGED) {
        print_rate(result, out);
        print_roofline(plan, result, out);
    }
    note_denormals(plan, result, out);
}
