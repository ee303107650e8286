/* Time of a sweep on many ranks: what the busiest rank computes, and what it waits for. */
#include "funnel/prediction.h"
#include <math.h>

enum {
    NORM_SWEEPS = 4,     /* a norm takes as long as about four sweeps */
    NORM_REDUCTIONS = 2, /* a maximum and a sum between the ranks */
    NORM_BYTES = 48      /* of the sum */
};

int machine_nodes(const struct machine *machine, int ranks, int threads) {
    const int ranks_per_node = machine->cores / threads;
    return (ranks + ranks_per_node - 1) / ranks_per_node;
}

/* The rank with most points and most neighbours. */
struct busiest {
    global_index points[AXIS_COUNT]; /* along each axis */
    int neighbours[AXIS_COUNT];      /* 0 to 2 */
    int distant[AXIS_COUNT];         /* of these, on another node */
    int depth;                       /* of its halo */
};

static int neighbours_along(int parts, bool periodic) {
    if (periodic)
        return parts > 1 ? 2 : 0;
    return parts > 2 ? 2 : parts - 1;
}

/* A node's block of ranks has one neighbour outside on each side, and where it is one rank thick
 * both neighbours are outside. */
static int distant_along(const struct process_grid *process_grid, int axis, int nodes,
                         int neighbours) {
    const int block = process_grid->node_block[axis];
    if (nodes == 1 || block >= process_grid->count[axis])
        return 0;
    return block == 1 || neighbours == 1 ? neighbours : 1;
}

static struct busiest find_busiest(const struct prediction *prediction, const struct grid *grid) {
    const struct process_grid *process_grid = &prediction->process_grid;
    struct busiest busiest = {.depth = prediction->depth};
    for (int axis = 0; axis < AXIS_COUNT; axis++) {
        const int parts = process_grid->count[axis];
        busiest.points[axis] = extent_of(grid->points[axis], parts, 0).count;
        busiest.neighbours[axis] = neighbours_along(parts, process_grid->periodic[axis]);
        busiest.distant[axis] =
            distant_along(process_grid, axis, prediction->nodes, busiest.neighbours[axis]);
    }
    return busiest;
}

/* The depth asked for, or the narrowest part of any rank along an axis with neighbours. */
static int usable_depth(const struct prediction *prediction, const struct run_case *run) {
    global_index depth = run->depth;
    for (int axis = 0; axis < AXIS_COUNT; axis++) {
        const int parts = prediction->process_grid.count[axis];
        const global_index narrowest = run->grid->points[axis] / parts;
        if (parts > 1 && narrowest < depth)
            depth = narrowest;
    }
    return (int)depth;
}

/* Points computed a sweep, the mean over the sweeps between two exchanges: k sweeps before the next
 * one the region reaches k points beyond each edge with a neighbour. */
static double mean_points(const struct busiest *busiest, int depth) {
    const double nx = (double)busiest->points[AXIS_X], ny = (double)busiest->points[AXIS_Y];
    const int sides_x = busiest->neighbours[AXIS_X], sides_y = busiest->neighbours[AXIS_Y];
    const double mean_k = (depth - 1) / 2.0;
    const double mean_k_squared = (depth - 1) * (2.0 * depth - 1) / 6;
    return nx * ny + (nx * sides_y + ny * sides_x) * mean_k + sides_x * sides_y * mean_k_squared;
}

static double compute_s(const struct machine *machine, const struct run_case *run,
                        const struct prediction *prediction, const struct busiest *busiest,
                        int kernel) {
    const double points = ceil(mean_points(busiest, prediction->depth) / run->threads);
    const int64_t used = (int64_t)run->ranks * run->threads;
    const int filled = machine->cores / run->threads * run->threads;
    const struct core_load load = {.points = points,
                                   .working_set_bytes =
                                       points * run->arrays * (double)sizeof(double),
                                   .bytes_per_point = run->bytes_per_point,
                                   .sweeps_in_pass = prediction->depth,
                                   .cores = used < filled ? (int)used : filled};
    return roofline_sweep_s(&machine->kernels[kernel], &machine->copy, &load);
}

static void choose_kernel(struct prediction *prediction, const struct machine *machine,
                          const struct run_case *run, const struct busiest *busiest) {
    prediction->compute_s = INFINITY;
    for (int kernel = 0; kernel < machine->kernel_count; kernel++) {
        if (run->kernel >= 0 && run->kernel != kernel)
            continue;
        /* with one sweep between exchanges there is nothing to do in passes */
        if (run->kernel < 0 && machine->kernels[kernel].in_passes && prediction->depth == 1)
            continue;
        const double time_s = compute_s(machine, run, prediction, busiest, kernel);
        if (time_s < prediction->compute_s) {
            prediction->compute_s = time_s;
            prediction->kernel = kernel;
        }
    }
    if (isinf(prediction->compute_s)) /* nothing else is known */
        prediction->compute_s = compute_s(machine, run, prediction, busiest, prediction->kernel);
}

/* A norm reads the field as often as about four sweeps do that go through memory one by one,
 * however many the kernel does in one pass. */
