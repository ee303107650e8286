/* pingpong: what a message costs between two ranks. Here is the order of things; the parts are in
 * the files beside it. */
#include "funnel/clock.h"
#include "funnel/record.h"
#include "pingpong_loops.h"
#include "program.h"
#include <stdlib.h>

/* One run of the program, from start to end. */
struct run {
    struct program_run *base;
    struct pingpong_options options;
    FILE *out; /* of the report */
    struct pingpong_plan plan;
    struct pingpong_result
        *of_rank; /* this rank's, a size after the other; those of all on rank 0 */
    struct pingpong_measurement measurement;
};

static void *take_zeroed(struct run *run, size_t count, size_t bytes) {
    void *memory = calloc(count, bytes);
    if (!memory)
        team_abort(run->base->team, EXIT_CODE_ENVIRONMENT);
    return memory;
}

/* Before the measurement: a run whose results could not be kept is not worth its time. */
static bool check_outputs(struct run *run, struct status *status) {
    const struct pingpong_options *options = &run->options;
    if (run->base->root)
        output_apart(options->record, options->plot, status);
    if (run->base->root && output_check_record(options->record, run->base->program, status))
        output_check_plot(options->plot, status);
    return team_agree(run->base->team, status);
}

static bool plan_run(struct run *run, struct status *status) {
    const struct pingpong_wish *wish = &run->options.wish;
    pingpong_plan_make(&run->plan, wish, &pingpong_patterns[wish->pattern], run->base->facts->ranks,
                       pingpong_cache_bytes(), status);
    return team_agree(run->base->team, status) && check_outputs(run, status) &&
           pingpong_memory_check(&run->plan, run->base->team, status);
}

/* Where the ranks run and what is wrong with that, before any number. */
static void report_binding(struct run *run) {
    binding_main_thread_only();
    run->base->binding = binding_take(run->base->team);
    if (!run->base->root)
        return;
    program_head(run->base, run->out);
    pingpong_outline(&run->plan, run->base->facts, run->base->binding, run->out);
    pingpong_warn(run->base->program, &run->plan, run->base->binding);
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
    const size_t ranks = run->base->root ? (size_t)run->base->facts->ranks : 0;
    const size_t sizes = (size_t)run->plan.sizes;
    struct pingpong_result *mine = run->of_rank;
    struct pingpong_carrier *carriers =
        run->base->root ? take_zeroed(run, ranks, sizeof *carriers) : NULL;
    run->of_rank = run->base->root ? take_zeroed(run, ranks * sizes, sizeof *mine) : NULL;
    team_gather(run->base->team, mine, sizes * sizeof *mine, run->of_rank);
    team_gather(run->base->team, carrier, sizeof *carrier, carriers);
    if (run->base->root)
        run->measurement.carrier = carriers[run->plan.first];
    free(carriers);
    free(mine);
}

static bool measure(struct run *run, struct status *status) {
    struct pingpong_carrier carrier = {.carried_bytes = 0};
    struct pingpong_link *link = pingpong_link_make(run->base->team, &run->plan, status);
    if (!link)
        return false;
    run->of_rank = take_zeroed(run, (size_t)run->plan.sizes, sizeof *run->of_rank);
    if (pingpong_peer(&run->plan, run->base->facts->rank) >= 0)
        measure_sizes(run, link, &carrier, status);
    pingpong_link_rest(link);
    pingpong_link_free(link);
    gather(run, &carrier);
    return team_agree(run->base->team, status);
}

/* Rank 0. */
static void report(struct run *run, struct status *status) {
    struct pingpong_measurement *measurement = &run->measurement;
    measurement->plan = &run->plan;
    measurement->facts = run->base->facts;
    measurement->binding = run->base->binding;
    measurement->of_rank = run->of_rank;
    pingpong_conclude(measurement, status);
    if (!status_good(status))
        return;
    pingpong_table(measurement, run->out);
    if (run->options.record)
        program_record(run->base, run->options.record, pingpong_measured(measurement),
                       EXIT_CODE_DONE, status);
    if (run->options.plot && status_good(status))
        pingpong_draw(measurement, run->options.plot, status);
}

/* Returns status_good. */
static bool measure_and_report(struct run *run, struct status *status) {
    run->out = program_report_stream(run->options.record, run->options.plot);
    if (!plan_run(run, status))
        return false;
    report_binding(run);
    if (measure(run, status) && run->base->root)
        report(run, status);
    free(run->of_rank);
    return team_agree(run->base->team, status);
}

static int pingpong(struct program_run *base, struct status *status) {
    struct run run = {.base = base};
    const struct pingpong_wish *wish = &run.options.wish;
    /* a launcher can give every rank a command line of its own */
    pingpong_options_read(&run.options, base->argc, base->argv, status);
    team_share(base->team, &run.options.wish, sizeof run.options.wish);
    if (!team_agree(base->team, status))
        return status->code;
    if (base->root && wish->help)
        pingpong_help(stdout);
    if (base->root && wish->version)
        program_version(base, stdout);
    if (wish->help || wish->version)
        return EXIT_CODE_DONE;
    if (measure_and_report(&run, status) && base->root)
        fprintf(run.out, "%s: %d size%s measured (exit code 0)\n", base->program, run.plan.sizes,
                run.plan.sizes == 1 ? "" : "s");
    return status->code;
}

int main(int argc, char **argv) {
    return program_main("pingpong", argc, argv, pingpong);
}
