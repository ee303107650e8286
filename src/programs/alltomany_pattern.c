/* Pure arithmetic, so that a test can hold it against a plain calculation without any MPI. */
#include "alltomany_pattern.h"

bool pattern_check(const struct pattern *pattern, struct status *status) {
    const int p = pattern->ranks_per_node, ranks = pattern->ranks;
    if (p < 1 || p > ranks)
        status_fail(status, EXIT_CODE_USAGE, "command line: -p %d is not in 1..%d, the ranks", p,
                    ranks);
    else if (ranks % p != 0)
        status_fail(status, EXIT_CODE_USAGE,
                    "command line: -p %d does not divide %d ranks; every node has p of them", p,
                    ranks);
    return status_good(status);
}

int pattern_receivers(const struct pattern *pattern) {
    return pattern->ranks / pattern->ranks_per_node;
}

bool pattern_receives(const struct pattern *pattern, int rank) {
    return rank % pattern->ranks_per_node == 0;
}

int pattern_receiver(const struct pattern *pattern, int index) {
    return index * pattern->ranks_per_node;
}

int64_t pattern_message_bytes(const struct pattern *pattern, int rank) {
    return (rank % pattern->ranks_per_node % PATTERN_SIZES + 1) * pattern->unit_bytes;
}

int64_t pattern_smallest_bytes(const struct pattern *pattern) {
    return pattern->unit_bytes;
}

int64_t pattern_largest_bytes(const struct pattern *pattern) {
    const int p = pattern->ranks_per_node;
    return (p < PATTERN_SIZES ? p : PATTERN_SIZES) * pattern->unit_bytes;
}

/* Units of the messages of the first `count` ranks of a node: whole rounds of 1..8, and a part. */
static int64_t units_of_first(int count) {
    const int64_t rounds = count / PATTERN_SIZES, rest = count % PATTERN_SIZES;
    return rounds * (PATTERN_SIZES * (PATTERN_SIZES + 1) / 2) + rest * (rest + 1) / 2;
}

int64_t pattern_offset_bytes(const struct pattern *pattern, int source) {
    const int p = pattern->ranks_per_node;
    return (source / p * units_of_first(p) + units_of_first(source % p)) * pattern->unit_bytes;
}

/* The generator splitmix64 (Steele, Lea, Flood, Fast Splittable Pseudorandom Number Generators,
 * 2014): every state is a good start. */
static uint64_t next_random(uint64_t *state) {
    uint64_t mixed = *state += UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}

/* Fisher and Yates. The remainder's bias is below count / 2^64. */
static void shuffle(uint64_t seed, int *sequence, int count) {
    for (int last = count - 1; last > 0; last--) {
        const int other = (int)(next_random(&seed) % (uint64_t)(last + 1));
        const int moved = sequence[last];
        sequence[last] = sequence[other];
        sequence[other] = moved;
    }
}

void pattern_sequence(enum pattern_order order, uint64_t seed, int *sequence, int count) {
    for (int i = 0; i < count; i++)
        sequence[i] = order == ORDER_REVERSE ? count - 1 - i : i;
    if (order == ORDER_RANDOM)
        shuffle(seed, sequence, count);
}
