/* From the equation to the weights of its stencil; no division is left for a sweep. */
#include "funnel/equation.h"
#include <math.h>

bool problem_is_singular(const struct grid *grid, const struct equation *equation) {
    if (equation->reaction != 0)
        return false;
    int sides = grid->dimensions == 2 ? SIDE_COUNT : SIDE_SOUTH;
    for (int side = 0; side < sides; side++)
        if (grid->kind[side] == SIDE_DIRICHLET)
            return false;
    return true;
}

static double square(double value) {
    return value * value;
}

bool stencil_make(struct stencil *stencil, const struct grid *grid, const struct equation *equation,
                  double omega, struct status *status) {
    bool plane = grid->dimensions == 2;
    double ax = equation->diffusion / square(grid->spacing[AXIS_X]);
    double ay = plane ? equation->diffusion / square(grid->spacing[AXIS_Y]) : 0;
    double diagonal = 2 * ax + 2 * ay + equation->reaction;
    *stencil = (struct stencil){.dimensions = grid->dimensions,
                                .isotropic = plane && ax == ay,
                                .has_source = equation->source_varies || equation->source != 0,
                                .source_varies = equation->source_varies,
                                .cx = ax / diagonal,
                                .cy = ay / diagonal,
                                .cf = 1 / diagonal,
                                .ax = ax,
                                .ay = ay,
                                .diffusion = equation->diffusion,
                                .diagonal = diagonal,
                                .source = equation->source_varies ? 0 : equation->source,
                                .omega = omega};
    if (!(equation->diffusion > 0))
        status_fail(status, EXIT_CODE_USAGE, "problem.diffusion: %g is not above 0",
                    equation->diffusion);
    if (!(equation->reaction >= 0))
        status_fail(status, EXIT_CODE_USAGE, "problem.reaction: %g is below 0", equation->reaction);
    if (!isfinite(diagonal) || !(ax > 0) || (plane && !(ay > 0)) || !isfinite(stencil->cf))
        status_fail(status, EXIT_CODE_USAGE,
                    "problem.diffusion: k/h^2 is not a number that doubles can hold (k %g, h %g)",
                    equation->diffusion, grid->spacing[AXIS_X]);
    return status_good(status);
}
