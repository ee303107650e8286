/* Errors as values, and the exit codes that scripts rely on. Room: base. */
#ifndef FUNNEL_STATUS_H
#define FUNNEL_STATUS_H

#include <stdbool.h>

/* What a program returns to its caller. The numbers are an interface: scripts test them. */
enum exit_code {
    EXIT_CODE_DONE = 0,        /* converged, or the asked number of sweeps was done */
    EXIT_CODE_INTERNAL = 1,    /* a fault of the program itself, or of MPI */
    EXIT_CODE_USAGE = 2,       /* command line or configuration */
    EXIT_CODE_SWEEP_LIMIT = 3, /* max_sweeps reached without convergence */
    EXIT_CODE_DIVERGED = 4,    /* NaN or Inf in the field */
    EXIT_CODE_ENVIRONMENT = 5, /* thread level, launcher against MPI, memory, strict binding */
    EXIT_CODE_FILES = 6,       /* a file that cannot be read or written */
    EXIT_CODE_STOPPED = 7,     /* time limit or signal */
    EXIT_CODE_STAGNATED = 8    /* the residual stands at its rounding floor */
};

enum { STATUS_TEXT_BYTES = 1024 };

/* An error on its way up. `code` is EXIT_CODE_DONE while nothing has failed. Plain bytes: it can be
 * sent between ranks as it is. */
struct status {
    int code;
    char text[STATUS_TEXT_BYTES];
};

/* Notes an error; the first one noted stays. `text` names the place and the remedy in one line,
 * without program name; control characters in it become '?'. */
void status_fail(struct status *status, enum exit_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* True while no error has been noted. */
bool status_good(const struct status *status);

/* Writes "PROGRAM: TEXT" as one line to standard error. Call it on one rank only. */
void status_print(const char *program, const struct status *status);

/* Writes "PROGRAM: warning: ..." as one line to standard error. Call it on one rank only. */
void warning_print(const char *program, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
