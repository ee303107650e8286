/* Which rank holds which part: every factorisation is looked at, the one with the fewest halo
 * points wins, and ranks of a node are kept together as a block of the process grid. */
#include "funnel/process_grid.h"
#include <stdio.h>
#include <string.h>

struct extent extent_of(global_index points, int parts, int part) {
    global_index size = points / parts, larger = points % parts;
    return (struct extent){.begin = part * size + (part < larger ? part : larger),
                           .count = size + (part < larger)};
}

bool process_grid_wish_read(struct process_grid_wish *wish, const char *text) {
    static const char *const names[] = {"auto", "1d-x", "1d-y", "2d"};
    *wish = (struct process_grid_wish){DECOMPOSITION_AUTO, {0, 0}};
    for (int kind = 0; kind < 4; kind++)
        if (strcmp(text, names[kind]) == 0) {
            wish->decomposition = (enum decomposition)kind;
            return true;
        }
    int end = 0;
    wish->decomposition = DECOMPOSITION_GIVEN;
    return strspn(text, "0123456789x") == strlen(text) &&
           sscanf(text, "%6dx%6d%n", &wish->count[AXIS_X], &wish->count[AXIS_Y], &end) == 2 &&
           text[end] == '\0' && wish->count[AXIS_X] > 0 && wish->count[AXIS_Y] > 0;
}

/* How many times an axis is cut: a periodic axis is cut at the seam as well, if at all. */
static global_index cuts(const struct grid *grid, enum axis axis, int parts) {
    if (parts == 1)
        return 0;
    return grid_periodic(grid, axis) ? parts : parts - 1;
}

global_index process_grid_halo_points(const struct grid *grid, const int count[AXIS_COUNT]) {
    return 2 * (cuts(grid, AXIS_X, count[AXIS_X]) * grid->points[AXIS_Y] +
                cuts(grid, AXIS_Y, count[AXIS_Y]) * grid->points[AXIS_X]);
}

static bool allowed(const struct grid *grid, const struct process_grid_wish *wish, int px, int py) {
    if (px > grid->points[AXIS_X] || py > grid->points[AXIS_Y])
        return false;
    switch (wish->decomposition) {
    case DECOMPOSITION_AUTO:
        return true;
    case DECOMPOSITION_1D_X:
        return py == 1;
    case DECOMPOSITION_1D_Y:
        return px == 1;
    case DECOMPOSITION_2D:
        return px > 1 && py > 1;
    case DECOMPOSITION_GIVEN:
        return px == wish->count[AXIS_X] && py == wish->count[AXIS_Y];
    }
    return false;
}

/* The best factorisation so far; halo_points is -1 before the first. */
struct choice {
    int count[AXIS_COUNT];
    global_index halo_points;
};

/* Takes px x py if it is allowed and better; of two equally good ones that which splits y more. */
static void consider(const struct grid *grid, const struct process_grid_wish *wish, int px, int py,
                     struct choice *best) {
    if (!allowed(grid, wish, px, py))
        return;
    struct choice here = {.count = {px, py}};
    here.halo_points = process_grid_halo_points(grid, here.count);
    if (best->halo_points < 0 || here.halo_points < best->halo_points ||
        (here.halo_points == best->halo_points && px < best->count[AXIS_X]))
        *best = here;
}

/* The best allowed factorisation, or false if there is none. Divisors are found in pairs, since a
 * refusal looks at many rank counts for advice. */
static bool best_factors(const struct grid *grid, const struct process_grid_wish *wish, int ranks,
                         int count[AXIS_COUNT]) {
    struct choice best = {.halo_points = -1};
    for (int divisor = 1; divisor <= ranks / divisor; divisor++) {
        if (ranks % divisor != 0)
            continue;
        consider(grid, wish, divisor, ranks / divisor, &best);
        consider(grid, wish, ranks / divisor, divisor, &best);
    }
    memcpy(count, best.count, sizeof best.count);
    return best.halo_points >= 0;
}

/* The nearest rank count below (step -1) or above (step 1) that would do, 0 if none is near. */
static int usable_ranks(const struct grid *grid, const struct process_grid_wish *wish, int ranks,
                        int step) {
    enum { LOOK_AT_MOST = 100000 };
    int factors[AXIS_COUNT];
    global_index most = grid_points(grid);
    int first = step < 0 && most < ranks ? (int)most : ranks + step;
    for (int tried = 0, count = first; tried < LOOK_AT_MOST && count >= 1 && count <= most;
         tried++, count += step)
        if (best_factors(grid, wish, count, factors))
            return count;
    return 0;
}

