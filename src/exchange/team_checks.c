/* The checks of the start: what fails silently elsewhere (every process rank 0 of 1, two MPIs in
 * one program, no promise about threads) stops here with what was seen and what to type. */
#include "team_checks.h"
#include "funnel/text.h"
#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct launcher_words launcher_words_read(void) {
    return (struct launcher_words){.hydra_control = getenv("HYDI_CONTROL_FD"),
                                   .pmi_size = getenv("PMI_SIZE"),
                                   .openmpi_size = getenv("OMPI_COMM_WORLD_SIZE"),
                                   .slurm_tasks = getenv("SLURM_STEP_NUM_TASKS"),
                                   .slurm_rank = getenv("SLURM_PROCID")};
}

const char *launcher_name(const struct launcher_words *words) {
    if (words->hydra_control != NULL)
        return "hydra";
    if (words->openmpi_size != NULL)
        return "openmpi";
    return words->slurm_tasks != NULL ? "srun" : "none";
}

/* The number in a word, or `otherwise` where there is none. */
static int64_t number_or(const char *word, int64_t otherwise) {
    int64_t number;
    return word != NULL && text_to_integer(word, &number) ? number : otherwise;
}

/* The number of ranks that the launcher speaks of, or `otherwise` if it says nothing. The word
 * nearest to MPI counts: Slurm starts hydra's proxies as a step of its own. */
static int64_t ranks_announced(const struct launcher_words *words, int64_t otherwise) {
    if (words->pmi_size != NULL)
        return number_or(words->pmi_size, otherwise);
    if (words->openmpi_size != NULL)
        return number_or(words->openmpi_size, otherwise);
    int64_t tasks = number_or(words->slurm_tasks, otherwise);
    int64_t rank = number_or(words->slurm_rank, 0);
    return rank >= tasks ? rank + 1 : tasks;
}

static bool is_openmpi(const char *name) {
    return strstr(name, "Open MPI") != NULL;
}

void launcher_check(const struct launcher_words *words, int ranks, const char *headers,
                    struct status *status) {
    int64_t announced = ranks_announced(words, ranks);
    if (announced != ranks)
        status_fail(status, EXIT_CODE_ENVIRONMENT,
                    "launcher says %" PRId64 " ranks, MPI says %d: this program is built for %s; "
                    "start it with %s",
                    announced, ranks, headers,
                    is_openmpi(headers) ? "mpiexec.openmpi (under Slurm: srun --mpi=pmix)"
                                        : "mpiexec.mpich (under Slurm: srun --mpi=pmi2)");
}

#define DIGITS_OF(number) #number
#define DIGITS(number)    DIGITS_OF(number)

const char *mpi_headers_name(void) {
#if defined(OPEN_MPI)
    return "Open MPI " DIGITS(OMPI_MAJOR_VERSION) "." DIGITS(OMPI_MINOR_VERSION) "." DIGITS(
        OMPI_RELEASE_VERSION);
#elif defined(MPICH_VERSION)
    return "MPICH " MPICH_VERSION;
#else
    return "MPI " DIGITS(MPI_VERSION) "." DIGITS(MPI_SUBVERSION);
#endif
}

void library_check(const char *headers, const char *library, struct status *status) {
    if (is_openmpi(headers) != is_openmpi(library))
        status_fail(status, EXIT_CODE_ENVIRONMENT,
                    "compiled with the headers of %s, running with the library \"%s\": build again "
                    "with one MPI, or mend LD_LIBRARY_PATH",
                    headers, library);
}

const char *thread_level_name(int level) {
    switch (level) {
    case MPI_THREAD_SINGLE:
        return "MPI_THREAD_SINGLE";
    case MPI_THREAD_FUNNELED:
        return "MPI_THREAD_FUNNELED";
    case MPI_THREAD_SERIALIZED:
        return "MPI_THREAD_SERIALIZED";
    case MPI_THREAD_MULTIPLE:
        return "MPI_THREAD_MULTIPLE";
    default:
        return "an unknown thread level";
    }
}

void thread_level_check(int provided, struct status *status) {
    if (provided < MPI_THREAD_FUNNELED)
        status_fail(status, EXIT_CODE_ENVIRONMENT,
                    "asked MPI for %s, it provides %s: threads would not be safe; use an MPI "
                    "library built with thread support",
                    thread_level_name(MPI_THREAD_FUNNELED), thread_level_name(provided));
}
