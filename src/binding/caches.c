/* What a rank may count on of the caches. A cache that several ranks of the node may use is shared
 * out among them, because all of them sweep at the same time. */
#include "funnel/binding.h"
#include "topology.h"

/* More than any processor has for each of its cores. A virtual machine reports the last-level cache
 * of the whole package below it, most of which serves other guests. */
static const int64_t last_bytes_a_core = INT64_C(32) << 20;

/* Distinct numbers of cores among the PUs of a set. */
static int cores_of(const struct topology *topology, const struct cpu_set *set) {
    const struct cpu_set cores = topology_touched(topology, set, DOMAIN_CORE);
    return cpu_set_count(&cores);
}

/* The least first-level cache of the set, shared by the threads that a core gets. */
static int64_t first_share(const struct topology *topology, const struct rank_place *place) {
    const int cores = cores_of(topology, &place->mask);
    const int threads_a_core = cores > 0 ? (place->threads + cores - 1) / cores : 1;
    int64_t least = 0;
    for (int i = 0; i < topology->pus; i++) {
        const struct pu *pu = &topology->pu[i];
        if (cpu_set_has(&place->mask, pu->cpu) && (least == 0 || pu->first_bytes < least))
            least = pu->first_bytes;
    }
    return threads_a_core > 1 ? least / threads_a_core : least;
}

/* Ranks that may use a last-level cache. */
static int users_of(const struct topology *topology, int cache, const struct rank_place *places,
                    int ranks) {
    int users = 0;
    for (int rank = 0; rank < ranks; rank++) {
        bool uses = false;
        for (int i = 0; i < topology->pus; i++)
            uses = uses || (topology->pu[i].last_cache == cache &&
                            cpu_set_has(&places[rank].mask, topology->pu[i].cpu));
        users += uses;
    }
    return users;
}

static int64_t last_share(const struct topology *topology, const struct rank_place *places,
                          int ranks, int rank) {
    int64_t share = 0;
    int counted = -1; /* PUs of one cache stand together */
    for (int i = 0; i < topology->pus; i++) {
        const struct pu *pu = &topology->pu[i];
        if (pu->last_cache == counted || !cpu_set_has(&places[rank].mask, pu->cpu))
            continue;
        counted = pu->last_cache;
        share += pu->last_bytes / users_of(topology, counted, places, ranks);
    }
    const int64_t most = last_bytes_a_core * cores_of(topology, &places[rank].mask);
    return share < most ? share : most;
}

struct cache_share binding_caches(const struct topology *topology, const struct rank_place *places,
                                  int ranks, int rank) {
    if (!topology_readable(topology) || !topology_is_this_machine(topology))
        return (struct cache_share){0, 0};
    return (struct cache_share){first_share(topology, &places[rank]),
                                last_share(topology, places, ranks, rank)};
}
