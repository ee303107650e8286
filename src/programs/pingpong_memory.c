/* Is there memory for the buffers? Asked before they are taken: a kernel that overcommits would end
 * a rank later, without a word. */
#include "funnel/memory.h"
#include "funnel/text.h"
#include "pingpong.h"
#include "program.h"
#include <unistd.h>

static const int64_t usual_cache_bytes = INT64_C(64) << 20; /* where nothing can be read */

int64_t pingpong_cache_bytes(void) {
    const int64_t levels[] = {sysconf(_SC_LEVEL3_CACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE)};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
        if (levels[i] > 0)
            return levels[i];
    return usual_cache_bytes;
}

/* Windows of all pairs, as if all were on this node: a little too much where they are not. */
static void check_shared(const struct pingpong_plan *plan, const char *host,
                         struct status *status) {
    const int64_t need = 2 * plan->pairs * pingpong_window_bytes(plan);
    const int64_t left = memory_shared_left_bytes();
    char asked[32], there[32];
    if (!memory_suffices(need, left))
        status_fail(
            status, EXIT_CODE_ENVIRONMENT,
            "the windows need %s on %s, whose /dev/shm can give nine tenths of %s; lower --max",
            text_bytes(asked, sizeof asked, (double)need), host,
            text_bytes(there, sizeof there, (double)left));
}

bool pingpong_memory_check(const struct pingpong_plan *plan, struct team *team,
                           struct status *status) {
    const struct team_facts *facts = team_facts(team);
    const bool sends = pingpong_peer(plan, facts->rank) >= 0;
    const int64_t bytes = pingpong_send_bytes(plan) + pingpong_receive_bytes(plan);
    if (!program_memory_check(team, sends ? bytes : 0, status))
        return false;
    check_shared(plan, facts->host, status);
    return team_agree(team, status);
}
