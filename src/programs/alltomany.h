/* What the files of alltomany share: what is asked for, what was measured, and who tells it. */
#ifndef FUNNEL_ALLTOMANY_H
#define FUNNEL_ALLTOMANY_H

#include "alltomany_growth.h"
#include "alltomany_loops.h"
#include "alltomany_queue.h"
#include "funnel/flags.h"
#include "funnel/record.h"

/* Those of rank 0 count everywhere. */
struct alltomany_asked {
    int ranks_per_node; /* 0: the ranks that share memory */
    int64_t unit_bytes;
    int iterations, warmup, repeats;
    unsigned variant, order; /* rows of their tables */
    int throttle;
    struct flag_list sweep, queue; /* empty: not asked for */
    bool validate, help, version;
};

struct alltomany_options {
    struct alltomany_asked asked;
    const char *record; /* NULL: none; counts on rank 0 only */
};

/* A length of the queue, an order and a time of posting: medians over the repeats of the slowest
 * receiver's seconds a message. */
struct alltomany_queue_row {
    struct queue_plan plan;
    double post_s, wait_s;
};

/* Times are known on rank 0. */
struct alltomany_result {
    struct loops_plan plan;
    const struct loops_variant *variant;
    int iterations, warmup, repeats;
    bool validated;
    struct spread post_receives_s; /* over the receivers */
    struct spread post_sends_s, wait_s, end_to_end_s;
    int points; /* 0: no sweep over the number of iterations */
    struct growth_point point[FLAG_LIST_MAX];
    struct growth growth;
    int queue_rows; /* 0: queues were not measured */
    struct alltomany_queue_row *queue_row;
};

/* Reads the command line; defaults included. */
bool alltomany_options_read(struct alltomany_options *options, int argc, char **argv,
                            struct status *status);
void alltomany_help(FILE *out);
const char *alltomany_order_name(int index);

/* Spread of values[0], values[every], values[2 * every] ... below `ranks`. */
struct spread alltomany_spread(const double *values, int ranks, int every);

/* Decides what will be measured and checks that it can be, before any number is printed.
 * COLLECTIVE.
 */
bool alltomany_plan(struct team *team, const struct alltomany_asked *asked,
                    struct alltomany_result *result, struct status *status);
/* Measures everything that is asked for and planned. COLLECTIVE. */
bool alltomany_measure(struct team *team, const struct alltomany_asked *asked,
                       struct alltomany_result *result, struct status *status);
void alltomany_result_release(struct alltomany_result *result);

/* Rank 0. */
void alltomany_report(const struct alltomany_result *result, FILE *out);
/* What `measured` of the record holds; owned by the caller. Rank 0. */
json_t *alltomany_measured(const struct alltomany_result *result);

#endif
