/* The loops that are measured. A pattern is a row of the table at the end and one function that
 * does a repetition on either rank; everything around it is the same for all. */
#include "pingpong_loops_parts.h"

#include "funnel/clock.h"
#include "funnel/memory.h"
#include "pingpong_payload.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TAG = 1, CLASH_BYTES = 64 };

static void send(struct pingpong_link *link) {
    mpi_check(MPI_Send(link->out, link->bytes, MPI_BYTE, link->other, TAG, link->pair), "MPI_Send");
}

static void receive(struct pingpong_link *link) {
    mpi_check(
        MPI_Recv(link->in, link->bytes, MPI_BYTE, link->other, TAG, link->pair, MPI_STATUS_IGNORE),
        "MPI_Recv");
}

static void pingpong(struct pingpong_link *link) {
    if (link->me == 0) {
        send(link);
        receive(link);
    } else {
        receive(link);
        send(link);
    }
}

static void wait_for_stream(struct pingpong_link *link) {
    mpi_check(MPI_Waitall(PINGPONG_IN_FLIGHT, link->request, MPI_STATUSES_IGNORE), "MPI_Waitall");
}

/* All messages leave from one buffer and arrive in one each; an empty message says that they have.
 */
static void stream(struct pingpong_link *link) {
    for (int i = 0; i < PINGPONG_IN_FLIGHT; i++)
        if (link->me == 0)
            mpi_check(MPI_Isend(link->out, link->bytes, MPI_BYTE, link->other, TAG, link->pair,
                                &link->request[i]),
                      "MPI_Isend");
        else
            mpi_check(MPI_Irecv(link->in + (ptrdiff_t)i * link->bytes, link->bytes, MPI_BYTE,
                                link->other, TAG, link->pair, &link->request[i]),
                      "MPI_Irecv");
    wait_for_stream(link);
    if (link->me == 0)
        mpi_check(MPI_Recv(NULL, 0, MPI_BYTE, link->other, TAG, link->pair, MPI_STATUS_IGNORE),
                  "MPI_Recv");
    else
        mpi_check(MPI_Send(NULL, 0, MPI_BYTE, link->other, TAG, link->pair), "MPI_Send");
}

static void bidirectional(struct pingpong_link *link) {
    mpi_check(MPI_Sendrecv(link->out, link->bytes, MPI_BYTE, link->other, TAG, link->in,
                           link->bytes, MPI_BYTE, link->other, TAG, link->pair, MPI_STATUS_IGNORE),
              "MPI_Sendrecv");
}

const struct pingpong_pattern pingpong_patterns[] = {
    {.name = "pingpong",
     .help = "MPI_Send there and back: the time is half the round trip",
     .times = 2,
     .ways = 1,
     .in_flight = 1,
     .round = pingpong},
    {.name = "stream",
     .help = "64 messages in flight, one answer: the time is a 64th of that",
     .times = PINGPONG_IN_FLIGHT,
     .ways = 1,
     .in_flight = PINGPONG_IN_FLIGHT,
     .one_way = true,
     .round = stream},
    {.name = "bidirectional",
     .help = "MPI_Sendrecv, both ways at once: the time of both, and the bytes of both",
     .times = 1,
     .ways = 2,
     .in_flight = 1,
     .round = bidirectional},
    {.name = "halo",
     .help = "MPI_Sendrecv of bytes just written, both ways at once: the time of both",
     .times = 1,
     .ways = 2,
     .in_flight = 1,
     .prepare = pingpong_halo_prepare,
     .round = pingpong_halo_round},
    {.name = "deep-halo",
     .help = "halo, from 1 KiB on in 16 rows with gaps between, by a vector type",
     .times = 1,
     .ways = 2,
     .in_flight = 1,
     .in_rows = true,
     .prepare = pingpong_halo_prepare,
     .round = pingpong_halo_round},
    {.name = "window",
     .help = "no message: copies from the other's memory in an MPI-3 shared window, there and back",
     .times = 2,
     .ways = 1,
     .in_flight = 1,
     .shared = true,
     .prepare = pingpong_window_prepare,
     .round = pingpong_window_round},
};
const int pingpong_pattern_count = sizeof pingpong_patterns / sizeof pingpong_patterns[0];

/* Bytes from the message of one repetition to that of the next when buffers are cycled through: on
 * pages of their own, not all at the same place of a page. */
static size_t stride_of(const struct pingpong_link *link, int messages) {
    const size_t page = 4096, room = link->pattern->in_rows ? 2 : 1;
    const size_t bytes = (size_t)link->bytes * (size_t)messages * room;
    return (bytes + page - 1) / page * page + CLASH_BYTES;
}

