/* The kernels' functions, one a file. Private to the room: others go through the table. */
#ifndef FUNNEL_SWEEP_KERNELS_H
#define FUNNEL_SWEEP_KERNELS_H

#include "funnel/sweep.h"

void kernel_reference(const struct kernel_box *box);

/* The vector kernel, once for each instruction set that it was compiled for. */
struct vector_kernel {
    const char *instruction_set;
    kernel_function *function;
    bool (*available)(void); /* on this processor */
};

extern const struct vector_kernel vector_kernels[]; /* best first; the last one always runs */
extern const int vector_kernel_count;

#endif
