/* The sweeper as one rank uses it, against one plain serial loop over the whole grid: every kind of
 * side, halos of depth 1 to 4 filled by hand; deeper ones, and tiles of many
 * sizes, against the reference kernel, several thread counts, bit for bit. */
#include "../../src/sweep/kernels.h"
#include "sweep_case.h"
#include <math.h>
#include <omp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The serial side: the interior only, every neighbour looked up when it is needed. */
struct serial {
    const struct sweep_case *c;
    const struct grid *grid;
    struct stencil stencil;
    double *u, *u_new;
};

static double coordinate(const struct serial *s, enum axis axis, global_index i) {
    return s->c->dimensions == 1 && axis == AXIS_Y ? 0 : grid_coordinate(s->grid, axis, i);
}

static double *serial_point(const struct serial *s, double *u, const global_index at[AXIS_COUNT]) {
    return u + at[AXIS_Y] * s->c->points[AXIS_X] + at[AXIS_X];
}

static double side_value_at(const struct serial *s, enum side side,
                            const global_index at[AXIS_COUNT]) {
    double across = grid_side_coordinate(s->grid, side);
    if (side == SIDE_WEST || side == SIDE_EAST)
        return side_at(across, coordinate(s, AXIS_Y, at[AXIS_Y]));
    return side_at(coordinate(s, AXIS_X, at[AXIS_X]), across);
}

static double neighbour(const struct serial *s, const global_index at[AXIS_COUNT], enum side side) {
    enum axis axis = side == SIDE_WEST || side == SIDE_EAST ? AXIS_X : AXIS_Y;
    int step = side == SIDE_WEST || side == SIDE_SOUTH ? -1 : 1;
    global_index n = s->c->points[axis], next[AXIS_COUNT] = {at[AXIS_X], at[AXIS_Y]};
    next[axis] += step;
    if (next[axis] >= 0 && next[axis] < n)
        return *serial_point(s, s->u, next);
    if (s->c->kind[side] == SIDE_PERIODIC) {
        next[axis] = (next[axis] + n) % n;
        return *serial_point(s, s->u, next);
    }
    double value = side_value_at(s, side, at);
    if (s->c->kind[side] == SIDE_DIRICHLET)
        return value;
    double flux = 2 * s->grid->spacing[axis] * value / s->stencil.diffusion;
    enum side other = step < 0 ? axis_high_side(axis) : axis_low_side(axis);
    return (n == 1 ? neighbour(s, at, other)
                   : *serial_point(s, s->u,
                                   (global_index[]){at[AXIS_X] - (axis == AXIS_X) * step,
                                                    at[AXIS_Y] - (axis == AXIS_Y) * step})) +
           flux;
}

static double swept_value(const struct serial *s, const global_index at[AXIS_COUNT]) {
    const struct stencil *st = &s->stencil;
    double west_east = neighbour(s, at, SIDE_WEST) + neighbour(s, at, SIDE_EAST);
    double value = st->cx * west_east, here = *serial_point(s, s->u, at);
    if (st->dimensions == 2) {
        double north_south = neighbour(s, at, SIDE_NORTH) + neighbour(s, at, SIDE_SOUTH);
        value = st->isotropic ? st->cx * (north_south + west_east)
                              : st->cy * north_south + st->cx * west_east;
    }
    double f = s->c->source == 2
                   ? source_at(coordinate(s, AXIS_X, at[AXIS_X]), coordinate(s, AXIS_Y, at[AXIS_Y]))
                   : 0.9;
    if (s->c->source > 0)
        value = value + st->cf * f;
    return st->omega == 1 ? value : here + st->omega * (value - here);
}

static void serial_sweep(struct serial *s) {
    for (global_index y = 0; y < s->c->points[AXIS_Y]; y++)
        for (global_index x = 0; x < s->c->points[AXIS_X]; x++) {
            global_index at[AXIS_COUNT] = {x, y};
            *serial_point(s, s->u_new, at) = swept_value(s, at);
        }
    double *last = s->u;
    s->u = s->u_new;
    s->u_new = last;
}

static struct serial serial_make(const struct sweep_case *c, const struct grid *grid) {
    size_t points = (size_t)grid_points(grid);
    struct serial s = {c, grid, case_stencil(c, grid), malloc(points * sizeof(double)),
                       malloc(points * sizeof(double))};
    assert_true(s.u && s.u_new);
    for (global_index y = 0; y < grid->points[AXIS_Y]; y++)
        for (global_index x = 0; x < grid->points[AXIS_X]; x++)
            *serial_point(&s, s.u, (global_index[]){x, y}) =
                initial_at(coordinate(&s, AXIS_X, x), coordinate(&s, AXIS_Y, y));
    return s;
}

