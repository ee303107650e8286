/* The state a machine is in while something is timed: how fast it copies memory, and how far its
 * cores are from each other. Virtual machines change it within seconds. */
#ifndef FUNNEL_BENCH_STATE_H
#define FUNNEL_BENCH_STATE_H

#include "funnel/status.h"
#include <stdint.h>

enum stores { STORES_ORDINARY, STORES_STREAMING, STORES_COUNT };
extern const char *const stores_names[STORES_COUNT];

/* Two arrays of `count` doubles, touched first by all threads. */
struct copy_arrays {
    double *from, *to;
    int64_t count;
};

/* False with status set without memory. */
bool copy_make(struct copy_arrays *arrays, int64_t count, struct status *status);
void copy_free(struct copy_arrays *arrays);

/* Bytes a second at which `threads` threads copy one array to the other, 16 bytes a double: 8 read
 * and 8 written. The line that an ordinary store fetches before it is filled is not counted. */
double copy_bytes_per_s(const struct copy_arrays *arrays, int threads, enum stores stores);

/* Nanoseconds for a cache line to another thread's core and back; NaN with fewer than two
 * processors. */
double latency_ns(void);

#endif
