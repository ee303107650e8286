/* How a run hears of signals and limits without a collective that blocks: a vote is posted after
 * one block and read at a later sweep that all ranks know, because the last vote told them. */
#include "funnel/clock.h"
#include "solve_parts.h"
#include <math.h>

enum { VOTE_SIGNAL, VOTE_TIME_UP, VOTE_NANOSECONDS_A_SWEEP };

static const double vote_interval_s = 0.2;

/* Sweeps to the next vote at the pace of the slowest rank. A pace taken over few sweeps says
 * little, so the interval grows step by step. */
static int64_t next_interval(int64_t last, int64_t nanoseconds_a_sweep) {
    enum { GROWTH = 8 };
    if (nanoseconds_a_sweep <= 0)
        return last;
    double sweeps = vote_interval_s * 1e9 / (double)nanoseconds_a_sweep;
    return sweeps < 1 ? 1 : (int64_t)fmin(sweeps, GROWTH * (double)last);
}

static void post(struct solve *solve, int64_t sweep, int64_t pace_ns, int64_t interval) {
    struct control *control = &solve->control;
    double now_s = clock_now_s();
    /* what is posted now is read an interval later */
    double read_s = now_s + 1e-9 * (double)pace_ns * (double)interval;
    int64_t values[TEAM_VOTE_VALUES] = {
        [VOTE_SIGNAL] = stop_requested(),
        [VOTE_TIME_UP] = control->deadline_s > 0 && read_s >= control->deadline_s,
        [VOTE_NANOSECONDS_A_SWEEP] = pace_ns,
    };
    team_vote_post(control->vote, values);
    control->posted_at = sweep;
    control->posted_s = now_s;
    control->interval = interval;
}

void control_begin(struct solve *solve) {
    double limit_s = solve->config->solver.time_limit_s;
    solve->control = (struct control){.vote = team_vote_make(solve->team),
                                      .deadline_s = limit_s > 0 ? clock_now_s() + limit_s : 0};
    post(solve, 0, 0, 1);
}

void control_end(struct solve *solve) {
    team_vote_free(solve->control.vote);
    solve->control.vote = NULL;
}

static void tell_progress(struct solve *solve, int64_t sweep, double residual_norm2) {
    const struct solve_watch *watch = solve->watch;
    if (!watch || !watch->progress)
        return;
    const struct control *control = &solve->control;
    double now_s = clock_now_s();
    double sweeps = (double)(sweep - control->posted_at);
    double pace_s = (now_s - control->posted_s) / sweeps;
    struct solve_progress progress = {
        .sweep = sweep,
        .residual_norm2 = residual_norm2,
        .rate_lups = (double)grid_points(&solve->plan->grid) / pace_s,
        .tcomm_fraction = clock_tcomm_fraction(solve),
        .pace_s = pace_s,
    };
    watch->progress(watch->context, &progress);
}

bool control_verdict(struct solve *solve, int64_t sweep, double residual_norm2,
                     enum stop_reason *reason) {
    struct control *control = &solve->control;
    if (sweep < control->posted_at + control->interval)
        return false;
    int64_t agreed[TEAM_VOTE_VALUES];
    double begin_s = clock_now_s();
    team_vote_read(control->vote, agreed);
    control->votes++;
    double now_s = clock_now_s();
    solve->clock.reduce_s += now_s - begin_s;
    tell_progress(solve, sweep, residual_norm2);
    if (agreed[VOTE_SIGNAL] != 0 || agreed[VOTE_TIME_UP] != 0) {
        *reason = agreed[VOTE_SIGNAL] != 0 ? STOP_SIGNAL : STOP_TIME_LIMIT;
        return true;
    }
    double pace_s = (now_s - control->posted_s) / (double)(sweep - control->posted_at);
    int64_t interval = next_interval(control->interval, agreed[VOTE_NANOSECONDS_A_SWEEP]);
    post(solve, sweep, (int64_t)(1e9 * pace_s), interval);
    return false;
}
