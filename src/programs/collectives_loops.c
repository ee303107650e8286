/* Operations and their loops. Without the barrier before each repetition a root could run ahead of
 * the others and would time nothing but the filling of buffers. */
#include "collectives_loops.h"
#include "funnel/clock.h"
#include "funnel/memory.h"
#include "funnel/team_mpi.h"
#include "pingpong_payload.h"
#include "program.h"
#include <stdlib.h>

struct collective {
    struct team *team;
    MPI_Comm comm;
    int rank, ranks;
    int bytes; /* of a message of the operation at hand */
    size_t buffer_bytes;
    char *sent, *received; /* for a block of each rank */
};

static const int root = 0;

static char *block(char *buffer, const struct collective *collective, int rank) {
    return buffer + (size_t)rank * (size_t)collective->bytes;
}

static uint64_t seed(const struct collective *collective, uint64_t repetition, int sender) {
    return payload_seed(collective->bytes, repetition, sender);
}

static int64_t wrong_in_block(const struct collective *collective, int rank, uint64_t expected) {
    unsigned char byte;
    const char *start = block(collective->received, collective, rank);
    const int64_t wrong = payload_first_wrong(start, collective->bytes, expected, &byte);
    return wrong < 0 ? -1 : wrong + (int64_t)rank * collective->bytes;
}

static void run_bcast(struct collective *collective) {
    mpi_check(MPI_Bcast(collective->received, collective->bytes, MPI_BYTE, root, collective->comm),
              "MPI_Bcast");
}

static void arm_bcast(struct collective *collective, uint64_t repetition) {
    const uint64_t start = seed(collective, repetition, root);
    if (collective->rank == root)
        payload_fill(collective->received, collective->bytes, start);
    else
        payload_spoil(collective->received, collective->bytes, start);
}

static int64_t wrong_bcast(const struct collective *collective, uint64_t repetition) {
    return wrong_in_block(collective, 0, seed(collective, repetition, root));
}

static void run_allgather(struct collective *collective) {
    mpi_check(MPI_Allgather(collective->sent, collective->bytes, MPI_BYTE, collective->received,
                            collective->bytes, MPI_BYTE, collective->comm),
              "MPI_Allgather");
}

static void arm_allgather(struct collective *collective, uint64_t repetition) {
    payload_fill(collective->sent, collective->bytes,
                 seed(collective, repetition, collective->rank));
    for (int rank = 0; rank < collective->ranks; rank++)
        payload_spoil(block(collective->received, collective, rank), collective->bytes,
                      seed(collective, repetition, rank));
}

static int64_t wrong_allgather(const struct collective *collective, uint64_t repetition) {
    int64_t wrong = -1;
    for (int rank = 0; rank < collective->ranks && wrong < 0; rank++)
        wrong = wrong_in_block(collective, rank, seed(collective, repetition, rank));
    return wrong;
}

static void run_alltoall(struct collective *collective) {
    mpi_check(MPI_Alltoall(collective->sent, collective->bytes, MPI_BYTE, collective->received,
                           collective->bytes, MPI_BYTE, collective->comm),
              "MPI_Alltoall");
}

/* A seed of its own for each pair of sender and receiver. */
static uint64_t seed_of_pair(const struct collective *collective, uint64_t repetition, int sender,
                             int receiver) {
    const uint64_t pairs = (uint64_t)collective->ranks;
    return seed(collective, repetition * pairs + (uint64_t)receiver, sender);
}

static void arm_alltoall(struct collective *collective, uint64_t repetition) {
    for (int other = 0; other < collective->ranks; other++) {
        payload_fill(block(collective->sent, collective, other), collective->bytes,
                     seed_of_pair(collective, repetition, collective->rank, other));
        payload_spoil(block(collective->received, collective, other), collective->bytes,
                      seed_of_pair(collective, repetition, other, collective->rank));
    }
}

static int64_t wrong_alltoall(const struct collective *collective, uint64_t repetition) {
    int64_t wrong = -1;
    for (int rank = 0; rank < collective->ranks && wrong < 0; rank++)
        wrong = wrong_in_block(collective, rank,
                               seed_of_pair(collective, repetition, rank, collective->rank));
    return wrong;
}

static void run_allreduce(struct collective *collective) {
    mpi_check(MPI_Allreduce(collective->sent, collective->received,
                            collective->bytes / (int)sizeof(double), MPI_DOUBLE, MPI_SUM,
                            collective->comm),
              "MPI_Allreduce");
}

/* Whole numbers below 2^53: their sum is exact in any order. */
static double summand(int64_t at, uint64_t repetition, int rank) {
    return (double)(at % 1000 + (int64_t)(repetition % 1000) * 1000 + rank);
}

