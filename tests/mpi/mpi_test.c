/* Start, expectations and end of an MPI test. */
#include "mpi_test.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { PRINTED_FAILURES = 5 };

struct mpi_test mpi_test_start(int *argc, char ***argv) {
    struct status status = {0};
    struct team *team = team_start(argc, argv, &status);
    if (team == NULL || !status_good(&status)) {
        status_print("test", &status);
        exit(EXIT_FAILURE);
    }
    const struct team_facts *facts = team_facts(team);
    int expected = *argc > 1 ? atoi((*argv)[1]) : 0;
    if (facts->ranks != expected) {
        fprintf(stderr, "test: %d ranks expected, %d are there\n", expected, facts->ranks);
        team_abort(team, EXIT_CODE_ENVIRONMENT);
    }
    return (struct mpi_test){.team = team, .rank = facts->rank, .ranks = facts->ranks};
}

bool mpi_expect(struct mpi_test *test, bool holds, const char *format, ...) {
    if (holds || test->failures++ >= PRINTED_FAILURES)
        return holds;
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "rank %d of %d: %s\n", test->rank, test->ranks, text);
    return false;
}

int mpi_test_end(struct mpi_test *test) {
    int64_t failures = test->failures;
    team_sum(test->team, &failures, 1);
    if (failures > 0 && test->rank == 0)
        fprintf(stderr, "%d failures\n", (int)failures);
    team_end(test->team);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
