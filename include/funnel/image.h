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
    double low, high;  /* over the samples that are finite; NaN if none is */
    int64_t odd;       /* samples that are NaN or Inf */
    double aspect;     /* width over height of the domain; 0 for a line */
};

/* Samples the field down to at most max_width x max_height, keeping the shape of the domain.
 * COLLECTIVE. Fails on all ranks alike (EXIT_CODE_ENVIRONMENT, no memory). */
bool picture_take(struct picture *picture, struct team *team, const struct grid *grid,
                  const struct field *field, const global_index begin[AXIS_COUNT], int max_width,
                  int max_height, struct status *status);
void picture_free(struct picture *picture);

/* Draws axes, colour bar and title into a PNG (a curve for a line). NaN and Inf have a colour of
 * their own and are counted in the legend. The same picture gives the same bytes, whatever fonts
 * the machine has. "-" is standard output. Rank 0. EXIT_CODE_FILES. */
bool picture_write_png(const struct picture *picture, const struct grid *grid, const char *title,
                       const char *path, struct status *status);

/* Draws a small picture in characters for a terminal, with a legend. Rank 0. */
void picture_sketch(const struct picture *picture, FILE *out);

/* The steps of picture_take, without a team: a plan of the samples ... */
void picture_plan(struct picture *picture, const struct grid *grid, int max_width, int max_height);
/* ... the bits of those that a rank owns, 0 for the others (`words` of width*height) ... */
void picture_sample(const struct picture *picture, const struct grid *grid,
                    const struct field *field, const global_index begin[AXIS_COUNT],
                    uint64_t *words);
/* ... and the picture from the bits of all ranks, joined by or. False without memory. */
bool picture_fill(struct picture *picture, const uint64_t *words);

/* Index of the grid point that sample `sample` of `samples` along an axis of `points` shows. */
global_index picture_index(global_index points, int samples, int sample);

#endif