static void refuse(const struct grid *grid, int ranks, const struct process_grid_wish *wish,
                   struct status *status) {
    if (wish->decomposition == DECOMPOSITION_GIVEN &&
        (int64_t)wish->count[AXIS_X] * wish->count[AXIS_Y] != ranks) {
        status_fail(status, EXIT_CODE_USAGE,
                    "parallel.process_grid: %dx%d needs %" PRId64 " ranks, there are %d",
                    wish->count[AXIS_X], wish->count[AXIS_Y],
                    (int64_t)wish->count[AXIS_X] * wish->count[AXIS_Y], ranks);
        return;
    }
    char advice[96] = "use another process grid";
    int below = usable_ranks(grid, wish, ranks, -1), above = usable_ranks(grid, wish, ranks, 1);
    if (wish->decomposition != DECOMPOSITION_GIVEN && below > 0 && above > 0)
        snprintf(advice, sizeof advice, "the nearest usable rank counts are %d and %d", below,
                 above);
    else if (wish->decomposition != DECOMPOSITION_GIVEN && below + above > 0)
        snprintf(advice, sizeof advice, "the nearest usable rank count is %d", below + above);
    status_fail(status, EXIT_CODE_USAGE,
                "parallel.process_grid: %d ranks cannot share %" PRI_INDEX " x %" PRI_INDEX
                " points so that each has one; %s",
                ranks, grid->points[AXIS_X], grid->points[AXIS_Y], advice);
}

/* The block of a node that needs the fewest halo points between nodes, if whole blocks fill the
 * grid. */
static void choose_node_block(struct process_grid *process_grid, const struct grid *grid,
                              int ranks_per_node) {
    const int *count = process_grid->count;
    global_index least = -1;
    process_grid->node_block[AXIS_X] = count[AXIS_X];
    process_grid->node_block[AXIS_Y] = 1;
    for (int bx = 1; bx <= ranks_per_node; bx++) {
        int by = ranks_per_node / bx;
        if (ranks_per_node % bx != 0 || count[AXIS_X] % bx != 0 || count[AXIS_Y] % by != 0)
            continue;
        int nodes[AXIS_COUNT] = {count[AXIS_X] / bx, count[AXIS_Y] / by};
        global_index points = process_grid_halo_points(grid, nodes);
        if (least < 0 || points < least) {
            least = points;
            process_grid->node_block[AXIS_X] = bx;
            process_grid->node_block[AXIS_Y] = by;
        }
    }
}

bool process_grid_choose(struct process_grid *process_grid, const struct grid *grid, int ranks,
                         const struct process_grid_wish *wish, int ranks_per_node,
                         struct status *status) {
    *process_grid = (struct process_grid){
        .periodic = {grid_periodic(grid, AXIS_X), grid_periodic(grid, AXIS_Y)}};
    if (!best_factors(grid, wish, ranks, process_grid->count)) {
        refuse(grid, ranks, wish, status);
        return false;
    }
    choose_node_block(process_grid, grid, ranks_per_node);
    return true;
}

void process_grid_coordinates(const struct process_grid *process_grid, int rank,
                              int coordinates[AXIS_COUNT]) {
    const int *block = process_grid->node_block;
    int blocks_x = process_grid->count[AXIS_X] / block[AXIS_X];
    int node = rank / (block[AXIS_X] * block[AXIS_Y]);
    int within = rank % (block[AXIS_X] * block[AXIS_Y]);
    coordinates[AXIS_X] = node % blocks_x * block[AXIS_X] + within % block[AXIS_X];
    coordinates[AXIS_Y] = node / blocks_x * block[AXIS_Y] + within / block[AXIS_X];
}

int process_grid_rank(const struct process_grid *process_grid, const int coordinates[AXIS_COUNT]) {
    int at[AXIS_COUNT];
    for (int axis = 0; axis < AXIS_COUNT; axis++) {
        int count = process_grid->count[axis];
        at[axis] = coordinates[axis];
        if (process_grid->periodic[axis])
            at[axis] = (at[axis] % count + count) % count;
        if (at[axis] < 0 || at[axis] >= count)
            return -1;
    }
    const int *block = process_grid->node_block;
    int blocks_x = process_grid->count[AXIS_X] / block[AXIS_X];
    int node = at[AXIS_Y] / block[AXIS_Y] * blocks_x + at[AXIS_X] / block[AXIS_X];
    int within = at[AXIS_Y] % block[AXIS_Y] * block[AXIS_X] + at[AXIS_X] % block[AXIS_X];
    return node * block[AXIS_X] * block[AXIS_Y] + within;
}