static void serial_free(struct serial *s) {
    free(s->u);
    free(s->u_new);
}

/* What a halo exchange with oneself does on periodic axes: x first, then y with the full width. */
static void fill_halo(const struct sweep_case *c, const struct field *field) {
    local_index nx = field->layout.nx, ny = field->layout.ny, depth = field->layout.depth;
    if (c->kind[SIDE_WEST] == SIDE_PERIODIC)
        for (local_index y = 0; y < ny; y++)
            for (local_index k = 1; k <= depth; k++) {
                double *row = field_row(field, y);
                row[-k] = row[((-k % nx) + nx) % nx];
                row[nx - 1 + k] = row[(k - 1) % nx];
            }
    if (c->dimensions == 2 && c->kind[SIDE_SOUTH] == SIDE_PERIODIC)
        for (local_index k = 1; k <= depth; k++) {
            size_t bytes = (size_t)(nx + 2 * depth) * sizeof(double);
            memcpy(field_row(field, -k) - depth, field_row(field, ((-k % ny) + ny) % ny) - depth,
                   bytes);
            memcpy(field_row(field, ny - 1 + k) - depth, field_row(field, (k - 1) % ny) - depth,
                   bytes);
        }
}

static void check_equal(const struct serial *s, const struct sweeper *sweeper) {
    const struct field *field = sweeper_current(sweeper);
    size_t bytes = (size_t)field->layout.nx * sizeof(double);
    for (local_index y = 0; y < field->layout.ny; y++)
        assert_memory_equal(field_row(field, y), s->u + y * field->layout.nx, bytes);
}

static struct sweeper *case_sweeper(const struct sweep_case *c, const struct kernel *kernel) {
    const struct grid grid = grid_of(c); /* which the sweeper copies */
    struct status status = {0};
    struct sweep_values values = case_values();
    struct sweep_part part = case_whole(c, &grid);
    struct sweeper *sweeper = sweeper_make(&part, kernel, &values, &status);
    assert_string_equal(status.text, "");
    assert_non_null(sweeper);
    return sweeper;
}

/* Two rounds of an exchange and `depth` sweeps, against as many serial sweeps from the start. */
static void run_rounds(const struct sweep_case *c, struct sweeper *sweeper) {
    struct serial serial = serial_make(c, &sweeper->grid);
    check_equal(&serial, sweeper);
    for (int round = 0; round < 2; round++) {
        fill_halo(c, sweeper_current(sweeper));
        sweeper_advance(sweeper, c->depth);
        for (int sweep = 0; sweep < c->depth; sweep++)
            serial_sweep(&serial);
        check_equal(&serial, sweeper);
    }
    serial_free(&serial);
}

/* How a sweeper works; the same sweeper serves for all, so that values are set up once. */
struct variant {
    kernel_function *sweep;
    kernel_tile_function *sweep_tile; /* or NULL */
    bool streaming;
    enum sweep_schedule schedule;
};

enum { VARIANTS_MAX = 16 };

/* The reference, then every kernel in every instruction set that this processor has; of those with
 * tiles the given one. */
static int all_variants(struct variant variants[VARIANTS_MAX], const struct kernel *tiles) {
    int count = 0;
    variants[count++] = (struct variant){.sweep = kernel_reference};
    for (int i = 0; i < instruction_set_count && count + 4 <= VARIANTS_MAX; i++) {
        const struct instruction_set *set = &instruction_sets[i];
        if (!set->available())
            continue;
        kernel_tile_function *tile = tiles->tiling == &tiling_tiled ? set->tiled : set->temporal;
        enum sweep_schedule other = i % 2 ? SWEEP_STATIC : SWEEP_DYNAMIC;
        variants[count++] = (struct variant){set->vector, NULL, false, SWEEP_DYNAMIC};
        variants[count++] = (struct variant){set->streaming, NULL, false, SWEEP_STATIC};
        variants[count++] = (struct variant){set->vector, tile, false, other};
        variants[count++] = (struct variant){set->vector, tile, true, SWEEP_STATIC};
    }
    return count;
}

