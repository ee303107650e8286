/* What the halo variants share: the list of messages, packing, and the fields of struct halo.
 * Private to src/exchange. */
#ifndef FUNNEL_HALO_PARTS_H
#define FUNNEL_HALO_PARTS_H

#include "funnel/halo.h"
#include "halo_boxes.h"
#include "team_parts.h"

enum { HALO_MESSAGES_MAX = TRAVELS_AT_ONCE };

/* What goes out in one direction of travel, and what comes in with the same direction from the
 * neighbour on the other side. */
struct halo_message {
    int to, from; /* ranks; MPI_PROC_NULL beyond a physical side */
    int tag;      /* one a direction, so that two messages of a pair never mix */
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
    int iterates;
    double **values; /* memory of each iterate */
    bool synchronous;
    int messages;
    struct halo_message message[HALO_MESSAGES_MAX];
    void *state; /* variant->state_bytes bytes of the variant's own, zero at first */
    struct halo_times times;
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

/* Index of an iterate by its memory; a foreign one is a fault of the caller. */
int halo_iterate(const struct halo *halo, const double *values);

extern const struct halo_variant halo_sendrecv, halo_nonblocking, halo_persistent, halo_neighbor;

#endif
