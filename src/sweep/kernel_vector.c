/* The sweep in vectors, four rows at a time: a loaded row serves three rows of results, and six
 * streams keep the hardware's prefetching busy. Neighbours in x come from shifts between registers
 * that are needed anyway, so every load is aligned. Compiled once for each instruction set, with
 * VECTOR_BYTES and VECTOR_KERNEL (the function's name) given on the command line. */
#include "kernels.h"
#include <stddef.h>

enum {
    LANES = VECTOR_BYTES / 8,
    BLOCK = 4,
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
INLINE void sweep_points(const struct form form, const struct weights *w,
                         const struct kernel_box *box, local_index y, local_index x0,
                         local_index x1) {
    int64_t row = y * box->pitch;
    for (int64_t i = row + x0; i < row + x1; i++) {
        struct points p = {
            .here = splat(box->u[i]), .west = splat(box->u[i - 1]), .east = splat(box->u[i + 1])};
        if (form.shape != SHAPE_LINE) {
            p.south = splat(box->u[i - box->pitch]);
            p.north = splat(box->u[i + box->pitch]);
        }
        if (form.source == SOURCE_VARIES)
            p.source = splat(box->source[i]);
        box->u_new[i] = swept(form, w, p)[0];
    }
}

/* Whole vectors x0..x1-1 of `rows` rows from y on; x0 and x1 are multiples of LANES. */
INLINE void sweep_vectors(const struct form form, const struct weights *w,
                          const struct kernel_box *box, local_index y, const int rows,
                          local_index x0, local_index x1) {
    const int64_t pitch = box->pitch;
    const double *u = box->u + y * pitch;
    const double *source = form.source == SOURCE_VARIES ? box->source + y * pitch : NULL;
    double *u_new = box->u_new + y * pitch;
    vector before[BLOCK], here[BLOCK], after[BLOCK];
    for (int r = 0; r < rows; r++) {
        before[r] = load(u + r * pitch + x0 - LANES);
        here[r] = load(u + r * pitch + x0);
    }
    for (local_index x = x0; x < x1; x += LANES) {
        vector south = splat(0), north = splat(0);
        if (form.shape != SHAPE_LINE) {
            south = load(u - pitch + x);
            north = load(u + rows * pitch + x);
        }
        for (int r = 0; r < rows; r++) {
            after[r] = load(u + r * pitch + x + LANES);
            __builtin_prefetch(u + r * pitch + x + AHEAD);
            __builtin_prefetch(u_new + r * pitch + x + AHEAD, 1);
        }
        for (int r = 0; r < rows; r++) {
            struct points p = {.here = here[r],
                               .west = shift_west(before[r], here[r]),
                               .east = shift_east(here[r], after[r]),
                               .south = r == 0 ? south : here[r - 1],
                               .north = r == rows - 1 ? north : here[r + 1]};
            if (form.source == SOURCE_VARIES)
                p.source = load(source + r * pitch + x);
            store(u_new + r * pitch + x, swept(form, w, p));
        }
        for (int r = 0; r < rows; r++) {
            before[r] = here[r];
            here[r] = after[r];
        }
    }
}

/* `rows` rows from y on: single points up to an aligned place, vectors, single points. */
INLINE void sweep_rows(const struct form form, const struct weights *w,
                       const struct kernel_box *box, local_index y, const int rows) {
    local_index x0 = box->box.x0, x1 = box->box.x1;
    local_index first = (x0 + LANES - 1) & -LANES, last = x1 & -LANES;
    if (first > last)
        first = last = x1;
    if (first < last)
        sweep_vectors(form, w, box, y, rows, first, last);
    for (int r = 0; r < rows; r++) {
        sweep_points(form, w, box, y + r, x0, first);
        sweep_points(form, w, box, y + r, last, x1);
    }
}

INLINE void sweep_form(const struct kernel_box *box, const struct form form) {
    const struct stencil *stencil = box->stencil;
    const struct weights w = {.cx = splat(stencil->cx),
                              .cy = splat(stencil->cy),
                              .cf = splat(stencil->cf),
                              .omega = splat(stencil->omega),
                              .cf_source = splat(stencil->cf * stencil->source)};
    local_index y = box->box.y0;
    for (; form.shape != SHAPE_LINE && y + BLOCK <= box->box.y1; y += BLOCK)
        sweep_rows(form, &w, box, y, BLOCK);
    for (; y < box->box.y1; y++)
        sweep_rows(form, &w, box, y, 1);
}

INLINE void sweep_shape_source(const struct kernel_box *box, const enum shape shape,
                               const enum source source) {
    if (box->stencil->omega == 1.0)
        sweep_form(box, (struct form){shape, source, false});
    else
        sweep_form(box, (struct form){shape, source, true});
}

INLINE void sweep_shape(const struct kernel_box *box, const enum shape shape) {
    if (!box->stencil->has_source)
        sweep_shape_source(box, shape, SOURCE_NONE);
    else if (box->source == NULL)
        sweep_shape_source(box, shape, SOURCE_CONSTANT);
    else
        sweep_shape_source(box, shape, SOURCE_VARIES);
}

void VECTOR_KERNEL(const struct kernel_box *box);

void VECTOR_KERNEL(const struct kernel_box *box) {
    if (box->stencil->dimensions == 1)
        sweep_shape(box, SHAPE_LINE);
    else if (box->stencil->isotropic)
        sweep_shape(box, SHAPE_ISOTROPIC);
    else
        sweep_shape(box, SHAPE_ANISOTROPIC);
}
