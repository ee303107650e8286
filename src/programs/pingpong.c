/* pingpong: what a message costs between two ranks. Here is the order of things; the parts are in
 * the files beside it. */
#include "funnel/clock.h"
#include "funnel/record.h"
#include "funnel/streams.h"
#include "pingpong_loops.h"
#include "program.h"
#include <stdlib.h>
#include <string.h>

static const char program[] = "pingpong";

/* One run of the program, from start to end. */
struct run {
    int argc;
    char **argv;
    struct pingpong_options options;
    struct team *team;
    const struct team_facts *facts;
    bool root;
    FILE *out; /* standard output, or standard error when a result goes there */
    struct pingpong_plan plan;
    struct binding_report *binding;
    struct pingpong_result
        *of_rank; /* this rank's, a size after the other; those of all on rank 0 */
    struct pingpong_measurement measurement;
};

static void *take_zeroed(struct run *run, size_t count, size_t bytes) {
    void *memory = calloc(count, bytes);
    if (!memory)
        team_abort(run->team, EXIT_CODE_ENVIRONMENT);
    return memory;
}

/* Before the measurement: a run whose results could not be kept is not worth its time. */
static bool check_outputs(struct run *run, struct status *status) {
    const struct pingpong_options *options = &run->options;
    if (run->root && options->record)
        output_check("--record", options->record, true, status);
    if (run->root && options->plot)
        output_check("--plot", options->plot, true, status);
    return team_agree(run->team, status);
}

static bool plan_run(struct run *run, struct status *status) {
    const struct pingpong_wish *wish = &run->options.wish;
    pingpong_plan_make(&run->plan, wish, &pingpong_patterns[wish->pattern], run->facts->ranks,
                       pingpong_cache_bytes(), status);
    return team_agree(run->team, status) && check_outputs(run, status) &&
           pingpong_memory_check(&run->plan, run->team, status);
}

/* Where the ranks run and what is wrong with that, before any number. */
static void report_binding(struct run *run) {
    binding_main_thread_only();
    run->binding = binding_take(run->team);
    if (!run->root)
        return;
    program_head(program, run->facts, run->binding, run->out);
    pingpong_outline(&run->plan, run->facts, run->binding, run->out);
    pingpong_warn(program, &run->plan, run->binding);
}

/* What reading the clock adds to a time between two readings. */
static double clock_cost_s(void) {
    enum { READINGS = 1001 };
    double cost_s[READINGS];
    for (int i = 0; i < READINGS; i++) {
        const double start_s = clock_now_s();
        cost_s[i] = clock_now_s() - start_s;
    }
    return samples_summarize(cost_s, READINGS).median;
}

/* All sizes, on a rank that has a peer. */
static void measure_sizes(struct run *run, struct pingpong_link *link,
                          struct pingpong_carrier *carrier, struct status *status) {
    struct pingpong_traffic before, after;
    pingpong_traffic_read(&before, "");
    run->measurement.clock_s = clock_cost_s();
    for (int i = 0; i < run->plan.sizes; i++)
        run->of_rank[i] =
            pingpong_link_run(link, &run->plan.size[i], run->measurement.clock_s, status);
    pingpong_traffic_read(&after, "");
    *carrier = pingpong_traffic_carrier(&before, &after, pingpong_sent_bytes(&run->plan));
}

/* Everything measured to rank 0. */
static void gather(struct run *run, const struct pingpong_carrier *carrier) {
    const size_t ranks = run->root ? (size_t)run->facts->ranks : 0;
    const size_t sizes = (size_t)run->plan.sizes;
    struct pingpong_result *mine = run->of_rank;
    struct pingpong_carrier *carriers =
        run->root ? take_zeroed(run, ranks, sizeof *carriers) : NULL;
    run->of_rank = run->root ? take_zeroed(run, ranks * sizes, sizeof *mine) : NULL;
    team_gather(run->team, mine, sizes * sizeof *mine, run->of_rank);
    team_gather(run->team, carrier, sizeof *carrier, carriers);
    if (run->root)
        run->measurement.carrier = carriers[run->plan.first];
    free(carriers);
    free(mine);
}

