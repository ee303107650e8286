/* Records: every value where a reader looks for it, and null for what cannot be read. That a record
 * keeps to the schema is tests/cli/test_schema.py. */
#include "files.h"
#include "funnel/record.h"

#include <jansson.h>
#include <math.h>
#include <unistd.h>

/* Writes a record and reads it back; owned by the caller. */
static json_t *written(const struct record_input *input) {
    char path[] = P_tmpdir "/funnel-record-XXXXXX";
    struct status status = {0};
    json_error_t error;
    assert_int_equal(close(mkstemp(path)), 0);
    assert_true(record_write(path, input, &status));
    json_t *record = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    assert_non_null(record);
    remove(path);
    return record;
}

/* The entry at a path such as "layout.ranks"; it must be there. */
static const json_t *at(const json_t *record, const char *path) {
    char names[128];
    snprintf(names, sizeof names, "%s", path);
    for (char *name = strtok(names, "."); name != NULL; name = strtok(NULL, "."))
        record = json_object_get(record, name);
    if (record == NULL)
        fail_msg("%s is missing", path);
    return record;
}

static double number(const json_t *record, const char *path) {
    assert_true(json_is_number(at(record, path)));
    return json_number_value(at(record, path));
}

static const char *text(const json_t *record, const char *path) {
    assert_true(json_is_string(at(record, path)));
    return json_string_value(at(record, path));
}

static void assert_null_at(const json_t *record, const char *path) {
    assert_true(json_is_null(at(record, path)));
}

static void what_is_not_known_is_null(void **state) {
    (void)state;
    static const char *const paths[] = {"argv",
                                        "reason",
                                        "sweeps",
                                        "residual_norm2",
                                        "error_max",
                                        "total_s",
                                        "rate_lups",
                                        "roofline_share",
                                        "tcomm_fraction",
                                        "layout.ranks",
                                        "layout.threads",
                                        "layout.process_grid",
                                        "phases.sweep.min_s",
                                        "phases.other.max_rank",
                                        "total.mean_s",
                                        "field_checksum",
                                        "grid",
                                        "parts",
                                        "config",
                                        "config_file",
                                        "plan.kernel",
                                        "plan.halo",
                                        "mpi.library",
                                        "binding.problems",
                                        "binding.ranks",
                                        "machine.hosts"};
    const struct record_input input = {.program = "bindreport"};
    json_t *record = written(&input);
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        assert_null_at(record, paths[i]);
    assert_string_equal(text(record, "program"), "bindreport");
    assert_true(number(record, "exit_code") == 0);
    json_decref(record);
}

/* A result with a different value in each member. */
static struct solve_result some_result(void) {
    struct solve_result result = {.reason = STOP_SWEEP_LIMIT,
                                  .sweeps = INT64_C(5000000000),
                                  .residual_norm2 = 1.0 / 3,
                                  .target_norm2 = 1e-9,
                                  .has_error = true,
                                  .error_max = 0.125,
                                  .error_norm2 = 0.0625,
                                  .field_checksum = UINT64_C(0xfedcba9876543210),
                                  .total_s = {1, 2, 4, 3, 5},
                                  .tcomm_fraction = 0.25,
                                  .tcomm_fraction_of_rank = {0.125, 0.25, 0.5, 1, 0},
                                  .rate_lups = 1e9,
                                  .bytes_per_point = 16};
    result.phase_s[PHASE_PACK] = (struct spread){0.5, 0.75, 1.5, 2, 1};
    return result;
}

