/* The binding report of a team: complete on rank 0, its problem count known to all, and a thread
 * that was moved between two reports is named. */
#include "funnel/binding_report.h"
#include "mpi_test.h"
#include <sched.h>
#include <stdlib.h>
#include <string.h>

static void expect_all_ranks(struct mpi_test *test, const struct binding_report *report) {
    for (int rank = 0; test->rank == 0 && rank < test->ranks; rank++) {
        const struct rank_place *place = binding_report_rank(report, rank);
        const struct thread_place *threads = binding_report_threads(report, rank);
        mpi_expect(test, place->rank == rank && place->node_rank == rank, "rank %d is %d of node",
                   rank, place->node_rank);
        mpi_expect(test, place->job_ranks == test->ranks, "%d ranks in all", place->job_ranks);
        mpi_expect(test, place->threads > 0, "rank %d has no threads", rank);
        for (int i = 0; i < place->threads; i++)
            mpi_expect(test,
                       threads[i].thread == i && cpu_set_within(&threads[i].allowed, &place->mask),
                       "rank %d thread %d", rank, threads[i].thread);
        mpi_expect(test, binding_report_place_text(report, rank)[0] != '\0', "rank %d has no text",
                   rank);
    }
}

static void expect_same_count(struct mpi_test *test, const struct binding_report *report) {
    const int count = binding_report_problem_count(report);
    int64_t most[] = {count, -count};
    team_max(test->team, most, 2);
    mpi_expect(test, most[0] == -most[1], "%d to %d problems", (int)-most[1], (int)most[0]);
}

/* Confines the calling thread to one of the PUs it may use; false if it has only one. */
static bool narrow(void) {
    cpu_set_t mask, one;
    if (sched_getaffinity(0, sizeof mask, &mask) != 0 || CPU_COUNT(&mask) < 2)
        return false;
    int cpu = 0;
    while (!CPU_ISSET(cpu, &mask))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0;
}

/* Changes that rank 0 finds, the words for them in `text` (owned by the caller); 0 elsewhere. */
static int changes(struct mpi_test *test, const struct binding_report *before, char **text) {
    size_t size = 0;
    struct binding_report *after = binding_take(test->team);
    FILE *out = open_memstream(text, &size);
    const int count =
        test->rank == 0 && out != NULL ? binding_report_changes(before, after, out) : 0;
    if (out != NULL)
        fclose(out);
    binding_report_free(after);
    return count;
}

static void expect_changes(struct mpi_test *test, const struct binding_report *before) {
    char *text = NULL, expected[32];
    const int last = test->ranks - 1;
    int count = changes(test, before, &text);
    mpi_expect(test, count == 0, "%d changes where none is", count);
    free(text);
    int64_t narrowed = test->rank == last && narrow();
    team_max(test->team, &narrowed, 1);
    count = changes(test, before, &text);
    snprintf(expected, sizeof expected, "rank %d ", last);
    if (test->rank == 0) {
        mpi_expect(test, count == (int)narrowed, "%d changes", count);
        mpi_expect(test, narrowed == 0 || strncmp(text, expected, strlen(expected)) == 0,
                   "the change is: %s", text);
    }
    free(text);
}

int main(int argc, char **argv) {
    struct mpi_test test = mpi_test_start(&argc, &argv);
    struct binding_report *report = binding_take(test.team);
    expect_all_ranks(&test, report);
    expect_same_count(&test, report);
    expect_changes(&test, report);
    binding_report_free(report);
    return mpi_test_end(&test);
}
