/* Every ghost value after an exchange: halos hold a poison before, and afterwards all memory of an
 * iterate is compared, bit for bit, with what it must be. Ghosts beyond internal edges hold the
 * function's value at their global index; ghosts beyond physical sides, and padding, are still
 * poison (B06). For every variant, depth, process grid, mix of periodic axes; iterates in turn. A
 * second argument names the one variant to test. */
#include "funnel/halo.h"
#include "mpi_test.h"
#include <math.h>
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

/* The times of an exchange can be hidden in part, and as a whole; never more, nor anything of the
 * exchanges before. */
static void expect_hiding(struct mpi_test *test, struct halo *halo,
                          const struct halo_times *before) {
    const struct halo_times *now = halo_times(halo);
    double booked_s = now->transfer_s + now->pack_s - before->transfer_s - before->pack_s;
    halo_hide(halo, -1);
    mpi_expect(test, now->hidden_s == before->hidden_s, "less than nothing is hidden");
    halo_hide(halo, booked_s / 2);
    mpi_expect(test,
               now->hidden_s > before->hidden_s && now->hidden_s < before->hidden_s + booked_s,
               "half of %g s: %g s hidden", booked_s, now->hidden_s - before->hidden_s);
    halo_hide(halo, 1e6);
    mpi_expect(test, now->transfer_s == before->transfer_s && now->pack_s == before->pack_s,
               "transfer %g s, pack %g s left of a hidden exchange, %g and %g before",
               now->transfer_s, now->pack_s, before->transfer_s, before->pack_s);
    mpi_expect(test, fabs(now->hidden_s - before->hidden_s - booked_s) < 1e-9,
               "%g s hidden of %g s", now->hidden_s - before->hidden_s, booked_s);
}

static void expect_exchange(struct mpi_test *test, struct halo *halo, const struct cut *cut,
                            const struct part *part, double *values, double *expected,
                            double *received, int round, const char *variant) {
    fill(cut, part, round, false, values);
    fill(cut, part, round, true, expected);
    struct field field = {part->layout, values};
    if (round % 2 == 1)
        halo_meet(halo);
    struct halo_times before = *halo_times(halo);
    halo_begin(halo, &field);
    halo_finish(halo, &field);
    expect_hiding(test, halo, &before);
    /* from now on the field may be overwritten: neighbours must have what they need */
    memcpy(received, values, part->layout.bytes);
    poison(values, part->layout.bytes);
    const int *count = cut->process_grid.count;
    const bool *periodic = cut->process_grid.periodic;
    mpi_expect(test, memcmp(received, expected, part->layout.bytes) == 0,
               "%s: %d-D, %dx%d ranks, periodic %d %d, depth %d, synchronous %d, round %d", variant,
               cut->dimensions, count[AXIS_X], count[AXIS_Y], periodic[AXIS_X], periodic[AXIS_Y],
               cut->depth, cut->synchronous, round);
}

static void run_rounds(struct mpi_test *test, struct halo *halo, const struct cut *cut,
                       const struct part *part, double *const *values, double *expected,
                       double *received, const char *variant) {
    enum { ROUNDS = 4 };
    for (int round = 0; round < ROUNDS; round++)
        expect_exchange(test, halo, cut, part, values[round % ITERATES], expected, received, round,
                        variant);
    mpi_expect(test, halo_times(halo)->exchanges == ROUNDS, "%d exchanges counted",
               (int)halo_times(halo)->exchanges);
}

static double *take(struct mpi_test *test, size_t bytes) {
    double *values = malloc(bytes);
    if (values == NULL)
        team_abort(test->team, EXIT_CODE_ENVIRONMENT);
    return values;
}

/* A variant with memory for any cut, used again and again: a halo must not stumble over what an
 * earlier one left there. */
struct contestant {
    const struct halo_variant *variant;
    struct halo_memory *memory;
};

