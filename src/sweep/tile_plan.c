/* The cut of a thread's box into tiles. Tiles repeat rows of each other where they meet, so they
 * are as wide as the box and, unless threads share them, as high as what a column leaves to the
 * next allows. */
#include "tile_plan.h"
#include "kernels.h"
#include <unistd.h>

enum {
    PIECE_POINTS = 4096, /* a piece for threads to share has as many at least */
    /* rows of a tile for each sweep of a pass; points, of a line */
    LOWEST_SWEEPS = 8,
    HIGHEST_SWEEPS = 64,
    LONG_SWEEPS = 24
};

struct tile_cut tile_cut_whole(struct region region) {
    return (struct tile_cut){.region = region, .along_x = 1, .along_y = 1};
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

/* Where a strip ends that begins at y. Shared strips take half of what is left, so that threads
 * which come free late find little ones and the number of borders stays small. */
static local_index strip_end(const struct tile_cut *cut, local_index y) {
    int64_t left = cut->region.y1 - y;
    int64_t rows = larger(cut->lowest, smaller(cut->highest, left / 2));
    return left < rows + cut->lowest ? cut->region.y1 : y + rows;
}

struct tile_cut tile_cut_strips(struct region region, int pieces, int sweeps) {
    struct tile_cut cut = tile_cut_whole(region);
    int64_t rows = region.y1 - region.y0;
    if (rows == 1) {
        cut.along_x =
            larger(1, smaller(pieces, (region.x1 - region.x0) / ((int64_t)LONG_SWEEPS * sweeps)));
    } else if (pieces == 1) {
        cut.along_y = larger(1, divide_up(rows, highest(sweeps)));
    } else {
        cut.lowest = (int64_t)LOWEST_SWEEPS * sweeps;
        cut.highest = highest(sweeps) - cut.lowest;
        cut.along_y = 0;
        for (local_index y = region.y0; y < region.y1; y = strip_end(&cut, y))
            cut.along_y++;
    }
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

/* Where row `row` of tiles begins; that of one too many ends the region. */
static local_index row_begin(const struct tile_cut *cut, int64_t row) {
    const struct region *region = &cut->region;
    if (cut->lowest == 0)
        return part_begin(region->y0, region->y1, cut->along_y, row);
    local_index y = region->y0;
    for (int64_t i = 0; i < row; i++)
        y = strip_end(cut, y);
    return y;
}

struct region tile_region(const struct tile_cut *cut, int64_t number) {
    int64_t column = number % cut->along_x, row = number / cut->along_x;
    return (struct region){.x0 = column_begin(cut, column),
                           .x1 = column_begin(cut, column + 1),
                           .y0 = row_begin(cut, row),
                           .y1 = row_begin(cut, row + 1)};
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
        cache_bytes(caches.second_level, _SC_LEVEL2_CACHE_SIZE, 512 * kib),
        cache_bytes(caches.last_level, _SC_LEVEL3_CACHE_SIZE, 16 * kib * kib)};
}

int temporal_sweeps(const struct sweep_part *part) {
    return (int)smaller(part->layout.depth, TEMPORAL_SWEEPS_MAX);
}

int64_t temporal_height(const struct sweep_part *part) {
    return smaller(part->layout.ny + 2 * part->layout.depth_y, highest(temporal_sweeps(part)));
}

struct kernel_tile tile_known(struct kernel_tile tile, const struct sweep_part *part,
                              const struct tiling *tiling) {
    int sweeps = temporal_sweeps(part);
    int rows = tile.rows > 0 ? tile.rows : tiling->rows;
    rows = (int)larger(TEMPORAL_ROWS_MIN, smaller(rows, TEMPORAL_ROWS_MAX));
    int64_t width = tile.width;
    if (width == 0) {
        int64_t doubles = caches_known(part->caches).first_level / (int64_t)sizeof(double);
        width = tiling->default_width(doubles, part->layout.dimensions == 1 ? 1 : rows + 2, sweeps);
    }
    return (struct kernel_tile){.width = tiling->possible_width(width, sweeps), .rows = rows};
}
