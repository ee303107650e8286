/* Types of indices, so that a global index is never squeezed into an int. Room: base. */
#ifndef FUNNEL_INDEX_H
#define FUNNEL_INDEX_H

#include <inttypes.h>
#include <stdint.h>

/* A point, row, or number of points of the whole grid: 64 bits always. */
typedef int64_t global_index;

/* A position inside the part of one rank; negative in the halo. */
typedef int64_t local_index;

#define PRI_INDEX PRId64

#endif