static void use_variant(struct sweeper *sweeper, const struct variant *variant) {
    sweeper->sweep = variant->sweep;
    sweeper->sweep_tile = variant->sweep_tile;
    sweeper->streaming = variant->streaming;
    sweeper->part.schedule = variant->schedule;
}

static double *copy_of(const struct field *field) {
    double *values = malloc(field->layout.bytes);
    assert_non_null(values);
    memcpy(values, field->values, field->layout.bytes);
    return values;
}

/* Two rounds leave the first iterate current, so that its start values are all that is put back. */
static void run_kernels_of(const struct sweep_case *c, const struct kernel *tiles) {
    struct grid grid;
    if (!case_grid(c, &grid))
        return;
    struct variant variants[VARIANTS_MAX];
    int count = all_variants(variants, tiles);
    struct sweeper *sweeper = case_sweeper(c, tiles);
    struct field *first = &sweeper->iterate[0];
    double *start = copy_of(first);
    for (int i = 0; i < count; i++) {
        memcpy(first->values, start, first->layout.bytes);
        use_variant(sweeper, &variants[i]);
        run_rounds(c, sweeper);
    }
    free(start);
    sweeper_free(sweeper);
}

static void run_kernels(const struct sweep_case *c) {
    for (int row = 0; row < kernel_count; row++)
        if (kernels[row].choose_tile)
            run_kernels_of(c, &kernels[row]);
}

static void advance_rounds(const struct sweep_case *c, struct sweeper *sweeper) {
    for (int round = 0; round < 2; round++) {
        fill_halo(c, sweeper_current(sweeper));
        sweeper_advance(sweeper, c->depth);
    }
}

/* As run_kernels, but against the reference kernel, which is faster than the serial loop. */
static void compare_kernels_of(const struct sweep_case *c, const struct kernel *tiles) {
    struct grid grid;
    if (!case_grid(c, &grid))
        return;
    struct variant variants[VARIANTS_MAX];
    int count = all_variants(variants, tiles);
    struct sweeper *sweeper = case_sweeper(c, tiles);
    struct field *first = &sweeper->iterate[0];
    double *start = copy_of(first);
    uint64_t expected = 0;
    for (int i = 0; i < count; i++) {
        memcpy(first->values, start, first->layout.bytes);
        sweeper->current = 0;
        use_variant(sweeper, &variants[i]);
        advance_rounds(c, sweeper);
        if (i == 0)
            expected = sweeper_checksum(sweeper);
        assert_true(sweeper_checksum(sweeper) == expected);
    }
    free(start);
    sweeper_free(sweeper);
}

static void compare_kernels(const struct sweep_case *c) {
    for (int row = 0; row < kernel_count; row++)
        if (kernels[row].choose_tile)
            compare_kernels_of(c, &kernels[row]);
}

/* Kinds of a pair of sides: four with values, one periodic. */
static const enum side_kind pairs[][2] = {{SIDE_DIRICHLET, SIDE_DIRICHLET},
                                          {SIDE_DIRICHLET, SIDE_NEUMANN},
                                          {SIDE_NEUMANN, SIDE_DIRICHLET},
                                          {SIDE_NEUMANN, SIDE_NEUMANN},
                                          {SIDE_PERIODIC, SIDE_PERIODIC}};
enum { PAIRS = 5 };

static struct sweep_case make_case(int dimensions, int pair_x, int pair_y, int nx, int ny) {
    return (struct sweep_case){
        .dimensions = dimensions,
        .points = {nx, ny},
        .kind = {pairs[pair_x][0], pairs[pair_x][1], pairs[pair_y][0], pairs[pair_y][1]},
        .omega = 1,
        .depth = 1};
}

/* The forms in turn, so that each meets every kind of side. */
static void vary(struct sweep_case *c, int number) {
    c->source = number % 3;
    c->omega = number / 3 % 2 ? 0.8 : 1;
    c->square = number / 6 % 2;
}

static const int thread_counts[] = {1, 2, 3, 5};

static void every_side_is_right(void **state) {
    (void)state;
    static const int sizes[] = {1, 2, 3, 9, 17};
    int number = 0;
    for (int pair = 0; pair < PAIRS * PAIRS; pair++)
        for (int size = 0; size < 25; size++) {
            struct sweep_case c =
                make_case(2, pair % PAIRS, pair / PAIRS, sizes[size % 5], sizes[size / 5]);
            omp_set_num_threads(thread_counts[number % 4]);
            vary(&c, number++ / 4);
            run_kernels(&c);
        }
}

