/* All messages at once: receives posted first, then sends to all eight neighbours; one wait. */
#include "halo_parts.h"

/* Receives, then sends. */
struct open_requests {
    MPI_Request request[2 * HALO_MESSAGES_MAX];
};

static void post_receives(struct halo *halo, double *values, MPI_Request *requests) {
    for (int m = 0; m < halo->messages; m++) {
        const struct halo_message *message = &halo->message[m];
        struct halo_end end = halo_receive_end(halo, m, values);
        mpi_check(MPI_Irecv(end.start, end.count, end.type, message->from, message->tag, halo->comm,
                            &requests[m]),
                  "MPI_Irecv");
    }
}

static void post_sends(struct halo *halo, double *values, MPI_Request *requests) {
    for (int m = 0; m < halo->messages; m++) {
        const struct halo_message *message = &halo->message[m];
        struct halo_end end = halo_send_end(halo, m, values);
        if (halo->synchronous)
            mpi_check(MPI_Issend(end.start, end.count, end.type, message->to, message->tag,
                                 halo->comm, &requests[m]),
                      "MPI_Issend");
        else
            mpi_check(MPI_Isend(end.start, end.count, end.type, message->to, message->tag,
                                halo->comm, &requests[m]),
                      "MPI_Isend");
    }
}

static void begin(struct halo *halo, double *values) {
    struct open_requests *open = halo->state;
    post_receives(halo, values, open->request);
    halo_pack(halo, values, 0, halo->messages);
    post_sends(halo, values, open->request + halo->messages);
}

static void finish(struct halo *halo, double *values) {
    struct open_requests *open = halo->state;
    mpi_check(MPI_Waitall(2 * halo->messages, open->request, MPI_STATUSES_IGNORE), "MPI_Waitall");
    halo_unpack(halo, values, 0, halo->messages);
}

const struct halo_variant halo_nonblocking = {
    .name = "nonblocking",
    .help = "MPI_Irecv and MPI_Isend with all eight neighbours at once",
    .order = HALO_AT_ONCE,
    .packs = true,
    .synchronous = true,
    .state_bytes = sizeof(struct open_requests),
    .begin = begin,
    .finish = finish,
};
