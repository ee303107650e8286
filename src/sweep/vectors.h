/* Vectors of the widest kind of one instruction set, and the sweep's expression in them. For
 * sources that are compiled once for each, with VECTOR_BYTES given on the command line. Private to
 * the room.
 */
#ifndef FUNNEL_SWEEP_VECTORS_H
#define FUNNEL_SWEEP_VECTORS_H

#include "funnel/equation.h"
#include <stdbool.h>
#if defined(__x86_64__)
#    include <immintrin.h>
#endif

enum { LANES = VECTOR_BYTES / 8 };

typedef double vector __attribute__((vector_size(VECTOR_BYTES), may_alias));

/* The compiler makes one loop for each form of the sweep, since all calls pass constants. */
#define INLINE static inline __attribute__((always_inline))

enum shape { SHAPE_LINE, SHAPE_ISOTROPIC, SHAPE_ANISOTROPIC };
enum source { SOURCE_NONE, SOURCE_CONSTANT, SOURCE_VARIES };

struct form {
    enum shape shape;
    enum source source;
    bool relaxed; /* omega is not 1 */
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

INLINE struct weights weights_of(const struct stencil *stencil) {
    return (struct weights){.cx = splat(stencil->cx),
                            .cy = splat(stencil->cy),
                            .cf = splat(stencil->cf),
                            .omega = splat(stencil->omega),
                            .cf_source = splat(stencil->cf * stencil->source)};
}

INLINE vector load(const double *from) {
    return *(const vector *)from;
}

/* A store, past the caches if that is asked for and the processor can. */
INLINE void store(double *to, vector values, const bool streaming) {
#if defined(__x86_64__) && VECTOR_BYTES == 64
    if (streaming) {
        _mm512_stream_pd(to, values);
        return;
    }
#elif defined(__x86_64__) && VECTOR_BYTES == 32
    if (streaming) {
        _mm256_stream_pd(to, values);
        return;
    }
#elif defined(__x86_64__)
    if (streaming) {
        _mm_stream_pd(to, values);
        return;
    }
#else
    (void)streaming;
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

/* The sweep's expression; the only place where it stands for vectors. */
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

/* Work that is the same for every form of the sweep; `form` is known when it is compiled. */
typedef void form_work(const void *argument, const struct form form);

INLINE void with_shape(const struct stencil *stencil, const enum shape shape,
                       const enum source source, form_work *work, const void *argument) {
    if (stencil->omega == 1.0)
        work(argument, (struct form){shape, source, false});
    else
        work(argument, (struct form){shape, source, true});
}

INLINE void with_source(const struct stencil *stencil, const enum source source, form_work *work,
                        const void *argument) {
    if (stencil->dimensions == 1)
        with_shape(stencil, SHAPE_LINE, source, work, argument);
    else if (stencil->isotropic)
        with_shape(stencil, SHAPE_ISOTROPIC, source, work, argument);
    else
        with_shape(stencil, SHAPE_ANISOTROPIC, source, work, argument);
}

/* Does the work in the form of the stencil's sweep. */
INLINE void with_form(const struct stencil *stencil, bool source_varies, form_work *work,
                      const void *argument) {
    if (!stencil->has_source)
        with_source(stencil, SOURCE_NONE, work, argument);
    else if (source_varies)
        with_source(stencil, SOURCE_VARIES, work, argument);
    else
        with_source(stencil, SOURCE_CONSTANT, work, argument);
}

#endif
