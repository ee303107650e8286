/* The sweeps between two exchanges: one parallel region, in it passes over the field with a barrier
 * from one to the next. A pass is one sweep, or several for a kernel that works by tiles. */
#include "denormals.h"
#include "funnel/clock.h"
#include "kernels.h"
#include "pass.h"
#include <omp.h>

enum { PIECES = 16 /* of a box, for threads to share */ };

/* Where an edge is internal, tiles reach as far as they need. */
static const local_index far_away = INT64_C(1) << 60;

struct pass pass_after(const struct sweeper *sweeper, int done, int sweeps, int number) {
    int most = sweeper->sweep_tile ? temporal_sweeps(&sweeper->part) : 1;
    int now = sweeps - done < most ? sweeps - done : most;
    return (struct pass){.from = (sweeper->current + number) % sweeper->iterates,
                         .sweeps = now,
                         .beyond = sweeps - done - now,
                         .number = number};
}

/* One sweep is not worth a tile. */
static bool by_tiles(const struct sweeper *sweeper, const struct pass *pass) {
    return sweeper->sweep_tile && pass->sweeps > 1;
}

struct tile_cut pass_cut(const struct sweeper *sweeper, const struct pass *pass,
                         struct region region, bool shared) {
    if (by_tiles(sweeper, pass))
        return tile_cut_strips(region, shared ? PIECES : 1, pass->sweeps);
    return shared ? tile_cut_pieces(region, PIECES) : tile_cut_whole(region);
}

/* The tiles of one box. */
static struct tile_cut cut_box(const struct sweeper *sweeper, const struct pass *pass, int number) {
    struct region region =
        box_extended(&sweeper->part, sweeper->box[number].interior, pass->beyond);
    return pass_cut(sweeper, pass, region, sweeper->part.schedule == SWEEP_DYNAMIC);
}

static struct kernel_box box_work_of(const struct sweeper *sweeper, const struct pass *pass,
                                     struct region region) {
    const struct field *u = &sweeper->iterate[pass->from];
    const struct field *u_new = &sweeper->iterate[(pass->from + 1) % sweeper->iterates];
    const struct field *source = &sweeper->source;
    return (struct kernel_box){.u = field_row(u, 0),
                               .u_new = field_row(u_new, 0),
                               .source = source->values ? field_row(source, 0) : NULL,
                               .pitch = u->layout.pitch,
                               .stencil = &sweeper->part.stencil,
                               .box = region};
}

/* Ends of the rank at sides of the domain. */
static struct region domain_of(const struct sweep_part *part) {
    const bool *physical = part->physical;
    return (struct region){.x0 = physical[SIDE_WEST] ? 0 : -far_away,
                           .x1 = physical[SIDE_EAST] ? part->layout.nx : far_away,
                           .y0 = physical[SIDE_SOUTH] ? 0 : -far_away,
                           .y1 = physical[SIDE_NORTH] ? part->layout.ny : far_away};
}

static struct temporal_tile tile_work_of(const struct sweeper *sweeper, const struct pass *pass,
                                         struct region region) {
    struct temporal_tile tile = {.box = box_work_of(sweeper, pass, region),
                                 .sweeps = pass->sweeps,
                                 .rows = sweeper->tile.rows,
                                 .width = sweeper->tile.width,
                                 .streaming = sweeper->streaming,
                                 .domain = domain_of(&sweeper->part),
                                 .scratch = sweeper->box[omp_get_thread_num()].scratch};
    for (enum side side = SIDE_WEST; side < SIDE_COUNT; side++)
        if (sweeper->mirror[side])
            tile.mirror[side] = sweeper->mirror[side] + side_depth(&sweeper->part.layout, side);
    return tile;
}

void pass_sweep(const struct sweeper *sweeper, const struct pass *pass, struct region region) {
    if (region_points(region) == 0)
        return;
    if (by_tiles(sweeper, pass)) {
        struct temporal_tile tile = tile_work_of(sweeper, pass, region);
        sweeper->sweep_tile(&tile);
        return;
    }
    struct kernel_box box = box_work_of(sweeper, pass, region);
    sides_refresh(sweeper, &sweeper->iterate[pass->from], region);
    sweeper->sweep(&box);
}

/* The number of a tile that no thread has taken, or one beyond the last. */
static int64_t take_tile(struct thread_box *box, const struct pass *pass) {
    int64_t number;
#pragma omp atomic capture
    number = box->tiles_given[pass->number % 2]++;
    return number;
}

