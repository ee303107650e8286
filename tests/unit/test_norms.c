/* Sums, largest error and checksum: the same for every number of threads and every cut into parts,
 * equal to a sum in higher precision, and honest about NaN. */
#include "sweep_case.h"
#include <math.h>
#include <omp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { QUANTITIES = QUANTITY_RHS + 1, PARTS_MOST = 6 };

/* A problem of every kind of side, wider than a tile. */
static struct sweep_case plane_case(void) {
    return (struct sweep_case){.dimensions = 2,
                               .points = {TILE_POINTS + 37, 23},
                               .kind = {SIDE_NEUMANN, SIDE_DIRICHLET, SIDE_DIRICHLET, SIDE_NEUMANN},
                               .source = 2,
                               .omega = 1,
                               .depth = 2};
}

static struct sweep_case line_case(void) {
    return (struct sweep_case){.dimensions = 1,
                               .points = {2 * TILE_POINTS + 11, 1},
                               .kind = {SIDE_DIRICHLET, SIDE_NEUMANN, SIDE_NEUMANN, SIDE_NEUMANN},
                               .source = 1,
                               .omega = 1,
                               .depth = 1};
}

/* Halo and mirror ghosts as an exchange would leave them, from the start values' function. */
static void fill_halo(const struct sweep_case *c, struct sweeper *sweeper) {
    const struct field *field = sweeper_current(sweeper);
    const struct field_layout *layout = &field->layout;
    for (local_index y = -layout->depth_y; y < layout->ny + layout->depth_y; y++)
        for (local_index x = -layout->depth; x < layout->nx + layout->depth; x++) {
            global_index gx = sweeper->part.begin[AXIS_X] + x;
            global_index gy = sweeper->part.begin[AXIS_Y] + y;
            bool in_domain = gx >= 0 && gx < c->points[AXIS_X] && gy >= 0 && gy < c->points[AXIS_Y];
            bool interior = x >= 0 && x < layout->nx && y >= 0 && y < layout->ny;
            double at_y = c->dimensions == 2 ? grid_coordinate(&sweeper->grid, AXIS_Y, gy) : 0;
            if (in_domain && !interior)
                field_row(field, y)[x] =
                    initial_at(grid_coordinate(&sweeper->grid, AXIS_X, gx), at_y);
        }
    sweeper_refresh_sides(sweeper);
}

static struct sweeper *part_sweeper(const struct sweep_case *c, const struct grid *grid,
                                    const global_index begin[AXIS_COUNT],
                                    const global_index count[AXIS_COUNT]) {
    struct status status = {0};
    struct sweep_values values = case_values();
    struct sweep_part part = case_part(c, grid, begin, count);
    struct sweeper *sweeper = sweeper_make(&part, kernel_find("vector"), &values, &status);
    assert_non_null(sweeper);
    fill_halo(c, sweeper);
    return sweeper;
}

/* The grid cut into columns x rows parts, as ranks would hold them. */
struct parts {
    struct grid grid;
    int count;
    struct sweeper *sweeper[PARTS_MOST];
};

static struct parts parts_make(const struct sweep_case *c, int columns, int rows) {
    struct parts parts = {.count = columns * rows};
    assert_true(case_grid(c, &parts.grid));
    for (int i = 0; i < parts.count; i++) {
        global_index begin[AXIS_COUNT] = {c->points[AXIS_X] * (i % columns) / columns,
                                          c->points[AXIS_Y] * (i / columns) / rows};
        global_index end[AXIS_COUNT] = {c->points[AXIS_X] * (i % columns + 1) / columns,
                                        c->points[AXIS_Y] * (i / columns + 1) / rows};
        global_index count[AXIS_COUNT] = {end[AXIS_X] - begin[AXIS_X], end[AXIS_Y] - begin[AXIS_Y]};
        parts.sweeper[i] = part_sweeper(c, &parts.grid, begin, count);
    }
    return parts;
}

static void parts_free(struct parts *parts) {
    for (int i = 0; i < parts->count; i++)
        sweeper_free(parts->sweeper[i]);
}

