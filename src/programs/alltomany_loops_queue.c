/* The queue of receives that a message is matched against, and that of messages that no receive
 * waits for: how the time to post and to wait grows with their lengths. */
#include "alltomany_queue.h"
#include "funnel/clock.h"
#include "funnel/team_mpi.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct queue {
    struct team *team;
    MPI_Comm comm;
    struct pattern pattern;
    int rank, sources; /* ranks that send to this one */
    int destinations;  /* receivers other than this rank */
    int longest;
    int *sequence;
    unsigned char *arrived, message[QUEUE_MESSAGE_BYTES];
    MPI_Request *receives, *sends;
};

static bool is_receiver(const struct queue *queue) {
    return pattern_receives(&queue->pattern, queue->rank);
}

/* The largest tag that MPI takes. */
static int largest_tag(MPI_Comm comm) {
    int *value = NULL, found = 0;
    mpi_check(MPI_Comm_get_attr(comm, MPI_TAG_UB, &value, &found), "MPI_Comm_get_attr");
    return found ? *value : SHRT_MAX;
}

bool queue_check(const struct team *team, const struct pattern *pattern, int longest,
                 struct status *status) {
    /* requests of a receiver: one each other rank it gets from, one each receiver it sends to */
    const int a_message = pattern->ranks - 1 + pattern_receivers(pattern) - 1;
    if (pattern->ranks < 2)
        status_fail(status, EXIT_CODE_USAGE, "command line: --queue needs 2 ranks or more");
    else if ((int64_t)longest * a_message >= QUEUE_REQUESTS)
        status_fail(status, EXIT_CODE_USAGE,
                    "command line: --queue: %d are more requests than MPICH has with %d ranks and "
                    "%d receivers; give at most %d",
                    longest, pattern->ranks, pattern_receivers(pattern),
                    (QUEUE_REQUESTS - 1) / a_message);
    else if (longest > largest_tag(team_communicator(team)))
        status_fail(status, EXIT_CODE_USAGE,
                    "command line: --queue: %d are more tags than MPI has; give at most %d",
                    longest, largest_tag(team_communicator(team)));
    return status_good(status);
}

static void take_arrays(struct queue *queue, struct status *status) {
    const size_t longest = (size_t)queue->longest, one = 1;
    const size_t incoming = is_receiver(queue) ? longest * (size_t)queue->sources : one;
    queue->sequence = calloc(longest, sizeof *queue->sequence);
    queue->arrived = calloc(incoming, QUEUE_MESSAGE_BYTES);
    queue->receives = calloc(incoming, sizeof *queue->receives);
    queue->sends = calloc(longest * (size_t)queue->destinations + one, sizeof *queue->sends);
    if (queue->sequence == NULL || queue->arrived == NULL || queue->receives == NULL ||
        queue->sends == NULL)
        status_fail(status, EXIT_CODE_ENVIRONMENT, "no memory for queues of %d messages",
                    queue->longest);
}

struct queue *queue_make(struct team *team, const struct pattern *pattern, int longest,
                         struct status *status) {
    const struct team_facts *facts = team_facts(team);
    struct queue *queue = calloc(1, sizeof *queue);
    if (queue == NULL) {
        status_fail(status, EXIT_CODE_ENVIRONMENT, "no memory for queues");
    } else {
        const bool receives = pattern_receives(pattern, facts->rank);
        *queue = (struct queue){.team = team,
                                .comm = team_communicator(team),
                                .pattern = *pattern,
                                .rank = facts->rank,
                                .sources = facts->ranks - 1,
                                .destinations = pattern_receivers(pattern) - receives,
                                .longest = longest};
        take_arrays(queue, status);
    }
    if (team_agree(team, status))
        return queue;
    queue_release(queue);
    return NULL;
}

void queue_release(struct queue *queue) {
    if (queue == NULL)
        return;
    free(queue->sends);
    free(queue->receives);
    free(queue->arrived);
    free(queue->sequence);
    free(queue);
}

int64_t queue_messages(const struct queue *queue, const struct queue_plan *plan) {
    return (int64_t)plan->length * queue->sources;
}

/* Returns the number of receives. */
static int post_receives(struct queue *queue, int length) {
    int posted = 0;
    for (int source = 0; source < queue->pattern.ranks; source++) {
        if (source == queue->rank)
            continue;
        for (int i = 0; i < length; i++, posted++)
            mpi_check(MPI_Irecv(queue->arrived + (size_t)posted * QUEUE_MESSAGE_BYTES,
                                QUEUE_MESSAGE_BYTES, MPI_BYTE, source, queue->sequence[i],
                                queue->comm, &queue->receives[posted]),
                      "MPI_Irecv");
    }
    return posted;
}

/* Returns the number of sends. */
static int post_sends(struct queue *queue, int length) {
    int posted = 0;
    for (int i = 0; i < pattern_receivers(&queue->pattern); i++) {
        const int receiver = pattern_receiver(&queue->pattern, i);
        for (int tag = 0; receiver != queue->rank && tag < length; tag++)
            mpi_check(MPI_Isend(queue->message, QUEUE_MESSAGE_BYTES, MPI_BYTE, receiver, tag,
                                queue->comm, &queue->sends[posted++]),
                      "MPI_Isend");
    }
    return posted;
}

static int post_timed(struct queue *queue, int length, double *seconds) {
    const double start = clock_now_s();
    const int posted = is_receiver(queue) ? post_receives(queue, length) : 0;
    *seconds = is_receiver(queue) ? clock_now_s() - start : 0;
    return posted;
}

/* Receives first, then a barrier, then sends; or sends, a barrier, by which they have arrived, then
 * receives. Sends are waited for last: that ends with any amount of buffering. */
struct queue_times queue_run(struct queue *queue, const struct queue_plan *plan) {
    struct queue_times times = {0};
    int receives = 0, sends = 0;
    pattern_sequence(plan->order, (uint64_t)queue->rank, queue->sequence, plan->length);
    team_barrier(queue->team);
    if (plan->posted_first)
        receives = post_timed(queue, plan->length, &times.post_s);
    else
        sends = post_sends(queue, plan->length);
    team_barrier(queue->team);
    if (plan->posted_first)
        sends = post_sends(queue, plan->length);
    else
        receives = post_timed(queue, plan->length, &times.post_s);
    const double start = clock_now_s();
    mpi_check(MPI_Waitall(receives, queue->receives, MPI_STATUSES_IGNORE), "MPI_Waitall");
    times.wait_s = is_receiver(queue) ? clock_now_s() - start : 0;
    mpi_check(MPI_Waitall(sends, queue->sends, MPI_STATUSES_IGNORE), "MPI_Waitall");
    return times;
}
