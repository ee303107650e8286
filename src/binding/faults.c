/* The tests behind the diagnosis: counting which threads are confined to which PUs. */
#include "faults.h"

static int threads_of(const struct scene *scene, int rank) {
    return scene->places[rank].threads;
}

int faults_confined(const struct scene *scene, int rank, const struct cpu_set *set) {
    int count = 0;
    for (int i = 0; i < threads_of(scene, rank); i++)
        count += cpu_set_within(&scene->threads[rank][i].allowed, set);
    return count;
}

static int confined_on_node(const struct scene *scene, const struct cpu_set *set, int *ranks) {
    int threads = 0;
    *ranks = 0;
    for (int rank = 0; rank < scene->ranks; rank++) {
        const int here = faults_confined(scene, rank, set);
        threads += here;
        *ranks += here > 0;
    }
    return threads;
}

/* A test of one set of PUs of a rank. */
typedef bool set_test(const struct scene *scene, int rank, const struct cpu_set *set);

/* Applies a test to all that a rank uses, then to each different mask of its threads; `found`
 * becomes the first set that passes. */
static bool any_set(const struct scene *scene, int rank, set_test *test, struct cpu_set *found) {
    *found = scene_used(scene, rank);
    if (test(scene, rank, found))
        return true;
    for (int i = 0; i < threads_of(scene, rank); i++) {
        const struct cpu_set *allowed = &scene->threads[rank][i].allowed;
        if (cpu_set_equal(allowed, found))
            continue;
        *found = *allowed;
        if (test(scene, rank, found))
            return true;
    }
    return false;
}

static bool is_whole_node(const struct scene *scene, const struct cpu_set *set) {
    return cpu_set_within(&scene->node, set);
}

static bool has_too_many_threads(const struct scene *scene, int rank, const struct cpu_set *set) {
    const int pus = cpu_set_count(set);
    if (pus == 0 || (scene->oversubscribed && is_whole_node(scene, set)))
        return false;
    return faults_confined(scene, rank, set) > pus;
}

bool fault_threads_exceed_pus(const struct scene *scene, int rank, struct cpu_set *where) {
    return any_set(scene, rank, has_too_many_threads, where);
}

/* Threads that fall on `pus` PUs when the node's threads are spread as evenly as can be. */
static int fair_share(const struct scene *scene, int pus) {
    return (scene->total_threads * pus + scene->node_pus - 1) / scene->node_pus;
}

static bool is_crowded_by_ranks(const struct scene *scene, int rank, const struct cpu_set *set) {
    (void)rank;
    int ranks;
    const int threads = confined_on_node(scene, set, &ranks), pus = cpu_set_count(set);
    return pus > 0 && ranks > 1 && threads > pus && !is_whole_node(scene, set) &&
           threads > fair_share(scene, pus);
}

/* True if two ranks are bound to different sets with PUs in common. */
static bool cuts_into(const struct scene *scene, const struct cpu_set *a, const struct cpu_set *b) {
    return !is_whole_node(scene, a) && !is_whole_node(scene, b) && cpu_set_overlap(a, b) &&
           !cpu_set_equal(a, b);
}

static bool is_cut_into(const struct scene *scene, int rank, const struct cpu_set *set) {
    for (int other = 0; !scene->oversubscribed && other < scene->ranks; other++) {
        const struct cpu_set theirs = scene_used(scene, other);
        if (other != rank && cuts_into(scene, set, &theirs))
            return true;
    }
    return false;
}

bool fault_ranks_share_pus(const struct scene *scene, int rank, struct cpu_set *where) {
    if (any_set(scene, rank, is_crowded_by_ranks, where))
        return true;
    *where = scene_used(scene, rank);
    return is_cut_into(scene, rank, where);
}

static bool is_on_one_core(const struct scene *scene, int rank) {
    const struct cpu_set used = scene_used(scene, rank);
    return threads_of(scene, rank) > 1 && scene_domains(scene, &used, DOMAIN_CORE) == 1;
}

bool fault_threads_on_one_core(const struct scene *scene, int rank, struct cpu_set *where) {
    const bool exceeds = fault_threads_exceed_pus(scene, rank, where);
    *where = scene_used(scene, rank);
    return scene->idle_cores > 0 && is_on_one_core(scene, rank) && !exceeds;
}

