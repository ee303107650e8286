/* Is there memory for the buffers? Asked before they are taken: a kernel that overcommits would end
 * a rank later, without a word. */
#include "funnel/text.h"
#include "pingpong.h"
#include "program.h"
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

/* Shared memory lies in a file system of its own, which containers keep small: a page that does not
 * fit there would end the rank with a bus error. */
static int64_t shared_left_bytes(void) {
    struct statvfs shared;
    if (statvfs("/dev/shm", &shared) != 0)
        return INT64_MAX;
    return (int64_t)(shared.f_bavail * shared.f_frsize);
}

/* Windows of all pairs, as if all were on this node: a little too much where they are not. */
static void check_shared(const struct pingpong_plan *plan, const char *host,
                         struct status *status) {
    const int64_t need = 2 * plan->pairs * pingpong_window_bytes(plan), left = shared_left_bytes();
    char asked[32], there[32];
    if (need > left)
        status_fail(status, EXIT_CODE_ENVIRONMENT,
                    "the windows need %s on %s, whose /dev/shm has %s left; lower --max",
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
