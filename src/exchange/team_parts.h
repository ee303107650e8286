/* What the files of this room share: the team itself, and the fault that needs no return code of
 * MPI. Private to src/exchange. */
#ifndef FUNNEL_TEAM_PARTS_H
#define FUNNEL_TEAM_PARTS_H

#include "funnel/team_mpi.h"

struct team {
    MPI_Comm comm; /* duplicate of MPI_COMM_WORLD: no other library's messages can meet ours */
    MPI_Comm node; /* the ranks that share memory with this one, in rank order */
    struct team_facts facts;
};

/* Ends the job with one line for a use that the headers forbid: a fault of the caller, known on
 * this rank only. */
_Noreturn void team_fault(const char *text);

#endif
