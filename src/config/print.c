/* The table of options as people read it: a config file, --help, the reference in the README. */
#include "options.h"
#include <string.h>

void config_visit(const struct config *config,
                  void (*visit)(void *context, const char *section, const char *key,
                                const char *value),
                  void *context) {
    char text[CONFIG_TEXT_BYTES];
    for (int i = 0; i < option_count; i++)
        if (option_applies(&options[i], config))
            visit(context, options[i].section, options[i].key,
                  option_write(&options[i], config, text));
}

/* True if a value would not be read back as it is without quotes. */
static bool needs_quotes(const char *value) {
    size_t length = strlen(value);
    if (length == 0)
        return false;
    if (strchr(" \t\"#;", value[0]) || strchr(" \t", value[length - 1]))
        return true;
    for (size_t i = 1; i < length; i++)
        if (strchr("#;", value[i]) && strchr(" \t", value[i - 1]))
            return true;
    return false;
}

static void print_quoted(const char *value, FILE *out) {
    fputc('"', out);
    for (; *value != '\0'; value++)
        fprintf(out, *value == '"' ? "\"\"" : "%c", *value);
    fputc('"', out);
}

/* Where config_print writes, and the section it is in. */
struct printer {
    FILE *out;
    const char *section;
};

static void print_option(void *context, const char *section, const char *key, const char *value) {
    struct printer *printer = context;
    if (strcmp(printer->section, section) != 0)
        fprintf(printer->out, "%s[%s]\n", printer->section[0] != '\0' ? "\n" : "", section);
    printer->section = section;
    fprintf(printer->out, "%s =%s", key, value[0] != '\0' ? " " : "");
    if (needs_quotes(value))
        print_quoted(value, printer->out);
    else
        fputs(value, printer->out);
    fputc('\n', printer->out);
}

void config_print(const struct config *config, FILE *out) {
    struct printer printer = {out, ""};
    config_visit(config, print_option, &printer);
}

static const char *standard_text(const struct option *option) {
    if (!option->standard)
        return "required";
    return option->standard[0] != '\0' ? option->standard : "none";
}

void config_print_help(FILE *out) {
    char values[200];
    const char *section = "";
    for (int i = 0; i < option_count; i++) {
        const struct option *option = &options[i];
        if (strcmp(section, option->section) != 0)
            fprintf(out, "[%s]\n", option->section);
        section = option->section;
        fprintf(out, "  %-18s %s\n  %-18s %s (%s%s)\n", option->key, option->help, "",
                option_values(option, values, sizeof values), option->standard ? "default " : "",
                standard_text(option));
    }
}

void config_print_reference(FILE *out) {
    char values[200];
    const char *section = "";
    for (int i = 0; i < option_count; i++) {
        const struct option *option = &options[i];
        if (strcmp(section, option->section) != 0)
            fprintf(out, "%s### [%s]\n\n| key | values | default | meaning |\n|---|---|---|---|\n",
                    i > 0 ? "\n" : "", option->section);
        section = option->section;
        fprintf(out, "| `%s` | %s | %s | %s |\n", option->key,
                option_values(option, values, sizeof values), standard_text(option), option->help);
    }
}
