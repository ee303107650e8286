/* One sweep over a box by spans: blocks of four rows, what is left over row by row. */
#include "kernels.h"
#include <stddef.h>

/* The span of `rows` rows from y on. */
static struct span span_at(const struct kernel_box *box, local_index y, int rows) {
    int64_t row = y * box->pitch;
    struct span span = {.stencil = box->stencil,
                        .in = {NULL},
                        .rows = rows,
                        .x0 = box->box.x0,
                        .x1 = box->box.x1,
                        .prefetch = true};
    for (int i = 0; i < rows; i++) {
        span.in[i + 1] = box->u + row + i * box->pitch;
        span.out[i] = box->u_new + row + i * box->pitch;
        span.source[i] = box->source ? box->source + row + i * box->pitch : NULL;
    }
    if (box->stencil->dimensions == 2) {
        span.in[0] = box->u + row - box->pitch;
        span.in[rows + 1] = box->u + row + rows * box->pitch;
    }
    return span;
}

static void sweep_box(const struct kernel_box *box, span_function *sweep, bool streaming) {
    local_index y = box->box.y0;
    while (y < box->box.y1) {
        int rows = box->box.y1 - y >= SPAN_ROWS ? SPAN_ROWS : 1;
        struct span span = span_at(box, y, rows);
        span.streaming = streaming;
        sweep(&span);
        y += rows;
    }
}

void kernel_vector(const struct kernel_box *box, span_function *sweep) {
    sweep_box(box, sweep, false);
}

void kernel_streaming(const struct kernel_box *box, span_function *sweep) {
    sweep_box(box, sweep, true);
    streaming_fence();
}
