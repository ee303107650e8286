/* What a halo refuses, and what it counts. */
#include "funnel/halo.h"
#include "mpi_test.h"
#include <string.h>

static struct halo_memory *take(struct mpi_test *test, const char *variant) {
    struct status status = {0};
    struct halo_memory *memory =
        halo_memory_take(test->team, halo_find(variant), 1, 4096 * sizeof(double), &status);
    if (!mpi_expect(test, memory != NULL, "%s", status.text))
        team_abort(test->team, EXIT_CODE_ENVIRONMENT);
    return memory;
}

/* Ranks side by side along an axis; nothing is exchanged, so little memory may stand behind the
 * layout. */
static struct halo *make_row(struct mpi_test *test, const char *variant, enum axis axis,
                             struct field_layout layout, struct halo_memory *memory,
                             bool synchronous, struct status *status) {
    struct process_grid row = {.count = {1, 1}, .node_block = {1, 1}};
    row.count[axis] = test->ranks;
    row.periodic[axis] = true;
    struct halo_plan plan = {&row, layout, memory, synchronous};
    *status = (struct status){0};
    return halo_make(test->team, halo_find(variant), &plan, status);
}

static void expect_refused(struct mpi_test *test, const char *variant, enum axis axis,
                           struct field_layout layout, bool synchronous, const char *text) {
    struct status status;
    struct halo_memory *memory = take(test, variant);
    struct halo *halo = make_row(test, variant, axis, layout, memory, synchronous, &status);
    mpi_expect(test, halo == NULL && status.code == EXIT_CODE_USAGE, "%s was not refused", text);
    mpi_expect(test, strstr(status.text, text) != NULL, "text \"%s\"", status.text);
    halo_release(halo);
    halo_memory_release(memory);
}

/* Only the last rank is too small, or has too much to send: all must refuse. */
static void test_refusals(struct mpi_test *test) {
    bool last = test->rank == test->ranks - 1;
    expect_refused(test, "sendrecv", AXIS_X, field_layout_make(2, last ? 2 : 9, 9, 3), false,
                   "fewer than the halo depth 3");
    expect_refused(test, "neighbor", AXIS_Y, field_layout_make(2, 9, last ? 1 : 9, 2), false,
                   "fewer than the halo depth 2");
    local_index rows = INT64_C(1) << 31;
    for (int v = 0; v < halo_variant_count; v++)
        expect_refused(test, halo_variants[v]->name, AXIS_X,
                       field_layout_make(2, 4, last ? rows : 4, 1), false, "2147483648 points");
    expect_refused(test, "neighbor", AXIS_X, field_layout_make(2, 9, 9, 1), true,
                   "no synchronous form");
}

static void test_table(struct mpi_test *test) {
    for (int v = 0; v < halo_variant_count; v++)
        mpi_expect(test, halo_find(halo_variants[v]->name) == halo_variants[v], "row %d", v);
    mpi_expect(test, halo_find("carrier pigeon") == NULL, "a variant that is not in the table");
}

/* In a row of ranks each has one message for each neighbour and exchange. */
static void test_counts(struct mpi_test *test, const char *variant) {
    enum { DEPTH = 2, ROWS = 5, EXCHANGES = 3 };
    struct status status;
    struct halo_memory *memory = take(test, variant);
    struct field field = {field_layout_make(2, 6, ROWS, DEPTH), halo_memory_values(memory)[0]};
    struct process_grid row = {.count = {test->ranks, 1}, .node_block = {1, 1}};
    struct halo_plan plan = {&row, field.layout, memory, false};
    status = (struct status){0};
    struct halo *halo = halo_make(test->team, halo_find(variant), &plan, &status);
    if (!mpi_expect(test, halo != NULL, "%s", status.text))
        return;
    for (int e = 0; e < EXCHANGES; e++) {
        halo_meet(halo);
        halo_begin(halo, &field);
        halo_finish(halo, &field);
    }
    const struct halo_times *times = halo_times(halo);
    int neighbours = (test->rank > 0) + (test->rank < test->ranks - 1);
    int64_t messages = EXCHANGES * neighbours;
    mpi_expect(test, times->messages == messages, "%d messages", (int)times->messages);
    mpi_expect(test, times->bytes_sent == messages * ROWS * DEPTH * (int)sizeof(double), "%d bytes",
               (int)times->bytes_sent);
    mpi_expect(test, times->transfer_s > 0 && times->wait_s > 0 && times->pack_s >= 0, "times");
    halo_times_reset(halo);
    mpi_expect(test, halo_times(halo)->messages == 0 && times->transfer_s == 0, "reset");
    halo_release(halo);
    halo_memory_release(memory);
}

int main(int argc, char **argv) {
    struct mpi_test test = mpi_test_start(&argc, &argv);
    test_table(&test);
    test_refusals(&test);
    for (int v = 0; v < halo_variant_count; v++)
        test_counts(&test, halo_variants[v]->name);
    return mpi_test_end(&test);
}