static struct contestant prepare(struct mpi_test *test, const struct halo_variant *variant) {
    enum { BYTES = 1 << 16 };
    struct status status = {0};
    struct halo_memory *memory = halo_memory_take(test->team, variant, ITERATES, BYTES, &status);
    if (!mpi_expect(test, memory != NULL, "%s", status.text))
        team_abort(test->team, EXIT_CODE_ENVIRONMENT);
    return (struct contestant){variant, memory};
}

static void test_variant(struct mpi_test *test, const struct cut *cut,
                         const struct contestant *contestant) {
    const struct halo_variant *variant = contestant->variant;
    struct halo_memory *memory = contestant->memory;
    if (cut->synchronous && !variant->synchronous)
        return;
    struct part part = part_of(cut, test->rank);
    double *expected = take(test, part.layout.bytes), *received = take(test, part.layout.bytes);
    struct status status = {0};
    struct halo_plan plan = {&cut->process_grid, part.layout, memory, cut->synchronous};
    struct halo *halo = halo_make(test->team, variant, &plan, &status);
    if (mpi_expect(test, halo != NULL && status_good(&status), "%s", status.text))
        run_rounds(test, halo, cut, &part, halo_memory_values(memory), expected, received,
                   variant->name);
    halo_release(halo);
    free(expected);
    free(received);
}

/* All depths, each with parts as small as the depth allows along one axis and uneven along the
 * other, and with synchronous sends at odd depths. */
static void test_depths(struct mpi_test *test, struct cut cut,
                        const struct contestant *contestant) {
    int px = cut.process_grid.count[AXIS_X], py = cut.process_grid.count[AXIS_Y];
    for (int depth = 1; depth <= DEEPEST; depth++) {
        cut.depth = depth;
        cut.synchronous = depth % 2 == 1;
        cut.points[AXIS_X] = px * depth;
        cut.points[AXIS_Y] = cut.dimensions == 2 ? py * (depth + 2) + py / 2 : 1;
        test_variant(test, &cut, contestant);
        cut.synchronous = false;
        cut.points[AXIS_X] = px * (depth + 3) + px / 2 + 1;
        cut.points[AXIS_Y] = cut.dimensions == 2 ? py * depth : 1;
        test_variant(test, &cut, contestant);
    }
}

static void test_lines(struct mpi_test *test, const struct contestant *contestant) {
    for (int periodic = 0; periodic < 2; periodic++) {
        struct process_grid grid = {
            .count = {test->ranks, 1}, .periodic = {periodic == 1, false}, .node_block = {1, 1}};
        test_depths(test, (struct cut){.dimensions = 1, .process_grid = grid}, contestant);
    }
}

/* All factorisations, the ranks numbered along x or, in blocks of a node, along y. */
static void test_rectangles(struct mpi_test *test, const struct contestant *contestant) {
    for (int px = 1; px <= test->ranks; px++)
        for (int mix = 0; test->ranks % px == 0 && mix < 4; mix++) {
            int py = test->ranks / px;
            struct process_grid grid = {.count = {px, py},
                                        .periodic = {(mix & 1) != 0, (mix & 2) != 0},
                                        .node_block = {1, mix % 3 == 0 ? py : 1}};
            test_depths(test, (struct cut){.dimensions = 2, .process_grid = grid}, contestant);
        }
}

int main(int argc, char **argv) {
    struct mpi_test test = mpi_test_start(&argc, &argv);
    const char *only = argc > 2 ? argv[2] : "";
    /* several nodes may be one machine here, more crowded than each of them knows */
    team_threads(test.team, test.ranks);
    for (int v = 0; v < halo_variant_count; v++) {
        if (only[0] != '\0' && strcmp(only, halo_variants[v]->name) != 0)
            continue;
        struct contestant contestant = prepare(&test, halo_variants[v]);
        test_lines(&test, &contestant);
        test_rectangles(&test, &contestant);
        halo_memory_release(contestant.memory);
    }
    return mpi_test_end(&test);
}
