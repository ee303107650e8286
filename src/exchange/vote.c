/* The vote: a non-blocking maximum, posted at one sweep and read at a later one. It has a
 * communicator of its own, so that it never stands in the order of the other collectives. */
#include "team_parts.h"
#include <stdlib.h>
#include <string.h>

struct team_vote {
    MPI_Comm comm;
    MPI_Request request; /* MPI_REQUEST_NULL while no vote is open */
    int64_t mine[TEAM_VOTE_VALUES], largest[TEAM_VOTE_VALUES];
};

struct team_vote *team_vote_make(struct team *team) {
    struct team_vote *vote = calloc(1, sizeof *vote);
    if (vote == NULL)
        team_fault("no memory for a vote");
    vote->request = MPI_REQUEST_NULL;
    mpi_check(MPI_Comm_dup(team->comm, &vote->comm), "MPI_Comm_dup");
    return vote;
}

void team_vote_post(struct team_vote *vote, const int64_t values[TEAM_VOTE_VALUES]) {
    if (vote->request != MPI_REQUEST_NULL)
        team_fault("a vote was posted while one is open");
    memcpy(vote->mine, values, sizeof vote->mine);
    mpi_check(MPI_Iallreduce(vote->mine, vote->largest, TEAM_VOTE_VALUES, MPI_INT64_T, MPI_MAX,
                             vote->comm, &vote->request),
              "MPI_Iallreduce");
}

void team_vote_read(struct team_vote *vote, int64_t values[TEAM_VOTE_VALUES]) {
    if (vote->request == MPI_REQUEST_NULL)
        team_fault("a vote was read while none is open");
    mpi_check(MPI_Wait(&vote->request, MPI_STATUS_IGNORE), "MPI_Wait");
    memcpy(values, vote->largest, sizeof vote->largest);
}

void team_vote_free(struct team_vote *vote) {
    if (vote == NULL)
        return;
    mpi_check(MPI_Wait(&vote->request, MPI_STATUS_IGNORE), "MPI_Wait");
    mpi_check(MPI_Comm_free(&vote->comm), "MPI_Comm_free");
    free(vote);
}
