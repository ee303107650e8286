/* The rules: one function each, in a table, the most costly first. A rule looks at one node and
 * speaks for all its ranks at once. What a better command cannot mend, or what the user plainly
 * meant, is no problem: the comment above each rule says where that line runs. */
#include "line.h"
#include "remedy.h"

/* What a rule found, for writing it down. */
struct finding {
    int rank;  /* index of the first rank, -1: none */
    int ranks; /* how many */
};

static int threads_of(const struct scene *scene, int rank) {
    return scene->places[rank].threads;
}

static const char *plural(int count) {
    return count == 1 ? "" : "s";
}

/* Threads of a rank that may run nowhere but in `set`. */
static int confined(const struct scene *scene, int rank, const struct cpu_set *set) {
    int count = 0;
    for (int i = 0; i < threads_of(scene, rank); i++)
        count += cpu_set_within(&scene->threads[rank][i].allowed, set);
    return count;
}

/* Threads, and ranks they belong to, that may run nowhere but in `set`. */
static int confined_on_node(const struct scene *scene, const struct cpu_set *set, int *ranks) {
    int threads = 0;
    *ranks = 0;
    for (int rank = 0; rank < scene->ranks; rank++) {
        const int here = confined(scene, rank, set);
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
    return confined(scene, rank, set) > pus;
}

static bool exceeds(const struct scene *scene, int rank) {
    struct cpu_set set;
    return any_set(scene, rank, has_too_many_threads, &set);
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

static bool shares_pus(const struct scene *scene, int rank, struct cpu_set *shared) {
    if (any_set(scene, rank, is_crowded_by_ranks, shared))
        return true;
    *shared = scene_used(scene, rank);
    return is_cut_into(scene, rank, shared);
}

static bool is_on_one_core(const struct scene *scene, int rank) {
    const struct cpu_set used = scene_used(scene, rank);
    return threads_of(scene, rank) > 1 && scene_domains(scene, &used, DOMAIN_CORE) == 1;
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

static bool is_unbound(const struct scene *scene, int rank) {
    const struct cpu_set used = scene_used(scene, rank);
    const int threads = threads_of(scene, rank);
    const bool roomy = threads > 1 && threads < cpu_set_count(&used);
    if (scene->oversubscribed)
        return false;
    if (wanders_everywhere(scene, rank))
        return scene->ranks > 1 || roomy;
    return scene->trusted && roomy && wanders_across(scene, rank, DOMAIN_NUMA) &&
           !fits(scene, rank, DOMAIN_NUMA);
}

/* A lone rank whose threads each stay in their domain uses several on purpose. */
static bool spans(const struct scene *scene, int rank, enum domain domain) {
    const struct cpu_set used = scene_used(scene, rank);
    const bool meant =
        scene->ranks == 1 && (threads_of(scene, rank) == 1 || !wanders_across(scene, rank, domain));
    return scene->trusted && !meant && !wanders_everywhere(scene, rank) &&
           scene_domains(scene, &used, domain) > 1 && fits(scene, rank, domain) &&
           !exceeds(scene, rank);
}

static bool spans_packages(const struct scene *scene, int rank) {
    return spans(scene, rank, DOMAIN_PACKAGE);
}

static bool spans_numa(const struct scene *scene, int rank) {
    return spans(scene, rank, DOMAIN_NUMA) && !spans_packages(scene, rank);
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

static bool crowds_its_cores(const struct scene *scene, int rank, const struct cpu_set *set) {
    (void)rank;
    int ranks;
    const struct cpu_set whole = whole_cores(scene, set);
    return confined_on_node(scene, &whole, &ranks) > scene_domains(scene, set, DOMAIN_CORE);
}

static bool uses_siblings(const struct scene *scene, int rank) {
    struct cpu_set set;
    return scene->idle_cores > 0 && !exceeds(scene, rank) && !shares_pus(scene, rank, &set) &&
           !is_on_one_core(scene, rank) && any_set(scene, rank, crowds_its_cores, &set);
}

static bool huddles(const struct scene *scene, int rank) {
    return scene->idle_cores > 0 && is_on_one_core(scene, rank) && !exceeds(scene, rank);
}

static bool shares_some(const struct scene *scene, int rank) {
    struct cpu_set shared;
    return scene->ranks > 1 && shares_pus(scene, rank, &shared);
}

/* Threads and ranks that live on the quota of a rank: those of its cgroup. */
static int threads_on_quota(const struct scene *scene, int rank, int *ranks) {
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

static bool is_throttled(const struct scene *scene, int rank) {
    static const double rounding = 0.01;
    int ranks;
    const double quota = scene->places[rank].cpu_quota;
    return quota > 0 && threads_on_quota(scene, rank, &ranks) > quota + rounding;
}

static struct finding find(const struct scene *scene,
                           bool (*has)(const struct scene *scene, int rank)) {
    struct finding finding = {.rank = -1, .ranks = 0};
    for (int rank = 0; rank < scene->ranks; rank++)
        if (has(scene, rank)) {
            finding.rank = finding.rank < 0 ? rank : finding.rank;
            finding.ranks++;
        }
    return finding;
}

/* Notes whom a problem concerns; false if nobody. */
static bool concerns(const struct scene *scene, const struct finding *finding,
                     struct binding_problem *problem) {
    if (finding->ranks == 0)
        return false;
    problem->rank = scene->places[finding->rank].rank;
    problem->ranks = finding->ranks;
    return true;
}

static void add_others(struct binding_problem *problem) {
    if (problem->ranks > 1)
        line_add(problem->evidence, BINDING_TEXT_BYTES, " (and %d more rank%s of the node)",
                 problem->ranks - 1, plural(problem->ranks - 1));
}

static void add_place(const struct scene *scene, const struct cpu_set *set, char *text) {
    char place[BINDING_TEXT_BYTES];
    line_add(text, BINDING_TEXT_BYTES, "%s",
             binding_describe(scene->topology, set, place, sizeof place));
}

/* More threads are confined to a set of PUs, the rank's or any thread's, than it has PUs. Silent
 * where the set is the whole node and several ranks overfill it: another rule says that. */
static bool threads_exceed_pus(const struct scene *scene, struct binding_problem *problem) {
    const struct finding finding = find(scene, exceeds);
    if (!concerns(scene, &finding, problem))
        return false;
    struct cpu_set set;
    any_set(scene, finding.rank, has_too_many_threads, &set);
    const int threads = confined(scene, finding.rank, &set), pus = cpu_set_count(&set);
    const double per_pu = (double)threads / pus;
    line_add(problem->evidence, BINDING_TEXT_BYTES, "rank %d: %d threads, %d PU%s: ", problem->rank,
             threads, pus, plural(pus));
    add_place(scene, &set, problem->evidence);
    line_add(problem->evidence, BINDING_TEXT_BYTES, ", threads per PU = %.3g", per_pu);
    add_others(problem);
    line_add(problem->cost, BINDING_TEXT_BYTES,
             "threads take turns: a sweep takes about %.3g times as long as on %d PUs", per_pu,
             threads);
    remedy_bind(scene, problem->remedy, BINDING_TEXT_BYTES);
    return true;
}

/* Writes "0 and 1" or "0, 1 and 6 more": the other ranks that may run in `set`. */
static void add_sharers(const struct scene *scene, int rank, const struct cpu_set *set,
                        char *text) {
    int sharers = 0, second = rank;
    for (int other = 0; other < scene->ranks; other++) {
        const struct cpu_set used = scene_used(scene, other);
        if (other == rank || is_whole_node(scene, &used) || !cpu_set_overlap(&used, set))
            continue;
        second = sharers == 0 ? other : second;
        sharers++;
    }
    line_add(text, BINDING_TEXT_BYTES, sharers > 1 ? "%d, %d" : "%d and %d",
             scene->places[rank].rank, scene->places[second].rank);
    if (sharers > 1)
        line_add(text, BINDING_TEXT_BYTES, " and %d more", sharers - 1);
}

/* Threads of several ranks are confined to a set with fewer PUs; or two ranks are bound to
 * different sets that overlap. Silent for ranks that share one set with room for all (bound to a
 * socket), and where an overfull node shares as evenly as it can. */
static bool ranks_share_pus(const struct scene *scene, struct binding_problem *problem) {
    const struct finding finding = find(scene, shares_some);
    if (!concerns(scene, &finding, problem))
        return false;
    struct cpu_set shared;
    shares_pus(scene, finding.rank, &shared);
    char numbers[BINDING_TEXT_BYTES];
    line_add(problem->evidence, BINDING_TEXT_BYTES, "ranks ");
    add_sharers(scene, finding.rank, &shared, problem->evidence);
    line_add(problem->evidence, BINDING_TEXT_BYTES,
             " share PU P%s: ", cpu_set_text(&shared, numbers, sizeof numbers));
    add_place(scene, &shared, problem->evidence);
    line_add(problem->cost, BINDING_TEXT_BYTES,
             "each waits while another runs: a message takes milliseconds, not microseconds");
    remedy_bind(scene, problem->remedy, BINDING_TEXT_BYTES);
    return true;
}

/* All threads of a rank are confined to the siblings of one core while the job has cores that no
 * thread may use. Silent if every core is in use: then siblings are used on purpose. */
static bool threads_on_one_core(const struct scene *scene, struct binding_problem *problem) {
    const struct finding finding = find(scene, huddles);
    if (!concerns(scene, &finding, problem))
        return false;
    const struct cpu_set used = scene_used(scene, finding.rank);
    line_add(problem->evidence, BINDING_TEXT_BYTES, "rank %d: %d threads on one core, ",
             problem->rank, threads_of(scene, finding.rank));
    add_place(scene, &used, problem->evidence);
    line_add(problem->evidence, BINDING_TEXT_BYTES, ", while %d core%s idle", scene->idle_cores,
             scene->idle_cores == 1 ? " is" : "s are");
    add_others(problem);
    line_add(problem->cost, BINDING_TEXT_BYTES,
             "siblings share one core's arithmetic and caches: little faster than one thread");
    remedy_bind(scene, problem->remedy, BINDING_TEXT_BYTES);
    return true;
}

/* The threads of all ranks in one cgroup exceed the CPUs that it grants. */
static bool quota_below_threads(const struct scene *scene, struct binding_problem *problem) {
    const struct finding finding = find(scene, is_throttled);
    if (!concerns(scene, &finding, problem))
        return false;
    int ranks;
    const double quota = scene->places[finding.rank].cpu_quota;
    const int threads = threads_on_quota(scene, finding.rank, &ranks);
    const int whole = quota < 1 ? 1 : (int)quota;
    line_add(problem->evidence, BINDING_TEXT_BYTES,
             "rank %d: a cgroup quota of %.3g CPUs for %d thread%s of %d rank%s", problem->rank,
             quota, threads, plural(threads), ranks, plural(ranks));
    line_add(problem->cost, BINDING_TEXT_BYTES,
             "all threads stand still for the rest of each period (often 100 ms) once it is used");
    line_add(problem->remedy, BINDING_TEXT_BYTES,
             "raise it (docker --cpus, systemd CPUQuota=, cpu.max), or: ");
    remedy_layout(scene, whole < ranks ? whole : scene->ranks, whole < ranks ? 1 : whole / ranks,
                  problem->remedy, BINDING_TEXT_BYTES);
    return true;
}

/* Several ranks with more threads together than the job has PUs here. One rank alone is a case of
 * more threads than PUs. */
static bool node_oversubscribed(const struct scene *scene, struct binding_problem *problem) {
    if (!scene->oversubscribed)
        return false;
    problem->rank = scene->places[0].rank;
    problem->ranks = scene->ranks;
    line_add(problem->evidence, BINDING_TEXT_BYTES,
             "%d ranks with %d threads together, and %d PU%s for them on %s", scene->ranks,
             scene->total_threads, scene->node_pus, plural(scene->node_pus), scene->places[0].host);
    line_add(problem->cost, BINDING_TEXT_BYTES,
             "threads take turns, and each wait may cost a time slice%s",
             scene->places[0].waits_actively && scene->most_threads > 1
                 ? "; OMP_WAIT_POLICY=passive lessens it"
                 : "");
    remedy_bind(scene, problem->remedy, BINDING_TEXT_BYTES);
    return true;
}

/* Threads may wander over the whole node, or across NUMA nodes because they do not fit in one.
 * Silent for a rank alone that has one thread or fills what it may use, and on an overfull node,
 * where binding is no cure. */
static bool unbound(const struct scene *scene, struct binding_problem *problem) {
    const struct finding finding = find(scene, is_unbound);
    if (!concerns(scene, &finding, problem))
        return false;
    const struct cpu_set used = scene_used(scene, finding.rank);
    const int threads = threads_of(scene, finding.rank);
    line_add(problem->evidence, BINDING_TEXT_BYTES, "rank %d: %d thread%s may run on any of %d PUs",
             problem->rank, threads, plural(threads), cpu_set_count(&used));
    add_others(problem);
    line_add(problem->cost, BINDING_TEXT_BYTES, "a thread that moves leaves its caches behind%s",
             scene->trusted && scene_domains(scene, &used, DOMAIN_NUMA) > 1
                 ? ", and its memory stays on the NUMA node of the first touch"
                 : ", and two may meet on one core while another idles");
    remedy_bind(scene, problem->remedy, BINDING_TEXT_BYTES);
    return true;
}

/* The remedy of a rank that spans domains: the same layout without crossing, or one rank a domain.
 */
static void mend_span(const struct scene *scene, enum domain domain, char *remedy) {
    const struct cpu_set all = topology_touched(scene->topology, &scene->node, domain);
    const int cores = scene_largest_domain(scene, domain), domains = cpu_set_count(&all);
    const int fitting = cores / scene->most_threads * domains;
    if (fitting >= scene->ranks)
        remedy_bind(scene, remedy, BINDING_TEXT_BYTES);
    else
        remedy_layout(scene, domains, cores, remedy, BINDING_TEXT_BYTES);
}

static bool describe_span(const struct scene *scene, const struct finding *finding,
                          enum domain domain, struct binding_problem *problem) {
    if (!concerns(scene, finding, problem))
        return false;
    const struct cpu_set used = scene_used(scene, finding->rank);
    const int threads = threads_of(scene, finding->rank);
    line_add(problem->evidence, BINDING_TEXT_BYTES,
             "rank %d: %d thread%s across %d %s: ", problem->rank, threads, plural(threads),
             scene_domains(scene, &used, domain),
             domain == DOMAIN_PACKAGE ? "packages" : "NUMA nodes");
    add_place(scene, &used, problem->evidence);
    add_others(problem);
    line_add(problem->cost, BINDING_TEXT_BYTES,
             "memory of the other %s is farther and slower, and so is each barrier",
             domain == DOMAIN_PACKAGE ? "package" : "NUMA node");
    mend_span(scene, domain, problem->remedy);
    return true;
}

/* A bound rank lies in several packages though its threads fit in one. Silent for a lone rank with
 * one thread, or with threads that each stay in a package (both memories on purpose). */
static bool rank_spans_packages(const struct scene *scene, struct binding_problem *problem) {
    const struct finding finding = find(scene, spans_packages);
    return describe_span(scene, &finding, DOMAIN_PACKAGE, problem);
}

/* The same for NUMA nodes, where packages are not crossed already. */
static bool rank_spans_numa(const struct scene *scene, struct binding_problem *problem) {
    const struct finding finding = find(scene, spans_numa);
    return describe_span(scene, &finding, DOMAIN_NUMA, problem);
}

/* More threads are confined to some cores than there are cores, while the job has cores that no
 * thread may use. Silent if every core is in use, and for what the rules above have said. */
static bool smt_while_cores_idle(const struct scene *scene, struct binding_problem *problem) {
    const struct finding finding = find(scene, uses_siblings);
    if (!concerns(scene, &finding, problem))
        return false;
    struct cpu_set set;
    any_set(scene, finding.rank, crowds_its_cores, &set);
    const struct cpu_set whole = whole_cores(scene, &set);
    int ranks;
    const int threads = confined_on_node(scene, &whole, &ranks);
    line_add(problem->evidence, BINDING_TEXT_BYTES, "rank %d: %d threads of %s on ", problem->rank,
             threads, ranks > 1 ? "this and other ranks" : "this rank");
    add_place(scene, &set, problem->evidence);
    line_add(problem->evidence, BINDING_TEXT_BYTES, ", siblings, while %d core%s idle",
             scene->idle_cores, scene->idle_cores == 1 ? " is" : "s are");
    add_others(problem);
    line_add(problem->cost, BINDING_TEXT_BYTES,
             "two threads of a core share its arithmetic and caches; a core each is faster");
    remedy_bind(scene, problem->remedy, BINDING_TEXT_BYTES);
    return true;
}

static void every_rank(const struct scene *scene, struct binding_problem *problem) {
    problem->rank = scene->places[0].rank;
    problem->ranks = scene->ranks;
}

/* hwloc could not load: only masks are known. */
static bool topology_unreadable(const struct scene *scene, struct binding_problem *problem) {
    if (topology_readable(scene->topology))
        return false;
    every_rank(scene, problem);
    line_add(problem->evidence, BINDING_TEXT_BYTES,
             "hwloc could not read the topology of %s: masks are from sched_getaffinity alone",
             scene->places[0].host);
    line_add(problem->cost, BINDING_TEXT_BYTES,
             "cores, packages and NUMA nodes are not known, and faults among them not seen");
    line_add(problem->remedy, BINDING_TEXT_BYTES,
             "run lstopo there to see why; unset HWLOC_COMPONENTS");
    return true;
}

/* hwloc describes another machine: cores and packages in the report are not those here. */
static bool topology_foreign(const struct scene *scene, struct binding_problem *problem) {
    if (!topology_readable(scene->topology) || topology_is_this_machine(scene->topology))
        return false;
    every_rank(scene, problem);
    line_add(problem->evidence, BINDING_TEXT_BYTES,
             "the topology is not this machine: hwloc was told of another one on %s",
             scene->places[0].host);
    line_add(
        problem->cost, BINDING_TEXT_BYTES,
        "cores and packages in this report are not real; faults among them are not looked for");
    line_add(problem->remedy, BINDING_TEXT_BYTES, "unset HWLOC_SYNTHETIC HWLOC_XMLFILE");
    return true;
}

struct rule {
    const char *name;
    bool (*applies)(const struct scene *scene, struct binding_problem *problem);
};

static const struct rule rules[BINDING_PROBLEM_KINDS] = {
    [BINDING_THREADS_EXCEED_PUS] = {"threads-exceed-pus", threads_exceed_pus},
    [BINDING_RANKS_SHARE_PUS] = {"ranks-share-pus", ranks_share_pus},
    [BINDING_THREADS_ON_ONE_CORE] = {"threads-on-one-core", threads_on_one_core},
    [BINDING_QUOTA_BELOW_THREADS] = {"quota-below-threads", quota_below_threads},
    [BINDING_NODE_OVERSUBSCRIBED] = {"node-oversubscribed", node_oversubscribed},
    [BINDING_UNBOUND] = {"unbound", unbound},
    [BINDING_SPANS_PACKAGES] = {"spans-packages", rank_spans_packages},
    [BINDING_SPANS_NUMA] = {"spans-numa", rank_spans_numa},
    [BINDING_SMT_WHILE_CORES_IDLE] = {"smt-while-cores-idle", smt_while_cores_idle},
    [BINDING_TOPOLOGY_UNREADABLE] = {"topology-unreadable", topology_unreadable},
    [BINDING_TOPOLOGY_FOREIGN] = {"topology-foreign", topology_foreign},
};

const char *binding_problem_name(enum binding_problem_kind kind) {
    return rules[kind].name;
}

int binding_diagnose(const struct topology *topology, const struct rank_place *places,
                     struct thread_place *const *threads, int ranks, const char *launcher,
                     struct binding_problem *problems) {
    if (ranks < 1)
        return 0;
    const struct scene scene = scene_make(topology, places, threads, ranks, launcher);
    int found = 0;
    for (int kind = 0; kind < BINDING_PROBLEM_KINDS; kind++) {
        problems[found] = (struct binding_problem){.kind = (enum binding_problem_kind)kind};
        found += rules[kind].applies(&scene, &problems[found]);
    }
    return found;
}
