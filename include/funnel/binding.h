/* The places of ranks and threads, their faults, and the remedies to type. Room: binding (hwloc).
 *
 * Three steps: a probe inside every thread (what the kernel says), the topology of the node (loaded
 * once a node), and a diagnosis that is a pure function of (topology, masks, threads), so that it
 * can be tested on machines nobody has here. */
#ifndef FUNNEL_BINDING_H
#define FUNNEL_BINDING_H

#include "funnel/status.h"
#include <stdint.h>
#include <stdio.h>

enum { BINDING_CPUS = 4096, BINDING_WORDS = BINDING_CPUS / 64 };

/* A set of OS processor numbers (P#). */
struct cpu_set {
    uint64_t word[BINDING_WORDS];
};

/* One thread as seen from inside it. */
struct thread_place {
    int thread;             /* OpenMP number */
    int cpu;                /* P# it last ran on, -1 unknown */
    struct cpu_set allowed; /* its own affinity mask */
};

/* One rank: filled on the rank, gathered as plain bytes. */
struct rank_place {
    int rank, node, node_rank;
    int job_ranks; /* ranks of the whole job, for the remedies' -n; 0: those diagnosed together */
    char host[64];
    int threads;          /* threads that a parallel region really had */
    int threads_asked;    /* OMP_NUM_THREADS, 0 if unset */
    bool threads_bound;   /* OMP_PROC_BIND or the like is in force */
    bool waits_actively;  /* OMP_WAIT_POLICY is not passive */
    bool never_sleeps;    /* it is active: threads that wait spin, however many there are */
    int process_cpus;     /* omp_get_num_procs: counted before main's mask was narrowed */
    double cpu_quota;     /* CPUs that the cgroup grants, 0: no limit */
    uint64_t quota_group; /* ranks of a node with the same number share one quota */
    struct cpu_set mask;  /* union of the threads' masks and places: what the rank may use */
};

/* Refuses more threads than any node has (a slip in OMP_NUM_THREADS), with which an OpenMP library
 * ends the program without a word. Call before the first parallel region. EXIT_CODE_ENVIRONMENT. */
bool binding_threads_check(struct status *status);

/* Fills `place` (all but rank, node, node_rank, job_ranks) and `threads[0..capacity-1]` from inside
 * a parallel region; returns the number of threads, which may exceed the capacity (`threads` may be
 * NULL with capacity 0). With OMP_PROC_BIND the OpenMP library narrows main's own mask before main
 * starts, so that mask alone is never believed. Not a collective call; every rank does it for
 * itself. */
int binding_probe(struct rank_place *place, struct thread_place *threads, int capacity);

/* Makes parallel regions of this process one thread wide, whatever the environment says: for
 * programs whose main thread does everything. Call before the first of them. */
void binding_main_thread_only(void);

/* CPUs that the cgroups on the path of this process grant it, version 1 or 2, the least of them; 0
 * without a limit. `group` becomes the number of the cgroup that limits, 0 if none does. `root` is
 * "" on a real machine; tests pass a folder that imitates /proc and /sys. */
double binding_cpu_quota(const char *root, uint64_t *group);

/* Number of PUs of `set`. */
int cpu_set_count(const struct cpu_set *set);
/* Numbers outside 0..BINDING_CPUS-1 are ignored. */
void cpu_set_add(struct cpu_set *set, int cpu);
bool cpu_set_has(const struct cpu_set *set, int cpu);
/* Adds all of `more` to `set`. */
void cpu_set_join(struct cpu_set *set, const struct cpu_set *more);
bool cpu_set_equal(const struct cpu_set *a, const struct cpu_set *b);
/* True if `inner` has no PU that `outer` lacks. */
bool cpu_set_within(const struct cpu_set *inner, const struct cpu_set *outer);
bool cpu_set_overlap(const struct cpu_set *a, const struct cpu_set *b);
/* Writes "0-3,8,10-11", "none" for the empty set. Returns `text`. */
const char *cpu_set_text(const struct cpu_set *set, char *text, size_t size);

/* The node's topology, or the fact that none could be read. */
struct topology;

/* Loads the topology of this machine (environment variables of hwloc count). A topology that cannot
 * be read is one with topology_readable false; NULL only without memory. Call it once a node: hwloc
 * may need seconds, and longer when all ranks do it at once. The caller frees it. */
