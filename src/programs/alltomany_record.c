/* What alltomany tells in its record; described as $defs/alltomany in results/schema.json. */
#include "alltomany.h"
#include "funnel/record_values.h"

static json_t *times(const struct spread *spread) {
    static const struct record_field fields[] = {
        {"min_s", RECORD_REAL, offsetof(struct spread, min)},
        {"mean_s", RECORD_REAL, offsetof(struct spread, mean)},
        {"max_s", RECORD_REAL, offsetof(struct spread, max)},
        {"min_rank", RECORD_INT, offsetof(struct spread, min_rank)},
        {"max_rank", RECORD_INT, offsetof(struct spread, max_rank)},
    };
    json_t *object = json_object();
    record_put_fields(object, fields, sizeof fields / sizeof fields[0], spread);
    return object;
}

static void put_pattern(json_t *object, const struct pattern *pattern) {
    const int64_t receivers = pattern_receivers(pattern);
    record_put(object, "processes", json_integer(pattern->ranks));
    record_put(object, "ranks_per_node", json_integer(pattern->ranks_per_node));
    record_put(object, "senders", json_integer(pattern->ranks));
    record_put(object, "receivers", json_integer(receivers));
    record_put(object, "unit_bytes", json_integer(pattern->unit_bytes));
    record_put(object, "max_message_bytes", json_integer(pattern_largest_bytes(pattern)));
    record_put(object, "min_message_bytes", json_integer(pattern_smallest_bytes(pattern)));
    record_put(object, "messages_per_iteration", json_integer(receivers * pattern->ranks));
    record_put(object, "bytes_per_iteration",
               json_integer(receivers * pattern_offset_bytes(pattern, pattern->ranks)));
}

static json_t *point(const struct growth_point *measured, int repeats) {
    json_t *object = json_object();
    record_put(object, "iterations", json_integer(measured->iterations));
    record_put(object, "repeats", json_integer(repeats));
    record_put_times(object, &measured->total_s);
    return object;
}

static json_t *growth(const struct alltomany_result *result) {
    static const char *const verdicts[] = {"proportional", "fixed cost", "rising", "irregular",
                                           "unknown"};
    if (result->points == 0)
        return json_null();
    json_t *object = json_object(), *points = json_array();
    for (int i = 0; i < result->points; i++)
        json_array_append_new(points, point(&result->point[i], result->repeats));
    record_put(object, "verdict", record_text(verdicts[result->growth.verdict]));
    record_put(object, "iteration_s", record_number(result->growth.iteration_s));
    record_put(object, "fixed_s", record_number(result->growth.fixed_s));
    record_put(object, "noise", record_number(result->growth.noise));
    record_put(object, "points", points);
    return object;
}

static json_t *queues(const struct alltomany_result *result) {
    if (result->queue_rows == 0)
        return json_null();
    json_t *list = json_array();
    for (int i = 0; i < result->queue_rows; i++) {
        const struct alltomany_queue_row *row = &result->queue_row[i];
        json_t *object = json_object();
        record_put(object, "length", json_integer(row->plan.length));
        record_put(object, "posted_first", json_boolean(row->plan.posted_first));
        record_put(object, "order", record_text(alltomany_order_name((int)row->plan.order)));
        record_put(object, "post_s", record_number(row->post_s));
        record_put(object, "wait_s", record_number(row->wait_s));
        json_array_append_new(list, object);
    }
    return list;
}

json_t *alltomany_measured(const struct alltomany_result *result) {
    const bool posts = result->variant->exchange == NULL;
    json_t *object = json_object();
    put_pattern(object, &result->plan.pattern);
    record_put(object, "variant", record_text(result->variant->name));
    record_put(object, "order", record_text(alltomany_order_name((int)result->plan.order)));
    record_put(object, "throttle", json_integer(result->plan.throttle));
    record_put(object, "iterations", json_integer(result->iterations));
    record_put(object, "warmup", json_integer(result->warmup));
    record_put(object, "validated", json_boolean(result->validated));
    record_put(object, "post_receives", posts ? times(&result->post_receives_s) : json_null());
    record_put(object, "post_sends", posts ? times(&result->post_sends_s) : json_null());
    record_put(object, "waits_in", record_text(result->variant->waits_in));
    record_put(object, "wait", times(&result->wait_s));
    record_put(object, "end_to_end", times(&result->end_to_end_s));
    record_put(object, "iteration_s", record_number(result->end_to_end_s.max / result->iterations));
    record_put(object, "growth", growth(result));
    record_put(object, "queue", queues(result));
    return object;
}
