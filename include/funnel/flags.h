/* The flags of a command line as rows of a table: each says what its value is, and reading, checks,
 * help and "did you mean" follow from it. For programs without a configuration the table is all
 * they need. Room: config. */
#ifndef FUNNEL_FLAGS_H
#define FUNNEL_FLAGS_H

#include "funnel/status.h"
#include <stddef.h>
#include <stdio.h>

/* What the next word of the command line is, and the type of the member of the options that takes
 * it. `low` and `high` bound the numbers; both 0: no bounds. */
enum flag_kind {
    FLAG_SWITCH,   /* bool: there is no next word, the flag alone sets it */
    FLAG_TEXT,     /* const char *: the word itself, never empty; it belongs to argv */
    FLAG_PICTURE,  /* the same, for a file that becomes a PNG: any other ending is refused */
    FLAG_INTEGER,  /* int */
    FLAG_REAL,     /* double */
    FLAG_BYTES,    /* int64_t: 100, 64K, 16M, 2G (powers of 1024; 64KiB is the same) */
    FLAG_QUANTITY, /* double, in `unit`: 5e-05, 50us, 110MB/s (powers of 1000) */
    FLAG_CHOICE,   /* enum or unsigned: the index of one of the words of `choice` */
    FLAG_LIST      /* struct flag_list: integers with commas between them */
};

enum { FLAG_LIST_MAX = 64 };

struct flag_list {
    int count;
    int values[FLAG_LIST_MAX];
};

/* A row. Only the first four members and the kind are needed by every one. */
struct flag {
    const char *name;     /* "--record" */
    const char *argument; /* what the next word is, for help; NULL for a switch */
    const char *help;
    size_t offset; /* of the member in the options */
    enum flag_kind kind;
    double low, high;           /* least and greatest value; high may be HUGE_VAL */
    const char *unit;           /* of a quantity: "s", "B/s"; NULL: none */
    const char *(*choice)(int); /* i-th word of a choice, NULL after the last */
};

enum { FLAGS_MAX = 32 };

struct flag_table {
    const char *program; /* whose --help is named when a flag is unknown */
    const struct flag *flags;
    int count;            /* at most FLAGS_MAX */
    const void *standard; /* options with their defaults, for help; NULL: shows none */
};

/* Takes the word at argv[at] into `options`; returns how many words that used. Fails with
 * EXIT_CODE_USAGE if it is no flag of the table (the nearest one is named), lacks its argument, or
 * has one that is not of its kind or out of its range; the member then keeps its value. */
int flags_take(const struct flag_table *table, void *options, int argc, char **argv, int at,
               struct status *status);

/* Takes all words after the first, for a program that has nothing but flags. `options` hold their
 * defaults when it is called. Returns status_good. */
bool flags_read(const struct flag_table *table, void *options, int argc, char **argv,
                struct status *status);

/* Writes a line a flag, with what values it takes and its default, for --help. */
void flags_print(const struct flag_table *table, FILE *out);

#endif
