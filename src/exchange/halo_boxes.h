/* Which points a message of an exchange carries: pure arithmetic on local indices. Private to
 * src/exchange. */
#ifndef FUNNEL_HALO_BOXES_H
#define FUNNEL_HALO_BOXES_H

#include "funnel/field.h"
#include <stdbool.h>

/* The direction in which a message travels, each part -1, 0 or 1: (1, 0) carries the easternmost
 * points of the sender into the western halo of the receiver. */
struct travel {
    int x, y;
};

enum { TRAVELS_X_THEN_Y = 4, TRAVELS_AT_ONCE = 8 };

/* Two stages: the x pair, then the y pair over the full width. On a line the first two. */
extern const struct travel travels_x_then_y[TRAVELS_X_THEN_Y];
/* All eight neighbours at once: sides, then corners. On a line the first two. */
extern const struct travel travels_at_once[TRAVELS_AT_ONCE];

/* Where x begins and ends in a message that travels along y. */
struct width {
    local_index begin, end;
};

/* The points that the sender reads and the receiver writes. */
struct region travel_send_box(const struct field_layout *layout, struct travel travel,
                              struct width width);
struct region travel_receive_box(const struct field_layout *layout, struct travel travel,
                                 struct width width);

/* Doubles from the start of memory to the first point of a box. */
int64_t box_offset(const struct field_layout *layout, struct region box);

/* Number of points of a box as MPI counts them; false beyond 2^31-1. */
bool box_count(struct region box, int *count);

#endif
