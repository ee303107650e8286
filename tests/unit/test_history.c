/* The history file: whole lines at any time, and an error if one is lost. */
#include "files.h"
#include "funnel/history.h"

#include <math.h>
#include <unistd.h>

static int make_path(void **state) {
    char *path = strdup(P_tmpdir "/funnel-history-XXXXXX");
    const int descriptor = mkstemp(path);
    *state = path;
    return descriptor < 0 ? -1 : close(descriptor);
}

static int remove_path(void **state) {
    remove(*state);
    free(*state);
    return 0;
}

static void every_line_is_on_disk_at_once(void **state) {
    const char *path = *state;
    struct status status = {0};
    struct history *history = history_open(path, &status);
    assert_non_null(history);
    assert_text(path, "sweep,elapsed_s,residual_norm2\n");
    history_add(history, 0, 0, 0.1);
    assert_text(path, "sweep,elapsed_s,residual_norm2\n0,0.000000,0.1\n");
    history_add(history, INT64_C(5000000000), 12.5, 1e-300);
    assert_true(history_close(history, &status));
    assert_text(path, "sweep,elapsed_s,residual_norm2\n0,0.000000,0.1\n"
                      "5000000000,12.500000,1e-300\n");
}

static void residuals_keep_all_bits(void **state) {
    struct status status = {0};
    const double third = 1.0 / 3;
    double read_back = 0;
    struct history *history = history_open(*state, &status);
    history_add(history, 1, 0, third);
    assert_true(history_close(history, &status));
    FILE *file = fopen(*state, "r");
    assert_int_equal(fscanf(file, "%*s 1,0.000000,%lf", &read_back), 1);
    fclose(file);
    assert_true(read_back == third);
}

static void not_a_number_has_no_sign(void **state) {
    struct status status = {0};
    struct history *history = history_open(*state, &status);
    history_add(history, 1, 1, -nan(""));
    assert_true(history_close(history, &status));
    assert_text(*state, "sweep,elapsed_s,residual_norm2\n1,1.000000,nan\n");
}

static void a_missing_folder_is_an_error(void **state) {
    (void)state;
    struct status status = {0};
    assert_null(history_open("/no/such/history.csv", &status));
    assert_int_equal(status.code, EXIT_CODE_FILES);
    assert_non_null(strstr(status.text, "/no/such/history.csv"));
}

static void a_full_disk_is_told_at_the_end(void **state) {
    (void)state;
    struct status status = {0};
    struct history *history = history_open("/dev/full", &status);
    assert_non_null(history);
    history_add(history, 1, 1, 1);
    assert_false(history_close(history, &status));
    assert_int_equal(status.code, EXIT_CODE_FILES);
    assert_non_null(strstr(status.text, "/dev/full: the history is incomplete"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_line_is_on_disk_at_once, make_path, remove_path),
        cmocka_unit_test_setup_teardown(residuals_keep_all_bits, make_path, remove_path),
        cmocka_unit_test_setup_teardown(not_a_number_has_no_sign, make_path, remove_path),
        cmocka_unit_test(a_missing_folder_is_an_error),
        cmocka_unit_test(a_full_disk_is_told_at_the_end),
    };
    return cmocka_run_group_tests_name("history", tests, NULL, NULL);
}
