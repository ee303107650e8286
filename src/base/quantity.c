/* Numbers with a prefix and a unit, as they are typed: sizes in powers of 1024, everything else in
 * powers of 1000. */
#include "funnel/text.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_BYTES = 64 };

struct prefix {
    const char *name;
    double multiply,
        divide; /* one of them is 1: powers of ten above 1 are exact, those below not */
};

static const struct prefix prefixes[] = {{"n", 1, 1e9}, {"u", 1, 1e6}, {"m", 1, 1e3},
                                         {"", 1, 1},    {"k", 1e3, 1}, {"K", 1e3, 1},
                                         {"M", 1e6, 1}, {"G", 1e9, 1}, {"T", 1e12, 1}};

enum { PREFIXES = sizeof prefixes / sizeof prefixes[0] };

const char *text_byte_count(char *text, size_t size, int64_t bytes) {
    static const char *const suffixes[] = {"", "K", "M", "G"};
    int power = 0;
    for (; power < 3 && bytes != 0 && bytes % 1024 == 0; power++)
        bytes /= 1024;
    snprintf(text, size, "%" PRId64 "%s", bytes, suffixes[power]);
    return text;
}

/* Copies the first `length` characters; false if they do not fit. */
static bool copy_start(char number[NUMBER_BYTES], const char *word, size_t length) {
    if (length >= NUMBER_BYTES)
        return false;
    memcpy(number, word, length);
    number[length] = '\0';
    return true;
}

/* The power of 1024 that a suffix stands for, -1 if it is none. */
static int suffix_power(const char *suffix) {
    static const char letters[] = "KMG";
    const char *found = suffix[0] != '\0' ? strchr(letters, suffix[0]) : NULL;
    if (suffix[0] == '\0')
        return 0;
    if (!found || (suffix[1] != '\0' && strcmp(suffix + 1, "iB") != 0))
        return -1;
    return (int)(found - letters) + 1;
}

bool text_to_bytes(const char *word, int64_t *bytes) {
    char number[NUMBER_BYTES];
    int64_t value;
    const size_t digits = strspn(word, "0123456789");
    const int power = suffix_power(word + digits);
    if (power < 0 || !copy_start(number, word, digits) || !text_to_integer(number, &value) ||
        value > INT64_MAX >> 10 * power)
        return false;
    *bytes = value << 10 * power;
    return true;
}

static double scaled(double number, const struct prefix *prefix) {
    return number * prefix->multiply / prefix->divide;
}

/* The prefix that a word without its number consists of, with or without the unit; NULL if none. */
static const struct prefix *prefix_of(const char *rest, const char *unit) {
    for (int i = 0; i < PREFIXES; i++) {
        const size_t length = strlen(prefixes[i].name);
        if (strncmp(rest, prefixes[i].name, length) == 0 &&
            (rest[length] == '\0' || strcmp(rest + length, unit) == 0))
            return &prefixes[i];
    }
    return NULL;
}

bool text_to_quantity(const char *word, const char *unit, double *value) {
    char number[NUMBER_BYTES];
    double read;
    size_t digits = strspn(word, "+-0123456789.");
    if (word[digits] == 'e' || word[digits] == 'E')
        digits += 1 + strspn(word + digits + 1, "+-0123456789");
    const char *rest = word + digits + (word[digits] == ' ');
    const struct prefix *prefix = prefix_of(rest, unit ? unit : "");
    if (!prefix || !copy_start(number, word, digits) || !text_to_real(number, &read) ||
        !isfinite(scaled(read, prefix)))
        return false;
    *value = scaled(read, prefix);
    return true;
}

/* The prefix that leaves at most three digits before the point. */
static const struct prefix *fitting_prefix(double value) {
    static const struct prefix none = {"", 1, 1};
    for (int i = 0; i < PREFIXES; i++) {
        const double number = fabs(value) / prefixes[i].multiply * prefixes[i].divide;
        if (number >= 1 && number < 1000)
            return &prefixes[i];
    }
    return &none;
}

/* The shortest decimal of a number below 1000 that needs no exponent. */
static void write_plainly(char text[NUMBER_BYTES], double number) {
    for (int digits = 3; digits <= 17; digits++) {
        snprintf(text, NUMBER_BYTES, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
}

const char *text_quantity(char *text, size_t size, double value, const char *unit) {
    char number[NUMBER_BYTES];
    double again;
    const struct prefix *prefix = fitting_prefix(value);
    write_plainly(number, value / prefix->multiply * prefix->divide);
    snprintf(text, size, "%s%s%s", number, prefix->name, unit ? unit : "");
    if (!text_to_quantity(text, unit, &again) || again != value) {
        text_double(number, sizeof number, value);
        snprintf(text, size, "%s%s", number, unit ? unit : "");
    }
    return text;
}
