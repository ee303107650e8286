/* Halo exchange between the ranks of a process grid. Room: exchange.
 *
 * One interface, a table of variants; a new variant is one new file and one new row. An exchange of
 * depth d fills the d points beyond each internal edge of a field and the corners between: in two
 * stages, of which the second takes the points of the first along, or from all eight neighbours at
 * once. Halo points beyond a physical side are never written: they belong to the boundary
 * conditions. A tag per direction; axes that are periodic over 1 or 2 ranks are right in every
 * variant. */
#ifndef FUNNEL_HALO_H
#define FUNNEL_HALO_H

#include "funnel/field.h"
#include "funnel/process_grid.h"
#include "funnel/team.h"

struct halo; /* buffers, requests, types of one layout */

/* Memory of the iterates of one rank, from where a variant needs it: shared with the ranks of the
 * node for one that copies, pages of this process for the others. */
struct halo_memory;

/* What an exchange is made for. Copied by halo_make; the memory must outlive the halo. */
struct halo_plan {
    const struct process_grid *process_grid;
    struct field_layout layout;
    const struct halo_memory *memory; /* of the fields that will be exchanged in turn */
    bool synchronous_sends; /* every send waits for its receive: shows reliance on buffers */
};

/* Seconds spent so far, on this rank's clock, and messages that left it for another rank or were
 * copied by it. Waiting is part of the transfer; copying out of a window is packing. */
struct halo_times {
    double pack_s, transfer_s, wait_s; /* wait: of halo_meet only */
    double hidden_s;                   /* taken out of the others by halo_hide */
    int64_t exchanges, messages, bytes_sent;
};

/* The order in which directions are served. */
enum halo_order {
    HALO_X_THEN_Y, /* two stages: the y messages take the fresh x halo along */
    HALO_AT_ONCE   /* one stage with up to eight neighbours */
};

/* A variant is a row of the table. Its functions see the parts that all variants share in
 * src/exchange/halo_parts.h. */
struct halo_variant {
    const char *name, *help;
    enum halo_order order;
    bool packs;         /* columns and corners through buffers; else by derived types */
    bool synchronous;   /* has a form in which every send waits for its receive */
    bool overlaps;      /* meant to go on while threads sweep; the solver sees to that */
    bool shares;        /* copies inside a node, out of memory that must be shared */
    size_t state_bytes; /* of its own in struct halo, zero at first */
    void (*make)(struct halo *halo, struct status *status); /* collective; NULL: nothing to make */
    void (*begin)(struct halo *halo, double *values);       /* starts; may do all of it */
    void (*finish)(struct halo *halo, double *values);      /* ends what begin started */
    void (*release)(struct halo *halo);                     /* undoes make, a failed one too */
};

extern const struct halo_variant *const halo_variants[];
extern const int halo_variant_count;

/* The row of a name, or NULL. */
const struct halo_variant *halo_find(const char *name);

/* Fails (EXIT_CODE_USAGE) where synchronous sends are asked of a variant that has none. */
bool halo_check_sends(const struct halo_variant *variant, bool synchronous, struct status *status);

/* Takes `iterates` times `bytes` (which may differ between ranks) for exchanges by this variant:
 * aligned to 2 MiB, huge pages asked for, touched by no thread yet. COLLECTIVE. NULL with status
 * set on all ranks if it fails (EXIT_CODE_ENVIRONMENT). Owned by the caller; released, COLLECTIVE,
 * after the halos that were made for it. NULL may be released. */
struct halo_memory *halo_memory_take(struct team *team, const struct halo_variant *variant,
                                     int iterates, size_t bytes, struct status *status);
void halo_memory_release(struct halo_memory *memory);

/* Start of each iterate, for struct field. */
double *const *halo_memory_values(const struct halo_memory *memory);

/* Prepares exchanges. COLLECTIVE. NULL with status set on all ranks if it fails (a local size below
 * the depth, a message over 2^31-1 elements, synchronous sends in a variant that has none, no
 * memory). Owned by the caller. */
struct halo *halo_make(struct team *team, const struct halo_variant *variant,
                       const struct halo_plan *plan, struct status *status);
void halo_release(struct halo *halo);

/* One exchange = begin + finish. `field` must be one of the memory's. Between the two the interior
 * may be read, not written; afterwards no other rank reads it any more. COLLECTIVE. */
void halo_begin(struct halo *halo, const struct field *field);
void halo_finish(struct halo *halo, const struct field *field);

/* Waits until all ranks are about to exchange and books the time as wait (timing.split = on).
 * COLLECTIVE. */
void halo_meet(struct halo *halo);

/* Books this much of the last exchange as hidden, at most what it took: other threads computed
 * meanwhile. */
void halo_hide(struct halo *halo, double seconds);

/* What has been booked since halo_make or the last reset; owned by the halo. */
const struct halo_times *halo_times(const struct halo *halo);
void halo_times_reset(struct halo *halo);

#endif
