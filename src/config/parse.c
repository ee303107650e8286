/* Config files and the command line into struct config. inih finds sections and keys; its reader
 * callback (below) does what inih cannot: it counts lines, refuses lines that inih would cut or
 * join, knows # comments and quotes, and keeps the value, whose length inih limits. */
#include "options.h"
#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <string.h>

enum { LINE_BYTES = 4 * CONFIG_TEXT_BYTES, PLACE_BYTES = CONFIG_TEXT_BYTES + 32 };

static const char blank[] = " \t";

/* A file on its way through inih. */
struct ini_source {
    FILE *file;
    struct config *config;
    struct status *status;
    int line;                      /* number of the last line read */
    int read_errno;                /* of a failed read, 0 otherwise */
    char value[CONFIG_TEXT_BYTES]; /* of the key that inih is about to report */
};

static bool complain(const struct ini_source *source, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool complain(const struct ini_source *source, const char *format, ...) {
    char text[OPTION_WHY_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    status_fail(source->status, EXIT_CODE_USAGE, "%s:%d: %s", source->config->file, source->line,
                text);
    return false;
}

static char *skip_blank(char *text) {
    return text + strspn(text, blank);
}

static void strip_end(char *text) {
    size_t length = strlen(text);
    while (length > 0 && strchr(blank, text[length - 1]))
        text[--length] = '\0';
}

/* Cuts a comment (# or ; at the start or after white space) and the white space before it. */
static void cut_comment(char *text) {
    char *end = text + strcspn(text, "#;");
    while (*end != '\0' && end != text && !strchr(blank, end[-1]))
        end += 1 + strcspn(end + 1, "#;");
    *end = '\0';
    strip_end(text);
}

static bool check_text(const struct ini_source *source, const char *line, size_t length) {
    if (strlen(line) != length)
        return complain(source, "a NUL byte: this is no text file (is it UTF-16?)");
    if (text_has_control(line))
        return complain(source, "a control character: this is no text file");
    return true;
}

/* Reads a line without its end, whatever that is; false at the end of the file or on an error. */
static bool read_line(struct ini_source *source, char line[LINE_BYTES]) {
    size_t length = 0;
    errno = 0;
    int c = getc(source->file);
    source->line++;
    for (; c != EOF && c != '\n'; c = getc(source->file)) {
        if (length == LINE_BYTES - 1)
            return complain(source, "the line has more than %d characters", LINE_BYTES - 1);
        line[length++] = (char)c;
    }
    if (ferror(source->file)) {
        source->read_errno = errno;
        return false;
    }
    if (c == EOF && length == 0)
        return false;
    while (length > 0 && line[length - 1] == '\r')
        length--;
    line[length] = '\0';
    return check_text(source, line, length);
}

static bool keep_value(struct ini_source *source, const char *value) {
    size_t length = strlen(value);
    if (length >= sizeof source->value)
        return complain(source, "the value has more than %d characters", CONFIG_TEXT_BYTES - 1);
    memcpy(source->value, value, length + 1);
    return true;
}

/* A value in double quotes; "" inside stands for one of them. */
static bool read_quoted(struct ini_source *source, char *text) {
    char *to = text, *from = text + 1;
    for (; *from != '\0' && !(from[0] == '"' && from[1] != '"'); from++) {
        if (*from == '"')
            from++;
        *to++ = *from;
    }
    if (*from == '\0')
        return complain(source, "the closing double quote is missing");
    *to = '\0';
    const char *rest = skip_blank(from + 1);
    if (*rest != '\0' && !strchr("#;", *rest))
        return complain(source, "'%.60s' stands after the closing double quote", rest);
    return keep_value(source, text);
}

static bool read_value(struct ini_source *source, char *text) {
    text = skip_blank(text);
    if (*text == '"')
        return read_quoted(source, text);
    if (*text == '#' || *text == ';')
        return complain(source,
                        "the value would begin with '%c': put it in double quotes, or the comment "
                        "on a line of its own",
                        *text);
    cut_comment(text);
    return keep_value(source, text);
}

/* "[name]" for inih, which is not told of sections without keys. */
static bool pass_section(struct ini_source *source, char *line, char *out, int size) {
    cut_comment(line);
    char *end = strchr(line, ']');
    if (!end || end[1] != '\0')
        return complain(source, "'%.60s' is not a section; it should be [NAME]", line);
    *end = '\0';
    if (!option_section_known(line + 1)) {
        char place[PLACE_BYTES];
        snprintf(place, sizeof place, "%s:%d: ", source->config->file, source->line);
        option_section_unknown(place, line + 1, source->status);
        return false;
    }
    snprintf(out, (size_t)size, "[%s]\n", line + 1);
    return true;
}

/* "key =" for inih; the value stays here. */
static bool pass_key(struct ini_source *source, char *line, char *out, int size) {
    char *end = line + strcspn(line, "=:#;");
    if (*end == ':')
        return complain(source, "':' after a key; it should be KEY = VALUE");
    if (*end != '=')
        return complain(source, "no '=' in this line; it should be KEY = VALUE");
    *end = '\0';
    strip_end(line);
    if (line[0] == '\0')
        return complain(source, "no key before '='");
    if (snprintf(out, (size_t)size, "%s =\n", line) >= size)
        return complain(source, "the key has more than %d characters", size - 4);
    return read_value(source, end + 1);
}

/* The reader callback: like fgets, but each line is clean and none begins with white space. */
static char *next_line(char *out, int size, void *context) {
    struct ini_source *source = context;
    char line[LINE_BYTES];
    if (!status_good(source->status) || !read_line(source, line))
        return NULL;
    bool byte_order_mark = source->line == 1 && strncmp(line, "\xEF\xBB\xBF", 3) == 0;
    char *start = skip_blank(byte_order_mark ? line + 3 : line);
    bool good = true;
    if (*start == '\0' || *start == '#' || *start == ';')
        snprintf(out, (size_t)size, "\n");
    else if (*start == '[')
        good = pass_section(source, start, out, size);
    else
        good = pass_key(source, start, out, size);
    return good ? out : NULL;
}

/* Reads one value, noting PLACE before the option's name if it is wrong. */
static bool set_option(struct config *config, int index, const char *value, const char *place,
                       struct status *status) {
    char why[OPTION_WHY_BYTES];
    const struct option *option = &options[index];
    if (!option_read(option, config, value, why))
        status_fail(status, EXIT_CODE_USAGE, "%s%s.%s: %s", place, option->section, option->key,
                    why);
    return status_good(status);
}

static void suggest_section(const struct ini_source *source, const char *key) {
    for (int i = 0; i < option_count; i++)
        if (strcmp(options[i].key, key) == 0) {
            complain(source, "%s stands before any section; put it under [%s]", key,
                     options[i].section);
            return;
        }
    complain(source, "%.60s stands before any section, such as [grid]", key);
}

/* The handler callback: one key with its section. */
static int take_option(void *context, const char *section, const char *key, const char *unused) {
    (void)unused;
    struct ini_source *source = context;
    char place[PLACE_BYTES];
    snprintf(place, sizeof place, "%s:%d: ", source->config->file, source->line);
    if (section[0] == '\0') {
        suggest_section(source, key);
        return 0;
    }
    int index = option_require(place, section, key, source->status);
    if (index < 0)
        return 0;
    int *line_of = &source->config->line_of[index];
    if (*line_of > 0)
        return complain(source, "%s.%s: given again, first in line %d", section, key, *line_of);
    *line_of = source->line;
    return set_option(source->config, index, source->value, place, source->status);
}

void config_defaults(struct config *config, const char *program) {
    char why[OPTION_WHY_BYTES];
    memset(config, 0, sizeof *config);
    snprintf(config->program, sizeof config->program, "%s", program);
    for (int i = 0; i < option_count; i++)
        if (options[i].standard && options[i].standard[0] != '\0')
            option_read(&options[i], config, options[i].standard, why);
}

static void read_stream(struct ini_source *source) {
    int wrong_line = ini_parse_stream(next_line, source, take_option, source);
    if (source->read_errno != 0)
        status_fail(source->status, EXIT_CODE_FILES, "%s: cannot be read: %s", source->config->file,
                    strerror(source->read_errno));
    else if (wrong_line != 0)
        complain(source, "cannot be understood");
}

bool config_read(struct config *config, const char *path, struct status *status) {
    if (strlen(path) >= sizeof config->file) {
        status_fail(status, EXIT_CODE_FILES, "%.60s...: the name has more than %d characters", path,
                    CONFIG_TEXT_BYTES - 1);
        return false;
    }
    snprintf(config->file, sizeof config->file, "%s", path);
    FILE *file = fopen(path, "r");
    if (!file) {
        status_fail(status, EXIT_CODE_FILES, "%s: cannot be opened: %s", path, strerror(errno));
        return false;
    }
    struct ini_source source = {.file = file, .config = config, .status = status};
    read_stream(&source);
    fclose(file);
    return status_good(status);
}

/* Cuts "section.key=value" at its marks, in place; false if one is missing. */
static bool cut_assignment(char *text, char **key, char **value) {
    char *equals = strchr(text, '=');
    if (!equals)
        return false;
    *equals = '\0';
    char *dot = strchr(text, '.');
    if (!dot)
        return false;
    *dot = '\0';
    *key = dot + 1;
    *value = skip_blank(equals + 1);
    strip_end(*key);
    strip_end(*value);
    return true;
}

bool config_override(struct config *config, const char *assignment, struct status *status) {
    static const char place[] = "command line: ";
    char text[LINE_BYTES];
    char *key, *value;
    int length = snprintf(text, sizeof text, "%s", assignment);
    if (length >= LINE_BYTES || text_has_control(text) || !cut_assignment(text, &key, &value)) {
        status_fail(status, EXIT_CODE_USAGE, "%s'%.60s' is not SECTION.KEY=VALUE in one line",
                    place, text);
        return false;
    }
    int index = option_require(place, skip_blank(text), key, status);
    if (index < 0)
        return false;
    config->line_of[index] = OPTION_COMMAND_LINE;
    return set_option(config, index, value, place, status);
}
