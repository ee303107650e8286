/* collectives: what bcast, allgather, allreduce and alltoall cost by size, for comparing transports
 * beyond messages between two ranks. */
#include "collectives.h"
#include "program.h"
#include <stdlib.h>

/* One run of the program, on one rank. */
struct run {
    struct program_run *base;
    struct collectives_options options;
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
    const size_t ranks = run->base->facts->rank == 0 ? (size_t)run->base->facts->ranks : 1;
    run->mine = calloc(repeats, sizeof *run->mine);
    run->all = calloc(repeats * ranks, sizeof *run->all);
    if (run->mine == NULL || run->all == NULL)
        status_fail(status, EXIT_CODE_ENVIRONMENT, "no memory for %zu times", repeats * ranks);
    return team_agree(run->base->team, status);
}

static bool measure_row(struct run *run, struct collective *collective, struct collectives_row *row,
                        struct status *status) {
    if (run->result.validated &&
        !collective_validate(collective, row->operation, row->bytes, row->warmup, status))
        return false;
    collective_run(collective, row->operation, row->bytes, row->warmup, run->mine);
    collective_run(collective, row->operation, row->bytes, row->repeats, run->mine);
    team_gather(run->base->team, run->mine, (size_t)row->repeats * sizeof *run->mine, run->all);
    if (run->base->facts->rank == 0)
        collectives_sum_up(row, run->all, run->base->facts->ranks, run->mine);
    return true;
}

static bool measure(struct run *run, struct status *status) {
    struct collective *collective =
        collective_make(run->base->team, run->options.asked.max_bytes, status);
    bool measured = collective != NULL && take_samples(run, status);
    for (int i = 0; measured && i < run->result.count; i++)
        measured = measure_row(run, collective, &run->result.rows[i], status);
    free(run->all);
    free(run->mine);
    collective_release(collective);
    return measured;
}

/* Rank 0. */
static void tell(const struct run *run, FILE *out, struct status *status) {
    const char *record = run->options.record;
    collectives_report(&run->result, out);
    if (record != NULL)
        program_record(run->base, record, collectives_measured(&run->result), EXIT_CODE_DONE,
                       status);
    if (status_good(status))
        fprintf(out, "%s: %d rows measured (exit code 0)\n", run->base->program, run->result.count);
}

/* Returns the exit code. */
static int measure_and_tell(struct run *run, struct status *status) {
    struct program_run *base = run->base;
    FILE *out = program_report_stream(run->options.record, NULL);
    collectives_plan(&run->options.asked, base->facts->ranks, &run->result, status);
    if (team_agree(base->team, status)) {
        binding_main_thread_only();
        base->binding = binding_take(base->team);
        if (base->root)
            program_head(base, out);
        if (measure(run, status) && base->root)
            tell(run, out, status);
    }
    free(run->result.rows);
    team_agree(base->team, status);
    return status->code;
}

static int collectives(struct program_run *base, struct status *status) {
    struct run run = {.base = base};
    struct collectives_options *options = &run.options;
    /* a launcher can give every rank a command line of its own */
    collectives_options_read(options, base->argc, base->argv, status);
    team_share(base->team, &options->asked, sizeof options->asked);
    if (base->root && status_good(status))
        output_check_record(options->record, base->program, status);
    if (!team_agree(base->team, status))
        return status->code;
    if (!options->asked.help && !options->asked.version)
        return measure_and_tell(&run, status);
    if (base->root && options->asked.help)
        collectives_help(stdout);
    if (base->root && options->asked.version)
        program_version(base, stdout);
    return EXIT_CODE_DONE;
}

int main(int argc, char **argv) {
    return program_main("collectives", argc, argv, collectives);
}