static bool measure(struct run *run, struct status *status) {
    struct pingpong_carrier carrier = {.carried_bytes = 0};
    struct pingpong_link *link = pingpong_link_make(run->team, &run->plan, status);
    if (!link)
        return false;
    run->of_rank = take_zeroed(run, (size_t)run->plan.sizes, sizeof *run->of_rank);
    if (pingpong_peer(&run->plan, run->facts->rank) >= 0)
        measure_sizes(run, link, &carrier, status);
    pingpong_link_rest(link);
    pingpong_link_free(link);
    gather(run, &carrier);
    return team_agree(run->team, status);
}

static void write_record(const struct run *run, struct status *status) {
    const struct record_input input = {.program = program,
                                       .argc = run->argc,
                                       .argv = run->argv,
                                       .team = run->facts,
                                       .binding = run->binding,
                                       .measured = pingpong_measured(&run->measurement),
                                       .exit_code = EXIT_CODE_DONE};
    record_write(run->options.record, &input, status);
    json_decref(input.measured);
}

/* Rank 0. */
static void report(struct run *run, struct status *status) {
    struct pingpong_measurement *measurement = &run->measurement;
    measurement->plan = &run->plan;
    measurement->facts = run->facts;
    measurement->binding = run->binding;
    measurement->of_rank = run->of_rank;
    pingpong_conclude(measurement, status);
    if (!status_good(status))
        return;
    pingpong_table(measurement, run->out);
    if (run->options.record)
        write_record(run, status);
    if (run->options.plot && status_good(status))
        pingpong_draw(measurement, run->options.plot, status);
}

static bool writes_to_stdout(const struct pingpong_options *options) {
    return (options->record && strcmp(options->record, "-") == 0) ||
           (options->plot && strcmp(options->plot, "-") == 0);
}

/* Returns status_good. */
static bool measure_and_report(struct run *run, struct status *status) {
    run->out = writes_to_stdout(&run->options) ? stderr : stdout;
    if (!plan_run(run, status))
        return false;
    report_binding(run);
    if (measure(run, status) && run->root)
        report(run, status);
    binding_report_free(run->binding);
    free(run->of_rank);
    return team_agree(run->team, status);
}

/* Returns the exit code. */
static int run_program(struct run *run, struct status *status) {
    struct pingpong_options *options = &run->options;
    /* a launcher can give every rank a command line of its own */
    pingpong_options_read(options, run->argc, run->argv, status);
    team_share(run->team, &options->wish, sizeof options->wish);
    if (!team_agree(run->team, status))
        return status->code;
    if (run->root && options->wish.help)
        pingpong_help(stdout);
    if (run->root && options->wish.version)
        program_version(program, run->facts, stdout);
    if (options->wish.help || options->wish.version)
        return EXIT_CODE_DONE;
    if (measure_and_report(run, status) && run->root)
        fprintf(run->out, "%s: %d size%s measured (exit code 0)\n", program, run->plan.sizes,
                run->plan.sizes == 1 ? "" : "s");
    return status->code;
}

int main(int argc, char **argv) {
    struct status status = {.code = EXIT_CODE_DONE};
    streams_open();
    struct team *team = team_start(&argc, &argv, &status);
    if (!team) {
        status_print(program, &status);
        return status.code;
    }
    const struct team_facts *facts = team_facts(team);
    struct run run = {
        .argc = argc, .argv = argv, .team = team, .facts = facts, .root = facts->rank == 0};
    const int code = status_good(&status) ? run_program(&run, &status) : status.code;
    if (!status_good(&status) && run.root)
        status_print(program, &status);
    team_end(team);
    return code;
}
