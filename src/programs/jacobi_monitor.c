/* What rank 0 shows while a solve runs: a line that is overwritten on a terminal, a line now and
 * then in a log. */
#include "funnel/clock.h"
#include "funnel/text.h"
#include "jacobi.h"
#include <math.h>

static const double terminal_interval_s = 0.25, log_interval_s = 5;

static void start(void *context, const struct solve_plan *plan, const struct solve_result *result,
                  int64_t forecast) {
    struct jacobi_monitor *monitor = context;
    FILE *out = monitor->out;
    monitor->first_sweep_s = monitor->shown_s = clock_now_s();
    monitor->expected_sweeps = monitor->max_sweeps;
    if (result->compatibility != 0)
        fprintf(out,
                "problem     all sides Neumann or periodic: mean %.6g taken out of the right-hand "
                "side, mean of u kept\n",
                result->compatibility);
    if (!isfinite(result->residual_first_norm2)) {
        fprintf(out,
                "start       residual %g: start values, sides or source are not finite, or so "
                "large that the residual's squares are not\n",
                result->residual_first_norm2);
        return;
    }
    if (result->target_norm2 == 0)
        return;
    fprintf(out, "start       residual %.6g, target %.6g\n", result->residual_first_norm2,
            result->target_norm2);
    if (forecast < 0)
        fprintf(out,
                "forecast    this method does not converge on this problem (spectral radius "
                "%.9f)\n",
                plan->spectral_radius);
    else
        fprintf(out, "forecast    at most about %" PRId64 " sweeps (spectral radius %.9f)\n",
                forecast, plan->spectral_radius);
    if (forecast >= 0 && forecast < monitor->expected_sweeps)
        monitor->expected_sweeps = forecast;
    fflush(out);
}

static void progress(void *context, const struct solve_progress *now) {
    struct jacobi_monitor *monitor = context;
    double now_s = clock_now_s();
    double interval_s = monitor->terminal ? terminal_interval_s : log_interval_s;
    if (monitor->quiet || now_s - monitor->shown_s < interval_s)
        return;
    char elapsed[32], left[32];
    double left_s = (double)(monitor->expected_sweeps - now->sweep) * now->pace_s;
    text_seconds(elapsed, sizeof elapsed, now_s - monitor->first_sweep_s);
    text_seconds(left, sizeof left, left_s > 0 ? left_s : 0);
    fprintf(monitor->out,
            "%ssweep %" PRId64 "  residual %.3e  %.0f MLUP/s  Tcomm %.1f %%  elapsed %s  left %s%s",
            monitor->terminal ? "\r" : "", now->sweep, now->residual_norm2, 1e-6 * now->rate_lups,
            100 * now->tcomm_fraction, elapsed, left, monitor->terminal ? "\033[K" : "\n");
    fflush(monitor->out);
    monitor->line_open = monitor->terminal;
    monitor->shown_s = now_s;
}

static void check(void *context, int64_t sweep, double elapsed_s, double residual_norm2) {
    struct jacobi_monitor *monitor = context;
    if (monitor->history)
        history_add(monitor->history, sweep, elapsed_s, residual_norm2);
}

struct solve_watch jacobi_watch(struct jacobi_monitor *monitor) {
    return (struct solve_watch){
        .context = monitor, .start = start, .progress = progress, .check = check};
}

void jacobi_monitor_close(struct jacobi_monitor *monitor) {
    if (monitor->line_open)
        fputc('\n', monitor->out);
    monitor->line_open = false;
}