/* All tiles of a box, or those that are left of it. */
static void sweep_box(const struct sweeper *sweeper, const struct pass *pass, int number) {
    struct thread_box *box = &sweeper->box[number];
    struct tile_cut cut = cut_box(sweeper, pass, number);
    bool shared = sweeper->part.schedule == SWEEP_DYNAMIC;
    int64_t count = tile_count(&cut);
    for (int64_t i = shared ? take_tile(box, pass) : 0; i < count;
         i = shared ? take_tile(box, pass) : i + 1)
        pass_sweep(sweeper, pass, tile_region(&cut, i));
}

/* A thread's part of a pass: its own boxes, then what others have left where tiles are shared. */
static void sweep_pass(const struct sweeper *sweeper, const struct pass *pass) {
    double start_s = clock_now_s();
    float_mode mode = float_mode_set(sweeper->part.flush_denormals);
    int thread = omp_get_thread_num(), team = omp_get_num_threads();
    bool shared = sweeper->part.schedule == SWEEP_DYNAMIC;
    for (int i = 0; i < sweeper->threads; i++) {
        int number = (thread + i) % sweeper->threads;
        if (number % team == thread)
            sweeper->box[number].tiles_given[(pass->number + 1) % 2] = 0; /* for the next pass */
        if (shared || number % team == thread)
            sweep_box(sweeper, pass, number);
    }
    float_mode_restore(mode);
    sweeper->box[thread].sweep_s += clock_now_s() - start_s;
}

void pass_refresh(const struct sweeper *sweeper, const struct pass *pass, int box) {
    if (by_tiles(sweeper, pass)) /* else each region renews its own */
        sides_refresh(sweeper, &sweeper->iterate[pass->from],
                      box_extended(&sweeper->part, sweeper->box[box].interior,
                                   pass->beyond + pass->sweeps - 1));
}

/* Tiles read the ghosts next to other threads' boxes, so all are renewed before the first. */
static void refresh_boxes(const struct sweeper *sweeper, const struct pass *pass) {
    for (int box = omp_get_thread_num(); box < sweeper->threads; box += omp_get_num_threads())
        pass_refresh(sweeper, pass, box);
}

static bool has_mirror(const struct sweeper *sweeper) {
    bool any = false;
    for (enum side side = SIDE_WEST; side < SIDE_COUNT; side++)
        any = any || sweeper->mirror[side];
    return any;
}

/* One thread's way through all passes; returns how many there were. */
static int sweep_passes(const struct sweeper *sweeper, int sweeps) {
    bool mirror = has_mirror(sweeper);
    int number = 0;
    for (int done = 0; done < sweeps; number++) {
        struct pass pass = pass_after(sweeper, done, sweeps, number);
        if (number > 0) {
#pragma omp barrier
        }
        if (mirror && by_tiles(sweeper, &pass)) {
            refresh_boxes(sweeper, &pass);
#pragma omp barrier
        }
        sweep_pass(sweeper, &pass);
        done += pass.sweeps;
    }
    return number;
}

void sweeper_advance(struct sweeper *sweeper, int sweeps) {
    int passes = 0;
    for (int i = 0; i < sweeper->threads; i++)
        sweeper->box[i].tiles_given[0] = 0;
#pragma omp parallel num_threads(sweeper->threads) reduction(max : passes)
    passes = sweep_passes(sweeper, sweeps);
    sweeper->current = (sweeper->current + passes) % sweeper->iterates;
}

int64_t sweeper_redundant_points(const struct sweeper *sweeper, int sweeps) {
    const struct field_layout *layout = &sweeper->part.layout;
    struct region interior = {0, layout->nx, 0, layout->ny};
    int64_t points = 0;
    for (int sweep = 1; sweep <= sweeps; sweep++)
        points += region_points(box_extended(&sweeper->part, interior, sweeps - sweep)) -
                  region_points(interior);
    return points;
}

/* Points that the tiles of a pass compute. */
static int64_t pass_points(const struct sweeper *sweeper, const struct pass *pass) {
    int64_t points = 0;
    for (int number = 0; number < sweeper->threads; number++) {
        struct tile_cut cut = cut_box(sweeper, pass, number);
        for (int64_t i = 0; i < tile_count(&cut); i++) {
            struct temporal_tile tile = tile_work_of(sweeper, pass, tile_region(&cut, i));
            points += by_tiles(sweeper, pass) ? sweeper->kernel->tiling->points(&tile)
                                              : region_points(tile.box.box);
        }
    }
    return points;
}

int64_t sweeper_overlap_points(const struct sweeper *sweeper, int sweeps) {
    if (!sweeper->sweep_tile)
        return 0;
    const struct field_layout *layout = &sweeper->part.layout;
    int64_t points =
        -sweeps * (layout->nx * layout->ny) - sweeper_redundant_points(sweeper, sweeps);
    for (int done = 0; done < sweeps;) {
        struct pass pass = pass_after(sweeper, done, sweeps, 0);
        points += pass_points(sweeper, &pass);
        done += pass.sweeps;
    }
    return points;
}
