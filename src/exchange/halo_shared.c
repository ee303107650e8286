/* No messages inside a node: each rank copies its neighbours' edges straight from their iterates,
 * which lie in a shared window, into its own halo. Ranks of other nodes get messages.
 *
 * Exchange number e is the same on all ranks. Each rank counts it in flags of its own, which only
 * it writes: `ready` says that its interior holds the values of exchange e, `taken[m]` that it has
 * copied message m of exchange e. In exchange e a rank
 *   1. sets ready = e (release), after its threads have joined: their writes come before it;
 *   2. waits until ready >= e (acquire) on each rank that it copies from, then copies: it sees the
 *      values of exchange e;
 *   3. sets taken[m] = e (release): its reads come before it;
 *   4. waits until taken[m] >= e (acquire) on each rank that copies message m from it.
 * So whoever comes out of an exchange may overwrite the iterate at once, as after a message: nobody
 * reads it any more. With two iterates and depth 1 the next exchange would promise that too, but
 * from depth 2 on the second sweep writes to the iterate just exchanged. Copies read interior
 * points only, since all eight neighbours are asked and none is narrower than the halo is deep, so
 * the halo that its owner fills meanwhile is no reader's business; and nobody writes the interior
 * between 1 and 4. A rank that has gone on to exchange e+1 only raises its flags. Nothing waits in
 * a circle: 2 waits for others to arrive, which needs their exchange e-1 only, and 4 for step 3 of
 * others, which needs arrivals. */
#include "funnel/clock.h"
#include "halo_parts.h"
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* Where a rank of the node keeps things, in bytes from the start of its piece of the window. */
struct card {
    size_t flags, values, stride;
    struct field_layout layout;
};

/* What message m needs of the ranks at its ends; NULL where they are not on this node. */
struct copy {
    const struct halo_flags *from, *to;
    const char *source; /* its first point in iterate 0 of `from` */
    size_t stride;      /* bytes to the same point of the next iterate */
    int64_t pitch;      /* of `from` */
};

struct sharing {
    struct copy copy[HALO_MESSAGES_MAX];
    uint64_t exchange;
    bool posts; /* some neighbour is on another node */
    MPI_Request request[HALO_REQUESTS_MAX];
};

static struct card card_of(const struct halo *halo) {
    const struct halo_memory *memory = halo->memory;
    const char *first = (const char *)memory->values[0];
    const char *next = memory->iterates > 1 ? (const char *)memory->values[1] : first;
    return (struct card){.flags = (size_t)((const char *)memory->flags - memory->start),
                         .values = (size_t)(first - memory->start),
                         .stride = (size_t)(next - first),
                         .layout = halo->layout};
}

/* The rank's number on this node, MPI_UNDEFINED elsewhere. */
static int node_rank_of(const struct halo *halo, int rank) {
    MPI_Group all, node;
    int node_rank = MPI_UNDEFINED;
    if (rank == MPI_PROC_NULL)
        return MPI_UNDEFINED;
    mpi_check(MPI_Comm_group(halo->comm, &all), "MPI_Comm_group");
    mpi_check(MPI_Comm_group(halo->memory->node, &node), "MPI_Comm_group");
    mpi_check(MPI_Group_translate_ranks(all, 1, &rank, node, &node_rank),
              "MPI_Group_translate_ranks");
    mpi_check(MPI_Group_free(&all), "MPI_Group_free");
    mpi_check(MPI_Group_free(&node), "MPI_Group_free");
    return node_rank;
}

/* Start of a rank's piece of the window, where this rank sees it. */
static const char *piece_of(const struct halo *halo, int node_rank) {
    MPI_Aint bytes;
    int unit;
    char *start = NULL;
    mpi_check(MPI_Win_shared_query(halo->memory->window, node_rank, &bytes, &unit, &start),
              "MPI_Win_shared_query");
    return start;
}

static const struct halo_flags *flags_at(const char *piece, const struct card *card) {
    return (const struct halo_flags *)(const void *)(piece + card->flags);
}

/* The points of a message as the rank that they lie with sees them. */
static void find_source(struct copy *copy, const char *piece, const struct card *card,
                        struct travel travel) {
    struct region box = travel_send_box(&card->layout, travel, (struct width){0, card->layout.nx});
    copy->source = piece + card->values + (size_t)box_offset(&card->layout, box) * sizeof(double);
    copy->stride = card->stride;
    copy->pitch = card->layout.pitch;
}

/* Takes messages between ranks of this node out of what is sent. */
static void make_copies(struct halo *halo, const struct card *cards) {
    struct sharing *sharing = halo->state;
    for (int m = 0; m < halo->messages; m++) {
        struct halo_message *message = &halo->message[m];
        struct copy *copy = &sharing->copy[m];
        int from = node_rank_of(halo, message->from), to = node_rank_of(halo, message->to);
        if (from != MPI_UNDEFINED) {
            const char *piece = piece_of(halo, from);
            copy->from = flags_at(piece, &cards[from]);
            find_source(copy, piece, &cards[from], travels_at_once[m]);
            message->receive_from = MPI_PROC_NULL;
        }
        if (to != MPI_UNDEFINED) {
            copy->to = flags_at(piece_of(halo, to), &cards[to]);
            message->send_to = MPI_PROC_NULL;
        }
        sharing->posts |=
            message->receive_from != MPI_PROC_NULL || message->send_to != MPI_PROC_NULL;
    }
}