static void arm_allreduce(struct collective *collective, uint64_t repetition) {
    double *sent = (double *)collective->sent, *received = (double *)collective->received;
    for (int64_t i = 0; i < collective->bytes / (int64_t)sizeof(double); i++) {
        sent[i] = summand(i, repetition, collective->rank);
        received[i] = -1;
    }
}

static int64_t wrong_allreduce(const struct collective *collective, uint64_t repetition) {
    const double *received = (const double *)collective->received;
    const double ranks = collective->ranks, of_ranks = ranks * (ranks - 1) / 2;
    for (int64_t i = 0; i < collective->bytes / (int64_t)sizeof(double); i++)
        if (received[i] < ranks * summand(i, repetition, 0) + of_ranks ||
            received[i] > ranks * summand(i, repetition, 0) + of_ranks)
            return i * (int64_t)sizeof(double);
    return -1;
}

const struct collective_operation collective_operations[] = {
    {.name = "bcast",
     .help = "MPI_Bcast from rank 0; bytes: of the message",
     .element_bytes = 1,
     .run = run_bcast,
     .arm = arm_bcast,
     .first_wrong = wrong_bcast},
    {.name = "allgather",
     .help = "MPI_Allgather; bytes: given by each rank",
     .element_bytes = 1,
     .run = run_allgather,
     .arm = arm_allgather,
     .first_wrong = wrong_allgather},
    {.name = "allreduce",
     .help = "MPI_Allreduce, sum of doubles; bytes: given by each rank",
     .element_bytes = sizeof(double),
     .run = run_allreduce,
     .arm = arm_allreduce,
     .first_wrong = wrong_allreduce},
    {.name = "alltoall",
     .help = "MPI_Alltoall; bytes: from each rank to each",
     .element_bytes = 1,
     .run = run_alltoall,
     .arm = arm_alltoall,
     .first_wrong = wrong_alltoall},
};

const int collective_operation_count =
    (int)(sizeof collective_operations / sizeof collective_operations[0]);

int64_t collective_bytes(const struct collective_operation *operation, int64_t bytes) {
    const int64_t element = operation->element_bytes;
    return (bytes + element - 1) / element * element;
}

/* The largest element in every operation, and never nothing. */
static int64_t buffer_bytes(int64_t bytes, int ranks) {
    return (bytes + (int64_t)sizeof(double)) * ranks;
}

int64_t collective_memory_bytes(int64_t bytes, int ranks) {
    return 2 * buffer_bytes(bytes, ranks);
}

struct collective *collective_make(struct team *team, int64_t bytes, struct status *status) {
    const struct team_facts *facts = team_facts(team);
    if (!program_memory_check(team, collective_memory_bytes(bytes, facts->ranks), status))
        return NULL;
    struct collective *collective = calloc(1, sizeof *collective);
    if (collective == NULL) {
        status_fail(status, EXIT_CODE_ENVIRONMENT, "no memory for the buffers");
    } else {
        *collective =
            (struct collective){.team = team,
                                .comm = team_communicator(team),
                                .rank = facts->rank,
                                .ranks = facts->ranks,
                                .buffer_bytes = (size_t)buffer_bytes(bytes, facts->ranks)};
        collective->sent = memory_take(collective->buffer_bytes, status);
        collective->received = memory_take(collective->buffer_bytes, status);
    }
    if (team_agree(team, status))
        return collective;
    collective_release(collective);
    return NULL;
}

void collective_release(struct collective *collective) {
    if (collective == NULL)
        return;
    memory_release(collective->received, collective->buffer_bytes);
    memory_release(collective->sent, collective->buffer_bytes);
    free(collective);
}

void collective_run(struct collective *collective, const struct collective_operation *operation,
                    int64_t bytes, int repeats, double *samples) {
    collective->bytes = (int)collective_bytes(operation, bytes);
    operation->arm(collective, 0);
    for (int i = 0; i < repeats; i++) {
        team_barrier(collective->team);
        const double start = clock_now_s();
        operation->run(collective);
        samples[i] = clock_now_s() - start;
    }
}

bool collective_validate(struct collective *collective,
                         const struct collective_operation *operation, int64_t bytes, int repeats,
                         struct status *status) {
    collective->bytes = (int)collective_bytes(operation, bytes);
    for (int i = 0; i < repeats && status_good(status); i++) {
        operation->arm(collective, (uint64_t)i);
        operation->run(collective);
        const int64_t wrong = operation->first_wrong(collective, (uint64_t)i);
        if (wrong >= 0)
            status_fail(status, EXIT_CODE_INTERNAL,
                        "validation: %s of %d bytes, repetition %d: byte %lld is wrong on rank %d",
                        operation->name, collective->bytes, i, (long long)wrong, collective->rank);
        team_agree(collective->team, status);
    }
    return status_good(status);
}
