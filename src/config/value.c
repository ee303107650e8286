/* Values of options: text into a field of struct config and back, by the type in the row. Whatever
 * option_write writes, option_read reads to the same bits. */
#include "funnel/flags.h"
#include "funnel/text.h"
#include "options.h"
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

/* Fields of type OPTION_ENUM are read and written as unsigned, which is what both compilers make of
 * such an enum. */
_Static_assert(sizeof(enum timing_split) == sizeof(unsigned) &&
                   sizeof(enum denormals) == sizeof(unsigned) &&
                   sizeof(enum schedule_wish) == sizeof(unsigned) &&
                   sizeof(enum binding_policy) == sizeof(unsigned),
               "an enum in struct config is an unsigned");

bool text_has_control(const char *text) {
    for (; *text != '\0'; text++)
        if (iscntrl((unsigned char)*text) && *text != '\t')
            return true;
    return false;
}

static void *field_of(const struct option *option, void *values) {
    return (char *)values + option->offset;
}

static const void *field_in(const struct option *option, const void *values) {
    return (const char *)values + option->offset;
}

/* One end of a range, as such a value is written. */
static void end_text(const struct option *option, double end, char *text, size_t size) {
    if (option->type == OPTION_BYTES && isfinite(end))
        text_byte_count(text, size, (int64_t)end);
    else if (option->type == OPTION_QUANTITY)
        text_quantity(text, size, end, option->unit);
    else if (option->type == OPTION_REAL)
        text_double(text, size, end);
    else
        snprintf(text, size, "%.0f", end);
}

/* The range of a number in words: "1..10", "above 0", "at least 0". */
static const char *range_text(const struct option *option, char *text, size_t size) {
    char low[32], high[32];
    end_text(option, option->low, low, sizeof low);
    end_text(option, option->high, high, sizeof high);
    if (isinf(option->low))
        snprintf(text, size, "any");
    else if (isinf(option->high))
        snprintf(text, size, "%s %s", option->open ? "above" : "at least", low);
    else if (option->open)
        snprintf(text, size, "above %s and below %s", low, high);
    else
        snprintf(text, size, "%s..%s", low, high);
    return text;
}

static const char *choices_text(const struct option *option, char *text, size_t size) {
    text[0] = '\0';
    for (int i = 0; option->choice(i); i++) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "", option->choice(i));
    }
    return text;
}

const char *option_values(const struct option *option, char *text, size_t size) {
    char range[100];
    switch (option->type) {
    case OPTION_LONG:
    case OPTION_INT:
    case OPTION_REAL:
    case OPTION_BYTES:
        snprintf(text, size, "%s%s%s%s", range_text(option, range, sizeof range),
                 option->unit ? " " : "", option->unit ? option->unit : "",
                 option->takes_auto ? ", or auto" : "");
        break;
    case OPTION_ENUM:
    case OPTION_SWITCH:
        choices_text(option, text, size);
        break;
    case OPTION_WORD:
        if (option->choice)
            choices_text(option, text, size);
        else
            snprintf(text, size, "name");
        break;
    case OPTION_PATH:
        snprintf(text, size, "file name, or empty");
        break;
    case OPTION_PICTURE:
        snprintf(text, size, "file name ending in .png, or empty");
        break;
    case OPTION_EXPRESSION:
        snprintf(text, size, "expression in x and y");
        break;
    case OPTION_SIDE:
        snprintf(text, size, "dirichlet VALUE, neumann FLUX, or periodic");
        break;
    case OPTION_PROCESS_GRID:
        snprintf(text, size, "auto, 1d-x, 1d-y, 2d, or PXxPY");
        break;
    case OPTION_QUANTITY:
        snprintf(text, size, "%s", range_text(option, range, sizeof range));
        break;
    case OPTION_LIST:
        snprintf(text, size, "each %s", range_text(option, range, sizeof range));
        break;
    case OPTION_TILE:
        snprintf(text, size, "auto, or WxR with W in %d..%d and R in %d..%d", TILE_WIDTH_LEAST,
                 TILE_WIDTH_MOST, TILE_ROWS_LEAST, TILE_ROWS_MOST);
        break;
    }
    return text;
}

/* "is not WHAT in 1..10 or auto", "is not WHAT above 0". */
static void explain_range(const struct option *option, const char *text, const char *what,
                          char *why) {
    char range[100];
    range_text(option, range, sizeof range);
    snprintf(why, OPTION_WHY_BYTES, "%s is not %s%s%s%s", text, what,
             isalpha((unsigned char)range[0]) ? "" : "in ", range,
             option->takes_auto ? " or auto" : "");
}

