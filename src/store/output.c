/* Checks of output files before a run, so that hours of work do not end at a missing folder. */
#include "funnel/record.h"
#include "new_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* True if a file can be created in the folder: tried, because permission bits do not tell of
 * read-only or remote disks. Leaves nothing behind. */
static bool folder_takes_files(const char *folder) {
    char name[PATH_MAX + 32];
    snprintf(name, sizeof name, "%s/.funnel-XXXXXX", folder);
    const int descriptor = mkstemp(name);
    if (descriptor < 0)
        return false;
    unlink(name);
    return close(descriptor) == 0;
}

static bool folder_check(const char *option, const char *path, struct status *status) {
    char folder[PATH_MAX];
    struct stat facts;
    if (stat(folder_of(path, folder), &facts) != 0)
        status_fail(status, EXIT_CODE_FILES, "%s: %s: folder %s: %s; create it with mkdir -p",
                    option, path, folder, strerror(errno));
    else if (!S_ISDIR(facts.st_mode))
        status_fail(status, EXIT_CODE_FILES, "%s: %s: %s is not a folder; choose another place",
                    option, path, folder);
    else if (!folder_takes_files(folder))
        status_fail(status, EXIT_CODE_FILES,
                    "%s: %s: cannot write in folder %s: %s; choose another place", option, path,
                    folder, strerror(errno));
    return status_good(status);
}

/* Checks what stands at `path` already. */
static void target_check(const char *option, const char *path, const struct stat *facts,
                         bool overwrite, struct status *status) {
    if (S_ISDIR(facts->st_mode))
        status_fail(status, EXIT_CODE_FILES, "%s: %s is a folder; give a file in it", option, path);
    else if (S_ISREG(facts->st_mode) && !overwrite)
        status_fail(status, EXIT_CODE_FILES,
                    "%s: %s exists already; set output.overwrite = on or choose another name",
                    option, path);
    else if (access(path, W_OK) != 0)
        status_fail(status, EXIT_CODE_FILES, "%s: %s: %s; choose another name", option, path,
                    strerror(errno));
}

/* What folders do not tell of a path where nothing is: names too long, links that lead nowhere. */
static void name_check(const char *option, const char *path, struct status *status) {
    struct stat facts;
    const int error = errno;
    if (error == ENAMETOOLONG || error == ELOOP)
        status_fail(status, EXIT_CODE_FILES, "%s: %s: %s; choose another name", option, path,
                    strerror(error));
    else if (lstat(path, &facts) == 0)
        status_fail(status, EXIT_CODE_FILES,
                    "%s: %s is a link to nothing; choose another name or mend the link", option,
                    path);
}

bool output_check(const char *option, const char *path, bool overwrite, struct status *status) {
    struct stat facts;
    if (path[0] == '\0' || strcmp(path, "-") == 0)
        return status_good(status);
    const bool exists = stat(path, &facts) == 0;
    if (exists)
        target_check(option, path, &facts, overwrite, status);
    else
        name_check(option, path, status);
    if (status_good(status) && (!exists || S_ISREG(facts.st_mode)))
        folder_check(option, path, status);
    return status_good(status);
}

/* True where something stands that an output would replace: a file that is not empty. */
static bool replaces(const char *path) {
    struct stat facts;
    return strcmp(path, "-") != 0 && stat(path, &facts) == 0 && S_ISREG(facts.st_mode) &&
           facts.st_size > 0;
}

static bool is_record_of(const char *path, const char *program) {
    json_error_t error;
    json_t *record = json_load_file(path, 0, &error);
    const char *name = json_string_value(json_object_get(record, "program"));
    const bool found = name != NULL && strcmp(name, program) == 0;
    json_decref(record);
    return found;
}

static bool is_png(const char *path) {
    static const char signature[] = "\x89PNG\r\n\x1a\n";
    char head[sizeof signature - 1];
    FILE *file = fopen(path, "re");
    const bool found = file != NULL && fread(head, 1, sizeof head, file) == sizeof head &&
                       memcmp(head, signature, sizeof head) == 0;
    if (file != NULL)
        fclose(file);
    return found;
}

bool output_check_record(const char *path, const char *program, struct status *status) {
    if (path == NULL || !output_check("--record", path, true, status))
        return status_good(status);
    if (replaces(path) && !is_record_of(path, program))
        status_fail(status, EXIT_CODE_FILES,
                    "--record: %s exists and is no record of %s; choose another name or remove it",
                    path, program);
    return status_good(status);
}

bool output_check_plot(const char *path, struct status *status) {
    if (path == NULL || !output_check("--plot", path, true, status))
        return status_good(status);
    if (replaces(path) && !is_png(path))
        status_fail(status, EXIT_CODE_FILES,
                    "--plot: %s exists and is no PNG; choose another name or remove it", path);
    return status_good(status);
}

/* The name in its folder. */
static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static bool same_place(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* True if both names lead to one file, or would once it is made. */
static bool same_file(const char *a, const char *b) {
    struct stat facts_a, facts_b;
    char folder_a[PATH_MAX], folder_b[PATH_MAX];
    if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0)
        return false;
    const bool a_exists = stat(a, &facts_a) == 0, b_exists = stat(b, &facts_b) == 0;
    if (a_exists || b_exists)
        return a_exists && b_exists && S_ISREG(facts_a.st_mode) && same_place(&facts_a, &facts_b);
    return strcmp(last_part(a), last_part(b)) == 0 && stat(folder_of(a, folder_a), &facts_a) == 0 &&
           stat(folder_of(b, folder_b), &facts_b) == 0 && same_place(&facts_a, &facts_b);
}

bool output_differs(const char *option, const char *path, const char *what, const char *other,
                    struct status *status) {
    if (path != NULL && other != NULL && path[0] != '\0' && other[0] != '\0' &&
        same_file(path, other))
        status_fail(status, EXIT_CODE_USAGE, "%s: the same file as %s; choose another name", option,
                    what);
    return status_good(status);
}

bool output_apart(const char *record, const char *plot, struct status *status) {
    if (record != NULL && plot != NULL && strcmp(record, plot) == 0)
        status_fail(status, EXIT_CODE_USAGE,
                    "command line: --plot: the same file as --record; choose another name");
    return output_differs("command line: --plot", plot, "--record", record, status);
}
