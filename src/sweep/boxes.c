/* Work handed to the threads, each on its own box, in the problem's floating-point mode. Boxes have
 * owners, so that memory stays with the thread that touched it first; should the runtime give fewer
 * threads than it once did, the ones there are take over the rest. */
#include "denormals.h"
#include "sweeper.h"
#include <omp.h>

void boxes_each(const struct sweeper *sweeper, box_work *work, void *argument) {
#pragma omp parallel num_threads(sweeper->threads)
    {
        float_mode mode = float_mode_set(sweeper->part.flush_denormals);
        for (int box = omp_get_thread_num(); box < sweeper->threads; box += omp_get_num_threads())
            work(sweeper, box, argument);
        float_mode_restore(mode);
    }
}

struct region box_extended(const struct sweep_part *part, struct region box, local_index points) {
    const struct field_layout *layout = &part->layout;
    struct region wide = box;
    if (region_points(box) == 0)
        return box;
    if (box.x0 == 0 && !part->physical[SIDE_WEST])
        wide.x0 -= points;
    if (box.x1 == layout->nx && !part->physical[SIDE_EAST])
        wide.x1 += points;
    if (layout->dimensions == 1)
        return wide;
    if (box.y0 == 0 && !part->physical[SIDE_SOUTH])
        wide.y0 -= points;
    if (box.y1 == layout->ny && !part->physical[SIDE_NORTH])
        wide.y1 += points;
    return wide;
}
