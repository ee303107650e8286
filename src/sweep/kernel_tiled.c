/* Several sweeps over a tile in one pass through memory, on rows as they lie in the field: for
 * fields that are small, narrow or a line, where folding rows and columns that are whole units
 * would cost more than computing a few points twice. The tile is cut into columns, each walked
 * northward; each sweep (level) follows the one before it one row behind. A column computes what it
 * needs beyond its edges itself, so columns overlap, by a point less for each level.
 *
 * A level handles a few rows at a time and leaves its own in the place of those that the level
 * before has made, so that what a step works on stays in the first-level cache. */
#include "tile_plan.h"
#include "walk.h"
#include <stddef.h>

enum { DEFAULT_ROWS = 8, WIDTH_MIN = 64, WIDTH_MAX = 1 << 16 };

/* The state of a walk. Rows are pointers to x = left, and x counts from there. */
struct walk {
    const struct temporal_tile *tile;
    span_function *sweep;
    local_index left;
    int64_t width; /* of level 1, in whole lines */
    /* two rows kept from the step before, then those of this step, of the level made last */
    double *row[TEMPORAL_ROWS_MAX + 2];
    double *kept[TEMPORAL_SWEEPS_MAX][2]; /* last two rows of each level */
    double *beyond[2];                    /* rows of mirror ghosts, south and north */
    bool at_west, at_east;                /* the tile ends at a side of the domain */
};

static local_index line_down(local_index x) {
    return x & -SPAN_LINE;
}

static local_index line_up(local_index x) {
    return line_down(x + SPAN_LINE - 1);
}

/* Doubles from a buffer to the next: a line more on both sides, and an odd number of lines, which
 * spreads the rows over the sets of a cache. */
static int64_t buffer_pitch(int64_t width) {
    return ((width / SPAN_LINE + 2) | 1) * SPAN_LINE;
}

static size_t scratch_bytes(const struct kernel_tile *tile, int sweeps, int64_t height) {
    (void)height;
    /* the cut rounds to lines at both ends, the levels do so again */
    int64_t widest = line_up(tile->width) + 2 * line_up(sweeps) + 3 * SPAN_LINE;
    int64_t buffers = tile->rows + 2 * sweeps; /* two for each level but the last, two ghost rows */
    return (size_t)(buffers * buffer_pitch(widest)) * sizeof(double);
}

/* What a level computes of a column: the box, and a point more on each side for every level that
 * follows. */
static struct region level_region(const struct temporal_tile *column, int level) {
    const struct region *domain = &column->domain;
    local_index beyond = column->sweeps - level;
    struct region region = level_rows(column, level);
    region.x0 = larger(region.x0 - beyond, domain->x0);
    region.x1 = smaller(region.x1 + beyond, domain->x1);
    return region;
}

/* In x every level but the last computes whole lines: what is too much is never used. */
static struct region level_lines(const struct temporal_tile *tile, int level) {
    struct region region = level_region(tile, level);
    if (level < tile->sweeps) {
        region.x0 = line_down(region.x0);
        region.x1 = line_up(region.x1);
    }
    return region;
}

/* The tile's columns, side by side, and one of them. */
static struct tile_cut columns_of(const struct temporal_tile *tile) {
    struct tile_cut cut = tile_cut_whole(tile->box.box);
    cut.along_x = larger(1, divide_up(cut.region.x1 - cut.region.x0, tile->width));
    return cut;
}

static struct temporal_tile column_of(const struct temporal_tile *tile, const struct tile_cut *cut,
                                      int64_t number) {
    struct temporal_tile column = *tile;
    column.box.box = tile_region(cut, number);
    return column;
}

static int64_t points(const struct temporal_tile *tile) {
    struct tile_cut cut = columns_of(tile);
    int64_t all = 0;
    for (int64_t i = 0; i < tile_count(&cut); i++) {
        struct temporal_tile column = column_of(tile, &cut, i);
        for (int level = 1; level <= tile->sweeps; level++)
            all += region_points(level_lines(&column, level));
    }
    return all;
}

static struct walk walk_begin(const struct temporal_tile *tile, span_function *sweep) {
    struct region first = level_lines(tile, 1);
    local_index left = line_down(first.x0);
    struct walk walk = {.tile = tile,
                        .sweep = sweep,
                        .left = left,
                        .width = line_up(first.x1) - left,
                        .at_west = first.x0 == tile->domain.x0,
                        .at_east = level_region(tile, 1).x1 == tile->domain.x1};
    int64_t pitch = buffer_pitch(walk.width);
    double *next = tile->scratch + SPAN_LINE;
    for (int i = 0; i < tile->rows; i++, next += pitch)
        walk.row[i + 2] = next;
    for (int level = 1; level < tile->sweeps; level++)
        for (int i = 0; i < 2; i++, next += pitch)
            walk.kept[level][i] = next;
    walk.beyond[0] = next;
    walk.beyond[1] = next + pitch;
    return walk;
}