static bool wrong_number(const struct option *option, const char *text, const char *what,
                         char *why) {
    char quoted[70];
    snprintf(quoted, sizeof quoted, "'%.60s'", text);
    explain_range(option, quoted, what, why);
    return false;
}

static bool in_range(const struct option *option, double value, const char *text, char *why) {
    bool inside = option->open ? value > option->low && value < option->high
                               : value >= option->low && value <= option->high;
    if (!inside)
        explain_range(option, text, "", why);
    return inside;
}

static bool read_integer(const struct option *option, const char *text, int64_t *value, char *why) {
    *value = 0;
    if (option->takes_auto && strcmp(text, "auto") == 0)
        return true;
    if (!text_to_integer(text, value))
        return wrong_number(option, text, "an integer ", why);
    return in_range(option, (double)*value, text, why);
}

static bool read_real(const struct option *option, const char *text, double *value, char *why) {
    if (!text_to_real(text, value))
        return wrong_number(option, text, "a number ", why);
    return in_range(option, *value, text, why);
}

/* Index of a word among the choices, -1 with `why` written if it is none of them. */
static int read_choice(const struct option *option, const char *text, char *why) {
    const char *names[CONFIG_OPTIONS_MAX];
    int count = 0;
    for (; option->choice(count); count++) {
        names[count] = option->choice(count);
        if (strcmp(text, names[count]) == 0)
            return count;
    }
    char choices[200];
    const char *nearest = text_nearest(text, names, count);
    snprintf(why, OPTION_WHY_BYTES, "'%.60s' is not one of %s%s%s%s", text,
             choices_text(option, choices, sizeof choices), nearest ? "; did you mean " : "",
             nearest ? nearest : "", nearest ? "?" : "");
    return -1;
}

/* Copies a text and clears the rest, so that equal options are equal bytes. */
static bool copy_text(char *field, size_t size, const char *text, char *why) {
    size_t length = strlen(text);
    if (length >= size) {
        snprintf(why, OPTION_WHY_BYTES, "%zu characters are more than %zu", length, size - 1);
        return false;
    }
    memset(field, 0, size);
    memcpy(field, text, length);
    return true;
}

static bool read_word(const struct option *option, char *field, const char *text, char *why) {
    if (option->choice && read_choice(option, text, why) < 0)
        return false;
    if (text[0] == '\0') {
        snprintf(why, OPTION_WHY_BYTES, "a name is needed");
        return false;
    }
    return copy_text(field, OPTION_WORD_BYTES, text, why);
}

static bool read_text(const struct option *option, char *field, const char *text, char *why) {
    if (text[0] == '\0' && option->standard[0] != '\0') {
        snprintf(why, OPTION_WHY_BYTES, "an expression is needed");
        return false;
    }
    return copy_text(field, CONFIG_TEXT_BYTES, text, why);
}

bool picture_name_allowed(const char *path, char why[OPTION_WHY_BYTES]) {
    const char *slash = strrchr(path, '/');
    const char *ending = strrchr(slash ? slash : path, '.');
    const bool allowed = !ending || strcasecmp(ending, ".png") == 0;
    if (!allowed)
        snprintf(why, OPTION_WHY_BYTES, "'%.200s' does not end in .png, and pictures are PNG only",
                 path);
    return allowed;
}

/* Index of the kind of side that a text begins with, -1 if none; `rest` is what follows it. */
static int side_kind_of(const char *text, const char **rest) {
    size_t length = strcspn(text, " \t");
    *rest = text + length + strspn(text + length, " \t");
    for (int kind = 0; kind < 3; kind++)
        if (strlen(side_kind_names[kind]) == length &&
            strncmp(text, side_kind_names[kind], length) == 0)
            return kind;
    return -1;
}

static bool read_side(struct side_option *field, const char *text, char *why) {
    const char *value;
    int kind = side_kind_of(text, &value);
    const char *wrong = NULL;
    if (kind < 0)
        wrong = "is not dirichlet VALUE, neumann FLUX or periodic";
    else if (kind == SIDE_PERIODIC && value[0] != '\0')
        wrong = "has a value, but periodic takes none";
    else if (kind != SIDE_PERIODIC && value[0] == '\0')
        wrong = "lacks its value, as in dirichlet 0 or neumann 0";
    if (wrong) {
        snprintf(why, OPTION_WHY_BYTES, "'%.60s' %s", text, wrong);
        return false;
    }
    field->kind = (enum side_kind)kind;
    return copy_text(field->value, sizeof field->value, value, why);
}

