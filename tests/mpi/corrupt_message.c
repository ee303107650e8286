/* A network that damages what it carries: preloaded, it flips the last byte of a receive, of the
 * one that was posted last, and the first of what a collective brought, from the call number
 * CORRUPT_FROM of MPI_Recv, MPI_Sendrecv, MPI_Waitall or of these collectives on; and it clears the
 * last byte of the first window that was asked for, whenever memory is synchronised. Those that
 * programs agree by are spared: MPI_Allreduce of whole numbers, small MPI_Bcast and MPI_Allgather.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>

/* Smaller ones may be what programs tell each other. */
enum { LARGE_BYTES = 1 << 16 };

struct wire {
    unsigned char *last_byte; /* of the receive posted last; NULL: none */
    unsigned char *of_window; /* the last byte of rank 0's piece; NULL: none */
    int calls;                /* that brought messages */
};

/* What two interposed calls must share has no other place. */
static struct wire wire;

static bool damages(void) {
    const char *from = getenv("CORRUPT_FROM");
    return ++wire.calls >= (from == NULL ? 1 : atoi(from));
}

/* The last byte of a message; NULL if it has none. */
static unsigned char *last_byte(void *buffer, int count, MPI_Datatype type) {
    int bytes = 0;
    PMPI_Type_size(type, &bytes);
    return count > 0 ? (unsigned char *)buffer + (size_t)count * (size_t)bytes - 1 : NULL;
}

static void damage(void *received, bool is_meant) {
    if (is_meant && damages())
        *(unsigned char *)received ^= 1;
}

__attribute__((visibility("default"))) int MPI_Irecv(void *buffer, int count, MPI_Datatype type,
                                                     int source, int tag, MPI_Comm comm,
                                                     MPI_Request *request) {
    if (count > 0)
        wire.last_byte = last_byte(buffer, count, type);
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

__attribute__((visibility("default"))) int MPI_Recv(void *buffer, int count, MPI_Datatype type,
                                                    int source, int tag, MPI_Comm comm,
                                                    MPI_Status *status) {
    const int code = PMPI_Recv(buffer, count, type, source, tag, comm, status);
    damage(last_byte(buffer, count, type), count > 0);
    return code;
}

__attribute__((visibility("default"))) int
MPI_Sendrecv(const void *send, int send_count, MPI_Datatype send_type, int to, int send_tag,
             void *receive, int receive_count, MPI_Datatype receive_type, int from, int receive_tag,
             MPI_Comm comm, MPI_Status *status) {
    const int code = PMPI_Sendrecv(send, send_count, send_type, to, send_tag, receive,
                                   receive_count, receive_type, from, receive_tag, comm, status);
    damage(last_byte(receive, receive_count, receive_type), receive_count > 0);
    return code;
}

__attribute__((visibility("default"))) int
MPI_Win_shared_query(MPI_Win window, int rank, MPI_Aint *size, int *unit, void *start) {
    const int code = PMPI_Win_shared_query(window, rank, size, unit, start);
    if (rank == 0)
        wire.of_window = *(unsigned char **)start + *size - 1;
    return code;
}

__attribute__((visibility("default"))) int MPI_Win_sync(MPI_Win window) {
    const int code = PMPI_Win_sync(window);
    if (wire.of_window != NULL)
        *wire.of_window = 0;
    return code;
}