static void lines_are_right(void **state) {
    (void)state;
    for (int pair = 0; pair < PAIRS; pair++)
        for (int nx = 1; nx <= 40; nx++) {
            struct sweep_case c = make_case(1, pair, 0, nx, 1);
            omp_set_num_threads(thread_counts[nx % 4]);
            vary(&c, nx / 4);
            c.depth = 1 + nx % 2;
            run_kernels(&c);
        }
}

static void deep_halos_are_right(void **state) {
    (void)state;
    for (int depth = 1; depth <= 4; depth++)
        for (int pair = 0; pair < PAIRS * PAIRS; pair++)
            for (int number = 0; number < 4; number++) {
                struct sweep_case c = make_case(2, pair % PAIRS, pair / PAIRS, 4 + 7 * (pair % 3),
                                                4 + 3 * (number % 3));
                omp_set_num_threads(thread_counts[number]);
                vary(&c, 4 * number + depth + pair);
                c.depth = depth;
                run_kernels(&c);
            }
}

/* Fewer sweeps than the halo is deep. */
static void a_deep_halo_may_be_used_in_part(void **state) {
    (void)state;
    struct sweep_case c = make_case(2, 4, 4, 19, 7);
    c.depth = 4;
    const struct grid grid = grid_of(&c);
    for (int i = 0; i < kernel_count; i++) {
        struct serial serial = serial_make(&c, &grid);
        struct sweeper *sweeper = case_sweeper(&c, &kernels[i]);
        for (int sweeps = 1; sweeps <= 4; sweeps++) {
            fill_halo(&c, sweeper_current(sweeper));
            sweeper_advance(sweeper, sweeps);
            for (int sweep = 0; sweep < sweeps; sweep++)
                serial_sweep(&serial);
            check_equal(&serial, sweeper);
        }
        sweeper_free(sweeper);
        serial_free(&serial);
    }
}

static unsigned next_random(unsigned *state, unsigned below) {
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 16) % below;
}

static const int tile_widths[] = {0, 8, 64, 128, 192, 256, 320};
static const int tile_rows[] = {0, 2, 3, 4, 5, 8, 12, 32};

/* A case of any depth, sides, form, tile and number of threads; sizes are the caller's. */
static struct sweep_case any_case(unsigned *random, int dimensions, int nx, int ny) {
    struct sweep_case c = make_case(dimensions, (int)next_random(random, PAIRS),
                                    (int)next_random(random, PAIRS), nx, ny);
    vary(&c, (int)next_random(random, 12));
    c.depth = 1 + (int)next_random(random, 32);
    c.tile.width = tile_widths[next_random(random, 7)];
    c.tile.rows = tile_rows[next_random(random, 8)];
    omp_set_num_threads(thread_counts[next_random(random, 4)]);
    return c;
}

static void tiles_of_every_size_are_right(void **state) {
    (void)state;
    unsigned random = 1;
    for (int i = 0; i < 100; i++) {
        int nx = 1 + (int)next_random(&random, 40), ny = 1 + (int)next_random(&random, 40);
        struct sweep_case plane = any_case(&random, 2, nx, ny);
        compare_kernels(&plane);
        struct sweep_case line = any_case(&random, 1, nx, 1);
        compare_kernels(&line);
    }
}

static void tiles_of_large_grids_are_right(void **state) {
    (void)state;
    static const int sizes[] = {63, 64, 65, 500, 501, 997};
    unsigned random = 2;
    for (int i = 0; i < 6; i++) {
        struct sweep_case wide = any_case(&random, 2, sizes[i % 6], sizes[(i + 1) % 3]);
        compare_kernels(&wide);
        struct sweep_case high = any_case(&random, 2, sizes[(i + 1) % 3], sizes[i % 6]);
        compare_kernels(&high);
        struct sweep_case line = any_case(&random, 1, 5 * sizes[i % 6], 1);
        compare_kernels(&line);
    }
    struct sweep_case square = any_case(&random, 2, 501, 500);
    compare_kernels(&square);
}

/* More sweeps than one pass advances. */
static void very_deep_halos_take_several_passes(void **state) {
    (void)state;
    for (int pair = 0; pair < PAIRS; pair++) {
        struct sweep_case c = make_case(2, pair, PAIRS - 1 - pair, 37, 21);
        c.depth = 2 * TEMPORAL_SWEEPS_MAX + 3;
        omp_set_num_threads(2);
        compare_kernels(&c);
    }
}

