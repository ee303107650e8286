/* A sweep in two parts is the sweep: the same bits, from an inner part that was swept while the
 * halo held NaN, for all mixes of edges, depths and numbers of threads. */
#include "sweep_case.h"
#include <math.h>
#include <omp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MIXES = 16, DEPTH = 3 };

/* The edges that are internal are the bits of `mix`. */
static struct sweeper *make(const struct sweep_case *c, const struct grid *grid, int mix,
                            const char *kernel) {
    struct status status = {0};
    struct sweep_values values = case_values();
    struct sweep_part part = case_whole(c, grid);
    for (int side = 0; side < SIDE_COUNT; side++)
        part.physical[side] = (mix & 1 << side) == 0;
    struct sweeper *sweeper = sweeper_make(&part, kernel_find(kernel), &values, &status);
    assert_string_equal(status.text, "");
    return sweeper;
}

/* Writes the halos of internal edges, what an exchange fills: values of some function, or NaN. */
static void fill_halo(const struct sweeper *sweeper, bool known) {
    const struct field *field = sweeper_current(sweeper);
    const struct field_layout *layout = &field->layout;
    const bool *physical = sweeper->part.physical;
    for (local_index y = -layout->depth_y; y < layout->ny + layout->depth_y; y++)
        for (local_index x = -layout->depth; x < layout->nx + layout->depth; x++) {
            bool outside =
                (x < 0 && physical[SIDE_WEST]) || (x >= layout->nx && physical[SIDE_EAST]) ||
                (y < 0 && physical[SIDE_SOUTH]) || (y >= layout->ny && physical[SIDE_NORTH]);
            bool inside = x >= 0 && x < layout->nx && y >= 0 && y < layout->ny;
            if (!outside && !inside)
                field_row(field, y)[x] = known ? sin((double)(3 * x + 5 * y)) : nan("");
        }
}

/* By one thread, the boxes in turn: who sweeps them is the caller's business. */
static void advance_split(struct sweeper *sweeper, int sweeps) {
    sweeper_refresh_sides(sweeper);
    for (int box = 0; box < sweeper_threads(sweeper); box++) {
        bool shared = box % 2 == 0;
        for (int tile = 0; tile < sweeper_inner_tiles(sweeper, box, shared, sweeps); tile++)
            sweeper_sweep_inner(sweeper, box, tile, shared, sweeps, 0);
    }
    fill_halo(sweeper, true);
    for (int box = 0; box < sweeper_threads(sweeper); box++)
        sweeper_refresh_rim(sweeper, box, sweeps);
    for (int box = 0; box < sweeper_threads(sweeper); box++)
        for (int tile = 0; tile < sweeper_rim_tiles(sweeper); tile++)
            sweeper_sweep_rim(sweeper, box, tile, sweeps, 0);
    int left = sweeper_end_first_pass(sweeper, sweeps);
    if (left > 0)
        sweeper_advance(sweeper, left);
}

static void check_equal(const struct sweeper *a, const struct sweeper *b) {
    const struct field *first = sweeper_current(a), *second = sweeper_current(b);
    size_t bytes = (size_t)first->layout.nx * sizeof(double);
    for (local_index y = 0; y < first->layout.ny; y++)
        assert_memory_equal(field_row(first, y), field_row(second, y), bytes);
}

static void compare_kernel(const struct sweep_case *c, int mix, int sweeps, const char *kernel) {
    const struct grid grid = grid_of(c);
    struct sweeper *whole = make(c, &grid, mix, "vector"), *split = make(c, &grid, mix, kernel);
    fill_halo(whole, true);
    fill_halo(split, false);
    sweeper_advance(whole, sweeps);
    advance_split(split, sweeps);
    check_equal(whole, split);
    sweeper_free(whole);
    sweeper_free(split);
}

static void compare(const struct sweep_case *c, int mix, int sweeps) {
    compare_kernel(c, mix, sweeps, "vector");
    for (int row = 0; row < kernel_count; row++)
        if (kernels[row].choose_tile)
            compare_kernel(c, mix, sweeps, kernels[row].name);
}

static struct sweep_case make_case(int dimensions, int nx, int ny, enum side_kind kind) {
    return (struct sweep_case){.dimensions = dimensions,
                               .points = {nx, ny},
                               .kind = {kind, kind, kind, kind},
                               .source = 2,
                               .omega = 1,
                               .depth = DEPTH};
}

static void split_is_whole(void **state) {
    (void)state;
    static const int sizes[][2] = {{5, 5}, {16, 3}, {17, 2}, {25, 4}, {37, 41}, {131, 75}};
    for (int threads = 1; threads <= 5; threads += 2)
        for (int size = 0; size < 6; size++)
            for (int mix = 0; mix < MIXES; mix++) {
                enum side_kind kind = mix % 3 == 0 ? SIDE_DIRICHLET : SIDE_NEUMANN;
                struct sweep_case c = make_case(2, sizes[size][0], sizes[size][1], kind);
                omp_set_num_threads(threads);
                compare(&c, mix, 1 + (mix + size) % DEPTH);
            }
}

static void lines_too(void **state) {
    (void)state;
    for (int threads = 1; threads <= 4; threads += 3)
        for (int nx = 3; nx < 600; nx += nx < 40 ? 1 : 97)
            for (int mix = 0; mix < 4; mix++) {
                struct sweep_case c = make_case(1, nx, 1, SIDE_NEUMANN);
                omp_set_num_threads(threads);
                compare(&c, mix, 1 + nx % DEPTH);
            }
}

/* Otherwise the comparison above would compare the plain sweep with itself. */
static void large_parts_have_an_inner_part(void **state) {
    (void)state;
    struct sweep_case large = make_case(2, 37, 41, SIDE_DIRICHLET);
    struct sweep_case narrow = make_case(2, 16, 41, SIDE_DIRICHLET);
    struct grid grid = grid_of(&large);
    struct sweeper *sweeper = make(&large, &grid, MIXES - 1, "temporal");
    for (int sweeps = 1; sweeps <= DEPTH; sweeps++) {
        assert_true(sweeper_has_inner(sweeper, sweeps));
        assert_true(sweeper_inner_tiles(sweeper, 0, false, sweeps) > 0);
    }
    sweeper_free(sweeper);
    grid = grid_of(&narrow);
    sweeper = make(&narrow, &grid, MIXES - 1, "temporal");
    assert_false(sweeper_has_inner(sweeper, 1));
    sweeper_free(sweeper);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(split_is_whole),
        cmocka_unit_test(lines_too),
        cmocka_unit_test(large_parts_have_an_inner_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
