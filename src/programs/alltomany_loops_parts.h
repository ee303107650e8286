/* What the files of the benchmark loops share. */
#ifndef FUNNEL_ALLTOMANY_LOOPS_PARTS_H
#define FUNNEL_ALLTOMANY_LOOPS_PARTS_H

#include "alltomany_loops.h"
#include "funnel/team_mpi.h"

/* A message to come, in the order of posting. */
struct incoming {
    int source, bytes;
    char *place;
};

struct loops {
    struct team *team;
    MPI_Comm comm;
    const struct loops_variant *variant;
    struct loops_plan plan;
    int rank, ranks, receivers;
    int incoming_count; /* ranks if this one is a receiver, else 0 */
    int block;          /* receives posted at a time */
    struct incoming *incoming;
    char *outgoing, *arrived; /* one message to send, room for all to come */
    int64_t outgoing_bytes, arrived_bytes;
    MPI_Request *requests; /* the incoming ones in order of posting, then one a receiver */
    struct loops_times times;
    /* of the variants that are one call: what goes to and comes from each rank */
    int *send_counts, *send_places, *receive_counts, *receive_places;
    MPI_Datatype *types;
    int *neighbors; /* ranks that this one receives from; after `ranks` entries those it sends to */
    MPI_Comm graph;
    bool made; /* by the variant's make */
};

enum { LOOPS_TAG = 1 };

#endif
