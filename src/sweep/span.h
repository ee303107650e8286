/* A span: a few neighbouring rows of one sweep, the innermost work of every vectorised kernel. It
 * is compiled once for each instruction set; what is around it is compiled once. Private to the
 * room. */
#ifndef FUNNEL_SWEEP_SPAN_H
#define FUNNEL_SWEEP_SPAN_H

#include "funnel/sweep.h"

enum {
    SPAN_ROWS = 4, /* rows that share their loads */
    SPAN_LINE = 8  /* doubles in a cache line and in the longest vector */
};

/* Rows are pointers to the point x = 0, on a cache line; x0..x1-1 is computed, and whole vectors
 * on both sides of it may be read. Where x0 and x1 are multiples of SPAN_LINE, out[i] may be in[i],
 * or on a line in[i + 1]. */
struct span {
    const struct stencil *stencil;
    const double *in[SPAN_ROWS + 2]; /* the row south of the span, its own rows, the row north */
    double *out[SPAN_ROWS];
    const double *source[SPAN_ROWS]; /* only if the source varies */
    int rows;                        /* 1 or SPAN_ROWS */
    local_index x0, x1;
    bool streaming; /* stores go past the caches; streaming_fence must follow */
    bool prefetch;  /* rows come from memory: run ahead of the loads and stores */
};

typedef void span_function(const struct span *span);

/* Orders the streaming stores of this thread before its later stores. */
static inline void streaming_fence(void) {
#if defined(__x86_64__)
    __builtin_ia32_sfence();
#endif
}

#endif
