/* The solve: plan, loop, stopping, timing. Room: solver. Start reading at src/solver/solver.c. */
#ifndef FUNNEL_SOLVER_H
#define FUNNEL_SOLVER_H

#include "funnel/config.h"
#include "funnel/halo.h"
#include "funnel/relaxation.h"
#include "funnel/sweep.h"
#include "funnel/team.h"

enum stop_reason {
    STOP_CONVERGED,   /* residual at or below its target */
    STOP_SWEEPS_DONE, /* rtol = atol = 0: exactly max_sweeps, as asked */
    STOP_SWEEP_LIMIT, /* max_sweeps without convergence */
    STOP_TIME_LIMIT,
    STOP_STAGNATED,
    STOP_DIVERGED,
    STOP_SIGNAL,
    STOP_REASONS
};

/* "converged", "sweeps done", "sweep limit", ... */
const char *stop_reason_name(enum stop_reason reason);
enum exit_code stop_reason_exit(enum stop_reason reason);

/* Phases of the loop, each on the rank's own clock. */
enum phase {
    PHASE_SWEEP,
    PHASE_PACK,
    PHASE_TRANSFER, /* in the exchange's MPI calls; waiting for neighbours included unless split */
    PHASE_WAIT,     /* with timing.split only: until all ranks are about to exchange */
    PHASE_REDUCE,   /* norms' and votes' collectives */
    PHASE_OTHER,    /* what is left of the loop */
    PHASE_COUNT
};
extern const char *const phase_names[PHASE_COUNT];

/* A time over all ranks. */
struct spread {
    double min, mean, max;
    int min_rank, max_rank;
};

/* Everything decided before memory is taken; the same on all ranks but for `part`. */
struct solve_plan {
    struct grid grid;
    struct equation equation;
    struct stencil stencil;
    struct process_grid process_grid;
    struct sweep_part part;     /* this rank's; part.grid points to `grid` above */
    struct sweep_values values; /* texts point into the config */
    const struct kernel *kernel;
    const struct halo_variant *halo;
    const struct relaxation *method;
    struct sweep_memory memory;  /* of this rank */
    struct kernel_tile tile;     /* of this rank; zeros for a kernel without tiles */
    int threads;                 /* that sweep on this rank */
    int threads_there;           /* that it has */
    int halo_depth;              /* sweeps between two exchanges */
    int halo_depth_asked;        /* before it was reduced to the narrowest part */
    global_index narrowest_part; /* points across it, where parts have neighbours; 0: none has */
    const char *kernel_why, *depth_why; /* reasons of auto, NULL where it chose nothing */
    bool overlaps;                      /* sweeps beside the exchange; needs a second thread */
    bool fits_cache;                    /* the iterates of every part lie in the last-level cache */
    bool singular;
    bool split_wait;
    double spectral_radius;
    double rounding_floor;   /* relative residual that rounding lets the method reach */
    int64_t forecast_sweeps; /* from the tolerance alone; -1 never, 0 if no tolerance is set */
    int64_t check_every;
};

/* Plans a run: reads config, team facts, caches (the same on all ranks; zeros where unknown) and
 * the number of threads. Fails with EXIT_CODE_USAGE (sizes, layout, singular problem). Call on all
 * ranks, then team_agree. `config` must outlive the plan. */
bool solve_plan_make(struct solve_plan *plan, const struct config *config,
                     const struct team_facts *facts, const struct sweep_caches *caches,
                     struct status *status);

/* Fails (EXIT_CODE_ENVIRONMENT) if the ranks of a node together need more memory than the node or
 * their cgroup can give. COLLECTIVE. */
bool solve_memory_check(struct team *team, const struct solve_plan *plan, struct status *status);

/* What is known while the solve runs; rank 0's view. */
struct solve_progress {
    int64_t sweep;
    double residual_norm2; /* of the last check; NaN before the first */
    double rate_lups;      /* since the last call */
    double tcomm_fraction; /* of this rank, so far */
    double pace_s;         /* seconds a sweep since the last call */
};

struct solve_result {
    enum stop_reason reason;
    int64_t sweeps;
    double residual_norm2, residual_first_norm2, rhs_norm2, target_norm2;
    double compatibility; /* mean of b removed from a singular problem, else 0 */
    bool has_error;
    double error_max, error_norm2;
    uint64_t field_checksum;
    int64_t denormal_points; /* of the last field: values below 2.2e-308 that are not zero */
    double setup_s;          /* memory, start values, halo preparation; slowest rank */
    double first_block_s;    /* left out of total_s and of rates */
    int64_t first_block_sweeps;
    struct spread total_s, phase_s[PHASE_COUNT];
    struct spread hidden_s; /* of exchanges while other threads swept; in none of the phases */
    double tcomm_fraction;
    struct spread tcomm_fraction_of_rank;
    double imbalance;         /* max/mean - 1 of sweep time over ranks */
    struct spread thread_s;   /* sweep time over the threads of all ranks */
    double rate_lups;         /* useful points a second, first block left out; NaN if diverged */
    double bytes_per_point;   /* of the kernel on this problem */
    double copy_bytes_per_s;  /* of all ranks together, after the loop; NaN if not measured */
    double roofline_share;    /* rate over what that allows one sweep at a time; NaN likewise */
    int64_t redundant_points; /* of deep halos, all ranks together */
    int64_t messages, message_bytes; /* of all ranks together */
    int64_t checks, votes;
};

/* Callbacks of a solve, each may be NULL; called on rank 0 only, between phases. */
struct solve_watch {
    void *context;
    /* once before the loop; `result` holds norms and target so far, forecast is -1 for never */
    void (*start)(void *context, const struct solve_plan *plan, const struct solve_result *result,
                  int64_t forecast_sweeps);
    void (*progress)(void *context, const struct solve_progress *progress);
    void (*check)(void *context, int64_t sweep, double elapsed_s, double residual_norm2);
};

/* A solve with its field, alive until solve_free: outputs read it. */
struct solve;

/* Takes memory, fills it, prepares halos. COLLECTIVE. Owned by the caller; `plan` and `config`
 * must outlive it. NULL with status set (EXIT_CODE_ENVIRONMENT without memory), the same on all
 * ranks. */
struct solve *solve_make(struct team *team, const struct solve_plan *plan,
                         const struct config *config, struct status *status);
void solve_free(struct solve *solve);

/* Runs the loop to its end. COLLECTIVE. Results are the same on all ranks. Fails (EXIT_CODE_USAGE),
 * on all ranks alike and before the first sweep, if a singular problem has no solution. */
bool solve_run(struct solve *solve, const struct solve_watch *watch, struct solve_result *result,
               struct status *status);

/* The field after solve_run, sides refreshed and halo exchanged. */
const struct field *solve_field(const struct solve *solve);

/* Asks a running solve to stop after a sweep that all ranks will agree on: what a signal handler
 * calls (async-signal-safe). */
void solve_request_stop(int signal_number);

#endif
