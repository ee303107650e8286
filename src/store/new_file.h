/* A file that appears whole or not at all: written beside its target, then renamed over it. Inside
 * the room store only. */
#ifndef FUNNEL_STORE_NEW_FILE_H
#define FUNNEL_STORE_NEW_FILE_H

#include "funnel/status.h"
#include <limits.h>
#include <stdio.h>

struct new_file {
    const char *path;              /* as asked for; "-" is standard output */
    char target[PATH_MAX];         /* `path` with symbolic links followed */
    char temporary[PATH_MAX + 32]; /* empty: written in place (standard output, a device) */
    FILE *stream;
};

/* Writes the folder that holds `path` into `folder`, and returns it. */
const char *folder_of(const char *path, char folder[PATH_MAX]);

/* Opens a file for writing; `path` must outlive it. EXIT_CODE_FILES. */
bool new_file_open(struct new_file *file, const char *path, struct status *status);

/* Ends it: flushes, syncs and renames if `keep` and nothing went wrong on the way, else leaves the
 * target as it was. Returns whether the target is in place. EXIT_CODE_FILES. */
bool new_file_close(struct new_file *file, bool keep, struct status *status);

#endif