static bool read_process_grid(struct process_grid_wish *field, const char *text, char *why) {
    struct process_grid_wish wish;
    if (!process_grid_wish_read(&wish, text)) {
        snprintf(why, OPTION_WHY_BYTES, "'%.60s' is not auto, 1d-x, 1d-y, 2d or PXxPY, as in 4x2",
                 text);
        return false;
    }
    *field = wish;
    return true;
}

static bool read_bytes(const struct option *option, int64_t *field, const char *text, char *why) {
    int64_t bytes;
    if (!text_to_bytes(text, &bytes))
        return wrong_number(option, text, "a number of bytes (as 100, 64K or 16M) ", why);
    if (!in_range(option, (double)bytes, text, why))
        return false;
    *field = bytes;
    return true;
}

static bool read_quantity(const struct option *option, double *field, const char *text, char *why) {
    double value;
    char what[80];
    snprintf(what, sizeof what, "a number of %s, prefixes n, u, m, k, M, G allowed, ",
             option->unit ? option->unit : "units");
    if (!text_to_quantity(text, option->unit, &value))
        return wrong_number(option, text, what, why);
    if (!in_range(option, value, text, why))
        return false;
    *field = value;
    return true;
}

/* One entry of a list, which `text` begins with; `length` becomes that of the entry. */
static bool read_entry(const struct option *option, int *entry, const char *text, size_t *length,
                       char *why) {
    char word[24];
    int64_t value = 0;
    *length = strcspn(text, ",");
    snprintf(word, sizeof word, "%.*s", (int)*length, text);
    if (*length >= sizeof word || !text_to_integer(word, &value)) {
        snprintf(why, OPTION_WHY_BYTES, "'%.60s' is not an integer of a list such as 2,4,8",
                 *length == 0 ? "" : text);
        return false;
    }
    *entry = (int)value;
    return in_range(option, (double)value, word, why);
}

static bool read_list(const struct option *option, struct flag_list *field, const char *text,
                      char *why) {
    struct flag_list list = {0};
    for (size_t length;; text += length + 1) {
        if (list.count == FLAG_LIST_MAX) {
            snprintf(why, OPTION_WHY_BYTES, "more than %d entries", FLAG_LIST_MAX);
            return false;
        }
        if (!read_entry(option, &list.values[list.count++], text, &length, why))
            return false;
        if (text[length] == '\0')
            break;
    }
    *field = list;
    return true;
}

/* "512x8"; false unless both are integers in their ranges. */
static bool tile_of(const char *text, struct tile_wish *tile) {
    char width_text[16] = "";
    const char *cross = strchr(text, 'x');
    int64_t width, rows;
    if (!cross || (size_t)(cross - text) >= sizeof width_text)
        return false;
    memcpy(width_text, text, (size_t)(cross - text));
    if (!text_to_integer(width_text, &width) || !text_to_integer(cross + 1, &rows) ||
        width < TILE_WIDTH_LEAST || width > TILE_WIDTH_MOST || rows < TILE_ROWS_LEAST ||
        rows > TILE_ROWS_MOST)
        return false;
    *tile = (struct tile_wish){(int)width, (int)rows};
    return true;
}

static bool read_tile(const struct option *option, struct tile_wish *field, const char *text,
                      char *why) {
    struct tile_wish tile = {0, 0};
    char values[100];
    if (strcmp(text, "auto") != 0 && !tile_of(text, &tile)) {
        snprintf(why, OPTION_WHY_BYTES, "'%.60s' is not %s, as in 512x8", text,
                 option_values(option, values, sizeof values));
        return false;
    }
    *field = tile;
    return true;
}

static bool read_number(const struct option *option, void *field, const char *text, char *why) {
    int64_t integer = 0;
    double real = 0;
    if (option->type == OPTION_REAL) {
        if (!read_real(option, text, &real, why))
            return false;
        *(double *)field = real;
        return true;
    }
    if (!read_integer(option, text, &integer, why))
        return false;
    if (option->type == OPTION_INT)
        *(int *)field = (int)integer;
    else
        *(int64_t *)field = integer;
    return true;
}

static bool read_index(const struct option *option, void *field, const char *text, char *why) {
    int index = read_choice(option, text, why);
    if (index < 0)
        return false;
    if (option->type == OPTION_SWITCH)
        *(bool *)field = index == 1;
    else
        *(unsigned *)field = (unsigned)index;
    return true;
}