static double norm_s(const struct machine *machine, const struct run_case *run,
                     const struct busiest *busiest) {
    struct prediction one_by_one = {.depth = 1};
    struct run_case any_kernel = *run;
    if (run->kernel >= 0 && machine->kernels[run->kernel].in_passes)
        any_kernel.kernel = -1;
    choose_kernel(&one_by_one, machine, &any_kernel, busiest);
    return NORM_SWEEPS * one_by_one.compute_s / run->check_every;
}

/* The messages of one stage of an exchange, counted in both ways. */
struct stage {
    double at_once_s, one_after_other_s;
};

static void add_messages(struct stage *stage, const struct alpha_beta *network, double bytes,
                         int messages) {
    if (messages == 0)
        return;
    const double time_s = alpha_beta_time_s(network, bytes);
    stage->at_once_s = fmax(stage->at_once_s, time_s);
    stage->one_after_other_s += messages * time_s;
}

static const struct alpha_beta *inside(const struct machine *machine, const struct run_case *run) {
    return run->uses_window && machine->window.count > 0 ? &machine->window : &machine->on_node;
}

/* Columns are packed into one piece by hand, rows are not. */
static const struct alpha_beta *inside_along(const struct machine *machine,
                                             const struct run_case *run, int axis, int depth) {
    const struct alpha_beta *in_one_piece = inside(machine, run);
    const bool in_rows = axis == AXIS_Y && depth > 1 && in_one_piece != &machine->window;
    return in_rows && machine->rows_on_node.count > 0 ? &machine->rows_on_node : in_one_piece;
}

static void add_axis(struct stage *stage, const struct machine *machine, const struct run_case *run,
                     const struct busiest *busiest, int axis, double bytes) {
    const int distant = busiest->distant[axis];
    add_messages(stage, inside_along(machine, run, axis, busiest->depth), bytes,
                 busiest->neighbours[axis] - distant);
    add_messages(stage, &machine->between_nodes, bytes, distant);
}

/* Corners go to another node if anything does. */
static void add_corners(struct stage *stage, const struct machine *machine,
                        const struct run_case *run, const struct busiest *busiest, double bytes) {
    const int corners = busiest->neighbours[AXIS_X] * busiest->neighbours[AXIS_Y];
    const bool distant = busiest->distant[AXIS_X] + busiest->distant[AXIS_Y] > 0;
    add_messages(stage, distant ? &machine->between_nodes : inside(machine, run), bytes, corners);
}

static void count_exchange(struct prediction *prediction, const struct machine *machine,
                           const struct run_case *run, const struct busiest *busiest) {
    const double line_bytes = prediction->depth * (double)sizeof(double);
    const bool at_once = run->order == MESSAGES_AT_ONCE;
    const int taken_along = at_once ? 0 : busiest->neighbours[AXIS_X] * prediction->depth;
    const double column = line_bytes * (double)busiest->points[AXIS_Y];
    const double row = line_bytes * (double)(busiest->points[AXIS_X] + taken_along);
    struct stage first = {0}, second = {0}, *of_rows = at_once ? &first : &second;
    add_axis(&first, machine, run, busiest, AXIS_X, column);
    add_axis(of_rows, machine, run, busiest, AXIS_Y, row);
    if (at_once)
        add_corners(&first, machine, run, busiest, line_bytes * prediction->depth);
    prediction->exchange_s[NEIGHBOURS_AT_ONCE] =
        (first.at_once_s + second.at_once_s) / prediction->depth;
    prediction->exchange_s[ONE_AFTER_OTHER] =
        (first.one_after_other_s + second.one_after_other_s) / prediction->depth;
    const double longest_x = busiest->neighbours[AXIS_X] > 0 ? column : 0;
    const double longest_y = busiest->neighbours[AXIS_Y] > 0 ? row : 0;
    prediction->message_bytes = (int64_t)fmax(longest_x, longest_y);
}

/* log2 steps, rounded up, inside nodes and then between them. */
static double reduction_s(const struct machine *machine, const struct run_case *run, int nodes) {
    const int on_node = (run->ranks + nodes - 1) / nodes;
    double time_s = 0;
    if (on_node > 1)
        time_s += ceil(log2(on_node)) * alpha_beta_time_s(&machine->on_node, NORM_BYTES);
    if (nodes > 1)
        time_s += ceil(log2(nodes)) * alpha_beta_time_s(&machine->between_nodes, NORM_BYTES);
    return NORM_REDUCTIONS * time_s / run->check_every;
}

/* What is left to be seen of an exchange that the main thread does while the others sweep: they do
 * its share of the work too. */
static double exposed_s(const struct run_case *run, double compute_s, double exchange_s) {
    if (!run->overlaps || run->threads == 1)
        return exchange_s;
    return fmax(exchange_s - compute_s, exchange_s / run->threads);
}

static void add_up(struct prediction *prediction, const struct run_case *run) {
    const double own_s = prediction->compute_s + prediction->overhead_s + prediction->norm_s;
    for (int count = 0; count < MESSAGE_COUNTS; count++) {
        double *exchange_s = &prediction->exchange_s[count];
        *exchange_s = exposed_s(run, prediction->compute_s, *exchange_s);
        prediction->comm_s[count] = *exchange_s + prediction->reduction_s;
        prediction->sweep_s[count] = own_s + prediction->comm_s[count];
    }
}

