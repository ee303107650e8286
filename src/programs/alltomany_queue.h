/* What it costs to match many messages of distinct tags: receives posted before the messages arrive
 * or after, in the order of the messages or another. */
#ifndef FUNNEL_ALLTOMANY_QUEUE_H
#define FUNNEL_ALLTOMANY_QUEUE_H

#include "alltomany_pattern.h"
#include "funnel/team.h"

enum { QUEUE_MESSAGE_BYTES = 8 }; /* every MPI sends so few at once, received or not */

/* MPICH 4.0 has so many requests a rank, and ends in an assertion without one. */
enum { QUEUE_REQUESTS = 262144 };

/* The longest queue that may be asked for: a quarter of them, for the time grows with the square of
 * the length. */
enum { QUEUE_LONGEST = QUEUE_REQUESTS / 4 };

struct queue; /* buffers and requests of one rank */

struct queue_plan {
    int length;               /* messages from each other rank to each receiver */
    enum pattern_order order; /* in which the receives are posted; sends go forward */
    bool posted_first;        /* receives are posted before the first message is sent */
};

/* Seconds of this rank; 0 on ranks that are no receivers. */
struct queue_times {
    double post_s, wait_s;
};

/* Fails with EXIT_CODE_USAGE for one rank alone, or more requests or tags than MPI has. */
bool queue_check(const struct team *team, const struct pattern *pattern, int longest,
                 struct status *status);

/* For queues, checked before, of up to `longest` messages. COLLECTIVE. NULL with status set on all
 * ranks, EXIT_CODE_ENVIRONMENT, without memory. Owned by the caller. */
struct queue *queue_make(struct team *team, const struct pattern *pattern, int longest,
                         struct status *status);
/* NULL may be released. */
void queue_release(struct queue *queue);

/* Messages that a receiver gets in one run. */
int64_t queue_messages(const struct queue *queue, const struct queue_plan *plan);

/* One exchange; a barrier stands between posting and sending, outside both times. COLLECTIVE. */
struct queue_times queue_run(struct queue *queue, const struct queue_plan *plan);

#endif
