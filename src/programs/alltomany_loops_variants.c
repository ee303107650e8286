/* The variants: what the study does, and what else MPI offers for the same messages. The collective
 * ones leave order and number of messages in flight to the library. */
#include "alltomany_loops_parts.h"

static void post_receives(struct loops *loops, int first, int count) {
    for (int i = first; i < first + count; i++) {
        const struct incoming *message = &loops->incoming[i];
        mpi_check(MPI_Irecv(message->place, message->bytes, MPI_BYTE, message->source, LOOPS_TAG,
                            loops->comm, &loops->requests[i]),
                  "MPI_Irecv");
    }
}

static void post_sends(struct loops *loops) {
    MPI_Request *request = loops->requests + loops->incoming_count;
    for (int i = 0; i < loops->receivers; i++)
        mpi_check(MPI_Isend(loops->outgoing, (int)loops->outgoing_bytes, MPI_BYTE,
                            pattern_receiver(&loops->plan.pattern, i), LOOPS_TAG, loops->comm,
                            &request[i]),
                  "MPI_Isend");
}

static void post_synchronous_sends(struct loops *loops) {
    MPI_Request *request = loops->requests + loops->incoming_count;
    for (int i = 0; i < loops->receivers; i++)
        mpi_check(MPI_Issend(loops->outgoing, (int)loops->outgoing_bytes, MPI_BYTE,
                             pattern_receiver(&loops->plan.pattern, i), LOOPS_TAG, loops->comm,
                             &request[i]),
                  "MPI_Issend");
}

static void make_persistent(struct loops *loops) {
    MPI_Request *request = loops->requests;
    for (int i = 0; i < loops->incoming_count; i++) {
        const struct incoming *message = &loops->incoming[i];
        mpi_check(MPI_Recv_init(message->place, message->bytes, MPI_BYTE, message->source,
                                LOOPS_TAG, loops->comm, request++),
                  "MPI_Recv_init");
    }
    for (int i = 0; i < loops->receivers; i++)
        mpi_check(MPI_Send_init(loops->outgoing, (int)loops->outgoing_bytes, MPI_BYTE,
                                pattern_receiver(&loops->plan.pattern, i), LOOPS_TAG, loops->comm,
                                request++),
                  "MPI_Send_init");
}

static void start_receives(struct loops *loops, int first, int count) {
    mpi_check(MPI_Startall(count, loops->requests + first), "MPI_Startall");
}

static void start_sends(struct loops *loops) {
    mpi_check(MPI_Startall(loops->receivers, loops->requests + loops->incoming_count),
              "MPI_Startall");
}

static void release_persistent(struct loops *loops) {
    for (int i = 0; i < loops->incoming_count + loops->receivers; i++)
        mpi_check(MPI_Request_free(&loops->requests[i]), "MPI_Request_free");
}

static void exchange_alltoallv(struct loops *loops) {
    mpi_check(MPI_Alltoallv(loops->outgoing, loops->send_counts, loops->send_places, MPI_BYTE,
                            loops->arrived, loops->receive_counts, loops->receive_places, MPI_BYTE,
                            loops->comm),
              "MPI_Alltoallv");
}

static void exchange_alltoallw(struct loops *loops) {
    mpi_check(MPI_Alltoallw(loops->outgoing, loops->send_counts, loops->send_places, loops->types,
                            loops->arrived, loops->receive_counts, loops->receive_places,
                            loops->types, loops->comm),
              "MPI_Alltoallw");
}

/* In a graph the neighbours are numbered as they are listed: all ranks into a receiver, the
 * receivers out of every rank. So the counts of the whole are those of the neighbours once those of
 * the others are left out. */
static void make_neighbor(struct loops *loops) {
    int *sources = loops->neighbors, *receivers = loops->neighbors + loops->ranks;
    for (int i = 0; i < loops->incoming_count; i++)
        sources[i] = i;
    for (int i = 0; i < loops->receivers; i++) {
        receivers[i] = pattern_receiver(&loops->plan.pattern, i);
        loops->send_counts[i] = (int)loops->outgoing_bytes;
    }
    mpi_check(MPI_Dist_graph_create_adjacent(loops->comm, loops->incoming_count, sources,
                                             MPI_UNWEIGHTED, loops->receivers, receivers,
                                             MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &loops->graph),
              "MPI_Dist_graph_create_adjacent");
}

static void exchange_neighbor(struct loops *loops) {
    mpi_check(MPI_Neighbor_alltoallv(loops->outgoing, loops->send_counts, loops->send_places,
                                     MPI_BYTE, loops->arrived, loops->receive_counts,
                                     loops->receive_places, MPI_BYTE, loops->graph),
              "MPI_Neighbor_alltoallv");
}

static void release_neighbor(struct loops *loops) {
    mpi_check(MPI_Comm_free(&loops->graph), "MPI_Comm_free");
}

static const struct loops_variant isend = {
    .name = "isend",
    .help = "MPI_Irecv, MPI_Isend, MPI_Waitall: the study's",
    .waits_in = "MPI_Waitall",
    .post_receives = post_receives,
    .post_sends = post_sends,
};

static const struct loops_variant issend = {
    .name = "issend",
    .help = "as isend, with sends that wait for their receives",
    .waits_in = "MPI_Waitall",
    .post_receives = post_receives,
    .post_sends = post_synchronous_sends,
};

static const struct loops_variant persistent = {
    .name = "persistent",
    .help = "requests made once, MPI_Startall in each iteration",
    .waits_in = "MPI_Waitall",
    .make = make_persistent,
    .post_receives = start_receives,
    .post_sends = start_sends,
    .release = release_persistent,
};

static const struct loops_variant alltoallv = {
    .name = "alltoallv",
    .help = "one MPI_Alltoallv over all ranks, most counts 0",
    .waits_in = "MPI_Alltoallv",
    .exchange = exchange_alltoallv,
};

static const struct loops_variant alltoallw = {
    .name = "alltoallw",
    .help = "one MPI_Alltoallw over all ranks",
    .waits_in = "MPI_Alltoallw",
    .exchange = exchange_alltoallw,
};

static const struct loops_variant neighbor = {
    .name = "neighbor",
    .help = "one MPI_Neighbor_alltoallv over a graph of senders and receivers",
    .waits_in = "MPI_Neighbor_alltoallv",
    .make = make_neighbor,
    .exchange = exchange_neighbor,
    .release = release_neighbor,
};

const struct loops_variant *const loops_variants[] = {&isend,     &issend,     &alltoallv,
                                                      &alltoallw, &persistent, &neighbor};

const char *loops_variant_name(int index) {
    const int count = (int)(sizeof loops_variants / sizeof loops_variants[0]);
    return index >= 0 && index < count ? loops_variants[index]->name : NULL;
}
