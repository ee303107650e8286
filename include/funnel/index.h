/* Types of indices, so that a global index is never squeezed into an int, and what is done with
 * them everywhere. Room: base. */
#ifndef FUNNEL_INDEX_H
#define FUNNEL_INDEX_H

#include <inttypes.h>
#include <stdint.h>

/* A point, row, or number of points of the whole grid: 64 bits always. */
typedef int64_t global_index;

/* A position inside the part of one rank; negative in the halo. */
typedef int64_t local_index;

#define PRI_INDEX PRId64

static inline int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static inline int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* The quotient of two numbers above 0, rounded up. */
static inline int64_t divide_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

#endif
