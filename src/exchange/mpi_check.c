/* The one place where MPI's return codes are looked at. The communicators return errors instead of
 * dying on them, so that the message is ours: one line, with the call that failed. */
#include "funnel/streams.h"
#include "team_parts.h"
#include <errno.h>
#include <stdlib.h>

static _Noreturn void fail(const char *what, const char *text) {
    struct status status = {0};
    status_fail(&status, EXIT_CODE_INTERNAL, "%s: %s", what, text);
    status_print(program_invocation_short_name, &status);
    team_abort(NULL, EXIT_CODE_INTERNAL);
}

/* MPI may explain itself over several lines; ours is one. */
static void one_line(char *text) {
    for (; *text != '\0'; text++)
        if (*text == '\n')
            *text = ' ';
}

void mpi_check(int code, const char *call) {
    if (code == MPI_SUCCESS)
        return;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS)
        fail(call, "an error that MPI cannot name");
    one_line(text);
    fail(call, text);
}

void team_fault(const char *text) {
    fail("internal fault", text);
}

/* The whole world ends: with the team's own communicator hydra sometimes says 9 instead of the
 * code. */
void team_abort(struct team *team, enum exit_code code) {
    (void)team;
    streams_deliver();
    MPI_Abort(MPI_COMM_WORLD, (int)code);
    _Exit((int)code);
}
