/* How ranks share the grid. Pure arithmetic, no MPI. Room: domain. */
#ifndef FUNNEL_PROCESS_GRID_H
#define FUNNEL_PROCESS_GRID_H

#include "funnel/grid.h"

enum decomposition {
    DECOMPOSITION_AUTO, /* the process grid with the fewest halo points */
    DECOMPOSITION_1D_X, /* all ranks side by side along x */
    DECOMPOSITION_1D_Y, /* all ranks along y: strips of whole rows */
    DECOMPOSITION_2D,   /* the fewest halo points among grids with more than one rank both ways */
    DECOMPOSITION_GIVEN /* PXxPY */
};

/* What was asked for. `count` is read for DECOMPOSITION_GIVEN only. */
struct process_grid_wish {
    enum decomposition decomposition;
    int count[AXIS_COUNT];
};

struct process_grid {
    int count[AXIS_COUNT]; /* PX, PY */
    bool periodic[AXIS_COUNT];
    int node_block[AXIS_COUNT]; /* ranks of one node form such a block of the process grid */
};

/* A run of unknowns along one axis. */
struct extent {
    global_index begin, count;
};

/* Part `part` of `points` split into `parts`: sizes differ by one at most, the larger first. */
struct extent extent_of(global_index points, int parts, int part);

/* Reads "auto", "1d-x", "1d-y", "2d" or "4x2"; false if it is none of them. */
bool process_grid_wish_read(struct process_grid_wish *wish, const char *text);

/* Halo points that all ranks together receive at depth 1 with a process grid of PX x PY. */
global_index process_grid_halo_points(const struct grid *grid, const int count[AXIS_COUNT]);

/* Chooses the process grid for `ranks` ranks: `auto` takes the factorisation with the fewest halo
 * points, ties splitting y. `ranks_per_node` (0 if unknown or uneven) places ranks of a node
 * together. Fails (EXIT_CODE_USAGE) if the wish does not multiply to `ranks`, or if some rank would
 * be left without a point; the text then names the nearest usable rank counts below and above. */
bool process_grid_choose(struct process_grid *process_grid, const struct grid *grid, int ranks,
                         const struct process_grid_wish *wish, int ranks_per_node,
                         struct status *status);

/* Coordinates of a rank in the process grid. */
void process_grid_coordinates(const struct process_grid *process_grid, int rank,
                              int coordinates[AXIS_COUNT]);

/* Rank at coordinates; periodic axes wrap, elsewhere outside gives -1. */
int process_grid_rank(const struct process_grid *process_grid, const int coordinates[AXIS_COUNT]);

#endif
