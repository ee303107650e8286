/* Two cures that MPICH over UCX needs. Private to src/exchange; inert with any other MPI. */
#ifndef FUNNEL_TRANSPORT_CURES_H
#define FUNNEL_TRANSPORT_CURES_H

#include <stdbool.h>

/* Puts the cures in place. Before MPI_Init_thread. */
void transport_cures_prepare(void);

/* Makes waiting inside MPI yield the processor; on nodes with more ranks than PUs. Returns whether
 * it does: false where the cure is not compiled in. */
bool transport_cures_yield(bool wanted);

/* True if MPI's closing of connections is really cured in this process. */
bool transport_cures_finalize(void);

#endif
