/* Values of an expression along the rows of a tile. Private to the room. */
#ifndef FUNNEL_SWEEP_EVALUATOR_H
#define FUNNEL_SWEEP_EVALUATOR_H

#include "funnel/expression.h"
#include "funnel/grid.h"

/* Points of the longest piece of a row that is worked on at once: what a pass keeps beside the
 * field lies in the first cache. */
enum { TILE_POINTS = 1024 };

/* A constant, or an expression with the x coordinates of the current tile. One thread's own. */
struct evaluator {
    struct expression *expression; /* NULL: the constant `value` */
    double value;
    double x[TILE_POINTS];
    int64_t count;
};

/* Compiles `text`; NULL and "" mean 0. False with status set if it is not valid. */
bool evaluator_open(struct evaluator *evaluator, const char *text, struct status *status);
void evaluator_close(struct evaluator *evaluator);

/* Sets the tile: `count` <= TILE_POINTS points from global index `begin` on. */
void evaluator_columns(struct evaluator *evaluator, const struct grid *grid, global_index begin,
                       int64_t count);

/* Writes the tile's values on row `j` to `out`. */
void evaluator_row(struct evaluator *evaluator, const struct grid *grid, global_index j,
                   double *out);

/* The value at one point. */
double evaluator_at(struct evaluator *evaluator, double x, double y);

/* Coordinate of unknown i; beyond the seam of a periodic axis that of the unknown it stands for. */
double wrapped_coordinate(const struct grid *grid, enum axis axis, global_index i);

#endif
