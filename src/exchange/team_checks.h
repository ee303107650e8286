/* The checks of the start, as functions of plain values so that tests can ask them anything.
 * Private to src/exchange. */
#ifndef FUNNEL_TEAM_CHECKS_H
#define FUNNEL_TEAM_CHECKS_H

#include "funnel/index.h"
#include "funnel/status.h"

/* What the launchers tell a process through its environment; NULL where a variable is not set.
 * SLURM_NTASKS is not among them: salloc sets it for a whole allocation, and a single process may
 * be run there on purpose. */
struct launcher_words {
    const char *hydra_control; /* HYDI_CONTROL_FD */
    const char *pmi_size;      /* PMI_SIZE: hydra, and Slurm's pmi2 */
    const char *openmpi_size;  /* OMPI_COMM_WORLD_SIZE */
    const char *slurm_tasks;   /* SLURM_STEP_NUM_TASKS */
    const char *slurm_rank;    /* SLURM_PROCID */
};

/* Reads this process's environment; the words belong to it. */
struct launcher_words launcher_words_read(void);

/* "hydra", "openmpi", "srun" or "none". */
const char *launcher_name(const struct launcher_words *words);

/* Fails (EXIT_CODE_ENVIRONMENT) if the launcher started another number of ranks than MPI sees.
 * `headers` names the MPI this program is built for. */
void launcher_check(const struct launcher_words *words, int ranks, const char *headers,
                    struct status *status);

/* Name and version of mpi.h at compile time: "MPICH 4.0.2", "Open MPI 4.1.4". */
const char *mpi_headers_name(void);

/* Fails (EXIT_CODE_ENVIRONMENT) if header and library are of different MPIs. Libraries that share
 * MPICH's binary interface count as one. */
void library_check(const char *headers, const char *library, struct status *status);

/* "MPI_THREAD_FUNNELED" and so on for one of MPI's constants. */
const char *thread_level_name(int level);

/* Fails (EXIT_CODE_ENVIRONMENT) if less than funneled is provided; names both levels. */
void thread_level_check(int provided, struct status *status);

#endif
