/* Inside the binding room: what the rules of the diagnosis look at. */
#ifndef FUNNEL_BINDING_SCENE_H
#define FUNNEL_BINDING_SCENE_H

#include "topology.h"

/* The ranks of one node with the sums that several rules need. */
struct scene {
    const struct topology *topology;
    const struct rank_place *places;
    struct thread_place *const *threads; /* threads[i]: those of places[i] */
    int ranks;
    const char *launcher;
    bool trusted;        /* the topology is known and of this machine */
    struct cpu_set node; /* PUs that the job may use here */
    int node_pus;        /* PUs of `node` */
    int node_cores;      /* cores of `node`; its PUs where cores are not known */
    int idle_cores;      /* cores of `node` on which no thread may run; 0 if not known */
    int total_threads;   /* of all ranks */
    int most_threads;    /* of one rank */
    bool oversubscribed; /* several ranks with more threads together than `node` has PUs */
};

struct scene scene_make(const struct topology *topology, const struct rank_place *places,
                        struct thread_place *const *threads, int ranks, const char *launcher);

/* Where the threads of a rank may run: the union of their masks. */
struct cpu_set scene_used(const struct scene *scene, int rank);

/* Number of packages, NUMA nodes or cores of `set` within the node. */
int scene_domains(const struct scene *scene, const struct cpu_set *set, enum domain domain);

/* Cores that the job may use in domain number `index`. */
int scene_domain_cores(const struct scene *scene, enum domain domain, int index);

/* The most cores that any one domain of the node has; 0 if domains are not known. */
int scene_largest_domain(const struct scene *scene, enum domain domain);

#endif
