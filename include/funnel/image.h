/* The field as a picture. Room: store (cairo). */
#ifndef FUNNEL_IMAGE_H
#define FUNNEL_IMAGE_H

#include "funnel/field.h"
#include "funnel/grid.h"
#include "funnel/team.h"
#include <stdio.h>

/* The field sampled at pixels; on rank 0 the whole, elsewhere nothing. The samples are points of
 * the grid, chosen by global index, so they are the same for every layout. A line has height 1. */
struct picture {
    int width, height; /* row 0 is the north */
    double *values;    /* width*height, row by row; owned */
    double low, high;  /* over the samples that are finite */
};

/* Samples the field down to at most max_width x max_height. COLLECTIVE. Fails on all ranks alike.
 */
bool picture_take(struct picture *picture, struct team *team, const struct grid *grid,
                  const struct field *field, const global_index begin[AXIS_COUNT], int max_width,
                  int max_height, struct status *status);
void picture_free(struct picture *picture);

/* Draws axes, colour bar and title into a PNG (a curve for a line). Rank 0. EXIT_CODE_FILES. */
bool picture_write_png(const struct picture *picture, const struct grid *grid, const char *title,
                       const char *path, struct status *status);

/* Draws a small picture in characters for a terminal. Rank 0. */
void picture_sketch(const struct picture *picture, FILE *out);

#endif
