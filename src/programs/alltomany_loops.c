/* Making, running and checking the loops. Between two iterations stand a few readings of the clock
 * and nothing else: a barrier there would hide what the study measures. */
#include "alltomany_loops_parts.h"
#include "funnel/clock.h"
#include "funnel/memory.h"
#include "pingpong_payload.h"
#include "program.h"
#include <limits.h>
#include <stdlib.h>

/* Whether the variant posts receives of its own, in an order and number that can be chosen. */
static bool posts(const struct loops_variant *variant) {
    return variant->exchange == NULL;
}

bool loops_check_plan(const struct loops_variant *variant, const struct loops_plan *plan,
                      struct status *status) {
    const struct pattern *pattern = &plan->pattern;
    if (!posts(variant) && (plan->throttle != 0 || plan->order != ORDER_FORWARD))
        status_fail(status, EXIT_CODE_USAGE,
                    "command line: --throttle and --order have no meaning in variant %s, which "
                    "leaves both to the MPI library",
                    variant->name);
    else if (pattern_largest_bytes(pattern) > INT_MAX)
        status_fail(status, EXIT_CODE_USAGE,
                    "command line: -b %lld makes messages of %lld bytes; MPI counts to %d",
                    (long long)pattern->unit_bytes, (long long)pattern_largest_bytes(pattern),
                    INT_MAX);
    else if (!posts(variant) && pattern_offset_bytes(pattern, pattern->ranks) > INT_MAX)
        status_fail(status, EXIT_CODE_USAGE,
                    "command line: variant %s counts to %d bytes a receiver, not to %lld; use "
                    "isend or a smaller -b",
                    variant->name, INT_MAX,
                    (long long)pattern_offset_bytes(pattern, pattern->ranks));
    return status_good(status);
}

static char *take(int64_t bytes, struct status *status) {
    return memory_take(bytes > 0 ? (size_t)bytes : 1, status);
}

static void give_back(char *memory, int64_t bytes) {
    memory_release(memory, bytes > 0 ? (size_t)bytes : 1);
}

/* Every array of a rank; the ones that a variant has no use for cost next to nothing. */
static void take_arrays(struct loops *loops, struct status *status) {
    const size_t ranks = (size_t)loops->ranks;
    loops->incoming = calloc(ranks, sizeof *loops->incoming);
    loops->requests = calloc(2 * ranks, sizeof *loops->requests);
    loops->send_counts = calloc(ranks, sizeof *loops->send_counts);
    loops->send_places = calloc(ranks, sizeof *loops->send_places);
    loops->receive_counts = calloc(ranks, sizeof *loops->receive_counts);
    loops->receive_places = calloc(ranks, sizeof *loops->receive_places);
    loops->types = calloc(ranks, sizeof *loops->types);
    loops->neighbors = calloc(2 * ranks, sizeof *loops->neighbors);
    if (loops->incoming == NULL || loops->requests == NULL || loops->send_counts == NULL ||
        loops->send_places == NULL || loops->receive_counts == NULL ||
        loops->receive_places == NULL || loops->types == NULL || loops->neighbors == NULL)
        status_fail(status, EXIT_CODE_ENVIRONMENT, "no memory for the requests of %d ranks",
                    loops->ranks);
    loops->outgoing = take(loops->outgoing_bytes, status);
    loops->arrived = take(loops->arrived_bytes, status);
}

/* Lists the messages to come in the order of posting. */
static void list_incoming(struct loops *loops) {
    const struct pattern *pattern = &loops->plan.pattern;
    const int count = loops->incoming_count;
    int *sequence = loops->receive_counts; /* free until the counts are known */
    pattern_sequence(loops->plan.order, (uint64_t)loops->rank, sequence, count);
    for (int i = 0; i < count; i++)
        loops->incoming[i] =
            (struct incoming){.source = sequence[i],
                              .bytes = (int)pattern_message_bytes(pattern, sequence[i]),
                              .place = loops->arrived + pattern_offset_bytes(pattern, sequence[i])};
}

/* Counts and places of the calls that do everything; places within 32 bits were checked. */
static void list_counts(struct loops *loops) {
    const struct pattern *pattern = &loops->plan.pattern;
    for (int rank = 0; rank < loops->ranks; rank++) {
        const bool comes = loops->incoming_count > 0;
        loops->send_counts[rank] = pattern_receives(pattern, rank) ? (int)loops->outgoing_bytes : 0;
        loops->receive_counts[rank] = comes ? (int)pattern_message_bytes(pattern, rank) : 0;
        loops->receive_places[rank] = comes ? (int)pattern_offset_bytes(pattern, rank) : 0;
        loops->types[rank] = MPI_BYTE;
    }
}

static void prepare(struct loops *loops) {
    list_incoming(loops);
    if (!posts(loops->variant))
        list_counts(loops);
    for (int i = 0; i < loops->incoming_count + loops->receivers; i++)
        loops->requests[i] = MPI_REQUEST_NULL;
    loops_arm(loops, 0);
    if (loops->variant->make != NULL)
        loops->variant->make(loops);
    loops->made = true;
}

