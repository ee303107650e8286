/* Small helpers for words and numbers that people read. Room: base. */
#ifndef FUNNEL_TEXT_H
#define FUNNEL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes bytes as "512 B", "1.5 KiB", "3.2 GiB". Returns `text`. */
const char *text_bytes(char *text, size_t size, double bytes);

/* Writes seconds as "12.3 us", "4.56 ms", "7.89 s", "2 h 05 min". Returns `text`. */
const char *text_seconds(char *text, size_t size, double seconds);

/* Writes the shortest decimal that reads back as exactly `value`. Returns `text`. */
const char *text_double(char *text, size_t size, double value);

/* Levenshtein distance of two words, ignoring case. */
int text_distance(const char *a, const char *b);

/* The entry of `names` nearest to `word`, or NULL if none is near enough to be meant (distance over
 * a third of the longer word, at least 2). `names[i]` is read for i in 0..count-1. */
const char *text_nearest(const char *word, const char *const *names, int count);

/* Reads a whole word as a decimal integer; false if anything else stands in it or it overflows. */
bool text_to_integer(const char *word, int64_t *value);

/* Reads a whole word as a finite decimal number (no hex, nan or inf); false otherwise. */
bool text_to_real(const char *word, double *value);

#endif
