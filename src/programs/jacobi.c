/* jacobi: reads a configuration, solves, reports. Here is the order of things; the parts are in the
 * files beside it. */
#include "jacobi.h"
#include "funnel/clock.h"
#include "funnel/image.h"
#include "funnel/record.h"
#include "funnel/streams.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char program[] = "jacobi";

/* One run of the program, from start to end. */
struct run {
    int argc;
    char **argv;
    double main_s;
    struct jacobi_options options;
    struct team *team;
    const struct team_facts *facts;
    bool root;
    FILE *out; /* standard output, or standard error when a result goes there */
    struct config config;
    struct sweep_caches caches;
    struct solve_plan plan;
    struct binding_report *binding;
    struct jacobi_monitor monitor;
    struct solve_result result;
    bool solved;
    int binding_changes;
};

static void on_signal(int number) {
    solve_request_stop(number);
}

/* After a second signal of the same kind the default action ends a run that does not react. */
static void listen_to_signals(void) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    const int numbers[] = {SIGINT, SIGTERM, SIGUSR1};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        sigaction(numbers[i], &action, NULL);
    /* a file that grows too large is an error of writing, told like any other */
    sigaction(SIGXFSZ, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
}

/* A command-line option that stands for an option of the configuration. */
static void override_output(struct config *config, const char *key, const char *value,
                            struct status *status) {
    char assignment[CONFIG_TEXT_BYTES + 64];
    if (!value || !status_good(status))
        return;
    snprintf(assignment, sizeof assignment, "output.%s=%s", key, value);
    config_override(config, assignment, status);
}

/* True if a result goes to standard output, where no other word may stand then. */
static bool writes_to_stdout(const struct config *config) {
    const char *const paths[] = {config->output.record, config->output.image,
                                 config->output.history};
    bool found = false;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        found = found || strcmp(paths[i], "-") == 0;
    return found;
}

/* Only rank 0 reads the file: the others may not even see its disk. */
static bool read_config(struct run *run, struct status *status) {
    struct config *config = &run->config;
    if (run->root) {
        config_defaults(config, program);
        config_read(config, run->options.words[0], status);
        for (int i = 1; i < run->options.word_count && status_good(status); i++)
            config_override(config, run->options.words[i], status);
        override_output(config, "record", run->options.record, status);
        override_output(config, "image", run->options.image, status);
        if (status_good(status))
            config_check(config, status);
    }
    if (!team_agree(run->team, status))
        return false;
    team_share(run->team, config, sizeof *config);
    run->out = writes_to_stdout(config) && !run->options.flags.tune ? stderr : stdout;
    return true;
}

/* Before the first sweep: a run whose results could not be kept is not worth its time. */
static bool check_outputs(struct run *run, struct status *status) {
    const struct config *config = &run->config;
    const struct {
        const char *option, *path;
    } outputs[] = {{"output.record", config->output.record},
                   {"output.image", config->output.image},
                   {"output.history", config->output.history}};
    for (size_t i = 0; run->root && i < sizeof outputs / sizeof outputs[0]; i++) {
        const char *option = outputs[i].option, *path = outputs[i].path;
        output_differs(option, path, "the configuration", run->options.words[0], status);
        for (size_t j = 0; j < i; j++)
            output_differs(option, path, outputs[j].option, outputs[j].path, status);
        output_check(option, path, config->output.overwrite, status);
    }
    return team_agree(run->team, status);
}

/* Where everything runs decides how the work is best done. */
static bool plan_run(struct run *run, struct status *status) {
    binding_threads_check(status);
    if (!team_agree(run->team, status))
        return false;
    run->binding = binding_take(run->team);
    struct cache_share share = binding_report_caches(run->binding);
    run->caches = (struct sweep_caches){share.first_level, share.second_level, share.last_level};
    solve_plan_make(&run->plan, &run->config, run->facts, &run->caches, status);
    return team_agree(run->team, status);
}

