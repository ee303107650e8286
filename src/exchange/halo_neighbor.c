/* MPI_Neighbor_alltoallw, straight between fields by vector types. On a Cartesian communicator
 * MPICH swaps the two directions of a periodic axis of 1 or 2 ranks, because both blocks then come
 * from the same rank and are matched in order. Here the topology is a graph that lists sources and
 * destinations in order of travel, which is right for such matching, and labelled blocks sent once
 * at the start tell where each message really arrives. */
#include "halo_labels.h"
#include "halo_parts.h"

/* Blocks as the collective takes them; places are bytes from the start of an iterate. */
struct blocks {
    int blocks;
    int travel[HALO_MESSAGES_MAX], rank[HALO_MESSAGES_MAX], count[HALO_MESSAGES_MAX];
    MPI_Aint place[HALO_MESSAGES_MAX];
    MPI_Datatype type[HALO_MESSAGES_MAX];
};

struct neighbourhood {
    MPI_Comm graph;
    struct blocks send, receive;
};

/* Appends a block of message `travel`; a physical side has none. */
static void add_block(struct blocks *list, const struct halo *halo, int travel, int rank,
                      struct region box) {
    if (rank == MPI_PROC_NULL)
        return;
    const struct halo_message *message = &halo->message[travel];
    int k = list->blocks++;
    list->travel[k] = travel;
    list->rank[k] = rank;
    list->count[k] = message->type == MPI_DOUBLE ? message->points : 1;
    list->place[k] = (MPI_Aint)(box_offset(&halo->layout, box) * (int64_t)sizeof(double));
    list->type[k] = message->type;
}

static void list_blocks(const struct halo *halo, struct neighbourhood *around) {
    for (int t = 0; t < halo->messages; t++) {
        const struct halo_message *message = &halo->message[t];
        add_block(&around->send, halo, t, message->to, message->send);
        add_block(&around->receive, halo, t, message->from, message->receive);
    }
}

static void make_graph(const struct halo *halo, struct neighbourhood *around) {
    mpi_check(MPI_Dist_graph_create_adjacent(halo->comm, around->receive.blocks,
                                             around->receive.rank, MPI_UNWEIGHTED,
                                             around->send.blocks, around->send.rank, MPI_UNWEIGHTED,
                                             MPI_INFO_NULL, 0, &around->graph),
              "MPI_Dist_graph_create_adjacent");
}

/* One label through each block, by the same collective that will carry the halos. */
static void exchange_labels(const struct halo *halo, const struct neighbourhood *around,
                            struct halo_label *received) {
    struct halo_label sent[HALO_MESSAGES_MAX];
    int two[HALO_MESSAGES_MAX];
    MPI_Aint place[HALO_MESSAGES_MAX];
    MPI_Datatype type[HALO_MESSAGES_MAX];
    for (int k = 0; k < HALO_MESSAGES_MAX; k++) {
        sent[k] = (struct halo_label){halo->rank, around->send.travel[k]};
        received[k] = (struct halo_label){-1, -1};
        two[k] = 2;
        place[k] = (MPI_Aint)(k * sizeof *sent);
        type[k] = MPI_INT;
    }
    mpi_check(
        MPI_Neighbor_alltoallw(sent, two, place, type, received, two, place, type, around->graph),
        "MPI_Neighbor_alltoallw");
}

/* Puts the receiving blocks in the order in which the messages really arrive. */
static bool sort_receives(const struct halo *halo, struct neighbourhood *around) {
    struct halo_label labels[HALO_MESSAGES_MAX];
    int from[HALO_MESSAGES_MAX], travel[HALO_MESSAGES_MAX];
    exchange_labels(halo, around, labels);
    for (int t = 0; t < halo->messages; t++)
        from[t] = halo->message[t].from == MPI_PROC_NULL ? -1 : halo->message[t].from;
    int blocks = around->receive.blocks;
    if (!halo_labels_sort(labels, blocks, from, halo->messages, travel))
        return false;
    around->receive.blocks = 0;
    for (int k = 0; k < blocks; k++)
        add_block(&around->receive, halo, travel[k], from[travel[k]],
                  halo->message[travel[k]].receive);
    return true;
}

static void make(struct halo *halo, struct status *status) {
    struct neighbourhood *around = halo->state;
    list_blocks(halo, around);
    make_graph(halo, around);
    if (!sort_receives(halo, around))
        status_fail(status, EXIT_CODE_ENVIRONMENT,
                    "parallel.halo: MPI_Neighbor_alltoallw of this MPI library lost or mixed up "
                    "labelled messages; use nonblocking");
}

static void begin(struct halo *halo, double *values) {
    const struct neighbourhood *around = halo->state;
    const struct blocks *send = &around->send, *receive = &around->receive;
    mpi_check(MPI_Neighbor_alltoallw(values, send->count, send->place, send->type, values,
                                     receive->count, receive->place, receive->type, around->graph),
              "MPI_Neighbor_alltoallw");
}

/* The collective is a blocking one: nothing is left to do. */
static void finish(struct halo *halo, double *values) {
    (void)halo;
    (void)values;
}

static void release(struct halo *halo) {
    struct neighbourhood *around = halo->state;
    mpi_check(MPI_Comm_free(&around->graph), "MPI_Comm_free");
}

const struct halo_variant halo_neighbor = {
    .name = "neighbor",
    .help = "MPI_Neighbor_alltoallw with all eight neighbours, by vector types",
    .order = HALO_AT_ONCE,
    .state_bytes = sizeof(struct neighbourhood),
    .make = make,
    .begin = begin,
    .finish = finish,
    .release = release,
};