static double parts_sum(const struct parts *parts, enum sweep_quantity quantity) {
    int exponent = BINNED_ZERO;
    for (int i = 0; i < parts->count; i++) {
        int here = sweeper_exponent(parts->sweeper[i], quantity);
        exponent = here > exponent ? here : exponent;
    }
    int64_t words[BINNED_WORDS] = {0}, split[BINNED_WORDS];
    for (int i = 0; i < parts->count; i++) {
        struct binned_sum sum = sweeper_sum(parts->sweeper[i], quantity, exponent);
        binned_split(&sum, split);
        for (int word = 0; word < BINNED_WORDS; word++)
            words[word] += split[word];
    }
    return binned_value(words, exponent);
}

static uint64_t parts_checksum(const struct parts *parts) {
    uint64_t sum = 0;
    for (int i = 0; i < parts->count; i++)
        sum += sweeper_checksum(parts->sweeper[i]);
    return sum;
}

/* What a run prints of a cut into parts. */
struct printed {
    double sum[QUANTITIES], error_max;
    uint64_t checksum;
};

static struct printed print_parts(const struct sweep_case *c, int columns, int rows) {
    struct parts parts = parts_make(c, columns, rows);
    struct printed printed = {.checksum = parts_checksum(&parts)};
    for (int i = 0; i < parts.count; i++)
        printed.error_max = fmax(printed.error_max, sweeper_error_max(parts.sweeper[i]));
    for (int quantity = 0; quantity < QUANTITIES; quantity++)
        printed.sum[quantity] = parts_sum(&parts, (enum sweep_quantity)quantity);
    parts_free(&parts);
    return printed;
}

static void check_layouts(const struct sweep_case *c, int rows_most) {
    omp_set_num_threads(1);
    struct printed expected = print_parts(c, 1, 1);
    for (int threads = 1; threads <= 5; threads++)
        for (int columns = 1; columns <= 3; columns++)
            for (int rows = 1; rows <= rows_most; rows++) {
                omp_set_num_threads(threads);
                struct printed printed = print_parts(c, columns, rows);
                assert_memory_equal(&printed, &expected, sizeof expected);
            }
}

static void every_layout_prints_the_same(void **state) {
    (void)state;
    struct sweep_case plane = plane_case(), line = line_case();
    check_layouts(&plane, 2);
    check_layouts(&line, 1);
}

static double weight(const struct sweep_case *c, global_index x, global_index y) {
    bool west = x == 0 && c->kind[SIDE_WEST] == SIDE_NEUMANN;
    bool east = x == c->points[AXIS_X] - 1 && c->kind[SIDE_EAST] == SIDE_NEUMANN;
    bool south = y == 0 && c->kind[SIDE_SOUTH] == SIDE_NEUMANN;
    bool north = y == c->points[AXIS_Y] - 1 && c->kind[SIDE_NORTH] == SIDE_NEUMANN;
    double along_y = c->dimensions == 2 && (south || north) ? 0.5 : 1;
    return (west || east ? 0.5 : 1) * along_y;
}

/* A ghost's part in b: all of a given value, the constant of a mirror, nothing of a seam. */
static double side_part(const struct sweep_case *c, const struct grid *grid, enum side side,
                        double x, double y) {
    enum axis axis = side == SIDE_WEST || side == SIDE_EAST ? AXIS_X : AXIS_Y;
    double value = axis == AXIS_X ? side_at(grid_side_coordinate(grid, side), y)
                                  : side_at(x, grid_side_coordinate(grid, side));
    if (c->kind[side] == SIDE_DIRICHLET)
        return value;
    return c->kind[side] == SIDE_NEUMANN ? 2 * grid->spacing[axis] * value / 1.7 : 0;
}

