/* The base room: reading numbers strictly, nearest words, memory limits, order-independent sums. */
#include "files.h"
#include "funnel/binned_sum.h"
#include "funnel/clock.h"
#include "funnel/memory.h"
#include "funnel/text.h"
#include <math.h>
#include <unistd.h>

static void integers_are_read_whole_or_not_at_all(void **state) {
    (void)state;
    int64_t value = 7;
    assert_true(text_to_integer("-9223372036854775808", &value));
    assert_true(value == INT64_MIN);
    assert_true(text_to_integer("+40", &value));
    assert_true(value == 40);
    const char *const bad[] = {"",
                               " ",
                               " 1",
                               "1 ",
                               "10abc",
                               "0x10",
                               "1e9",
                               "1.0",
                               "nan",
                               "--1",
                               "9223372036854775808",
                               "99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(text_to_integer(bad[i], &value));
    assert_true(value == 40);
}

static void reals_are_finite_decimals(void **state) {
    (void)state;
    double value = 7;
    assert_true(text_to_real("-2.5e-3", &value));
    assert_true(value == -2.5e-3);
    const char *const bad[] = {"",    " ",     "1 ",     "1.0x", "0x1p3", "nan",
                               "inf", "1e999", "1e-400", "e5",   "1e"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(text_to_real(bad[i], &value));
}

static void doubles_are_written_shortest_and_read_back(void **state) {
    (void)state;
    char text[40];
    assert_string_equal(text_double(text, sizeof text, 0.1), "0.1");
    assert_string_equal(text_double(text, sizeof text, 1e-8), "1e-08");
    const double values[] = {1.0 / 3, 5e-324, 1.7976931348623157e308, -0.0, 123456789.123};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        assert_true(strtod(text_double(text, sizeof text, values[i]), NULL) == values[i]);
}

static void sizes_and_times_have_units(void **state) {
    (void)state;
    char text[40];
    assert_string_equal(text_bytes(text, sizeof text, 1023), "1023 B");
    assert_string_equal(text_bytes(text, sizeof text, 1536), "1.5 KiB");
    assert_string_equal(text_bytes(text, sizeof text, INFINITY), "none");
    assert_string_equal(text_bytes(text, sizeof text, 34359738368.0), "32.0 GiB");
    assert_string_equal(text_seconds(text, sizeof text, 12.3e-6), "12.3 us");
    assert_string_equal(text_seconds(text, sizeof text, 0.0125), "12.50 ms");
    assert_string_equal(text_seconds(text, sizeof text, 119), "119.00 s");
    assert_string_equal(text_seconds(text, sizeof text, 125), "2 min 05 s");
    assert_string_equal(text_seconds(text, sizeof text, 7500), "2 h 05 min");
}

static void typed_numbers_read_back(void **state) {
    (void)state;
    const double values[] = {50e-6, 110e6, 0, -3e-9, 1.0 / 3, 999.5, 1e15, 2.5e-13, 1e-300};
    const int64_t sizes[] = {0, 1, 1000, 1024, 65536, 16 << 20, INT64_C(5) << 30, INT64_MAX};
    char text[64];
    double value;
    int64_t bytes;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        assert_true(
            text_to_quantity(text_quantity(text, sizeof text, values[i], "B/s"), "B/s", &value));
        assert_true(value == values[i]);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        assert_true(text_to_bytes(text_byte_count(text, sizeof text, sizes[i]), &bytes));
        assert_int_equal(bytes, sizes[i]);
    }
    assert_string_equal(text_quantity(text, sizeof text, 110e6, "B/s"), "110MB/s");
    assert_string_equal(text_byte_count(text, sizeof text, 1536), "1536");
    assert_true(text_to_quantity("-2k", NULL, &value) && value == -2000);
    assert_false(text_to_quantity("2kB", NULL, &value));
}

static void the_nearest_word_is_one_that_may_be_meant(void **state) {
    (void)state;
    const char *const names[] = {"max_sweeps", "rtol", "atol", "nx"};
    assert_int_equal(text_distance("kitten", "sitting"), 3);
    assert_string_equal(text_nearest("max_swepes", names, 4), "max_sweeps");
    assert_string_equal(text_nearest("RTOL", names, 4), "rtol");
    assert_null(text_nearest("completely_else", names, 4));
    assert_null(text_nearest("qq", names, 4));
    assert_null(text_nearest("nx", names, 0));
}

/* A folder that imitates a machine, removed by the caller. */
static void imitate(char folder[FOLDER_BYTES]) {
    make_folder(folder);
    write_below(folder, "/proc/meminfo", "MemTotal: 100 kB\nMemAvailable:     64 kB\n");
}

static void memory_is_what_the_node_has(void **state) {
    (void)state;
    char folder[FOLDER_BYTES];
    imitate(folder);
    assert_int_equal(memory_available_bytes(folder), 65536);
    remove_folder(folder);
    assert_int_equal(memory_available_bytes("/no/such/machine"), -1);
    assert_true(memory_available_bytes("") > 0);
}

static void memory_is_what_every_group_leaves(void **state) {
    (void)state;
    char folder[FOLDER_BYTES];
    imitate(folder);
    write_below(folder, "/proc/self/cgroup", "0::/job/step\n");
    write_below(folder, "/sys/fs/cgroup/job/step/memory.max", "max\n");
    write_below(folder, "/sys/fs/cgroup/job/step/memory.current", "10\n");
    assert_int_equal(memory_available_bytes(folder), 65536);
    write_below(folder, "/sys/fs/cgroup/job/memory.max", "5000\n");
    write_below(folder, "/sys/fs/cgroup/job/memory.current", "1000\n");
    assert_int_equal(memory_available_bytes(folder), 4000);
    /* cached files count as used, and are given back */
    write_below(folder, "/sys/fs/cgroup/job/memory.stat", "file 900\ninactive_file 700\n");
    assert_int_equal(memory_available_bytes(folder), 4700);
    write_below(folder, "/proc/self/cgroup", "7:cpu,cpuacct:/job\n4:memory:/job/step\n");
    write_below(folder, "/sys/fs/cgroup/memory/job/step/memory.limit_in_bytes", "3000\n");
    write_below(folder, "/sys/fs/cgroup/memory/job/step/memory.usage_in_bytes", "4000\n");
    assert_int_equal(memory_available_bytes(folder), 0);
    write_below(folder, "/sys/fs/cgroup/memory/job/step/memory.stat",
                "inactive_file 10\ntotal_inactive_file 1500\n");
    assert_int_equal(memory_available_bytes(folder), 500);
    remove_folder(folder);
}

static void a_tenth_of_memory_stays_free(void **state) {
    (void)state;
    assert_true(memory_suffices(900, 1000));
    assert_false(memory_suffices(901, 1000));
    assert_false(memory_suffices(1, 0));
    assert_false(memory_suffices(INT64_MAX, INT64_MAX));
    assert_true(memory_suffices(INT64_MAX, -1)); /* nothing could be read */
}

static void memory_is_aligned_and_zero(void **state) {
    (void)state;
    struct status status = {0};
    const size_t bytes = 3000001;
    unsigned char *memory = memory_take(bytes, &status);
    assert_non_null(memory);
    assert_int_equal((uintptr_t)memory % (2 << 20), 0);
    for (size_t i = 0; i < bytes; i += 4093)
        assert_int_equal(memory[i], 0);
    memory[bytes - 1] = 1;
    memory_release(memory, bytes);
    assert_null(memory_take((size_t)1 << 62, &status));
    assert_int_equal(status.code, EXIT_CODE_ENVIRONMENT);
}

static void the_first_error_stays(void **state) {
    (void)state;
    struct status status = {0};
    assert_true(status_good(&status));
    status_fail(&status, EXIT_CODE_FILES, "first %d", 1);
    status_fail(&status, EXIT_CODE_USAGE, "second");
    assert_int_equal(status.code, EXIT_CODE_FILES);
    assert_string_equal(status.text, "first 1");
    struct status quoting = {0};
    status_fail(&quoting, EXIT_CODE_USAGE, "%s", "two\nlines\x1b");
    assert_string_equal(quoting.text, "two?lines?");
}

static void the_clock_goes_forward(void **state) {
    (void)state;
    double first_s = clock_now_s();
    usleep(2000);
    double passed_s = clock_now_s() - first_s;
    assert_true(passed_s >= 0.002 && passed_s < 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_read_whole_or_not_at_all),
        cmocka_unit_test(reals_are_finite_decimals),
        cmocka_unit_test(doubles_are_written_shortest_and_read_back),
        cmocka_unit_test(sizes_and_times_have_units),
        cmocka_unit_test(typed_numbers_read_back),
        cmocka_unit_test(the_nearest_word_is_one_that_may_be_meant),
        cmocka_unit_test(memory_is_what_the_node_has),
        cmocka_unit_test(memory_is_what_every_group_leaves),
        cmocka_unit_test(a_tenth_of_memory_stays_free),
        cmocka_unit_test(memory_is_aligned_and_zero),
        cmocka_unit_test(the_first_error_stays),
        cmocka_unit_test(the_clock_goes_forward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
