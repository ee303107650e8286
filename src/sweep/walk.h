/* What walks over a tile share, whichever way each cuts it in x: how far each level reaches in y,
 * and the rows that change their place from level to level. Private to the room. */
#ifndef FUNNEL_SWEEP_WALK_H
#define FUNNEL_SWEEP_WALK_H

#include "kernels.h"

/* The rows that a level computes: those of the box, and one more on each side for every level that
 * follows. */
static inline struct region level_rows(const struct temporal_tile *tile, int level) {
    struct region region = tile->box.box;
    local_index beyond = tile->sweeps - level;
    if (tile->box.stencil->dimensions == 2) {
        region.y0 = larger(region.y0 - beyond, tile->domain.y0);
        region.y1 = smaller(region.y1 + beyond, tile->domain.y1);
    }
    return region;
}

/* Puts the two rows kept from the step before in front of those that a level has just made. */
static inline void take_kept(double **row, double *const *kept) {
    for (int i = 0; i < 2; i++)
        row[i] = kept[i];
}

/* After the next level the last two rows of this one are kept, and the rest have been overwritten.
 */
static inline void keep_rows(double **row, double **kept, int rows) {
    for (int i = 0; i < 2; i++)
        kept[i] = row[rows + i];
    for (int i = rows - 1; i >= 0; i--)
        row[i + 2] = row[i];
}

#endif
