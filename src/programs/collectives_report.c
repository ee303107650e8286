/* The table and the record of collectives. */
#include "collectives.h"
#include "funnel/record_values.h"

static void print_row(const struct collectives_row *row, FILE *out) {
    const struct samples_summary *s = &row->slowest_s;
    fprintf(out, "%10lld %11.3f %11.3f %11.3f %11.3f %11.3f %11.3f %10.1f\n", (long long)row->bytes,
            1e6 * s->median, 1e6 * s->p5, 1e6 * s->p95, 1e6 * s->min, 1e6 * s->max,
            1e6 * row->fastest_s, 1e-6 * (double)row->bytes / s->median);
}

void collectives_report(const struct collectives_result *result, FILE *out) {
    const struct collective_operation *operation = NULL;
    fputs("times of the slowest rank of each repetition in us, and the median of the fastest; a\n"
          "barrier before each repetition, outside its time; a tenth as many before as warm-up\n",
          out);
    for (int i = 0; i < result->count; i++) {
        const struct collectives_row *row = &result->rows[i];
        if (row->operation != operation)
            fprintf(out,
                    "%-11s %s\n     bytes   median us       p5 us      p95 us      min us      max "
                    "us  fastest us       MB/s\n",
                    row->operation->name, row->operation->help);
        operation = row->operation;
        print_row(row, out);
    }
    if (result->validated)
        fputs("validated   every byte of as many untimed repetitions as were warm-up\n", out);
}

static json_t *row_object(const struct collectives_row *row) {
    static const struct record_field fields[] = {
        {"fastest_median_s", RECORD_REAL, offsetof(struct collectives_row, fastest_s)},
        {"bytes", RECORD_INT64, offsetof(struct collectives_row, bytes)},
        {"repeats", RECORD_INT, offsetof(struct collectives_row, repeats)},
        {"warmup", RECORD_INT, offsetof(struct collectives_row, warmup)},
    };
    json_t *object = json_object();
    record_put(object, "operation", record_text(row->operation->name));
    record_put_times(object, &row->slowest_s);
    record_put_fields(object, fields, sizeof fields / sizeof fields[0], row);
    return object;
}

json_t *collectives_measured(const struct collectives_result *result) {
    json_t *object = json_object(), *rows = json_array();
    for (int i = 0; i < result->count; i++)
        json_array_append_new(rows, row_object(&result->rows[i]));
    record_put(object, "ranks", json_integer(result->ranks));
    record_put(object, "validated", json_boolean(result->validated));
    record_put(object, "rows", rows);
    return object;
}