/* Row y of the old iterate, and of the source. */
static const double *old_row(const struct walk *walk, local_index y) {
    return walk->tile->box.u + y * walk->tile->box.pitch + walk->left;
}

static const double *source_row(const struct walk *walk, local_index y) {
    const struct kernel_box *box = &walk->tile->box;
    return box->source ? box->source + y * box->pitch + walk->left : NULL;
}

static double *new_row(const struct walk *walk, local_index y) {
    return walk->tile->box.u_new + y * walk->tile->box.pitch + walk->left;
}

/* The ghosts at one end of a level's rows from y on, at place x; `inward` leads to the first point.
 */
static void put_ghosts(const struct walk *walk, const struct span *span, local_index y,
                       enum side side, local_index x, int inward) {
    const double *mirror = walk->tile->mirror[side];
    const double *given = old_row(walk, y) + x;
    for (int i = 0; i < span->rows; i++, given += walk->tile->box.pitch)
        span->out[i][x] = mirror ? span->out[i][x + 2 * inward] + mirror[y + i] : *given;
}

/* The ghosts at both ends of a level's rows. Given values come first, because the mirror of a
 * single column is the ghost on its other side. */
static void put_end_ghosts(const struct walk *walk, const struct span *span, local_index y) {
    const struct temporal_tile *tile = walk->tile;
    bool mirror_west = tile->mirror[SIDE_WEST] != NULL;
    for (int turn = 0; turn < 2; turn++) {
        bool west = (turn == 1) == mirror_west;
        if (west && walk->at_west)
            put_ghosts(walk, span, y, SIDE_WEST, tile->domain.x0 - walk->left - 1, 1);
        if (!west && walk->at_east)
            put_ghosts(walk, span, y, SIDE_EAST, tile->domain.x1 - walk->left, -1);
    }
}

/* Makes the row of ghosts beyond a side with given flux. */
static const double *mirror_row(const struct walk *walk, enum side side, struct region region,
                                const double *inner) {
    const double *mirror = walk->tile->mirror[side];
    double *ghosts = walk->beyond[side == SIDE_NORTH];
    for (local_index x = region.x0; x < region.x1; x++)
        ghosts[x - walk->left] = inner[x - walk->left] + mirror[x];
    return ghosts;
}

/* Puts the rows beyond the sides of the domain into a span that begins with row y. Given values
 * come first, because the mirror of a single row is the row beyond the other side. */
static void put_side_rows(const struct walk *walk, struct span *span, local_index y,
                          struct region region) {
    const struct region *domain = &walk->tile->domain;
    const double *const *mirror = walk->tile->mirror;
    local_index south = domain->y0 - 1 - y, north = domain->y1 - y;
    bool at_south = south >= 0, at_north = north < span->rows + 2;
    const double **in = span->in;
    if (at_south && !mirror[SIDE_SOUTH])
        in[south] = old_row(walk, y + south);
    if (at_north && !mirror[SIDE_NORTH])
        in[north] = old_row(walk, y + north);
    if (at_south && mirror[SIDE_SOUTH])
        in[south] = mirror_row(walk, SIDE_SOUTH, region, in[south + 2]);
    if (at_north && mirror[SIDE_NORTH])
        in[north] = mirror_row(walk, SIDE_NORTH, region, in[north - 2]);
}

/* Rows of a field, one after the other. */
static void put_field_rows(const double **rows, const double *first, int64_t pitch, int count) {
    for (int i = 0; i < count; i++)
        rows[i] = first + i * pitch;
}

/* Fills in the rows of a level's span from row y on, `skip` rows less than the step has. Above the
 * first level they are written where they were read, two rows behind. */
static void put_rows(const struct walk *walk, int level, struct span *span, local_index y,
                     int skip) {
    const struct kernel_box *box = &walk->tile->box;
    double *const *buffer = walk->row + skip;
    if (level == 1)
        put_field_rows(span->in, old_row(walk, y - 1), box->pitch, span->rows + 2);
    else
        for (int i = 0; i < span->rows + 2; i++)
            span->in[i] = buffer[i];
    if (level == 1)
        buffer += 2;
    for (int i = 0; i < span->rows; i++)
        span->out[i] = level < walk->tile->sweeps ? buffer[i] : new_row(walk, y + i);
    span->source[0] = NULL;
    if (box->source)
        put_field_rows(span->source, source_row(walk, y), box->pitch, span->rows);
}

