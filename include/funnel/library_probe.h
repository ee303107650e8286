/* What the MPI library says of itself when started with a thread level of the caller's choice: for
 * programs that do nothing else. Room: exchange. */
#ifndef FUNNEL_LIBRARY_PROBE_H
#define FUNNEL_LIBRARY_PROBE_H

#include "funnel/status.h"

enum { LIBRARY_TEXT_BYTES = 8192, LIBRARY_HOST_BYTES = 256 };

struct library_facts {
    char text[LIBRARY_TEXT_BYTES]; /* MPI_Get_library_version: several lines */
    char headers[64];              /* name and version of mpi.h at compile time */
    int standard, substandard;     /* MPI 3.1: 3 and 1 */
    const char *asked, *provided;  /* "MPI_THREAD_FUNNELED" */
    int rank, ranks;
    char host[LIBRARY_HOST_BYTES];
};

/* Starts MPI with a level ("single", "funneled", "serialized", "multiple"), asks it, and ends it:
 * once in a process, instead of team_start. COLLECTIVE. False with EXIT_CODE_USAGE for another
 * word, before MPI is started. */
bool library_probe(int *argc, char ***argv, const char *level, struct library_facts *facts,
                   struct status *status);

#endif
