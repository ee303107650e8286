/* Files of a test: folders that imitate /proc and /sys of a machine, and texts to compare with. */
#ifndef FUNNEL_TESTS_FILES_H
#define FUNNEL_TESTS_FILES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* cmocka wants the headers above first */
#include <cmocka.h>

enum { FOLDER_BYTES = 64, FILE_NAME_BYTES = 1024 };

/* Makes an empty folder, which remove_folder takes away with all that is in it. */
static inline void make_folder(char folder[FOLDER_BYTES]) {
    snprintf(folder, FOLDER_BYTES, P_tmpdir "/funnel-XXXXXX");
    assert_non_null(mkdtemp(folder));
}

static inline void remove_folder(const char *folder) {
    char command[FILE_NAME_BYTES];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
}

static inline void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* Writes the file `name` ("/proc/meminfo") below `folder`, and the folders on the way to it. */
static inline void write_below(const char *folder, const char *name, const char *text) {
    char path[FILE_NAME_BYTES];
    snprintf(path, sizeof path, "%s%s", folder, name);
    for (char *slash = strchr(path + strlen(folder) + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    write_text(path, text);
}

static inline void assert_text(const char *path, const char *expected) {
    char text[512] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, expected);
}

#endif
