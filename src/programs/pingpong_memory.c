/* Is there memory for the buffers? Asked before they are taken: a kernel that overcommits would end
 * a rank later, without a word. */
#include "funnel/memory.h"
#include "funnel/text.h"
#include "pingpong.h"
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const int64_t usual_cache_bytes = INT64_C(64) << 20; /* where nothing can be read */

int64_t pingpong_cache_bytes(void) {
    const int64_t levels[] = {sysconf(_SC_LEVEL3_CACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE)};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
        if (levels[i] > 0)
            return levels[i];
    return usual_cache_bytes;
}

/* Bytes that the ranks of this node need together. COLLECTIVE. */
static int64_t node_bytes(const struct pingpong_plan *plan, struct team *team, int64_t mine) {
    const struct team_facts *facts = team_facts(team);
    int64_t *of_node = calloc((size_t)facts->nodes, sizeof *of_node);
    if (!of_node)
        team_abort(team, EXIT_CODE_ENVIRONMENT);
    of_node[facts->node] = pingpong_peer(plan, facts->rank) >= 0 ? mine : 0;
    team_sum(team, of_node, facts->nodes);
    const int64_t bytes = of_node[facts->node];
    free(of_node);
    return bytes;
}

/* Shared memory lies in a file system of its own, which containers keep small: a page that does not
 * fit there would end the rank with a bus error. */
static int64_t shared_left_bytes(void) {
    struct statvfs shared;
    if (statvfs("/dev/shm", &shared) != 0)
        return INT64_MAX;
    return (int64_t)(shared.f_bavail * shared.f_frsize);
}

static void refuse(const struct pingpong_plan *plan, const char *host, const char *where,
                   int64_t need_bytes, int64_t left_bytes, struct status *status) {
    char most[32], need[32], left[32];
    status_fail(status, EXIT_CODE_ENVIRONMENT,
                "messages of up to %s need %s on %s, whose %s has %s left; lower --max%s",
                text_bytes(most, sizeof most, (double)plan->size[plan->sizes - 1].bytes),
                text_bytes(need, sizeof need, (double)need_bytes), host, where,
                text_bytes(left, sizeof left, (double)left_bytes),
                plan->cold_bytes > 0 ? " or leave out --cold" : "");
}

bool pingpong_memory_check(const struct pingpong_plan *plan, struct team *team,
                           struct status *status) {
    const char *host = team_facts(team)->host;
    const int64_t send = pingpong_send_bytes(plan), left = memory_available_bytes("");
    const int64_t need = node_bytes(plan, team, send + pingpong_receive_bytes(plan));
    const int64_t shared = node_bytes(plan, team, pingpong_window_bytes(plan));
    if (left >= 0 && need > left)
        refuse(plan, host, "memory", need, left, status);
    else if (shared > shared_left_bytes())
        refuse(plan, host, "/dev/shm", shared, shared_left_bytes(), status);
    return team_agree(team, status);
}
