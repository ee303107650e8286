/* Output files: refused before a run where they could not be written, and whole or not there. */
#include "../../src/store/new_file.h"
#include "files.h"
#include "funnel/record.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

/* A folder of its own for each test; its name with a space in it. */
struct place {
    char folder[128], path[512];
};

static const char *inside(struct place *place, const char *name) {
    snprintf(place->path, sizeof place->path, "%s/%s", place->folder, name);
    return place->path;
}

static int make_place(void **state) {
    struct place *place = calloc(1, sizeof *place);
    snprintf(place->folder, sizeof place->folder, "%s/funnel output XXXXXX", P_tmpdir);
    *state = place;
    return mkdtemp(place->folder) == NULL ? -1 : 0;
}

static int entries(const struct place *place) {
    DIR *folder = opendir(place->folder);
    int count = 0;
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count - 2; /* . and .. */
}

static int remove_place(void **state) {
    struct place *place = *state;
    DIR *folder = opendir(place->folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (entry->d_name[0] != '.')
            remove(inside(place, entry->d_name));
    closedir(folder);
    const int result = rmdir(place->folder);
    free(place);
    return result;
}

static void assert_refused(const char *path, bool overwrite, const char *reason) {
    struct status status = {0};
    assert_false(output_check("output.record", path, overwrite, &status));
    assert_int_equal(status.code, EXIT_CODE_FILES);
    assert_ptr_equal(strstr(status.text, "output.record: "), status.text);
    assert_non_null(strstr(status.text, path));
    assert_non_null(strstr(status.text, reason));
    assert_null(strchr(status.text, '\n'));
}

static void assert_allowed(const char *path, bool overwrite) {
    struct status status = {0};
    assert_true(output_check("output.record", path, overwrite, &status));
    assert_true(status_good(&status));
}

static void a_new_file_is_allowed_and_not_made(void **state) {
    struct place *place = *state;
    assert_allowed(inside(place, "record.json"), false);
    assert_int_equal(entries(place), 0);
    assert_allowed("", false);
    assert_allowed("-", false);
    assert_allowed("/dev/null", false);
}

static void a_missing_folder_is_refused(void **state) {
    assert_refused(inside(*state, "no/such/record.json"), true, "mkdir -p");
}

static void a_file_in_place_of_a_folder_is_refused(void **state) {
    struct place *place = *state;
    write_text(inside(place, "plain"), "old");
    assert_refused(inside(place, "plain/record.json"), true, "plain");
    assert_text(inside(place, "plain"), "old");
}

static void a_folder_is_refused_as_a_file(void **state) {
    struct place *place = *state;
    assert_refused(place->folder, true, "is a folder");
}

static void an_old_file_needs_overwrite(void **state) {
    struct place *place = *state;
    const char *path = inside(place, "record.json");
    write_text(path, "old");
    assert_refused(path, false, "output.overwrite = on");
    assert_allowed(path, true);
    assert_text(path, "old");
    assert_int_equal(entries(place), 1);
}

/* /proc refuses new files even to root, whom permission bits do not stop. */
static void a_folder_that_takes_no_files_is_refused(void **state) {
    (void)state;
    assert_refused("/proc/record.json", false, "cannot write in folder /proc");
}

static void a_name_that_is_too_long_is_refused(void **state) {
    char name[NAME_MAX + 2];
    memset(name, 'n', sizeof name);
    name[NAME_MAX + 1] = '\0';
    assert_refused(inside(*state, name), false, "File name too long; choose another name");
}

static void the_longest_name_can_be_written(void **state) {
    char name[NAME_MAX + 1];
    memset(name, 'n', sizeof name);
    name[NAME_MAX] = '\0';
    struct new_file file;
    struct status status = {0};
    assert_true(new_file_open(&file, inside(*state, name), &status));
    fputs("new\n", file.stream);
    assert_true(new_file_close(&file, true, &status));
    assert_text(inside(*state, name), "new\n");
    assert_int_equal(entries(*state), 1);
}

static void a_link_to_nothing_is_refused(void **state) {
    assert_int_equal(symlink("/no/such/file", inside(*state, "link")), 0);
    assert_refused(inside(*state, "link"), true, "is a link to nothing");
}

static void earlier_errors_stay(void **state) {
    struct status status = {0};
    status_fail(&status, EXIT_CODE_USAGE, "first");
    assert_false(output_check("output.image", inside(*state, "a.png"), false, &status));
    assert_string_equal(status.text, "first");
}

static void only_a_record_of_the_program_is_replaced(void **state) {
    struct place *place = *state;
    const char *path = inside(place, "record.json");
    const char *const refused[] = {"old", "[]", "{}", "{\"program\": \"predict\"}"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct status status = {0};
        write_text(path, refused[i]);
        assert_false(output_check_record(path, "pingpong", &status));
        assert_int_equal(status.code, EXIT_CODE_FILES);
        assert_non_null(strstr(status.text, "is no record of pingpong; choose another name"));
        assert_text(path, refused[i]);
    }
    const char *const allowed[] = {"", "{\"program\": \"pingpong\"}"};
    for (size_t i = 0; i < sizeof allowed / sizeof allowed[0]; i++) {
        struct status status = {0};
        write_text(path, allowed[i]);
        assert_true(output_check_record(path, "pingpong", &status));
        assert_text(path, allowed[i]);
    }
}

static void only_a_png_is_replaced_by_a_plot(void **state) {
    struct place *place = *state;
    const char *path = inside(place, "plot.png");
    const char *const texts[] = {"old", "\x89PNG\n", "\x89PNG\r\n\x1a\nrest", ""};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct status status = {0};
        write_text(path, texts[i]);
        assert_int_equal(output_check_plot(path, &status), i >= 2);
        assert_int_equal(status.code, i >= 2 ? EXIT_CODE_DONE : EXIT_CODE_FILES);
        assert_text(path, texts[i]);
    }
}

