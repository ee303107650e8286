/* What the programs that report from several ranks have in common: start and end, versions, the
 * head of a report, the memory of a node, the record. */
#ifndef FUNNEL_PROGRAM_H
#define FUNNEL_PROGRAM_H

#include "funnel/binding_report.h"
#include "funnel/team.h"
#include <jansson.h>
#include <stdio.h>

/* One run of a program, as each of its ranks knows it. */
struct program_run {
    const char *program;
    int argc;
    char **argv;
    struct team *team;
    const struct team_facts *facts;
    bool root;                      /* rank 0, which reports */
    struct binding_report *binding; /* NULL until the program takes it; freed at the end */
};

/* The whole of main: starts the team, calls `body` where that worked, says on one rank what went
 * wrong, ends the team. `body` returns the exit code, the same on all ranks. */
int program_main(const char *program, int argc, char **argv,
                 int (*body)(struct program_run *run, struct status *status));

/* Where the report goes: standard output, or standard error where "-" sends a result there. The
 * paths may be NULL. */
FILE *program_report_stream(const char *record, const char *plot);

/* Writes the record of a run, with what it measured, of which the reference is taken; NULL: null.
 * Rank 0. EXIT_CODE_FILES. */
void program_record(const struct program_run *run, const char *path, json_t *measured,
                    int exit_code, struct status *status);

/* Versions of everything that a report depends on, for --version. Rank 0. */
void program_version(const struct program_run *run, FILE *out);

/* Program, version and MPI library; where the ranks run; what is wrong with that: all that must
 * stand before the first number. Rank 0. */
void program_head(const struct program_run *run, FILE *out);

/* Fails on all ranks with EXIT_CODE_ENVIRONMENT if the ranks of any node together want more memory
 * than memory_suffices allows, each `bytes`. COLLECTIVE. Returns status_good. */
bool program_memory_check(struct team *team, int64_t bytes, struct status *status);

#endif
