/* The sides of the domain: given values live in ghosts that no sweep writes, fluxes as a mirror
 * ghost that is renewed before each sweep. Second order: u(-1) = u(1) + 2 h g/k for k du/dn = g
 * with n pointing outward. */
#include "denormals.h"
#include "sweeper.h"
#include <stdlib.h>

/* A side as a walk through memory: first ghost, step along the side, step into the domain. */
struct walk {
    int64_t ghost, along, inward;
};

static struct walk walk_of(const struct field_layout *layout, enum side side) {
    switch (side) {
    case SIDE_WEST:
        return (struct walk){-1, layout->pitch, 1};
    case SIDE_EAST:
        return (struct walk){layout->nx, layout->pitch, -1};
    case SIDE_SOUTH:
        return (struct walk){-layout->pitch, 1, layout->pitch};
    default:
        return (struct walk){layout->ny * layout->pitch, 1, -layout->pitch};
    }
}

static enum axis axis_across(enum side side) {
    return side == SIDE_WEST || side == SIDE_EAST ? AXIS_X : AXIS_Y;
}

static enum axis axis_along(enum side side) {
    return axis_across(side) == AXIS_X ? AXIS_Y : AXIS_X;
}

/* Halo depth at both ends of a side. */
int side_depth(const struct field_layout *layout, enum side side) {
    return axis_along(side) == AXIS_X ? layout->depth : layout->depth_y;
}

int64_t side_values(const struct field_layout *layout, enum side side) {
    local_index points = axis_along(side) == AXIS_X ? layout->nx : layout->ny;
    return points + 2 * side_depth(layout, side);
}

bool side_is(const struct sweep_part *part, enum side side, enum side_kind kind) {
    if (part->layout.dimensions == 1 && axis_across(side) == AXIS_Y)
        return false;
    return part->physical[side] && part->grid->kind[side] == kind;
}

/* True for a place along a side that belongs to the domain; seams of periodic axes do. */
static bool within(const struct grid *grid, enum axis axis, global_index i) {
    return grid_periodic(grid, axis) || (i >= 0 && i < grid->points[axis]);
}

/* The side's value or flux at global index i along it. */
static double side_value(struct evaluator *evaluator, const struct grid *grid, enum side side,
                         global_index i) {
    double across = grid_side_coordinate(grid, side);
    if (axis_across(side) == AXIS_Y)
        return evaluator_at(evaluator, wrapped_coordinate(grid, AXIS_X, i), across);
    double y = grid->dimensions == 2 ? wrapped_coordinate(grid, AXIS_Y, i) : 0;
    return evaluator_at(evaluator, across, y);
}

static void set_ghost(const struct sweeper *sweeper, enum side side, local_index k, double value) {
    struct walk walk = walk_of(&sweeper->part.layout, side);
    for (int i = 0; i < sweeper->iterates; i++)
        field_row(&sweeper->iterate[i], 0)[walk.ghost + k * walk.along] = value;
}

static void fill_side(struct sweeper *sweeper, enum side side, struct evaluator *evaluator) {
    const struct grid *grid = &sweeper->grid;
    enum axis along = axis_along(side);
    double spacing = grid->spacing[axis_across(side)];
    int depth = side_depth(&sweeper->part.layout, side);
    int64_t count = side_values(&sweeper->part.layout, side);
    for (local_index k = -depth; k < count - depth; k++) {
        global_index i = sweeper->part.begin[along] + k;
        if (!within(grid, along, i))
            continue;
        double value = side_value(evaluator, grid, side, i);
        if (sweeper->mirror[side])
            sweeper->mirror[side][k + depth] =
                2 * spacing * value / sweeper->part.stencil.diffusion;
        else
            set_ghost(sweeper, side, k, value);
    }
}

static bool take_mirror(struct sweeper *sweeper, enum side side, struct status *status) {
    size_t count = (size_t)side_values(&sweeper->part.layout, side);
    sweeper->mirror[side] = calloc(count, sizeof(double));
    if (!sweeper->mirror[side])
        status_fail(status, EXIT_CODE_ENVIRONMENT, "no memory for the %s side's fluxes",
                    side_names[side]);
    return sweeper->mirror[side] != NULL;
}

static bool fill_sides(struct sweeper *sweeper, const struct sweep_values *values,
                       struct status *status) {
    for (enum side side = SIDE_WEST; side < SIDE_COUNT; side++) {
        bool flux = side_is(&sweeper->part, side, SIDE_NEUMANN);
        if (!flux && !side_is(&sweeper->part, side, SIDE_DIRICHLET))
            continue;
        struct evaluator evaluator;
        if ((flux && !take_mirror(sweeper, side, status)) ||
            !evaluator_open(&evaluator, values->side[side], status))
            return false;
        fill_side(sweeper, side, &evaluator);
        evaluator_close(&evaluator);
    }
    return true;
}

bool sides_fill(struct sweeper *sweeper, const struct sweep_values *values, struct status *status) {
    float_mode mode = float_mode_set(sweeper->part.flush_denormals);
    bool filled = fill_sides(sweeper, values, status);
    float_mode_restore(mode);
    return filled;
}

/* True if the region lies at this side of the rank. */
static bool touches(const struct field_layout *layout, struct region region, enum side side) {
    switch (side) {
    case SIDE_WEST:
        return region.x0 == 0;
    case SIDE_EAST:
        return region.x1 == layout->nx;
    case SIDE_SOUTH:
        return region.y0 == 0;
    default:
        return region.y1 == layout->ny;
    }
}

void sides_refresh(const struct sweeper *sweeper, const struct field *iterate,
                   struct region region) {
    const struct field_layout *layout = &iterate->layout;
    if (region_points(region) == 0)
        return;
    float_mode mode = float_mode_set(sweeper->part.flush_denormals);
    for (enum side side = SIDE_WEST; side < SIDE_COUNT; side++) {
        const double *mirror = sweeper->mirror[side];
        if (!mirror || !touches(layout, region, side))
            continue;
        bool rows = axis_along(side) == AXIS_X;
        local_index first = rows ? region.x0 : region.y0, last = rows ? region.x1 : region.y1;
        struct walk walk = walk_of(layout, side);
        double *ghost = field_row(iterate, 0) + walk.ghost;
        int depth = side_depth(layout, side);
        for (local_index k = first; k < last; k++)
            ghost[k * walk.along] = ghost[k * walk.along + 2 * walk.inward] + mirror[k + depth];
    }
    float_mode_restore(mode);
}
