/* Words and numbers that people read, and strict reading of those they write. */
#include "funnel/text.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *text_bytes(char *text, size_t size, double bytes) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    int unit = 0;
    if (isinf(bytes)) {
        snprintf(text, size, "none");
        return text;
    }
    while (bytes >= 1024 && unit < 6) {
        bytes /= 1024;
        unit++;
    }
    snprintf(text, size, unit == 0 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
    return text;
}

const char *text_seconds(char *text, size_t size, double seconds) {
    if (seconds < 1e-3)
        snprintf(text, size, "%.1f us", 1e6 * seconds);
    else if (seconds < 1)
        snprintf(text, size, "%.2f ms", 1e3 * seconds);
    else if (seconds < 120)
        snprintf(text, size, "%.2f s", seconds);
    else if (seconds < 7200)
        snprintf(text, size, "%.0f min %02.0f s", floor(seconds / 60), floor(fmod(seconds, 60)));
    else if (seconds < 360000)
        snprintf(text, size, "%.0f h %02.0f min", floor(seconds / 3600),
                 floor(fmod(seconds, 3600) / 60));
    else
        snprintf(text, size, "%.0f days", seconds / 86400);
    return text;
}

const char *text_double(char *text, size_t size, double value) {
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, size, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return text;
}

static int smallest(int a, int b, int c) {
    int least = a < b ? a : b;
    return least < c ? least : c;
}

enum { WORD_MAX = 64 };

int text_distance(const char *a, const char *b) {
    int length_a = (int)strnlen(a, WORD_MAX), length_b = (int)strnlen(b, WORD_MAX);
    int row[WORD_MAX + 1];
    for (int j = 0; j <= length_b; j++)
        row[j] = j;
    for (int i = 1; i <= length_a; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= length_b; j++) {
            int same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            int here = smallest(row[j] + 1, row[j - 1] + 1, diagonal + !same);
            diagonal = row[j];
            row[j] = here;
        }
    }
    return row[length_b];
}

const char *text_nearest(const char *word, const char *const *names, int count) {
    const char *nearest = NULL;
    int least = WORD_MAX + 1;
    for (int i = 0; i < count; i++) {
        int distance = text_distance(word, names[i]);
        if (distance < least) {
            least = distance;
            nearest = names[i];
        }
    }
    if (!nearest)
        return NULL;
    size_t longer = strlen(word) > strlen(nearest) ? strlen(word) : strlen(nearest);
    int allowed = longer / 3 > 2 ? (int)(longer / 3) : 2;
    /* a word of two letters is within two of everything */
    return least <= allowed && (size_t)least < longer ? nearest : NULL;
}

static bool only_characters_of(const char *word, const char *allowed) {
    return *word != '\0' && word[strspn(word, allowed)] == '\0';
}

bool text_to_integer(const char *word, int64_t *value) {
    if (!only_characters_of(word, "+-0123456789"))
        return false;
    char *end;
    errno = 0;
    long long read = strtoll(word, &end, 10);
    if (*end != '\0' || end == word || errno != 0)
        return false;
    *value = read;
    return true;
}

bool text_to_real(const char *word, double *value) {
    if (!only_characters_of(word, "+-0123456789.eE"))
        return false;
    char *end;
    errno = 0;
    double read = strtod(word, &end);
    bool vanished = errno == ERANGE && read == 0;
    if (*end != '\0' || end == word || !isfinite(read) || vanished)
        return false;
    *value = read;
    return true;
}
