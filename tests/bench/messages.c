/* What pingpong adds to a message: its own loop, of one byte, against the smallest loop of MPI_Send
 * and MPI_Recv that can be written, by turns of a few milliseconds in one run. In virtual machines
 * the distance of two cores changes within seconds, so what counts is the ratio of each turn. */
#include "../../src/programs/pingpong_loops.h"
#include "funnel/clock.h"
#include "funnel/record_values.h"
#include "funnel/streams.h"
#include "funnel/team_mpi.h"
#include <stdlib.h>
#include <string.h>

enum { TURNS = 201, REPEATS = 1000, BATCH = 10, BATCHES = REPEATS / BATCH };

static const double target_ratio = 1.05;

/* One turn of both. */
struct turns {
    double smallest_s[TURNS], pingpong_s[TURNS], ratio[TURNS], probe_s[TURNS];
};

/* The smallest loop: nothing else between two round trips, the clock once in ten. The messages of
 * the two ranks go through buffers of their own, as those of pingpong do. */
static double batch_s(int rank, MPI_Comm comm) {
    char out = 1, in = 0;
    const double start_s = clock_now_s();
    for (int i = 0; i < BATCH; i++)
        if (rank == 0) {
            mpi_check(MPI_Send(&out, 1, MPI_BYTE, 1, 0, comm), "MPI_Send");
            mpi_check(MPI_Recv(&in, 1, MPI_BYTE, 1, 0, comm, MPI_STATUS_IGNORE), "MPI_Recv");
        } else {
            mpi_check(MPI_Recv(&in, 1, MPI_BYTE, 0, 0, comm, MPI_STATUS_IGNORE), "MPI_Recv");
            mpi_check(MPI_Send(&out, 1, MPI_BYTE, 0, 0, comm), "MPI_Send");
        }
    return (clock_now_s() - start_s) / (2 * BATCH);
}

static double smallest_s(int rank, MPI_Comm comm) {
    double half_s[BATCHES];
    for (int i = 0; i < BATCHES; i++)
        half_s[i] = batch_s(rank, comm);
    return samples_summarize(half_s, BATCHES).median;
}

/* What reading the clock adds to a time between two readings, as pingpong takes it off. */
static double clock_cost_s(void) {
    double cost_s[BATCHES];
    for (int i = 0; i < BATCHES; i++) {
        const double start_s = clock_now_s();
        cost_s[i] = clock_now_s() - start_s;
    }
    return samples_summarize(cost_s, BATCHES).median;
}

static void take_turns(struct turns *turns, struct team *team, struct pingpong_link *link,
                       struct status *status) {
    const struct pingpong_size size = {.bytes = 1, .repeats = REPEATS, .warmup = REPEATS / 10};
    const double clock_s = clock_cost_s();
    for (int i = 0; i < TURNS; i++) {
        team_barrier(team);
        turns->smallest_s[i] = smallest_s(team_facts(team)->rank, team_communicator(team));
        const struct pingpong_result result = pingpong_link_run(link, &size, clock_s, status);
        turns->pingpong_s[i] = result.time_s.median;
        turns->probe_s[i] = result.probe_s;
        turns->ratio[i] = turns->pingpong_s[i] / turns->smallest_s[i];
    }
}

static json_t *summary_json(const struct samples_summary *summary) {
    return json_pack("{s:f,s:f,s:f,s:f,s:f}", "median", summary->median, "median_low",
                     summary->median_low, "median_high", summary->median_high, "p5", summary->p5,
                     "p95", summary->p95);
}

/* Rank 0. Sorts the turns. */
static void report(struct turns *turns, const char *path, int argc, char **argv,
                   const struct team_facts *facts, struct status *status) {
    const struct samples_summary smallest = samples_summarize(turns->smallest_s, TURNS);
    const struct samples_summary pingpong = samples_summarize(turns->pingpong_s, TURNS);
    const struct samples_summary ratio = samples_summarize(turns->ratio, TURNS);
    const struct samples_summary probe = samples_summarize(turns->probe_s, TURNS);
    printf("one byte, medians of %d turns: smallest loop %.4f us, pingpong %.4f us, ratio %.3f "
           "(median between %.3f and %.3f, 90 %% of the turns %.3f to %.3f), probe %.0f ns\n"
           "target at most %.2f: %s\n",
           TURNS, 1e6 * smallest.median, 1e6 * pingpong.median, ratio.median, ratio.median_low,
           ratio.median_high, ratio.p5, ratio.p95, 1e9 * probe.median, target_ratio,
           ratio.median <= target_ratio ? "reached" : "not reached");
    if (!path)
        return;
    const struct record_input input = {
        .program = "bench_messages", .argc = argc, .argv = argv, .team = facts};
    json_t *record = json_object();
    record_put_origin(record, &input);
    record_put(record, "turns", json_integer(TURNS));
    record_put(record, "smallest_s", summary_json(&smallest));
    record_put(record, "pingpong_s", summary_json(&pingpong));
    record_put(record, "ratio", summary_json(&ratio));
    record_put(record, "probe_s", summary_json(&probe));
    record_put(record, "target_ratio", record_number(target_ratio));
    record_put_surroundings(record, &input);
    record_dump(path, record, status);
    json_decref(record);
}

static void measure(struct team *team, int argc, char **argv, struct status *status) {
    const struct pingpong_wish wish = {
        .repeats = REPEATS, .repeats_large = 1, .min_bytes = 1, .max_bytes = 1};
    struct pingpong_plan plan;
    struct turns turns;
    pingpong_plan_make(&plan, &wish, &pingpong_patterns[0], team_facts(team)->ranks, 0, status);
    if (team_facts(team)->ranks > 2)
        status_fail(status, EXIT_CODE_USAGE, "two ranks are enough");
    struct pingpong_link *link =
        team_agree(team, status) ? pingpong_link_make(team, &plan, status) : NULL;
    if (!link)
        return;
    take_turns(&turns, team, link, status);
    pingpong_link_free(link);
    if (team_facts(team)->rank == 0)
        report(&turns, argc > 1 ? argv[1] : NULL, argc, argv, team_facts(team), status);
}

/* usage: mpiexec -n 2 bench_messages [RECORD] */
int main(int argc, char **argv) {
    struct status status = {.code = EXIT_CODE_DONE};
    streams_open();
    struct team *team = team_start(&argc, &argv, &status);
    if (team && status_good(&status))
        measure(team, argc, argv, &status);
    if (!status_good(&status) && (!team || team_facts(team)->rank == 0))
        status_print("bench_messages", &status);
    team_end(team);
    return status.code;
}
