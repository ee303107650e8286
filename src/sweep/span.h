/* A span: a few neighbouring rows of one sweep, the innermost work of every vectorised kernel. It
 * is compiled once for each instruction set; what is around it is compiled once. Private to the
 * room. */
#ifndef FUNNEL_SWEEP_SPAN_H
#define FUNNEL_SWEEP_SPAN_H

#include "funnel/sweep.h"

enum {
    SPAN_BLOCK = 4,     /* rows that share their loads; whole blocks are fastest */
    SPAN_ROWS_MAX = 32, /* of a span */
    SPAN_LINE = 8       /* doubles in a cache line and in the longest vector */
};

/* Rows are pointers to the point x = 0, on a cache line; x0..x1-1 is computed, and whole vectors
 * on both sides of it may be read. Where x0 and x1 are multiples of SPAN_LINE, out[i] may be in[i],
 * or in[i + 1] if there is one row. */
struct span {
    const struct stencil *stencil;
    int rows;
    const double *in[SPAN_ROWS_MAX + 2]; /* the row south of the span, its own, the row north */
    double *out[SPAN_ROWS_MAX];
    const double *source[SPAN_ROWS_MAX]; /* the first is NULL unless the source varies */
    local_index x0, x1;
    bool resident;  /* rows lie in the first-level cache: nothing is asked for ahead of time */
    bool streaming; /* stores go past the caches; streaming_fence must follow */
};

typedef void span_function(const struct span *span);

/* Orders the streaming stores of this thread before its later stores. */
static inline void streaming_fence(void) {
#if defined(__x86_64__)
    __builtin_ia32_sfence();
#endif
}

#endif
