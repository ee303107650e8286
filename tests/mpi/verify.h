/* What the verification programs share: solves from a few assignments. */
#ifndef FUNNEL_VERIFY_H
#define FUNNEL_VERIFY_H

#include "funnel/solver.h"
#include "mpi_test.h"

/* A list of assignments that is put together one by one. */
enum { VERIFY_ASSIGNMENTS = 24, VERIFY_TEXT_BYTES = 200 };
struct verify_list {
    int count;
    char text[VERIFY_ASSIGNMENTS][VERIFY_TEXT_BYTES];
};
void verify_add(struct verify_list *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A solve and what it was made from. Must not be moved while it lives. */
struct verify_solve {
    struct config config;
    struct solve_plan plan;
    struct solve *solve;
    struct solve_result result;
    struct status status;
};

/* Solves what the assignments of the list say over the defaults. A failure is a failed check.
 * COLLECTIVE; free it with verify_solve_free either way. */
bool verify_solve(struct mpi_test *test, struct verify_solve *run, const struct verify_list *list);
void verify_solve_free(struct verify_solve *run);

#endif
