/* Folded rows in vectors. Compiled once for each instruction set, with VECTOR_BYTES and
 * FOLDED_FUNCTIONS (the table's name) given on the command line. A vector shorter than a line takes
 * a part of the lanes, and every part of a row is swept by itself. */
#include "folded.h"
#include "vectors.h"
#include <stddef.h>

/* Rows first..first+rows-1, in one part of the lanes. All loads at a place come before the stores
 * there, and the southern row is kept, because results take its place. */
INLINE void sweep_part(const struct form form, const struct weights *w,
                       const struct folded_span *span, const int rows, int first, int part) {
    const double *source[SPAN_BLOCK];
    double *row[SPAN_BLOCK + 2];
    vector west[SPAN_BLOCK], here[SPAN_BLOCK], east[SPAN_BLOCK], south = splat(0);
    const double *kept[2] = {span->kept[0], span->kept[1]}, *request = span->request;
    const int64_t end = span->lines * SPAN_LINE;
    for (int r = 0; r < rows + 2; r++)
        row[r] = span->row[first + r] + part * LANES;
    for (int r = 0; r < rows; r++) {
        source[r] = form.source == SOURCE_VARIES ? span->source[first + r] + part * LANES : NULL;
        west[r] = load(row[r + 1] - 2 * SPAN_LINE);
        here[r] = load(row[r + 1] - SPAN_LINE);
    }
    if (form.shape != SHAPE_LINE)
        south = load(row[0] - SPAN_LINE);
#pragma GCC unroll 2
    for (int64_t x = 0; x < end; x += SPAN_LINE) {
        vector north = splat(0), south_east = splat(0);
        if (form.shape != SHAPE_LINE) {
            north = load(row[rows + 1] + x - SPAN_LINE);
            south_east = load(row[0] + x);
        }
        for (int r = 0; r < rows; r++)
            east[r] = load(row[r + 1] + x);
        for (int r = 0; r < rows; r++) {
            struct points p = {.here = here[r],
                               .west = west[r],
                               .east = east[r],
                               .south = r == 0 ? south : here[r - 1],
                               .north = r == rows - 1 ? north : here[r + 1]};
            if (form.source == SOURCE_VARIES)
                p.source = load(source[r] + x);
            store(row[r] + x, swept(form, w, p), false);
        }
        for (int r = 0; r < rows; r++) {
            west[r] = here[r];
            here[r] = east[r];
        }
        south = south_east;
        __builtin_prefetch(kept[0] + x);
        __builtin_prefetch(kept[1] + x);
        __builtin_prefetch(request, 0, 2);
        request += span->request_step;
    }
}

INLINE void sweep_rows(const void *argument, const struct form form) {
    const struct folded_span *span = argument;
    const struct weights w = weights_of(span->stencil);
    int row = 0;
    for (; form.shape != SHAPE_LINE && row + SPAN_BLOCK <= span->rows; row += SPAN_BLOCK)
        for (int part = 0; part < SPAN_LINE / LANES; part++)
            sweep_part(form, &w, span, SPAN_BLOCK, row, part);
    for (; row < span->rows; row++)
        for (int part = 0; part < SPAN_LINE / LANES; part++)
            sweep_part(form, &w, span, 1, row, part);
}

static void sweep(const struct folded_span *span) {
    with_form(span->stencil, span->source[0] != NULL, sweep_rows, span);
}

/* Line `to` gets the values one lane below those of line `from`, and in its first lane `first`. */
INLINE void shift_line(const double *from, double *to, double first) {
    vector low = splat(first);
    for (int lane = 0; lane < SPAN_LINE; lane += LANES) {
        vector high = load(from + lane);
        store(to + lane, shift_west(low, high), false);
        low = high;
    }
}

INLINE void link_row(double *row, int64_t lines, double *end) {
    double *before = row - FOLDED_BEFORE * SPAN_LINE;
    const double *last = before + lines * SPAN_LINE;
    for (int i = 0; i < FOLDED_BEFORE; i++) {
        double value = last[i * SPAN_LINE + SPAN_LINE - 1];
        shift_line(last + i * SPAN_LINE, before + i * SPAN_LINE, end[i]);
        end[i] = value;
    }
}

