/* One set of values for all problems; only size, dimension and source differ. */
#include "problem.h"
#include "funnel/memory.h"

static const struct sweep_values values = {.source = "x*x + y", .side = {"1", "", "", ""}};

static double source_at(double x, double y) {
    return x * x + y;
}

static double start_at(double x, double y) {
    return x + y * y;
}

/* Sets the interior by a compiled function: large fields are set up again for each sample. */
static void fill(const struct problem *problem, const struct field *field,
                 double (*at)(double, double)) {
    const struct grid *grid = &problem->grid;
    const bool line = problem->dimensions == 1;
#pragma omp parallel for collapse(2) schedule(static)
    for (local_index j = 0; j < problem->layout.ny; j++)
        for (local_index i = 0; i < problem->layout.nx; i++)
            field_row(field, j)[i] =
                at(grid_coordinate(grid, AXIS_X, i), line ? 0 : grid_coordinate(grid, AXIS_Y, j));
}

bool problem_complete(struct problem *problem, struct status *status) {
    static const enum side_kind dirichlet[SIDE_COUNT] = {SIDE_DIRICHLET, SIDE_DIRICHLET,
                                                         SIDE_DIRICHLET, SIDE_DIRICHLET};
    const double length[AXIS_COUNT] = {(double)problem->points[AXIS_X] + 1,
                                       (double)problem->points[AXIS_Y] + 1};
    const struct equation equation = {.diffusion = 1, .source_varies = problem->source_varies};
    if (problem->block_sweeps == 0)
        problem->block_sweeps = BLOCK_SWEEPS;
    problem->layout = field_layout_make(problem->dimensions, problem->points[AXIS_X],
                                        problem->points[AXIS_Y], problem->block_sweeps);
    return grid_make(&problem->grid, problem->dimensions, problem->points, length, dirichlet,
                     status) &&
           stencil_make(&problem->stencil, &problem->grid, &equation, 1, status);
}

struct sweeper *problem_sweeper(const struct problem *problem, const struct kernel *kernel,
                                struct status *status) {
    const struct sweep_part part = {.grid = &problem->grid,
                                    .stencil = problem->stencil,
                                    .layout = problem->layout,
                                    .physical = {true, true, true, true}};
    struct sweeper *sweeper = sweeper_make(&part, kernel, &values, status);
    if (sweeper)
        fill(problem, sweeper_current(sweeper), start_at);
    return sweeper;
}

double *problem_source(const struct problem *problem, struct status *status) {
    const struct field source = {problem->layout, memory_take(problem->layout.bytes, status)};
    if (source.values)
        fill(problem, &source, source_at);
    return source.values;
}

enum load kernel_load(const struct kernel *kernel) {
    return kernel && kernel->choose_tile ? LOAD_BLOCKED : LOAD_ONE_BY_ONE;
}

double problem_updates(const struct problem *problem, enum load load) {
    return (double)problem->points[AXIS_X] * (double)problem->points[AXIS_Y] *
           (double)problem->sweeps[load];
}
