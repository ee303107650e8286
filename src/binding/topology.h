/* Inside the binding room: a node flattened to one row a PU. hwloc's objects stay in topology.c;
 * the rest works on these plain bytes, which also travel to rank 0 as they are. */
#ifndef FUNNEL_BINDING_TOPOLOGY_H
#define FUNNEL_BINDING_TOPOLOGY_H

#include "funnel/binding.h"

/* One PU. `numa` is the smallest NUMA node around it; nodes of memory alone hold no PU. */
struct pu {
    int32_t cpu;     /* P# */
    int32_t core;    /* L# */
    int32_t package; /* L# */
    int32_t numa;    /* P#, as numactl says it */
    int32_t allowed; /* 0: a cgroup forbids it to this job */
    /* its caches: number, by the first PU below it, and size; 0 unknown */
    int32_t second_cache, last_cache;
    int32_t spare; /* keeps the bytes of a row free of holes: they are compared and sent */
    int64_t first_bytes, second_bytes, last_bytes;
};

/* Rows in hwloc's logical order: the PUs of a core, a NUMA node, a package stand together. */
struct topology {
    int32_t readable, this_machine, pus;
    struct pu pu[];
};

/* What a PU belongs to. */
enum domain { DOMAIN_CORE, DOMAIN_NUMA, DOMAIN_PACKAGE, DOMAIN_CACHE };
int pu_domain(const struct pu *pu, enum domain domain);

size_t topology_bytes(int pus);

/* The numbers of the domains that `set` touches, as a set. */
struct cpu_set topology_touched(const struct topology *topology, const struct cpu_set *set,
                                enum domain domain);
/* All PUs of domain number `index`, and those of them that are allowed. */
struct cpu_set topology_domain(const struct topology *topology, enum domain domain, int index);
struct cpu_set topology_allowed(const struct topology *topology);

#endif
