/* The bytes that --validate sends: eight at a time from a counter, scrambled by a multiplication
 * (Knuth, The Art of Computer Programming, volume 3, section 6.4: multiplicative hashing). */
#include "pingpong_payload.h"
#include <string.h>

enum { WORD_BYTES = 8 };

static const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15); /* 2^64 over the golden ratio, odd */

static uint64_t scramble(uint64_t value) {
    value *= golden;
    return value ^ (value >> 32);
}

uint64_t payload_seed(int64_t bytes, uint64_t repetition, int sender) {
    return scramble(scramble((uint64_t)bytes) + 2 * repetition + (uint64_t)sender);
}

static void fill(char *data, int64_t bytes, uint64_t seed, uint64_t flip) {
    for (int64_t at = 0; at < bytes; at += WORD_BYTES) {
        const uint64_t word = scramble(seed + (uint64_t)at) ^ flip;
        const int64_t left = bytes - at;
        memcpy(data + at, &word, left < WORD_BYTES ? (size_t)left : WORD_BYTES);
    }
}

void payload_fill(char *data, int64_t bytes, uint64_t seed) {
    fill(data, bytes, seed, 0);
}

void payload_spoil(char *data, int64_t bytes, uint64_t seed) {
    fill(data, bytes, seed, UINT64_MAX);
}

/* The first of a word's bytes that is wrong. */
static int64_t find_in_word(const char *data, const char *word, unsigned char *expected) {
    int64_t at = 0;
    while (data[at] == word[at])
        at++;
    *expected = (unsigned char)word[at];
    return at;
}

int64_t payload_first_wrong(const char *data, int64_t bytes, uint64_t seed,
                            unsigned char *expected) {
    for (int64_t at = 0; at < bytes; at += WORD_BYTES) {
        char word[WORD_BYTES];
        const int64_t left = bytes - at;
        const size_t count = left < WORD_BYTES ? (size_t)left : WORD_BYTES;
        fill(word, WORD_BYTES, seed + (uint64_t)at, 0);
        if (memcmp(data + at, word, count) != 0)
            return at + find_in_word(data + at, word, expected);
    }
    return -1;
}
