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

/* A cache above a PU, of the level that is looked at. */
struct cache {
    int number;
    int64_t bytes;
};
typedef struct cache cache_above(const struct pu *pu);

static struct cache second_above(const struct pu *pu) {
    return (struct cache){pu->second_cache, pu->second_bytes};
}

static struct cache last_above(const struct pu *pu) {
    return (struct cache){pu->last_cache, pu->last_bytes};
}

/* Ranks that may use a cache. */
static int users_of(const struct topology *topology, cache_above *above, int number,
                    const struct rank_place *places, int ranks) {
    int users = 0;
    for (int rank = 0; rank < ranks; rank++) {
        bool uses = false;
        for (int i = 0; i < topology->pus; i++)
            uses = uses || (above(&topology->pu[i]).number == number &&
                            cpu_set_has(&places[rank].mask, topology->pu[i].cpu));
        users += uses;
    }
    return users;
}

static int64_t share_of(const struct topology *topology, cache_above *above,
                        const struct rank_place *places, int ranks, int rank) {
    int64_t share = 0;
    int counted = -1; /* PUs of one cache stand together */
    for (int i = 0; i < topology->pus; i++) {
        const struct cache cache = above(&topology->pu[i]);
        if (cache.number == counted || !cpu_set_has(&places[rank].mask, topology->pu[i].cpu))
            continue;
        counted = cache.number;
        share += cache.bytes / users_of(topology, above, counted, places, ranks);
    }
    return share;
}

struct cache_share binding_caches(const struct topology *topology, const struct rank_place *places,
                                  int ranks, int rank) {
    if (!topology_readable(topology) || !topology_is_this_machine(topology))
        return (struct cache_share){0, 0, 0};
    const int64_t most = last_bytes_a_core * cores_of(topology, &places[rank].mask);
    const int64_t last = share_of(topology, last_above, places, ranks, rank);
    return (struct cache_share){
        .first_level = first_share(topology, &places[rank]),
        .second_level = share_of(topology, second_above, places, ranks, rank),
        .last_level = last < most ? last : most,
    };
}
