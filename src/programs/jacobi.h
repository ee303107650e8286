/* The parts of the jacobi program. Private to src/programs. */
#ifndef FUNNEL_JACOBI_H
#define FUNNEL_JACOBI_H

#include "funnel/binding_report.h"
#include "funnel/history.h"
#include "funnel/solver.h"
#include <stdio.h>

enum { JACOBI_WORDS_MAX = 128 };

/* Flags without a value; the ones of rank 0 count for all. */
struct jacobi_flags {
    bool help, version, reference, check, print_config, quiet, sketch, tune;
};

/* What the command line asks for, apart from the configuration. */
struct jacobi_options {
    struct jacobi_flags flags;
    const char *record, *image;          /* NULL: as in the configuration */
    const char *words[JACOBI_WORDS_MAX]; /* the configuration, then section.key=value */
    int word_count;
};

/* Reads the command line. Fails with EXIT_CODE_USAGE. */
bool jacobi_options_read(struct jacobi_options *options, int argc, char **argv,
                         struct status *status);
void jacobi_help(FILE *out);
void jacobi_reference(FILE *out);
void jacobi_version(const struct team_facts *facts, FILE *out);

/* What is about to be solved, where, and with what. Rank 0. */
void jacobi_header(const struct solve_plan *plan, const struct config *config,
                   const struct team_facts *facts, FILE *out);
/* Local sizes and memory of the ranks, and the arrays they consist of. COLLECTIVE. */
void jacobi_sizes(const struct solve_plan *plan, struct team *team, FILE *out);
/* Reason, norms, errors, phases, rates; rates only if the run is sound. Rank 0. */
void jacobi_summary(const struct solve_plan *plan, const struct team_facts *facts,
                    const struct solve_result *result, FILE *out);

/* Measures other kernels, depths, tiles, schedules and halo variants on the planned problem, in
 * less than 20 s, and prints a table and the configuration lines to keep (rank 0). Writes no
 * outputs. Fails where the problem cannot be solved at all, and with EXIT_CODE_STOPPED after a
 * signal. COLLECTIVE. */
bool jacobi_tune(const struct config *config, const struct solve_plan *plan, struct team *team,
                 const struct sweep_caches *caches, FILE *out, struct status *status);

/* Progress lines and the history: what rank 0 shows while the solve runs. */
struct jacobi_monitor {
    FILE *out;
    bool quiet, terminal;
    double first_sweep_s; /* clock when the loop began */
    double shown_s;       /* clock of the last line */
    int64_t max_sweeps;
    int64_t expected_sweeps; /* forecast or limit, whichever comes first */
    bool line_open;          /* a terminal line waits to be overwritten */
    struct history *history;
};
struct solve_watch jacobi_watch(struct jacobi_monitor *monitor);
/* Ends an open line of a terminal. */
void jacobi_monitor_close(struct jacobi_monitor *monitor);

#endif