/* Strict policy stops here if something is wrong with where everything runs. */
static bool report_binding(struct run *run, struct status *status) {
    int problems = binding_report_problem_count(run->binding);
    if (run->root) {
        binding_report_print(run->binding, false, run->out);
        fflush(run->out);
        if (run->config.binding.policy != BINDING_REPORT)
            binding_report_problems(run->binding, stderr);
    }
    if (problems > 0 && run->config.binding.policy == BINDING_STRICT)
        status_fail(status, EXIT_CODE_ENVIRONMENT,
                    "binding.policy: strict, and the binding has %d problem%s; mend what is named "
                    "above or use binding.policy=warn",
                    problems, problems == 1 ? "" : "s");
    return status_good(status);
}

static void look_at_binding_again(struct run *run) {
    struct binding_report *after = binding_take(run->team);
    if (run->root)
        run->binding_changes = binding_report_changes(run->binding, after, run->out);
    binding_report_free(after);
}

static bool draw(struct run *run, const struct solve *solve, struct status *status) {
    enum { IMAGE_WIDTH = 1200, IMAGE_HEIGHT = 1000 };
    const char *path = run->config.output.image;
    struct picture picture = {0};
    if (path[0] == '\0' && !run->options.flags.sketch)
        return true;
    if (!picture_take(&picture, run->team, &run->plan.grid, solve_field(solve),
                      run->plan.part.begin, IMAGE_WIDTH, IMAGE_HEIGHT, status))
        return false;
    if (run->root) {
        char title[160];
        snprintf(title, sizeof title, "u after %" PRId64 " sweeps (%s), residual %.3g",
                 run->result.sweeps, stop_reason_name(run->result.reason),
                 run->result.residual_norm2);
        if (path[0] != '\0')
            picture_write_png(&picture, &run->plan.grid, title, path, status);
        if (run->options.flags.sketch)
            picture_sketch(&picture, run->out);
    }
    picture_free(&picture);
    return team_agree(run->team, status);
}

/* The local part of every rank, for the record; NULL elsewhere than on rank 0. */
static struct extent *gather_extents(struct run *run) {
    const struct sweep_part *part = &run->plan.part;
    struct extent mine[AXIS_COUNT] = {{part->begin[AXIS_X], part->layout.nx},
                                      {part->begin[AXIS_Y], part->layout.ny}};
    struct extent *all = NULL;
    if (run->root && !(all = calloc((size_t)run->facts->ranks, sizeof mine)))
        team_abort(run->team, EXIT_CODE_ENVIRONMENT);
    team_gather(run->team, mine, sizeof mine, all);
    return all;
}

static bool write_record(struct run *run, int exit_code, struct status *status) {
    if (run->config.output.record[0] == '\0')
        return true;
    struct extent *extents = gather_extents(run);
    if (run->root) {
        struct record_input input = {.program = program,
                                     .argc = run->argc,
                                     .argv = run->argv,
                                     .config = &run->config,
                                     .team = run->facts,
                                     .binding = run->binding,
                                     .plan = &run->plan,
                                     .result = &run->result,
                                     .extents = extents,
                                     .exit_code = exit_code,
                                     .startup_s = run->monitor.first_sweep_s - run->main_s,
                                     .binding_changes = run->binding_changes};
        record_write(run->config.output.record, &input, status);
    }
    free(extents);
    return team_agree(run->team, status);
}

static bool open_history(struct run *run, struct status *status) {
    const char *path = run->config.output.history;
    if (run->root && path[0] != '\0')
        run->monitor.history = history_open(path, status);
    return team_agree(run->team, status);
}

static void close_history(struct run *run, struct status *status) {
    if (run->monitor.history)
        history_close(run->monitor.history, status);
    team_agree(run->team, status);
}