/* Halos of one part of a grid from the whole: what an exchange with other ranks does. */
static void fill_part_halo(const struct sweep_part *part, const struct field *field,
                           const double *whole) {
    const struct field_layout *layout = &field->layout;
    const global_index *points = part->grid->points;
    for (local_index y = -layout->depth_y; y < layout->ny + layout->depth_y; y++)
        for (local_index x = -layout->depth; x < layout->nx + layout->depth; x++) {
            global_index at[AXIS_COUNT] = {part->begin[AXIS_X] + x, part->begin[AXIS_Y] + y};
            for (enum axis axis = AXIS_X; axis < AXIS_COUNT; axis++)
                if (grid_periodic(part->grid, axis))
                    at[axis] = (at[axis] % points[axis] + points[axis]) % points[axis];
            if (at[AXIS_X] >= 0 && at[AXIS_X] < points[AXIS_X] && at[AXIS_Y] >= 0 &&
                at[AXIS_Y] < points[AXIS_Y])
                field_row(field, y)[x] = whole[at[AXIS_Y] * points[AXIS_X] + at[AXIS_X]];
        }
}

/* One part of the grid with a kernel, against the serial loop over the whole. */
static void check_part(const struct sweep_case *c, const struct grid *grid,
                       const struct sweep_part *part, const struct kernel *kernel) {
    struct status status = {0};
    struct sweep_values values = case_values();
    struct sweeper *sweeper = sweeper_make(part, kernel, &values, &status);
    assert_non_null(sweeper);
    struct serial serial = serial_make(c, grid);
    for (int round = 0; round < 2; round++) {
        fill_part_halo(part, sweeper_current(sweeper), serial.u);
        sweeper_advance(sweeper, c->depth);
        for (int sweep = 0; sweep < c->depth; sweep++)
            serial_sweep(&serial);
    }
    const struct field *field = sweeper_current(sweeper);
    for (local_index y = 0; y < field->layout.ny; y++)
        assert_memory_equal(field_row(field, y),
                            serial.u + (part->begin[AXIS_Y] + y) * grid->points[AXIS_X] +
                                part->begin[AXIS_X],
                            (size_t)field->layout.nx * sizeof(double));
    serial_free(&serial);
    sweeper_free(sweeper);
}

/* The nine parts of a grid: each meets other ranks and sides of the domain in its own way. */
static void parts_of_a_grid_are_right(void **state) {
    (void)state;
    unsigned random = 3;
    for (int i = 0; i < 6 * 9; i++) {
        struct sweep_case c = any_case(&random, 2, 34, 25);
        c.depth = 1 + c.depth % 6;
        const struct grid grid = grid_of(&c);
        global_index begin[AXIS_COUNT] = {i % 3 * 11, i / 3 % 3 * 8};
        global_index count[AXIS_COUNT] = {i % 3 == 2 ? 12 : 11, i / 3 % 3 == 2 ? 9 : 8};
        struct sweep_part part = case_part(&c, &grid, begin, count);
        part.schedule = i % 2 ? SWEEP_DYNAMIC : SWEEP_STATIC;
        for (int k = 0; k < kernel_count; k++)
            check_part(&c, &grid, &part, &kernels[k]);
    }
}

/* Everything beside interior and ghosts of the sides stays zero. */
static void check_outside(const struct field *iterate) {
    const struct field_layout *layout = &iterate->layout;
    int64_t before = layout->origin - layout->depth_y * layout->pitch;
    for (local_index y = -layout->depth_y; y < layout->ny + layout->depth_y; y++)
        for (local_index x = -before; x < layout->pitch - before; x++) {
            bool row = y >= 0 && y < layout->ny, column = x >= 0 && x < layout->nx;
            bool ghost =
                (row && x >= -1 && x <= layout->nx) || (column && y >= -1 && y <= layout->ny);
            if (!ghost)
                assert_true(field_row(iterate, y)[x] == 0);
        }
}

static void nothing_else_is_written(void **state) {
    (void)state;
    struct sweep_case c = make_case(2, 1, 2, 13, 6);
    c.depth = 3;
    omp_set_num_threads(3);
    for (int k = 0; k < kernel_count; k++) {
        struct sweeper *sweeper = case_sweeper(&c, &kernels[k]);
        sweeper_advance(sweeper, 3);
        sweeper_advance(sweeper, 2);
        for (int i = 0; i < SWEEP_ITERATES_MAX; i++)
            check_outside(&sweeper->iterate[i]);
        sweeper_free(sweeper);
    }
}

