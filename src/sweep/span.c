/* The sweep in vectors, four rows at a time: a loaded row serves three rows of results, and six
 * streams keep the hardware's prefetching busy. Neighbours in x come from shifts between registers
 * that are needed anyway, so every load is aligned. Compiled once for each instruction set, with
 * VECTOR_BYTES and SPAN_FUNCTION (the function's name) given on the command line. */
#include "span.h"
#include "vectors.h"
#include <stddef.h>

enum { AHEAD = 64 /* points that a prefetch runs ahead of the loads and stores */ };

/* What is asked for ahead of time, and where stores go; as in struct span. */
enum traffic { TRAFFIC_CACHED, TRAFFIC_RESIDENT, TRAFFIC_STREAMING };

/* A few rows of a span, in variables that no store can change. */
struct block {
    const double *in[SPAN_BLOCK + 2];
    double *out[SPAN_BLOCK];
    const double *source[SPAN_BLOCK];
};

INLINE struct block block_at(const struct form form, const struct span *span, int first,
                             const int rows) {
    struct block block;
    for (int r = 0; r < rows + 2; r++)
        block.in[r] = span->in[first + r];
    for (int r = 0; r < rows; r++) {
        block.out[r] = span->out[first + r];
        block.source[r] = form.source == SOURCE_VARIES ? span->source[first + r] : NULL;
    }
    return block;
}

/* Points x0..x1-1 of one row, one by one: what is left beside whole vectors. */
INLINE void sweep_points(const struct form form, const struct weights *w, const struct block *block,
                         int row, local_index x0, local_index x1) {
    const double *u = block->in[row + 1];
    for (local_index x = x0; x < x1; x++) {
        struct points p = {.here = splat(u[x]), .west = splat(u[x - 1]), .east = splat(u[x + 1])};
        if (form.shape != SHAPE_LINE) {
            p.south = splat(block->in[row][x]);
            p.north = splat(block->in[row + 2][x]);
        }
        if (form.source == SOURCE_VARIES)
            p.source = splat(block->source[row][x]);
        block->out[row][x] = swept(form, w, p)[0];
    }
}

/* Asks for what the next vectors of a block will need. */
INLINE void prefetch_block(const enum traffic traffic, const struct block *block, const int rows,
                           local_index x) {
    for (int r = 0; traffic != TRAFFIC_RESIDENT && r < rows; r++) {
        __builtin_prefetch(block->in[r + 1] + x);
        if (traffic == TRAFFIC_CACHED)
            __builtin_prefetch(block->out[r] + x, 1);
    }
}

/* Whole vectors x0..x1-1 of `rows` rows; x0 and x1 are multiples of LANES. */
INLINE void sweep_vectors(const struct form form, const enum traffic traffic,
                          const struct weights *w, const struct block *block, const int rows,
                          local_index x0, local_index x1) {
    vector before[SPAN_BLOCK], here[SPAN_BLOCK], after[SPAN_BLOCK], source[SPAN_BLOCK];
    for (int r = 0; r < rows; r++) {
        before[r] = load(block->in[r + 1] + x0 - LANES);
        here[r] = load(block->in[r + 1] + x0);
    }
    for (local_index x = x0; x < x1; x += LANES) {
        vector south = splat(0), north = splat(0);
        if (form.shape != SHAPE_LINE) {
            south = load(block->in[0] + x);
            north = load(block->in[rows + 1] + x);
        }
        for (int r = 0; r < rows; r++) {
            after[r] = load(block->in[r + 1] + x + LANES);
            if (form.source == SOURCE_VARIES)
                source[r] = load(block->source[r] + x);
        }
        prefetch_block(traffic, block, rows, x + AHEAD);
        for (int r = 0; r < rows; r++) {
            struct points p = {.here = here[r],
                               .west = shift_west(before[r], here[r]),
                               .east = shift_east(here[r], after[r]),
                               .south = r == 0 ? south : here[r - 1],
                               .north = r == rows - 1 ? north : here[r + 1]};
            if (form.source == SOURCE_VARIES)
                p.source = source[r];
            store(block->out[r] + x, swept(form, w, p), traffic == TRAFFIC_STREAMING);
        }
        for (int r = 0; r < rows; r++) {
            before[r] = here[r];
            here[r] = after[r];
        }
    }
}

/* Rows from `first` on: single points up to an aligned place, vectors, single points. */
INLINE void sweep_block(const struct form form, const enum traffic traffic, const struct weights *w,
                        const struct span *span, int first, const int rows) {
    const struct block block = block_at(form, span, first, rows);
    local_index begin = (span->x0 + LANES - 1) & -LANES, end = span->x1 & -LANES;
    if (begin > end)
        begin = end = span->x1;
    if (begin < end)
        sweep_vectors(form, traffic, w, &block, rows, begin, end);
    for (int r = 0; r < rows; r++) {
        sweep_points(form, w, &block, r, span->x0, begin);
        sweep_points(form, w, &block, r, end, span->x1);
    }
}

INLINE void sweep_rows(const struct span *span, const struct form form,
                       const enum traffic traffic) {
    const struct weights w = weights_of(span->stencil);
    int row = 0;
    for (; form.shape != SHAPE_LINE && row + SPAN_BLOCK <= span->rows; row += SPAN_BLOCK)
        sweep_block(form, traffic, &w, span, row, SPAN_BLOCK);
    for (; row < span->rows; row++)
        sweep_block(form, traffic, &w, span, row, 1);
}

INLINE void sweep_form(const void *argument, const struct form form) {
    const struct span *span = argument;
    if (span->streaming)
        sweep_rows(span, form, TRAFFIC_STREAMING);
    else if (span->resident)
        sweep_rows(span, form, TRAFFIC_RESIDENT);
    else
        sweep_rows(span, form, TRAFFIC_CACHED);
}

span_function SPAN_FUNCTION;

void SPAN_FUNCTION(const struct span *span) {
    with_form(span->stencil, span->source[0] != NULL, sweep_form, span);
}
