/* bindreport: where the ranks and threads of a command would run, and what is wrong with that. Put
 * it in the place of the program in a launch command. */
#include "funnel/binding_report.h"
#include "funnel/flags.h"
#include "funnel/record.h"
#include "funnel/streams.h"
#include "funnel/text.h"
#include <stddef.h>
#include <string.h>

static const char program[] = "bindreport";

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

static void print_version(const struct team_facts *facts, FILE *out) {
    const struct build_facts *build = build_facts();
    fprintf(out, "bindreport (Funnel) %s, commit %s%s\n", build->version, build->commit,
            build->dirty ? " with changes" : "");
    fprintf(out, "MPI       built with %s, runs with %s\n", facts->mpi_headers, facts->mpi_library);
    fprintf(out, "hwloc     %s\n", binding_hwloc_versions());
}

/* Rank 0. */
static void print_report(const struct binding_report *report, const struct options *options,
                         FILE *out) {
    char load[32];
    binding_report_print(report, options->on.threads, out);
    if (options->on.picture)
        binding_report_picture(report, out);
    fprintf(out, "topology loaded in %s\n",
            text_seconds(load, sizeof load, binding_report_load_s(report)));
    binding_report_problems(report, out);
    const int problems = binding_report_problem_count(report);
    fprintf(out, "%s: %d binding problem%s\n", program, problems, problems == 1 ? "" : "s");
}

/* Rank 0. */
static void write_record(const struct options *options, const struct team_facts *facts,
                         const struct binding_report *report, int argc, char **argv, int code,
                         struct status *status) {
    const struct record_input input = {.program = program,
                                       .argc = argc,
                                       .argv = argv,
                                       .team = facts,
                                       .binding = report,
                                       .exit_code = code};
    record_write(options->record, &input, status);
}

static int verdict(const struct options *options, const struct binding_report *report) {
    const bool wrong = options->on.strict && binding_report_problem_count(report) > 0;
    return wrong ? EXIT_CODE_ENVIRONMENT : EXIT_CODE_DONE;
}

/* Takes and shows the report; returns the exit code. */
static int show_binding(struct team *team, const struct options *options, int argc, char **argv,
                        struct status *status) {
    const struct team_facts *facts = team_facts(team);
    binding_threads_check(status);
    if (facts->rank == 0 && options->record)
        output_check("--record", options->record, true, status);
    if (!team_agree(team, status))
        return status->code;
    struct binding_report *report = binding_take(team);
    const int code = verdict(options, report);
    const bool record_on_stdout = options->record && strcmp(options->record, "-") == 0;
    if (facts->rank == 0) {
        print_report(report, options, record_on_stdout ? stderr : stdout);
        if (options->record)
            write_record(options, facts, report, argc, argv, code, status);
    }
    binding_report_free(report);
    return team_agree(team, status) ? code : status->code;
}

static int bindreport(struct team *team, int argc, char **argv, struct status *status) {
    struct options options = {.record = NULL};
    const struct team_facts *facts = team_facts(team);
    /* a launcher can give every rank a command line of its own */
    flags_read(&table, &options, argc, argv, status);
    team_share(team, &options.on, sizeof options.on);
    if (!team_agree(team, status))
        return status->code;
    if (!options.on.help && !options.on.version)
        return show_binding(team, &options, argc, argv, status);
    if (facts->rank == 0 && options.on.help)
        print_help(stdout);
    if (facts->rank == 0 && options.on.version)
        print_version(facts, stdout);
    return EXIT_CODE_DONE;
}

int main(int argc, char **argv) {
    struct status status = {.code = EXIT_CODE_DONE};
    streams_open();
    struct team *team = team_start(&argc, &argv, &status);
    if (!team) {
        status_print(program, &status);
        return status.code;
    }
    const int code = status_good(&status) ? bindreport(team, argc, argv, &status) : status.code;
    if (!status_good(&status) && team_facts(team)->rank == 0)
        status_print(program, &status);
    team_end(team);
    return code;
}