/* Takes the next part of a buffer that holds several messages. */
static char *part_of(const struct pingpong_link *link, char *buffer, size_t size, int messages) {
    const size_t stride = stride_of(link, messages), parts = size / stride;
    return link->plan->cold_bytes > 0 ? buffer + link->number % parts * stride : buffer;
}

static void begin_round(struct pingpong_link *link) {
    link->number++;
    link->out = part_of(link, link->send, link->send_bytes, 1);
    link->in = part_of(link, link->receive, link->receive_bytes, link->pattern->in_flight);
}

static void prepare(struct pingpong_link *link) {
    begin_round(link);
    if (link->pattern->prepare)
        link->pattern->prepare(link);
}

static void repeat(struct pingpong_link *link, int count) {
    for (int i = 0; i < count; i++) {
        prepare(link);
        link->pattern->round(link);
    }
}

/* Only the first rank of a pair keeps time: the other goes through the same steps without a clock.
 */
static void repeat_timed(struct pingpong_link *link, int count) {
    for (int i = 0; i < count; i++) {
        prepare(link);
        const double start_s = clock_now_s();
        link->pattern->round(link);
        link->sample_s[i] = clock_now_s() - start_s;
    }
}

static void note_wrong(const struct pingpong_link *link, int part, int repetition, int64_t offset,
                       const unsigned char found, unsigned char expected, struct status *status) {
    status_fail(status, EXIT_CODE_INTERNAL,
                "validation: %d bytes, repetition %d, message %d: byte %" PRId64
                " from rank %d is 0x%02x, "
                "not 0x%02x; no time of this run counts",
                link->bytes, repetition, part, offset, link->other_rank, found, expected);
}

/* Looks at a message, row by row. */
static void check_message(const struct pingpong_link *link, int part, int repetition,
                          struct status *status) {
    const uint64_t seed = payload_seed(link->bytes, link->number, link->other);
    for (int row = 0; row < link->rows && status_good(status); row++) {
        unsigned char expected = 0;
        const char *data =
            link->in + (ptrdiff_t)part * link->bytes + (ptrdiff_t)row * link->row_stride;
        const int64_t wrong =
            payload_first_wrong(data, link->row_bytes, seed + (uint64_t)row, &expected);
        if (wrong >= 0)
            note_wrong(link, part, repetition, (int64_t)row * link->row_bytes + wrong,
                       (unsigned char)data[wrong], expected, status);
    }
}

/* Looks at everything that has arrived in this repetition. */
static void check_arrived(const struct pingpong_link *link, int repetition, struct status *status) {
    for (int part = 0; part < link->pattern->in_flight && status_good(status); part++)
        check_message(link, part, repetition, status);
}

/* The messages as they are timed later, every byte of them checked. */
static void repeat_checked(struct pingpong_link *link, int count, struct status *status) {
    const bool receives = link->me == 1 || !link->pattern->one_way;
    const int64_t room =
        link->rows > 1 ? (link->rows - 1) * link->row_stride + link->row_bytes : link->bytes;
    const int64_t arriving = room * link->pattern->in_flight;
    for (int i = 0; i < count; i++) {
        prepare(link);
        if (!link->pattern->prepare) /* which fills it itself */
            payload_fill(link->out, link->bytes, payload_seed(link->bytes, link->number, link->me));
        if (receives)
            payload_spoil(link->in, arriving, payload_seed(link->bytes, link->number, link->other));
        link->pattern->round(link);
        if (receives)
            check_arrived(link, i, status);
    }
}

/* Pushes the parts that come next out of the caches, by way of all others. */
static void cool(struct pingpong_link *link) {
    if (link->plan->cold_bytes == 0)
        return;
    link->number = 0;
    memset(link->send, 1, link->send_bytes);
    memset(link->receive, 1, link->receive_bytes);
}

static struct samples_summary sum_up(struct pingpong_link *link, int count, double clock_s) {
    for (int i = 0; i < count; i++)
        link->sample_s[i] = fmax(link->sample_s[i] - clock_s, 0) / link->pattern->times;
    return samples_summarize(link->sample_s, link->me == 0 ? count : 0);
}

struct pingpong_result pingpong_link_run(struct pingpong_link *link,
                                         const struct pingpong_size *size, double clock_s,
                                         struct status *status) {
    struct pingpong_result result;
    link->bytes = (int)size->bytes;
    pingpong_rows_begin(link);
    if (link->plan->validate)
        repeat_checked(link, size->repeats, status);
    result.probe_s = pingpong_probe_s(link);
    repeat(link, size->warmup);
    cool(link);
    mpi_check(MPI_Barrier(link->active), "MPI_Barrier");
    if (link->me == 0)
        repeat_timed(link, size->repeats);
    else
        repeat(link, size->repeats);
    pingpong_rows_end(link);
    result.time_s = sum_up(link, size->repeats, clock_s);
    return result;
}

