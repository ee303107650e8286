/* Sets of OS processor numbers as plain bits: they travel between ranks and outlive hwloc. */
#include "funnel/binding.h"
#include "line.h"

enum { WORD_BITS = 64 };

static bool in_range(int cpu) {
    return cpu >= 0 && cpu < BINDING_CPUS;
}

void cpu_set_add(struct cpu_set *set, int cpu) {
    if (in_range(cpu))
        set->word[cpu / WORD_BITS] |= UINT64_C(1) << (cpu % WORD_BITS);
}

bool cpu_set_has(const struct cpu_set *set, int cpu) {
    return in_range(cpu) && (set->word[cpu / WORD_BITS] >> (cpu % WORD_BITS) & 1) != 0;
}

int cpu_set_count(const struct cpu_set *set) {
    int count = 0;
    for (int i = 0; i < BINDING_WORDS; i++)
        count += __builtin_popcountll(set->word[i]);
    return count;
}

void cpu_set_join(struct cpu_set *set, const struct cpu_set *more) {
    for (int i = 0; i < BINDING_WORDS; i++)
        set->word[i] |= more->word[i];
}

bool cpu_set_equal(const struct cpu_set *a, const struct cpu_set *b) {
    for (int i = 0; i < BINDING_WORDS; i++)
        if (a->word[i] != b->word[i])
            return false;
    return true;
}

bool cpu_set_within(const struct cpu_set *inner, const struct cpu_set *outer) {
    for (int i = 0; i < BINDING_WORDS; i++)
        if ((inner->word[i] & ~outer->word[i]) != 0)
            return false;
    return true;
}

bool cpu_set_overlap(const struct cpu_set *a, const struct cpu_set *b) {
    for (int i = 0; i < BINDING_WORDS; i++)
        if ((a->word[i] & b->word[i]) != 0)
            return true;
    return false;
}

/* The last number of the run of set bits that starts at `first`. */
static int run_end(const struct cpu_set *set, int first) {
    int last = first;
    while (cpu_set_has(set, last + 1))
        last++;
    return last;
}

const char *cpu_set_text(const struct cpu_set *set, char *text, size_t size) {
    text[0] = '\0';
    for (int cpu = 0; cpu < BINDING_CPUS; cpu++) {
        if (!cpu_set_has(set, cpu))
            continue;
        const int last = run_end(set, cpu);
        line_add(text, size, text[0] == '\0' ? "%d" : ",%d", cpu);
        if (last > cpu)
            line_add(text, size, "-%d", last);
        cpu = last;
    }
    if (text[0] == '\0')
        line_add(text, size, "none");
    return text;
}
