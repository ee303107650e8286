/* Command-line flags from a table: reading, the nearest name of a misspelt one, help. Values are
 * read and written as those of a configuration are. */
#include "funnel/flags.h"
#include "funnel/text.h"
#include "options.h"
#include <limits.h>
#include <math.h>
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

/* The option of a configuration that takes such a value. */
static struct option as_option(const struct flag *flag) {
    static const enum option_type types[] = {
        [FLAG_INTEGER] = OPTION_INT,       [FLAG_REAL] = OPTION_REAL,   [FLAG_BYTES] = OPTION_BYTES,
        [FLAG_QUANTITY] = OPTION_QUANTITY, [FLAG_CHOICE] = OPTION_ENUM, [FLAG_LIST] = OPTION_LIST,
    };
    const bool bounded = flag->low != 0 || flag->high != 0;
    return (struct option){.type = types[flag->kind],
                           .offset = flag->offset,
                           .low = bounded ? flag->low : -HUGE_VAL,
                           .high = bounded ? flag->high : HUGE_VAL,
                           .unit = flag->unit,
                           .choice = flag->choice};
}

/* The range of an int is never wider than the type. */
static struct option option_of(const struct flag *flag) {
    struct option option = as_option(flag);
    if (flag->kind == FLAG_INTEGER || flag->kind == FLAG_LIST) {
        option.low = fmax(option.low, INT_MIN);
        option.high = fmin(option.high, INT_MAX);
    }
    if (flag->kind == FLAG_BYTES)
        option.low = fmax(option.low, 0);
    return option;
}

static bool has_value(const struct flag *flag) {
    return flag->kind != FLAG_SWITCH && flag->kind != FLAG_TEXT && flag->kind != FLAG_PICTURE;
}

/* A word that is kept as it is: a name, which is never empty. */
static bool text_allowed(const struct flag *flag, const char *word, char why[OPTION_WHY_BYTES]) {
    if (word[0] == '\0')
        snprintf(why, OPTION_WHY_BYTES, "an empty name; give %s", flag->argument);
    return word[0] != '\0' && (flag->kind == FLAG_TEXT || picture_name_allowed(word, why));
}

static void take_value(const struct flag *flag, void *values, char *word, struct status *status) {
    char why[OPTION_WHY_BYTES];
    const struct option option = option_of(flag);
    const bool text = flag->kind == FLAG_TEXT || flag->kind == FLAG_PICTURE;
    const bool good =
        text ? text_allowed(flag, word, why) : option_read(&option, values, word, why);
    if (good && text)
        *(const char **)((char *)values + flag->offset) = word;
    else if (!good)
        status_fail(status, EXIT_CODE_USAGE, "command line: %s: %s", flag->name, why);
}

int flags_take(const struct flag_table *table, void *values, int argc, char **argv, int at,
               struct status *status) {
    const struct flag *flag = find(table, argv[at]);
    if (!flag) {
        refuse(table, argv[at], status);
        return 1;
    }
    if (flag->kind == FLAG_SWITCH) {
        *(bool *)((char *)values + flag->offset) = true;
        return 1;
    }
    if (at + 1 >= argc) {
        status_fail(status, EXIT_CODE_USAGE, "command line: %s needs %s", flag->name,
                    flag->argument);
        return 1;
    }
    take_value(flag, values, argv[at + 1], status);
    return 2;
}

bool flags_read(const struct flag_table *table, void *values, int argc, char **argv,
                struct status *status) {
    for (int at = 1; at < argc && status_good(status);)
        at += flags_take(table, values, argc, argv, at, status);
    return status_good(status);
}

/* " (1..1000; default 50)", or nothing. */
static const char *values_text(const struct flag_table *table, const struct flag *flag, char *text,
                               size_t size) {
    char values[160], standard[CONFIG_TEXT_BYTES] = "";
    text[0] = '\0';
    if (!has_value(flag))
        return text;
    const struct option option = option_of(flag);
    if (table->standard)
        option_write(&option, table->standard, standard);
    option_values(&option, values, sizeof values);
    snprintf(text, size, " (%s%s%.60s)", values, standard[0] != '\0' ? "; default " : "", standard);
    return text;
}

static const char *name_text(const struct flag *flag, char *text, size_t size) {
    snprintf(text, size, "%s %s", flag->name, flag->argument ? flag->argument : "");
    return text;
}

/* Columns for the longest name and argument. */
static int names_width(const struct flag_table *table) {
    char name[60];
    size_t width = 20;
    for (int i = 0; i < table->count; i++) {
        const size_t length = strlen(name_text(&table->flags[i], name, sizeof name));
        width = length > width ? length : width;
    }
    return (int)width;
}

void flags_print(const struct flag_table *table, FILE *out) {
    const int width = names_width(table);
    for (int i = 0; i < table->count; i++) {
        const struct flag *flag = &table->flags[i];
        char name[60], values[256];
        fprintf(out, "  %-*s %s%s\n", width, name_text(flag, name, sizeof name), flag->help,
                values_text(table, flag, values, sizeof values));
    }
}
