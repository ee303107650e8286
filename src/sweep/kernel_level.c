/* The levels of a tile by themselves, over and over: what the kernel that is blocked in time can
 * reach at best. Nothing is read from the field or written to it meanwhile, and no level is linked
 * to another. One level stays where it is; several take turns with the rows that a tile keeps for
 * each, so that what those cost beyond the first-level cache is seen. */
#include "walk.h"
#include <stdlib.h>
#include <string.h>

/* Rows of u, one beyond the box on each side of a plane, and of the source, all folded. */
struct level {
    struct folded_span span;
    int count;                            /* of levels */
    double *kept[TEMPORAL_SWEEPS_MAX][2]; /* where there are several; of the first, rows of u */
    double *memory;
};

/* Lines from a row to the next; odd, so that rows spread over the sets of a cache. */
static int64_t row_lines(int64_t lines) {
    return (FOLDED_UNIT + lines) | 1;
}

static int beyond_rows(const struct kernel_box *box) {
    return box->stencil->dimensions == 2 ? 1 : 0;
}

/* Place 0 of a row is the point east of the first of the box: results lie one point west. Returns
 * where the next row would be. */
static double *fold_rows(struct level *level, const struct kernel_box *box,
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
    return next;
}

/* Copies of the first two rows, the lines before them included. */
static void copy_kept(struct level *level, double *next) {
    const int64_t stride = row_lines(level->span.lines) * SPAN_LINE;
    for (int l = 0; level->count > 1 && l < level->count; l++)
        for (int i = 0; i < 2; i++) {
            level->kept[l][i] = l == 0 ? level->span.row[i] : next;
            if (l == 0)
                continue;
            memcpy(next - FOLDED_UNIT * SPAN_LINE, level->span.row[i] - FOLDED_UNIT * SPAN_LINE,
                   (size_t)(FOLDED_UNIT + level->span.lines) * SPAN_LINE * sizeof(double));
            next += stride;
        }
}

static bool level_begin(struct level *level, const struct kernel_box *box,
                        const struct folded_functions *folded) {
    const struct region *region = &box->box;
    level->span = (struct folded_span){.stencil = box->stencil,
                                       .rows = (int)(region->y1 - region->y0),
                                       .lines = divide_up(region->x1 - region->x0, TEMPORAL_UNIT) *
                                                FOLDED_UNIT};
    const int64_t rows = level->span.rows * (box->source ? 2 : 1) + 2 * beyond_rows(box) +
                         2 * ((int64_t)level->count - 1);
    const int64_t lines = rows * row_lines(level->span.lines);
    level->memory =
        aligned_alloc(SPAN_LINE * sizeof(double), (size_t)(lines * SPAN_LINE) * sizeof(double));
    if (!level->memory)
        return false;
    copy_kept(level, fold_rows(level, box, folded));
    level->span.kept = level->span.row;
    level->span.request = level->span.row[0];
    return true;
}

/* Sweep number `number`, for which rows are put in order as in a tile if levels take turns. */
static void level_sweep(struct level *level, int64_t number,
                        const struct folded_functions *folded) {
    const int64_t turn = number % level->count;
    struct folded_span *span = &level->span;
    if (level->count > 1) {
        take_kept(span->row, level->kept[turn]);
        span->kept = level->kept[(turn + 1) % level->count];
    }
    folded->sweep(span);
    if (level->count > 1)
        keep_rows(span->row, level->kept[turn], span->rows);
}

static void level_end(struct level *level, const struct kernel_box *box,
                      const struct folded_functions *folded) {
    const struct region *region = &box->box;
    double *const *row = level->span.row + (level->count > 1 ? 2 : 0);
    for (int r = 0; r < level->span.rows; r++)
        folded->unfold(row[r], box->u_new + (region->y0 + r) * box->pitch + region->x0,
                       (struct folded_range){0, region->x1 - region->x0}, level->span.lines, false);
    free(level->memory);
}

bool kernel_level(const struct kernel_box *box, int64_t times, int levels,
                  const struct folded_functions *folded) {
    struct level level = {.count = levels};
    if (!level_begin(&level, box, folded))
        return false;
    for (int64_t i = 0; i < times; i++)
        level_sweep(&level, i, folded);
    level_end(&level, box, folded);
    return true;
}
