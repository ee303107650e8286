/* How long the cores of a node take for their points: by the cache that holds them, and by the
 * bandwidth they share. Pure arithmetic. Room: model.
 *
 * The larger of the time for arithmetic in cache and the time for traffic with memory, after S.
 * Williams, A. Waterman and D. Patterson, "Roofline: an insightful visual performance model for
 * multicore architectures", Communications of the ACM 52(4), 2009; measured rates by place take the
 * part of the arithmetic, as in G. Hager, J. Treibig, J. Habich and G. Wellein, "Exploring
 * performance and power properties of modern multi-core chips via simple machine models",
 * Concurrency and Computation 28(2), 2016. */
#ifndef FUNNEL_ROOFLINE_H
#define FUNNEL_ROOFLINE_H

#include <stdbool.h>

enum { ROOFLINE_VALUES_MAX = 64, KERNEL_RATES_MAX = 256, KERNEL_NAME_BYTES = 32 };

/* Something measured with several numbers of cores (or threads), ascending. */
struct core_values {
    int count;
    struct core_value {
        int cores;
        double value;
    } at[ROOFLINE_VALUES_MAX];
};

/* Points a second of `cores` cores together while each has a working set of at most `up_to_bytes`;
 * infinite for the place beyond all caches. */
struct kernel_rate {
    double up_to_bytes;
    int sweeps_in_pass; /* done in one pass when it was measured; 1 for a kernel without passes */
    int cores;
    double lups;
};

/* A kernel: rates ascending in up_to_bytes, then in sweeps_in_pass, then in cores. */
struct kernel_rates {
    char name[KERNEL_NAME_BYTES];
    bool in_passes; /* several sweeps in one pass through memory */
    int count;
    struct kernel_rate rates[KERNEL_RATES_MAX];
};

/* The share of one core in a sweep, while `cores` cores of its node do the same. */
struct core_load {
    double points;
    double working_set_bytes; /* of the core: iterates and source */
    double bytes_per_point;   /* between caches and memory, for one sweep */
    int sweeps_in_pass;       /* that a kernel with passes does in one; divides the traffic */
    int cores;                /* at work on the node */
};

/* Value with `cores` cores: linear between those measured, in proportion below the first, as the
 * last beyond it. 0 without any. */
double core_values_at(const struct core_values *values, int cores);

/* Seconds that a core takes for its share of a sweep. In the place whose up_to_bytes holds its
 * working set the rate is the measured one; up to twice that the time a point goes over linearly
 * to the next place. Beyond the last place the rate of the last is kept, but no faster than `copy`
 * (bytes a second of the node, empty if unknown) lets the traffic through; the same bounds a kernel
 * with passes in memory. With more cores than measured a rate in cache grows with them, one in
 * memory stays.
 *
 * A pass costs a part once (reading, folding, unfolding, writing) and a part for each sweep in it:
 * with d sweeps in a pass a + b/d seconds a point and sweep. Where a place has rates of several d
 * the time goes linearly in 1/d between them; by the line of the two shallowest to lower d, but
 * with b at least 0; as the deepest beyond it. Rates of a single d hold for each. */
double roofline_sweep_s(const struct kernel_rates *kernel, const struct core_values *copy,
                        const struct core_load *load);

#endif
