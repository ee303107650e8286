/* Time of a sweep on many ranks, predicted: compute + exchange + reduction. Pure arithmetic.
 * Room: model.
 *
 *   T_sweep = compute + overhead + norm/n + exchange/d + reduction/n
 *
 * for halos of depth d and a check every n sweeps. What counts is the rank with most points and
 * most neighbours, since the others wait for it. Messages cost T(m) = alpha + m*beta each; an inner
 * rank's messages are counted in two ways: neighbours at once (each stage of an exchange lasts as
 * long as its longest message) and one after the other (the sum). A halo of several rows is one
 * message by a vector type, which on a node costs more than one piece. A reduction takes log2(p)
 * steps (R. Thakur, R. Rabenseifner and W. Gropp, "Optimization of collective communication
 * operations in MPICH", International Journal of High Performance Computing Applications 19(1),
 * 2005). */
#ifndef FUNNEL_PREDICTION_H
#define FUNNEL_PREDICTION_H

#include "funnel/alpha_beta.h"
#include "funnel/process_grid.h"
#include "funnel/roofline.h"

enum {
    MACHINE_KERNELS_MAX = 16,
    MACHINE_NAME_BYTES = 64,
    PREDICTION_RANKS_MAX = 1 << 20,
    PREDICTION_DEPTH_MAX = 64
};

/* What one node can do, and the network. A message model with count 0 is unknown; messages of
 * several rows then cost what others do. */
struct machine {
    char name[MACHINE_NAME_BYTES];
    int cores;                               /* of a node */
    struct core_values copy, sweep_overhead; /* bytes/s by cores; seconds a sweep by threads */
    int kernel_count;
    struct kernel_rates kernels[MACHINE_KERNELS_MAX];
    struct alpha_beta on_node, between_nodes, window; /* window: copies out of shared memory */
    struct alpha_beta rows_on_node;                   /* on_node for several rows of a field */
};

enum message_order {
    MESSAGES_X_THEN_Y, /* two stages: the y messages take the fresh x halo along */
    MESSAGES_AT_ONCE   /* one stage, corners by messages of their own */
};

enum message_count { NEIGHBOURS_AT_ONCE, ONE_AFTER_OTHER, MESSAGE_COUNTS };

/* A run to be predicted. */
struct run_case {
    const struct grid *grid;
    struct process_grid_wish wish;
    int ranks, threads;
    int depth;              /* reduced to the narrowest part, as the solver does */
    int kernel;             /* of the machine; -1: the fastest one */
    int arrays;             /* that a point lives in: iterates, and a varying source */
    double bytes_per_point; /* of one sweep, between caches and memory */
    enum message_order order;
    bool overlaps;      /* exchange beside the sweep, if there is a second thread */
    bool uses_window;   /* copies inside a node */
    double check_every; /* sweeps between two norms, infinite for none */
};

struct prediction {
    struct process_grid process_grid;
    int nodes, depth, kernel;
    int64_t message_bytes;                             /* of the longest message */
    double compute_s, overhead_s, norm_s, reduction_s; /* a sweep */
    double exchange_s[MESSAGE_COUNTS];                 /* a sweep; what overlap leaves to be seen */
    double sweep_s[MESSAGE_COUNTS], comm_s[MESSAGE_COUNTS]; /* T_sweep, T_comm in it */
};

/* Predicts a run. Fails (EXIT_CODE_USAGE) if the ranks cannot share the grid, the threads of a rank
 * exceed a node, or the network that is needed is unknown. */
bool prediction_make(struct prediction *prediction, const struct machine *machine,
                     const struct run_case *run, struct status *status);

/* The halo depth (a power of two up to PREDICTION_DEPTH_MAX) with the least T_sweep; fills
 * `prediction` with it. Fails as prediction_make does. */
bool prediction_best_depth(struct prediction *prediction, const struct machine *machine,
                           const struct run_case *run, enum message_count count,
                           struct status *status);

/* The better of strips along y and along x: T_sweep, infinite if neither is possible. */
double prediction_strips_s(const struct machine *machine, const struct run_case *run,
                           enum message_count count);
/* T_sweep with the best process grid that has more than one rank both ways, or infinite. */
double prediction_blocks_s(const struct machine *machine, const struct run_case *run,
                           enum message_count count);

/* The least power of two of ranks, up to PREDICTION_RANKS_MAX, at which blocks beat strips; 0 if
 * they never do. */
int prediction_crossover(const struct machine *machine, const struct run_case *run,
                         enum message_count count);

/* The share of communication in T_sweep. */
double prediction_tcomm_fraction(const struct prediction *prediction, enum message_count count);

/* Nodes that `ranks` of `threads` threads fill. */
int machine_nodes(const struct machine *machine, int ranks, int threads);

#endif
