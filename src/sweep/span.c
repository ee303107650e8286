/* The sweep in vectors, four rows at a time: a loaded row serves three rows of results, and six
 * streams keep the hardware's prefetching busy. Neighbours in x come from shifts between registers
 * that are needed anyway, so every load is aligned. Compiled once for each instruction set, with
 * VECTOR_BYTES and SPAN_FUNCTION (the function's name) given on the command line. */
#include "span.h"
#include <stddef.h>
#if defined(__x86_64__)
#    include <immintrin.h>
#endif

enum {
    LANES = VECTOR_BYTES / 8,
    AHEAD = 64 /* points that a prefetch runs ahead of the loads and stores */
};

typedef double vector __attribute__((vector_size(VECTOR_BYTES), may_alias));

/* The compiler makes one loop for each form of the sweep, since all calls pass constants. */
#define INLINE static inline __attribute__((always_inline))

enum shape { SHAPE_LINE, SHAPE_ISOTROPIC, SHAPE_ANISOTROPIC };
enum source { SOURCE_NONE, SOURCE_CONSTANT, SOURCE_VARIES };

struct form {
    enum shape shape;
    enum source source;
    bool relaxed;             /* omega is not 1 */
    bool streaming, prefetch; /* as in struct span */
};

/* The stencil's numbers, each in all lanes. */
struct weights {
    vector cx, cy, cf, omega;
    vector cf_source; /* cf*f of a constant source */
};

/* A point, its neighbours and its source, in each lane. */
struct points {
    vector here, west, east, south, north, source;
};

/* One value in all lanes; subtracting zero keeps even the sign of a zero. */
INLINE vector splat(double value) {
    return value - (vector){0};
}

INLINE vector load(const double *from) {
    return *(const vector *)from;
}

/* A store, past the caches if the form says so and the processor can. */
INLINE void store(const struct form form, double *to, vector values) {
#if defined(__x86_64__) && VECTOR_BYTES == 64
    if (form.streaming) {
        _mm512_stream_pd(to, values);
        return;
    }
#elif defined(__x86_64__) && VECTOR_BYTES == 32
    if (form.streaming) {
        _mm256_stream_pd(to, values);
        return;
    }
#elif defined(__x86_64__)
    if (form.streaming) {
        _mm_stream_pd(to, values);
        return;
    }
#endif
    *(vector *)to = values;
}

/* The last lane of `low`, then all but the last of `high`. */
INLINE vector shift_west(vector low, vector high) {
#if VECTOR_BYTES == 64
    return __builtin_shufflevector(low, high, 7, 8, 9, 10, 11, 12, 13, 14);
#elif VECTOR_BYTES == 32
    return __builtin_shufflevector(low, high, 3, 4, 5, 6);
#else
    return __builtin_shufflevector(low, high, 1, 2);
#endif
}

/* All but the first lane of `low`, then the first of `high`. */
INLINE vector shift_east(vector low, vector high) {
#if VECTOR_BYTES == 64
    return __builtin_shufflevector(low, high, 1, 2, 3, 4, 5, 6, 7, 8);
#elif VECTOR_BYTES == 32
    return __builtin_shufflevector(low, high, 1, 2, 3, 4);
#else
    return __builtin_shufflevector(low, high, 1, 2);
#endif
}

/* The sweep's expression; the only place of this file where it stands. */
INLINE vector swept(const struct form form, const struct weights *w, struct points p) {
    vector value;
    if (form.shape == SHAPE_LINE)
        value = w->cx * (p.west + p.east);
    else if (form.shape == SHAPE_ISOTROPIC)
        value = w->cx * ((p.north + p.south) + (p.west + p.east));
    else
        value = w->cy * (p.north + p.south) + w->cx * (p.west + p.east);
    if (form.source == SOURCE_CONSTANT)
        value = value + w->cf_source;
    else if (form.source == SOURCE_VARIES)
        value = value + w->cf * p.source;
    if (form.relaxed)
        value = p.here + w->omega * (value - p.here);
    return value;
}

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
INLINE void prefetch_block(const struct form form, const struct block *block, const int rows,
                           local_index x) {
    for (int r = 0; r < rows; r++) {
        __builtin_prefetch(block->in[r + 1] + x);
        if (!form.streaming)
            __builtin_prefetch(block->out[r] + x, 1);
    }
}

