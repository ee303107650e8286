/* alltomany: the all-to-many study of a network. Every rank sends to the first rank of each node;
 * what does an iteration cost, where, and does the cost grow with their number? */
#include "alltomany.h"
#include "funnel/streams.h"
#include "program.h"
#include <string.h>

static const char program[] = "alltomany";

/* What a run leaves behind, on rank 0. */
struct outcome {
    const struct alltomany_options *options;
    const struct team_facts *facts;
    const struct binding_report *binding;
    int argc;
    char **argv;
};

static void write_record(const struct outcome *outcome, const struct alltomany_result *result,
                         struct status *status) {
    json_t *measured = alltomany_measured(result);
    const struct record_input input = {.program = program,
                                       .argc = outcome->argc,
                                       .argv = outcome->argv,
                                       .team = outcome->facts,
                                       .binding = outcome->binding,
                                       .measured = measured,
                                       .exit_code = EXIT_CODE_DONE};
    record_write(outcome->options->record, &input, status);
    json_decref(measured);
}

static void tell(const struct outcome *outcome, const struct alltomany_result *result,
                 struct status *status, FILE *out) {
    alltomany_report(result, out);
    if (outcome->options->record != NULL)
        write_record(outcome, result, status);
    if (status_good(status))
        fprintf(out, "%s: done (exit code 0)\n", program);
}

/* Measures and tells; returns the exit code, the same on all ranks. */
static int study(struct team *team, const struct outcome *outcome, struct alltomany_result *result,
                 struct status *status) {
    const bool root = outcome->facts->rank == 0;
    const char *record = outcome->options->record;
    FILE *out = record != NULL && strcmp(record, "-") == 0 ? stderr : stdout;
    if (root)
        program_head(program, outcome->facts, outcome->binding, out);
    if (alltomany_measure(team, &outcome->options->asked, result, status) && root)
        tell(outcome, result, status, out);
    alltomany_result_release(result);
    team_agree(team, status);
    return status->code;
}

static int alltomany(struct team *team, int argc, char **argv, struct status *status) {
    struct alltomany_options options;
    const struct team_facts *facts = team_facts(team);
    alltomany_options_read(&options, argc, argv, status);
    team_share(team, &options.asked, sizeof options.asked);
    if (facts->rank == 0 && options.record != NULL && status_good(status))
        output_check("--record", options.record, true, status);
    if (!team_agree(team, status))
        return status->code;
    if (options.asked.help || options.asked.version) {
        if (facts->rank == 0 && options.asked.help)
            alltomany_help(stdout);
        else if (facts->rank == 0)
            program_version(program, facts, stdout);
        return EXIT_CODE_DONE;
    }
    struct alltomany_result result;
    if (!alltomany_plan(team, &options.asked, &result, status))
        return status->code;
    binding_main_thread_only();
    struct binding_report *binding = binding_take(team);
    const struct outcome outcome = {&options, facts, binding, argc, argv};
    const int code = study(team, &outcome, &result, status);
    binding_report_free(binding);
    return code;
}

int main(int argc, char **argv) {
    struct status status = {.code = EXIT_CODE_DONE};
    streams_open();
    struct team *team = team_start(&argc, &argv, &status);
    if (team == NULL) {
        status_print(program, &status);
        return status.code;
    }
    const int code = status_good(&status) ? alltomany(team, argc, argv, &status) : status.code;
    if (!status_good(&status) && team_facts(team)->rank == 0)
        status_print(program, &status);
    team_end(team);
    return code;
}
