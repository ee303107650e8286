/* Predictions as the part `measured` of a record, for the scripts that lay them beside runs. */
#include "funnel/record_values.h"
#include "funnel/scaling.h"
#include "predict.h"
#include <math.h>

static json_t *given_number(double value) {
    return value > 0 ? json_real(value) : json_null();
}

static json_t *given(const struct predict_options *options) {
    json_t *object = json_object();
    record_put(object, "alpha_s", given_number(options->alpha_s));
    record_put(object, "beta_bytes_per_s", given_number(options->beta_bytes_per_s));
    record_put(object, "rate_lups", given_number(options->rate_lups));
    record_put(object, "bandwidth_bytes_per_s", given_number(options->bandwidth_bytes_per_s));
    return object;
}

static json_t *counted(const struct predict_results *results, const struct predict_row *row,
                       enum message_count count) {
    const double cores = (double)row->ranks * row->threads;
    const double sweep_s = row->found.sweep_s[count];
    json_t *object = json_object();
    record_put(object, "exchange_s", record_number(row->found.exchange_s[count]));
    record_put(object, "comm_s", record_number(row->found.comm_s[count]));
    record_put(object, "sweep_s", record_number(sweep_s));
    record_put(object, "tcomm_fraction",
               record_number(prediction_tcomm_fraction(&row->found, count)));
    record_put(object, "speedup", record_number(scaling_speedup(results->one_core_s, sweep_s)));
    record_put(object, "efficiency",
               record_number(scaling_efficiency(results->one_core_s, sweep_s, cores)));
    record_put(object, "serial_fraction",
               record_number(scaling_karp_flatt(results->one_core_s, sweep_s, cores)));
    return object;
}

static void put_layout(json_t *object, const struct predict_task *task,
                       const struct predict_row *row) {
    const struct prediction *found = &row->found;
    record_put(object, "ranks", json_integer(row->ranks));
    record_put(object, "threads", json_integer(row->threads));
    record_put(object, "nodes", json_integer(found->nodes));
    record_put(object, "process_grid",
               json_sprintf("%dx%d", found->process_grid.count[AXIS_X],
                            found->process_grid.count[AXIS_Y]));
    record_put(object, "kernel", record_text(task->machine.kernels[found->kernel].name));
    record_put(object, "halo_depth", json_integer(found->depth));
    record_put(object, "message_bytes", json_integer(found->message_bytes));
    record_put(object, "compute_s", record_number(found->compute_s));
    record_put(object, "overhead_s", record_number(found->overhead_s));
    record_put(object, "norm_s", record_number(found->norm_s));
    record_put(object, "reduction_s", record_number(found->reduction_s));
    record_put(object, "sweep_s", record_number(found->sweep_s[task->count]));
    record_put(object, "tcomm_fraction",
               record_number(prediction_tcomm_fraction(found, task->count)));
}

static json_t *layouts(const struct predict_task *task, const struct predict_results *results) {
    json_t *list = json_array();
    for (int i = 0; i < results->row_count; i++) {
        const struct predict_row *row = &results->rows[i];
        json_t *object = json_object();
        put_layout(object, task, row);
        record_put(object, "at_once", counted(results, row, NEIGHBOURS_AT_ONCE));
        record_put(object, "one_after_other", counted(results, row, ONE_AFTER_OTHER));
        record_put(object, "strips_sweep_s", record_number(row->strips_s));
        record_put(object, "blocks_sweep_s", record_number(row->blocks_s));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *best(const struct predict_task *task, const struct predict_results *results) {
    json_t *list = json_array();
    for (int i = 0; i < results->best_count; i++) {
        json_t *object = json_object();
        put_layout(object, task, &results->best[i]);
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *crossover(const struct predict_results *results) {
    static const char *const names[MESSAGE_COUNTS] = {"at_once", "one_after_other"};
    json_t *object = json_object();
    for (int count = 0; count < MESSAGE_COUNTS; count++)
        record_put(object, names[count],
                   results->crossover[count] > 0 ? json_integer(results->crossover[count])
                                                 : json_null());
    return object;
}

json_t *predict_measured(const struct predict_task *task, const struct predict_options *options,
                         const struct predict_results *results) {
    json_t *object = json_object();
    record_put(object, "machine", record_text(options->machine ? task->machine.name : NULL));
    record_put(object, "machine_file", record_text(options->machine));
    record_put(object, "cores_of_node", json_integer(task->machine.cores));
    record_put(object, "given", given(options));
    record_put(object, "counted",
               json_string(task->count == NEIGHBOURS_AT_ONCE ? "at_once" : "one_after_other"));
    record_put(object, "one_core_sweep_s", record_number(results->one_core_s));
    record_put(object, "crossover_ranks", crossover(results));
    record_put(object, "layouts", layouts(task, results));
    record_put(object, "best", best(task, results));
    return object;
}
