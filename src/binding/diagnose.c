/* The faults of a node's ranks in words: evidence, cost, remedy. A table, the most costly first;
 * each row speaks for all ranks at once. */
#include "faults.h"
#include "line.h"
#include "remedy.h"

/* The first rank with a fault, and where. */
struct finding {
    int rank;             /* its index in the scene */
    struct cpu_set where; /* the PUs concerned */
};

static const char *plural(int count) {
    return count == 1 ? "" : "s";
}

/* Looks for a fault in all ranks and notes whom it concerns; false if nobody. */
static bool find(const struct scene *scene, fault_test *fault, struct finding *finding,
                 struct binding_problem *problem) {
    finding->rank = 0;
    for (int rank = scene->ranks - 1; rank >= 0; rank--) {
        struct cpu_set where;
        if (!fault(scene, rank, &where))
            continue;
        *finding = (struct finding){.rank = rank, .where = where};
        problem->rank = scene->places[rank].rank;
        problem->ranks++;
    }
    return problem->ranks > 0;
}

static int threads_of(const struct scene *scene, const struct finding *finding) {
    return scene->places[finding->rank].threads;
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

static void add_idle_cores(const struct scene *scene, char *text) {
    line_add(text, BINDING_TEXT_BYTES, ", while %d core%s idle", scene->idle_cores,
             scene->idle_cores == 1 ? " is" : "s are");
}

static bool threads_exceed_pus(const struct scene *scene, struct binding_problem *problem) {
    struct finding finding;
    if (!find(scene, fault_threads_exceed_pus, &finding, problem))
        return false;
    const int threads = faults_confined(scene, finding.rank, &finding.where);
    const int pus = cpu_set_count(&finding.where);
    const double per_pu = (double)threads / pus;
    line_add(problem->evidence, BINDING_TEXT_BYTES, "rank %d: %d threads, %d PU%s: ", problem->rank,
             threads, pus, plural(pus));
    add_place(scene, &finding.where, problem->evidence);
    line_add(problem->evidence, BINDING_TEXT_BYTES, ", threads per PU = %.3g", per_pu);
    add_others(problem);
    line_add(problem->cost, BINDING_TEXT_BYTES,
             "threads take turns: a sweep takes about %.3g times as long as on %d PUs%s", per_pu,
             threads,
             scene->places[finding.rank].never_sleeps
                 ? ", longer still as OMP_WAIT_POLICY=active lets those spin that wait"
                 : "");
    remedy_bind(scene, problem->remedy, BINDING_TEXT_BYTES);
    return true;
}

/* Writes "0 and 1" or "0, 1 and 6 more": the rank and the others that may run in the set. */
static void add_sharers(const struct scene *scene, const struct finding *finding, char *text) {
    int sharers = 0, second = finding->rank;
    for (int other = 0; other < scene->ranks; other++) {
        const struct cpu_set used = scene_used(scene, other);
        if (other == finding->rank || cpu_set_within(&scene->node, &used) ||
            !cpu_set_overlap(&used, &finding->where))
            continue;
        second = sharers == 0 ? other : second;
        sharers++;
    }
    line_add(text, BINDING_TEXT_BYTES, sharers > 1 ? "%d, %d" : "%d and %d",
             scene->places[finding->rank].rank, scene->places[second].rank);
    if (sharers > 1)
        line_add(text, BINDING_TEXT_BYTES, " and %d more", sharers - 1);
}

static bool ranks_share_pus(const struct scene *scene, struct binding_problem *problem) {
    struct finding finding;
    if (!find(scene, fault_ranks_share_pus, &finding, problem))
        return false;
    char numbers[BINDING_TEXT_BYTES];
    line_add(problem->evidence, BINDING_TEXT_BYTES, "ranks ");
    add_sharers(scene, &finding, problem->evidence);
    line_add(problem->evidence, BINDING_TEXT_BYTES,
             " share PU P%s: ", cpu_set_text(&finding.where, numbers, sizeof numbers));
    add_place(scene, &finding.where, problem->evidence);
    line_add(problem->cost, BINDING_TEXT_BYTES,
             "each waits while another runs: a message takes milliseconds, not microseconds");
    remedy_bind(scene, problem->remedy, BINDING_TEXT_BYTES);
    return true;
}

static bool threads_on_one_core(const struct scene *scene, struct binding_problem *problem) {
    struct finding finding;
    if (!find(scene, fault_threads_on_one_core, &finding, problem))
        return false;
    line_add(problem->evidence, BINDING_TEXT_BYTES, "rank %d: %d threads on one core, ",
             problem->rank, threads_of(scene, &finding));
    add_place(scene, &finding.where, problem->evidence);
    add_idle_cores(scene, problem->evidence);
    add_others(problem);
    line_add(problem->cost, BINDING_TEXT_BYTES,
             "siblings share one core's arithmetic and caches: little faster than one thread");
    remedy_bind(scene, problem->remedy, BINDING_TEXT_BYTES);
    return true;
}

static bool quota_below_threads(const struct scene *scene, struct binding_problem *problem) {
    struct finding finding;
    if (!find(scene, fault_quota_below_threads, &finding, problem))
        return false;
    int ranks;
    const double quota = scene->places[finding.rank].cpu_quota;
    const int threads = faults_threads_on_quota(scene, finding.rank, &ranks);
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

static void concern_all(const struct scene *scene, struct binding_problem *problem) {
    problem->rank = scene->places[0].rank;
    problem->ranks = scene->ranks;
}

/* Several ranks with more threads together than the job has PUs here. One rank alone is a case of
 * more threads than PUs. */
static bool node_oversubscribed(const struct scene *scene, struct binding_problem *problem) {
    if (!scene->oversubscribed)
        return false;
    concern_all(scene, problem);
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

static bool unbound(const struct scene *scene, struct binding_problem *problem) {
    struct finding finding;
    if (!find(scene, fault_unbound, &finding, problem))
        return false;
    const int threads = threads_of(scene, &finding);
    line_add(problem->evidence, BINDING_TEXT_BYTES, "rank %d: %d thread%s may run on any of %d PUs",
             problem->rank, threads, plural(threads), cpu_set_count(&finding.where));
    add_others(problem);
    line_add(problem->cost, BINDING_TEXT_BYTES, "a thread that moves leaves its caches behind%s",
             scene->trusted && scene_domains(scene, &finding.where, DOMAIN_NUMA) > 1
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

static bool describe_span(const struct scene *scene, fault_test *fault, enum domain domain,
                          struct binding_problem *problem) {
    struct finding finding;
    if (!find(scene, fault, &finding, problem))
        return false;
    const int threads = threads_of(scene, &finding);
    const char *noun = domain == DOMAIN_PACKAGE ? "package" : "NUMA node";
    line_add(problem->evidence, BINDING_TEXT_BYTES,
             "rank %d: %d thread%s across %d %ss: ", problem->rank, threads, plural(threads),
             scene_domains(scene, &finding.where, domain), noun);
    add_place(scene, &finding.where, problem->evidence);
    add_others(problem);
    line_add(problem->cost, BINDING_TEXT_BYTES,
             "memory of the other %s is farther and slower, and so is each barrier", noun);
    mend_span(scene, domain, problem->remedy);
    return true;
}

static bool spans_packages(const struct scene *scene, struct binding_problem *problem) {
    return describe_span(scene, fault_spans_packages, DOMAIN_PACKAGE, problem);
}

static bool spans_numa(const struct scene *scene, struct binding_problem *problem) {
    return describe_span(scene, fault_spans_numa, DOMAIN_NUMA, problem);
}

static bool smt_while_cores_idle(const struct scene *scene, struct binding_problem *problem) {
    struct finding finding;
    if (!find(scene, fault_smt_while_cores_idle, &finding, problem))
        return false;
    int ranks;
    const int threads = faults_confined_to_cores(scene, &finding.where, &ranks);
    line_add(problem->evidence, BINDING_TEXT_BYTES, "rank %d: %d threads of %s on the siblings of ",
             problem->rank, threads, ranks > 1 ? "this and other ranks" : "this rank");
    add_place(scene, &finding.where, problem->evidence);
    add_idle_cores(scene, problem->evidence);
    add_others(problem);
    line_add(problem->cost, BINDING_TEXT_BYTES,
             "two threads of a core share its arithmetic and caches; a core each is faster");
    remedy_bind(scene, problem->remedy, BINDING_TEXT_BYTES);
    return true;
}

/* hwloc could not load: only masks are known. */
static bool topology_unreadable(const struct scene *scene, struct binding_problem *problem) {
    if (topology_readable(scene->topology))
        return false;
    concern_all(scene, problem);
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
    concern_all(scene, problem);
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
    [BINDING_SPANS_PACKAGES] = {"spans-packages", spans_packages},
    [BINDING_SPANS_NUMA] = {"spans-numa", spans_numa},
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
