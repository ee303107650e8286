/* Rows of a tile in folded order, and the work on them that is compiled once for each instruction
 * set. Private to the room.
 *
 * A folded row of n lines (of SPAN_LINE places) holds place l*n + j of the tile in lane l of line
 * j. The neighbours in x of a whole line are then the lines beside it, and nothing moves between
 * lanes (dimension-lifted transposition: Henretty et al., Data layout transformation for stencil
 * computations on short-vector SIMD architectures, CC 2011). Two lines before a row hold the
 * neighbours of its first two. A pointer to a row is to its line 0, on a cache line. */
#ifndef FUNNEL_SWEEP_FOLDED_H
#define FUNNEL_SWEEP_FOLDED_H

#include "span.h"

enum {
    FOLDED_BEFORE = 2, /* lines before a row */
    FOLDED_UNIT = 8    /* rows have a multiple of as many lines */
};

/* One sweep of a few rows: those between the first and the last row given. Results take the place
 * of the rows from the first on, and place i of a result lies one point west of place i of what it
 * is computed from, so that a tile needs nothing from east of it. */
struct folded_span {
    const struct stencil *stencil;
    int rows;
    int64_t lines;
    double *row[SPAN_ROWS_MAX + 2];
    const double *source[SPAN_ROWS_MAX]; /* the first is NULL unless the source varies */
    /* what will be needed soon: folded rows, and points in memory, of which every line that is
       swept asks for `request_step` */
    double *const *kept;
    const double *request;
    int64_t request_step;
};

/* Places begin..end-1. */
struct folded_range {
    int64_t begin, end;
};

struct folded_functions {
    void (*sweep)(const struct folded_span *span);

    /* Fills in the lines before rows. `end` holds the FOLDED_BEFORE values west of each, and
     * afterwards its own last. */
    void (*link)(double *const *rows, int count, int64_t lines, double *end);

    /* A row in folded order from points, of which the first is place 0, and back; fold makes
     * `before` lines before the row too, a multiple of FOLDED_UNIT. Only points in the range are
     * read (the others count as 0) or written. Place 0 that is written is on a cache line. */
    void (*fold)(const double *points, struct folded_range range, double *row, int64_t lines,
                 int64_t before);
    void (*unfold)(const double *row, double *points, struct folded_range range, int64_t lines,
                   bool streaming);
};

extern const struct folded_functions folded_baseline, folded_avx2, folded_avx512;

#endif
