/* Small helpers for words and numbers that people read. Room: base. */
#ifndef FUNNEL_TEXT_H
#define FUNNEL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes bytes as "512 B", "1.5 KiB", "3.2 GiB", infinity as "none".
 * Returns `text`. */
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

/* Writes a number of bytes as it would be typed: "100", "64K", "16M" where that is exact. Returns
 * `text`. */
const char *text_byte_count(char *text, size_t size, int64_t bytes);

/* Reads a number of bytes, with K, M, G (powers of 1024) or KiB, MiB, GiB behind it; false if
 * anything else stands in it, or it is negative or overflows. */
bool text_to_bytes(const char *word, int64_t *bytes);

/* Writes a value as "50us" or "110MB/s" for units "s" and "B/s", with the prefix that leaves three
 * digits at most before the point; reads back as exactly `value`. `unit` may be NULL. Returns
 * `text`. */
const char *text_quantity(char *text, size_t size, double value, const char *unit);

/* Reads a number with a prefix (n, u, m, k, M, G, T: powers of 1000) and the unit behind it, a
 * space between allowed: "50us", "1.3 GB/s"; or the number alone, or with the prefix alone. `unit`
 * may be NULL. False if anything else stands in it. */
bool text_to_quantity(const char *word, const char *unit, double *value);

#endif