static void given_sides_stand_in_both_iterates(void **state) {
    (void)state;
    struct sweep_case c = make_case(2, 0, 4, 5, 4);
    const struct grid grid = grid_of(&c);
    struct sweeper *sweeper = case_sweeper(&c, kernel_find("vector"));
    for (int i = 0; i < SWEEP_ITERATES_MAX; i++) {
        /* along a periodic axis the ghost goes on beyond the seam */
        for (local_index y = -1; y <= 4; y++) {
            double at = grid_coordinate(&grid, AXIS_Y, (y + 4) % 4);
            assert_true(field_row(&sweeper->iterate[i], y)[-1] == side_at(0, at));
            assert_true(field_row(&sweeper->iterate[i], y)[5] == side_at(grid.length[AXIS_X], at));
        }
        assert_ptr_equal(sweeper_memory(sweeper)[i], sweeper->iterate[i].values);
    }
    sweeper_free(sweeper);
}

static void mirror_ghosts_are_refreshed_on_demand(void **state) {
    (void)state;
    struct sweep_case c = make_case(2, 2, 1, 12, 7); /* fluxes west and north */
    const struct grid grid = grid_of(&c);
    struct sweeper *sweeper = case_sweeper(&c, kernel_find("vector"));
    sweeper_refresh_sides(sweeper);
    const struct field *field = sweeper_current(sweeper);
    for (local_index y = 0; y < 7; y++) {
        double flux = side_at(0, grid_coordinate(&grid, AXIS_Y, y));
        double expected = field_row(field, y)[1] + 2 * grid.spacing[AXIS_X] * flux / 1.7;
        assert_true(field_row(field, y)[-1] == expected);
    }
    for (local_index x = 0; x < 12; x++) {
        double flux = side_at(grid_coordinate(&grid, AXIS_X, x), grid.length[AXIS_Y]);
        double expected = field_row(field, 5)[x] + 2 * grid.spacing[AXIS_Y] * flux / 1.7;
        assert_true(field_row(field, 7)[x] == expected);
    }
    sweeper_free(sweeper);
}

static void every_row_of_the_table_sweeps(void **state) {
    (void)state;
    struct sweep_case c = make_case(2, 4, 2, 21, 9);
    for (int i = 0; i < kernel_count; i++) {
        struct sweeper *sweeper = case_sweeper(&c, &kernels[i]);
        run_rounds(&c, sweeper);
        sweeper_free(sweeper);
    }
}

static void wide_rows_are_filled_in_pieces(void **state) {
    (void)state;
    struct sweep_case line = make_case(1, 0, 0, 5 * TILE_POINTS / 2 + 3, 1);
    struct sweep_case plane = make_case(2, 4, 3, TILE_POINTS + 9, 3);
    line.source = plane.source = 2;
    for (int threads = 1; threads <= 3; threads++) {
        omp_set_num_threads(threads);
        run_kernels(&line);
        run_kernels(&plane);
    }
}

static void bad_expressions_are_errors(void **state) {
    (void)state;
    struct sweep_case c = make_case(2, 0, 2, 6, 5);
    c.source = 2;
    const struct grid grid = grid_of(&c);
    struct sweep_part part = case_whole(&c, &grid);
    struct sweep_values good = case_values(), bad[5] = {good, good, good, good, good};
    bad[0].initial = "x*(";
    bad[1].source = "x*(";
    bad[2].exact = "x*(";
    bad[3].side[SIDE_EAST] = "x*(";
    bad[4].side[SIDE_SOUTH] = "x*(";
    for (int i = 0; i < 5; i++) {
        struct status status = {0};
        assert_null(sweeper_make(&part, kernel_find("vector"), &bad[i], &status));
        assert_int_equal(status.code, EXIT_CODE_USAGE);
    }
}

static void refused_memory_is_an_error(void **state) {
    (void)state;
    struct sweep_case c = make_case(2, 0, 0, 6, 5);
    const struct grid grid = grid_of(&c);
    struct sweep_part part = case_whole(&c, &grid);
    part.layout.bytes = (size_t)1 << 60;
    struct sweep_values values = case_values();
    struct status status = {0};
    assert_null(sweeper_make(&part, kernel_find("vector"), &values, &status));
    assert_int_equal(status.code, EXIT_CODE_ENVIRONMENT);
}