static void results_are_where_readers_look(void **state) {
    (void)state;
    const struct solve_result result = some_result();
    const struct record_input input = {
        .program = "jacobi", .result = &result, .exit_code = 3, .startup_s = 0.75};
    json_t *record = written(&input);
    assert_string_equal(text(record, "reason"), "sweep limit");
    assert_true(number(record, "exit_code") == 3);
    assert_true(number(record, "sweeps") == 5e9);
    assert_true(number(record, "residual_norm2") == 1.0 / 3);
    assert_true(number(record, "error_max") == 0.125);
    assert_string_equal(text(record, "field_checksum"), "fedcba9876543210");
    assert_true(number(record, "total_s") == 4);
    assert_true(number(record, "total.min_s") == 1);
    assert_true(number(record, "total.max_rank") == 5);
    assert_true(number(record, "phases.pack.min_s") == 0.5);
    assert_true(number(record, "phases.pack.mean_s") == 0.75);
    assert_true(number(record, "phases.pack.max_s") == 1.5);
    assert_true(number(record, "phases.pack.min_rank") == 2);
    assert_true(number(record, "phases.pack.max_rank") == 1);
    assert_null_at(record, "phases.wait.max_s"); /* nobody told it apart */
    assert_true(number(record, "tcomm_fraction_of_rank.max") == 0.5);
    assert_true(number(record, "bandwidth_bytes_per_s") == 16e9);
    assert_true(number(record, "startup_s") == 0.75);
    json_decref(record);
}

static void numbers_that_json_has_not_are_null(void **state) {
    (void)state;
    struct solve_result result = some_result();
    result.residual_norm2 = nan("");
    result.error_max = HUGE_VAL;
    result.rate_lups = -HUGE_VAL;
    const struct record_input input = {.program = "jacobi", .result = &result};
    json_t *record = written(&input);
    assert_null_at(record, "residual_norm2");
    assert_null_at(record, "error_max");
    assert_null_at(record, "rate_lups");
    assert_null_at(record, "bandwidth_bytes_per_s");
    json_decref(record);
}

static void an_error_without_exact_solution_is_null(void **state) {
    (void)state;
    struct solve_result result = some_result();
    result.has_error = false;
    const struct record_input input = {.program = "jacobi", .result = &result};
    json_t *record = written(&input);
    assert_null_at(record, "error_max");
    assert_null_at(record, "error_norm2");
    json_decref(record);
}

static void layout_and_sizes_of_a_plan(void **state) {
    (void)state;
    const struct team_facts team = {.ranks = 2, .nodes = 1, .ranks_per_node = 2, .host = "here"};
    struct config config;
    struct solve_plan plan;
    struct status status = {0};
    config_defaults(&config, "jacobi");
    assert_true(config_override(&config, "grid.nx=41", &status));
    assert_true(config_override(&config, "grid.ny=20", &status));
    assert_true(config_check(&config, &status));
    assert_true(solve_plan_make(&plan, &config, &team, &(struct sweep_caches){0}, &status));
    const struct extent extents[] = {{0, 21}, {0, 20}, {21, 20}, {0, 20}};
    const struct record_input input = {
        .program = "jacobi", .config = &config, .team = &team, .plan = &plan, .extents = extents};
    json_t *record = written(&input);
    assert_true(number(record, "layout.ranks") == 2);
    assert_string_equal(text(record, "layout.process_grid"), "2x1");
    assert_true(number(record, "grid.points_total") == 820);
    assert_true(json_array_size(at(record, "parts")) == 2);
    const json_t *second = json_array_get(at(record, "parts"), 1);
    assert_int_equal(json_integer_value(json_array_get(at(second, "begin"), 0)), 21);
    assert_int_equal(json_integer_value(json_array_get(at(second, "points"), 1)), 20);
    assert_string_equal(text(record, "config.grid.nx"), "41");
    assert_string_equal(text(record, "config.solver.method"), "jacobi");
    assert_string_equal(text(record, "plan.halo"), plan.halo->name);
    assert_string_equal(json_string_value(json_array_get(at(record, "machine.hosts"), 0)), "here");
    json_decref(record);
}

static void arguments_and_variables_that_matter(void **state) {
    (void)state;
    char program[] = "jacobi", file[] = "a b.ini", option[] = "grid.nx=5", odd[] = "caf\xe9";
    char *arguments[] = {program, file, option, odd};
    setenv("OMP_NUM_THREADS", "7", 1);
    setenv("UCX_ODD_BYTES", "\xff", 1);
    setenv("FUNNEL_UNRELATED", "secret", 1);
    const struct record_input input = {.program = "jacobi", .argc = 4, .argv = arguments};
    json_t *record = written(&input);
    assert_int_equal(json_array_size(at(record, "argv")), 4);
    assert_string_equal(json_string_value(json_array_get(at(record, "argv"), 1)), "a b.ini");
    assert_string_equal(json_string_value(json_array_get(at(record, "argv"), 3)), "caf?");
    assert_string_equal(text(record, "environment.OMP_NUM_THREADS"), "7");
    assert_string_equal(text(record, "environment.UCX_ODD_BYTES"), "?");
    assert_null(json_object_get(at(record, "environment"), "FUNNEL_UNRELATED"));
    json_decref(record);
}

