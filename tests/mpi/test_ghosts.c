/* Every ghost value after an exchange: halos hold a poison before, and afterwards all memory of an
 * iterate is compared, bit for bit, with what it must be. Ghosts beyond internal edges hold the
 * function's value at their global index; ghosts beyond physical sides, and padding, are still
 * poison. For every variant, depth, process grid, mix of periodic axes; iterates in turn. */
#include "funnel/halo.h"
#include "mpi_test.h"
#include <stdlib.h>
#include <string.h>

enum { ITERATES = 2, DEEPEST = 4 };

/* One way to cut one problem. */
struct cut {
    struct process_grid process_grid;
    global_index points[AXIS_COUNT];
    int dimensions, depth;
    bool synchronous;
};

/* The part of this rank. */
struct part {
    struct field_layout layout;
    struct extent extent[AXIS_COUNT];
    bool inner_low[AXIS_COUNT], inner_high[AXIS_COUNT]; /* edges with a rank beyond */
};

static struct part part_of(const struct cut *cut, int rank) {
    struct part part;
    int at[AXIS_COUNT];
    process_grid_coordinates(&cut->process_grid, rank, at);
    for (int axis = 0; axis < AXIS_COUNT; axis++) {
        int count = cut->process_grid.count[axis];
        bool periodic = cut->process_grid.periodic[axis];
        part.extent[axis] = extent_of(cut->points[axis], count, at[axis]);
        part.inner_low[axis] = periodic || at[axis] > 0;
        part.inner_high[axis] = periodic || at[axis] < count - 1;
    }
    part.layout = field_layout_make(cut->dimensions, part.extent[AXIS_X].count,
                                    part.extent[AXIS_Y].count, cut->depth);
    return part;
}

/* A signalling pattern that no function value has and no copy alters. */
static void poison(double *values, size_t bytes) {
    memset(values, 0xfb, bytes);
}

/* The function: another value at each global point, iterate and round. */
static double value_at(const struct cut *cut, global_index i, global_index j, int round) {
    global_index nx = cut->points[AXIS_X], ny = cut->points[AXIS_Y];
    return (double)((i + nx) % nx + 1000 * ((j + ny) % ny) + 1000000 * (round + 1));
}

/* True where an exchange, or the rank itself, gives point `k` of an axis a value. */
static bool is_known(const struct part *part, enum axis axis, local_index k) {
    if (k < 0)
        return part->inner_low[axis];
    return k < part->extent[axis].count || part->inner_high[axis];
}

/* Writes what memory must hold: the interior alone, or with the ghosts of an exchange. */
static void fill(const struct cut *cut, const struct part *part, int round, bool ghosts,
                 double *values) {
    struct field field = {part->layout, values};
    int dx = ghosts ? part->layout.depth : 0, dy = ghosts ? part->layout.depth_y : 0;
    poison(values, part->layout.bytes);
    for (local_index j = -dy; j < part->layout.ny + dy; j++)
        for (local_index i = -dx; i < part->layout.nx + dx; i++)
            if (is_known(part, AXIS_X, i) && is_known(part, AXIS_Y, j))
                field_row(&field, j)[i] = value_at(cut, part->extent[AXIS_X].begin + i,
                                                   part->extent[AXIS_Y].begin + j, round);
}

static void expect_exchange(struct mpi_test *test, struct halo *halo, const struct cut *cut,
                            const struct part *part, double *values, double *expected, int round,
                            const char *variant) {
    fill(cut, part, round, false, values);
    fill(cut, part, round, true, expected);
    struct field field = {part->layout, values};
    if (round % 2 == 1)
        halo_meet(halo);
    halo_begin(halo, &field);
    halo_finish(halo, &field);
    const int *count = cut->process_grid.count;
    const bool *periodic = cut->process_grid.periodic;
    mpi_expect(test, memcmp(values, expected, part->layout.bytes) == 0,
               "%s: %d-D, %dx%d ranks, periodic %d %d, depth %d, synchronous %d, round %d", variant,
               cut->dimensions, count[AXIS_X], count[AXIS_Y], periodic[AXIS_X], periodic[AXIS_Y],
               cut->depth, cut->synchronous, round);
}