struct topology *topology_load(void);
/* The same from an XML file or a synthetic description, taken for the machine to be diagnosed; for
 * tests. NULL if it cannot be read. */
struct topology *topology_load_xml(const char *path);
struct topology *topology_load_synthetic(const char *description);
void topology_free(struct topology *topology);
bool topology_readable(const struct topology *topology);
/* False if hwloc describes another machine (HWLOC_SYNTHETIC, HWLOC_XMLFILE). */
bool topology_is_this_machine(const struct topology *topology);
/* Writes "2 packages, 2 NUMA nodes, 128 cores, 256 PUs". Returns `text`. */
const char *topology_text(const struct topology *topology, char *text, size_t size);
/* Problems, the most costly first. */
enum binding_problem_kind {
    BINDING_THREADS_EXCEED_PUS,
    BINDING_RANKS_SHARE_PUS,
    BINDING_THREADS_ON_ONE_CORE,
    BINDING_QUOTA_BELOW_THREADS,
    BINDING_NODE_OVERSUBSCRIBED,
    BINDING_UNBOUND,
    BINDING_SPANS_PACKAGES,
    BINDING_SPANS_NUMA,
    BINDING_SMT_WHILE_CORES_IDLE,
    BINDING_TOPOLOGY_UNREADABLE,
    BINDING_TOPOLOGY_FOREIGN,
    BINDING_PROBLEM_KINDS
};

enum { BINDING_TEXT_BYTES = 512 };

struct binding_problem {
    enum binding_problem_kind kind;
    int rank;                          /* the first rank that has it */
    int ranks;                         /* how many have it */
    char evidence[BINDING_TEXT_BYTES]; /* what was seen */
    char cost[BINDING_TEXT_BYTES];     /* what it costs */
    char remedy[BINDING_TEXT_BYTES];   /* the command, in the words of the launcher */
};

/* Short name of a kind for records: "threads-exceed-pus", ... */
const char *binding_problem_name(enum binding_problem_kind kind);

/* Diagnoses the ranks of one node. Pure: reads its arguments only. `threads[i]` are the
 * places[i].threads threads of rank i. `launcher` is "hydra", "srun", "openmpi" or "none".
 * `problems` has room for BINDING_PROBLEM_KINDS: at most one of each kind is found, for all the
 * ranks that have it. Returns their number. */
int binding_diagnose(const struct topology *topology, const struct rank_place *places,
                     struct thread_place *const *threads, int ranks, const char *launcher,
                     struct binding_problem *problems);

/* Writes "package 0 NUMA 0 core L4-7 (P4-7)" for a set: packages and cores by hwloc's logical
 * numbers, NUMA nodes (as numactl does) and PUs by the kernel's. Returns `text`. */
const char *binding_describe(const struct topology *topology, const struct cpu_set *set, char *text,
                             size_t size);

/* The short form: "package 0 core L4-7". Returns `text`. */
const char *binding_describe_short(const struct topology *topology, const struct cpu_set *set,
                                   char *text, size_t size);

/* Whether two sets of PUs of a node have something in common: one core, one cache. */
enum binding_common {
    BINDING_UNKNOWN, /* the topology does not say */
    BINDING_APART,   /* no part of one touches what the other is in */
    BINDING_PERHAPS, /* they touch the same one, but each or one of them may be elsewhere */
    BINDING_SAME     /* both lie within one */
};

struct binding_nearness {
    enum binding_common pu, core, cache /* the outermost */, numa, package;
};

/* How near two sets are. Pure. */
struct binding_nearness binding_nearness(const struct topology *topology, const struct cpu_set *a,
                                         const struct cpu_set *b);

/* Writes the picture of the node: a row a rank, a digit a PU, package and NUMA borders. */
void binding_picture(const struct topology *topology, const struct rank_place *places,
                     struct thread_place *const *threads, int ranks, FILE *out);

/* What a rank may count on of the caches, in bytes; 0 where unknown or where there is none. */
struct cache_share {
    int64_t first_level; /* for one thread */
    int64_t second_level,
        last_level; /* for the whole rank, while the others of the node use theirs */
};

/* The share of rank number `rank` of one node's ranks. Zeros for a topology that could not be read
 * or is another machine's. */
struct cache_share binding_caches(const struct topology *topology, const struct rank_place *places,
                                  int ranks, int rank);

/* "2.9.0 (headers 2.9.0)": hwloc's API at run time and at compile time. */
const char *binding_hwloc_versions(void);

#endif
