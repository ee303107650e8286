/* Which block of a neighbourhood collective brings which message, found out by labels. Private to
 * src/exchange. */
#ifndef FUNNEL_HALO_LABELS_H
#define FUNNEL_HALO_LABELS_H

#include <stdbool.h>

/* What a message says of itself: its sender and its direction of travel, as an index. */
struct halo_label {
    int rank, travel;
};

/* Sets travel_of_block[k] to the travel that arrived in block k. `from[t]` is the rank that travel
 * t comes from, or negative if none does. False if the labels are not each travel that does come,
 * once, from its rank: then the blocks cannot be told apart. */
bool halo_labels_sort(const struct halo_label *labels, int blocks, const int *from, int travels,
                      int *travel_of_block);

#endif
