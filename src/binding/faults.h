/* Inside the binding room: what can be wrong with one rank. What a better command cannot mend, or
 * what the user plainly meant, is no fault: each comment says where that line runs. */
#ifndef FUNNEL_BINDING_FAULTS_H
#define FUNNEL_BINDING_FAULTS_H

#include "scene.h"

/* Tells whether a rank (its index in the scene) has a fault; `where` becomes the PUs concerned, all
 * that the rank uses unless the fault names fewer. */
typedef bool fault_test(const struct scene *scene, int rank, struct cpu_set *where);

/* More threads are confined to a set of PUs, the rank's or any thread's, than it has PUs. Silent
 * where the set is the whole node and several ranks overfill it: that is a fault of the node. */
fault_test fault_threads_exceed_pus;

/* Threads of several ranks are confined to a set with fewer PUs; or two ranks are bound to
 * different sets that overlap. Silent for ranks that share one set with room for all (bound to a
 * socket), and where an overfull node shares as evenly as it can. */
fault_test fault_ranks_share_pus;

/* All threads of a rank are confined to the siblings of one core while the job has cores that no
 * thread may use. Silent if every core is in use: then siblings are used on purpose. */
fault_test fault_threads_on_one_core;

/* The threads of all ranks in one cgroup exceed the CPUs that it grants. */
fault_test fault_quota_below_threads;

/* Threads may wander over the whole node, or across NUMA nodes because they do not fit in one.
 * Silent for a rank alone that has one thread or fills what it may use, and on an overfull node,
 * where binding is no cure. */
fault_test fault_unbound;

/* A bound rank lies in several packages though its threads fit in one. Silent for a lone rank with
 * one thread, or with threads that each stay in a package (both memories on purpose). */
fault_test fault_spans_packages;

/* The same for NUMA nodes, where packages are not crossed already. */
fault_test fault_spans_numa;

/* More threads are confined to some cores than there are cores, while the job has cores that no
 * thread may use. Silent if every core is in use, and for what the faults above have said. */
fault_test fault_smt_while_cores_idle;

/* Threads of a rank that may run nowhere but in `set`. */
int faults_confined(const struct scene *scene, int rank, const struct cpu_set *set);

/* The same for all ranks, whose number becomes `ranks`, on the whole cores that `set` touches. */
int faults_confined_to_cores(const struct scene *scene, const struct cpu_set *set, int *ranks);

/* Threads, and ranks they belong to, that live on the quota of a rank: those of its cgroup. */
int faults_threads_on_quota(const struct scene *scene, int rank, int *ranks);

#endif
