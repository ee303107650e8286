/* Small collectives for the rooms that must not know MPI, and the agreement on errors that keeps
 * any rank from leaving alone. Counts of MPI are int, so large data go in pieces. */
#include "team_parts.h"
#include <limits.h>

enum { PIECE = 1 << 30 };

bool team_agree(struct team *team, struct status *status) {
    int ranks = team->facts.ranks;
    int first_bad = status_good(status) ? ranks : team->facts.rank;
    mpi_check(MPI_Allreduce(MPI_IN_PLACE, &first_bad, 1, MPI_INT, MPI_MIN, team->comm),
              "MPI_Allreduce");
    if (first_bad < ranks)
        mpi_check(MPI_Bcast(status, (int)sizeof *status, MPI_BYTE, first_bad, team->comm),
                  "MPI_Bcast");
    return first_bad == ranks;
}

void team_share(struct team *team, void *data, size_t bytes) {
    for (char *piece = data; bytes > 0;) {
        int count = bytes < PIECE ? (int)bytes : PIECE;
        mpi_check(MPI_Bcast(piece, count, MPI_BYTE, 0, team->comm), "MPI_Bcast");
        piece += count;
        bytes -= (size_t)count;
    }
}

void team_gather(struct team *team, const void *mine, size_t bytes, void *all) {
    if (bytes > INT_MAX)
        team_fault("team_gather takes at most 2^31-1 bytes a rank");
    mpi_check(MPI_Gather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, 0, team->comm),
              "MPI_Gather");
}

static void reduce_in_place(struct team *team, int64_t *values, int count, MPI_Datatype type,
                            MPI_Op operation) {
    mpi_check(MPI_Allreduce(MPI_IN_PLACE, values, count, type, operation, team->comm),
              "MPI_Allreduce");
}

void team_max(struct team *team, int64_t *values, int count) {
    reduce_in_place(team, values, count, MPI_INT64_T, MPI_MAX);
}

/* As unsigned numbers: those may overflow, and wrap to the same bits. */
void team_sum(struct team *team, int64_t *values, int count) {
    reduce_in_place(team, values, count, MPI_UINT64_T, MPI_SUM);
}

void team_or_to_root(struct team *team, uint64_t *values, int64_t count) {
    bool root = team->facts.rank == 0;
    for (int64_t done = 0; done < count; done += PIECE) {
        int piece = count - done < PIECE ? (int)(count - done) : PIECE;
        mpi_check(MPI_Reduce(root ? MPI_IN_PLACE : values + done, root ? values + done : NULL,
                             piece, MPI_UINT64_T, MPI_BOR, 0, team->comm),
                  "MPI_Reduce");
    }
}

void team_barrier(struct team *team) {
    mpi_check(MPI_Barrier(team->comm), "MPI_Barrier");
}
