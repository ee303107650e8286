/* What the files of this room share: the team itself, and the one place where MPI's return codes
 * are looked at. Private to src/exchange. */
#ifndef FUNNEL_TEAM_PARTS_H
#define FUNNEL_TEAM_PARTS_H

#include "funnel/team.h"
#include <mpi.h>

struct team {
    MPI_Comm comm; /* duplicate of MPI_COMM_WORLD: no other library's messages can meet ours */
    MPI_Comm node; /* the ranks that share memory with this one, in rank order */
    struct team_facts facts;
};

/* Every MPI call of this room goes through here: an error ends the job with one line that names
 * the call and MPI's own words. */
void mpi_check(int code, const char *call);

/* The same for a use that the headers forbid: a fault of the caller, known on this rank only. */
_Noreturn void team_fault(const char *text);

#endif
