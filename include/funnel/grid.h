/* The grid of unknowns on a line or a rectangle. Room: domain.
 *
 * Vertex-centred; x runs fastest in memory. The outermost unknown lies one spacing inside a side
 * with a given value (Dirichlet), on a side with a given flux (Neumann), and across the seam of a
 * periodic pair the last is one spacing from the first. So h = L/(n+1) with two Dirichlet sides,
 * L/n with one or a periodic pair, L/(n-1) with none. West is x = 0, south is y = 0. */
#ifndef FUNNEL_GRID_H
#define FUNNEL_GRID_H

#include "funnel/index.h"
#include "funnel/status.h"

enum axis { AXIS_X, AXIS_Y, AXIS_COUNT };
enum side { SIDE_WEST, SIDE_EAST, SIDE_SOUTH, SIDE_NORTH, SIDE_COUNT };
enum side_kind { SIDE_DIRICHLET, SIDE_NEUMANN, SIDE_PERIODIC };

/* Names as written in a config file: "west", "dirichlet", ... */
extern const char *const side_names[SIDE_COUNT];
extern const char *const side_kind_names[3];

struct grid {
    int dimensions;                  /* 1: a line, points[AXIS_Y] is 1; 2: a rectangle */
    global_index points[AXIS_COUNT]; /* number of unknowns along each axis */
    double length[AXIS_COUNT];
    double spacing[AXIS_COUNT];      /* hx, hy; hy is 1 for a line */
    double first[AXIS_COUNT];        /* coordinate of unknown 0 */
    enum side_kind kind[SIDE_COUNT]; /* a line has two Neumann y sides that nobody looks at */
};

/* The two sides of an axis: low (west, south) and high (east, north). */
enum side axis_low_side(enum axis axis);
enum side axis_high_side(enum axis axis);

/* Makes a grid from sizes, lengths and the kinds of its sides. Fails (EXIT_CODE_USAGE) if one of a
 * periodic pair stands alone, two Neumann sides have one point, a size or length is not positive,
 * or there are more than 2^54 unknowns. */
bool grid_make(struct grid *grid, int dimensions, const global_index points[AXIS_COUNT],
               const double length[AXIS_COUNT], const enum side_kind kind[SIDE_COUNT],
               struct status *status);

/* Coordinate of unknown i of an axis; -1 and n give the place of the ghost. One expression for all
 * ranks, so that every layout sees the same bits. */
double grid_coordinate(const struct grid *grid, enum axis axis, global_index i);

/* Coordinate of the side itself: 0 or the length. */
double grid_side_coordinate(const struct grid *grid, enum side side);

/* Number of unknowns. */
global_index grid_points(const struct grid *grid);

/* Trapezoid weight of unknown i of an axis: 1/2 on a Neumann side, else 1. The weight m of a point
 * is the product over its axes; with it the operator is symmetric. */
double grid_weight(const struct grid *grid, enum axis axis, global_index i);

/* True where both sides of an axis are periodic. */
bool grid_periodic(const struct grid *grid, enum axis axis);

#endif
