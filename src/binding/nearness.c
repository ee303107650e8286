/* How near two ranks are to each other: what their PUs have in common. */
#include "topology.h"

/* Compares the domains that two sets touch, as sets of the domains' numbers. */
static enum binding_common compare(const struct cpu_set *a, const struct cpu_set *b) {
    struct cpu_set both = *a;
    cpu_set_join(&both, b);
    if (cpu_set_count(a) == 0 || cpu_set_count(b) == 0)
        return BINDING_UNKNOWN;
    if (!cpu_set_overlap(a, b))
        return BINDING_APART;
    return cpu_set_count(&both) == 1 ? BINDING_SAME : BINDING_PERHAPS;
}

static enum binding_common compare_domains(const struct topology *topology, const struct cpu_set *a,
                                           const struct cpu_set *b, enum domain domain) {
    const struct cpu_set of_a = topology_touched(topology, a, domain);
    const struct cpu_set of_b = topology_touched(topology, b, domain);
    return compare(&of_a, &of_b);
}

struct binding_nearness binding_nearness(const struct topology *topology, const struct cpu_set *a,
                                         const struct cpu_set *b) {
    return (struct binding_nearness){
        .pu = compare(a, b),
        .core = compare_domains(topology, a, b, DOMAIN_CORE),
        .cache = compare_domains(topology, a, b, DOMAIN_CACHE),
        .numa = compare_domains(topology, a, b, DOMAIN_NUMA),
        .package = compare_domains(topology, a, b, DOMAIN_PACKAGE),
    };
}
