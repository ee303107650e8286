/* Where the points of one rank lie in memory. Room: domain.
 *
 * Interior nx x ny plus a halo of `depth` points on every side (a line has none in y). The first
 * interior point of each row is 64-byte aligned, the pitch is a multiple of 64 bytes and none of
 * 4096 bytes, and a whole vector before and after every row may be read. */
#ifndef FUNNEL_FIELD_H
#define FUNNEL_FIELD_H

#include "funnel/index.h"
#include <stddef.h>

struct field_layout {
    int dimensions;
    local_index nx, ny; /* interior points */
    int depth;          /* halo depth in x */
    int depth_y;        /* the same in 2-D, 0 on a line */
    int64_t pitch;      /* doubles from a row to the next */
    int64_t origin;     /* doubles from the start of the memory to point (0, 0) */
    size_t bytes;       /* of one iterate */
};

/* A half-open box of local indices; may reach into the halo. */
struct region {
    local_index x0, x1, y0, y1;
};

/* An iterate or coefficient: `values` is the start of memory of layout.bytes bytes. */
struct field {
    struct field_layout layout;
    double *values;
};

/* The layout of a part of nx x ny points. */
struct field_layout field_layout_make(int dimensions, local_index nx, local_index ny, int depth);

/* Address of point (0, j); x runs from there, -depth..nx+depth-1. */
static inline double *field_row(const struct field *field, local_index j) {
    return field->values + field->layout.origin + j * field->layout.pitch;
}

/* Number of points of a region, 0 if it is empty. */
int64_t region_points(struct region region);

#endif
