/* The messages of nonblocking. What this row is for lies in the solver, which sweeps beside them.
 */
#include "halo_parts.h"

const struct halo_variant halo_overlap = {
    .name = "overlap",
    .help = "as nonblocking, while the other threads sweep what needs no halo",
    .order = HALO_AT_ONCE,
    .packs = true,
    .synchronous = true,
    .overlaps = true,
    .state_bytes = sizeof(struct open_requests),
    .begin = halo_begin_nonblocking,
    .finish = halo_finish_nonblocking,
};
