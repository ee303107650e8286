/* The pattern of the all-to-many study, as pure arithmetic: who receives, how large each rank's
 * message is, where it lies in the receiver's buffer. */
#ifndef FUNNEL_ALLTOMANY_PATTERN_H
#define FUNNEL_ALLTOMANY_PATTERN_H

#include "funnel/status.h"
#include <stdint.h>

enum { PATTERN_SIZES = 8 }; /* the sizes of messages repeat after so many ranks of a node */

/* Every rank sends one message to every receiver, itself included if it is one. */
struct pattern {
    int ranks;
    int ranks_per_node; /* p: the ranks with rank % p == 0 are receivers */
    int64_t unit_bytes; /* b: a rank's message has ((rank % p) % 8 + 1) * b bytes */
};

/* Fails with EXIT_CODE_USAGE unless p is in 1..ranks and divides the number of ranks. */
bool pattern_check(const struct pattern *pattern, struct status *status);

int pattern_receivers(const struct pattern *pattern);
bool pattern_receives(const struct pattern *pattern, int rank);
/* Rank of the receiver number `index`. */
int pattern_receiver(const struct pattern *pattern, int index);

int64_t pattern_message_bytes(const struct pattern *pattern, int rank);
int64_t pattern_smallest_bytes(const struct pattern *pattern);
int64_t pattern_largest_bytes(const struct pattern *pattern);

/* Where the message of `source` begins in a receiver's buffer: messages lie in rank order without
 * gaps. With source = ranks: the size of the buffer. */
int64_t pattern_offset_bytes(const struct pattern *pattern, int source);

/* The order in which receives are posted. */
enum pattern_order { ORDER_FORWARD, ORDER_REVERSE, ORDER_RANDOM };

/* Fills sequence[0..count-1] with 0..count-1 in this order; a random one depends on `seed` alone.
 */
void pattern_sequence(enum pattern_order order, uint64_t seed, int *sequence, int count);

#endif
