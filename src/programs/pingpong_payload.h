/* Bytes that are different for every size, repetition and direction. Private to src/programs. */
#ifndef FUNNEL_PINGPONG_PAYLOAD_H
#define FUNNEL_PINGPONG_PAYLOAD_H

#include <stdint.h>

/* What the bytes of a message follow from. */
uint64_t payload_seed(int64_t bytes, uint64_t repetition, int sender);

void payload_fill(char *data, int64_t bytes, uint64_t seed);

/* Fills with what differs from payload_fill in every byte: nothing old can pass for new. */
void payload_spoil(char *data, int64_t bytes, uint64_t seed);

/* Offset of the first byte that is not that of payload_fill, -1 if all are; `expected` becomes what
 * should stand there. */
int64_t payload_first_wrong(const char *data, int64_t bytes, uint64_t seed,
                            unsigned char *expected);

#endif
