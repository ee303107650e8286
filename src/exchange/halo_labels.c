/* Sorts labelled blocks. */
#include "halo_labels.h"

static bool fits(const struct halo_label *label, const int *from, int travels) {
    return label->travel >= 0 && label->travel < travels && from[label->travel] >= 0 &&
           from[label->travel] == label->rank;
}

static bool seen_before(const struct halo_label *labels, int block) {
    for (int earlier = 0; earlier < block; earlier++)
        if (labels[earlier].travel == labels[block].travel)
            return true;
    return false;
}

bool halo_labels_sort(const struct halo_label *labels, int blocks, const int *from, int travels,
                      int *travel_of_block) {
    for (int k = 0; k < blocks; k++) {
        if (!fits(&labels[k], from, travels) || seen_before(labels, k))
            return false;
        travel_of_block[k] = labels[k].travel;
    }
    return true;
}
