/* Where the time of the loop went, on each rank's own clock, and over all ranks. */
#include "funnel/clock.h"
#include "solve_parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const phase_names[PHASE_COUNT] = {"sweep", "pack",   "transfer",
                                              "wait",  "reduce", "other"};

bool clock_make(struct solve *solve, struct status *status) {
    size_t threads = (size_t)sweeper_threads(solve->sweeper);
    solve->clock = (struct loop_clock){.thread_begin_s = calloc(threads, sizeof(double))};
    if (!solve->clock.thread_begin_s)
        status_fail(status, EXIT_CODE_ENVIRONMENT, "no memory for the clocks of %zu threads",
                    threads);
    return status_good(status);
}

void clock_begin(struct solve *solve) {
    struct loop_clock *clock = &solve->clock;
    halo_times_reset(solve->halo);
    memcpy(clock->thread_begin_s, sweeper_thread_seconds(solve->sweeper),
           (size_t)sweeper_threads(solve->sweeper) * sizeof(double));
    clock->sweep_s = 0;
    clock->reduce_s = 0;
    clock->begin_s = clock_now_s();
}

void clock_end(struct solve *solve) {
    solve->clock.end_s = clock_now_s();
}

double clock_tcomm_fraction(const struct solve *solve) {
    const struct halo_times *halo = halo_times(solve->halo);
    double total_s = clock_now_s() - solve->clock.begin_s;
    double tcomm_s = halo->pack_s + halo->transfer_s + halo->wait_s + solve->clock.reduce_s;
    return total_s > 0 ? tcomm_s / total_s : 0;
}

static struct spread spread_of(const double *values, int count) {
    struct spread spread = {.min = values[0], .max = values[0]};
    for (int i = 0; i < count; i++) {
        if (values[i] < spread.min) {
            spread.min = values[i];
            spread.min_rank = i;
        }
        if (values[i] > spread.max) {
            spread.max = values[i];
            spread.max_rank = i;
        }
        spread.mean += values[i] / count;
    }
    return spread;
}

struct spread spread_over_team(struct team *team, double value) {
    const struct team_facts *facts = team_facts(team);
    struct spread spread = {0};
    double *all = NULL;
    if (facts->rank == 0 && !(all = calloc((size_t)facts->ranks, sizeof *all)))
        team_abort(team, EXIT_CODE_ENVIRONMENT);
    team_gather(team, &value, sizeof value, all);
    if (facts->rank == 0)
        spread = spread_of(all, facts->ranks);
    free(all);
    team_share(team, &spread, sizeof spread);
    return spread;
}

static void local_phases(const struct solve *solve, double seconds[PHASE_COUNT], double *total_s) {
    const struct loop_clock *clock = &solve->clock;
    const struct halo_times *halo = halo_times(solve->halo);
    *total_s = clock->end_s - clock->begin_s;
    seconds[PHASE_SWEEP] = clock->sweep_s;
    seconds[PHASE_PACK] = halo->pack_s;
    seconds[PHASE_TRANSFER] = halo->transfer_s;
    seconds[PHASE_WAIT] = halo->wait_s;
    seconds[PHASE_REDUCE] = clock->reduce_s;
    seconds[PHASE_OTHER] = *total_s;
    for (int phase = 0; phase < PHASE_OTHER; phase++)
        seconds[PHASE_OTHER] -= seconds[phase];
}

/* Sweep time of the fastest and slowest thread of all ranks, and the mean. */
static struct spread thread_spread(struct solve *solve) {
    int threads = sweeper_threads(solve->sweeper);
    const double *now_s = sweeper_thread_seconds(solve->sweeper);
    double least = HUGE_VAL, most = 0, sum = 0;
    for (int thread = 0; thread < threads; thread++) {
        double seconds = now_s[thread] - solve->clock.thread_begin_s[thread];
        least = fmin(least, seconds);
        most = fmax(most, seconds);
        sum += seconds;
    }
    struct spread lows = spread_over_team(solve->team, least);
    struct spread highs = spread_over_team(solve->team, most);
    struct spread means = spread_over_team(solve->team, sum / threads);
    return (struct spread){.min = lows.min,
                           .min_rank = lows.min_rank,
                           .mean = means.mean,
                           .max = highs.max,
                           .max_rank = highs.max_rank};
}

void clock_report(struct solve *solve, struct solve_result *result) {
    double seconds[PHASE_COUNT], total_s;
    local_phases(solve, seconds, &total_s);
    double tcomm_s =
        seconds[PHASE_PACK] + seconds[PHASE_TRANSFER] + seconds[PHASE_WAIT] + seconds[PHASE_REDUCE];
    result->total_s = spread_over_team(solve->team, total_s);
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        result->phase_s[phase] = spread_over_team(solve->team, seconds[phase]);
    result->hidden_s = spread_over_team(solve->team, halo_times(solve->halo)->hidden_s);
    struct spread tcomm = spread_over_team(solve->team, tcomm_s);
    result->tcomm_fraction_of_rank =
        spread_over_team(solve->team, total_s > 0 ? tcomm_s / total_s : 0);
    result->tcomm_fraction = result->total_s.mean > 0 ? tcomm.mean / result->total_s.mean : 0;
    struct spread sweep = result->phase_s[PHASE_SWEEP];
    result->imbalance = sweep.mean > 0 ? sweep.max / sweep.mean - 1 : 0;
    result->thread_s = thread_spread(solve);
    result->setup_s = spread_over_team(solve->team, solve->setup_s).max;
    int64_t traffic[] = {halo_times(solve->halo)->messages, halo_times(solve->halo)->bytes_sent};
    team_sum(solve->team, traffic, 2);
    result->messages = traffic[0];
    result->message_bytes = traffic[1];
}
