/* The JSON record of a run: everything that somebody needs who wants to trust or repeat its
 * numbers. Each part is null where the program has nothing to say; results/schema.json describes
 * them all. */
#include "funnel/record.h"
#include "funnel/record_values.h"
#include "new_file.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SCHEMA_VERSION = 1 };

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

/* Beginnings of the environment variables that change how a run behaves. */
static const char *const recorded_prefixes[] = {"OMP_",   "GOMP_",  "KMP_",  "MPIR_", "MPICH_",
                                                "HYDRA_", "OMPI_",  "PRTE_", "PMI",   "UCX_",
                                                "FI_",    "HWLOC_", "SLURM_"};

static bool is_recorded(const char *variable) {
    for (size_t i = 0; i < COUNT(recorded_prefixes); i++)
        if (strncmp(variable, recorded_prefixes[i], strlen(recorded_prefixes[i])) == 0)
            return true;
    return false;
}

static json_t *environment(void) {
    json_t *object = json_object();
    for (char **variable = environ; *variable != NULL; variable++) {
        const char *equals = strchr(*variable, '=');
        if (equals == NULL || !is_recorded(*variable))
            continue;
        json_t *name = json_stringn(*variable, (size_t)(equals - *variable));
        if (name != NULL)
            record_put(object, json_string_value(name), record_text(equals + 1));
        json_decref(name);
    }
    return object;
}

static json_t *arguments(const struct record_input *input) {
    if (input->argv == NULL)
        return json_null();
    json_t *list = json_array();
    for (int i = 0; i < input->argc; i++)
        json_array_append_new(list, record_text(input->argv[i]));
    return list;
}

/* Time of writing as UTC, "2026-03-01T12:34:56Z". */
static json_t *written_at(void) {
    char text[32];
    struct tm utc;
    const time_t now = time(NULL);
    if (gmtime_r(&now, &utc) == NULL)
        return json_null();
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return json_string(text);
}

/* Called for every option in order: section by section. */
static void put_option(void *context, const char *section, const char *key, const char *value) {
    json_t *options = context;
    json_t *keys = json_object_get(options, section);
    if (keys == NULL) {
        keys = json_object();
        record_put(options, section, keys);
    }
    record_put(keys, key, record_text(value));
}

static json_t *options(const struct config *config) {
    if (config == NULL)
        return json_null();
    json_t *object = json_object();
    config_visit(config, put_option, object);
    return object;
}

static json_t *build(void) {
    static const struct record_field fields[] = {
        {"version", RECORD_TEXT, offsetof(struct build_facts, version)},
        {"commit", RECORD_TEXT, offsetof(struct build_facts, commit)},
        {"dirty", RECORD_BOOL, offsetof(struct build_facts, dirty)},
        {"compiler", RECORD_TEXT, offsetof(struct build_facts, compiler)},
        {"flags", RECORD_TEXT, offsetof(struct build_facts, flags)},
        {"build_type", RECORD_TEXT, offsetof(struct build_facts, build_type)},
        {"sanitized", RECORD_BOOL, offsetof(struct build_facts, sanitized)},
    };
    json_t *object = json_object();
    record_put_fields(object, fields, COUNT(fields), build_facts());
    if (strcmp(build_facts()->commit, "unknown") == 0) {
        record_put(object, "commit", json_null());
        record_put(object, "dirty", json_null());
    }
    return object;
}

static json_t *mpi(const struct record_input *input) {
    static const struct record_field fields[] = {
        {"library", RECORD_CHARS, offsetof(struct team_facts, mpi_library)},
        {"headers", RECORD_CHARS, offsetof(struct team_facts, mpi_headers)},
        {"launcher", RECORD_TEXT, offsetof(struct team_facts, launcher)},
        {"thread_level_asked", RECORD_TEXT, offsetof(struct team_facts, thread_level_asked)},
        {"thread_level_provided", RECORD_TEXT, offsetof(struct team_facts, thread_level_provided)},
        {"waiting_yields", RECORD_BOOL, offsetof(struct team_facts, yields)},
        {"finalize_cured", RECORD_BOOL, offsetof(struct team_facts, finalize_cured)},
    };
    json_t *object = json_object();
    record_put_fields(object, fields, COUNT(fields), input->team);
    return object;
}