int faults_threads_on_quota(const struct scene *scene, int rank, int *ranks) {
    const uint64_t group = scene->places[rank].quota_group;
    int threads = 0;
    *ranks = 0;
    for (int other = 0; other < scene->ranks; other++)
        if (other == rank || (group != 0 && scene->places[other].quota_group == group)) {
            threads += threads_of(scene, other);
            *ranks += 1;
        }
    return threads;
}

bool fault_quota_below_threads(const struct scene *scene, int rank, struct cpu_set *where) {
    static const double rounding = 0.01;
    int ranks;
    const double quota = scene->places[rank].cpu_quota;
    *where = scene_used(scene, rank);
    return quota > 0 && faults_threads_on_quota(scene, rank, &ranks) > quota + rounding;
}

/* True if a thread of the rank may run in several domains of the kind. */
static bool wanders_across(const struct scene *scene, int rank, enum domain domain) {
    for (int i = 0; i < threads_of(scene, rank); i++)
        if (scene_domains(scene, &scene->threads[rank][i].allowed, domain) > 1)
            return true;
    return false;
}

static bool wanders_everywhere(const struct scene *scene, int rank) {
    for (int i = 0; i < threads_of(scene, rank); i++)
        if (is_whole_node(scene, &scene->threads[rank][i].allowed))
            return scene->node_pus > 1;
    return false;
}

static bool fits(const struct scene *scene, int rank, enum domain domain) {
    return threads_of(scene, rank) <= scene_largest_domain(scene, domain);
}

bool fault_unbound(const struct scene *scene, int rank, struct cpu_set *where) {
    const int threads = threads_of(scene, rank);
    *where = scene_used(scene, rank);
    const bool roomy = threads > 1 && threads < cpu_set_count(where);
    if (scene->oversubscribed)
        return false;
    if (wanders_everywhere(scene, rank))
        return scene->ranks > 1 || roomy;
    return scene->trusted && roomy && wanders_across(scene, rank, DOMAIN_NUMA) &&
           !fits(scene, rank, DOMAIN_NUMA);
}

static bool spans(const struct scene *scene, int rank, enum domain domain, struct cpu_set *where) {
    const bool meant =
        scene->ranks == 1 && (threads_of(scene, rank) == 1 || !wanders_across(scene, rank, domain));
    const bool exceeds = fault_threads_exceed_pus(scene, rank, where);
    *where = scene_used(scene, rank);
    return scene->trusted && !meant && !exceeds && !wanders_everywhere(scene, rank) &&
           scene_domains(scene, where, domain) > 1 && fits(scene, rank, domain);
}

bool fault_spans_packages(const struct scene *scene, int rank, struct cpu_set *where) {
    return spans(scene, rank, DOMAIN_PACKAGE, where);
}

bool fault_spans_numa(const struct scene *scene, int rank, struct cpu_set *where) {
    return !fault_spans_packages(scene, rank, where) && spans(scene, rank, DOMAIN_NUMA, where);
}

/* All PUs of the cores that `set` touches. */
static struct cpu_set whole_cores(const struct scene *scene, const struct cpu_set *set) {
    const struct topology *topology = scene->topology;
    const struct cpu_set cores = topology_touched(topology, set, DOMAIN_CORE);
    struct cpu_set whole = {.word = {0}};
    for (int i = 0; i < topology->pus; i++)
        if (cpu_set_has(&cores, topology->pu[i].core))
            cpu_set_add(&whole, topology->pu[i].cpu);
    return whole;
}

int faults_confined_to_cores(const struct scene *scene, const struct cpu_set *set, int *ranks) {
    const struct cpu_set whole = whole_cores(scene, set);
    return confined_on_node(scene, &whole, ranks);
}

static bool crowds_its_cores(const struct scene *scene, int rank, const struct cpu_set *set) {
    (void)rank;
    int ranks;
    return faults_confined_to_cores(scene, set, &ranks) > scene_domains(scene, set, DOMAIN_CORE);
}

bool fault_smt_while_cores_idle(const struct scene *scene, int rank, struct cpu_set *where) {
    return scene->idle_cores > 0 && !is_on_one_core(scene, rank) &&
           !fault_threads_exceed_pus(scene, rank, where) &&
           !fault_ranks_share_pus(scene, rank, where) &&
           any_set(scene, rank, crowds_its_cores, where);
}
