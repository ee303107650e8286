/* The cut of a thread's box into tiles. Tiles overlap in what they read, so they are as wide as the
 * first-level cache allows and as high as the box. */
#include "tile_plan.h"
#include "kernels.h"
#include <unistd.h>

enum {
    PIECE_POINTS = 4096, /* a piece for threads to share has as many at least */
    DEFAULT_ROWS = 4,
    LEAST_SWEEPS = 24, /* rows of a tile for each sweep, at least where threads share tiles */
    HIGHEST_SWEEPS = 64
};

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t divide_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

struct tile_cut tile_cut_whole(struct region region) {
    return (struct tile_cut){region, 1, 1};
}

struct tile_cut tile_cut_pieces(struct region region, int pieces) {
    int64_t useful = smaller(pieces, divide_up(region_points(region), PIECE_POINTS));
    int64_t rows = region.y1 - region.y0, columns = (region.x1 - region.x0) / SPAN_LINE;
    struct tile_cut cut = tile_cut_whole(region);
    if (rows > 1)
        cut.along_y = larger(1, smaller(useful, rows / SPAN_BLOCK));
    else
        cut.along_x = larger(1, smaller(useful, columns));
    return cut;
}

/* Rows of the highest tile: what a column leaves to the next stays in the second-level cache. */
static int64_t highest(int sweeps) {
    return (int64_t)HIGHEST_SWEEPS * sweeps;
}

struct tile_cut tile_cut_strips(struct region region, int pieces, int sweeps) {
    struct tile_cut cut = tile_cut_whole(region);
    int64_t rows = region.y1 - region.y0, least = (int64_t)LEAST_SWEEPS * sweeps;
    if (rows == 1)
        cut.along_x = larger(1, smaller(pieces, (region.x1 - region.x0) / least));
    else
        cut.along_y =
            larger(larger(1, smaller(pieces, rows / least)), divide_up(rows, highest(sweeps)));
    return cut;
}

struct tile_cut tile_cut_rim(struct region region, int pieces, int64_t length) {
    struct tile_cut cut = tile_cut_whole(region);
    int64_t rows = region.y1 - region.y0, columns = region.x1 - region.x0;
    int64_t *along = columns > rows ? &cut.along_x : &cut.along_y;
    *along = larger(1, smaller(pieces, larger(rows, columns) / length));
    return cut;
}

int64_t tile_count(const struct tile_cut *cut) {
    return cut->along_x * cut->along_y;
}

/* Where part `part` of `parts` of the points begin..end-1 begins. */
static local_index part_begin(local_index begin, local_index end, int64_t parts, int64_t part) {
    int64_t count = end - begin;
    return begin + count / parts * part + smaller(part, count % parts);
}

static local_index column_begin(const struct tile_cut *cut, int64_t column) {
    const struct region *region = &cut->region;
    if (column == 0 || column == cut->along_x)
        return column == 0 ? region->x0 : region->x1;
    local_index place = part_begin(region->x0, region->x1, cut->along_x, column) & -SPAN_LINE;
    return larger(place, region->x0);
}

struct region tile_region(const struct tile_cut *cut, int64_t number) {
    int64_t column = number % cut->along_x, row = number / cut->along_x;
    const struct region *region = &cut->region;
    return (struct region){.x0 = column_begin(cut, column),
                           .x1 = column_begin(cut, column + 1),
                           .y0 = part_begin(region->y0, region->y1, cut->along_y, row),
                           .y1 = part_begin(region->y0, region->y1, cut->along_y, row + 1)};
}

/* What the C library knows, or a size that every processor of today has. */
static int64_t cache_bytes(int64_t given, int name, int64_t otherwise) {
    int64_t known = given > 0 ? given : sysconf(name);
    return known > 0 ? known : otherwise;
}

struct sweep_caches caches_known(struct sweep_caches caches) {
    static const int64_t kib = 1024;
    return (struct sweep_caches){
        cache_bytes(caches.first_level, _SC_LEVEL1_DCACHE_SIZE, 32 * kib),
        cache_bytes(caches.last_level, _SC_LEVEL3_CACHE_SIZE, 16 * kib * kib)};
}

/* Width at which the rows of a step fill half of the first-level cache; the next level's rows are
 * on their way. */
static int default_width(int rows, const struct sweep_part *part) {
    int64_t doubles = caches_known(part->caches).first_level / (int64_t)sizeof(double);
    int64_t width = doubles / 2 / (part->layout.dimensions == 1 ? 1 : rows + 2);
    return (int)(smaller(width, 1 << 16) & -TEMPORAL_UNIT);
}

int temporal_sweeps(const struct sweep_part *part) {
    return (int)smaller(part->layout.depth, TEMPORAL_SWEEPS_MAX);
}

int64_t temporal_height(const struct sweep_part *part) {
    return smaller(part->layout.ny + 2 * part->layout.depth_y, highest(temporal_sweeps(part)));
}

struct kernel_tile tile_known(struct kernel_tile tile, const struct sweep_part *part) {
    int sweeps = temporal_sweeps(part);
    struct kernel_tile known = tile;
    if (known.rows == 0)
        known.rows = DEFAULT_ROWS;
    known.rows = (int)larger(TEMPORAL_ROWS_MIN, smaller(known.rows, TEMPORAL_ROWS_MAX));
    if (known.width == 0)
        known.width = default_width(known.rows, part);
    known.width = temporal_width(known.width, sweeps);
    return known;
}