/* Threads of each rank; null without a report, or where ranks differ. */
static json_t *threads_a_rank(const struct record_input *input) {
    if (input->binding == NULL || input->team == NULL)
        return json_null();
    const int threads = binding_report_rank(input->binding, 0)->threads;
    for (int rank = 1; rank < input->team->ranks; rank++)
        if (binding_report_rank(input->binding, rank)->threads != threads)
            return json_null();
    return json_integer(threads);
}

static json_t *process_grid(const struct solve_plan *plan) {
    return plan == NULL ? json_null()
                        : json_sprintf("%dx%d", plan->process_grid.count[AXIS_X],
                                       plan->process_grid.count[AXIS_Y]);
}

static json_t *layout(const struct record_input *input) {
    static const struct record_field fields[] = {
        {"ranks", RECORD_INT, offsetof(struct team_facts, ranks)},
        {"nodes", RECORD_INT, offsetof(struct team_facts, nodes)},
        {"ranks_per_node", RECORD_INT, offsetof(struct team_facts, ranks_per_node)},
    };
    json_t *object = json_object();
    record_put_fields(object, fields, COUNT(fields), input->team);
    if (input->team != NULL && input->team->ranks_per_node == 0)
        record_put(object, "ranks_per_node", json_null());
    record_put(object, "threads", threads_a_rank(input));
    record_put(object, "sweeping_threads",
               input->plan == NULL ? json_null() : json_integer(input->plan->threads));
    record_put(object, "process_grid", process_grid(input->plan));
    return object;
}

static json_t *indices(const global_index *values, int count) {
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, json_integer(values[i]));
    return list;
}

static json_t *numbers(const double *values, int count) {
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, record_number(values[i]));
    return list;
}

static json_t *grid(const struct solve_plan *plan) {
    if (plan == NULL)
        return json_null();
    const struct grid *grid_of_plan = &plan->grid;
    const int dimensions = grid_of_plan->dimensions;
    json_t *object = json_object();
    record_put(object, "dimensions", json_integer(dimensions));
    record_put(object, "points", indices(grid_of_plan->points, dimensions));
    record_put(object, "points_total", json_integer(grid_points(grid_of_plan)));
    record_put(object, "length", numbers(grid_of_plan->length, dimensions));
    record_put(object, "spacing", numbers(grid_of_plan->spacing, dimensions));
    return object;
}

static json_t *part(const struct extent *extents, int dimensions) {
    const global_index begin[] = {extents[AXIS_X].begin, extents[AXIS_Y].begin};
    const global_index count[] = {extents[AXIS_X].count, extents[AXIS_Y].count};
    json_t *object = json_object();
    record_put(object, "begin", indices(begin, dimensions));
    record_put(object, "points", indices(count, dimensions));
    return object;
}

/* Local part of each rank, in rank order. */
static json_t *parts(const struct record_input *input) {
    if (input->extents == NULL || input->team == NULL || input->plan == NULL)
        return json_null();
    json_t *list = json_array();
    for (int rank = 0; rank < input->team->ranks; rank++)
        json_array_append_new(
            list, part(input->extents + (size_t)rank * AXIS_COUNT, input->plan->grid.dimensions));
    return list;
}

static void put_names(json_t *object, const struct solve_plan *plan) {
    const char *instruction_set = NULL;
    if (plan != NULL)
        plan->kernel->choose(&instruction_set);
    record_put(object, "method", record_text(plan == NULL ? NULL : plan->method->name));
    record_put(object, "kernel", record_text(plan == NULL ? NULL : plan->kernel->name));
    record_put(object, "instruction_set", record_text(instruction_set));
    record_put(object, "halo", record_text(plan == NULL ? NULL : plan->halo->name));
}

static json_t *tile(const struct solve_plan *plan) {
    return plan == NULL || plan->tile.width == 0
               ? json_null()
               : json_sprintf("%dx%d", plan->tile.width, plan->tile.rows);
}

