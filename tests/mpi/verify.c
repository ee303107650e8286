/* The common part of the verification programs. */
#include "verify.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool verify_solve(struct mpi_test *test, struct verify_solve *run, const struct verify_list *list) {
    *run = (struct verify_solve){0};
    struct status *status = &run->status;
    config_defaults(&run->config, "verify");
    for (int i = 0; i < list->count; i++)
        config_override(&run->config, list->text[i], status);
    if (status_good(status))
        config_check(&run->config, status);
    if (status_good(status))
        solve_plan_make(&run->plan, &run->config, team_facts(test->team), &(struct sweep_caches){0},
                        status);
    if (team_agree(test->team, status))
        run->solve = solve_make(test->team, &run->plan, &run->config, status);
    if (run->solve)
        solve_run(run->solve, NULL, &run->result, status);
    mpi_expect(test, status_good(status), "%s", status->text);
    return status_good(status);
}

void verify_solve_free(struct verify_solve *run) {
    solve_free(run->solve);
}

void verify_add(struct verify_list *list, const char *format, ...) {
    if (list->count == VERIFY_ASSIGNMENTS)
        abort();
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(list->text[list->count++], VERIFY_TEXT_BYTES, format, arguments);
    va_end(arguments);
}
