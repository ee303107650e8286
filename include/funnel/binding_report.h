/* The binding of a whole team, gathered on rank 0. Room: binding, on exchange's collectives. */
#ifndef FUNNEL_BINDING_REPORT_H
#define FUNNEL_BINDING_REPORT_H

#include "funnel/binding.h"
#include "funnel/team.h"

/* What rank 0 knows after binding_take; elsewhere only the number of problems. */
struct binding_report;

/* Probes every rank, loads the topology on one rank a node, gathers all on rank 0 and diagnoses
 * each node there. Nodes of the same shape send their topology once. COLLECTIVE. Owned by the
 * caller. Never NULL: without memory it ends the job. */
struct binding_report *binding_take(struct team *team);
void binding_report_free(struct binding_report *report);

/* A line a machine, then a line a rank that starts "rank 3 node1 package 0 core L4-7"; a line a
 * thread below it with `threads`. Rank 0. */
void binding_report_print(const struct binding_report *report, bool threads, FILE *out);
/* The picture of each different node. Rank 0. */
void binding_report_picture(const struct binding_report *report, FILE *out);
/* One block a problem: evidence, cost, remedy. Rank 0. */
void binding_report_problems(const struct binding_report *report, FILE *out);

/* Says what moved between two reports (a start and an end): one line a rank whose masks differ.
 * Returns the number of ranks that changed. Rank 0. */
int binding_report_changes(const struct binding_report *before, const struct binding_report *after,
                           FILE *out);

/* For records and for strict policy; the same count on every rank. */
int binding_report_problem_count(const struct binding_report *report);

/* The least that any rank may count on; the same on every rank. */
struct cache_share binding_report_caches(const struct binding_report *report);

/* For records, rank 0 only; what they return belongs to the report. */
const struct binding_problem *binding_report_problem(const struct binding_report *report,
                                                     int index);
const struct rank_place *binding_report_rank(const struct binding_report *report, int rank);
const struct thread_place *binding_report_threads(const struct binding_report *report, int rank);
const char *binding_report_place_text(const struct binding_report *report, int rank);
/* The longest that any node needed to load its topology. */
double binding_report_load_s(const struct binding_report *report);
/* The machine of a rank's node; owned by the report. */
const struct topology *binding_report_topology(const struct binding_report *report, int rank);

#endif
