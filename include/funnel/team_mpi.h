/* The team's communicator, for the benchmark loops of src/programs: what they measure is MPI
 * itself. Every other room uses team.h, which does not name MPI. Room: exchange. */
#ifndef FUNNEL_TEAM_MPI_H
#define FUNNEL_TEAM_MPI_H

#include "funnel/team.h"
#include <mpi.h>

/* All ranks of the run; owned by the team. It returns errors: give every code to mpi_check. */
MPI_Comm team_communicator(const struct team *team);

/* Looks at a return code of MPI: an error ends the job with one line that names the call and MPI's
 * own words. */
void mpi_check(int code, const char *call);

#endif
