/* The record: every sample, and what is needed to judge it. */
#include "funnel/halo.h"
#include "funnel/record_values.h"
#include "rows.h"
#include <unistd.h>

static json_t *numbers(const double *values, int count) {
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, record_number(values[i]));
    return list;
}

static json_t *copies(const struct bench *bench) {
    json_t *list = json_array();
    for (int t = 0; t < bench->thread_counts; t++)
        for (enum stores stores = 0; stores < STORES_COUNT; stores++) {
            json_t *copy = json_object();
            record_put(copy, "threads", json_integer(bench->threads[t]));
            record_put(copy, "stores", record_text(stores_names[stores]));
            record_put(copy, "bytes_per_s",
                       numbers(bench->copy_bytes_per_s[t][stores], bench->options.rounds));
            json_array_append_new(list, copy);
        }
    return list;
}

static json_t *row_samples(const struct bench *bench, const struct row *row) {
    json_t *list = json_array();
    for (int i = 0; i < row->samples && !row->differs; i++) {
        json_t *sample = json_object();
        for (enum measure measure = 0; measure < MEASURE_COUNT; measure++)
            record_put(sample, measure_names[measure],
                       record_number(row_measure(bench, row, i, measure)));
        record_put(sample, "copy_bytes_per_s", record_number(row->sample[i].copy_bytes_per_s));
        record_put(sample, "latency_ns", record_number(row->sample[i].latency_ns));
        json_array_append_new(list, sample);
    }
    return list;
}

static json_t *row_medians(const struct bench *bench, const struct row *row) {
    json_t *medians = json_object();
    for (enum measure measure = 0; measure < MEASURE_COUNT; measure++)
        record_put(medians, measure_names[measure],
                   record_number(row_summary(bench, row, measure).median));
    return medians;
}

static json_t *row_record(const struct bench *bench, const struct row *row) {
    const char *instruction_set = NULL;
    const struct problem *problem = row->problem;
    if (row->kernel)
        row->kernel->choose(&instruction_set);
    json_t *points = json_array();
    for (int axis = 0; axis < problem->dimensions; axis++)
        json_array_append_new(points, json_integer(problem->points[axis]));
    json_t *object = json_object();
    record_put(object, "kernel", record_text(row_name(row)));
    record_put(object, "instruction_set", record_text(instruction_set));
    record_put(object, "threads", json_integer(row->threads));
    record_put(object, "points", points);
    record_put(object, "in_l1", json_boolean(problem->in_l1));
    record_put(object, "levels", json_integer(problem->levels));
    record_put(object, "source_varies", json_boolean(problem->source_varies));
    record_put(object, "sweeps", json_integer(problem->sweeps[kernel_load(row->kernel)]));
    record_put(object, "sweeps_at_a_time", json_integer(row_sweeps_at_a_time(row)));
    record_put(object, "overlap_share", record_number(row->overlap_share));
    record_put(object, "bytes_per_point", record_number(row_bytes_per_point(row)));
    record_put(object, "bits_equal", json_boolean(!row->differs));
    record_put(object, "median", row_medians(bench, row));
    record_put(object, "samples", row_samples(bench, row));
    return object;
}

static json_t *rows(const struct bench *bench) {
    json_t *list = json_array();
    for (int r = 0; r < bench->row_count; r++)
        json_array_append_new(list, row_record(bench, &bench->rows[r]));
    return list;
}

/* The variants that the second part of the benchmark runs. */
static json_t *halo_names(void) {
    json_t *list = json_array();
    for (int i = 0; i < halo_variant_count; i++)
        json_array_append_new(list, record_text(halo_variants[i]->name));
    return list;
}

bool report_record(const struct bench *bench, int argc, char **argv, int exit_code,
                   struct status *status) {
    struct team_facts host = {0};
    gethostname(host.host, sizeof host.host - 1);
    const struct record_input input = {
        .program = "bench", .argc = argc, .argv = argv, .team = &host};
    json_t *record = json_object();
    record_put_origin(record, &input);
    record_put(record, "exit_code", json_integer(exit_code));
    record_put_surroundings(record, &input);
    record_put(record, "plain_flags", record_text(BENCH_PLAIN_FLAGS));
    record_put(record, "quick", json_boolean(bench->options.quick));
    record_put(record, "rounds", json_integer(bench->options.rounds));
    record_put(record, "latency_ns", numbers(bench->latency_ns, bench->options.rounds));
    record_put(record, "copies", copies(bench));
    record_put(record, "rows", rows(bench));
    const bool written = record_dump(bench->options.record, record, status);
    json_decref(record);
    return written;
}

bool report_probe(int threads, double latency, double copy_rate, struct status *status) {
    json_t *record = json_object();
    record_put(record, "threads", json_integer(threads));
    record_put(record, "halo_variants", halo_names());
    record_put(record, "latency_ns", record_number(latency));
    record_put(record, "copy_bytes_per_s", record_number(copy_rate));
    const bool written = record_dump("-", record, status);
    json_decref(record);
    return written;
}
