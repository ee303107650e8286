/* The loops that pingpong times. What they send is in pingpong_loops.c and pingpong_loops_window.c;
 * this header does not name MPI. Private to src/programs. */
#ifndef FUNNEL_PINGPONG_LOOPS_H
#define FUNNEL_PINGPONG_LOOPS_H

#include "pingpong.h"

/* One rank's end of a pair, or a rank that has no peer and waits. */
struct pingpong_link;

/* A pattern is a row: its functions do one repetition, on either end. */
struct pingpong_pattern {
    const char *name, *help;
    int times;     /* the time of a message is this part of a repetition */
    int ways;      /* messages that are under way at once in both directions together */
    int in_flight; /* messages received at once */
    bool one_way;  /* the first rank of a pair sends, the second only acknowledges */
    bool in_rows;  /* a message of some size lies in several rows and not in one piece */
    bool shared;   /* reads the other's memory: both ranks on one node */
    void (*prepare)(struct pingpong_link *link); /* before the clock starts; NULL: nothing to do */
    void (*round)(struct pingpong_link *link);
};

extern const struct pingpong_pattern pingpong_patterns[];
extern const int pingpong_pattern_count;

/* Makes this rank's end: communicators, buffers, and a window where both are on one node. NULL with
 * status set, the same on all ranks (EXIT_CODE_ENVIRONMENT). COLLECTIVE. */
struct pingpong_link *pingpong_link_make(struct team *team, const struct pingpong_plan *plan,
                                         struct status *status);
void pingpong_link_free(struct pingpong_link *link);

/* Measures one size: a barrier, the warm-up, then the timed repetitions with no barrier among them.
 * With --validate repetitions in which every byte is checked come first; a wrong one is noted in
 * `status` (EXIT_CODE_INTERNAL), and the run goes on so that nobody waits. All ranks that have a
 * peer call it for the same sizes in the same order. */
struct pingpong_result pingpong_link_run(struct pingpong_link *link,
                                         const struct pingpong_size *size, double clock_s,
                                         struct status *status);

/* Waits for all ranks, those without a peer asleep. COLLECTIVE. */
void pingpong_link_rest(struct pingpong_link *link);

#endif