/* Whole vectors x0..x1-1 of `rows` rows; x0 and x1 are multiples of LANES. */
INLINE void sweep_vectors(const struct form form, const struct weights *w,
                          const struct block *block, const int rows, local_index x0,
                          local_index x1) {
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
        if (form.prefetch)
            prefetch_block(form, block, rows, x + AHEAD);
        for (int r = 0; r < rows; r++) {
            struct points p = {.here = here[r],
                               .west = shift_west(before[r], here[r]),
                               .east = shift_east(here[r], after[r]),
                               .south = r == 0 ? south : here[r - 1],
                               .north = r == rows - 1 ? north : here[r + 1]};
            if (form.source == SOURCE_VARIES)
                p.source = source[r];
            store(form, block->out[r] + x, swept(form, w, p));
        }
        for (int r = 0; r < rows; r++) {
            before[r] = here[r];
            here[r] = after[r];
        }
    }
}

/* Rows from `first` on: single points up to an aligned place, vectors, single points. */
INLINE void sweep_block(const struct form form, const struct weights *w, const struct span *span,
                        int first, const int rows) {
    const struct block block = block_at(form, span, first, rows);
    local_index begin = (span->x0 + LANES - 1) & -LANES, end = span->x1 & -LANES;
    if (begin > end)
        begin = end = span->x1;
    if (begin < end)
        sweep_vectors(form, w, &block, rows, begin, end);
    for (int r = 0; r < rows; r++) {
        sweep_points(form, w, &block, r, span->x0, begin);
        sweep_points(form, w, &block, r, end, span->x1);
    }
}

INLINE void sweep_form(const struct span *span, const struct form form) {
    const struct stencil *stencil = span->stencil;
    const struct weights w = {.cx = splat(stencil->cx),
                              .cy = splat(stencil->cy),
                              .cf = splat(stencil->cf),
                              .omega = splat(stencil->omega),
                              .cf_source = splat(stencil->cf * stencil->source)};
    int row = 0;
    for (; form.shape != SHAPE_LINE && row + SPAN_BLOCK <= span->rows; row += SPAN_BLOCK)
        sweep_block(form, &w, span, row, SPAN_BLOCK);
    for (; row < span->rows; row++)
        sweep_block(form, &w, span, row, 1);
}

/* Stores past the caches are only for memory, so that three ways of moving data remain. */
INLINE void sweep_traffic(const struct span *span, const struct form form) {
    if (span->streaming)
        sweep_form(span, (struct form){form.shape, form.source, form.relaxed, true, false});
    else if (span->prefetch)
        sweep_form(span, (struct form){form.shape, form.source, form.relaxed, false, true});
    else
        sweep_form(span, (struct form){form.shape, form.source, form.relaxed, false, false});
}
INLINE void sweep_shape_source(const struct span *span, const enum shape shape,
                               const enum source source) {
    if (span->stencil->omega == 1.0)
        sweep_traffic(span, (struct form){shape, source, false, false, false});
    else
        sweep_traffic(span, (struct form){shape, source, true, false, false});
}

INLINE void sweep_shape(const struct span *span, const enum shape shape) {
    if (!span->stencil->has_source)
        sweep_shape_source(span, shape, SOURCE_NONE);
    else if (span->source[0] == NULL)
        sweep_shape_source(span, shape, SOURCE_CONSTANT);
    else
        sweep_shape_source(span, shape, SOURCE_VARIES);
}

span_function SPAN_FUNCTION;

void SPAN_FUNCTION(const struct span *span) {
    if (span->stencil->dimensions == 1)
        sweep_shape(span, SHAPE_LINE);
    else if (span->stencil->isotropic)
        sweep_shape(span, SHAPE_ISOTROPIC);
    else
        sweep_shape(span, SHAPE_ANISOTROPIC);
}
