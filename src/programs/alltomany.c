/* alltomany: the all-to-many study of a network. Every rank sends to the first rank of each node;
 * what does an iteration cost, where, and does the cost grow with their number? */
#include "alltomany.h"
#include "program.h"

static void tell(const struct program_run *run, const char *record,
                 const struct alltomany_result *result, FILE *out, struct status *status) {
    alltomany_report(result, out);
    if (record != NULL)
        program_record(run, record, alltomany_measured(result), EXIT_CODE_DONE, status);
    if (status_good(status))
        fprintf(out, "%s: done (exit code 0)\n", run->program);
}

/* Measures and tells; returns the exit code, the same on all ranks. */
static int study(struct program_run *run, const struct alltomany_options *options,
                 struct status *status) {
    struct alltomany_result result;
    if (!alltomany_plan(run->team, &options->asked, &result, status))
        return status->code;
    FILE *out = program_report_stream(options->record, NULL);
    binding_main_thread_only();
    run->binding = binding_take(run->team);
    if (run->root)
        program_head(run, out);
    if (alltomany_measure(run->team, &options->asked, &result, status) && run->root)
        tell(run, options->record, &result, out, status);
    alltomany_result_release(&result);
    team_agree(run->team, status);
    return status->code;
}

static int alltomany(struct program_run *run, struct status *status) {
    struct alltomany_options options;
    /* a launcher can give every rank a command line of its own */
    alltomany_options_read(&options, run->argc, run->argv, status);
    team_share(run->team, &options.asked, sizeof options.asked);
    if (run->root && status_good(status))
        output_check_record(options.record, run->program, status);
    if (!team_agree(run->team, status))
        return status->code;
    if (!options.asked.help && !options.asked.version)
        return study(run, &options, status);
    if (run->root && options.asked.help)
        alltomany_help(stdout);
    if (run->root && options.asked.version)
        program_version(run, stdout);
    return EXIT_CODE_DONE;
}

int main(int argc, char **argv) {
    return program_main("alltomany", argc, argv, alltomany);
}