static void link_rows(double *const *rows, int count, int64_t lines, double *end) {
    for (int r = 0; r < count; r++)
        link_row(rows[r], lines, end + FOLDED_BEFORE * r);
}

/* Exchanges the lanes of two vectors whose number has the bit `step` set in the first and not in
 * the second. */
INLINE void exchange_lanes(vector *a, vector *b, const int step) {
    const vector first = *a, second = *b;
#if VECTOR_BYTES == 64
    if (step == 4) {
        *a = __builtin_shufflevector(first, second, 0, 1, 2, 3, 8, 9, 10, 11);
        *b = __builtin_shufflevector(first, second, 4, 5, 6, 7, 12, 13, 14, 15);
    } else if (step == 2) {
        *a = __builtin_shufflevector(first, second, 0, 1, 8, 9, 4, 5, 12, 13);
        *b = __builtin_shufflevector(first, second, 2, 3, 10, 11, 6, 7, 14, 15);
    } else {
        *a = __builtin_shufflevector(first, second, 0, 8, 2, 10, 4, 12, 6, 14);
        *b = __builtin_shufflevector(first, second, 1, 9, 3, 11, 5, 13, 7, 15);
    }
#elif VECTOR_BYTES == 32
    if (step == 2) {
        *a = __builtin_shufflevector(first, second, 0, 1, 4, 5);
        *b = __builtin_shufflevector(first, second, 2, 3, 6, 7);
    } else {
        *a = __builtin_shufflevector(first, second, 0, 4, 2, 6);
        *b = __builtin_shufflevector(first, second, 1, 5, 3, 7);
    }
#else
    (void)step;
    *a = __builtin_shufflevector(first, second, 0, 2);
    *b = __builtin_shufflevector(first, second, 1, 3);
#endif
}

/* Rows of a square of values become its columns. */
INLINE void transpose(vector square[LANES]) {
#pragma GCC unroll 4
    for (int step = LANES / 2; step > 0; step /= 2)
#pragma GCC unroll 8
        for (int i = 0; i < LANES; i++)
            if ((i & step) == 0)
                exchange_lanes(&square[i], &square[i + step], step);
}

/* A vector anywhere. */
typedef double loose_vector
    __attribute__((vector_size(VECTOR_BYTES), may_alias, aligned(sizeof(double))));

INLINE bool holds(struct folded_range range, int64_t first) {
    return first >= range.begin && first + LANES <= range.end;
}

/* A vector of points from place `first` on, with zeros outside the range. */
INLINE vector load_points(const double *points, struct folded_range range, int64_t first) {
    vector values = splat(0);
    if (holds(range, first))
        return *(const loose_vector *)(points + first);
    for (int i = 0; i < LANES; i++)
        if (first + i >= range.begin && first + i < range.end)
            values[i] = points[first + i];
    return values;
}

INLINE void store_points(double *points, struct folded_range range, int64_t first, vector values,
                         bool streaming) {
    if (holds(range, first)) {
        store(points + first, values, streaming);
        return;
    }
    for (int i = 0; i < LANES; i++)
        if (first + i >= range.begin && first + i < range.end)
            points[first + i] = values[i];
}

static void fold(const double *points, struct folded_range range, double *row, int64_t lines,
                 int64_t before) {
    for (int64_t line = -before; line < lines; line += LANES)
        for (int lane = 0; lane < SPAN_LINE; lane += LANES) {
            vector square[LANES];
            for (int i = 0; i < LANES; i++)
                square[i] = load_points(points, range, (lane + i) * lines + line);
            transpose(square);
            for (int i = 0; i < LANES; i++)
                store(row + (line + i) * SPAN_LINE + lane, square[i], false);
        }
}

static void unfold(const double *row, double *points, struct folded_range range, int64_t lines,
                   bool streaming) {
    for (int64_t line = 0; line < lines; line += LANES)
        for (int lane = 0; lane < SPAN_LINE; lane += LANES) {
            vector square[LANES];
            for (int i = 0; i < LANES; i++)
                square[i] = load(row + (line + i) * SPAN_LINE + lane);
            transpose(square);
            for (int i = 0; i < LANES; i++)
                store_points(points, range, (lane + i) * lines + line, square[i], streaming);
        }
}

const struct folded_functions FOLDED_FUNCTIONS = {sweep, link_rows, fold, unfold};
