/* The ranks of a run as one team: start, end, agreement on errors, small collectives.
 * Room: exchange; the only door to MPI for the rooms below. All calls are made by the main thread
 * (MPI_THREAD_FUNNELED); those marked COLLECTIVE by all ranks in the same order. */
#ifndef FUNNEL_TEAM_H
#define FUNNEL_TEAM_H

#include "funnel/status.h"
#include <stddef.h>
#include <stdint.h>

enum { TEAM_HOST_BYTES = 256, TEAM_VERSION_BYTES = 512 };

struct team; /* owns the communicators */

/* What a report wants to know. */
struct team_facts {
    int rank, ranks;
    int node, nodes;           /* index of this rank's node, by lowest rank; number of nodes */
    int node_rank, node_ranks; /* among the ranks that share memory with this one */
    int ranks_per_node;        /* the same on every node, else 0 */
    char host[TEAM_HOST_BYTES];
    const char *thread_level_asked, *thread_level_provided; /* "MPI_THREAD_FUNNELED" */
    char mpi_library[TEAM_VERSION_BYTES]; /* MPI_Get_library_version, first line */
    char mpi_device[64];                  /* "ch4:ucx"; empty where MPI names none */
    char mpi_headers[64];                 /* name and version of mpi.h at compile time */
    const char *launcher;                 /* "hydra", "srun", "openmpi", "none" */
    bool yields;         /* waiting yields: ranks of the node outnumber the PUs they may use; the
                            same on all of its ranks */
    bool finalize_cured; /* the cure of MPICH's Finalize over UCX is in force */
};

/* Starts MPI with thread level funneled and checks, on all ranks: the level provided, the number of
 * ranks against the launcher's word (PMI_SIZE, OMPI_COMM_WORLD_SIZE, Slurm's step), and that header
 * and library are of one MPI. COLLECTIVE. Returns a team even when a check failed (status then set,
 * the same on every rank, EXIT_CODE_ENVIRONMENT), so that the caller can say so and call team_end;
 * NULL if MPI itself did not start. */
struct team *team_start(int *argc, char ***argv, struct status *status);

/* A barrier, then MPI_Finalize; frees the team. COLLECTIVE. */
void team_end(struct team *team);

/* Ends every rank of the job at once with this exit code: for faults on one rank only, of which the
 * others cannot learn. Does not return. */
_Noreturn void team_abort(struct team *team, enum exit_code code);

/* Owned by the team. */
const struct team_facts *team_facts(const struct team *team);

/* Tells how many threads this rank computes with: where the threads of a node outnumber its
 * processors, a rank that waits for a message must let them run. COLLECTIVE. */
void team_threads(struct team *team, int threads);

/* Makes all ranks share one verdict: if any rank's status is not good, every rank's becomes that of
 * the lowest such rank. Returns status_good. COLLECTIVE. */
bool team_agree(struct team *team, struct status *status);

/* Copies `bytes` bytes at `data` from rank 0 to all. COLLECTIVE. */
void team_share(struct team *team, void *data, size_t bytes);

/* Collects `bytes` bytes of each rank (the same on all, at most 2^31-1), in rank order, on rank 0
 * (`all` of ranks*bytes there; ignored elsewhere). COLLECTIVE. */
void team_gather(struct team *team, const void *mine, size_t bytes, void *all);

/* Element-wise maximum and sum (modulo 2^64) over all ranks, in place on all. COLLECTIVE. */
void team_max(struct team *team, int64_t *values, int count);
void team_sum(struct team *team, int64_t *values, int count);

/* Bitwise or over all ranks, in place on rank 0 (contents elsewhere are undefined). COLLECTIVE. */
void team_or_to_root(struct team *team, uint64_t *values, int64_t count);

/* Waits until all ranks have come. COLLECTIVE. */
void team_barrier(struct team *team);

/* A vote that never blocks: values posted at one sweep are read at a later one that all ranks have
 * agreed on. Maximum of each value over all ranks. */
enum { TEAM_VOTE_VALUES = 4 };
struct team_vote; /* at most one open at a time */

/* Owned by the caller, who frees it, an open vote included. COLLECTIVE, both. */
struct team_vote *team_vote_make(struct team *team);
void team_vote_free(struct team_vote *vote);

/* Posts this rank's values (MPI_Iallreduce). COLLECTIVE, does not wait. */
void team_vote_post(struct team_vote *vote, const int64_t values[TEAM_VOTE_VALUES]);

/* Waits for the open vote and gives the maxima. COLLECTIVE. */
void team_vote_read(struct team_vote *vote, int64_t values[TEAM_VOTE_VALUES]);

#endif
