/* The benchmark loops of the collectives: buffers of one rank, a row an operation, times of every
 * repetition. No MPI in sight of the caller. */
#ifndef FUNNEL_COLLECTIVES_LOOPS_H
#define FUNNEL_COLLECTIVES_LOOPS_H

#include "funnel/team.h"

struct collective; /* buffers of one rank */

/* An operation: a row of the table. `bytes` are what the root sends (bcast), each rank gives
 * (allgather, allreduce), or each rank sends to each (alltoall). */
struct collective_operation {
    const char *name, *help;
    int element_bytes; /* sizes are rounded up to a multiple of it */
    void (*run)(struct collective *collective);
    /* Fills what is sent with the bytes of a repetition, and what is received with wrong ones. */
    void (*arm)(struct collective *collective, uint64_t repetition);
    /* Offset of the first wrong byte received, or -1. */
    int64_t (*first_wrong)(const struct collective *collective, uint64_t repetition);
};

extern const struct collective_operation collective_operations[];
extern const int collective_operation_count;

/* Bytes of a rank's two buffers for messages of up to `bytes`, whatever the operation. */
int64_t collective_memory_bytes(int64_t bytes, int ranks);

/* Takes buffers for messages of up to `bytes`. COLLECTIVE. NULL with status set on all ranks,
 * EXIT_CODE_ENVIRONMENT, where a node has not enough memory. Owned by the caller. */
struct collective *collective_make(struct team *team, int64_t bytes, struct status *status);
void collective_release(struct collective *collective);

/* What a message of an operation really has: `bytes`, rounded up to whole elements. */
int64_t collective_bytes(const struct collective_operation *operation, int64_t bytes);

/* Runs an operation `repeats` times and writes this rank's seconds of each to `samples`. A barrier
 * stands before each one, outside its time. COLLECTIVE. */
void collective_run(struct collective *collective, const struct collective_operation *operation,
                    int64_t bytes, int repeats, double *samples);

/* The same untimed, each repetition with bytes of its own, every byte checked. COLLECTIVE. Fails
 * with EXIT_CODE_INTERNAL on all ranks. */
bool collective_validate(struct collective *collective,
                         const struct collective_operation *operation, int64_t bytes, int repeats,
                         struct status *status);

#endif
