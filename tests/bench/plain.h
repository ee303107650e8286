/* The loop that anyone writes: what the kernels are compared with. */
#ifndef FUNNEL_BENCH_PLAIN_H
#define FUNNEL_BENCH_PLAIN_H

#include <stdint.h>

/* Pointers are to point (0, 0); `source` is NULL where there is none, ny is 1 on a line. */
struct plain {
    double *u, *u_new;
    const double *source;
    int64_t nx, ny, pitch;
    int dimensions;
    double c, cf; /* equal weights of all neighbours, and of the source */
};

/* Does an even number of sweeps, back and forth between u and u_new; the result is in u. */
void plain_sweeps(const struct plain *plain, int64_t sweeps);

#endif
