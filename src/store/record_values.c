/* Values of a record: members of structs by table, and nulls for what JSON cannot say. */
#include "funnel/record_values.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *record_number(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *text_without_odd_bytes(const char *text) {
    char *plain = strdup(text);
    if (plain == NULL)
        return json_null();
    for (char *c = plain; *c != '\0'; c++)
        if ((unsigned char)*c > 127)
            *c = '?';
    json_t *value = json_string(plain);
    free(plain);
    return value;
}

json_t *record_text(const char *text) {
    if (text == NULL)
        return json_null();
    json_t *value = json_string(text);
    return value != NULL ? value : text_without_odd_bytes(text);
}

void record_put(json_t *object, const char *name, json_t *value) {
    json_object_set_new(object, name, value != NULL ? value : json_null());
}

/* Each reader copies the member out of its struct, so that no pointer changes its type. */
static json_t *real_at(const char *base, size_t offset) {
    double value;
    memcpy(&value, base + offset, sizeof value);
    return record_number(value);
}

static json_t *int_at(const char *base, size_t offset) {
    int value;
    memcpy(&value, base + offset, sizeof value);
    return json_integer(value);
}

static json_t *int64_at(const char *base, size_t offset) {
    int64_t value;
    memcpy(&value, base + offset, sizeof value);
    return json_integer(value);
}

static json_t *size_at(const char *base, size_t offset) {
    size_t value;
    memcpy(&value, base + offset, sizeof value);
    return json_integer((json_int_t)value);
}

static json_t *bool_at(const char *base, size_t offset) {
    bool value;
    memcpy(&value, base + offset, sizeof value);
    return json_boolean(value);
}

static json_t *text_at(const char *base, size_t offset) {
    const char *value;
    memcpy(&value, base + offset, sizeof value);
    return record_text(value);
}

static json_t *chars_at(const char *base, size_t offset) {
    return record_text(base + offset);
}

static json_t *hex_at(const char *base, size_t offset) {
    uint64_t value;
    char text[24];
    memcpy(&value, base + offset, sizeof value);
    snprintf(text, sizeof text, "%016" PRIx64, value);
    return json_string(text);
}

typedef json_t *member_reader(const char *base, size_t offset);

void record_put_fields(json_t *object, const struct record_field *fields, size_t count,
                       const void *base) {
    static member_reader *const readers[] = {
        [RECORD_REAL] = real_at,   [RECORD_INT] = int_at,   [RECORD_INT64] = int64_at,
        [RECORD_SIZE] = size_at,   [RECORD_BOOL] = bool_at, [RECORD_TEXT] = text_at,
        [RECORD_CHARS] = chars_at, [RECORD_HEX] = hex_at};
    for (size_t i = 0; i < count; i++)
        record_put(object, fields[i].name,
                   base == NULL ? json_null() : readers[fields[i].kind](base, fields[i].offset));
}

void record_put_times(json_t *object, const struct samples_summary *times) {
    static const struct record_field fields[] = {
        {"min_s", RECORD_REAL, offsetof(struct samples_summary, min)},
        {"p5_s", RECORD_REAL, offsetof(struct samples_summary, p5)},
        {"median_s", RECORD_REAL, offsetof(struct samples_summary, median)},
        {"p95_s", RECORD_REAL, offsetof(struct samples_summary, p95)},
        {"max_s", RECORD_REAL, offsetof(struct samples_summary, max)},
        {"median_low_s", RECORD_REAL, offsetof(struct samples_summary, median_low)},
        {"median_high_s", RECORD_REAL, offsetof(struct samples_summary, median_high)},
    };
    record_put_fields(object, fields, sizeof fields / sizeof fields[0], times);
}
