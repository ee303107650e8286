/* One sweep in two parts, so that an exchange can go on during the first: the inner part of the
 * rank reads no point that an exchange writes, the rim is what is left. Called by the threads of
 * somebody else's parallel region. */
#include "denormals.h"
#include "funnel/clock.h"
#include "sweeper.h"

enum {
    MARGIN = 8, /* of the inner part in x: a vector may read as far beyond a box */
    TILES = 16, /* of a box's inner part, for threads to share */
    TILE_ROWS = 4,
    RIM_PIECES = 4
};

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* The points of the rank from which no point of an internal halo is read. Columns begin and end on
 * cache lines. */
static struct region inner_of_rank(const struct sweeper *sweeper) {
    const struct field_layout *layout = &sweeper->part.layout;
    const bool *physical = sweeper->part.physical;
    struct region inner = {0, layout->nx, 0, layout->ny};
    if (!physical[SIDE_WEST])
        inner.x0 = MARGIN;
    if (!physical[SIDE_EAST])
        inner.x1 = (layout->nx - MARGIN) & -MARGIN;
    if (layout->dimensions == 1)
        return inner;
    if (!physical[SIDE_SOUTH])
        inner.y0 = 1;
    if (!physical[SIDE_NORTH])
        inner.y1 = layout->ny - 1;
    return inner;
}

static struct region common_part(struct region a, struct region b) {
    return (struct region){.x0 = larger(a.x0, b.x0),
                           .x1 = smaller(a.x1, b.x1),
                           .y0 = larger(a.y0, b.y0),
                           .y1 = smaller(a.y1, b.y1)};
}

static struct region inner_of_box(const struct sweeper *sweeper, int box) {
    return common_part(sweeper->box[box].interior, inner_of_rank(sweeper));
}

bool sweeper_has_inner(const struct sweeper *sweeper) {
    return region_points(inner_of_rank(sweeper)) > 0;
}

/* Points of a tile along y, or of a line along x: whole blocks of the vector kernel. */
static int64_t tile_length(int64_t points, int64_t unit) {
    int64_t units = (points + unit - 1) / unit;
    return (units + TILES - 1) / TILES * unit;
}

static struct region tile_of(struct region inner, int tile) {
    struct region region = inner;
    if (inner.y1 - inner.y0 == 1) {
        int64_t length = tile_length(inner.x1 - inner.x0, MARGIN);
        region.x0 = smaller(inner.x1, inner.x0 + tile * length);
        region.x1 = smaller(inner.x1, region.x0 + length);
    } else {
        int64_t length = tile_length(inner.y1 - inner.y0, TILE_ROWS);
        region.y0 = smaller(inner.y1, inner.y0 + tile * length);
        region.y1 = smaller(inner.y1, region.y0 + length);
    }
    return region;
}

int sweeper_inner_tiles(const struct sweeper *sweeper, int box) {
    struct region inner = inner_of_box(sweeper, box);
    int tiles = 0;
    while (tiles < TILES && region_points(tile_of(inner, tiles)) > 0)
        tiles++;
    return tiles;
}

static void sweep_region(struct sweeper *sweeper, struct region region) {
    const struct field *u = &sweeper->iterate[sweeper->current];
    const struct field *u_new = &sweeper->iterate[(sweeper->current + 1) % sweeper->iterates];
    const struct field *source = &sweeper->source;
    struct kernel_box work = {.u = field_row(u, 0),
                              .u_new = field_row(u_new, 0),
                              .source = source->values ? field_row(source, 0) : NULL,
                              .pitch = u->layout.pitch,
                              .stencil = &sweeper->part.stencil,
                              .box = region};
    if (region_points(region) == 0)
        return;
    float_mode mode = float_mode_set(sweeper->part.flush_denormals);
    sides_refresh(sweeper, u, region);
    sweeper->sweep(&work);
    float_mode_restore(mode);
}

void sweeper_sweep_inner(struct sweeper *sweeper, int box, int tile, int thread) {
    double start_s = clock_now_s();
    sweep_region(sweeper, tile_of(inner_of_box(sweeper, box), tile));
    sweeper->box[thread].sweep_s += clock_now_s() - start_s;
}

/* What lies around the inner part of a box, the rows in the south and north at full width. */
static void cut_rim(struct region all, struct region inner, struct region pieces[RIM_PIECES]) {
    for (int p = 0; p < RIM_PIECES; p++)
        pieces[p] = all;
    pieces[0].y1 = inner.y0;
    pieces[1].y0 = inner.y1;
    pieces[2].x1 = inner.x0;
    pieces[3].x0 = inner.x1;
    for (int p = 2; p < RIM_PIECES; p++) {
        pieces[p].y0 = inner.y0;
        pieces[p].y1 = inner.y1;
    }
}

void sweeper_sweep_rim(struct sweeper *sweeper, int box, int sweeps, int thread) {
    double start_s = clock_now_s();
    struct region inner = inner_of_box(sweeper, box);
    struct region all = box_extended(&sweeper->part, sweeper->box[box].interior, sweeps - 1);
    struct region pieces[RIM_PIECES] = {all};
    if (region_points(inner) > 0)
        cut_rim(all, inner, pieces);
    for (int p = 0; p < RIM_PIECES; p++)
        sweep_region(sweeper, pieces[p]);
    sweeper->box[thread].sweep_s += clock_now_s() - start_s;
}

void sweeper_end_sweep(struct sweeper *sweeper) {
    sweeper->current = (sweeper->current + 1) % sweeper->iterates;
}
