/* The benchmark loops of the all-to-many study: buffers and requests of one rank, the variants that
 * move the messages, and the times of their parts. No MPI in sight of the caller. */
#ifndef FUNNEL_ALLTOMANY_LOOPS_H
#define FUNNEL_ALLTOMANY_LOOPS_H

#include "alltomany_pattern.h"
#include "funnel/team.h"

struct loops; /* of one rank */

struct loops_plan {
    struct pattern pattern;
    enum pattern_order order; /* in which a receiver posts its receives, by sending rank */
    int throttle;             /* most receives open at a time; 0: all */
};

/* Seconds on this rank's clock, added up over the iterations. */
struct loops_times {
    double post_receives_s, post_sends_s; /* 0 in a variant that posts nothing itself */
    double wait_s;                        /* in the call that the variant names */
    double end_to_end_s;                  /* the whole loop */
};

/* A way to move the messages of one iteration: a row of the table. Either it posts receives and
 * sends, for which MPI_Waitall then waits, or one call does everything. */
struct loops_variant {
    const char *name, *help;
    const char *waits_in; /* the call whose time is wait_s */
    void (*make)(struct loops *loops);
    void (*post_receives)(struct loops *loops, int first, int count);
    void (*post_sends)(struct loops *loops);
    void (*exchange)(struct loops *loops);
    void (*release)(struct loops *loops);
};

extern const struct loops_variant *const loops_variants[];
/* The name of a row; NULL after the last. */
const char *loops_variant_name(int index);

/* Fails with EXIT_CODE_USAGE for an order or throttle that the variant has no use for, or more
 * bytes than its counts hold. */
bool loops_check_plan(const struct loops_variant *variant, const struct loops_plan *plan,
                      struct status *status);

/* Takes memory, requests and types for a plan that was checked. COLLECTIVE. NULL with status set on
 * all ranks, EXIT_CODE_ENVIRONMENT, for more memory than a node has. Owned by the caller. */
struct loops *loops_make(struct team *team, const struct loops_variant *variant,
                         const struct loops_plan *plan, struct status *status);
/* COLLECTIVE; NULL may be released. */
void loops_release(struct loops *loops);

/* A barrier, then this many iterations with nothing else between them. COLLECTIVE. */
struct loops_times loops_run(struct loops *loops, int iterations);

/* Fills the message to send with the bytes of this iteration, and the place of every message to
 * come with wrong ones. */
void loops_arm(struct loops *loops, int64_t iteration);
/* Checks every byte received since loops_arm. COLLECTIVE. Fails with EXIT_CODE_INTERNAL, on all
 * ranks, naming the first wrong byte. */
bool loops_check(struct loops *loops, int64_t iteration, struct status *status);

#endif