/* The flags may hold the counts of an earlier halo over this memory, which all must be done with.
 */
static void clear_flags(const struct halo *halo) {
    struct halo_flags *flags = halo->memory->flags;
    mpi_check(MPI_Barrier(halo->memory->node), "MPI_Barrier");
    atomic_init(&flags->ready, 0);
    for (int m = 0; m < HALO_MESSAGES_MAX; m++)
        atomic_init(&flags->taken[m], 0);
    mpi_check(MPI_Win_sync(halo->memory->window), "MPI_Win_sync");
    mpi_check(MPI_Barrier(halo->memory->node), "MPI_Barrier");
}

static void make(struct halo *halo, struct status *status) {
    int ranks = 0;
    (void)status;
    mpi_check(MPI_Comm_size(halo->memory->node, &ranks), "MPI_Comm_size");
    struct card mine = card_of(halo), *cards = calloc((size_t)ranks, sizeof *cards);
    if (cards == NULL)
        team_fault("no memory for the layouts of a node's ranks");
    mpi_check(MPI_Allgather(&mine, (int)sizeof mine, MPI_BYTE, cards, (int)sizeof mine, MPI_BYTE,
                            halo->memory->node),
              "MPI_Allgather");
    make_copies(halo, cards);
    free(cards);
    clear_flags(halo);
}

/* Tells the processor that this is a loop that waits. */
static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Waits until a flag has reached this exchange. Messages to other nodes go on meanwhile, and where
 * processors are short the others get their turn. */
static void wait_for(struct halo *halo, const atomic_uint_least64_t *flag) {
    enum { POLLS_CROWDED = 20, POLLS = 10000 };
    struct sharing *sharing = halo->state;
    int polls = 0, most = halo->yields ? POLLS_CROWDED : POLLS;
    while (atomic_load_explicit(flag, memory_order_acquire) < sharing->exchange) {
        relax();
        if (++polls < most)
            continue;
        polls = 0;
        if (sharing->posts)
            halo_progress(halo, sharing->request);
        sched_yield();
    }
}

static void begin(struct halo *halo, double *values) {
    struct sharing *sharing = halo->state;
    sharing->exchange++;
    mpi_check(MPI_Win_sync(halo->memory->window), "MPI_Win_sync");
    atomic_store_explicit(&halo->memory->flags->ready, sharing->exchange, memory_order_release);
    if (sharing->posts)
        halo_post(halo, values, sharing->request);
}

/* Copies message m into the halo of an iterate. */
static void copy_message(const struct halo *halo, int m, double *values, int iterate) {
    const struct sharing *sharing = halo->state;
    const struct copy *copy = &sharing->copy[m];
    struct region box = halo->message[m].receive;
    size_t row_bytes = (size_t)(box.x1 - box.x0) * sizeof(double);
    const char *row = copy->source + (size_t)iterate * copy->stride;
    double *to = values + box_offset(&halo->layout, box);
    for (local_index y = box.y0; y < box.y1; y++) {
        memcpy(to, row, row_bytes);
        to += halo->layout.pitch;
        row += (size_t)copy->pitch * sizeof(double);
    }
}

static void copy_all(struct halo *halo, double *values) {
    struct sharing *sharing = halo->state;
    int iterate = halo_iterate(halo, values);
    for (int m = 0; m < halo->messages; m++)
        if (sharing->copy[m].from != NULL)
            wait_for(halo, &sharing->copy[m].from->ready);
    mpi_check(MPI_Win_sync(halo->memory->window), "MPI_Win_sync");
    double start_s = clock_now_s();
    for (int m = 0; m < halo->messages; m++)
        if (sharing->copy[m].from != NULL) {
            copy_message(halo, m, values, iterate);
            atomic_store_explicit(&halo->memory->flags->taken[m], sharing->exchange,
                                  memory_order_release);
        }
    halo->times.pack_s += clock_now_s() - start_s;
}

static void finish(struct halo *halo, double *values) {
    struct sharing *sharing = halo->state;
    copy_all(halo, values);
    if (sharing->posts)
        halo_complete(halo, values, sharing->request);
    for (int m = 0; m < halo->messages; m++)
        if (sharing->copy[m].to != NULL)
            wait_for(halo, &sharing->copy[m].to->taken[m]);
    mpi_check(MPI_Win_sync(halo->memory->window), "MPI_Win_sync");
}

const struct halo_variant halo_shared = {
    .name = "shared",
    .help = "copies from a window that the ranks of a node share; messages between nodes",
    .order = HALO_AT_ONCE,
    .packs = true,
    .synchronous = true,
    .shares = true,
    .state_bytes = sizeof(struct sharing),
    .make = make,
    .begin = begin,
    .finish = finish,
};