static void describe(struct loops *loops, struct team *team, const struct loops_variant *variant,
                     const struct loops_plan *plan) {
    const struct team_facts *facts = team_facts(team);
    const bool receives = pattern_receives(&plan->pattern, facts->rank);
    *loops = (struct loops){
        .team = team,
        .comm = team_communicator(team),
        .variant = variant,
        .plan = *plan,
        .rank = facts->rank,
        .ranks = facts->ranks,
        .receivers = pattern_receivers(&plan->pattern),
        .incoming_count = receives ? facts->ranks : 0,
        .outgoing_bytes = pattern_message_bytes(&plan->pattern, facts->rank),
        .arrived_bytes = receives ? pattern_offset_bytes(&plan->pattern, facts->ranks) : 0,
    };
    const bool limited = plan->throttle > 0 && plan->throttle < loops->incoming_count;
    loops->block = limited ? plan->throttle : loops->incoming_count;
}

struct loops *loops_make(struct team *team, const struct loops_variant *variant,
                         const struct loops_plan *plan, struct status *status) {
    struct loops *loops = calloc(1, sizeof *loops);
    if (loops == NULL)
        status_fail(status, EXIT_CODE_ENVIRONMENT, "no memory for the loops");
    if (!team_agree(team, status)) {
        free(loops);
        return NULL;
    }
    describe(loops, team, variant, plan);
    if (program_memory_check(team, loops->outgoing_bytes + loops->arrived_bytes, status))
        take_arrays(loops, status);
    if (team_agree(team, status)) {
        prepare(loops);
        return loops;
    }
    loops_release(loops);
    return NULL;
}

void loops_release(struct loops *loops) {
    if (loops == NULL)
        return;
    if (loops->made && loops->variant->release != NULL)
        loops->variant->release(loops);
    give_back(loops->arrived, loops->arrived_bytes);
    give_back(loops->outgoing, loops->outgoing_bytes);
    free(loops->neighbors);
    free(loops->types);
    free(loops->receive_places);
    free(loops->receive_counts);
    free(loops->send_places);
    free(loops->send_counts);
    free(loops->requests);
    free(loops->incoming);
    free(loops);
}

/* Adds the time since *before to *sum, and moves *before to now. */
static void book(double *sum, double *before) {
    const double now = clock_now_s();
    *sum += now - *before;
    *before = now;
}

/* Receives come in blocks, of which the usual one holds them all: the last block is waited for
 * together with the sends, by one MPI_Waitall. */
static void iterate_by_messages(struct loops *loops) {
    struct loops_times *times = &loops->times;
    const int last = loops->incoming_count - loops->block;
    int first = 0, count = loops->block;
    double before = clock_now_s();
    loops->variant->post_receives(loops, first, count);
    book(&times->post_receives_s, &before);
    loops->variant->post_sends(loops);
    book(&times->post_sends_s, &before);
    while (first < last) {
        mpi_check(MPI_Waitall(count, loops->requests + first, MPI_STATUSES_IGNORE), "MPI_Waitall");
        book(&times->wait_s, &before);
        first += count;
        count = first <= last ? loops->block : loops->incoming_count - first;
        loops->variant->post_receives(loops, first, count);
        book(&times->post_receives_s, &before);
    }
    mpi_check(MPI_Waitall(count + loops->receivers, loops->requests + first, MPI_STATUSES_IGNORE),
              "MPI_Waitall");
    book(&times->wait_s, &before);
}

static void iterate_by_one_call(struct loops *loops) {
    double before = clock_now_s();
    loops->variant->exchange(loops);
    book(&loops->times.wait_s, &before);
}

struct loops_times loops_run(struct loops *loops, int iterations) {
    void (*iterate)(struct loops *) =
        posts(loops->variant) ? iterate_by_messages : iterate_by_one_call;
    loops->times = (struct loops_times){0};
    team_barrier(loops->team);
    const double start = clock_now_s();
    for (int i = 0; i < iterations; i++)
        iterate(loops);
    loops->times.end_to_end_s = clock_now_s() - start;
    return loops->times;
}

void loops_arm(struct loops *loops, int64_t iteration) {
    payload_fill(loops->outgoing, loops->outgoing_bytes,
                 payload_seed(loops->outgoing_bytes, (uint64_t)iteration, loops->rank));
    for (int i = 0; i < loops->incoming_count; i++) {
        const struct incoming *message = &loops->incoming[i];
        payload_spoil(message->place, message->bytes,
                      payload_seed(message->bytes, (uint64_t)iteration, message->source));
    }
}

bool loops_check(struct loops *loops, int64_t iteration, struct status *status) {
    for (int i = 0; i < loops->incoming_count; i++) {
        const struct incoming *message = &loops->incoming[i];
        unsigned char expected;
        const int64_t wrong = payload_first_wrong(
            message->place, message->bytes,
            payload_seed(message->bytes, (uint64_t)iteration, message->source), &expected);
        if (wrong >= 0)
            status_fail(status, EXIT_CODE_INTERNAL,
                        "validation: iteration %lld: byte %lld of the %d from rank %d is wrong on "
                        "rank %d (variant %s)",
                        (long long)iteration, (long long)wrong, message->bytes, message->source,
                        loops->rank, loops->variant->name);
    }
    return team_agree(loops->team, status);
}
