/* What the MPI tests share: a start that asserts the number of ranks (single processes would "pass"
 * everything), expectations that are counted on each rank, and one verdict for all. */
#ifndef FUNNEL_MPI_TEST_H
#define FUNNEL_MPI_TEST_H

#include "funnel/team.h"
#include <stdbool.h>

struct mpi_test {
    struct team *team;
    int rank, ranks;
    int failures; /* on this rank */
};

/* Starts MPI; the first argument is the number of ranks that must be there. Ends the job if they
 * are not, or if a check of the start fails. */
struct mpi_test mpi_test_start(int *argc, char ***argv);

/* Counts a failure and says it, on this rank; only the first few are printed. Returns `holds`. */
bool mpi_expect(struct mpi_test *test, bool holds, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Ends MPI; exit code 0 only if no rank has a failure. COLLECTIVE. */
int mpi_test_end(struct mpi_test *test);

#endif
