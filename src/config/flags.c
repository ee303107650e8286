/* Command-line flags from a table: reading, the nearest name of a misspelt one, help. */
#include "funnel/flags.h"
#include "funnel/text.h"
#include <string.h>

static const struct flag *find(const struct flag_table *table, const char *word) {
    for (int i = 0; i < table->count; i++)
        if (strcmp(table->flags[i].name, word) == 0)
            return &table->flags[i];
    return NULL;
}

static void refuse(const struct flag_table *table, const char *word, struct status *status) {
    const char *names[FLAGS_MAX];
    for (int i = 0; i < table->count; i++)
        names[i] = table->flags[i].name;
    const char *near = text_nearest(word, names, table->count);
    if (near)
        status_fail(status, EXIT_CODE_USAGE, "command line: unknown option %s; did you mean %s?",
                    word, near);
    else
        status_fail(status, EXIT_CODE_USAGE, "command line: unknown option %s; see %s --help", word,
                    table->program);
}

int flags_take(const struct flag_table *table, void *options, int argc, char **argv, int at,
               struct status *status) {
    const struct flag *flag = find(table, argv[at]);
    if (!flag) {
        refuse(table, argv[at], status);
        return 1;
    }
    void *place = (char *)options + flag->offset;
    if (!flag->argument) {
        *(bool *)place = true;
        return 1;
    }
    if (at + 1 >= argc) {
        status_fail(status, EXIT_CODE_USAGE, "command line: %s needs %s", flag->name,
                    flag->argument);
        return 1;
    }
    *(const char **)place = argv[at + 1];
    return 2;
}

void flags_print(const struct flag_table *table, FILE *out) {
    for (int i = 0; i < table->count; i++) {
        const struct flag *flag = &table->flags[i];
        char name[40];
        snprintf(name, sizeof name, "%s %s", flag->name, flag->argument ? flag->argument : "");
        fprintf(out, "  %-20s %s\n", name, flag->help);
    }
}
