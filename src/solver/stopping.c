/* When a run ends, and what that is called. */
#include "solve_parts.h"
#include <math.h>
#include <signal.h>

/* Set by a signal handler, read by the loop: the one global that has to change. */
static volatile sig_atomic_t requested_signal;

static const struct {
    const char *name;
    enum exit_code code;
} reasons[STOP_REASONS] = {
    [STOP_CONVERGED] = {"converged", EXIT_CODE_DONE},
    [STOP_SWEEPS_DONE] = {"sweeps done", EXIT_CODE_DONE},
    [STOP_SWEEP_LIMIT] = {"sweep limit", EXIT_CODE_SWEEP_LIMIT},
    [STOP_TIME_LIMIT] = {"time limit", EXIT_CODE_STOPPED},
    [STOP_STAGNATED] = {"stagnated", EXIT_CODE_STAGNATED},
    [STOP_DIVERGED] = {"diverged", EXIT_CODE_DIVERGED},
    [STOP_SIGNAL] = {"signal", EXIT_CODE_STOPPED},
};

const char *stop_reason_name(enum stop_reason reason) {
    return reasons[reason].name;
}

enum exit_code stop_reason_exit(enum stop_reason reason) {
    return reasons[reason].code;
}

void solve_request_stop(int signal_number) {
    requested_signal = signal_number;
}

int stop_requested(void) {
    return requested_signal;
}

void convergence_begin(struct convergence *convergence, const struct solve_plan *plan,
                       const struct config *config, double rhs_norm2, double first_norm2) {
    double scale = rhs_norm2 > 0 ? rhs_norm2 : first_norm2;
    *convergence = (struct convergence){
        .tolerance = config->solver.rtol > 0 || config->solver.atol > 0,
        .target_norm2 = fmax(config->solver.rtol * scale, config->solver.atol),
        .floor_norm2 = plan->rounding_floor * scale,
        .least_norm2 = first_norm2,
    };
}

/* Near the floor of rounding a residual only jitters. Further up it falls at every check, however
 * slowly, because the operator is symmetric in the weighted product. */
static bool stagnates(struct convergence *convergence, double residual_norm2) {
    enum { PATIENCE = 20, NEAR = 100 };
    if (residual_norm2 < convergence->least_norm2) {
        convergence->least_norm2 = residual_norm2;
        convergence->checks_without_progress = 0;
        return false;
    }
    convergence->checks_without_progress++;
    return convergence->checks_without_progress >= PATIENCE &&
           residual_norm2 <= NEAR * convergence->floor_norm2;
}

bool convergence_verdict(struct convergence *convergence, double residual_norm2,
                         enum stop_reason *reason) {
    if (!isfinite(residual_norm2)) {
        *reason = STOP_DIVERGED;
        return true;
    }
    if (!convergence->tolerance)
        return false;
    if (residual_norm2 <= convergence->target_norm2) {
        *reason = STOP_CONVERGED;
        return true;
    }
    if (stagnates(convergence, residual_norm2)) {
        *reason = STOP_STAGNATED;
        return true;
    }
    return false;
}
