/* Where ranks and threads run, what is wrong with it, and what to type. Room: binding (hwloc).
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
    char host[64];
    int threads;         /* threads that a parallel region really had */
    int threads_asked;   /* OMP_NUM_THREADS, 0 if unset */
    bool threads_bound;  /* OMP_PROC_BIND or the like is in force */
    bool waits_actively; /* OMP_WAIT_POLICY is not passive */
    int process_cpus;    /* omp_get_num_procs before main's mask was narrowed */
    double cpu_quota;    /* CPUs that the cgroup grants, 0: no limit */
    struct cpu_set mask; /* union of the threads' masks and places: what the rank may use */
};

/* Fills `place` and `threads[0..capacity-1]` from inside a parallel region; returns the number of
 * threads. Not a collective call; every rank does it for itself. */
int binding_probe(struct rank_place *place, struct thread_place *threads, int capacity);

/* Number of PUs of `set`. */
int cpu_set_count(const struct cpu_set *set);
void cpu_set_add(struct cpu_set *set, int cpu);
bool cpu_set_has(const struct cpu_set *set, int cpu);

/* The node's topology, or the fact that none could be read. */
struct topology;

/* Loads the topology of this machine (environment variables of hwloc count). Never fails: a
 * topology that cannot be read is one with topology_readable false. Once a node. */
struct topology *topology_load(void);
/* The same from an XML file or a synthetic description, for tests. NULL if it cannot be read. */
struct topology *topology_load_xml(const char *path);
struct topology *topology_load_synthetic(const char *description);
void topology_free(struct topology *topology);
bool topology_readable(const struct topology *topology);
bool topology_is_this_machine(const struct topology *topology);

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

enum { BINDING_TEXT_BYTES = 512, BINDING_PROBLEMS_MAX = 64 };

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
 * Returns the number of problems found, at most BINDING_PROBLEMS_MAX. */
int binding_diagnose(const struct topology *topology, const struct rank_place *places,
                     struct thread_place *const *threads, int ranks, const char *launcher,
                     struct binding_problem *problems);

/* Writes "package 0 NUMA 0 core L4-7 (P4-7)" for a set. Returns `text`. */
const char *binding_describe(const struct topology *topology, const struct cpu_set *set, char *text,
                             size_t size);

/* Writes the picture of the node: a row a rank, a digit a PU, package and NUMA borders. */
void binding_picture(const struct topology *topology, const struct rank_place *places,
                     struct thread_place *const *threads, int ranks, FILE *out);

/* "2.9.0 (headers 2.9.0)": hwloc at run time and at compile time. */
const char *binding_hwloc_versions(void);

#endif