static json_t *plan_values(const struct solve_plan *plan) {
    static const struct record_field fields[] = {
        {"halo_depth", RECORD_INT, offsetof(struct solve_plan, halo_depth)},
        {"check_every", RECORD_INT64, offsetof(struct solve_plan, check_every)},
        {"forecast_sweeps", RECORD_INT64, offsetof(struct solve_plan, forecast_sweeps)},
        {"spectral_radius", RECORD_REAL, offsetof(struct solve_plan, spectral_radius)},
        {"rounding_floor", RECORD_REAL, offsetof(struct solve_plan, rounding_floor)},
        {"singular", RECORD_BOOL, offsetof(struct solve_plan, singular)},
        {"wait_split", RECORD_BOOL, offsetof(struct solve_plan, split_wait)},
        {"memory_bytes", RECORD_SIZE, offsetof(struct solve_plan, memory.total_bytes)},
    };
    json_t *object = json_object();
    put_names(object, plan);
    record_put(object, "kernel_tile", tile(plan));
    record_put_fields(object, fields, COUNT(fields), plan);
    return object;
}

static json_t *seconds(const struct spread *spread) {
    static const struct record_field fields[] = {
        {"min_s", RECORD_REAL, offsetof(struct spread, min)},
        {"mean_s", RECORD_REAL, offsetof(struct spread, mean)},
        {"max_s", RECORD_REAL, offsetof(struct spread, max)},
        {"min_rank", RECORD_INT, offsetof(struct spread, min_rank)},
        {"max_rank", RECORD_INT, offsetof(struct spread, max_rank)},
    };
    json_t *object = json_object();
    record_put_fields(object, fields, COUNT(fields), spread);
    return object;
}

static json_t *shares(const struct spread *spread) {
    static const struct record_field fields[] = {
        {"min", RECORD_REAL, offsetof(struct spread, min)},
        {"mean", RECORD_REAL, offsetof(struct spread, mean)},
        {"max", RECORD_REAL, offsetof(struct spread, max)},
        {"min_rank", RECORD_INT, offsetof(struct spread, min_rank)},
        {"max_rank", RECORD_INT, offsetof(struct spread, max_rank)},
    };
    json_t *object = json_object();
    record_put_fields(object, fields, COUNT(fields), spread);
    return object;
}

/* Whether the solve measured a phase: waiting is told apart on request only. */
static bool is_measured(const struct record_input *input, int phase) {
    const bool split = input->plan != NULL && input->plan->split_wait;
    return input->result != NULL && (phase != PHASE_WAIT || split);
}

static json_t *phases(const struct record_input *input) {
    json_t *object = json_object();
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        record_put(object, phase_names[phase],
                   seconds(is_measured(input, phase) ? &input->result->phase_s[phase] : NULL));
    return object;
}

static void put_ending(json_t *record, const struct record_input *input) {
    const struct solve_result *result = input->result;
    record_put(record, "reason",
               record_text(result == NULL ? NULL : stop_reason_name(result->reason)));
    record_put(record, "exit_code", json_integer(input->exit_code));
}

static void put_norms(json_t *record, const struct solve_result *result) {
    static const struct record_field fields[] = {
        {"sweeps", RECORD_INT64, offsetof(struct solve_result, sweeps)},
        {"checks", RECORD_INT64, offsetof(struct solve_result, checks)},
        {"votes", RECORD_INT64, offsetof(struct solve_result, votes)},
        {"residual_norm2", RECORD_REAL, offsetof(struct solve_result, residual_norm2)},
        {"residual_first_norm2", RECORD_REAL, offsetof(struct solve_result, residual_first_norm2)},
        {"rhs_norm2", RECORD_REAL, offsetof(struct solve_result, rhs_norm2)},
        {"target_norm2", RECORD_REAL, offsetof(struct solve_result, target_norm2)},
        {"compatibility", RECORD_REAL, offsetof(struct solve_result, compatibility)},
        {"field_checksum", RECORD_HEX, offsetof(struct solve_result, field_checksum)},
        {"denormal_points", RECORD_INT64, offsetof(struct solve_result, denormal_points)},
    };
    record_put_fields(record, fields, COUNT(fields), result);
    const bool has_error = result != NULL && result->has_error;
    record_put(record, "error_max", has_error ? record_number(result->error_max) : json_null());
    record_put(record, "error_norm2", has_error ? record_number(result->error_norm2) : json_null());
}

