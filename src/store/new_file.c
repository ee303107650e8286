/* Files that appear whole or not at all. A killed job leaves the old file or the new one, never
 * half of one. Devices and pipes are written in place: renaming over /dev/null would replace it. */
#include "new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES_TRIED = 100 };

const char *folder_of(const char *path, char folder[PATH_MAX]) {
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        snprintf(folder, PATH_MAX, ".");
    else if (slash == path)
        snprintf(folder, PATH_MAX, "/");
    else
        snprintf(folder, PATH_MAX, "%.*s", (int)(slash - path), path);
    return folder;
}

static bool fails(const char *path, struct status *status) {
    status_fail(status, EXIT_CODE_FILES, "%s: cannot be written: %s; check the folder and the disk",
                path, strerror(errno));
    return false;
}

/* True where `path` is something else than a file, or than nothing yet. */
static bool written_in_place(const char *path) {
    struct stat facts;
    return stat(path, &facts) == 0 && !S_ISREG(facts.st_mode);
}

/* Creates a file beside the target under a name that is not taken. The name does not grow with the
 * target's, which may be as long as names can be. */
static int create_beside(struct new_file *file) {
    char folder[PATH_MAX];
    int descriptor = -1;
    folder_of(file->target, folder);
    for (int i = 0; i < NAMES_TRIED && descriptor < 0; i++) {
        snprintf(file->temporary, sizeof file->temporary, "%s/.funnel-%ld-%d", folder,
                 (long)getpid(), i);
        descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor < 0 && errno != EEXIST)
            return -1;
    }
    return descriptor;
}

static FILE *open_stream(struct new_file *file) {
    if (strcmp(file->path, "-") == 0)
        return stdout;
    if (written_in_place(file->path))
        return fopen(file->path, "we");
    if (realpath(file->path, file->target) == NULL)
        snprintf(file->target, sizeof file->target, "%s", file->path);
    const int descriptor = create_beside(file);
    return descriptor < 0 ? NULL : fdopen(descriptor, "w");
}

bool new_file_open(struct new_file *file, const char *path, struct status *status) {
    *file = (struct new_file){.path = path};
    file->stream = open_stream(file);
    return file->stream != NULL || fails(path, status);
}

/* Flushes what was written, to the disk itself where it is a file of ours. */
static bool flush_all(const struct new_file *file) {
    if (ferror(file->stream) || fflush(file->stream) != 0)
        return false;
    return file->temporary[0] == '\0' || fsync(fileno(file->stream)) == 0;
}

bool new_file_close(struct new_file *file, bool keep, struct status *status) {
    bool good = keep && (flush_all(file) || fails(file->path, status));
    if (file->stream != stdout && fclose(file->stream) != 0 && good)
        good = fails(file->path, status);
    file->stream = NULL;
    if (file->temporary[0] == '\0')
        return good;
    if (good && rename(file->temporary, file->target) != 0)
        good = fails(file->path, status);
    if (!good)
        unlink(file->temporary);
    return good;
}