/* Ranks that nobody measures must not take processor time from those that are. */
void pingpong_link_rest(struct pingpong_link *link) {
    const struct timespec nap = {.tv_nsec = 1000000};
    MPI_Request request;
    int all_here = 0;
    mpi_check(MPI_Ibarrier(link->all, &request), "MPI_Ibarrier");
    if (link->pair != MPI_COMM_NULL)
        mpi_check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
    while (link->pair == MPI_COMM_NULL && !all_here) {
        mpi_check(MPI_Test(&request, &all_here, MPI_STATUS_IGNORE), "MPI_Test");
        nanosleep(&nap, NULL);
    }
}

/* Communicators of all who measure, and of each pair. The first rank of a pair is 0 in it. */
static void split(struct pingpong_link *link, int rank) {
    const struct pingpong_plan *plan = link->plan;
    const bool leads = rank >= plan->first && rank < plan->first + plan->pairs;
    link->other_rank = pingpong_peer(plan, rank);
    const int none = link->other_rank < 0 ? MPI_UNDEFINED : 0;
    const int index = rank - (leads ? plan->first : plan->second);
    mpi_check(MPI_Comm_split(link->all, none, rank, &link->active), "MPI_Comm_split");
    mpi_check(MPI_Comm_split(link->all, none == 0 ? index : none, leads ? 0 : 1, &link->pair),
              "MPI_Comm_split");
    link->me = leads ? 0 : 1;
    link->other = 1 - link->me;
}

static bool shares_memory(const struct pingpong_link *link) {
    MPI_Comm node;
    int ranks = 0;
    mpi_check(MPI_Comm_split_type(link->pair, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
              "MPI_Comm_split_type");
    mpi_check(MPI_Comm_size(node, &ranks), "MPI_Comm_size");
    mpi_check(MPI_Comm_free(&node), "MPI_Comm_free");
    return ranks == 2;
}

static int most_repeats(const struct pingpong_plan *plan) {
    int most = 0;
    for (int i = 0; i < plan->sizes; i++)
        most = plan->size[i].repeats > most ? plan->size[i].repeats : most;
    return most;
}

static void take_buffers(struct pingpong_link *link, struct status *status) {
    link->receive = memory_take(link->receive_bytes, status);
    link->send = link->pattern->shared ? link->my_data : memory_take(link->send_bytes, status);
    link->sample_s = calloc((size_t)most_repeats(link->plan), sizeof *link->sample_s);
    if (!link->sample_s)
        status_fail(status, EXIT_CODE_ENVIRONMENT, "no memory for the times of %d repetitions",
                    most_repeats(link->plan));
    if (!status_good(status))
        return;
    memset(link->send, 1, link->send_bytes);
    memset(link->receive, 1, link->receive_bytes);
}

/* The window and the buffers of a rank that has a peer. */
static void equip(struct pingpong_link *link, struct status *status) {
    const bool near = shares_memory(link);
    link->send_bytes = (size_t)pingpong_send_bytes(link->plan);
    link->receive_bytes = (size_t)pingpong_receive_bytes(link->plan);
    if (!near && link->pattern->shared) {
        status_fail(
            status, EXIT_CODE_ENVIRONMENT,
            "--pattern %s: ranks of different nodes share no memory; choose two of one node "
            "with --pair",
            link->pattern->name);
        return;
    }
    if (near)
        pingpong_window_open(link, (size_t)pingpong_window_bytes(link->plan));
    take_buffers(link, status);
}

struct pingpong_link *pingpong_link_make(struct team *team, const struct pingpong_plan *plan,
                                         struct status *status) {
    struct pingpong_link *link = calloc(1, sizeof *link);
    if (!link)
        team_abort(team, EXIT_CODE_ENVIRONMENT);
    link->plan = plan;
    link->pattern = plan->pattern;
    link->all = team_communicator(team);
    link->window = MPI_WIN_NULL;
    link->yields = team_facts(team)->yields;
    split(link, team_facts(team)->rank);
    if (link->pair != MPI_COMM_NULL)
        equip(link, status);
    if (team_agree(team, status))
        return link;
    pingpong_link_free(link);
    return NULL;
}

void pingpong_link_free(struct pingpong_link *link) {
    if (!link)
        return;
    free(link->sample_s);
    memory_release(link->receive, link->receive_bytes);
    if (!link->pattern->shared)
        memory_release(link->send, link->send_bytes);
    if (link->pair != MPI_COMM_NULL) {
        pingpong_window_close(link);
        mpi_check(MPI_Comm_free(&link->pair), "MPI_Comm_free");
        mpi_check(MPI_Comm_free(&link->active), "MPI_Comm_free");
    }
    free(link);
}
