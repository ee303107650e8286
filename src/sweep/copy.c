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

static void copy_row(double *to, const double *from, int64_t count) {
    int64_t whole = count & -SPAN_LINE;
    for (int64_t i = 0; i < whole; i += SPAN_LINE)
        copy_line(to + i, from + i);
    for (int64_t i = whole; i < count; i++)
        to[i] = from[i];
}

/* Boxes begin on cache lines. */
static void copy_box(const struct sweeper *sweeper, int number, void *argument) {
    (void)argument;
    struct region in = sweeper->box[number].interior;
    const struct field *from = sweeper_current(sweeper);
    const struct field *to = &sweeper->iterate[(sweeper->current + 1) % sweeper->iterates];
    for (local_index y = in.y0; y < in.y1; y++)
        copy_row(field_row(to, y) + in.x0, field_row(from, y) + in.x0, in.x1 - in.x0);
    streaming_fence();
}

void sweeper_copy(struct sweeper *sweeper) {
    boxes_each(sweeper, copy_box, NULL);
}