static void put_rates(json_t *record, const struct solve_result *result) {
    static const struct record_field fields[] = {
        {"rate_lups", RECORD_REAL, offsetof(struct solve_result, rate_lups)},
        {"bytes_per_point", RECORD_REAL, offsetof(struct solve_result, bytes_per_point)},
        {"tcomm_fraction", RECORD_REAL, offsetof(struct solve_result, tcomm_fraction)},
        {"copy_bandwidth_bytes_per_s", RECORD_REAL,
         offsetof(struct solve_result, copy_bytes_per_s)},
        {"roofline_share", RECORD_REAL, offsetof(struct solve_result, roofline_share)},
        {"imbalance", RECORD_REAL, offsetof(struct solve_result, imbalance)},
        {"redundant_points", RECORD_INT64, offsetof(struct solve_result, redundant_points)},
        {"messages", RECORD_INT64, offsetof(struct solve_result, messages)},
        {"message_bytes", RECORD_INT64, offsetof(struct solve_result, message_bytes)},
    };
    record_put_fields(record, fields, COUNT(fields), result);
    record_put(record, "bandwidth_bytes_per_s",
               result == NULL ? json_null()
                              : record_number(result->rate_lups * result->bytes_per_point));
}

static void put_times(json_t *record, const struct record_input *input) {
    static const struct record_field fields[] = {
        {"total_s", RECORD_REAL, offsetof(struct solve_result, total_s.max)},
        {"setup_s", RECORD_REAL, offsetof(struct solve_result, setup_s)},
        {"first_block_s", RECORD_REAL, offsetof(struct solve_result, first_block_s)},
        {"first_block_sweeps", RECORD_INT64, offsetof(struct solve_result, first_block_sweeps)},
    };
    const struct solve_result *result = input->result;
    record_put_fields(record, fields, COUNT(fields), result);
    record_put(record, "startup_s", result == NULL ? json_null() : record_number(input->startup_s));
    record_put(record, "phases", phases(input));
    const bool overlaps = result != NULL && input->plan != NULL && input->plan->overlaps;
    record_put(record, "hidden", seconds(overlaps ? &result->hidden_s : NULL));
    record_put(record, "total", seconds(result == NULL ? NULL : &result->total_s));
    record_put(record, "thread_sweep", seconds(result == NULL ? NULL : &result->thread_s));
    record_put(record, "tcomm_fraction_of_rank",
               shares(result == NULL ? NULL : &result->tcomm_fraction_of_rank));
}

void record_put_origin(json_t *record, const struct record_input *input) {
    record_put(record, "schema_version", json_integer(SCHEMA_VERSION));
    record_put(record, "program", record_text(input->program));
    record_put(record, "argv", arguments(input));
    record_put(record, "written_at", written_at());
}

void record_put_surroundings(json_t *record, const struct record_input *input) {
    const char *root = input->system_root == NULL ? "" : input->system_root;
    record_put(record, "build", build());
    record_put(record, "hwloc", record_text(binding_hwloc_versions()));
    record_put(record, "openmp", record_text(sweep_openmp_version()));
    record_put(record, "machine", record_machine(root, input));
    record_put(record, "environment", environment());
}

static json_t *record_of(const struct record_input *input) {
    json_t *record = json_object();
    record_put_origin(record, input);
    put_ending(record, input);
    put_norms(record, input->result);
    put_times(record, input);
    put_rates(record, input->result);
    record_put(record, "layout", layout(input));
    record_put(record, "grid", grid(input->plan));
    record_put(record, "plan", plan_values(input->plan));
    record_put(record, "config_file",
               record_text(input->config == NULL ? NULL : input->config->file));
    record_put(record, "config", options(input->config));
    record_put(record, "mpi", mpi(input));
    record_put_surroundings(record, input);
    record_put(record, "binding", record_binding(input));
    record_put(record, "parts", parts(input));
    record_put(record, "measured",
               input->measured == NULL ? json_null() : json_incref(input->measured));
    return record;
}

bool record_dump(const char *path, const json_t *record, struct status *status) {
    struct new_file file;
    if (!new_file_open(&file, path, status))
        return false;
    const bool written =
        json_dumpf(record, file.stream, JSON_INDENT(2)) == 0 && fputc('\n', file.stream) != EOF;
    if (!written)
        status_fail(status, EXIT_CODE_FILES, "%s: the record cannot be written; check the disk",
                    path);
    return new_file_close(&file, written, status);
}

bool record_write(const char *path, const struct record_input *input, struct status *status) {
    json_t *record = record_of(input);
    const bool written = record_dump(path, record, status);
    json_decref(record);
    return written;
}
