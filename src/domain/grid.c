/* The grid of unknowns: sizes, spacings, coordinates. One expression for each, so that every rank
 * and every layout gets the same bits. */
#include "funnel/grid.h"
#include <math.h>

const char *const side_names[SIDE_COUNT] = {"west", "east", "south", "north"};
const char *const side_kind_names[3] = {"dirichlet", "neumann", "periodic"};

/* With so many points the bytes of all arrays together still have a 64-bit number. */
static const global_index points_max = (global_index)1 << 54;

static const char *const axis_letters[AXIS_COUNT] = {"x", "y"};

enum side axis_low_side(enum axis axis) {
    return axis == AXIS_X ? SIDE_WEST : SIDE_SOUTH;
}

enum side axis_high_side(enum axis axis) {
    return axis == AXIS_X ? SIDE_EAST : SIDE_NORTH;
}

bool grid_periodic(const struct grid *grid, enum axis axis) {
    return grid->kind[axis_low_side(axis)] == SIDE_PERIODIC;
}

static int neumann_sides(const struct grid *grid, enum axis axis) {
    return (grid->kind[axis_low_side(axis)] == SIDE_NEUMANN) +
           (grid->kind[axis_high_side(axis)] == SIDE_NEUMANN);
}

static void check_axis(const struct grid *grid, enum axis axis, struct status *status) {
    const char *letter = axis_letters[axis];
    if (grid->points[axis] < 1)
        status_fail(status, EXIT_CODE_USAGE,
                    "grid.n%s: %" PRI_INDEX " points; at least 1 is needed", letter,
                    grid->points[axis]);
    if (!(grid->length[axis] > 0) || !isfinite(grid->length[axis]))
        status_fail(status, EXIT_CODE_USAGE, "grid.length_%s: %g is no length; it must be above 0",
                    letter, grid->length[axis]);
    bool low = grid->kind[axis_low_side(axis)] == SIDE_PERIODIC;
    bool high = grid->kind[axis_high_side(axis)] == SIDE_PERIODIC;
    if (low != high)
        status_fail(status, EXIT_CODE_USAGE, "problem.%s: periodic needs problem.%s = periodic too",
                    side_names[low ? axis_low_side(axis) : axis_high_side(axis)],
                    side_names[low ? axis_high_side(axis) : axis_low_side(axis)]);
    if (neumann_sides(grid, axis) == 2 && grid->points[axis] < 2)
        status_fail(status, EXIT_CODE_USAGE,
                    "grid.n%s: two Neumann sides need at least 2 points, not %" PRI_INDEX, letter,
                    grid->points[axis]);
}

/* Divides, because the product itself may not fit. */
static void check_points(const struct grid *grid, struct status *status) {
    if (grid->points[AXIS_Y] > points_max / grid->points[AXIS_X])
        status_fail(status, EXIT_CODE_USAGE,
                    "grid.ny: %" PRI_INDEX " x %" PRI_INDEX " points are more than the %" PRI_INDEX
                    " that can be counted in bytes; use a smaller grid",
                    grid->points[AXIS_X], grid->points[AXIS_Y], points_max);
}

static void place_axis(struct grid *grid, enum axis axis) {
    double points = (double)grid->points[axis];
    bool periodic = grid_periodic(grid, axis);
    double intervals = periodic ? points : points + 1 - neumann_sides(grid, axis);
    bool on_side = periodic || grid->kind[axis_low_side(axis)] == SIDE_NEUMANN;
    grid->spacing[axis] = grid->length[axis] / intervals;
    grid->first[axis] = on_side ? 0 : grid->spacing[axis];
}

bool grid_make(struct grid *grid, int dimensions, const global_index points[AXIS_COUNT],
               const double length[AXIS_COUNT], const enum side_kind kind[SIDE_COUNT],
               struct status *status) {
    *grid = (struct grid){.dimensions = dimensions,
                          .points = {points[AXIS_X], 1},
                          .length = {length[AXIS_X], 1},
                          .spacing = {1, 1},
                          .kind = {kind[SIDE_WEST], kind[SIDE_EAST], SIDE_NEUMANN, SIDE_NEUMANN}};
    check_axis(grid, AXIS_X, status);
    if (dimensions == 2) {
        grid->points[AXIS_Y] = points[AXIS_Y];
        grid->length[AXIS_Y] = length[AXIS_Y];
        grid->kind[SIDE_SOUTH] = kind[SIDE_SOUTH];
        grid->kind[SIDE_NORTH] = kind[SIDE_NORTH];
        check_axis(grid, AXIS_Y, status);
    }
    if (status_good(status))
        check_points(grid, status);
    if (!status_good(status))
        return false;
    place_axis(grid, AXIS_X);
    if (dimensions == 2)
        place_axis(grid, AXIS_Y);
    return true;
}

double grid_coordinate(const struct grid *grid, enum axis axis, global_index i) {
    return grid->first[axis] + (double)i * grid->spacing[axis];
}

double grid_side_coordinate(const struct grid *grid, enum side side) {
    if (side == SIDE_WEST || side == SIDE_SOUTH)
        return 0;
    return grid->length[side == SIDE_EAST ? AXIS_X : AXIS_Y];
}

global_index grid_points(const struct grid *grid) {
    return grid->points[AXIS_X] * grid->points[AXIS_Y];
}

double grid_weight(const struct grid *grid, enum axis axis, global_index i) {
    if (axis == AXIS_Y && grid->dimensions == 1)
        return 1;
    bool on_low = i == 0 && grid->kind[axis_low_side(axis)] == SIDE_NEUMANN;
    bool on_high = i == grid->points[axis] - 1 && grid->kind[axis_high_side(axis)] == SIDE_NEUMANN;
    return on_low || on_high ? 0.5 : 1;
}