static void the_plan_names_its_arrays(void **state) {
    (void)state;
    struct sweep_case c = make_case(2, 0, 2, 100, 50);
    const struct grid grid = grid_of(&c);
    struct sweep_part part = case_whole(&c, &grid);
    struct sweep_memory plan = sweep_memory_plan(&part, kernel_find("vector"));
    assert_int_equal(plan.arrays, 2);
    assert_string_equal(plan.name[0], "iterate 0");
    assert_string_equal(plan.name[1], "iterate 1");
    assert_int_equal(plan.array_bytes, part.layout.bytes);
    assert_int_equal(plan.total_bytes, 2 * part.layout.bytes + plan.small_bytes);
    part.stencil.source_varies = true;
    plan = sweep_memory_plan(&part, kernel_find("vector"));
    assert_int_equal(plan.arrays, 3);
    assert_string_equal(plan.name[2], "source");
}

/* As many iterates as a kernel's row says, and no more than there is room for. */
static void a_row_says_how_many_iterates_there_are(void **state) {
    (void)state;
    struct sweep_case c = make_case(2, 0, 2, 100, 50);
    const struct grid grid = grid_of(&c);
    struct sweep_part part = case_whole(&c, &grid);
    for (int row = 0; row < kernel_count; row++) {
        int iterates = kernels[row].iterates_read + kernels[row].iterates_written;
        assert_in_range(iterates, 1, SWEEP_ITERATES_MAX);
        assert_int_equal(sweep_memory_plan(&part, &kernels[row]).arrays, iterates);
    }
    struct kernel in_place = *kernel_find("vector");
    in_place.iterates_written = 0;
    assert_int_equal(sweep_memory_plan(&part, &in_place).arrays, 1);
}

static void redundant_points_are_counted(void **state) {
    (void)state;
    struct sweep_case c = make_case(2, 4, 4, 10, 6), line = make_case(1, 4, 0, 10, 1);
    c.depth = line.depth = 3;
    struct sweeper *sweeper = case_sweeper(&c, kernel_find("vector"));
    assert_int_equal(sweeper_redundant_points(sweeper, 1), 0);
    assert_int_equal(sweeper_redundant_points(sweeper, 3), (12 * 8 - 60) + (14 * 10 - 60));
    sweeper_free(sweeper);
    sweeper = case_sweeper(&line, kernel_find("vector"));
    assert_int_equal(sweeper_redundant_points(sweeper, 3), 2 + 4);
    sweeper_free(sweeper);
}

/* A field of denormals, which sweeps keep or take for zero, whatever the kernel. */
static void denormals_are_kept_or_flushed(void **state) {
    (void)state;
    struct sweep_case c = make_case(2, 4, 4, 37, 21);
    c.depth = 4;
    const struct grid grid = grid_of(&c);
    struct sweep_part part = case_whole(&c, &grid);
    struct sweep_values values = case_values();
    values.initial = "1e-310";
    for (int k = 0; k < 2 * kernel_count; k++) {
        struct status status = {0};
        part.flush_denormals = k % 2;
        struct sweeper *sweeper = sweeper_make(&part, &kernels[k / 2], &values, &status);
        assert_non_null(sweeper);
        fill_halo(&c, sweeper_current(sweeper));
        sweeper_advance(sweeper, 4);
        double value = field_row(sweeper_current(sweeper), 3)[5];
        assert_true(part.flush_denormals ? value == 0 : value > 0);
        assert_true(1e-310 * sweeper->part.stencil.diffusion > 0); /* the caller's mode is back */
        sweeper_free(sweeper);
    }
}

/* A copy for the roofline overwrites what the next sweep will, and nothing else. */
static void copy_leaves_the_sweeps_alone(void **state) {
    (void)state;
    struct sweep_case c = make_case(2, 0, 1, 37, 21);
    omp_set_num_threads(3);
    struct sweeper *plain = case_sweeper(&c, kernel_find("vector"));
    struct sweeper *copied = case_sweeper(&c, kernel_find("vector"));
    for (int sweep = 0; sweep < 3; sweep++) {
        sweeper_advance(plain, 1);
        sweeper_advance(copied, 1);
        sweeper_copy(copied);
        const struct field *from = sweeper_current(copied);
        const struct field *to = &copied->iterate[(copied->current + 1) % copied->iterates];
        for (local_index y = 0; y < 21; y++)
            assert_memory_equal(field_row(to, y), field_row(from, y), 37 * sizeof(double));
        assert_true(sweeper_checksum(plain) == sweeper_checksum(copied));
    }
    sweeper_free(plain);
    sweeper_free(copied);
}

