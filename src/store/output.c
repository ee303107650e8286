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

bool output_apart(const char *record, const char *plot, struct status *status) {
    if (record != NULL && plot != NULL && strcmp(record, plot) == 0)
        status_fail(status, EXIT_CODE_USAGE,
                    "command line: --plot: the same file as --record; choose another name");
    return status_good(status);
}