static void run_rounds(struct mpi_test *test, struct halo *halo, const struct cut *cut,
                       const struct part *part, double *const *values, double *expected,
                       const char *variant) {
    enum { ROUNDS = 4 };
    for (int round = 0; round < ROUNDS; round++)
        expect_exchange(test, halo, cut, part, values[round % ITERATES], expected, round, variant);
    mpi_expect(test, halo_times(halo)->exchanges == ROUNDS, "%d exchanges counted",
               (int)halo_times(halo)->exchanges);
}

static double *take(struct mpi_test *test, size_t bytes) {
    double *values = malloc(bytes);
    if (values == NULL)
        team_abort(test->team, EXIT_CODE_ENVIRONMENT);
    return values;
}

static void test_variant(struct mpi_test *test, const struct cut *cut,
                         const struct halo_variant *variant) {
    if (cut->synchronous && !variant->synchronous)
        return;
    struct part part = part_of(cut, test->rank);
    double *expected = take(test, part.layout.bytes);
    double *values[ITERATES] = {take(test, part.layout.bytes), take(test, part.layout.bytes)};
    struct halo_plan plan = {&cut->process_grid, part.layout, ITERATES, values, cut->synchronous};
    struct status status = {0};
    struct halo *halo = halo_make(test->team, variant, &plan, &status);
    if (mpi_expect(test, halo != NULL && status_good(&status), "%s", status.text))
        run_rounds(test, halo, cut, &part, values, expected, variant->name);
    halo_release(halo);
    free(values[0]);
    free(values[1]);
    free(expected);
}

static void test_cut(struct mpi_test *test, const struct cut *cut) {
    for (int v = 0; v < halo_variant_count; v++)
        test_variant(test, cut, halo_variants[v]);
}

/* All depths, each with parts as small as the depth allows along one axis and uneven along the
 * other, and with synchronous sends at odd depths. */
static void test_depths(struct mpi_test *test, struct cut cut) {
    int px = cut.process_grid.count[AXIS_X], py = cut.process_grid.count[AXIS_Y];
    for (int depth = 1; depth <= DEEPEST; depth++) {
        cut.depth = depth;
        cut.synchronous = depth % 2 == 1;
        cut.points[AXIS_X] = px * depth;
        cut.points[AXIS_Y] = cut.dimensions == 2 ? py * (depth + 2) + py / 2 : 1;
        test_cut(test, &cut);
        cut.synchronous = false;
        cut.points[AXIS_X] = px * (depth + 3) + px / 2 + 1;
        cut.points[AXIS_Y] = cut.dimensions == 2 ? py * depth : 1;
        test_cut(test, &cut);
    }
}

static void test_lines(struct mpi_test *test) {
    for (int periodic = 0; periodic < 2; periodic++)
        test_depths(test, (struct cut){.dimensions = 1,
                                       .process_grid = {.count = {test->ranks, 1},
                                                        .periodic = {periodic == 1, false},
                                                        .node_block = {1, 1}}});
}

/* All factorisations, the ranks numbered along x or, in blocks of a node, along y. */
static void test_rectangles(struct mpi_test *test) {
    for (int px = 1; px <= test->ranks; px++)
        for (int mix = 0; test->ranks % px == 0 && mix < 4; mix++) {
            int py = test->ranks / px;
            struct process_grid grid = {.count = {px, py},
                                        .periodic = {(mix & 1) != 0, (mix & 2) != 0},
                                        .node_block = {1, mix % 3 == 0 ? py : 1}};
            test_depths(test, (struct cut){.dimensions = 2, .process_grid = grid});
        }
}

int main(int argc, char **argv) {
    struct mpi_test test = mpi_test_start(&argc, &argv);
    test_lines(&test);
    test_rectangles(&test);
    return mpi_test_end(&test);
}
