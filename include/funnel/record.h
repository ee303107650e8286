/* The JSON record of a run (jansson). Room: store. Schema: results/schema.json. */
#ifndef FUNNEL_RECORD_H
#define FUNNEL_RECORD_H

#include "funnel/binding_report.h"
#include "funnel/solver.h"
#include <jansson.h>

/* What goes into a record; a NULL pointer becomes a JSON null. All on rank 0. */
struct record_input {
    const char *program;
    int argc;
    char **argv;
    const struct config *config;
    const struct team_facts *team;
    const struct binding_report *binding;
    const struct solve_plan *plan;
    const struct solve_result *result;
    const struct extent *extents; /* ranks * AXIS_COUNT: local part of each rank */
    json_t *measured;             /* what a program other than the solver has to tell; borrowed */
    int exit_code;
    double startup_s;        /* entering main to the first sweep */
    int binding_changes;     /* ranks whose binding differs at the end */
    const char *system_root; /* NULL, or a folder that imitates /proc and /sys for tests */
};

/* Checks, before a run, that `path` can be written: the folder exists and is writable, an existing
 * file is replaced only with `overwrite`. "-" is standard output, "" no output at all. Leaves
 * nothing behind. Fails with EXIT_CODE_FILES, the text starts with `option`. */
bool output_check(const char *option, const char *path, bool overwrite, struct status *status);

/* The same for --record and --plot, which have no option to overwrite: an existing file that is not
 * empty is replaced only if it is a record of `program`, or a PNG. Devices and pipes are not
 * judged. NULL is no output. */
bool output_check_record(const char *path, const char *program, struct status *status);
bool output_check_plot(const char *path, struct status *status);

/* Checks that an output would not take the place of another file of the run, `other`, however both
 * are spelt; `what` that file is, for the text. NULL is no file. EXIT_CODE_USAGE. */
bool output_differs(const char *option, const char *path, const char *what, const char *other,
                    struct status *status);

/* Checks that a picture would not take the place of the record; NULL is no output. EXIT_CODE_USAGE.
 */
bool output_apart(const char *record, const char *plot, struct status *status);

/* Writes the record through a temporary file and rename. Rank 0 only. Fails (EXIT_CODE_FILES). */
bool record_write(const char *path, const struct record_input *input, struct status *status);

/* Facts about the build, for records and --version. */
struct build_facts {
    const char *version, *compiler, *flags, *build_type;
    const char *commit; /* full hash; "unknown" outside a git checkout */
    bool dirty;         /* sources differ from the commit */
    bool sanitized;     /* slow on purpose: no number of such a build is a measurement */
};
const struct build_facts *build_facts(void);

#endif
