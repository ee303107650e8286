/* What pingpong has measured, as JSON: $defs.pingpong of results/schema.json. */
#include "funnel/record_values.h"
#include "pingpong_loops.h"
#include <math.h>

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

static const char *common_word(enum binding_common common) {
    static const char *const words[] = {[BINDING_UNKNOWN] = "unknown",
                                        [BINDING_APART] = "apart",
                                        [BINDING_PERHAPS] = "perhaps",
                                        [BINDING_SAME] = "same"};
    return words[common];
}

static json_t *times(const struct pingpong_result *result) {
    json_t *object = json_object();
    record_put_times(object, &result->time_s);
    record_put(object, "probe_s", record_number(result->probe_s));
    return object;
}

static json_t *sizes(const struct pingpong_measurement *measurement) {
    static const struct record_field fields[] = {
        {"bytes", RECORD_INT64, offsetof(struct pingpong_size, bytes)},
        {"repeats", RECORD_INT, offsetof(struct pingpong_size, repeats)},
        {"warmup", RECORD_INT, offsetof(struct pingpong_size, warmup)},
    };
    json_t *list = json_array();
    for (int i = 0; i < measurement->plan->sizes; i++) {
        json_t *object = json_object();
        record_put_fields(object, fields, COUNT(fields), &measurement->plan->size[i]);
        record_put(object, "time", times(&measurement->all[i]));
        record_put(object, "rate_bytes_per_s", record_number(measurement->rate_bytes_per_s[i]));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *common(const struct binding_nearness *near) {
    json_t *object = json_object();
    record_put(object, "pu", record_text(common_word(near->pu)));
    record_put(object, "core", record_text(common_word(near->core)));
    record_put(object, "cache", record_text(common_word(near->cache)));
    record_put(object, "numa", record_text(common_word(near->numa)));
    record_put(object, "package", record_text(common_word(near->package)));
    return object;
}

static json_t *pair(const struct pingpong_measurement *measurement, int index) {
    const struct pingpong_plan *plan = measurement->plan;
    const int a = plan->first + index, b = plan->second + index;
    const struct binding_nearness near = pingpong_nearness(measurement->binding, a, b);
    json_t *object = json_object(), *list = json_array();
    for (int i = 0; i < plan->sizes; i++)
        json_array_append_new(list, times(&measurement->of_rank[a * plan->sizes + i]));
    record_put(object, "ranks", json_pack("[ii]", a, b));
    record_put(object, "same_node", json_boolean(pingpong_same_node(measurement->binding, a, b)));
    record_put(object, "common", common(&near));
    record_put(object, "times", list);
    return object;
}

static json_t *pairs(const struct pingpong_measurement *measurement) {
    json_t *list = json_array();
    for (int i = 0; i < measurement->plan->pairs; i++)
        json_array_append_new(list, pair(measurement, i));
    return list;
}

static json_t *segment(const struct alpha_beta_segment *segment_of_fit) {
    static const struct record_field fields[] = {
        {"from_bytes", RECORD_REAL, offsetof(struct alpha_beta_segment, from_bytes)},
        {"alpha_s", RECORD_REAL, offsetof(struct alpha_beta_segment, alpha_s)},
        {"beta_s_per_byte", RECORD_REAL, offsetof(struct alpha_beta_segment, beta_s_per_byte)},
        {"error", RECORD_REAL, offsetof(struct alpha_beta_segment, error)},
        {"sizes", RECORD_INT, offsetof(struct alpha_beta_segment, sizes)},
    };
    json_t *object = json_object();
    record_put_fields(object, fields, COUNT(fields), segment_of_fit);
    return object;
}

static json_t *fit(const struct pingpong_measurement *measurement) {
    const struct alpha_beta_fit *found = &measurement->fit;
    if (!measurement->fitted)
        return json_null();
    json_t *object = json_object(), *list = json_array();
    for (int i = 0; i < found->model.count; i++)
        json_array_append_new(list, segment(&found->model.segments[i]));
    record_put(object, "segments", list);
    record_put(object, "one_line", segment(&found->one_line));
    record_put(object, "one_line_poor", json_boolean(found->one_line_poor));
    record_put(object, "noise", record_number(found->noise));
    record_put(object, "half_bytes", record_number(measurement->half_bytes));
    return object;
}

static json_t *transport(const struct pingpong_measurement *measurement) {
    const struct pingpong_carrier *carrier = &measurement->carrier;
    const char *device = measurement->facts->mpi_device;
    char text[512];
    json_t *object = json_object();
    record_put(object, "device", record_text(device[0] != '\0' ? device : NULL));
    record_put(object, "carrier", record_text(carrier->name[0] != '\0' ? carrier->name : NULL));
    record_put(object, "carried_bytes", json_integer(carrier->carried_bytes));
    record_put(object, "sent_bytes", json_integer(pingpong_sent_bytes(measurement->plan)));
    record_put(object, "inferred",
               record_text(pingpong_transport_text(measurement, text, sizeof text)));
    return object;
}

json_t *pingpong_measured(const struct pingpong_measurement *measurement) {
    const struct pingpong_plan *plan = measurement->plan;
    json_t *object = json_object();
    record_put(object, "pattern", record_text(plan->pattern->name));
    record_put(object, "barrier", record_text("before each size, none inside"));
    record_put(object, "validated", json_boolean(plan->validate));
    record_put(object, "cold_bytes", json_integer(plan->cold_bytes));
    record_put(object, "clock_s", record_number(measurement->clock_s));
    record_put(object, "sizes", sizes(measurement));
    record_put(object, "fit", fit(measurement));
    record_put(object, "pairs", pairs(measurement));
    record_put(object, "transport", transport(measurement));
    return object;
}
