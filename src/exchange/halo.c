/* The part of the halo exchange that all variants share: their table, making and freeing, and the
 * clock around an exchange. */
#include "funnel/clock.h"
#include "halo_parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct halo_variant *const halo_variants[] = {&halo_sendrecv,   &halo_nonblocking,
                                                    &halo_persistent, &halo_neighbor,
                                                    &halo_shared,     &halo_overlap};
const int halo_variant_count = sizeof halo_variants / sizeof *halo_variants;

const struct halo_variant *halo_find(const char *name) {
    for (int v = 0; v < halo_variant_count; v++)
        if (strcmp(halo_variants[v]->name, name) == 0)
            return halo_variants[v];
    return NULL;
}

const struct halo_times *halo_times(const struct halo *halo) {
    return &halo->times;
}

/* Moves up to `seconds` of what one phase got since `before_s`; returns how much. */
static double hide_in_phase(double *phase_s, double before_s, double seconds) {
    double left_s = fmax(before_s, *phase_s - fmax(0, seconds));
    double hidden_s = *phase_s - left_s;
    *phase_s = left_s;
    return hidden_s;
}

/* Whoever asks measured the span with a clock of his own, around what is booked here. */
void halo_hide(struct halo *halo, double seconds) {
    struct halo_times *times = &halo->times;
    const struct halo_times *before = &halo->times_before;
    double transfer_s = hide_in_phase(&times->transfer_s, before->transfer_s, seconds);
    double pack_s = hide_in_phase(&times->pack_s, before->pack_s, seconds - transfer_s);
    times->hidden_s += transfer_s + pack_s;
}

void halo_times_reset(struct halo *halo) {
    halo->times = halo->times_before = (struct halo_times){0};
}

/* True for a message that goes to another rank. */
static bool leaves(const struct halo *halo, int message) {
    int to = halo->message[message].to;
    return to != MPI_PROC_NULL && to != halo->rank;
}

int halo_iterate(const struct halo *halo, const double *values) {
    for (int i = 0; i < halo->memory->iterates; i++)
        if (halo->memory->values[i] == values)
            return i;
    team_fault("a field is exchanged that was not in the halo's plan");
}

/* Runs one half of an exchange; what it does not spend on packing is transfer. */
static void run_timed(struct halo *halo, void (*half)(struct halo *halo, double *values),
                      const struct field *field) {
    double *values = halo->memory->values[halo_iterate(halo, field->values)];
    double start_s = clock_now_s(), packed_s = halo->times.pack_s;
    half(halo, values);
    halo->times.transfer_s += clock_now_s() - start_s - (halo->times.pack_s - packed_s);
}

static void count_messages(struct halo *halo) {
    halo->times.exchanges++;
    for (int m = 0; m < halo->messages; m++)
        if (leaves(halo, m)) {
            halo->times.messages++;
            halo->times.bytes_sent += halo->message[m].points * (int64_t)sizeof(double);
        }
}

void halo_begin(struct halo *halo, const struct field *field) {
    halo->times_before = halo->times;
    run_timed(halo, halo->variant->begin, field);
}

void halo_finish(struct halo *halo, const struct field *field) {
    run_timed(halo, halo->variant->finish, field);
    count_messages(halo);
}

/* All ranks meet: one that waits for a neighbour keeps its next neighbour waiting in turn. */
void halo_meet(struct halo *halo) {
    double start_s = clock_now_s();
    mpi_check(MPI_Barrier(halo->comm), "MPI_Barrier");
    halo->times.wait_s += clock_now_s() - start_s;
}

bool halo_check_sends(const struct halo_variant *variant, bool synchronous, struct status *status) {
    if (synchronous && !variant->synchronous)
        status_fail(status, EXIT_CODE_USAGE,
                    "parallel.synchronous_sends: the halo \"%s\" has no synchronous form; use "
                    "sendrecv, nonblocking or persistent",
                    variant->name);
    return status_good(status);
}

static bool has_neighbours(const struct halo_plan *plan, enum axis axis) {
    return plan->process_grid->count[axis] > 1 || plan->process_grid->periodic[axis];
}

static void check_plan(const struct halo_variant *variant, const struct halo_plan *plan,
                       struct status *status) {
    const struct field_layout *layout = &plan->layout;
    if (variant->shares && plan->memory->window == MPI_WIN_NULL)
        status_fail(status, EXIT_CODE_INTERNAL,
                    "internal fault: the halo \"%s\" needs memory that was taken for it",
                    variant->name);
    halo_check_sends(variant, plan->synchronous_sends, status);
    if ((has_neighbours(plan, AXIS_X) && layout->nx < layout->depth) ||
        (has_neighbours(plan, AXIS_Y) && layout->ny < layout->depth_y))
        status_fail(status, EXIT_CODE_USAGE,
                    "parallel.halo_depth: a rank has %" PRI_INDEX " x %" PRI_INDEX
                    " points, fewer than the halo depth %d: use fewer ranks or a smaller depth",
                    layout->nx, layout->ny, layout->depth);
}

/* All that a rank does alone. What is collective follows once all ranks are known to be well. */
static void prepare(struct halo *halo, const struct halo_plan *plan, struct status *status) {
    halo->process_grid = *plan->process_grid;
    halo->layout = plan->layout;
    halo->memory = plan->memory;
    halo->synchronous = plan->synchronous_sends;
    halo->state = calloc(1, halo->variant->state_bytes);
    if (halo->state == NULL && halo->variant->state_bytes > 0) {
        status_fail(status, EXIT_CODE_ENVIRONMENT, "no memory for a halo exchange");
        return;
    }
    halo_messages_make(halo, status);
}

static struct halo *allocate(const struct team *team, const struct halo_variant *variant,
                             struct status *status) {
    struct halo *halo = calloc(1, sizeof *halo);
    if (halo == NULL) {
        status_fail(status, EXIT_CODE_ENVIRONMENT, "no memory for a halo exchange");
        return NULL;
    }
    halo->variant = variant;
    halo->rank = team->facts.rank;
    halo->yields = team->facts.yields;
    halo->comm = MPI_COMM_NULL;
    return halo;
}

static void free_parts(struct halo *halo) {
    halo_messages_release(halo);
    if (halo->comm != MPI_COMM_NULL)
        mpi_check(MPI_Comm_free(&halo->comm), "MPI_Comm_free");
    free(halo->state);
    free(halo);
}

struct halo *halo_make(struct team *team, const struct halo_variant *variant,
                       const struct halo_plan *plan, struct status *status) {
    struct halo *halo = allocate(team, variant, status);
    check_plan(variant, plan, status);
    if (status_good(status))
        prepare(halo, plan, status);
    if (!team_agree(team, status)) {
        if (halo != NULL)
            free_parts(halo);
        return NULL;
    }
    mpi_check(MPI_Comm_dup(team->comm, &halo->comm), "MPI_Comm_dup");
    if (variant->make != NULL)
        variant->make(halo, status);
    if (team_agree(team, status))
        return halo;
    halo_release(halo);
    return NULL;
}

void halo_release(struct halo *halo) {
    if (halo == NULL)
        return;
    if (halo->variant->release != NULL)
        halo->variant->release(halo);
    free_parts(halo);
}
