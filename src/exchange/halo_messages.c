/* Who the neighbours are and what each message carries. One row lies in one piece and is sent in
 * place, several whole rows by a vector type; columns and corners are packed by hand, which is
 * faster than a type of many short pieces, unless the variant wants types throughout. */
#include "halo_parts.h"
#include <stdlib.h>

/* The rank one step away in a direction, MPI_PROC_NULL beyond a physical side. */
static int rank_towards(const struct halo *halo, int x, int y) {
    int at[AXIS_COUNT];
    process_grid_coordinates(&halo->process_grid, halo->rank, at);
    at[AXIS_X] += x;
    at[AXIS_Y] += y;
    int neighbour = process_grid_rank(&halo->process_grid, at);
    return neighbour < 0 ? MPI_PROC_NULL : neighbour;
}

/* In two stages, rows take along the part of the x halo that the first stage has filled. */
static struct width width_of_rows(const struct halo *halo) {
    local_index nx = halo->layout.nx;
    if (halo->variant->order == HALO_AT_ONCE)
        return (struct width){0, nx};
    int depth = halo->layout.depth;
    bool west = rank_towards(halo, -1, 0) != MPI_PROC_NULL;
    bool east = rank_towards(halo, 1, 0) != MPI_PROC_NULL;
    return (struct width){west ? -depth : 0, east ? nx + depth : nx};
}

static void take_buffers(struct halo_message *message, struct status *status) {
    size_t bytes = (size_t)message->points * sizeof(double);
    message->send_buffer = malloc(bytes);
    message->receive_buffer = malloc(bytes);
    if (message->send_buffer == NULL || message->receive_buffer == NULL)
        status_fail(status, EXIT_CODE_ENVIRONMENT, "no memory for halo buffers of %zu bytes",
                    2 * bytes);
}

/* A box of several rows in the field. Both ends of a message have the same shape, thus one type. */
static MPI_Datatype make_type(const struct halo *halo, struct region box) {
    MPI_Datatype type;
    MPI_Aint stride_bytes = (MPI_Aint)(halo->layout.pitch * (int64_t)sizeof(double));
    mpi_check(MPI_Type_create_hvector((int)(box.y1 - box.y0), (int)(box.x1 - box.x0), stride_bytes,
                                      MPI_DOUBLE, &type),
              "MPI_Type_create_hvector");
    mpi_check(MPI_Type_commit(&type), "MPI_Type_commit");
    return type;
}

static void choose_handing(const struct halo *halo, struct travel travel,
                           struct halo_message *message, struct status *status) {
    bool one_row = message->send.y1 - message->send.y0 == 1;
    bool used = message->to != MPI_PROC_NULL || message->from != MPI_PROC_NULL;
    message->type = MPI_DOUBLE;
    if (one_row || !used)
        return;
    if (travel.x != 0 && halo->variant->packs)
        take_buffers(message, status);
    else
        message->type = make_type(halo, message->send);
}

static void make_message(struct halo *halo, struct travel travel, struct status *status) {
    struct width width = width_of_rows(halo);
    struct halo_message *message = &halo->message[halo->messages];
    *message = (struct halo_message){.to = rank_towards(halo, travel.x, travel.y),
                                     .from = rank_towards(halo, -travel.x, -travel.y),
                                     .tag = halo->messages,
                                     .send = travel_send_box(&halo->layout, travel, width),
                                     .receive = travel_receive_box(&halo->layout, travel, width),
                                     .type = MPI_DOUBLE};
    message->send_to = message->to;
    message->receive_from = message->from;
    halo->messages++;
    if (box_count(message->send, &message->points))
        choose_handing(halo, travel, message, status);
    else
        status_fail(status, EXIT_CODE_USAGE,
                    "a halo message would carry %" PRId64 " points, MPI counts to 2147483647: use "
                    "more ranks or a smaller parallel.halo_depth",
                    region_points(message->send));
}

void halo_messages_make(struct halo *halo, struct status *status) {
    bool at_once = halo->variant->order == HALO_AT_ONCE;
    const struct travel *travels = at_once ? travels_at_once : travels_x_then_y;
    int count = at_once ? TRAVELS_AT_ONCE : TRAVELS_X_THEN_Y;
    for (int t = 0; t < (halo->layout.dimensions == 1 ? 2 : count); t++)
        make_message(halo, travels[t], status);
}

void halo_messages_release(struct halo *halo) {
    for (int m = 0; m < halo->messages; m++) {
        struct halo_message *message = &halo->message[m];
        if (message->type != MPI_DOUBLE)
            mpi_check(MPI_Type_free(&message->type), "MPI_Type_free");
        free(message->send_buffer);
        free(message->receive_buffer);
    }
}

static struct halo_end end_of(const struct halo *halo, const struct halo_message *message,
                              struct region box, double *values, double *buffer) {
    double *start = buffer != NULL ? buffer : values + box_offset(&halo->layout, box);
    int count = message->type == MPI_DOUBLE ? message->points : 1;
    return (struct halo_end){start, count, message->type};
}

struct halo_end halo_send_end(const struct halo *halo, int message, double *values) {
    const struct halo_message *m = &halo->message[message];
    return end_of(halo, m, m->send, values, m->send_buffer);
}

struct halo_end halo_receive_end(const struct halo *halo, int message, double *values) {
    const struct halo_message *m = &halo->message[message];
    return end_of(halo, m, m->receive, values, m->receive_buffer);
}
