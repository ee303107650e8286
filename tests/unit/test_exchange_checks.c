/* The pure parts of the exchange: start checks from made-up environments, crowding from made-up
 * affinity masks, boxes and counts of messages (B17), labelled blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "../../src/exchange/crowding.h"
#include "../../src/exchange/halo_boxes.h"
#include "../../src/exchange/halo_labels.h"
#include "../../src/exchange/team_checks.h"
#include <cmocka.h>
#include <limits.h>
#include <mpi.h>
#include <string.h>

static void expect_launcher(struct launcher_words words, int ranks, const char *text) {
    struct status status = {0};
    launcher_check(&words, ranks, "MPICH 4.0.2", &status);
    if (text == NULL) {
        assert_true(status_good(&status));
    } else {
        assert_int_equal(status.code, EXIT_CODE_ENVIRONMENT);
        assert_non_null(strstr(status.text, text));
        assert_non_null(strstr(status.text, "mpiexec.mpich"));
    }
}

static void test_launcher(void **state) {
    (void)state;
    expect_launcher((struct launcher_words){0}, 1, NULL);
    expect_launcher((struct launcher_words){.pmi_size = "4"}, 4, NULL);
    expect_launcher((struct launcher_words){.pmi_size = "4"}, 1,
                    "launcher says 4 ranks, MPI says 1");
    expect_launcher((struct launcher_words){.openmpi_size = "3"}, 1,
                    "launcher says 3 ranks, MPI says 1");
    expect_launcher((struct launcher_words){.slurm_tasks = "2", .slurm_rank = "0"}, 1,
                    "launcher says 2 ranks, MPI says 1");
    expect_launcher((struct launcher_words){.slurm_rank = "1"}, 1, "launcher says 2 ranks");
    expect_launcher((struct launcher_words){.slurm_tasks = "1", .slurm_rank = "0"}, 1, NULL);
    expect_launcher((struct launcher_words){.pmi_size = "what"}, 1, NULL);
}

/* Slurm starts hydra's proxies: its words are about those, PMI's about the ranks. */
static void test_launcher_within_slurm(void **state) {
    (void)state;
    expect_launcher((struct launcher_words){.pmi_size = "6", .slurm_tasks = "3", .slurm_rank = "2"},
                    6, NULL);
    expect_launcher((struct launcher_words){.pmi_size = "1", .slurm_tasks = "3", .slurm_rank = "2"},
                    1, NULL);
}

static void test_launcher_names(void **state) {
    (void)state;
    struct launcher_words hydra = {.hydra_control = "7", .pmi_size = "2", .slurm_tasks = "1"};
    struct launcher_words openmpi = {.openmpi_size = "2"}, none = {0};
    struct launcher_words srun = {.pmi_size = "2", .slurm_tasks = "2"};
    assert_string_equal(launcher_name(&hydra), "hydra");
    assert_string_equal(launcher_name(&openmpi), "openmpi");
    assert_string_equal(launcher_name(&srun), "srun");
    assert_string_equal(launcher_name(&none), "none");
}

static int library_code(const char *headers, const char *library) {
    struct status status = {0};
    library_check(headers, library, &status);
    return status.code;
}

static void test_library(void **state) {
    (void)state;
    const char *mpich = "MPICH Version: 4.0.2", *openmpi = "Open MPI v4.1.4, package: Debian";
    assert_int_equal(library_code("MPICH 4.0.2", mpich), EXIT_CODE_DONE);
    assert_int_equal(library_code("Open MPI 4.1.4", openmpi), EXIT_CODE_DONE);
    assert_int_equal(library_code("MPICH 4.0.2", openmpi), EXIT_CODE_ENVIRONMENT);
    assert_int_equal(library_code("Open MPI 4.1.4", mpich), EXIT_CODE_ENVIRONMENT);
    assert_int_equal(library_code("MPICH 4.0.2", "Intel(R) MPI Library 2021.9"), EXIT_CODE_DONE);
}

static void test_thread_levels(void **state) {
    (void)state;
    struct status good = {0}, bad = {0};
    thread_level_check(MPI_THREAD_FUNNELED, &good);
    thread_level_check(MPI_THREAD_MULTIPLE, &good);
    assert_true(status_good(&good));
    thread_level_check(MPI_THREAD_SINGLE, &bad);
    assert_int_equal(bad.code, EXIT_CODE_ENVIRONMENT);
    assert_non_null(strstr(bad.text, "MPI_THREAD_FUNNELED"));
    assert_non_null(strstr(bad.text, "MPI_THREAD_SINGLE"));
}