static void devices_and_no_outputs_are_not_judged(void **state) {
    (void)state;
    struct status status = {0};
    const char *const paths[] = {"/dev/null", "/dev/full", "-", NULL};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        assert_true(output_check_record(paths[i], "pingpong", &status));
        assert_true(output_check_plot(paths[i], &status));
    }
    assert_true(output_differs("--a", "/dev/null", "--b", "/dev/null", &status));
    assert_true(output_differs("--a", "-", "--b", "-", &status));
    assert_true(output_differs("--a", "", "--b", "", &status));
}

static bool differ(const struct place *place, const char *name, const char *other) {
    struct status status = {0};
    char path[sizeof place->path], other_path[sizeof place->path];
    snprintf(path, sizeof path, "%s/%s", place->folder, name);
    snprintf(other_path, sizeof other_path, "%s/%s", place->folder, other);
    const bool good = output_differs("--a", path, "--b", other_path, &status);
    assert_string_equal(status.text, good ? "" : "--a: the same file as --b; choose another name");
    assert_int_equal(status.code, good ? EXIT_CODE_DONE : EXIT_CODE_USAGE);
    return good;
}

static void one_file_is_known_in_every_spelling(void **state) {
    struct place *place = *state;
    write_text(inside(place, "old"), "old");
    char *old = strdup(place->path);
    assert_int_equal(link(old, inside(place, "hard")), 0);
    assert_int_equal(symlink("old", inside(place, "soft")), 0);
    free(old);
    assert_false(differ(place, "old", "./old"));
    assert_false(differ(place, "hard", "old"));
    assert_false(differ(place, "old", "soft"));
    assert_false(differ(place, "new", ".//new"));
    assert_true(differ(place, "new", "newer"));
    assert_true(differ(place, "old", "new"));
}

/* Writes "new" in place of "old", and keeps or discards it. */
static void replace(struct place *place, bool keep) {
    struct new_file file;
    struct status status = {0};
    const char *path = inside(place, "record.json");
    write_text(path, "old");
    assert_true(new_file_open(&file, path, &status));
    fputs("new", file.stream);
    assert_text(path, "old");
    assert_int_equal(new_file_close(&file, keep, &status), keep);
    assert_text(path, keep ? "new" : "old");
    assert_int_equal(entries(place), 1);
}

