/* A fault on one rank, while the others wait in a collective: "truncation" is an error that MPI
 * reports on rank 0, "gather" a use that the header forbids, "abort" an exit code of the caller's.
 */
#include "mpi_test.h"
#include <string.h>

/* The last rank sends more than rank 0 expects. */
static void send_too_much(struct mpi_test *test) {
    enum { EXPECTED = 64, TOO_MANY = 128 };
    bool last = test->rank == test->ranks - 1;
    char mine[TOO_MANY] = "", all[EXPECTED * 16];
    team_gather(test->team, mine, last ? TOO_MANY : EXPECTED, all);
}

static void commit(struct mpi_test *test, const char *fault) {
    bool last = test->rank == test->ranks - 1;
    if (strcmp(fault, "truncation") == 0)
        send_too_much(test);
    else if (strcmp(fault, "gather") == 0 && last)
        team_gather(test->team, fault, (size_t)1 << 31, NULL);
    else if (strcmp(fault, "abort") == 0 && last)
        team_abort(test->team, EXIT_CODE_FILES);
}

int main(int argc, char **argv) {
    struct mpi_test test = mpi_test_start(&argc, &argv);
    commit(&test, argc > 2 ? argv[2] : "");
    team_barrier(test.team);
    return mpi_test_end(&test);
}
