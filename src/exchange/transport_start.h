/* One line and the right exit code where MPI cannot start. Private to src/exchange; inert with any
 * MPI but MPICH over UCX. */
#ifndef FUNNEL_TRANSPORT_START_H
#define FUNNEL_TRANSPORT_START_H

/* Around MPI_Init_thread: between the two, a failing transport ends the program (5). */
void transport_start_begin(void);
void transport_start_end(void);

#endif