/* Value of a quantity at a point, before weights and squares, straight from the definitions. */
static double plain_value(const struct sweep_case *c, const struct sweeper *s,
                          enum sweep_quantity quantity, global_index i, global_index j) {
    const struct stencil *st = &s->part.stencil;
    const struct field *field = sweeper_current(s);
    const double *u = field_row(field, j) + i;
    double x = grid_coordinate(&s->grid, AXIS_X, i);
    double y = c->dimensions == 2 ? grid_coordinate(&s->grid, AXIS_Y, j) : 0;
    double f = c->source == 2 ? source_at(x, y) : c->source == 1 ? 0.9 : 0;
    if (quantity == QUANTITY_VALUE)
        return *u;
    if (quantity == QUANTITY_ERROR_SQUARED)
        return *u - exact_at(x, y);
    if (quantity == QUANTITY_RESIDUAL_SQUARED) {
        double around = st->ax * (u[-1] + u[1]);
        if (c->dimensions == 2)
            around = st->ay * (u[field->layout.pitch] + u[-field->layout.pitch]) + around;
        return f - (st->diagonal * *u - around);
    }
    double b = f;
    if (i == 0)
        b += st->ax * side_part(c, &s->grid, SIDE_WEST, x, y);
    if (i == c->points[AXIS_X] - 1)
        b += st->ax * side_part(c, &s->grid, SIDE_EAST, x, y);
    if (c->dimensions == 2 && j == 0)
        b += st->ay * side_part(c, &s->grid, SIDE_SOUTH, x, y);
    if (c->dimensions == 2 && j == c->points[AXIS_Y] - 1)
        b += st->ay * side_part(c, &s->grid, SIDE_NORTH, x, y);
    return b;
}

static void check_sum(const struct sweep_case *c, const struct parts *whole,
                      enum sweep_quantity quantity) {
    long double expected = 0, size = 0;
    bool squared = quantity != QUANTITY_VALUE && quantity != QUANTITY_RHS;
    for (global_index j = 0; j < c->points[AXIS_Y]; j++)
        for (global_index i = 0; i < c->points[AXIS_X]; i++) {
            long double value = (long double)plain_value(c, whole->sweeper[0], quantity, i, j);
            long double term = (long double)weight(c, i, j) * (squared ? value * value : value);
            expected += term;
            size += fabsl(term);
        }
    assert_true(size > 0);
    assert_true(fabsl((long double)parts_sum(whole, quantity) - expected) <= 1e-15L * size);
}

static void sums_are_right(void **state) {
    (void)state;
    static const enum side_kind sides[] = {SIDE_DIRICHLET, SIDE_NEUMANN};
    omp_set_num_threads(2);
    for (int number = 0; number < 48; number++) {
        struct sweep_case c = number % 3 == 0 ? line_case() : plane_case();
        for (int side = 0; side < SIDE_COUNT; side++)
            c.kind[side] = sides[number / 3 >> side & 1];
        c.source = number % 2 + 1;
        c.points[AXIS_X] = 3 + 60 * (number % 7);
        struct parts whole = parts_make(&c, 1, 1);
        for (int quantity = 0; quantity < QUANTITIES; quantity++)
            check_sum(&c, &whole, (enum sweep_quantity)quantity);
        parts_free(&whole);
    }
}

/* Periodic sides take no part in b. */
static void seams_add_nothing(void **state) {
    (void)state;
    struct sweep_case c = plane_case();
    for (int side = 0; side < SIDE_COUNT; side++)
        c.kind[side] = SIDE_PERIODIC;
    struct parts whole = parts_make(&c, 1, 1);
    check_sum(&c, &whole, QUANTITY_RHS);
    check_sum(&c, &whole, QUANTITY_RHS_SQUARED);
    parts_free(&whole);
}

static void the_largest_error_is_found(void **state) {
    (void)state;
    struct sweep_case c = plane_case();
    struct parts whole = parts_make(&c, 1, 1);
    double most = 0;
    for (global_index j = 0; j < c.points[AXIS_Y]; j++)
        for (global_index i = 0; i < c.points[AXIS_X]; i++) {
            double error = plain_value(&c, whole.sweeper[0], QUANTITY_ERROR_SQUARED, i, j);
            most = fmax(most, fabs(error));
        }
    assert_true(sweeper_error_max(whole.sweeper[0]) == most);
    parts_free(&whole);
}