static json_t *record_on(const char *root) {
    const struct record_input input = {.program = "jacobi", .system_root = root};
    return written(&input);
}

static void facts_of_another_machine(void **state) {
    (void)state;
    char root[FOLDER_BYTES];
    make_folder(root);
    write_below(root, "/proc/cpuinfo",
                "processor\t: 0\nmodel name\t: Abacus 9\ncpu MHz\t\t: 12.5\n");
    write_below(root, "/proc/meminfo", "MemTotal:       4 kB\nMemFree:  1 kB\n");
    write_below(root, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
    write_below(root, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq", "3500000\n");
    write_below(root, "/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
    write_below(root, "/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    write_below(root, "/sys/devices/system/cpu/cpu0/cache/index0/level", "1\n");
    write_below(root, "/sys/devices/system/cpu/cpu0/cache/index0/size", "48K\n");
    json_t *record = record_on(root);
    assert_string_equal(text(record, "machine.cpu_model"), "Abacus 9");
    assert_true(number(record, "machine.current_mhz") == 12.5);
    assert_true(number(record, "machine.memory_bytes") == 4096);
    assert_string_equal(text(record, "machine.governor"), "powersave");
    assert_true(number(record, "machine.max_mhz") == 3500);
    assert_null_at(record, "machine.min_mhz");
    assert_true(json_is_false(at(record, "machine.turbo")));
    assert_string_equal(text(record, "machine.transparent_hugepages"), "madvise");
    const json_t *cache = json_array_get(at(record, "machine.caches"), 0);
    assert_true(number(cache, "size_bytes") == 49152);
    assert_null_at(cache, "type");
    json_decref(record);
    remove_folder(root);
}

static void a_machine_that_shows_nothing(void **state) {
    (void)state;
    static const char *const paths[] = {
        "machine.cpu_model", "machine.governor", "machine.min_mhz",      "machine.current_mhz",
        "machine.turbo",     "machine.caches",   "machine.memory_bytes", "machine.smt_active"};
    json_t *record = record_on("/no/such/machine");
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        assert_null_at(record, paths[i]);
    json_decref(record);
}

static void facts_of_the_build(void **state) {
    (void)state;
    const struct record_input input = {.program = "jacobi"};
    json_t *record = written(&input);
    assert_string_equal(text(record, "build.version"), build_facts()->version);
    assert_non_null(strstr(text(record, "build.flags"), "-ffp-contract=off"));
    assert_null(strchr(text(record, "build.flags"), '/'));
    if (strcmp(build_facts()->commit, "unknown") == 0)
        assert_null_at(record, "build.commit");
    else
        assert_int_equal(strlen(text(record, "build.commit")), 40);
    json_decref(record);
}

static void a_record_that_cannot_be_written_is_an_error(void **state) {
    (void)state;
    const char *const paths[] = {"/no/such/record.json", "/dev/full"};
    const struct record_input input = {.program = "jacobi"};
    for (int i = 0; i < 2; i++) {
        struct status status = {0};
        assert_false(record_write(paths[i], &input, &status));
        assert_int_equal(status.code, EXIT_CODE_FILES);
        assert_non_null(strstr(status.text, paths[i]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_known_is_null),
        cmocka_unit_test(results_are_where_readers_look),
        cmocka_unit_test(numbers_that_json_has_not_are_null),
        cmocka_unit_test(an_error_without_exact_solution_is_null),
        cmocka_unit_test(layout_and_sizes_of_a_plan),
        cmocka_unit_test(arguments_and_variables_that_matter),
        cmocka_unit_test(facts_of_another_machine),
        cmocka_unit_test(a_machine_that_shows_nothing),
        cmocka_unit_test(facts_of_the_build),
        cmocka_unit_test(a_record_that_cannot_be_written_is_an_error),
    };
    return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
