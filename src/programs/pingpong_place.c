/* How near the ranks of a pair are, in words, and the warning if they are too near. */
#include "pingpong.h"
#include <string.h>

/* The main thread does all the talking: its own mask counts, not the rank's. */
static const struct cpu_set *main_mask(const struct binding_report *binding, int rank) {
    return &binding_report_threads(binding, rank)[0].allowed;
}

bool pingpong_same_node(const struct binding_report *binding, int a, int b) {
    return binding_report_rank(binding, a)->node == binding_report_rank(binding, b)->node;
}

struct binding_nearness pingpong_nearness(const struct binding_report *binding, int a, int b) {
    if (!pingpong_same_node(binding, a, b))
        return (struct binding_nearness){.pu = BINDING_UNKNOWN};
    return binding_nearness(binding_report_topology(binding, a), main_mask(binding, a),
                            main_mask(binding, b));
}

static void add_words(char *text, size_t size, const char *noun, enum binding_common common) {
    static const char *const words[] = {[BINDING_UNKNOWN] = "unknown whether one",
                                        [BINDING_APART] = "not one",
                                        [BINDING_PERHAPS] = "perhaps one",
                                        [BINDING_SAME] = "one"};
    const size_t used = strlen(text);
    snprintf(text + used, size - used, ", %s %s", words[common], noun);
}

const char *pingpong_nearness_text(const struct binding_report *binding, int a, int b, char *text,
                                   size_t size) {
    const char *host_a = binding_report_rank(binding, a)->host;
    const char *host_b = binding_report_rank(binding, b)->host;
    const struct binding_nearness near = pingpong_nearness(binding, a, b);
    if (!pingpong_same_node(binding, a, b)) {
        snprintf(text, size, "different nodes, hosts %s and %s", host_a, host_b);
        return text;
    }
    snprintf(text, size, "one host %s", host_a);
    add_words(text, size, "package", near.package);
    add_words(text, size, "NUMA node", near.numa);
    add_words(text, size, "last-level cache", near.cache);
    add_words(text, size, "core", near.core);
    if (near.core != BINDING_APART)
        add_words(text, size, "PU", near.pu);
    return text;
}

void pingpong_warn(const char *program, const struct pingpong_plan *plan,
                   const struct binding_report *binding) {
    for (int i = 0; i < plan->pairs; i++) {
        const int a = plan->first + i, b = plan->second + i;
        const struct binding_nearness near = pingpong_nearness(binding, a, b);
        if (near.pu == BINDING_SAME)
            warning_print(program,
                          "ranks %d and %d share one PU and take turns on it: the times are the "
                          "scheduler's, not the transport's; bind them apart (-bind-to core)",
                          a, b);
        else if (near.core == BINDING_SAME)
            warning_print(program,
                          "ranks %d and %d share one core: its threads are nearer to each other "
                          "than ranks of a solver are; bind them apart (-bind-to core)",
                          a, b);
    }
}
