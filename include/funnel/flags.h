/* The flags of a command line as rows of a table. Room: config. */
#ifndef FUNNEL_FLAGS_H
#define FUNNEL_FLAGS_H

#include "funnel/status.h"
#include <stddef.h>
#include <stdio.h>

/* A flag sets a bool of the options, or takes the next word of argv into a const char pointer. */
struct flag {
    const char *name;     /* "--record" */
    const char *argument; /* what the next word is, for help; NULL: sets a bool */
    const char *help;
    size_t offset; /* of the bool or pointer in the options */
};

enum { FLAGS_MAX = 32 };

struct flag_table {
    const char *program; /* whose --help is named when a flag is unknown */
    const struct flag *flags;
    int count; /* at most FLAGS_MAX */
};

/* Takes the word at argv[at] into `options`; returns how many words that used. Fails with
 * EXIT_CODE_USAGE if it is no flag of the table (the nearest one is named) or lacks its argument.
 */
int flags_take(const struct flag_table *table, void *options, int argc, char **argv, int at,
               struct status *status);

/* Writes a line a flag, for --help. */
void flags_print(const struct flag_table *table, FILE *out);

#endif
