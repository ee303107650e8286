/* Set-up of one box by its thread: the first touch, which decides where its pages lie, then start
 * values and source. */
#include "sweeper.h"
#include <string.h>

/* The box with everything nearest to it: halo rows, and rows to the ends of their pitch. */
static struct region nearest_memory(const struct field_layout *layout, struct region box) {
    int64_t before = layout->origin - layout->depth_y * layout->pitch;
    struct region all = box;
    if (box.x0 == 0)
        all.x0 = -before;
    if (box.x1 == layout->nx)
        all.x1 = layout->pitch - before;
    if (box.y0 == 0)
        all.y0 = -layout->depth_y;
    if (box.y1 == layout->ny)
        all.y1 = layout->ny + layout->depth_y;
    return all;
}

static void touch(const struct field *field, struct region region) {
    size_t bytes = (size_t)(region.x1 - region.x0) * sizeof(double);
    for (local_index y = region.y0; y < region.y1; y++)
        memset(field_row(field, y) + region.x0, 0, bytes);
}

void box_touch(const struct sweeper *sweeper, int number, void *argument) {
    (void)argument;
    struct region box = sweeper->box[number].interior;
    if (region_points(box) == 0)
        return;
    struct region region = nearest_memory(&sweeper->part.layout, box);
    for (int i = 0; i < sweeper->iterates; i++)
        touch(&sweeper->iterate[i], region);
    if (sweeper->source.values)
        touch(&sweeper->source, region);
}

/* Writes an expression's values to a region of a field, a tile of columns after the other. */
static bool fill_region(const struct sweeper *sweeper, const struct field *field,
                        struct region region, const char *text, struct status *status) {
    const global_index *begin = sweeper->part.begin;
    struct evaluator evaluator;
    if (!evaluator_open(&evaluator, text, status))
        return false;
    for (local_index x = region.x0; x < region.x1; x += TILE_POINTS) {
        int64_t count = region.x1 - x < TILE_POINTS ? region.x1 - x : TILE_POINTS;
        evaluator_columns(&evaluator, &sweeper->grid, begin[AXIS_X] + x, count);
        for (local_index y = region.y0; y < region.y1; y++)
            evaluator_row(&evaluator, &sweeper->grid, begin[AXIS_Y] + y, field_row(field, y) + x);
    }
    evaluator_close(&evaluator);
    return true;
}

void box_fill(const struct sweeper *sweeper, int number, void *argument) {
    const struct fill *fill = argument;
    struct thread_box *box = &sweeper->box[number];
    struct status *status = &fill->status[number];
    struct region interior = box->interior;
    if (region_points(interior) == 0)
        return;
    fill_region(sweeper, &sweeper->iterate[sweeper->current], interior, fill->values->initial,
                status);
    if (sweeper->source.values) {
        /* deeper halos are swept too, so they need their source */
        struct region wide = box_extended(&sweeper->part, interior, sweeper->part.layout.depth - 1);
        fill_region(sweeper, &sweeper->source, wide, fill->values->source, status);
    }
    evaluator_open(&box->exact, fill->values->exact, status);
}
