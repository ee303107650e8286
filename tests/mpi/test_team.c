/* The team: what ranks know of each other, agreement on errors, collectives, the vote. */
#include "mpi_test.h"
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All ranks of the test run on one node, started by a launcher, bound to nothing. */
static void test_facts(struct mpi_test *test) {
    const struct team_facts *facts = team_facts(test->team);
    mpi_expect(test, facts->node == 0 && facts->nodes == 1, "node %d of %d", facts->node,
               facts->nodes);
    mpi_expect(test, facts->node_rank == test->rank, "node rank %d", facts->node_rank);
    mpi_expect(test, facts->node_ranks == test->ranks && facts->ranks_per_node == test->ranks,
               "%d ranks on the node, %d on each", facts->node_ranks, facts->ranks_per_node);
    mpi_expect(test, strcmp(facts->thread_level_asked, "MPI_THREAD_FUNNELED") == 0, "asked %s",
               facts->thread_level_asked);
    mpi_expect(test, strncmp(facts->thread_level_provided, "MPI_THREAD_", 11) == 0, "provided %s",
               facts->thread_level_provided);
    mpi_expect(test, strcmp(facts->launcher, "none") != 0, "no launcher seen");
    mpi_expect(test, facts->host[0] != '\0', "no host name");
    mpi_expect(test, strpbrk(facts->mpi_library, "\n\t") == NULL && facts->mpi_library[0] != '\0',
               "library \"%s\"", facts->mpi_library);
}

static void test_cures(struct mpi_test *test) {
    const struct team_facts *facts = team_facts(test->team);
    cpu_set_t allowed;
    if (!mpi_expect(test, sched_getaffinity(0, sizeof allowed, &allowed) == 0, "no affinity mask"))
        return;
    bool crowded = test->ranks > CPU_COUNT(&allowed);
    mpi_expect(test, facts->yields == (FUNNEL_MPICH_UCX && crowded), "yields: %d", facts->yields);
    mpi_expect(test, facts->finalize_cured == FUNNEL_MPICH_UCX, "finalize cured: %d",
               facts->finalize_cured);
}

/* Ranks from `first` on have an error of their own; all must end with that of the first. */
static void expect_agreement(struct mpi_test *test, int first) {
    struct status status = {0};
    char text[64];
    if (test->rank >= first)
        status_fail(&status, EXIT_CODE_FILES, "rank %d cannot", test->rank);
    snprintf(text, sizeof text, "rank %d cannot", first);
    bool good = team_agree(test->team, &status);
    mpi_expect(test, good == (first == test->ranks), "agreed on %d", good);
    if (!good)
        mpi_expect(test, status.code == EXIT_CODE_FILES && strcmp(status.text, text) == 0,
                   "status %d \"%s\"", status.code, status.text);
}

/* An error on one rank only reaches all. */
static void expect_lone_error(struct mpi_test *test, int bad) {
    struct status status = {0};
    char text[64];
    snprintf(text, sizeof text, "only rank %d", bad);
    if (test->rank == bad)
        status_fail(&status, EXIT_CODE_ENVIRONMENT, "%s", text);
    mpi_expect(test, !team_agree(test->team, &status), "rank %d's error is lost", bad);
    mpi_expect(test, status.code == EXIT_CODE_ENVIRONMENT && strcmp(status.text, text) == 0,
               "status %d \"%s\"", status.code, status.text);
}

static void test_agreement(struct mpi_test *test) {
    for (int rank = 0; rank <= test->ranks; rank++)
        expect_agreement(test, rank);
    for (int rank = 0; rank < test->ranks; rank++)
        expect_lone_error(test, rank);
}

static void test_share(struct mpi_test *test) {
    enum { BYTES = 100003 };
    unsigned char *data = malloc(BYTES);
    if (!mpi_expect(test, data != NULL, "no memory"))
        team_abort(test->team, EXIT_CODE_INTERNAL);
    for (int i = 0; i < BYTES; i++)
        data[i] = test->rank == 0 ? (unsigned char)(i % 251) : 255;
    team_share(test->team, data, BYTES);
    int wrong = 0;
    for (int i = 0; i < BYTES; i++)
        wrong += data[i] != i % 251;
    mpi_expect(test, wrong == 0, "%d bytes differ after team_share", wrong);
    free(data);
}

static void test_gather(struct mpi_test *test) {
    int mine[2] = {test->rank, 10 * test->rank + 7};
    int *all = test->rank == 0 ? calloc((size_t)test->ranks, sizeof mine) : NULL;
    team_gather(test->team, mine, sizeof mine, all);
    for (int r = 0; all != NULL && r < test->ranks; r++)
        mpi_expect(test, all[2 * r] == r && all[2 * r + 1] == 10 * r + 7, "gathered %d %d from %d",
                   all[2 * r], all[2 * r + 1], r);
    free(all);
}

static void test_reductions(struct mpi_test *test) {
    int64_t last = test->ranks - 1, most[] = {test->rank, -test->rank};
    int64_t sum[] = {INT64_MAX, test->rank};
    team_max(test->team, most, 2);
    mpi_expect(test, most[0] == last && most[1] == 0, "maxima");
    team_sum(test->team, sum, 2);
    uint64_t wrapped = (uint64_t)INT64_MAX * (uint64_t)test->ranks;
    mpi_expect(test, (uint64_t)sum[0] == wrapped, "sum modulo 2^64");
    mpi_expect(test, sum[1] == last * test->ranks / 2, "sum of ranks");
}

static void test_or(struct mpi_test *test) {
    uint64_t bits[] = {UINT64_C(1) << test->rank, UINT64_C(1) << 63, 0};
    team_or_to_root(test->team, bits, 3);
    uint64_t all_ranks = (UINT64_C(1) << test->ranks) - 1;
    if (test->rank == 0)
        mpi_expect(test, bits[0] == all_ranks && bits[1] == UINT64_C(1) << 63 && bits[2] == 0,
                   "or of all ranks");
}

/* Votes are read after other collectives have gone by, and posted values may change meanwhile. */
static void test_vote(struct mpi_test *test) {
    struct team_vote *vote = team_vote_make(test->team);
    for (int64_t round = 0; round < 3; round++) {
        int64_t mine[TEAM_VOTE_VALUES] = {test->rank, -test->rank, round, INT64_MIN};
        int64_t most[TEAM_VOTE_VALUES], other = test->rank;
        team_vote_post(vote, mine);
        memset(mine, 0x7f, sizeof mine);
        team_barrier(test->team);
        team_max(test->team, &other, 1);
        team_vote_read(vote, most);
        mpi_expect(test,
                   most[0] == test->ranks - 1 && most[1] == 0 && most[2] == round &&
                       most[3] == INT64_MIN && other == test->ranks - 1,
                   "vote %d", (int)round);
    }
    int64_t left_open[TEAM_VOTE_VALUES] = {0};
    team_vote_post(vote, left_open);
    team_vote_free(vote);
}

int main(int argc, char **argv) {
    struct mpi_test test = mpi_test_start(&argc, &argv);
    test_facts(&test);
    test_cures(&test);
    test_agreement(&test);
    test_share(&test);
    test_gather(&test);
    test_reductions(&test);
    test_or(&test);
    test_vote(&test);
    return mpi_test_end(&test);
}