static void a_kept_file_replaces_the_old_one(void **state) {
    replace(*state, true);
}

static void a_discarded_file_leaves_the_old_one(void **state) {
    replace(*state, false);
}

static void a_leftover_of_a_killed_job_is_no_hindrance(void **state) {
    struct place *place = *state;
    struct new_file first, second;
    struct status status = {0};
    const char *path = inside(place, "record.json");
    assert_true(new_file_open(&first, path, &status));
    assert_true(new_file_open(&second, path, &status));
    fputs("second", second.stream);
    assert_true(new_file_close(&second, true, &status));
    assert_false(new_file_close(&first, false, &status));
    assert_text(path, "second");
}

static void a_link_stays_a_link(void **state) {
    struct place *place = *state;
    struct new_file file;
    struct stat facts;
    struct status status = {0};
    write_text(inside(place, "target"), "old");
    char *target = strdup(place->path);
    assert_int_equal(symlink(target, inside(place, "link")), 0);
    assert_true(new_file_open(&file, place->path, &status));
    fputs("new", file.stream);
    assert_true(new_file_close(&file, true, &status));
    assert_text(target, "new");
    assert_int_equal(lstat(place->path, &facts), 0);
    assert_true(S_ISLNK(facts.st_mode));
    free(target);
}

static void a_full_disk_is_an_error(void **state) {
    (void)state;
    struct new_file file;
    struct status status = {0};
    assert_true(new_file_open(&file, "/dev/full", &status));
    fputs("new", file.stream);
    assert_false(new_file_close(&file, true, &status));
    assert_int_equal(status.code, EXIT_CODE_FILES);
    assert_non_null(strstr(status.text, "/dev/full"));
}

static void a_device_stays_a_device(void **state) {
    (void)state;
    struct new_file file;
    struct stat facts;
    struct status status = {0};
    assert_true(new_file_open(&file, "/dev/null", &status));
    fputs("new", file.stream);
    assert_true(new_file_close(&file, true, &status));
    assert_int_equal(stat("/dev/null", &facts), 0);
    assert_true(S_ISCHR(facts.st_mode));
}

static void a_missing_folder_is_an_error_at_opening(void **state) {
    struct new_file file;
    struct status status = {0};
    assert_false(new_file_open(&file, inside(*state, "no/record.json"), &status));
    assert_int_equal(status.code, EXIT_CODE_FILES);
}

#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, make_place, remove_place)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_PLACE(a_new_file_is_allowed_and_not_made),
        IN_PLACE(a_missing_folder_is_refused),
        IN_PLACE(a_file_in_place_of_a_folder_is_refused),
        IN_PLACE(a_folder_is_refused_as_a_file),
        IN_PLACE(an_old_file_needs_overwrite),
        IN_PLACE(a_name_that_is_too_long_is_refused),
        IN_PLACE(the_longest_name_can_be_written),
        IN_PLACE(a_link_to_nothing_is_refused),
        IN_PLACE(earlier_errors_stay),
        IN_PLACE(only_a_record_of_the_program_is_replaced),
        IN_PLACE(only_a_png_is_replaced_by_a_plot),
        IN_PLACE(one_file_is_known_in_every_spelling),
        IN_PLACE(a_kept_file_replaces_the_old_one),
        IN_PLACE(a_discarded_file_leaves_the_old_one),
        IN_PLACE(a_leftover_of_a_killed_job_is_no_hindrance),
        IN_PLACE(a_link_stays_a_link),
        IN_PLACE(a_missing_folder_is_an_error_at_opening),
        cmocka_unit_test(a_folder_that_takes_no_files_is_refused),
        cmocka_unit_test(devices_and_no_outputs_are_not_judged),
        cmocka_unit_test(a_full_disk_is_an_error),
        cmocka_unit_test(a_device_stays_a_device),
    };
    return cmocka_run_group_tests_name("output", tests, NULL, NULL);
}
