/* As nonblocking, with the requests made once: a set for each iterate, since rows are sent and
 * received in place. */
#include "halo_parts.h"
#include <stdlib.h>

/* For each iterate its receives, then its sends. */
struct request_sets {
    MPI_Request *request;
};

static MPI_Request *set_of(const struct halo *halo, int iterate) {
    const struct request_sets *sets = halo->state;
    return sets->request + 2 * halo->messages * iterate;
}

static void make_receive(struct halo *halo, int m, double *values, MPI_Request *request) {
    const struct halo_message *message = &halo->message[m];
    struct halo_end end = halo_receive_end(halo, m, values);
    mpi_check(MPI_Recv_init(end.start, end.count, end.type, message->from, message->tag, halo->comm,
                            request),
              "MPI_Recv_init");
}

static void make_send(struct halo *halo, int m, double *values, MPI_Request *request) {
    const struct halo_message *message = &halo->message[m];
    struct halo_end end = halo_send_end(halo, m, values);
    if (halo->synchronous)
        mpi_check(MPI_Ssend_init(end.start, end.count, end.type, message->to, message->tag,
                                 halo->comm, request),
                  "MPI_Ssend_init");
    else
        mpi_check(MPI_Send_init(end.start, end.count, end.type, message->to, message->tag,
                                halo->comm, request),
                  "MPI_Send_init");
}

static void make(struct halo *halo, struct status *status) {
    struct request_sets *sets = halo->state;
    int n = halo->messages;
    sets->request = calloc((size_t)(2 * n * halo->memory->iterates), sizeof *sets->request);
    if (sets->request == NULL) {
        status_fail(status, EXIT_CODE_ENVIRONMENT, "no memory for persistent requests");
        return;
    }
    for (int i = 0; i < halo->memory->iterates; i++)
        for (int m = 0; m < n; m++) {
            make_receive(halo, m, halo->memory->values[i], set_of(halo, i) + m);
            make_send(halo, m, halo->memory->values[i], set_of(halo, i) + n + m);
        }
}

static void begin(struct halo *halo, double *values) {
    MPI_Request *requests = set_of(halo, halo_iterate(halo, values));
    int n = halo->messages;
    mpi_check(MPI_Startall(n, requests), "MPI_Startall");
    halo_pack(halo, values, 0, n);
    mpi_check(MPI_Startall(n, requests + n), "MPI_Startall");
}

static void finish(struct halo *halo, double *values) {
    MPI_Request *requests = set_of(halo, halo_iterate(halo, values));
    mpi_check(MPI_Waitall(2 * halo->messages, requests, MPI_STATUSES_IGNORE), "MPI_Waitall");
    halo_unpack(halo, values, 0, halo->messages);
}

static void release(struct halo *halo) {
    struct request_sets *sets = halo->state;
    int made = sets->request == NULL ? 0 : 2 * halo->messages * halo->memory->iterates;
    for (int r = 0; r < made; r++)
        mpi_check(MPI_Request_free(&sets->request[r]), "MPI_Request_free");
    free(sets->request);
}

const struct halo_variant halo_persistent = {
    .name = "persistent",
    .help = "as nonblocking, with requests made once and started each time",
    .order = HALO_AT_ONCE,
    .packs = true,
    .synchronous = true,
    .state_bytes = sizeof(struct request_sets),
    .make = make,
    .begin = begin,
    .finish = finish,
    .release = release,
};
