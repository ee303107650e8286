/* The domain room: grids, process grids, stencils, convergence, layouts, each against arithmetic
 * done by hand or by an independent loop. */
#include "funnel/field.h"
#include "funnel/process_grid.h"
#include "funnel/relaxation.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the headers above first */
#include <cmocka.h>

static const enum side_kind D = SIDE_DIRICHLET, N = SIDE_NEUMANN, P = SIDE_PERIODIC;

static void assert_near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g is not within %g of %.17g", value, tolerance, expected);
}

static struct grid plane(global_index nx, global_index ny, enum side_kind west, enum side_kind east,
                         enum side_kind south, enum side_kind north) {
    struct grid grid;
    struct status status = {0};
    assert_true(grid_make(&grid, 2, (global_index[]){nx, ny}, (double[]){1, 1},
                          (enum side_kind[]){west, east, south, north}, &status));
    return grid;
}

static void spacing_follows_from_the_sides(void **state) {
    (void)state;
    struct grid grid = plane(9, 10, D, D, D, N);
    assert_near(grid.spacing[AXIS_X], 0.1, 1e-15);
    assert_near(grid.spacing[AXIS_Y], 0.1, 1e-15);
    assert_near(grid_coordinate(&grid, AXIS_X, -1), 0, 1e-15);
    assert_near(grid_coordinate(&grid, AXIS_X, 9), 1, 1e-15);
    assert_near(grid_coordinate(&grid, AXIS_Y, 9), 1, 1e-15);
    grid = plane(11, 10, N, N, P, P);
    assert_near(grid.spacing[AXIS_X], 0.1, 1e-15);
    assert_near(grid.spacing[AXIS_Y], 0.1, 1e-15);
    assert_near(grid_coordinate(&grid, AXIS_X, 0), 0, 0);
    assert_near(grid_coordinate(&grid, AXIS_Y, 10), 1, 1e-15);
    grid = plane(10, 3, N, D, D, D);
    assert_near(grid.spacing[AXIS_X], 0.1, 1e-15);
    assert_near(grid_coordinate(&grid, AXIS_X, 10), 1, 1e-15);
}

static void weights_are_those_of_the_trapezoid(void **state) {
    (void)state;
    struct grid grid = plane(5, 4, N, D, N, N);
    const double x[] = {0.5, 1, 1, 1, 1}, y[] = {0.5, 1, 1, 0.5};
    for (int i = 0; i < 5; i++)
        assert_true(grid_weight(&grid, AXIS_X, i) == x[i]);
    for (int j = 0; j < 4; j++)
        assert_true(grid_weight(&grid, AXIS_Y, j) == y[j]);
}

