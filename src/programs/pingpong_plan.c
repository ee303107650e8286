/* Who sends what to whom: sizes, repetitions, pairs, and the memory it takes. */
#include "funnel/index.h"
#include "pingpong_loops.h"
#include <inttypes.h>

enum { STEP = 16, WARMUP_PART = 10, POOL_MESSAGES = 2, APART_BYTES = 8192 };

static void add_size(struct pingpong_plan *plan, const struct pingpong_wish *wish, int64_t bytes) {
    const int repeats = bytes > PINGPONG_LARGE_BYTES ? wish->repeats_large : wish->repeats;
    const int warmup = repeats / WARMUP_PART;
    plan->size[plan->sizes++] = (struct pingpong_size){bytes, repeats, warmup > 0 ? warmup : 1};
}

/* Steps of 16 from the least to the greatest, powers of two between them with --fine, ascending. */
static void choose_sizes(struct pingpong_plan *plan, const struct pingpong_wish *wish) {
    int64_t step = wish->min_bytes, power = 1;
    for (int64_t bytes = wish->min_bytes; bytes < wish->max_bytes;) {
        add_size(plan, wish, bytes);
        while (step <= bytes)
            step *= STEP;
        while (power <= bytes)
            power *= 2;
        bytes = wish->fine ? smaller(step, power) : step;
    }
    add_size(plan, wish, wish->max_bytes);
}

static void choose_ends(struct pingpong_plan *plan, const struct pingpong_wish *wish, int ranks) {
    plan->first = wish->pair.count > 0 ? wish->pair.values[0] : 0;
    plan->second = wish->pair.count > 0 ? wish->pair.values[1] : 1;
    plan->pairs = 1;
    if (wish->pairs) {
        plan->pairs = ranks / 2;
        plan->second = plan->pairs;
    }
}

static void check_pairs(const struct pingpong_wish *wish, int ranks, struct status *status) {
    const struct flag_list *pair = &wish->pair;
    if (ranks < 2)
        status_fail(status, EXIT_CODE_USAGE,
                    "two ranks are needed and this run has %d; start it with mpiexec -n 2", ranks);
    if (wish->pairs && pair->count > 0)
        status_fail(status, EXIT_CODE_USAGE,
                    "command line: --pair and --pairs exclude each other; leave one out");
    if (wish->pairs && ranks % 2 != 0)
        status_fail(status, EXIT_CODE_USAGE,
                    "command line: --pairs needs an even number of ranks, and this run has %d; "
                    "start one more or one less",
                    ranks);
    if (pair->count != 0 && pair->count != 2)
        status_fail(status, EXIT_CODE_USAGE,
                    "command line: --pair takes two ranks, as in 0,1, and %d are given",
                    pair->count);
    if (pair->count == 2 && pair->values[0] == pair->values[1])
        status_fail(status, EXIT_CODE_USAGE,
                    "command line: --pair: rank %d cannot be its own peer; give two ranks",
                    pair->values[0]);
    for (int i = 0; i < pair->count; i++)
        if (pair->values[i] >= ranks)
            status_fail(status, EXIT_CODE_USAGE, "command line: --pair: rank %d is not in 0..%d",
                        pair->values[i], ranks - 1);
}

bool pingpong_plan_make(struct pingpong_plan *plan, const struct pingpong_wish *wish,
                        const struct pingpong_pattern *pattern, int ranks, int64_t cache_bytes,
                        struct status *status) {
    *plan = (struct pingpong_plan){.pattern = pattern, .validate = wish->validate};
    check_pairs(wish, ranks, status);
    if (wish->min_bytes > wish->max_bytes)
        status_fail(status, EXIT_CODE_USAGE,
                    "command line: --min %" PRId64 " is above --max %" PRId64, wish->min_bytes,
                    wish->max_bytes);
    if (!status_good(status))
        return false;
    choose_sizes(plan, wish);
    choose_ends(plan, wish, ranks);
    /* what is sent from and what is received into are together larger than the cache by a quarter
     */
    plan->cold_bytes = wish->cold ? cache_bytes / 8 * 5 : 0;
    return true;
}

int pingpong_peer(const struct pingpong_plan *plan, int rank) {
    if (rank >= plan->first && rank < plan->first + plan->pairs)
        return rank - plan->first + plan->second;
    if (rank >= plan->second && rank < plan->second + plan->pairs)
        return rank - plan->second + plan->first;
    return -1;
}

/* A buffer for `messages` of the largest at once, with as much again between rows; a cold one holds
 * two such sets at least. */
static int64_t buffer_bytes(const struct pingpong_plan *plan, int64_t messages) {
    const int64_t room = plan->pattern->in_rows ? 2 : 1;
    const int64_t once = room * messages * plan->size[plan->sizes - 1].bytes;
    if (plan->cold_bytes == 0)
        return once;
    const int64_t cold = POOL_MESSAGES * (once + messages * APART_BYTES);
    return cold > plan->cold_bytes ? cold : plan->cold_bytes;
}

int64_t pingpong_send_bytes(const struct pingpong_plan *plan) {
    return buffer_bytes(plan, 1);
}

int64_t pingpong_receive_bytes(const struct pingpong_plan *plan) {
    return buffer_bytes(plan, plan->pattern->in_flight);
}

int64_t pingpong_window_bytes(const struct pingpong_plan *plan) {
    return plan->pattern->shared ? pingpong_send_bytes(plan) : 0;
}

int64_t pingpong_sent_bytes(const struct pingpong_plan *plan) {
    int64_t bytes = 0;
    for (int i = 0; i < plan->sizes; i++) {
        const struct pingpong_size *size = &plan->size[i];
        const int64_t repeats = size->warmup + size->repeats * (plan->validate ? 2 : 1);
        bytes += repeats * size->bytes * plan->pattern->in_flight;
    }
    return bytes;
}