static int64_t overlap_of(const struct sweep_case *c, const char *kernel, int threads, int sweeps) {
    omp_set_num_threads(threads);
    struct sweeper *sweeper = case_sweeper(c, kernel_find(kernel));
    int64_t points = sweeper_overlap_points(sweeper, sweeps);
    sweeper_free(sweeper);
    return points;
}

static void overlap_is_counted(void **state) {
    (void)state;
    struct sweep_case c = make_case(2, 0, 0, 300, 10);
    c.depth = 3;
    /* whole columns: from 5 points west of the side to 15 east of it */
    assert_int_equal(overlap_of(&c, "temporal", 1, 3), 20 * 10 * 3);
    /* beside that, each of two threads goes two rows and one row into the part of the other */
    assert_int_equal(overlap_of(&c, "temporal", 2, 3), 20 * 10 * 3 + 2 * (2 + 1) * 320);
    assert_int_equal(overlap_of(&c, "temporal", 2, 1), 0);
    assert_int_equal(overlap_of(&c, "vector", 2, 3), 0);
}

static void tiles_have_a_size(void **state) {
    (void)state;
    struct sweep_case c = make_case(2, 0, 0, 30, 10);
    const struct grid grid = grid_of(&c);
    struct sweep_part part = case_whole(&c, &grid);
    const struct kernel *temporal = kernel_find("temporal");
    for (int64_t kib = 1; kib <= 1024; kib *= 2) {
        part.caches.first_level = kib * 1024;
        struct kernel_tile tile = sweep_tile_plan(&part, temporal);
        assert_true(tile.width >= 128 && tile.width % 64 == 0 && tile.rows == 4);
        assert_true(tile.width == 128 || tile.width * (tile.rows + 2) * 8 <= kib * 1024);
    }
    part.tile = (struct kernel_tile){33, 7};
    struct kernel_tile tile = sweep_tile_plan(&part, temporal);
    assert_int_equal(tile.width, 128);
    assert_int_equal(tile.rows, 7);
}

static void threads_are_timed(void **state) {
    (void)state;
    struct sweep_case c = make_case(2, 0, 0, 300, 200);
    omp_set_num_threads(2);
    struct sweeper *sweeper = case_sweeper(&c, kernel_find("vector"));
    assert_int_equal(sweeper_threads(sweeper), 2);
    assert_true(sweeper_thread_seconds(sweeper)[1] == 0);
    sweeper_advance(sweeper, 1);
    for (int i = 0; i < 2; i++) {
        double seconds = sweeper_thread_seconds(sweeper)[i];
        assert_true(seconds > 0 && seconds < 60);
    }
    sweeper_free(sweeper);
}

static void the_runtime_has_a_name(void **state) {
    (void)state;
    assert_non_null(strstr(sweep_openmp_version(), " (")); /* libgomp or libomp */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_side_is_right),
        cmocka_unit_test(lines_are_right),
        cmocka_unit_test(deep_halos_are_right),
        cmocka_unit_test(a_deep_halo_may_be_used_in_part),
        cmocka_unit_test(tiles_of_every_size_are_right),
        cmocka_unit_test(tiles_of_large_grids_are_right),
        cmocka_unit_test(very_deep_halos_take_several_passes),
        cmocka_unit_test(parts_of_a_grid_are_right),
        cmocka_unit_test(nothing_else_is_written),
        cmocka_unit_test(given_sides_stand_in_both_iterates),
        cmocka_unit_test(mirror_ghosts_are_refreshed_on_demand),
        cmocka_unit_test(every_row_of_the_table_sweeps),
        cmocka_unit_test(wide_rows_are_filled_in_pieces),
        cmocka_unit_test(bad_expressions_are_errors),
        cmocka_unit_test(refused_memory_is_an_error),
        cmocka_unit_test(the_plan_names_its_arrays),
        cmocka_unit_test(a_row_says_how_many_iterates_there_are),
        cmocka_unit_test(redundant_points_are_counted),
        cmocka_unit_test(denormals_are_kept_or_flushed),
        cmocka_unit_test(copy_leaves_the_sweeps_alone),
        cmocka_unit_test(overlap_is_counted),
        cmocka_unit_test(tiles_have_a_size),
        cmocka_unit_test(threads_are_timed),
        cmocka_unit_test(the_runtime_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
