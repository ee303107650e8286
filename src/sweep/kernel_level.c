/* One level of a tile by itself, over and over on rows that stay where they are: what the kernel
 * that is blocked in time can reach at best. Nothing is read from the field or written to it
 * meanwhile, and no level is linked to another. */
#include "kernels.h"
#include <stdlib.h>

/* Rows of u, one beyond the box on each side of a plane, and of the source, all folded. */
struct level {
    struct folded_span span;
    double *memory;
};

static int64_t divide_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

/* Lines from a row to the next; odd, so that rows spread over the sets of a cache. */
static int64_t row_lines(int64_t lines) {
    return (FOLDED_UNIT + lines) | 1;
}

static int beyond_rows(const struct kernel_box *box) {
    return box->stencil->dimensions == 2 ? 1 : 0;
}

/* Place 0 of a row is the point east of the first of the box: results lie one point west. */
static void fold_rows(struct level *level, const struct kernel_box *box,
                      const struct folded_functions *folded) {
    const struct region *region = &box->box;
    const int64_t width = region->x1 - region->x0,
                  stride = row_lines(level->span.lines) * SPAN_LINE;
    const int beyond = beyond_rows(box), rows = level->span.rows;
    double *next = level->memory + FOLDED_UNIT * SPAN_LINE;
    for (int r = 0; r < rows + 2 * beyond; r++, next += stride) {
        const double *points = box->u + (region->y0 + r - beyond) * box->pitch + region->x0 + 1;
        level->span.row[r] = next;
        folded->fold(points, (struct folded_range){-2, width}, next, level->span.lines,
                     FOLDED_UNIT);
    }
    for (int r = 0; box->source && r < rows; r++, next += stride) {
        const double *points = box->source + (region->y0 + r) * box->pitch + region->x0;
        level->span.source[r] = next;
        folded->fold(points, (struct folded_range){0, width}, next, level->span.lines, FOLDED_UNIT);
    }
    for (int r = 1; beyond == 0 && r < 3; r++) /* a line has no neighbours but itself */
        level->span.row[r] = level->span.row[0];
}

static bool level_begin(struct level *level, const struct kernel_box *box,
                        const struct folded_functions *folded) {
    const struct region *region = &box->box;
    level->span = (struct folded_span){.stencil = box->stencil,
                                       .rows = (int)(region->y1 - region->y0),
                                       .lines = divide_up(region->x1 - region->x0, TEMPORAL_UNIT) *
                                                FOLDED_UNIT};
    const int64_t rows = level->span.rows * (box->source ? 2 : 1) + 2 * beyond_rows(box);
    const int64_t lines = rows * row_lines(level->span.lines);
    level->memory =
        aligned_alloc(SPAN_LINE * sizeof(double), (size_t)(lines * SPAN_LINE) * sizeof(double));
    if (!level->memory)
        return false;
    fold_rows(level, box, folded);
    level->span.kept = level->span.row;
    level->span.request = level->span.row[0];
    return true;
}

static void level_end(struct level *level, const struct kernel_box *box,
                      const struct folded_functions *folded) {
    const struct region *region = &box->box;
    for (int r = 0; r < level->span.rows; r++)
        folded->unfold(level->span.row[r], box->u_new + (region->y0 + r) * box->pitch + region->x0,
                       (struct folded_range){0, region->x1 - region->x0}, level->span.lines, false);
    free(level->memory);
}

bool kernel_level(const struct kernel_box *box, int64_t times,
                  const struct folded_functions *folded) {
    struct level level;
    if (!level_begin(&level, box, folded))
        return false;
    for (int64_t i = 0; i < times; i++)
        folded->sweep(&level.span);
    level_end(&level, box, folded);
    return true;
}
