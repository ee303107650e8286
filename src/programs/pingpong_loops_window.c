/* The pattern "window": no message, the reader copies from the other's memory in a window that both
 * share. And the probe of how far the cores are, a flag that goes there and back.
 *
 * Each rank writes its own flags only. In repetition e rank 0 of the pair counts its turn to 2e
 * when its data may be read and to 2e + 1 when it has copied the other's; rank 1 to 2e when its
 * data have been rewritten and to 2e + 1 when it has copied those of rank 0, which also says that
 * its own may be read. Data change in every repetition, before the clock starts: a copy that the
 * reader's cache still holds is of no use to it. */
#include "funnel/clock.h"
#include "pingpong_loops_parts.h"
#include "pingpong_payload.h"
#include <math.h>
#include <sched.h>
#include <string.h>

enum { POLLS_CROWDED = 20, POLLS = 10000, PROBE_TRIPS = 100, PROBE_BATCHES = 3 };

static void *piece_of(const struct pingpong_link *link, int rank) {
    MPI_Aint bytes;
    int unit;
    void *start = NULL;
    mpi_check(MPI_Win_shared_query(link->window, rank, &bytes, &unit, &start),
              "MPI_Win_shared_query");
    return start;
}

void pingpong_window_open(struct pingpong_link *link, size_t bytes) {
    void *start = NULL;
    const size_t lines = (bytes + PINGPONG_LINE_BYTES - 1) / PINGPONG_LINE_BYTES;
    const size_t all = sizeof *link->mine + lines * PINGPONG_LINE_BYTES;
    mpi_check(
        MPI_Win_allocate_shared((MPI_Aint)all, 1, MPI_INFO_NULL, link->pair, &start, &link->window),
        "MPI_Win_allocate_shared");
    mpi_check(MPI_Win_lock_all(MPI_MODE_NOCHECK, link->window), "MPI_Win_lock_all");
    link->mine = piece_of(link, link->me);
    link->theirs = piece_of(link, link->other);
    link->my_data = (char *)(link->mine + 1);
    link->their_data = (char *)(link->theirs + 1);
    atomic_init(&link->mine->turn, 1); /* repetition 0 is done */
    atomic_init(&link->mine->probe, 0);
    mpi_check(MPI_Win_sync(link->window), "MPI_Win_sync");
    mpi_check(MPI_Barrier(link->pair), "MPI_Barrier");
}

void pingpong_window_close(struct pingpong_link *link) {
    if (link->window == MPI_WIN_NULL)
        return;
    mpi_check(MPI_Win_unlock_all(link->window), "MPI_Win_unlock_all");
    mpi_check(MPI_Win_free(&link->window), "MPI_Win_free");
}

/* Waits until the other's flag has come to `count`; where processors are short it gives way. */
static void wait_for(const struct pingpong_link *link, const atomic_uint_least64_t *flag,
                     uint64_t count) {
    const int most = link->yields ? POLLS_CROWDED : POLLS;
    for (int polls = 0; atomic_load_explicit(flag, memory_order_acquire) < count;)
        if (++polls == most) {
            polls = 0;
            sched_yield();
        }
}

static void tell(const struct pingpong_link *link, atomic_uint_least64_t *flag, uint64_t count) {
    mpi_check(MPI_Win_sync(link->window), "MPI_Win_sync");
    atomic_store_explicit(flag, count, memory_order_release);
}

void pingpong_window_prepare(struct pingpong_link *link) {
    link->round++;
    if (link->me == 1)
        wait_for(link, &link->theirs->turn, 2 * link->round - 1);
    payload_fill(link->out, link->bytes, payload_seed(link->bytes, link->number, link->me));
    if (link->me == 1)
        tell(link, &link->mine->turn, 2 * link->round);
    else
        wait_for(link, &link->theirs->turn, 2 * link->round);
}

/* Copies what the other has prepared, which lies in its data where ours lie in ours. */
static void copy(const struct pingpong_link *link) {
    mpi_check(MPI_Win_sync(link->window), "MPI_Win_sync");
    memcpy(link->in, link->their_data + (link->out - link->my_data), (size_t)link->bytes);
}

void pingpong_window_round(struct pingpong_link *link) {
    const uint64_t ready = 2 * link->round, done = ready + 1;
    if (link->me == 0) {
        tell(link, &link->mine->turn, ready);
        wait_for(link, &link->theirs->turn, done);
        copy(link);
        tell(link, &link->mine->turn, done);
    } else {
        wait_for(link, &link->theirs->turn, ready);
        copy(link);
        tell(link, &link->mine->turn, done);
    }
}

/* The flag there and back, PROBE_TRIPS times. */
static void hand_over(struct pingpong_link *link) {
    for (int trip = 0; trip < PROBE_TRIPS; trip++) {
        link->probe++;
        if (link->me == 1)
            wait_for(link, &link->theirs->probe, link->probe);
        atomic_store_explicit(&link->mine->probe, link->probe, memory_order_release);
        if (link->me == 0)
            wait_for(link, &link->theirs->probe, link->probe);
    }
}

double pingpong_probe_s(struct pingpong_link *link) {
    double best_s = HUGE_VAL;
    if (link->window == MPI_WIN_NULL)
        return nan("");
    for (int batch = 0; batch < PROBE_BATCHES; batch++) {
        const double start_s = clock_now_s();
        hand_over(link);
        best_s = fmin(best_s, clock_now_s() - start_s);
    }
    return best_s / PROBE_TRIPS;
}
