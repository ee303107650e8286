/* The measurements: the study itself, its growth with the iterations, and queues. What is compared
 * is run by turns, because the speed of a machine drifts. */
#include "alltomany.h"
#include <stdlib.h>

/* Room on rank 0 for a value of each rank, sized on every rank alike. */
static double *take_values(struct team *team, struct status *status) {
    double *values = calloc((size_t)team_facts(team)->ranks, sizeof *values);
    if (values == NULL)
        status_fail(status, EXIT_CODE_ENVIRONMENT, "no memory for the times of all ranks");
    return values;
}

/* Spread over the ranks 0, every, 2 * every ...; known on rank 0. COLLECTIVE. */
static struct spread gather_spread(struct team *team, double mine, int every, double *values) {
    team_gather(team, &mine, sizeof mine, values);
    if (team_facts(team)->rank != 0)
        return (struct spread){.min = mine, .mean = mine, .max = mine};
    return alltomany_spread(values, team_facts(team)->ranks, every);
}

/* The iterations of the study, each with bytes of its own and every byte checked; not timed. */
static bool validate(struct loops *loops, int iterations, struct status *status) {
    for (int i = 0; i < iterations; i++) {
        loops_arm(loops, i);
        loops_run(loops, 1);
        if (!loops_check(loops, i, status))
            return false;
    }
    return true;
}

/* One timed run; with validation its last iteration is checked too. */
static bool run(struct loops *loops, const struct alltomany_asked *asked, int iterations,
                struct loops_times *times, struct status *status) {
    if (asked->validate)
        loops_arm(loops, iterations);
    *times = loops_run(loops, iterations);
    return !asked->validate || loops_check(loops, iterations, status);
}

static bool measure_study(struct team *team, struct loops *loops,
                          const struct alltomany_asked *asked, double *values,
                          struct alltomany_result *result, struct status *status) {
    const int p = result->plan.pattern.ranks_per_node;
    struct loops_times times;
    if (asked->validate && !validate(loops, asked->iterations, status))
        return false;
    loops_run(loops, asked->warmup);
    if (!run(loops, asked, asked->iterations, &times, status))
        return false;
    result->post_receives_s = gather_spread(team, times.post_receives_s, p, values);
    result->post_sends_s = gather_spread(team, times.post_sends_s, 1, values);
    result->wait_s = gather_spread(team, times.wait_s, 1, values);
    result->end_to_end_s = gather_spread(team, times.end_to_end_s, 1, values);
    return true;
}

/* Times of every number of iterations, `repeats` of each one after the other, by turns. */
static bool measure_points(struct team *team, struct loops *loops,
                           const struct alltomany_asked *asked, double *values, double *samples,
                           struct status *status) {
    for (int repeat = 0; repeat < asked->repeats; repeat++)
        for (int i = 0; i < asked->sweep.count; i++) {
            struct loops_times times;
            if (!run(loops, asked, asked->sweep.values[i], &times, status))
                return false;
            samples[i * asked->repeats + repeat] =
                gather_spread(team, times.end_to_end_s, 1, values).max;
        }
    return true;
}

static void judge_points(const struct alltomany_asked *asked, double *samples,
                         struct alltomany_result *result) {
    result->points = asked->sweep.count;
    for (int i = 0; i < result->points; i++)
        result->point[i] = (struct growth_point){
            .iterations = asked->sweep.values[i],
            .total_s =
                samples_summarize(samples + (size_t)i * (size_t)asked->repeats, asked->repeats)};
    result->growth = growth_judge(result->point, result->points);
}

static bool measure_growth(struct team *team, struct loops *loops,
                           const struct alltomany_asked *asked, double *values,
                           struct alltomany_result *result, struct status *status) {
    if (asked->sweep.count == 0)
        return true;
    double *samples = calloc((size_t)asked->sweep.count * (size_t)asked->repeats, sizeof *samples);
    if (samples == NULL)
        status_fail(status, EXIT_CODE_ENVIRONMENT, "no memory for %d repeats", asked->repeats);
    const bool measured =
        team_agree(team, status) && measure_points(team, loops, asked, values, samples, status);
    if (measured)
        judge_points(asked, samples, result);
    free(samples);
    return measured;
}

static bool measure_loops(struct team *team, const struct alltomany_asked *asked, double *values,
                          struct alltomany_result *result, struct status *status) {
    struct loops *loops = loops_make(team, result->variant, &result->plan, status);
    if (loops == NULL)
        return false;
    const bool measured = measure_study(team, loops, asked, values, result, status) &&
                          measure_growth(team, loops, asked, values, result, status);
    loops_release(loops);
    return measured;
}

