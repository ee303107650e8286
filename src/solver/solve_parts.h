/* What the files of the solver share: the solve itself and its helpers. Private to src/solver. */
#ifndef FUNNEL_SOLVE_PARTS_H
#define FUNNEL_SOLVE_PARTS_H

#include "funnel/solver.h"

/* Clocks of one rank, over the loop without its first block. */
struct loop_clock {
    double begin_s; /* when the loop, and after its first block the counted part, began */
    double end_s;
    double sweep_s, reduce_s; /* the halo keeps pack, transfer and wait itself */
    double *thread_begin_s;   /* what each thread had swept when the counted part began */
};

/* The non-blocking vote that carries signals, the time limit and the pace of the slowest rank. */
struct control {
    struct team_vote *vote;
    int64_t posted_at; /* sweep at which the open vote was posted */
    int64_t interval;  /* sweeps after which it is read, the same on all ranks */
    double posted_s;   /* on this rank's clock */
    double deadline_s; /* on this rank's clock; 0: none */
    int64_t votes;
};

/* What the residuals so far say. */
struct convergence {
    bool tolerance; /* false: run exactly max_sweeps */
    double target_norm2;
    double floor_norm2; /* where rounding is expected to hold the residual */
    double least_norm2;
    int checks_without_progress;
};

struct solve {
    struct team *team;
    const struct solve_plan *plan;
    const struct config *config;
    const struct solve_watch *watch; /* NULL but on rank 0 */
    struct halo_memory *memory;      /* of the iterates */
    struct sweeper *sweeper;
    struct halo *halo;
    struct loop_clock clock;
    struct control control;
    struct convergence convergence;
    int64_t redundant_points; /* of this rank */
    int64_t checked_at;       /* sweep of the last residual, -1 before the first */
    bool halo_fresh;          /* the halo holds the neighbours' values of the current iterate */
    double setup_s;
    double started_s; /* when the loop began, on this rank's clock */
};

/* choose.c: halo depth, and the kernel where plan->kernel is NULL; then the threads that sweep. */
void choose_blocks(struct solve_plan *plan, const struct config *config,
                   const struct sweep_caches *caches);
int choose_threads(const struct solve_plan *plan, const struct config *config, int available);

/* measure.c: quantities over the whole grid, the same bits on every rank. COLLECTIVE. */
double measure_sum(struct solve *solve, enum sweep_quantity quantity);
double measure_norm2(struct solve *solve, enum sweep_quantity quantity);
double measure_error_max(struct solve *solve);
uint64_t measure_checksum(struct solve *solve);

/* Fails (EXIT_CODE_USAGE) if b, whose norm is given, is not zero but so small that its squares
 * vanish, and with them every norm. COLLECTIVE. */
bool measure_check_scale(struct solve *solve, double rhs_norm2, struct status *status);

/* Removes the mean of b from a singular problem; returns it. Fails (EXIT_CODE_USAGE) if b is so far
 * from compatible that another problem would be solved. COLLECTIVE. */
double measure_compatibility(struct solve *solve, struct status *status);

/* stopping.c */
void convergence_begin(struct convergence *convergence, const struct solve_plan *plan,
                       const struct config *config, double rhs_norm2, double first_norm2);
/* True, with the reason, if a residual ends the run. */
bool convergence_verdict(struct convergence *convergence, double residual_norm2,
                         enum stop_reason *reason);
/* The signal that solve_request_stop noted, 0 if none. */
int stop_requested(void);

/* control.c. COLLECTIVE. */
void control_begin(struct solve *solve);
void control_end(struct solve *solve);
/* Call after each block; true, with the reason, if the ranks have agreed to stop. */
bool control_verdict(struct solve *solve, int64_t sweep, double residual_norm2,
                     enum stop_reason *reason);

/* overlap.c: the exchange and the sweeps of a block in one, the halo being stale. Books the time of
 * all but the exchange. COLLECTIVE. */
bool overlap_possible(const struct solve *solve, int sweeps);
void overlap_advance(struct solve *solve, int sweeps);

/* roofline.c: copies the field, unless the run is short or its field lies in the caches, and fills
 * the result's copy rate and roofline share, NaN if not. COLLECTIVE. */
void roofline_measure(struct solve *solve, struct solve_result *result);

/* timing.c */
bool clock_make(struct solve *solve, struct status *status);
void clock_begin(struct solve *solve);
void clock_end(struct solve *solve);
double clock_tcomm_fraction(const struct solve *solve);
/* Fills the times of the result. COLLECTIVE. */
void clock_report(struct solve *solve, struct solve_result *result);
struct spread spread_over_team(struct team *team, double value);

#endif