bool option_read(const struct option *option, void *values, const char *text,
                 char why[OPTION_WHY_BYTES]) {
    void *field = field_of(option, values);
    switch (option->type) {
    case OPTION_LONG:
    case OPTION_INT:
    case OPTION_REAL:
        return read_number(option, field, text, why);
    case OPTION_ENUM:
    case OPTION_SWITCH:
        return read_index(option, field, text, why);
    case OPTION_WORD:
        return read_word(option, field, text, why);
    case OPTION_PICTURE:
        return picture_name_allowed(text, why) && read_text(option, field, text, why);
    case OPTION_PATH:
    case OPTION_EXPRESSION:
        return read_text(option, field, text, why);
    case OPTION_SIDE:
        return read_side(field, text, why);
    case OPTION_PROCESS_GRID:
        return read_process_grid(field, text, why);
    case OPTION_BYTES:
        return read_bytes(option, field, text, why);
    case OPTION_QUANTITY:
        return read_quantity(option, field, text, why);
    case OPTION_LIST:
        return read_list(option, field, text, why);
    case OPTION_TILE:
        return read_tile(option, field, text, why);
    }
    return false;
}

static const char *write_integer(const struct option *option, int64_t value, char *text) {
    if (value == 0)
        snprintf(text, CONFIG_TEXT_BYTES, "%s", option->takes_auto ? "auto" : "");
    else
        snprintf(text, CONFIG_TEXT_BYTES, "%" PRId64, value);
    return text;
}

static const char *write_side(const struct side_option *side, char *text) {
    int length = snprintf(text, CONFIG_TEXT_BYTES, "%s", side_kind_names[side->kind]);
    if (side->kind != SIDE_PERIODIC)
        snprintf(text + length, (size_t)(CONFIG_TEXT_BYTES - length), " %s", side->value);
    return text;
}

static const char *write_process_grid(const struct process_grid_wish *wish, char *text) {
    static const char *const names[] = {"auto", "1d-x", "1d-y", "2d"};
    if (wish->decomposition == DECOMPOSITION_GIVEN)
        snprintf(text, CONFIG_TEXT_BYTES, "%dx%d", wish->count[AXIS_X], wish->count[AXIS_Y]);
    else
        snprintf(text, CONFIG_TEXT_BYTES, "%s", names[wish->decomposition]);
    return text;
}

static const char *write_list(const struct flag_list *list, char *text) {
    text[0] = '\0';
    for (int i = 0, used = 0; i < list->count; i++)
        used += snprintf(text + used, (size_t)(CONFIG_TEXT_BYTES - used), "%s%d", i > 0 ? "," : "",
                         list->values[i]);
    return text;
}

static const char *write_tile(const struct tile_wish *tile, char *text) {
    if (tile->width == 0)
        snprintf(text, CONFIG_TEXT_BYTES, "auto");
    else
        snprintf(text, CONFIG_TEXT_BYTES, "%dx%d", tile->width, tile->rows);
    return text;
}

const char *option_write(const struct option *option, const void *values,
                         char text[CONFIG_TEXT_BYTES]) {
    const void *field = field_in(option, values);
    switch (option->type) {
    case OPTION_LONG:
        return write_integer(option, *(const int64_t *)field, text);
    case OPTION_INT:
        return write_integer(option, *(const int *)field, text);
    case OPTION_REAL:
        return text_double(text, CONFIG_TEXT_BYTES, *(const double *)field);
    case OPTION_ENUM:
        snprintf(text, CONFIG_TEXT_BYTES, "%s", option->choice((int)*(const unsigned *)field));
        return text;
    case OPTION_SWITCH:
        snprintf(text, CONFIG_TEXT_BYTES, "%s", option->choice(*(const bool *)field));
        return text;
    case OPTION_WORD:
    case OPTION_PATH:
    case OPTION_PICTURE:
    case OPTION_EXPRESSION:
        snprintf(text, CONFIG_TEXT_BYTES, "%s", (const char *)field);
        return text;
    case OPTION_SIDE:
        return write_side(field, text);
    case OPTION_PROCESS_GRID:
        return write_process_grid(field, text);
    case OPTION_BYTES:
        return text_byte_count(text, CONFIG_TEXT_BYTES, *(const int64_t *)field);
    case OPTION_QUANTITY:
        return text_quantity(text, CONFIG_TEXT_BYTES, *(const double *)field, option->unit);
    case OPTION_LIST:
        return write_list(field, text);
    case OPTION_TILE:
        return write_tile(field, text);
    }
    return text;
}
