/* predict: the time of a sweep on any number of ranks and threads, from a machine that was measured
 * or described by hand. It runs alone, without a launcher. */
#include "predict.h"
#include "funnel/record.h"
#include "funnel/streams.h"
#include <string.h>

static const char program[] = "predict";

static void print_version(FILE *out) {
    const struct build_facts *build = build_facts();
    fprintf(out, "predict (Funnel) %s, commit %s%s\n", build->version, build->commit,
            build->dirty ? " with changes" : "");
    fprintf(out, "compiler  %s, %s, flags %s\n", build->compiler, build->build_type, build->flags);
}

/* Files that cannot be written are refused before anything is printed. */
static bool check_outputs(const struct predict_options *options, struct status *status) {
    const struct {
        const char *option, *path;
    } outputs[] = {{"command line: --record", options->record},
                   {"command line: --plot", options->plot}};
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++) {
        output_differs(outputs[i].option, outputs[i].path, "the machine", options->machine, status);
        output_differs(outputs[i].option, outputs[i].path, "the configuration", options->config,
                       status);
    }
    return output_apart(options->record, options->plot, status) &&
           output_check_plot(options->plot, status) &&
           output_check_record(options->record, program, status);
}

static bool write_record(const struct predict_options *options, const struct predict_task *task,
                         const struct predict_results *results, int argc, char **argv,
                         struct status *status) {
    json_t *measured = predict_measured(task, options, results);
    const struct record_input input = {.program = program,
                                       .argc = argc,
                                       .argv = argv,
                                       .config = &task->config,
                                       .measured = measured,
                                       .exit_code = EXIT_CODE_DONE};
    record_write(options->record, &input, status);
    json_decref(measured);
    return status_good(status);
}

static bool show(const struct predict_options *options, const struct predict_task *task,
                 const struct predict_results *results, int argc, char **argv,
                 struct status *status) {
    const bool on_stdout = (options->record && strcmp(options->record, "-") == 0) ||
                           (options->plot && strcmp(options->plot, "-") == 0);
    predict_report(task, options, results, on_stdout ? stderr : stdout);
    if (options->plot)
        predict_plot(task, results, options->plot, status);
    if (options->record && status_good(status))
        write_record(options, task, results, argc, argv, status);
    return status_good(status);
}

static bool predict_and_show(const struct predict_options *options, int argc, char **argv,
                             struct status *status) {
    struct predict_task task;
    struct predict_results results = {0};
    const bool good = check_outputs(options, status) && predict_task_make(&task, options, status) &&
                      predict_all(&results, &task, status) &&
                      show(options, &task, &results, argc, argv, status);
    predict_results_free(&results);
    return good;
}

int main(int argc, char **argv) {
    struct status status = {.code = EXIT_CODE_DONE};
    struct predict_options options;
    streams_open();
    if (predict_options_read(&options, argc, argv, &status)) {
        if (options.help)
            predict_help(stdout);
        else if (options.version)
            print_version(stdout);
        else
            predict_and_show(&options, argc, argv, &status);
    }
    if (!streams_flush(&status))
        status_print(program, &status);
    return status.code;
}