/* Medians of `repeats` runs, each by its slowest receiver. */
static void measure_queue_row(struct team *team, struct queue *queue, int repeats, double *values,
                              double *samples, struct alltomany_queue_row *row) {
    const double messages = (double)queue_messages(queue, &row->plan);
    double *post = samples, *wait = samples + repeats;
    queue_run(queue, &row->plan);
    for (int i = 0; i < repeats; i++) {
        const struct queue_times times = queue_run(queue, &row->plan);
        post[i] = gather_spread(team, times.post_s, 1, values).max / messages;
        wait[i] = gather_spread(team, times.wait_s, 1, values).max / messages;
    }
    row->post_s = samples_summarize(post, repeats).median;
    row->wait_s = samples_summarize(wait, repeats).median;
}

/* Rows of a length: every order, receives posted first and then messages first. */
enum { QUEUE_ORDERS = 3, QUEUE_ROWS = 2 * QUEUE_ORDERS };

static void measure_queue_rows(struct team *team, struct queue *queue,
                               const struct alltomany_asked *asked, double *values, double *samples,
                               struct alltomany_result *result) {
    result->queue_rows = QUEUE_ROWS * asked->queue.count;
    for (int i = 0; i < result->queue_rows; i++) {
        struct alltomany_queue_row *row = &result->queue_row[i];
        row->plan = (struct queue_plan){
            .length = asked->queue.values[i / QUEUE_ROWS],
            .posted_first = i % QUEUE_ROWS < QUEUE_ORDERS,
            .order = (enum pattern_order)(i % QUEUE_ORDERS),
        };
        measure_queue_row(team, queue, asked->repeats, values, samples, row);
    }
}

static int longest_queue(const struct flag_list *list) {
    int longest = 0;
    for (int i = 0; i < list->count; i++)
        longest = list->values[i] > longest ? list->values[i] : longest;
    return longest;
}

static bool measure_queues(struct team *team, const struct alltomany_asked *asked, double *values,
                           struct alltomany_result *result, struct status *status) {
    if (asked->queue.count == 0)
        return true;
    struct queue *queue =
        queue_make(team, &result->plan.pattern, longest_queue(&asked->queue), status);
    if (queue == NULL)
        return false;
    double *samples = calloc(2 * (size_t)asked->repeats, sizeof *samples);
    result->queue_row = calloc((size_t)asked->queue.count * QUEUE_ROWS, sizeof *result->queue_row);
    if (samples == NULL || result->queue_row == NULL)
        status_fail(status, EXIT_CODE_ENVIRONMENT, "no memory for %d repeats", asked->repeats);
    if (team_agree(team, status))
        measure_queue_rows(team, queue, asked, values, samples, result);
    free(samples);
    queue_release(queue);
    return status_good(status);
}

/* p as asked for, or what the nodes have; the same on all ranks. */
static void choose_pattern(const struct team_facts *facts, const struct alltomany_asked *asked,
                           struct pattern *pattern, struct status *status) {
    const int p = asked->ranks_per_node > 0 ? asked->ranks_per_node : facts->ranks_per_node;
    *pattern = (struct pattern){facts->ranks, p, asked->unit_bytes};
    if (p == 0)
        status_fail(status, EXIT_CODE_USAGE,
                    "the nodes have different numbers of ranks: say with -p how many make a node");
    else
        pattern_check(pattern, status);
}

bool alltomany_plan(struct team *team, const struct alltomany_asked *asked,
                    struct alltomany_result *result, struct status *status) {
    *result = (struct alltomany_result){
        .plan = {.order = (enum pattern_order)asked->order, .throttle = asked->throttle},
        .variant = loops_variants[asked->variant],
        .iterations = asked->iterations,
        .warmup = asked->warmup,
        .repeats = asked->repeats,
        .validated = asked->validate,
    };
    choose_pattern(team_facts(team), asked, &result->plan.pattern, status);
    if (status_good(status))
        loops_check_plan(result->variant, &result->plan, status);
    if (status_good(status) && asked->queue.count > 0)
        queue_check(team, &result->plan.pattern, longest_queue(&asked->queue), status);
    return team_agree(team, status);
}

bool alltomany_measure(struct team *team, const struct alltomany_asked *asked,
                       struct alltomany_result *result, struct status *status) {
    double *values = take_values(team, status);
    const bool measured = team_agree(team, status) &&
                          measure_loops(team, asked, values, result, status) &&
                          measure_queues(team, asked, values, result, status);
    free(values);
    return measured;
}

void alltomany_result_release(struct alltomany_result *result) {
    free(result->queue_row);
}
