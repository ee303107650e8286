/* A copy of the field past the caches, by the threads that sweep it: what the roofline of a run is
 * measured with, on the memory that the run itself used. */
#include "span.h"
#include "sweeper.h"
#if defined(__x86_64__)
#    include <emmintrin.h>
#endif

/* Copies a cache line that is aligned. */
static inline void copy_line(double *to, const double *from) {
#if defined(__x86_64__)
    for (int i = 0; i < SPAN_LINE; i += 2)
        _mm_stream_pd(to + i, _mm_load_pd(from + i));
#else
    for (int i = 0; i < SPAN_LINE; i++)
        to[i] = from[i];
#endif
}

/* Rows side by side, as kernels sweep them: one row after the other keeps fewer of the processor's
 * streams busy and would make memory look slower than it is. */
static void copy_rows(double *to, const double *from, int64_t pitch, int64_t rows, int64_t count) {
    int64_t whole = count & -SPAN_LINE;
    for (int64_t x = 0; x < whole; x += SPAN_LINE)
        for (int64_t y = 0; y < rows; y++)
            copy_line(to + y * pitch + x, from + y * pitch + x);
    for (int64_t y = 0; y < rows; y++)
        for (int64_t x = whole; x < count; x++)
            to[y * pitch + x] = from[y * pitch + x];
}

/* Boxes begin on cache lines. */
static void copy_box(const struct sweeper *sweeper, int number, void *argument) {
    (void)argument;
    struct region in = sweeper->box[number].interior;
    const struct field *from = sweeper_current(sweeper);
    const struct field *to = &sweeper->iterate[(sweeper->current + 1) % sweeper->iterates];
    for (local_index y = in.y0; y < in.y1; y += SPAN_BLOCK)
        copy_rows(field_row(to, y) + in.x0, field_row(from, y) + in.x0, from->layout.pitch,
                  in.y1 - y < SPAN_BLOCK ? in.y1 - y : SPAN_BLOCK, in.x1 - in.x0);
    streaming_fence();
}

void sweeper_copy(struct sweeper *sweeper) {
    boxes_each(sweeper, copy_box, NULL);
}