static void bad_grids_are_refused(void **state) {
    (void)state;
    const struct {
        global_index nx, ny;
        double length;
        enum side_kind kind[SIDE_COUNT];
        const char *text;
    } cases[] = {
        {0, 4, 1, {D, D, D, D}, "grid.nx: 0 points; at least 1 is needed"},
        {4, 4, 0, {D, D, D, D}, "grid.length_x: 0 is no length; it must be above 0"},
        {4, 4, 1, {P, D, D, D}, "problem.west: periodic needs problem.east = periodic too"},
        {4, 4, 1, {D, D, N, P}, "problem.north: periodic needs problem.south = periodic too"},
        {1, 4, 1, {N, N, D, D}, "grid.nx: two Neumann sides need at least 2 points, not 1"},
        {INT32_MAX,
         INT32_MAX,
         1,
         {D, D, D, D},
         "grid.ny: 2147483647 x 2147483647 points are more than the 18014398509481984 that can be "
         "counted in bytes; use a smaller grid"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct grid grid;
        struct status status = {0};
        assert_false(grid_make(&grid, 2, (global_index[]){cases[i].nx, cases[i].ny},
                               (double[]){cases[i].length, 1}, cases[i].kind, &status));
        assert_int_equal(status.code, EXIT_CODE_USAGE);
        assert_string_equal(status.text, cases[i].text);
    }
}

static void extents_cover_everything_once(void **state) {
    (void)state;
    for (global_index points = 1; points <= 60; points++)
        for (int parts = 1; parts <= points; parts++) {
            global_index next = 0;
            for (int part = 0; part < parts; part++) {
                struct extent extent = extent_of(points, parts, part);
                assert_true(extent.begin == next);
                assert_in_range(extent.count, points / parts, points / parts + 1);
                next += extent.count;
            }
            assert_true(next == points);
        }
    struct extent last = extent_of(INT64_C(1) << 40, 3, 2);
    assert_true(last.begin + last.count == INT64_C(1) << 40);
}

static void check_choice(struct grid grid, int ranks, const char *wish_text, int px, int py) {
    struct process_grid process_grid;
    struct process_grid_wish wish;
    struct status status = {0};
    assert_true(process_grid_wish_read(&wish, wish_text));
    assert_true(process_grid_choose(&process_grid, &grid, ranks, &wish, 0, &status));
    assert_int_equal(process_grid.count[AXIS_X], px);
    assert_int_equal(process_grid.count[AXIS_Y], py);
}

static void the_process_grid_has_the_fewest_halo_points(void **state) {
    (void)state;
    struct grid square = plane(4000, 4000, D, D, D, D);
    check_choice(square, 1, "auto", 1, 1);
    check_choice(square, 2, "auto", 1, 2);
    check_choice(square, 25, "auto", 5, 5);
    check_choice(square, 49, "auto", 7, 7);
    check_choice(square, 72, "auto", 8, 9);
    check_choice(square, 361, "auto", 19, 19);
    check_choice(square, 7, "auto", 1, 7);
    check_choice(square, 6, "1d-x", 6, 1);
    check_choice(square, 6, "1d-y", 1, 6);
    check_choice(square, 12, "2d", 3, 4);
    check_choice(square, 12, "6x2", 6, 2);
    check_choice(plane(10, 1000, D, D, D, D), 4, "auto", 1, 4);
    check_choice(plane(1000, 10, D, D, D, D), 4, "auto", 4, 1);
    /* cutting a periodic axis costs two cuts for two ranks */
    check_choice(plane(100, 120, P, P, D, D), 2, "auto", 1, 2);
    check_choice(plane(110, 100, D, D, P, P), 2, "auto", 2, 1);
}

static void check_refusal(struct grid grid, int ranks, const char *wish_text, const char *text) {
    struct process_grid process_grid;
    struct process_grid_wish wish;
    struct status status = {0};
    assert_true(process_grid_wish_read(&wish, wish_text));
    assert_false(process_grid_choose(&process_grid, &grid, ranks, &wish, 0, &status));
    assert_int_equal(status.code, EXIT_CODE_USAGE);
    assert_string_equal(status.text, text);
}

/* Fewest halo points over all factorisations, ties splitting y, by trying every px in order. */
static void assert_best(const struct grid *grid, int ranks) {
    const struct process_grid_wish any = {.decomposition = DECOMPOSITION_AUTO};
    struct process_grid chosen;
    struct status status = {0};
    int best[AXIS_COUNT] = {0, 0};
    for (int px = 1; px <= ranks; px++) {
        int count[AXIS_COUNT] = {px, ranks / px};
        if (ranks % px == 0 && px <= grid->points[AXIS_X] &&
            count[AXIS_Y] <= grid->points[AXIS_Y] &&
            (best[AXIS_X] == 0 ||
             process_grid_halo_points(grid, count) < process_grid_halo_points(grid, best)))
            memcpy(best, count, sizeof best);
    }
    assert_int_equal(process_grid_choose(&chosen, grid, ranks, &any, 0, &status), best[AXIS_X] > 0);
    if (best[AXIS_X] > 0)
        assert_memory_equal(chosen.count, best, sizeof best);
}

static void every_factorisation_is_looked_at(void **state) {
    (void)state;
    const struct grid grids[] = {plane(60, 60, D, D, D, D), plane(300, 7, D, D, D, D),
                                 plane(5, 90, D, D, D, D), plane(64, 64, P, P, D, D)};
    for (size_t g = 0; g < sizeof grids / sizeof grids[0]; g++)
        for (int ranks = 1; ranks <= 240; ranks++)
            assert_best(&grids[g], ranks);
}

static void ranks_without_points_are_refused(void **state) {
    (void)state;
    check_refusal(
        plane(1, 4, D, D, D, D), 5, "auto",
        "parallel.process_grid: 5 ranks cannot share 1 x 4 points so that each has one; the "
        "nearest usable rank count is 4");
    check_refusal(
        plane(3, 3, D, D, D, D), 7, "auto",
        "parallel.process_grid: 7 ranks cannot share 3 x 3 points so that each has one; the "
        "nearest usable rank counts are 6 and 9");
    check_refusal(
        plane(9, 4, D, D, D, D), 8, "1d-y",
        "parallel.process_grid: 8 ranks cannot share 9 x 4 points so that each has one; the "
        "nearest usable rank count is 4");
    /* looks at a hundred thousand counts for advice, and must not take long over it */
    check_refusal(
        plane(1000000, 4, D, D, D, D), 5, "1d-y",
        "parallel.process_grid: 5 ranks cannot share 1000000 x 4 points so that each has one; the "
        "nearest usable rank count is 4");
    check_refusal(plane(9, 9, D, D, D, D), 8, "3x3",
                  "parallel.process_grid: 3x3 needs 9 ranks, there are 8");
    check_refusal(
        plane(9, 9, D, D, D, D), 7, "2d",
        "parallel.process_grid: 7 ranks cannot share 9 x 9 points so that each has one; the "
        "nearest usable rank counts are 6 and 8");
}

static void wishes_are_read_whole(void **state) {
    (void)state;
    struct process_grid_wish wish;
    const char *const bad[] = {"",      "Auto", "3d",   "4",    "4x", "x4",
                               "4x4x4", "0x4",  "-1x4", "4x4 ", "4X4"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(process_grid_wish_read(&wish, bad[i]));
    assert_true(process_grid_wish_read(&wish, "12x5"));
    assert_int_equal(wish.count[AXIS_X], 12);
    assert_int_equal(wish.count[AXIS_Y], 5);
}

static void ranks_and_coordinates_agree(void **state) {
    (void)state;
    const int ranks_per_node[] = {0, 1, 2, 4, 6, 8, 12, 24};
    struct grid grid = plane(100, 100, P, P, D, D);
    for (size_t i = 0; i < sizeof ranks_per_node / sizeof ranks_per_node[0]; i++) {
        struct process_grid process_grid;
        struct process_grid_wish wish = {DECOMPOSITION_GIVEN, {4, 6}};
        struct status status = {0};
        assert_true(
            process_grid_choose(&process_grid, &grid, 24, &wish, ranks_per_node[i], &status));
        bool seen[24] = {false};
        for (int rank = 0; rank < 24; rank++) {
            int at[AXIS_COUNT];
            process_grid_coordinates(&process_grid, rank, at);
            assert_int_equal(process_grid_rank(&process_grid, at), rank);
            assert_false(seen[at[AXIS_Y] * 4 + at[AXIS_X]]);
            seen[at[AXIS_Y] * 4 + at[AXIS_X]] = true;
        }
        assert_int_equal(process_grid_rank(&process_grid, (int[]){-1, 2}),
                         process_grid_rank(&process_grid, (int[]){3, 2}));
        assert_int_equal(process_grid_rank(&process_grid, (int[]){1, -1}), -1);
        assert_int_equal(process_grid_rank(&process_grid, (int[]){1, 6}), -1);
    }
}

static void ranks_of_a_node_form_a_block(void **state) {
    (void)state;
    struct grid grid = plane(100, 100, D, D, D, D);
    struct process_grid process_grid;
    struct process_grid_wish wish = {DECOMPOSITION_GIVEN, {4, 4}};
    struct status status = {0};
    assert_true(process_grid_choose(&process_grid, &grid, 16, &wish, 4, &status));
    assert_int_equal(process_grid.node_block[AXIS_X], 2);
    assert_int_equal(process_grid.node_block[AXIS_Y], 2);
}

static void stencil_weights_are_formed_once(void **state) {
    (void)state;
    struct status status = {0};
    struct stencil stencil;
    struct grid grid = plane(9, 9, D, D, D, D);
    struct equation equation = {.diffusion = 2, .reaction = 5, .source = 3};
    assert_true(stencil_make(&stencil, &grid, &equation, 1, &status));
    assert_true(stencil.isotropic && stencil.has_source);
    assert_near(stencil.diagonal, 4 * 2 / 0.01 + 5, 1e-9);
    assert_near(stencil.cx, 200 / 805.0, 1e-15);
    grid = plane(9, 19, D, D, D, D);
    assert_true(stencil_make(&stencil, &grid, &equation, 1, &status));
    assert_false(stencil.isotropic);
    assert_near(stencil.ay, 2 / 0.0025, 1e-9);
    const double bad[][2] = {{0, 0}, {-1, 0}, {1, -1}, {nan(""), 0}, {HUGE_VAL, 0}, {1e308, 0}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct status refused = {0};
        equation = (struct equation){.diffusion = bad[i][0], .reaction = bad[i][1]};
        assert_false(stencil_make(&stencil, &grid, &equation, 1, &refused));
        assert_int_equal(refused.code, EXIT_CODE_USAGE);
    }
}

enum { MOST = 16 };

/* Value beyond a side: the opposite edge, the mirror image, or zero. */
static double ghost(enum side_kind kind, double opposite, double mirror) {
    return kind == P ? opposite : kind == N ? mirror : 0;
}

static void set_ghosts(const struct grid *grid, double u[MOST + 2][MOST + 2]) {
    int nx = (int)grid->points[AXIS_X], ny = (int)grid->points[AXIS_Y];
    for (int j = 1; j <= ny; j++) {
        u[j][0] = ghost(grid->kind[SIDE_WEST], u[j][nx], u[j][2]);
        u[j][nx + 1] = ghost(grid->kind[SIDE_EAST], u[j][1], u[j][nx - 1]);
    }
    for (int i = 1; i <= nx; i++) {
        u[0][i] = ghost(grid->kind[SIDE_SOUTH], u[ny][i], u[2][i]);
        u[ny + 1][i] = ghost(grid->kind[SIDE_NORTH], u[1][i], u[ny - 1][i]);
    }
}

/* Weighted mean or sum of squares of the interior. */
static double weighted(const struct grid *grid, double u[MOST + 2][MOST + 2], bool squared) {
    double sum = 0, weight = 0;
    for (int j = 1; j <= (int)grid->points[AXIS_Y]; j++)
        for (int i = 1; i <= (int)grid->points[AXIS_X]; i++) {
            double m = grid_weight(grid, AXIS_X, i - 1) * grid_weight(grid, AXIS_Y, j - 1);
            sum += m * u[j][i] * (squared ? u[j][i] : 1);
            weight += m;
        }
    return squared ? sum : sum / weight;
}

static void sweep(const struct grid *grid, const struct stencil *s, double u[MOST + 2][MOST + 2],
                  double v[MOST + 2][MOST + 2]) {
    for (int j = 1; j <= (int)grid->points[AXIS_Y]; j++)
        for (int i = 1; i <= (int)grid->points[AXIS_X]; i++) {
            double mean = s->cx * (u[j][i - 1] + u[j][i + 1]) + s->cy * (u[j - 1][i] + u[j + 1][i]);
            v[j][i] = u[j][i] + s->omega * (mean - u[j][i]);
        }
}

/* The factor by which the slowest mode decays, after many sweeps of the stencil itself: a power
 * iteration that knows no formula. The constant mode of a singular problem is taken out. */
static double measured_radius(const struct grid *grid, const struct stencil *stencil) {
    double u[MOST + 2][MOST + 2], v[MOST + 2][MOST + 2], factor = 0;
    bool singular = problem_is_singular(grid, &(struct equation){.diffusion = 1});
    for (int j = 0; j < MOST + 2; j++)
        for (int i = 0; i < MOST + 2; i++)
            u[j][i] = (double)((i * 7919 + j * 104729) % 1000) / 1000;
    for (int n = 0; n < 4000; n++) {
        set_ghosts(grid, u);
        sweep(grid, stencil, u, v);
        double before = weighted(grid, u, true), after = weighted(grid, v, true);
        double mean = singular ? weighted(grid, v, false) : 0;
        factor = sqrt(after / before);
        for (int j = 1; j <= (int)grid->points[AXIS_Y]; j++)
            for (int i = 1; i <= (int)grid->points[AXIS_X]; i++)
                u[j][i] = (v[j][i] - mean) / sqrt(after);
    }
    return factor;
}

static void the_spectral_radius_is_that_of_the_sweep(void **state) {
    (void)state;
    const struct {
        global_index nx, ny;
        enum side_kind kind[SIDE_COUNT];
        double omega;
    } cases[] = {
        {7, 7, {D, D, D, D}, 1},   {6, 9, {D, N, D, D}, 1},   {5, 8, {N, N, D, N}, 1},
        {8, 6, {P, P, D, D}, 1},   {7, 7, {P, P, D, N}, 0.8}, {7, 6, {N, N, N, N}, 0.7},
        {8, 8, {P, P, P, P}, 0.9}, {9, 7, {P, P, N, N}, 0.6}, {9, 7, {P, P, P, P}, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct grid grid = plane(cases[i].nx, cases[i].ny, cases[i].kind[0], cases[i].kind[1],
                                 cases[i].kind[2], cases[i].kind[3]);
        struct equation equation = {.diffusion = 1};
        struct stencil stencil;
        struct status status = {0};
        assert_true(stencil_make(&stencil, &grid, &equation, cases[i].omega, &status));
        bool singular = problem_is_singular(&grid, &equation);
        assert_near(spectral_radius(&grid, &stencil, singular), measured_radius(&grid, &stencil),
                    2e-4);
    }
}

static void forecasts_are_logarithms(void **state) {
    (void)state;
    assert_int_equal(forecast_sweeps(0.5, 1e-3), 10);
    assert_int_equal(forecast_sweeps(0.5, 1), 0);
    assert_int_equal(forecast_sweeps(1, 0.5), -1);
    assert_int_equal(forecast_sweeps(0.5, 0), -1);
    assert_int_equal(forecast_sweeps(0.5, nan("")), -1);
    assert_int_equal(check_interval(0, 1), 1000);
    assert_int_equal(check_interval(3, 5000), 4);
    assert_int_equal(check_interval(5000, 100000), 200);
    assert_int_equal(check_interval(-1, 100000000), 1000);
}

static void only_closed_problems_are_singular(void **state) {
    (void)state;
    struct grid closed = plane(6, 6, N, N, P, P), odd = plane(6, 5, N, N, P, P);
    struct grid open = plane(6, 6, N, N, N, D);
    struct equation diffusion = {.diffusion = 1}, reaction = {.diffusion = 1, .reaction = 1};
    assert_true(problem_is_singular(&closed, &diffusion));
    assert_false(problem_is_singular(&closed, &reaction));
    assert_false(problem_is_singular(&open, &diffusion));
    assert_true(has_checkerboard_mode(&closed));
    assert_false(has_checkerboard_mode(&odd));
}

static void layouts_are_aligned_and_do_not_alias(void **state) {
    (void)state;
    for (int depth = 1; depth <= 33; depth += 4)
        for (local_index nx = 1; nx < 4200; nx += 61) {
            struct field_layout layout = field_layout_make(2, nx, 3, depth);
            assert_int_equal(layout.origin % 8, 0);
            assert_int_equal(layout.pitch % 8, 0);
            assert_int_not_equal(layout.pitch % 512, 0);
            int64_t first = layout.origin - depth * layout.pitch - depth;
            int64_t last = layout.origin + (2 + depth) * layout.pitch + nx - 1 + depth;
            assert_true(first >= 8);
            assert_true((size_t)(last + 8) < layout.bytes / sizeof(double));
            assert_true(layout.pitch >= nx + 2 * depth + 16);
        }
    struct field_layout line = field_layout_make(1, 100, 1, 4);
    assert_int_equal(line.depth_y, 0);
    assert_int_equal(line.bytes, line.pitch * (int64_t)sizeof(double));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spacing_follows_from_the_sides),
        cmocka_unit_test(weights_are_those_of_the_trapezoid),
        cmocka_unit_test(bad_grids_are_refused),
        cmocka_unit_test(extents_cover_everything_once),
        cmocka_unit_test(the_process_grid_has_the_fewest_halo_points),
        cmocka_unit_test(every_factorisation_is_looked_at),
        cmocka_unit_test(ranks_without_points_are_refused),
        cmocka_unit_test(wishes_are_read_whole),
        cmocka_unit_test(ranks_and_coordinates_agree),
        cmocka_unit_test(ranks_of_a_node_form_a_block),
        cmocka_unit_test(stencil_weights_are_formed_once),
        cmocka_unit_test(the_spectral_radius_is_that_of_the_sweep),
        cmocka_unit_test(forecasts_are_logarithms),
        cmocka_unit_test(only_closed_problems_are_singular),
        cmocka_unit_test(layouts_are_aligned_and_do_not_alias),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
