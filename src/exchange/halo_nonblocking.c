/* All messages at once: receives posted first, then sends to all eight neighbours; one wait. */
#include "halo_parts.h"

/* A message beyond a side is not even posted: to MPI_PROC_NULL it would cost as much as a small
 * one. */
static void post_receive(struct halo *halo, int m, double *values, MPI_Request *request) {
    const struct halo_message *message = &halo->message[m];
    struct halo_end end = halo_receive_end(halo, m, values);
    *request = MPI_REQUEST_NULL;
    if (message->receive_from != MPI_PROC_NULL)
        mpi_check(MPI_Irecv(end.start, end.count, end.type, message->receive_from, message->tag,
                            halo->comm, request),
                  "MPI_Irecv");
}

static void post_send(struct halo *halo, int m, double *values, MPI_Request *request) {
    const struct halo_message *message = &halo->message[m];
    struct halo_end end = halo_send_end(halo, m, values);
    *request = MPI_REQUEST_NULL;
    if (message->send_to == MPI_PROC_NULL)
        return;
    if (halo->synchronous)
        mpi_check(MPI_Issend(end.start, end.count, end.type, message->send_to, message->tag,
                             halo->comm, request),
                  "MPI_Issend");
    else
        mpi_check(MPI_Isend(end.start, end.count, end.type, message->send_to, message->tag,
                            halo->comm, request),
                  "MPI_Isend");
}

void halo_post(struct halo *halo, double *values, MPI_Request requests[HALO_REQUESTS_MAX]) {
    for (int m = 0; m < halo->messages; m++)
        post_receive(halo, m, values, &requests[m]);
    halo_pack(halo, values, 0, halo->messages);
    for (int m = 0; m < halo->messages; m++)
        post_send(halo, m, values, &requests[halo->messages + m]);
}

void halo_progress(const struct halo *halo, MPI_Request requests[HALO_REQUESTS_MAX]) {
    int done;
    mpi_check(MPI_Testall(2 * halo->messages, requests, &done, MPI_STATUSES_IGNORE), "MPI_Testall");
}

void halo_complete(struct halo *halo, double *values, MPI_Request requests[HALO_REQUESTS_MAX]) {
    mpi_check(MPI_Waitall(2 * halo->messages, requests, MPI_STATUSES_IGNORE), "MPI_Waitall");
    halo_unpack(halo, values, 0, halo->messages);
}

void halo_begin_nonblocking(struct halo *halo, double *values) {
    struct open_requests *open = halo->state;
    halo_post(halo, values, open->request);
}

void halo_finish_nonblocking(struct halo *halo, double *values) {
    struct open_requests *open = halo->state;
    halo_complete(halo, values, open->request);
}

const struct halo_variant halo_nonblocking = {
    .name = "nonblocking",
    .help = "MPI_Irecv and MPI_Isend with all eight neighbours at once",
    .order = HALO_AT_ONCE,
    .packs = true,
    .synchronous = true,
    .state_bytes = sizeof(struct open_requests),
    .begin = halo_begin_nonblocking,
    .finish = halo_finish_nonblocking,
};
