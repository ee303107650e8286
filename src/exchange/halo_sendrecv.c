/* The exchange of the lectures: MPI_Sendrecv with each pair of neighbours, x first, then y over the
 * full width, so that corners arrive without messages of their own. */
#include "halo_parts.h"

static void exchange(const struct halo *halo, const struct halo_message *message,
                     struct halo_end send, struct halo_end receive) {
    mpi_check(MPI_Sendrecv(send.start, send.count, send.type, message->to, message->tag,
                           receive.start, receive.count, receive.type, message->from, message->tag,
                           halo->comm, MPI_STATUS_IGNORE),
              "MPI_Sendrecv");
}

/* The same with a send that does not end before its receive has begun. */
static void exchange_synchronously(const struct halo *halo, const struct halo_message *message,
                                   struct halo_end send, struct halo_end receive) {
    MPI_Request sending;
    mpi_check(MPI_Issend(send.start, send.count, send.type, message->to, message->tag, halo->comm,
                         &sending),
              "MPI_Issend");
    mpi_check(MPI_Recv(receive.start, receive.count, receive.type, message->from, message->tag,
                       halo->comm, MPI_STATUS_IGNORE),
              "MPI_Recv");
    mpi_check(MPI_Wait(&sending, MPI_STATUS_IGNORE), "MPI_Wait");
}

static void run_stage(struct halo *halo, double *values, int first, int last) {
    halo_pack(halo, values, first, last);
    for (int m = first; m < last; m++) {
        struct halo_end send = halo_send_end(halo, m, values);
        struct halo_end receive = halo_receive_end(halo, m, values);
        if (halo->synchronous)
            exchange_synchronously(halo, &halo->message[m], send, receive);
        else
            exchange(halo, &halo->message[m], send, receive);
    }
    halo_unpack(halo, values, first, last);
}

static void begin(struct halo *halo, double *values) {
    run_stage(halo, values, 0, 2);
}

static void finish(struct halo *halo, double *values) {
    run_stage(halo, values, 2, halo->messages);
}

const struct halo_variant halo_sendrecv = {
    .name = "sendrecv",
    .help = "MPI_Sendrecv with each pair of neighbours, x then y",
    .order = HALO_X_THEN_Y,
    .packs = true,
    .synchronous = true,
    .begin = begin,
    .finish = finish,
};
