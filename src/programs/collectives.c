/* collectives: what bcast, allgather, allreduce and alltoall cost by size, for comparing transports
 * beyond messages between two ranks. */
#include "collectives.h"
#include "funnel/streams.h"
#include "program.h"
#include <stdlib.h>
#include <string.h>

static const char program[] = "collectives";

/* One run of the program, on one rank. */
struct run {
    int argc;
    char **argv;
    struct collectives_options options;
    struct team *team;
    const struct team_facts *facts;
    struct binding_report *binding;
    struct collectives_result result;
    double *mine, *all; /* times of a row on this rank; of every rank on rank 0 */
};

static int most_repeats(const struct collectives_result *result) {
    int most = 1;
    for (int i = 0; i < result->count; i++)
        most = result->rows[i].repeats > most ? result->rows[i].repeats : most;
    return most;
}

static bool take_samples(struct run *run, struct status *status) {
    const size_t repeats = (size_t)most_repeats(&run->result);
    const size_t ranks = run->facts->rank == 0 ? (size_t)run->facts->ranks : 1;
    run->mine = calloc(repeats, sizeof *run->mine);
    run->all = calloc(repeats * ranks, sizeof *run->all);
    if (run->mine == NULL || run->all == NULL)
        status_fail(status, EXIT_CODE_ENVIRONMENT, "no memory for %zu times", repeats * ranks);
    return team_agree(run->team, status);
}

static bool measure_row(struct run *run, struct collective *collective, struct collectives_row *row,
                        struct status *status) {
    if (run->result.validated &&
        !collective_validate(collective, row->operation, row->bytes, row->warmup, status))
        return false;
    collective_run(collective, row->operation, row->bytes, row->warmup, run->mine);
    collective_run(collective, row->operation, row->bytes, row->repeats, run->mine);
    team_gather(run->team, run->mine, (size_t)row->repeats * sizeof *run->mine, run->all);
    if (run->facts->rank == 0)
        collectives_sum_up(row, run->all, run->facts->ranks, run->mine);
    return true;
}

static bool measure(struct run *run, struct status *status) {
    struct collective *collective =
        collective_make(run->team, run->options.asked.max_bytes, status);
    bool measured = collective != NULL && take_samples(run, status);
    for (int i = 0; measured && i < run->result.count; i++)
        measured = measure_row(run, collective, &run->result.rows[i], status);
    free(run->all);
    free(run->mine);
    collective_release(collective);
    return measured;
}

static void write_record(const struct run *run, struct status *status) {
    json_t *measured = collectives_measured(&run->result);
    const struct record_input input = {.program = program,
                                       .argc = run->argc,
                                       .argv = run->argv,
                                       .team = run->facts,
                                       .binding = run->binding,
                                       .measured = measured,
                                       .exit_code = EXIT_CODE_DONE};
    record_write(run->options.record, &input, status);
    json_decref(measured);
}

/* Rank 0. */
static void tell(const struct run *run, FILE *out, struct status *status) {
    collectives_report(&run->result, out);
    if (run->options.record != NULL)
        write_record(run, status);
    if (status_good(status))
        fprintf(out, "%s: %d rows measured (exit code 0)\n", program, run->result.count);
}

static void measure_and_tell(struct run *run, struct status *status) {
    const bool root = run->facts->rank == 0;
    const char *record = run->options.record;
    FILE *out = record != NULL && strcmp(record, "-") == 0 ? stderr : stdout;
    binding_main_thread_only();
    run->binding = binding_take(run->team);
    if (root)
        program_head(program, run->facts, run->binding, out);
    if (measure(run, status) && root)
        tell(run, out, status);
    binding_report_free(run->binding);
    team_agree(run->team, status);
}

/* Returns the exit code. */
static int run_program(struct run *run, struct status *status) {
    struct collectives_options *options = &run->options;
    const bool root = run->facts->rank == 0;
    /* a launcher can give every rank a command line of its own */
    collectives_options_read(options, run->argc, run->argv, status);
    team_share(run->team, &options->asked, sizeof options->asked);
    if (root && options->record != NULL && status_good(status))
        output_check("--record", options->record, true, status);
    if (!team_agree(run->team, status))
        return status->code;
    if (root && options->asked.help)
        collectives_help(stdout);
    else if (root && options->asked.version)
        program_version(program, run->facts, stdout);
    if (options->asked.help || options->asked.version)
        return EXIT_CODE_DONE;
    collectives_plan(&options->asked, run->facts->ranks, &run->result, status);
    if (team_agree(run->team, status))
        measure_and_tell(run, status);
    free(run->result.rows);
    return status->code;
}

int main(int argc, char **argv) {
    struct status status = {.code = EXIT_CODE_DONE};
    streams_open();
    struct team *team = team_start(&argc, &argv, &status);
    if (team == NULL) {
        status_print(program, &status);
        return status.code;
    }
    struct run run = {.argc = argc, .argv = argv, .team = team, .facts = team_facts(team)};
    const int code = status_good(&status) ? run_program(&run, &status) : status.code;
    if (!status_good(&status) && run.facts->rank == 0)
        status_print(program, &status);
    team_end(team);
    return code;
}
