/* Tells from the affinity masks of a node's ranks whether some of them must take turns. */
#include "crowding.h"
#include <sys/syscall.h>
#include <unistd.h>

/* The system call itself: the C library's wrapper wants a type of fixed size. */
struct pu_mask pu_mask_of_caller(void) {
    struct pu_mask mask = {0};
    if (syscall(SYS_sched_getaffinity, 0, sizeof mask.word, mask.word) < 0)
        return (struct pu_mask){0};
    return mask;
}

static int pus_of(const struct pu_mask *mask) {
    int pus = 0;
    for (int w = 0; w < PU_MASK_WORDS; w++)
        pus += __builtin_popcountl(mask->word[w]);
    return pus;
}

static bool lies_within(const struct pu_mask *inner, const struct pu_mask *outer) {
    for (int w = 0; w < PU_MASK_WORDS; w++)
        if ((inner->word[w] & ~outer->word[w]) != 0)
            return false;
    return true;
}

static int ranks_within(const struct pu_mask *masks, int ranks, const struct pu_mask *outer) {
    int within = 0;
    for (int r = 0; r < ranks; r++)
        within += lies_within(&masks[r], outer);
    return within;
}

static struct pu_mask union_of(const struct pu_mask *masks, int ranks) {
    struct pu_mask all = {0};
    for (int r = 0; r < ranks; r++)
        for (int w = 0; w < PU_MASK_WORDS; w++)
            all.word[w] |= masks[r].word[w];
    return all;
}

bool ranks_crowded(const struct pu_mask *masks, int ranks) {
    struct pu_mask all = union_of(masks, ranks);
    bool crowded = ranks > pus_of(&all);
    for (int r = 0; r < ranks && !crowded; r++)
        crowded = ranks_within(masks, ranks, &masks[r]) > pus_of(&masks[r]);
    return crowded;
}
