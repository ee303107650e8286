/* The first pass of a block in two parts, so that an exchange can go on during the first: the inner
 * part of the rank reads no point that an exchange writes, the rim is what is left. Called by the
 * threads of somebody else's parallel region. */
#include "denormals.h"
#include "funnel/clock.h"
#include "kernels.h"
#include "pass.h"

enum {
    RIM_PIECES = 4,
    LEAST_SWEEPS = 16 /* points of a rim's tile along the rim for each sweep, at least */
};

static struct pass first_pass(const struct sweeper *sweeper, int sweeps) {
    return pass_after(sweeper, 0, sweeps, 0);
}

/* The points of the rank that the pass can compute without an internal halo. Columns begin and end
 * on cache lines, because a vector may read as far beyond a box. */
static struct region inner_of_rank(const struct sweeper *sweeper, const struct pass *pass) {
    const struct field_layout *layout = &sweeper->part.layout;
    const bool *physical = sweeper->part.physical;
    int64_t margin = (pass->sweeps + SPAN_LINE - 1) & -SPAN_LINE;
    struct region inner = {0, layout->nx, 0, layout->ny};
    if (!physical[SIDE_WEST])
        inner.x0 = margin;
    if (!physical[SIDE_EAST])
        inner.x1 = (layout->nx - margin) & -SPAN_LINE;
    if (layout->dimensions == 1)
        return inner;
    if (!physical[SIDE_SOUTH])
        inner.y0 = pass->sweeps;
    if (!physical[SIDE_NORTH])
        inner.y1 = layout->ny - pass->sweeps;
    return inner;
}

static struct region common_part(struct region a, struct region b) {
    return (struct region){.x0 = larger(a.x0, b.x0),
                           .x1 = smaller(a.x1, b.x1),
                           .y0 = larger(a.y0, b.y0),
                           .y1 = smaller(a.y1, b.y1)};
}

static struct region inner_of_box(const struct sweeper *sweeper, const struct pass *pass, int box) {
    return common_part(sweeper->box[box].interior, inner_of_rank(sweeper, pass));
}

bool sweeper_has_inner(const struct sweeper *sweeper, int sweeps) {
    struct pass pass = first_pass(sweeper, sweeps);
    return region_points(inner_of_rank(sweeper, &pass)) > 0;
}

static struct tile_cut cut_inner(const struct sweeper *sweeper, const struct pass *pass, int box,
                                 bool shared) {
    return pass_cut(sweeper, pass, inner_of_box(sweeper, pass, box), shared);
}

int sweeper_inner_tiles(const struct sweeper *sweeper, int box, bool shared, int sweeps) {
    struct pass pass = first_pass(sweeper, sweeps);
    struct tile_cut cut = cut_inner(sweeper, &pass, box, shared);
    return region_points(cut.region) > 0 ? (int)tile_count(&cut) : 0;
}

static void sweep_timed(struct sweeper *sweeper, const struct pass *pass, struct region region,
                        int thread) {
    double start_s = clock_now_s();
    float_mode mode = float_mode_set(sweeper->part.flush_denormals);
    pass_sweep(sweeper, pass, region);
    float_mode_restore(mode);
    sweeper->box[thread].sweep_s += clock_now_s() - start_s;
}

void sweeper_sweep_inner(struct sweeper *sweeper, int box, int tile, bool shared, int sweeps,
                         int thread) {
    struct pass pass = first_pass(sweeper, sweeps);
    struct tile_cut cut = cut_inner(sweeper, &pass, box, shared);
    sweep_timed(sweeper, &pass, tile_region(&cut, tile), thread);
}

/* What lies around the inner part of a box, the rows in the south and north at full width. */
static struct region rim_piece(struct region all, struct region inner, int number) {
    struct region piece = all;
    if (region_points(inner) == 0)
        return number == 0 ? all : (struct region){0};
    if (number >= 2) {
        piece.y0 = inner.y0;
        piece.y1 = inner.y1;
    }
    switch (number) {
    case 0:
        piece.y1 = inner.y0;
        break;
    case 1:
        piece.y0 = inner.y1;
        break;
    case 2:
        piece.x1 = inner.x0;
        break;
    default:
        piece.x0 = inner.x1;
    }
    return piece;
}

int sweeper_rim_tiles(const struct sweeper *sweeper) {
    return RIM_PIECES * sweeper->threads;
}

void sweeper_refresh_rim(struct sweeper *sweeper, int box, int sweeps) {
    struct pass pass = first_pass(sweeper, sweeps);
    pass_refresh(sweeper, &pass, box);
}

void sweeper_sweep_rim(struct sweeper *sweeper, int box, int tile, int sweeps, int thread) {
    struct pass pass = first_pass(sweeper, sweeps);
    struct region all = box_extended(&sweeper->part, sweeper->box[box].interior, pass.beyond);
    struct region piece = rim_piece(all, inner_of_box(sweeper, &pass, box), tile % RIM_PIECES);
    struct tile_cut cut = tile_cut_rim(piece, sweeper->threads, LEAST_SWEEPS * pass.sweeps);
    if (tile / RIM_PIECES < tile_count(&cut) && region_points(piece) > 0)
        sweep_timed(sweeper, &pass, tile_region(&cut, tile / RIM_PIECES), thread);
}

int sweeper_end_first_pass(struct sweeper *sweeper, int sweeps) {
    sweeper->current = (sweeper->current + 1) % sweeper->iterates;
    return sweeps - first_pass(sweeper, sweeps).sweeps;
}