static void check_networks(const struct machine *machine, const struct run_case *run,
                           const struct prediction *prediction, struct status *status) {
    if (prediction->nodes > 1 && machine->between_nodes.count == 0)
        status_fail(status, EXIT_CODE_USAGE,
                    "%d ranks x %d threads need %d nodes, but of messages between nodes nothing is "
                    "known; measure other-node, or give --alpha and --beta-bandwidth",
                    run->ranks, run->threads, prediction->nodes);
    if (run->ranks > prediction->nodes && machine->on_node.count == 0)
        status_fail(
            status, EXIT_CODE_USAGE,
            "%d ranks x %d threads share nodes, but of messages on a node nothing is known; "
            "measure same-node",
            run->ranks, run->threads);
}

static bool place_ranks(struct prediction *prediction, const struct machine *machine,
                        const struct run_case *run, struct status *status) {
    *prediction = (struct prediction){0};
    if (run->threads > machine->cores) {
        status_fail(status, EXIT_CODE_USAGE,
                    "%d threads a rank do not fit a node of %d core%s; take fewer threads",
                    run->threads, machine->cores, machine->cores == 1 ? "" : "s");
        return false;
    }
    const int most = machine->cores / run->threads;
    prediction->nodes = machine_nodes(machine, run->ranks, run->threads);
    check_networks(machine, run, prediction, status);
    return status_good(status) &&
           process_grid_choose(&prediction->process_grid, run->grid, run->ranks, &run->wish,
                               run->ranks < most ? run->ranks : most, status);
}

/* Threads meet once a sweep, or once a pass over several. */
static double overhead_s(const struct machine *machine, const struct run_case *run,
                         const struct prediction *prediction) {
    const int sweeps = machine->kernels[prediction->kernel].in_passes ? prediction->depth : 1;
    return core_values_at(&machine->sweep_overhead, run->threads) / sweeps;
}

bool prediction_make(struct prediction *prediction, const struct machine *machine,
                     const struct run_case *run, struct status *status) {
    if (!place_ranks(prediction, machine, run, status))
        return false;
    prediction->depth = usable_depth(prediction, run);
    const struct busiest busiest = find_busiest(prediction, run->grid);
    choose_kernel(prediction, machine, run, &busiest);
    prediction->overhead_s = overhead_s(machine, run, prediction);
    prediction->norm_s = norm_s(machine, run, &busiest);
    prediction->reduction_s = reduction_s(machine, run, prediction->nodes);
    count_exchange(prediction, machine, run, &busiest);
    add_up(prediction, run);
    return true;
}

bool prediction_best_depth(struct prediction *prediction, const struct machine *machine,
                           const struct run_case *run, enum message_count count,
                           struct status *status) {
    struct run_case trial = *run;
    for (trial.depth = 1; trial.depth <= PREDICTION_DEPTH_MAX; trial.depth *= 2) {
        struct prediction found;
        if (!prediction_make(&found, machine, &trial, status))
            return false;
        if (trial.depth == 1 || found.sweep_s[count] < prediction->sweep_s[count])
            *prediction = found;
    }
    return true;
}

/* T_sweep with a decomposition; infinite where it cannot be. */
static double decomposed_s(const struct machine *machine, const struct run_case *run,
                           enum decomposition decomposition, enum message_count count) {
    struct run_case trial = *run;
    struct prediction found;
    struct status status = {0};
    trial.wish = (struct process_grid_wish){.decomposition = decomposition};
    return prediction_make(&found, machine, &trial, &status) ? found.sweep_s[count] : INFINITY;
}

double prediction_strips_s(const struct machine *machine, const struct run_case *run,
                           enum message_count count) {
    const global_index *points = run->grid->points;
    double best_s = INFINITY;
    if (run->ranks <= points[AXIS_Y])
        best_s = decomposed_s(machine, run, DECOMPOSITION_1D_Y, count);
    if (run->ranks <= points[AXIS_X])
        best_s = fmin(best_s, decomposed_s(machine, run, DECOMPOSITION_1D_X, count));
    return best_s;
}

double prediction_blocks_s(const struct machine *machine, const struct run_case *run,
                           enum message_count count) {
    const bool enough = run->ranks >= 4 && run->ranks <= grid_points(run->grid);
    return enough ? decomposed_s(machine, run, DECOMPOSITION_2D, count) : INFINITY;
}

int prediction_crossover(const struct machine *machine, const struct run_case *run,
                         enum message_count count) {
    struct run_case trial = *run;
    for (trial.ranks = 4; trial.ranks <= PREDICTION_RANKS_MAX; trial.ranks *= 2)
        if (prediction_blocks_s(machine, &trial, count) <
            prediction_strips_s(machine, &trial, count))
            return trial.ranks;
    return 0;
}

double prediction_tcomm_fraction(const struct prediction *prediction, enum message_count count) {
    return prediction->comm_s[count] / prediction->sweep_s[count];
}
