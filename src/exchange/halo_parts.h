/* What the halo variants share: the list of messages, packing, and the fields of struct halo.
 * Private to src/exchange. */
#ifndef FUNNEL_HALO_PARTS_H
#define FUNNEL_HALO_PARTS_H

#include "funnel/halo.h"
#include "halo_boxes.h"
#include "team_parts.h"
#include <stdatomic.h>

enum { HALO_MESSAGES_MAX = TRAVELS_AT_ONCE, HALO_REQUESTS_MAX = 2 * HALO_MESSAGES_MAX };

/* What a rank tells the others of its node, in the window; only it writes them. The numbers are
 * those of exchanges, and need no lock to be written or read as one. */
struct halo_flags {
    _Alignas(64) atomic_uint_least64_t ready; /* the interior holds the values of this exchange */
    _Alignas(64) atomic_uint_least64_t taken[HALO_MESSAGES_MAX]; /* message m has been copied */
};
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "flags between processes are lock-free");

/* Memory of the iterates: pages of this process alone, or a piece of a window. */
struct halo_memory {
    int iterates;
    size_t bytes; /* of each */
    double **values;
    MPI_Comm node;  /* the team's */
    MPI_Win window; /* MPI_WIN_NULL: ordinary pages. Open for access as long as it lives */
    const char *start;
    struct halo_flags *flags;
};

/* What goes out in one direction of travel, and what comes in with the same direction from the
 * neighbour on the other side. */
struct halo_message {
    int to, from;              /* ranks; MPI_PROC_NULL beyond a physical side */
    int send_to, receive_from; /* the same, and MPI_PROC_NULL where a copy does without MPI */
    int tag;                   /* one a direction, so that two messages of a pair never mix */
    struct region send, receive;
    int points;
    MPI_Datatype type;                    /* a box of several rows in the field, else MPI_DOUBLE */
    double *send_buffer, *receive_buffer; /* of a packed message, else NULL */
};

struct halo {
    const struct halo_variant *variant;
    MPI_Comm comm; /* of this halo alone: its tags meet no other messages */
    int rank;
    struct process_grid process_grid;
    struct field_layout layout;
    const struct halo_memory *memory;
    bool synchronous;
    bool yields; /* waiting gives the processor away */
    int messages;
    struct halo_message message[HALO_MESSAGES_MAX];
    void *state; /* variant->state_bytes bytes of the variant's own, zero at first */
    struct halo_times times;
    struct halo_times times_before; /* the last exchange */
};

/* Makes the list of messages as the variant wants it, and frees what it holds. Not collective. */
void halo_messages_make(struct halo *halo, struct status *status);
void halo_messages_release(struct halo *halo);

/* One end of a message as it is handed to MPI. */
struct halo_end {
    double *start;
    int count;
    MPI_Datatype type;
};
struct halo_end halo_send_end(const struct halo *halo, int message, double *values);
struct halo_end halo_receive_end(const struct halo *halo, int message, double *values);

/* Copies what messages first..last-1 send into their buffers, or what they received out of them.
 * Books the time as packing. */
void halo_pack(struct halo *halo, const double *values, int first, int last);
void halo_unpack(struct halo *halo, double *values, int first, int last);

/* The nonblocking variant, for rows that send as it does; its state. */
struct open_requests {
    MPI_Request request[HALO_REQUESTS_MAX]; /* receives, then sends */
};
void halo_begin_nonblocking(struct halo *halo, double *values);
void halo_finish_nonblocking(struct halo *halo, double *values);

/* All messages at once: starts them, lets them go on, and ends them, packing included. */
void halo_post(struct halo *halo, double *values, MPI_Request requests[HALO_REQUESTS_MAX]);
void halo_progress(const struct halo *halo, MPI_Request requests[HALO_REQUESTS_MAX]);
void halo_complete(struct halo *halo, double *values, MPI_Request requests[HALO_REQUESTS_MAX]);

/* Index of an iterate by its memory; a foreign one is a fault of the caller. */
int halo_iterate(const struct halo *halo, const double *values);

extern const struct halo_variant halo_sendrecv, halo_nonblocking, halo_persistent, halo_neighbor,
    halo_shared, halo_overlap;

#endif
