/* Does a node run more ranks than processors they may use? Private to src/exchange. */
#ifndef FUNNEL_CROWDING_H
#define FUNNEL_CROWDING_H

#include <stdbool.h>

enum { PU_MASK_WORDS = 128 }; /* 8192 PUs of 64 bits a word */

/* The processors that a thread may run on. Plain bytes: gathered as it is. */
struct pu_mask {
    unsigned long word[PU_MASK_WORDS];
};

/* The mask of the calling thread; empty if the kernel does not tell. It is the main thread that
 * waits inside MPI, so its own mask counts, whatever it was narrowed to. */
struct pu_mask pu_mask_of_caller(void);

/* True if some of the ranks of a node outnumber the PUs that they must share: all of them together,
 * or those confined to what one of them may use. */
bool ranks_crowded(const struct pu_mask *masks, int ranks);

#endif
