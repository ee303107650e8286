/* Directions and boxes of an exchange. */
#include "halo_boxes.h"
#include <limits.h>

const struct travel travels_x_then_y[TRAVELS_X_THEN_Y] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};

const struct travel travels_at_once[TRAVELS_AT_ONCE] = {{-1, 0},  {1, 0},  {0, -1}, {0, 1},
                                                        {-1, -1}, {1, -1}, {-1, 1}, {1, 1}};

/* A run of indices along one axis of `points` points: the interior points next to the edge that the
 * message leaves by, or all of `across` where it does not travel along this axis. */
static struct width sent_run(int step, local_index points, int depth, struct width across) {
    if (step == 0)
        return across;
    return step < 0 ? (struct width){0, depth} : (struct width){points - depth, points};
}

/* The halo points next to the edge that the message comes in by. */
static struct width received_run(int step, local_index points, int depth, struct width across) {
    if (step == 0)
        return across;
    return step < 0 ? (struct width){points, points + depth} : (struct width){-depth, 0};
}

static struct region box_of(struct width x, struct width y) {
    return (struct region){.x0 = x.begin, .x1 = x.end, .y0 = y.begin, .y1 = y.end};
}

struct region travel_send_box(const struct field_layout *layout, struct travel travel,
                              struct width width) {
    struct width rows = {0, layout->ny};
    return box_of(sent_run(travel.x, layout->nx, layout->depth, width),
                  sent_run(travel.y, layout->ny, layout->depth_y, rows));
}

struct region travel_receive_box(const struct field_layout *layout, struct travel travel,
                                 struct width width) {
    struct width rows = {0, layout->ny};
    return box_of(received_run(travel.x, layout->nx, layout->depth, width),
                  received_run(travel.y, layout->ny, layout->depth_y, rows));
}

int64_t box_offset(const struct field_layout *layout, struct region box) {
    return layout->origin + box.y0 * layout->pitch + box.x0;
}

bool box_count(struct region box, int *count) {
    int64_t points = region_points(box);
    if (points > INT_MAX)
        return false;
    *count = (int)points;
    return true;
}