/* Solves, shows, draws. The exit code of the reason if all went well. */
static int solve_and_report(struct run *run, struct status *status) {
    struct solve *solve = solve_make(run->team, &run->plan, &run->config, status);
    if (!solve)
        return status->code;
    run->monitor = (struct jacobi_monitor){.out = run->out,
                                           .quiet = run->options.flags.quiet,
                                           .terminal = isatty(fileno(run->out)) == 1,
                                           .max_sweeps = run->config.solver.max_sweeps};
    struct solve_watch watch = jacobi_watch(&run->monitor);
    if (open_history(run, status))
        run->solved = solve_run(solve, &watch, &run->result, status);
    jacobi_monitor_close(&run->monitor);
    close_history(run, status);
    if (run->solved) {
        look_at_binding_again(run);
        if (run->root)
            jacobi_summary(&run->plan, run->facts, &run->result, run->out);
        draw(run, solve, status);
    }
    solve_free(solve);
    int code = status_good(status) ? (int)stop_reason_exit(run->result.reason) : status->code;
    if (run->solved && !write_record(run, code, status))
        code = status->code;
    return code;
}

/* The asked-for information that needs no solve; true if that was all. */
static bool inform(struct run *run, struct status *status) {
    if (run->options.flags.print_config) {
        if (run->root)
            config_print(&run->config, stdout);
        return true;
    }
    if (!run->options.flags.check)
        return false;
    if (run->root)
        jacobi_header(&run->plan, &run->config, run->facts, stdout);
    jacobi_sizes(&run->plan, run->team, stdout);
    solve_memory_check(run->team, &run->plan, status);
    return true;
}

/* What the program says of itself; true if that was asked for. */
static bool describe(const struct run *run) {
    const struct jacobi_flags *flags = &run->options.flags;
    if (run->root && flags->help)
        jacobi_help(stdout);
    if (run->root && flags->version)
        jacobi_version(run->facts, stdout);
    if (run->root && flags->reference)
        jacobi_reference(stdout);
    return flags->help || flags->version || flags->reference;
}

static int jacobi(struct run *run, struct status *status) {
    bool tune = run->options.flags.tune;
    if (describe(run))
        return EXIT_CODE_DONE;
    if (!read_config(run, status) || !plan_run(run, status) || inform(run, status) ||
        (!tune && !check_outputs(run, status)) ||
        !solve_memory_check(run->team, &run->plan, status))
        return status->code;
    if (run->root)
        jacobi_header(&run->plan, &run->config, run->facts, run->out);
    if (!report_binding(run, status))
        return status->code;
    if (tune) {
        jacobi_tune(&run->config, &run->plan, run->team, &run->caches, run->out, status);
        return status->code;
    }
    return solve_and_report(run, status);
}

/* Every run ends with one line that says how. */
static void last_line(const struct run *run, const struct status *status, int code) {
    if (!status_good(status))
        status_print(program, status);
    else if (run->solved)
        fprintf(run->out, "%s: %s after %" PRId64 " sweeps (exit code %d)\n", program,
                stop_reason_name(run->result.reason), run->result.sweeps, code);
    fflush(run->out);
}

int main(int argc, char **argv) {
    struct status status = {0};
    struct run run = {.main_s = clock_now_s(), .out = stdout};
    streams_open();
    listen_to_signals();
    run.team = team_start(&argc, &argv, &status);
    if (!run.team) {
        status_print(program, &status);
        return status.code;
    }
    run.argc = argc;
    run.argv = argv;
    run.facts = team_facts(run.team);
    run.root = run.facts->rank == 0;
    int code = status.code;
    if (status_good(&status)) {
        /* a launcher can give every rank a command line of its own */
        jacobi_options_read(&run.options, argc, argv, &status);
        team_share(run.team, &run.options.flags, sizeof run.options.flags);
        if (team_agree(run.team, &status))
            code = jacobi(&run, &status);
    }
    if (run.root)
        streams_flush(&status);
    if (!status_good(&status))
        code = status.code;
    if (run.root)
        last_line(&run, &status, code);
    binding_report_free(run.binding);
    team_end(run.team);
    return code;
}