static void test_crowding(void **state) {
    (void)state;
    struct pu_mask all = {{0xf}}, first = {{0x1}}, second = {{0x2}}, pair = {{0x3}};
    assert_false(ranks_crowded((struct pu_mask[]){all, all, all, all}, 4));
    assert_true(ranks_crowded((struct pu_mask[]){all, all, all, all, all}, 5));
    assert_false(ranks_crowded((struct pu_mask[]){first, second}, 2));
    assert_true(ranks_crowded((struct pu_mask[]){first, first, all}, 3));
    assert_true(ranks_crowded((struct pu_mask[]){first, second, pair}, 3));
    assert_true(ranks_crowded((struct pu_mask[]){{{0}}}, 1));
}

/* The mask that the kernel tells has the caller's PUs: at least one, and alone not crowded. */
static void test_own_mask(void **state) {
    (void)state;
    struct pu_mask mine = pu_mask_of_caller();
    assert_false(ranks_crowded(&mine, 1));
}

static void test_counts(void **state) {
    (void)state;
    int count = 0;
    assert_true(box_count((struct region){0, INT_MAX, 0, 1}, &count));
    assert_int_equal(count, INT_MAX);
    assert_false(box_count((struct region){0, INT64_C(1) << 31, 0, 1}, &count));
    assert_false(box_count((struct region){0, INT64_C(1) << 32, 0, 1}, &count));
    assert_false(box_count((struct region){0, 65536, -3, 65533}, &count));
    assert_false(box_count((struct region){-2, 0, 0, 1 << 30}, &count));
    assert_true(box_count((struct region){-1, 0, 0, 1 << 30}, &count));
    assert_int_equal(count, 1 << 30);
}

static void assert_box(struct region box, struct region expected) {
    assert_int_equal(box.x0, expected.x0);
    assert_int_equal(box.x1, expected.x1);
    assert_int_equal(box.y0, expected.y0);
    assert_int_equal(box.y1, expected.y1);
}

static void test_boxes(void **state) {
    (void)state;
    struct field_layout layout = field_layout_make(2, 10, 7, 2);
    struct width wide = {-2, 10};
    assert_box(travel_send_box(&layout, (struct travel){1, 0}, wide), (struct region){8, 10, 0, 7});
    assert_box(travel_receive_box(&layout, (struct travel){1, 0}, wide),
               (struct region){-2, 0, 0, 7});
    assert_box(travel_send_box(&layout, (struct travel){0, -1}, wide),
               (struct region){-2, 10, 0, 2});
    assert_box(travel_receive_box(&layout, (struct travel){0, -1}, wide),
               (struct region){-2, 10, 7, 9});
    assert_box(travel_send_box(&layout, (struct travel){-1, 1}, wide), (struct region){0, 2, 5, 7});
    assert_box(travel_receive_box(&layout, (struct travel){-1, 1}, wide),
               (struct region){10, 12, -2, 0});
    assert_int_equal(box_offset(&layout, (struct region){-2, 0, 3, 4}),
                     layout.origin + 3 * layout.pitch - 2);
}

/* Two ranks on a periodic axis: both blocks come from rank 1, here in the wrong order. */
static void test_labels(void **state) {
    (void)state;
    int from[] = {1, 1, -1, 5}, travel[3];
    struct halo_label swapped[] = {{1, 1}, {1, 0}, {5, 3}};
    assert_true(halo_labels_sort(swapped, 3, from, 4, travel));
    assert_int_equal(travel[0], 1);
    assert_int_equal(travel[1], 0);
    assert_int_equal(travel[2], 3);
    struct halo_label lost[] = {{1, 0}, {-1, -1}}, doubled[] = {{1, 0}, {1, 0}};
    struct halo_label stranger[] = {{7, 0}}, from_nowhere[] = {{-1, 2}}, unknown[] = {{1, 4}};
    assert_false(halo_labels_sort(lost, 2, from, 4, travel));
    assert_false(halo_labels_sort(doubled, 2, from, 4, travel));
    assert_false(halo_labels_sort(stranger, 1, from, 4, travel));
    assert_false(halo_labels_sort(from_nowhere, 1, from, 4, travel));
    assert_false(halo_labels_sort(unknown, 1, from, 4, travel));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_launcher),       cmocka_unit_test(test_launcher_within_slurm),
        cmocka_unit_test(test_launcher_names), cmocka_unit_test(test_library),
        cmocka_unit_test(test_thread_levels),  cmocka_unit_test(test_crowding),
        cmocka_unit_test(test_own_mask),       cmocka_unit_test(test_counts),
        cmocka_unit_test(test_boxes),          cmocka_unit_test(test_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