static void sweep_span(const struct walk *walk, int level, struct span *span, local_index y) {
    const struct temporal_tile *tile = walk->tile;
    struct region lines = level_lines(tile, level);
    span->stencil = tile->box.stencil;
    span->x0 = lines.x0 - walk->left;
    span->x1 = lines.x1 - walk->left;
    span->streaming = tile->streaming && level == tile->sweeps;
    span->resident = level > 1 && level < tile->sweeps;
    walk->sweep(span);
    if (level < tile->sweeps)
        put_end_ghosts(walk, span, y);
}

/* The rows of a level from y on, as far as the tile needs them. */
static void sweep_rows(const struct walk *walk, int level, local_index y) {
    struct region region = level_region(walk->tile, level);
    local_index first = larger(y, region.y0), last = smaller(y + walk->tile->rows, region.y1);
    if (first >= last)
        return;
    struct span span;
    span.rows = (int)(last - first);
    put_rows(walk, level, &span, first, (int)(first - y));
    if (level > 1)
        put_side_rows(walk, &span, first - 1, region);
    sweep_span(walk, level, &span, first);
}

/* Asks for a share of the rows that the next step will read from memory, so that the requests are
 * spread over the levels of this step, which begins with row y of the first level. */
static void prefetch_share(const struct walk *walk, int level, local_index y) {
    const struct temporal_tile *tile = walk->tile;
    int64_t lines = walk->width / SPAN_LINE + 2, all = tile->rows * lines;
    int64_t begin = all * (level - 1) / tile->sweeps, end = all * level / tile->sweeps;
    local_index row = y + 1 + tile->rows + begin / lines;
    int64_t line = begin % lines;
    for (int64_t i = begin; i < end; i++) {
        int64_t x = (line - 1) * SPAN_LINE;
        __builtin_prefetch(old_row(walk, row) + x, 0, 2);
        if (tile->box.source)
            __builtin_prefetch(source_row(walk, row) + x, 0, 2);
        if (++line == lines) {
            line = 0;
            row++;
        }
    }
}

static void sweep_plane(struct walk *walk) {
    const struct temporal_tile *tile = walk->tile;
    local_index y = level_region(tile, 1).y0;
    local_index end = tile->box.box.y1 + tile->sweeps - 1;
    for (; y < end; y += tile->rows)
        for (int level = 1; level <= tile->sweeps; level++) {
            if (tile->streaming)
                prefetch_share(walk, level, y);
            if (level > 1)
                take_kept(walk->row, walk->kept[level - 1]);
            sweep_rows(walk, level, y + 1 - level);
            if (level > 1)
                keep_rows(walk->row, walk->kept[level - 1], tile->rows);
        }
}

/* A line is one row, which all levels share. */
static void sweep_line(struct walk *walk) {
    const struct temporal_tile *tile = walk->tile;
    double *row = walk->row[2];
    for (int level = 1; level <= tile->sweeps; level++) {
        struct span span = {.rows = 1,
                            .in = {NULL, level == 1 ? old_row(walk, 0) : row},
                            .out = {level == tile->sweeps ? new_row(walk, 0) : row},
                            .source = {source_row(walk, 0)}};
        sweep_span(walk, level, &span, 0);
    }
}

static void sweep_column(const struct temporal_tile *column, span_function *sweep) {
    if (region_points(column->box.box) == 0)
        return;
    struct walk walk = walk_begin(column, sweep);
    if (column->box.stencil->dimensions == 1)
        sweep_line(&walk);
    else
        sweep_plane(&walk);
}

void kernel_tiled(const struct temporal_tile *tile, span_function *sweep) {
    struct tile_cut cut = columns_of(tile);
    for (int64_t i = 0; i < tile_count(&cut); i++) {
        struct temporal_tile column = column_of(tile, &cut, i);
        sweep_column(&column, sweep);
    }
    if (tile->streaming)
        streaming_fence();
}

/* Width at which rows and what columns overlap fill nine tenths of the first-level cache. */
static int64_t default_width(int64_t doubles, int rows, int sweeps) {
    int64_t width = doubles * 9 / 10 / rows;
    return larger(WIDTH_MIN, line_down(smaller(width - sweeps, WIDTH_MAX)));
}

static int possible_width(int64_t width, int sweeps) {
    (void)sweeps;
    return (int)larger(SPAN_LINE, line_up(width));
}

const struct tiling tiling_tiled = {.rows = DEFAULT_ROWS,
                                    .default_width = default_width,
                                    .possible_width = possible_width,
                                    .scratch_bytes = scratch_bytes,
                                    .points = points};
