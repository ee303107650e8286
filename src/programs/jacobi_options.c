/* The command line of jacobi: a table of flags, then a configuration and what overrides it. */
#include "funnel/flags.h"
#include "funnel/record.h"
#include "jacobi.h"
#include <stddef.h>

static const struct flag flags[] = {
    {"--check", NULL, "parse, plan, print sizes and memory a rank, run nothing",
     offsetof(struct jacobi_options, flags.check), .kind = FLAG_SWITCH},
    {"--tune", NULL,
     "measure kernels, depths, tiles, schedules and halo variants on this problem in "
     "less than 20 s, print the lines to keep",
     offsetof(struct jacobi_options, flags.tune), .kind = FLAG_SWITCH},
    {"--print-config", NULL, "print the whole configuration as a file that gives the same run",
     offsetof(struct jacobi_options, flags.print_config), .kind = FLAG_SWITCH},
    {"--record", "FILE", "write the JSON record of the run (- for standard output)",
     offsetof(struct jacobi_options, record), .kind = FLAG_TEXT},
    {"--image", "FILE.png", "draw the solution", offsetof(struct jacobi_options, image),
     .kind = FLAG_PICTURE},
    {"--sketch", NULL, "draw the solution in characters",
     offsetof(struct jacobi_options, flags.sketch), .kind = FLAG_SWITCH},
    {"--quiet", NULL, "no progress lines", offsetof(struct jacobi_options, flags.quiet),
     .kind = FLAG_SWITCH},
    {"--reference", NULL, "print the options, kernels and halo variants as Markdown",
     offsetof(struct jacobi_options, flags.reference), .kind = FLAG_SWITCH},
    {"--help", NULL, "print this and the options of a configuration",
     offsetof(struct jacobi_options, flags.help), .kind = FLAG_SWITCH},
    {"--version", NULL, "print versions of everything a result depends on",
     offsetof(struct jacobi_options, flags.version), .kind = FLAG_SWITCH},
};

static const struct flag_table table = {"jacobi", flags, sizeof flags / sizeof flags[0], NULL};

/* Flags that each want something else done: the one that lost would be passed over in silence. */
static void refuse_contradictions(const struct jacobi_flags *asked, struct status *status) {
    const struct {
        bool asked;
        const char *name;
    } wishes[] = {{asked->check, "--check"},
                  {asked->tune, "--tune"},
                  {asked->print_config, "--print-config"},
                  {asked->sketch, "--sketch"}};
    const char *first = NULL;
    for (size_t i = 0; i < sizeof wishes / sizeof wishes[0]; i++) {
        if (wishes[i].asked && first)
            status_fail(status, EXIT_CODE_USAGE,
                        "command line: %s and %s contradict each other; give one of them", first,
                        wishes[i].name);
        if (wishes[i].asked)
            first = wishes[i].name;
    }
}

bool jacobi_options_read(struct jacobi_options *options, int argc, char **argv,
                         struct status *status) {
    const struct jacobi_flags *asked = &options->flags;
    int words = 0;
    *options = (struct jacobi_options){0};
    for (int at = 1; at < argc && status_good(status);) {
        if (argv[at][0] == '-' && argv[at][1] != '\0')
            at += flags_take(&table, options, argc, argv, at, status);
        else if (words < JACOBI_WORDS_MAX)
            options->words[words++] = argv[at++];
        else
            status_fail(status, EXIT_CODE_USAGE, "command line: more than %d words",
                        JACOBI_WORDS_MAX);
    }
    options->word_count = words;
    if (status_good(status) && words == 0 && !asked->help && !asked->version && !asked->reference)
        status_fail(status, EXIT_CODE_USAGE,
                    "command line: a configuration file is needed: jacobi CONFIG "
                    "[section.key=value ...]; see jacobi --help");
    refuse_contradictions(asked, status);
    return status_good(status);
}

static void print_tables(FILE *out) {
    fputs("\nKernels (parallel.kernel), with bytes moved a point without and with a varying "
          "source:\n",
          out);
    for (int row = 0; row < kernel_count; row++)
        fprintf(out, "  %-16s %s (%.0f, %.0f)\n", kernels[row].name, kernels[row].help,
                kernels[row].bytes_per_point, kernels[row].bytes_per_point_source);
    fputs("\nHalo variants (parallel.halo):\n", out);
    for (int row = 0; row < halo_variant_count; row++)
        fprintf(out, "  %-16s %s\n", halo_variants[row]->name, halo_variants[row]->help);
}

void jacobi_help(FILE *out) {
    fputs("jacobi CONFIG [section.key=value ...]\n"
          "Solves -div(k grad u) + s u = f on a line or a rectangle by Jacobi's method, with MPI\n"
          "ranks and OpenMP threads, and says what it cost. A value on the command line wins over\n"
          "the file.\n\n",
          out);
    flags_print(&table, out);
    fputs("\nOptions of a configuration:\n\n", out);
    config_print_help(out);
    print_tables(out);
    fputs("\nExit codes: 0 done, 1 internal, 2 usage or configuration, 3 sweep limit without\n"
          "convergence, 4 diverged, 5 environment, 6 files, 7 stopped by limit or signal,\n"
          "8 stagnated\n",
          out);
}

void jacobi_reference(FILE *out) {
    config_print_reference(out);
    fputs("\n| `parallel.kernel` | what it is | bytes a point | with a varying source | operations "
          "|\n"
          "|---|---|---|---|---|\n",
          out);
    for (int row = 0; row < kernel_count; row++)
        fprintf(out, "| `%s` | %s | %.0f | %.0f | %d |\n", kernels[row].name, kernels[row].help,
                kernels[row].bytes_per_point, kernels[row].bytes_per_point_source,
                kernels[row].operations_per_point);
    fputs("\n| `parallel.halo` | what it is |\n|---|---|\n", out);
    for (int row = 0; row < halo_variant_count; row++)
        fprintf(out, "| `%s` | %s |\n", halo_variants[row]->name, halo_variants[row]->help);
}

void jacobi_version(const struct team_facts *facts, FILE *out) {
    const struct build_facts *build = build_facts();
    fprintf(out, "jacobi (Funnel) %s, commit %s%s\n", build->version, build->commit,
            build->dirty ? " with changes" : "");
    fprintf(out, "compiler  %s, %s, flags %s\n", build->compiler, build->build_type, build->flags);
    fprintf(out, "MPI       built with %s, runs with %s\n", facts->mpi_headers, facts->mpi_library);
    fprintf(out, "threads   asked %s, provided %s\n", facts->thread_level_asked,
            facts->thread_level_provided);
    fprintf(out, "hwloc     %s\n", binding_hwloc_versions());
    fprintf(out, "OpenMP    %s\n", sweep_openmp_version());
}
