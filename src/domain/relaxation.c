/* Relaxation methods and their convergence, from the eigenvalues of the constant-coefficient
 * stencil: along each axis the cosines of the grid's modes, at whose extremes the spectral radius
 * is taken. */
#include "funnel/relaxation.h"
#include <float.h>
#include <math.h>
#include <string.h>

const struct relaxation relaxations[] = {
    {"jacobi", "plain Jacobi: every point from its neighbours' last values", 1, 1, false},
    {"weighted", "damped Jacobi: a step of omega towards the plain one", 1, 1, true},
};
const int relaxation_count = (int)(sizeof relaxations / sizeof relaxations[0]);

static const double pi = 3.14159265358979323846;

const struct relaxation *relaxation_find(const char *name) {
    for (int row = 0; row < relaxation_count; row++)
        if (strcmp(relaxations[row].name, name) == 0)
            return &relaxations[row];
    return NULL;
}

double relaxation_factor(const struct stencil *stencil, const double angle[AXIS_COUNT]) {
    double mean = 2 * stencil->cx * cos(angle[AXIS_X]);
    if (stencil->dimensions == 2)
        mean += 2 * stencil->cy * cos(angle[AXIS_Y]);
    return 1 - stencil->omega + stencil->omega * mean;
}

/* Smoothest, second smoothest and roughest mode of an axis, as angles. */
struct mode_angles {
    double first, second, last;
};

static struct mode_angles axis_modes(const struct grid *grid, enum axis axis) {
    double n = (double)grid->points[axis];
    bool low = grid->kind[axis_low_side(axis)] == SIDE_NEUMANN;
    bool high = grid->kind[axis_high_side(axis)] == SIDE_NEUMANN;
    if (grid_periodic(grid, axis))
        return (struct mode_angles){0, n > 1 ? 2 * pi / n : 0, 2 * pi * floor(n / 2) / n};
    if (low && high)
        return (struct mode_angles){0, pi / (n - 1), pi};
    if (low || high)
        return (struct mode_angles){pi / (2 * n), 3 * pi / (2 * n), pi - pi / (2 * n)};
    return (struct mode_angles){pi / (n + 1), 2 * pi / (n + 1), pi - pi / (n + 1)};
}

double spectral_radius(const struct grid *grid, const struct stencil *stencil, bool singular) {
    struct mode_angles x = axis_modes(grid, AXIS_X), y = {0, 0, 0};
    bool plane = grid->dimensions == 2;
    if (plane)
        y = axis_modes(grid, AXIS_Y);
    double rough = relaxation_factor(stencil, (double[]){x.last, y.last});
    double smooth = relaxation_factor(stencil, (double[]){x.first, y.first});
    if (singular) {
        /* the constant mode stays; the next smoothest differs from it along one axis only */
        smooth = x.second > 0 ? relaxation_factor(stencil, (double[]){x.second, y.first}) : rough;
        if (plane && y.second > 0)
            smooth = fmax(smooth, relaxation_factor(stencil, (double[]){x.first, y.second}));
    }
    return fmax(fabs(smooth), fabs(rough));
}

int64_t forecast_sweeps(double rho, double reduction) {
    if (reduction >= 1)
        return 0;
    if (!(rho < 1) || !(reduction > 0))
        return -1;
    if (rho == 0)
        return 1;
    double sweeps = ceil(log(reduction) / log(rho));
    return sweeps < 9e18 ? (int64_t)sweeps : -1;
}

double rounding_floor(const struct grid *grid, const struct stencil *stencil) {
    double points = grid->length[AXIS_X] / grid->spacing[AXIS_X];
    double ratio = points * points;
    if (stencil->dimensions == 2) {
        points = grid->length[AXIS_Y] / grid->spacing[AXIS_Y];
        ratio = fmax(ratio, points * points);
    }
    /* a reaction term bounds the condition number: diagonal/s replaces L^2/h^2 where it is smaller
     */
    double reaction = stencil->diagonal - 2 * stencil->ax - 2 * stencil->ay;
    if (reaction > 0)
        ratio = fmin(ratio, stencil->diagonal / reaction);
    return DBL_EPSILON * ratio;
}

int64_t check_interval(int64_t forecast, int64_t max_sweeps) {
    enum { CHECK_COSTS_SWEEPS = 4, INTERVAL_MOST = 1000 };
    /* without a tolerance the norm is only watched for NaN, and taken after the last sweep anyway
     */
    double every = INTERVAL_MOST;
    if (forecast != 0) {
        double expected = (double)(forecast > 0 && forecast < max_sweeps ? forecast : max_sweeps);
        /* least sum of what the checks cost, 4*expected/n, and of the sweeps done too many, n/2 */
        every = floor(sqrt(2.0 * CHECK_COSTS_SWEEPS * expected));
    }
    return every < 1 ? 1 : every > INTERVAL_MOST ? INTERVAL_MOST : (int64_t)every;
}

bool has_checkerboard_mode(const struct grid *grid) {
    for (int axis = 0; axis < grid->dimensions; axis++)
        if (grid_periodic(grid, (enum axis)axis) && grid->points[axis] % 2 == 1)
            return false;
    return true;
}
