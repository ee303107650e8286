/* One sweep over a box in spans of many rows. */
#include "kernels.h"
#include <stddef.h>

/* Fills in the rows of a span from y on. */
static void put_rows(struct span *span, const struct kernel_box *box, local_index y) {
    int64_t row = y * box->pitch;
    bool plane = box->stencil->dimensions == 2;
    for (int i = 0; i < span->rows + 2; i++)
        span->in[i] = plane || i == 1 ? box->u + row + (i - 1) * box->pitch : NULL;
    for (int i = 0; i < span->rows; i++) {
        span->out[i] = box->u_new + row + i * box->pitch;
        span->source[i] = box->source ? box->source + row + i * box->pitch : NULL;
    }
}

static void sweep_box(const struct kernel_box *box, span_function *sweep, bool streaming) {
    struct span span = {
        .stencil = box->stencil, .x0 = box->box.x0, .x1 = box->box.x1, .streaming = streaming};
    for (local_index y = box->box.y0; y < box->box.y1; y += span.rows) {
        local_index left = box->box.y1 - y;
        span.rows = left < SPAN_ROWS_MAX ? (int)left : SPAN_ROWS_MAX;
        put_rows(&span, box, y);
        sweep(&span);
    }
}

void kernel_vector(const struct kernel_box *box, span_function *sweep) {
    sweep_box(box, sweep, false);
}

void kernel_streaming(const struct kernel_box *box, span_function *sweep) {
    sweep_box(box, sweep, true);
    streaming_fence();
}