/* One bad value anywhere is seen by whatever reads it. */
static void bad_values_are_seen(void **state) {
    (void)state;
    static const global_index places[][AXIS_COUNT] = {{0, 0}, {TILE_POINTS + 36, 22}, {517, 11}};
    struct sweep_case c = plane_case();
    omp_set_num_threads(3);
    struct parts whole = parts_make(&c, 1, 1);
    struct sweeper *s = whole.sweeper[0];
    for (int i = 0; i < 6; i++) {
        const global_index *at = places[i / 2];
        double *place = field_row(sweeper_current(s), at[AXIS_Y]) + at[AXIS_X], before = *place;
        *place = i % 2 ? (double)INFINITY : (double)NAN;
        assert_int_equal(sweeper_exponent(s, QUANTITY_RESIDUAL_SQUARED), BINNED_NOT_FINITE);
        assert_int_equal(sweeper_exponent(s, QUANTITY_ERROR_SQUARED), BINNED_NOT_FINITE);
        assert_int_equal(sweeper_exponent(s, QUANTITY_VALUE), BINNED_NOT_FINITE);
        double error = sweeper_error_max(s);
        assert_true(i % 2 ? isinf(error) : isnan(error));
        *place = before;
    }
    assert_true(isfinite(sweeper_error_max(s)));
    parts_free(&whole);
}

static void a_zero_field_has_the_zero_sum(void **state) {
    (void)state;
    struct sweep_case c = plane_case();
    struct parts whole = parts_make(&c, 1, 1);
    const struct field *field = sweeper_current(whole.sweeper[0]);
    memset(field->values, 0, field->layout.bytes);
    assert_int_equal(sweeper_exponent(whole.sweeper[0], QUANTITY_VALUE), BINNED_ZERO);
    assert_true(parts_sum(&whole, QUANTITY_VALUE) == 0);
    parts_free(&whole);
}

/* Every change of a value, and values that change places, change the checksum. */
static void the_checksum_sees_changes(void **state) {
    (void)state;
    struct sweep_case c = plane_case();
    struct parts whole = parts_make(&c, 1, 1);
    struct sweeper *s = whole.sweeper[0];
    uint64_t before = sweeper_checksum(s);
    double *row = field_row(sweeper_current(s), 7), first = row[3], second = row[4];
    for (int bit = 0; bit < 64; bit++) {
        uint64_t bits;
        memcpy(&bits, &first, sizeof bits);
        bits ^= UINT64_C(1) << bit;
        memcpy(&row[3], &bits, sizeof bits);
        assert_true(sweeper_checksum(s) != before);
    }
    row[3] = second;
    row[4] = first;
    assert_true(first != second && sweeper_checksum(s) != before);
    row[3] = first;
    row[4] = second;
    assert_true(sweeper_checksum(s) == before);
    parts_free(&whole);
}

static void shifts_move_the_source(void **state) {
    (void)state;
    struct sweep_case c = plane_case();
    c.depth = 3;
    for (int side = 0; side < SIDE_COUNT; side++)
        c.kind[side] = SIDE_PERIODIC;
    omp_set_num_threads(3);
    struct parts whole = parts_make(&c, 1, 1);
    struct sweeper *s = whole.sweeper[0];
    double value = field_row(sweeper_current(s), 5)[9];
    double source = field_row(&s->source, 5)[9], beyond = field_row(&s->source, -2)[-2];
    assert_true(beyond == field_row(&s->source, 21)[TILE_POINTS + 35]);
    sweeper_shift_source(s, -0.25);
    assert_true(field_row(sweeper_current(s), 5)[9] == value);
    assert_true(field_row(&s->source, 5)[9] == source - 0.25);
    assert_true(field_row(&s->source, -2)[-2] == beyond - 0.25);
    parts_free(&whole);
}

static void a_constant_source_stays_constant(void **state) {
    (void)state;
    struct sweep_case c = plane_case();
    c.source = 0;
    struct parts whole = parts_make(&c, 1, 1);
    struct sweeper *s = whole.sweeper[0];
    sweeper_shift_source(s, 0);
    assert_false(s->part.stencil.has_source);
    sweeper_shift_source(s, 0.75);
    assert_true(s->part.stencil.has_source && s->part.stencil.source == 0.75);
    assert_null(s->source.values);
    parts_free(&whole);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layout_prints_the_same),
        cmocka_unit_test(sums_are_right),
        cmocka_unit_test(seams_add_nothing),
        cmocka_unit_test(the_largest_error_is_found),
        cmocka_unit_test(bad_values_are_seen),
        cmocka_unit_test(a_zero_field_has_the_zero_sum),
        cmocka_unit_test(the_checksum_sees_changes),
        cmocka_unit_test(shifts_move_the_source),
        cmocka_unit_test(a_constant_source_stays_constant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
