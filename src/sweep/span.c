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
    bool relaxed; /* omega is not 1 */
    bool streaming;
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

INLINE void store(double *to, vector values) {
    *(vector *)to = values;
}

/* A store past the caches where the processor has one. */
INLINE void store_streaming(double *to, vector values) {
#if !defined(__x86_64__)
    store(to, values);
#elif VECTOR_BYTES == 64
    _mm512_stream_pd(to, values);
#elif VECTOR_BYTES == 32
    _mm256_stream_pd(to, values);
#else
    _mm_stream_pd(to, values);
#endif
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

/* Points x0..x1-1 of one row, one by one: what is left beside whole vectors. */
INLINE void sweep_points(const struct form form, const struct weights *w, const struct span *span,
                         int row, local_index x0, local_index x1) {
    const double *u = span->in[row + 1];
    for (local_index x = x0; x < x1; x++) {
        struct points p = {.here = splat(u[x]), .west = splat(u[x - 1]), .east = splat(u[x + 1])};
        if (form.shape != SHAPE_LINE) {
            p.south = splat(span->in[row][x]);
            p.north = splat(span->in[row + 2][x]);
        }
        if (form.source == SOURCE_VARIES)
            p.source = splat(span->source[row][x]);
        span->out[row][x] = swept(form, w, p)[0];
    }
}

/* Asks for what the next vectors of a span will need. */
INLINE void prefetch_rows(const struct form form, const struct span *span, const int rows,
                          local_index x) {
    for (int r = 0; r < rows; r++) {
        __builtin_prefetch(span->in[r + 1] + x);
        if (!form.streaming)
            __builtin_prefetch(span->out[r] + x, 1);
    }
}

/* Whole vectors x0..x1-1 of `rows` rows; x0 and x1 are multiples of LANES. */
INLINE void sweep_vectors(const struct form form, const struct weights *w, const struct span *span,
                          const int rows, const bool prefetch, local_index x0, local_index x1) {
    vector before[SPAN_ROWS], here[SPAN_ROWS], after[SPAN_ROWS], source[SPAN_ROWS];
    for (int r = 0; r < rows; r++) {
        before[r] = load(span->in[r + 1] + x0 - LANES);
        here[r] = load(span->in[r + 1] + x0);
    }
    for (local_index x = x0; x < x1; x += LANES) {
        vector south = splat(0), north = splat(0);
        if (form.shape != SHAPE_LINE) {
            south = load(span->in[0] + x);
            north = load(span->in[rows + 1] + x);
        }
        for (int r = 0; r < rows; r++) {
            after[r] = load(span->in[r + 1] + x + LANES);
            if (form.source == SOURCE_VARIES)
                source[r] = load(span->source[r] + x);
        }
        if (prefetch)
            prefetch_rows(form, span, rows, x + AHEAD);
        for (int r = 0; r < rows; r++) {
            struct points p = {.here = here[r],
                               .west = shift_west(before[r], here[r]),
                               .east = shift_east(here[r], after[r]),
                               .south = r == 0 ? south : here[r - 1],
                               .north = r == rows - 1 ? north : here[r + 1]};
            if (form.source == SOURCE_VARIES)
                p.source = source[r];
            vector value = swept(form, w, p);
            if (form.streaming)
                store_streaming(span->out[r] + x, value);
            else
                store(span->out[r] + x, value);
        }
        for (int r = 0; r < rows; r++) {
            before[r] = here[r];
            here[r] = after[r];
        }
    }
}

/* Single points up to an aligned place, vectors, single points. */
INLINE void sweep_rows(const struct form form, const struct weights *w, const struct span *memory,
                       const int rows) {
    const struct span span = *memory; /* a copy, which no store can change */
    local_index first = (span.x0 + LANES - 1) & -LANES, last = span.x1 & -LANES;
    if (first > last)
        first = last = span.x1;
    if (first < last && span.prefetch)
        sweep_vectors(form, w, &span, rows, true, first, last);
    else if (first < last)
        sweep_vectors(form, w, &span, rows, false, first, last);
    for (int r = 0; r < rows; r++) {
        sweep_points(form, w, &span, r, span.x0, first);
        sweep_points(form, w, &span, r, last, span.x1);
    }
}

INLINE void sweep_form(const struct span *span, const struct form form) {
    const struct stencil *stencil = span->stencil;
    const struct weights w = {.cx = splat(stencil->cx),
                              .cy = splat(stencil->cy),
                              .cf = splat(stencil->cf),
                              .omega = splat(stencil->omega),
                              .cf_source = splat(stencil->cf * stencil->source)};
    if (form.shape != SHAPE_LINE && span->rows == SPAN_ROWS)
        sweep_rows(form, &w, span, SPAN_ROWS);
    else
        sweep_rows(form, &w, span, 1);
}

INLINE void sweep_streaming(const struct span *span, struct form form) {
    if (span->streaming)
        sweep_form(span, (struct form){form.shape, form.source, form.relaxed, true});
    else
        sweep_form(span, (struct form){form.shape, form.source, form.relaxed, false});
}

INLINE void sweep_shape_source(const struct span *span, const enum shape shape,
                               const enum source source) {
    if (span->stencil->omega == 1.0)
        sweep_streaming(span, (struct form){shape, source, false, false});
    else
        sweep_streaming(span, (struct form){shape, source, true, false});
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
