/* Inside the binding room: the report's parts, for gathering and for writing. */
#ifndef FUNNEL_BINDING_REPORT_PARTS_H
#define FUNNEL_BINDING_REPORT_PARTS_H

#include "funnel/binding_report.h"
#include "topology.h"

/* A rank's place in words. */
struct place_text {
    char text[BINDING_TEXT_BYTES];
};

struct binding_report {
    int ranks, nodes;
    int width; /* thread places kept a rank: the most threads of any */
    int problem_count;
    double load_s;
    struct cache_share caches;
    struct rank_place *places;    /* by rank */
    struct thread_place *threads; /* ranks * width */
    struct place_text *texts;     /* by rank */
    struct topology **machines;   /* by node; nodes of one shape share one */
    struct topology **shapes;     /* the different ones, owned */
    int shape_count;
    struct binding_problem problems[BINDING_PROBLEM_KINDS];
};

/* The ranks of one node, side by side as the diagnosis and the picture want them. */
struct node_view {
    int ranks;
    struct rank_place *places;
    struct thread_place **threads;
};

/* False without memory; the arrays are freed by node_view_free in either case. */
bool node_view_make(const struct binding_report *report, int node, struct node_view *view);
void node_view_free(struct node_view *view);

#endif
