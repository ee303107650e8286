/* How a thread's box is cut into tiles, and how large these are. Private to the room. */
#ifndef FUNNEL_SWEEP_TILE_PLAN_H
#define FUNNEL_SWEEP_TILE_PLAN_H

#include "funnel/sweep.h"

/* A cut of a region into tiles, side by side. Inner edges in x lie on cache lines. */
struct tile_cut {
    struct region region;
    int64_t along_x, along_y;
    int64_t lowest, highest; /* rows of tiles that become lower towards the north, else 0 */
};

/* The whole region as one tile, or as several for threads to share. */
struct tile_cut tile_cut_whole(struct region region);
struct tile_cut tile_cut_pieces(struct region region, int pieces);

/* Tiles for passes of so many sweeps: the whole region or at most `pieces` of it, high enough that
 * what they compute twice does not count, but more where one would be too high. */
struct tile_cut tile_cut_strips(struct region region, int pieces, int sweeps);

/* A narrow region in at most `pieces` that are at least `length` long. */
struct tile_cut tile_cut_rim(struct region region, int pieces, int64_t length);

int64_t tile_count(const struct tile_cut *cut);
struct region tile_region(const struct tile_cut *cut, int64_t number);

/* Sizes that this machine reports where the given ones are 0. */
struct sweep_caches caches_known(struct sweep_caches caches);

/* The tile with defaults filled in, so that what a step works on stays in the first-level cache. */
struct kernel_tile tile_known(struct kernel_tile tile, const struct sweep_part *part,
                              const struct tiling *tiling);

/* Sweeps that one pass of a kernel with tiles advances at most, and rows that its tiles have. */
int temporal_sweeps(const struct sweep_part *part);
int64_t temporal_height(const struct sweep_part *part);

#endif
