/* Values of a record: whatever cannot be read or said in JSON becomes null, never an error and
 * never missing. What a function returns is a new reference of the caller's, NULL without memory,
 * which record_put takes for null. Room: store; programs build their part of a record with it. */
#ifndef FUNNEL_RECORD_VALUES_H
#define FUNNEL_RECORD_VALUES_H

#include "funnel/record.h"
#include "funnel/samples.h"
#include <jansson.h>
#include <stddef.h>

/* A number; null for NaN and Inf, which JSON does not have. */
json_t *record_number(double value);

/* A text, bytes that are no UTF-8 replaced by '?'; null for NULL. */
json_t *record_text(const char *text);

/* Sets object[name]; takes over `value`. */
void record_put(json_t *object, const char *name, json_t *value);

enum record_kind {
    RECORD_REAL,  /* double */
    RECORD_INT,   /* int */
    RECORD_INT64, /* int64_t */
    RECORD_SIZE,  /* size_t */
    RECORD_BOOL,  /* bool */
    RECORD_TEXT,  /* const char * */
    RECORD_CHARS, /* char array */
    RECORD_HEX    /* uint64_t, as 16 digits: most readers of JSON lose bits above 2^53 */
};

/* A member of a struct and its name in the record. */
struct record_field {
    const char *name;
    enum record_kind kind;
    size_t offset;
};

/* Puts `count` members of the struct at `base`; nulls if `base` is NULL. */
void record_put_fields(json_t *object, const struct record_field *fields, size_t count,
                       const void *base);

/* Puts the summary of repeated times: min_s, p5_s, median_s, p95_s, max_s, and the interval of the
 * median. */
void record_put_times(json_t *object, const struct samples_summary *times);

/* Facts of this host from /proc and /sys below `root` ("" on a real machine; tests imitate it). */
json_t *record_machine(const char *root, const struct record_input *input);

/* Where ranks and threads ran, and what is wrong with it; all null without a report. */
json_t *record_binding(const struct record_input *input);

/* Puts what any record starts with: schema version, program, command line, time of writing. */
void record_put_origin(json_t *record, const struct record_input *input);

/* Puts what any measurement depends on: build, libraries, machine, environment. */
void record_put_surroundings(json_t *record, const struct record_input *input);

/* Writes a record as JSON through a temporary file and rename. EXIT_CODE_FILES on failure. */
bool record_dump(const char *path, const json_t *record, struct status *status);

#endif
