/* What the programs of the network lab have in common: versions, the head of a report, the memory
 * of a node. */
#ifndef FUNNEL_PROGRAM_H
#define FUNNEL_PROGRAM_H

#include "funnel/binding_report.h"
#include <stdio.h>

/* Versions of everything that a report depends on, for --version. Rank 0. */
void program_version(const char *program, const struct team_facts *facts, FILE *out);

/* Program, version and MPI library; where the ranks run; what is wrong with that: all that must
 * stand before the first number. Rank 0. */
void program_head(const char *program, const struct team_facts *facts,
                  const struct binding_report *binding, FILE *out);

/* Fails on all ranks with EXIT_CODE_ENVIRONMENT if the ranks of any node together want more memory
 * than memory_suffices allows, each `bytes`. COLLECTIVE. Returns status_good. */
bool program_memory_check(struct team *team, int64_t bytes, struct status *status);

#endif
