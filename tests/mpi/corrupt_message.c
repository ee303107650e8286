/* A network that damages what it carries: preloaded, it flips the last byte of the receive that was
 * posted last, and the first of what a collective brought, from the call number CORRUPT_FROM of
 * MPI_Waitall or of these collectives on. Those that programs agree by are spared: MPI_Allreduce of
 * whole numbers, small MPI_Bcast and MPI_Allgather. */
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>

/* Smaller ones may be what programs tell each other. */
enum { LARGE_BYTES = 1 << 16 };

struct wire {
    unsigned char *last_byte; /* of the receive posted last; NULL: none */
    int calls;                /* that brought messages */
};

/* What two interposed calls must share has no other place. */
static struct wire wire;

static bool damages(void) {
    const char *from = getenv("CORRUPT_FROM");
    return ++wire.calls >= (from == NULL ? 1 : atoi(from));
}

static void damage(void *received, bool is_meant) {
    if (is_meant && damages())
        *(unsigned char *)received ^= 1;
}

__attribute__((visibility("default"))) int MPI_Irecv(void *buffer, int count, MPI_Datatype type,
                                                     int source, int tag, MPI_Comm comm,
                                                     MPI_Request *request) {
    int bytes = 0;
    PMPI_Type_size(type, &bytes);
    if (count > 0)
        wire.last_byte = (unsigned char *)buffer + (size_t)count * (size_t)bytes - 1;
    return PMPI_Irecv(buffer, count, type, source, tag, comm, request);
}

__attribute__((visibility("default"))) int MPI_Waitall(int count, MPI_Request requests[],
                                                       MPI_Status statuses[]) {
    const int code = PMPI_Waitall(count, requests, statuses);
    if (damages() && wire.last_byte != NULL)
        *wire.last_byte ^= 1;
    return code;
}

__attribute__((visibility("default"))) int
MPI_Alltoallv(const void *send, const int send_counts[], const int send_places[],
              MPI_Datatype send_type, void *receive, const int receive_counts[],
              const int receive_places[], MPI_Datatype receive_type, MPI_Comm comm) {
    const int code = PMPI_Alltoallv(send, send_counts, send_places, send_type, receive,
                                    receive_counts, receive_places, receive_type, comm);
    damage(receive, receive_counts[0] > 0);
    return code;
}

__attribute__((visibility("default"))) int MPI_Alltoall(const void *send, int send_count,
                                                        MPI_Datatype send_type, void *receive,
                                                        int receive_count,
                                                        MPI_Datatype receive_type, MPI_Comm comm) {
    const int code =
        PMPI_Alltoall(send, send_count, send_type, receive, receive_count, receive_type, comm);
    damage(receive, true);
    return code;
}

__attribute__((visibility("default"))) int MPI_Allgather(const void *send, int send_count,
                                                         MPI_Datatype send_type, void *receive,
                                                         int receive_count,
                                                         MPI_Datatype receive_type, MPI_Comm comm) {
    const int code =
        PMPI_Allgather(send, send_count, send_type, receive, receive_count, receive_type, comm);
    damage(receive, receive_count >= LARGE_BYTES);
    return code;
}

__attribute__((visibility("default"))) int MPI_Allreduce(const void *send, void *receive, int count,
                                                         MPI_Datatype type, MPI_Op operation,
                                                         MPI_Comm comm) {
    const int code = PMPI_Allreduce(send, receive, count, type, operation, comm);
    damage(receive, type == MPI_DOUBLE);
    return code;
}

__attribute__((visibility("default"))) int MPI_Bcast(void *buffer, int count, MPI_Datatype type,
                                                     int root, MPI_Comm comm) {
    const int code = PMPI_Bcast(buffer, count, type, root, comm);
    damage(buffer, count >= LARGE_BYTES);
    return code;
}
