/* bindreport: where the ranks and threads of a command would run, and what is wrong with that. Put
 * it in the place of the program in a launch command. */
#include "funnel/binding_report.h"
#include "funnel/flags.h"
#include "funnel/record.h"
#include "funnel/text.h"
#include "program.h"
#include <stddef.h>

/* What the command line asks for. The switches are those of rank 0 everywhere. */
struct switches {
    bool threads, picture, strict, help, version;
};

struct options {
    struct switches on;
    const char *record; /* NULL: none; counts on rank 0 only */
};

static const struct flag flags[] = {
    {"--threads", NULL, "a line a thread: where it ran last and where it may run",
     offsetof(struct options, on.threads), .kind = FLAG_SWITCH},
    {"--picture", NULL, "a picture of each node: a row a rank, a digit a PU",
     offsetof(struct options, on.picture), .kind = FLAG_SWITCH},
    {"--strict", NULL, "exit with code 5 if anything is wrong", offsetof(struct options, on.strict),
     .kind = FLAG_SWITCH},
    {"--record", "FILE", "write the JSON record (- for standard output)",
     offsetof(struct options, record), .kind = FLAG_TEXT},
    {"--help", NULL, "print this", offsetof(struct options, on.help), .kind = FLAG_SWITCH},
    {"--version", NULL, "print versions of everything the report depends on",
     offsetof(struct options, on.version), .kind = FLAG_SWITCH},
};

static const struct flag_table table = {"bindreport", flags, sizeof flags / sizeof flags[0], NULL};

static void print_help(FILE *out) {
    fputs("bindreport [options], in the place of the program in a launch command\n"
          "Says for each rank and thread where it may run and where it runs, what is wrong with\n"
          "that, what it costs, and the command that mends it.\n\n",
          out);
    flags_print(&table, out);
    fputs(
        "\nExit codes: 0 done, 1 internal, 2 usage, 5 environment (--strict: a problem), 6 files\n",
        out);
}

/* Rank 0. */
static void print_report(const struct program_run *run, const struct options *options, FILE *out) {
    const struct binding_report *report = run->binding;
    char load[32];
    binding_report_print(report, options->on.threads, out);
    if (options->on.picture)
        binding_report_picture(report, out);
    fprintf(out, "topology loaded in %s\n",
            text_seconds(load, sizeof load, binding_report_load_s(report)));
    binding_report_problems(report, out);
    const int problems = binding_report_problem_count(report);
    fprintf(out, "%s: %d binding problem%s\n", run->program, problems, problems == 1 ? "" : "s");
}

static int verdict(const struct options *options, const struct binding_report *report) {
    const bool wrong = options->on.strict && binding_report_problem_count(report) > 0;
    return wrong ? EXIT_CODE_ENVIRONMENT : EXIT_CODE_DONE;
}

/* Takes and shows the report; returns the exit code. */
static int show_binding(struct program_run *run, const struct options *options,
                        struct status *status) {
    binding_threads_check(status);
    if (run->root)
        output_check_record(options->record, run->program, status);
    if (!team_agree(run->team, status))
        return status->code;
    run->binding = binding_take(run->team);
    const int code = verdict(options, run->binding);
    if (run->root) {
        print_report(run, options, program_report_stream(options->record, NULL));
        if (options->record)
            program_record(run, options->record, NULL, code, status);
    }
    return team_agree(run->team, status) ? code : status->code;
}

static int bindreport(struct program_run *run, struct status *status) {
    struct options options = {.record = NULL};
    /* a launcher can give every rank a command line of its own */
    flags_read(&table, &options, run->argc, run->argv, status);
    team_share(run->team, &options.on, sizeof options.on);
    if (!team_agree(run->team, status))
        return status->code;
    if (!options.on.help && !options.on.version)
        return show_binding(run, &options, status);
    if (run->root && options.on.help)
        print_help(stdout);
    if (run->root && options.on.version)
        program_version(run, stdout);
    return EXIT_CODE_DONE;
}

int main(int argc, char **argv) {
    return program_main("bindreport", argc, argv, bindreport);
}
