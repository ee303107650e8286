/* The solver's communication without its arithmetic, for SimGrid's SMPI: the real halo exchange and
 * the real sums between ranks, on as many simulated ranks as one likes. Sweeps are simulated too: a
 * host's speed is in points a second, so a point is what SimGrid calls a flop. */
#include "funnel/binned_sum.h"
#include "funnel/clock.h"
#include "funnel/flags.h"
#include "funnel/halo.h"
#include <inttypes.h>
#include <math.h>
#include <smpi/smpi.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char program[] = "exchange_simulated";

/* Sweeps that a norm takes the time of, as in src/model/prediction.c. */
enum { NORM_SWEEPS = 4 };

struct options {
    int nx, ny, depth, sweeps, check_every;
    unsigned halo;
    const char *process_grid;
};

static const char *halo_name(int index) {
    return index >= 0 && index < halo_variant_count ? halo_variants[index]->name : NULL;
}

static const struct flag flags[] = {
    {"--nx", "N", "points along x", offsetof(struct options, nx), .kind = FLAG_INTEGER, .low = 1,
     .high = 1 << 30},
    {"--ny", "N", "points along y", offsetof(struct options, ny), .kind = FLAG_INTEGER, .low = 1,
     .high = 1 << 30},
    {"--process-grid", "WISH", "as parallel.process_grid", offsetof(struct options, process_grid),
     .kind = FLAG_TEXT},
    {"--halo", "NAME", "variant of the exchange", offsetof(struct options, halo),
     .kind = FLAG_CHOICE, .choice = halo_name},
    {"--depth", "D", "sweeps between two exchanges", offsetof(struct options, depth),
     .kind = FLAG_INTEGER, .low = 1, .high = 64},
    {"--sweeps", "N", "sweeps", offsetof(struct options, sweeps), .kind = FLAG_INTEGER, .low = 1,
     .high = 1 << 30},
    {"--check-every", "N", "sweeps between two norms", offsetof(struct options, check_every),
     .kind = FLAG_INTEGER, .low = 1, .high = 1 << 30},
};

static const struct options standard = {
    .nx = 4000, .ny = 4000, .depth = 1, .sweeps = 20, .check_every = 10, .process_grid = "auto"};

static const struct flag_table table = {program, flags, sizeof flags / sizeof flags[0], &standard};

/* One rank of the simulation. */
struct rank_run {
    struct team *team;
    const struct options *options;
    struct process_grid process_grid;
    struct extent extent[AXIS_COUNT];
    int neighbours[AXIS_COUNT]; /* 0 to 2 along each axis */
    struct halo_memory *memory;
    struct halo *halo;
    struct field field;
    double computed_s;
};

static bool choose_layout(struct rank_run *run, struct status *status) {
    const struct options *options = run->options;
    const global_index points[AXIS_COUNT] = {options->nx, options->ny};
    const double length[AXIS_COUNT] = {1, 1};
    const enum side_kind kind[SIDE_COUNT] = {SIDE_DIRICHLET};
    struct process_grid_wish wish;
    struct grid grid;
    int at[AXIS_COUNT];
    if (!process_grid_wish_read(&wish, options->process_grid))
        status_fail(status, EXIT_CODE_USAGE, "command line: --process-grid: '%s' is none",
                    options->process_grid);
    if (!status_good(status) || !grid_make(&grid, AXIS_COUNT, points, length, kind, status) ||
        !process_grid_choose(&run->process_grid, &grid, team_facts(run->team)->ranks, &wish, 1,
                             status))
        return false;
    process_grid_coordinates(&run->process_grid, team_facts(run->team)->rank, at);
    for (int axis = 0; axis < AXIS_COUNT; axis++) {
        const int count = run->process_grid.count[axis];
        run->extent[axis] = extent_of(points[axis], count, at[axis]);
        run->neighbours[axis] = (at[axis] > 0) + (at[axis] < count - 1);
    }
    return true;
}

/* One iterate is enough: nobody looks at its values. */
static bool make_exchange(struct rank_run *run, struct status *status) {
    const struct halo_variant *variant = halo_variants[run->options->halo];
    const struct field_layout layout = field_layout_make(
        AXIS_COUNT, run->extent[AXIS_X].count, run->extent[AXIS_Y].count, run->options->depth);
    run->memory = halo_memory_take(run->team, variant, 1, layout.bytes, status);
    if (run->memory == NULL)
        return false;
    run->field = (struct field){layout, halo_memory_values(run->memory)[0]};
    const struct halo_plan plan = {
        .process_grid = &run->process_grid, .layout = layout, .memory = run->memory};
    run->halo = halo_make(run->team, variant, &plan, status);
    return run->halo != NULL;
}

static void compute(struct rank_run *run, double points) {
    const double start_s = clock_now_s();
    smpi_execute_flops(points);
    run->computed_s += clock_now_s() - start_s;
}

/* Points of a sweep that is followed by `left` more before the next exchange. */
static double points_of_sweep(const struct rank_run *run, int left) {
    const double nx = (double)run->extent[AXIS_X].count, ny = (double)run->extent[AXIS_Y].count;
    return (nx + left * run->neighbours[AXIS_X]) * (ny + left * run->neighbours[AXIS_Y]);
}

/* The sums between ranks of a norm, as src/solver/measure.c has them. */
static void form_norm(struct rank_run *run) {
    int64_t exponent = 0, words[BINNED_WORDS] = {0};
    compute(run, NORM_SWEEPS * points_of_sweep(run, 0));
    team_max(run->team, &exponent, 1);
    team_sum(run->team, words, BINNED_WORDS);
}

static void sweep(struct rank_run *run) {
    const struct options *options = run->options;
    for (int done = 0; done < options->sweeps; done++) {
        const int phase = done % options->depth;
        if (phase == 0) {
            halo_begin(run->halo, &run->field);
            halo_finish(run->halo, &run->field);
        }
        compute(run, points_of_sweep(run, options->depth - 1 - phase));
        if ((done + 1) % options->check_every == 0)
            form_norm(run);
    }
}

/* Largest value of any rank; whole nanoseconds. */
static double largest_s(struct team *team, double seconds) {
    int64_t nanoseconds = llround(1e9 * seconds);
    team_max(team, &nanoseconds, 1);
    return 1e-9 * (double)nanoseconds;
}

/* Simulated ranks share one clock, so they can agree on an instant to start at; out of a barrier
 * they come one after the other. Returns that instant. */
static double start_together(struct team *team) {
    const double later_s = 1, start_s = later_s + largest_s(team, clock_now_s());
    const double pause_s = start_s - clock_now_s(), whole_s = floor(pause_s);
    const struct timespec pause = {(time_t)whole_s, (long)(1e9 * (pause_s - whole_s))};
    nanosleep(&pause, NULL);
    return start_s;
}

static void simulate(struct rank_run *run) {
    const struct team_facts *facts = team_facts(run->team);
    const double start_s = start_together(run->team);
    sweep(run);
    const double total_s = largest_s(run->team, clock_now_s() - start_s);
    const double computed_s = largest_s(run->team, run->computed_s);
    int64_t messages = halo_times(run->halo)->messages, bytes = halo_times(run->halo)->bytes_sent;
    team_sum(run->team, &messages, 1);
    team_sum(run->team, &bytes, 1);
    if (facts->rank == 0)
        printf("{\"ranks\": %d, \"process_grid\": \"%dx%d\", \"sweeps\": %d, \"total_s\": %.9f, "
               "\"computed_s\": %.9f, \"messages\": %" PRId64 ", \"message_bytes\": %" PRId64 "}\n",
               facts->ranks, run->process_grid.count[AXIS_X], run->process_grid.count[AXIS_Y],
               run->options->sweeps, total_s, computed_s, messages, bytes);
}

/* SMPI promises one thread a rank and no more, which is all that is simulated. */
static void accept_single_threads(const struct team *team, struct status *status) {
    if (strcmp(team_facts(team)->thread_level_provided, "MPI_THREAD_SINGLE") == 0)
        *status = (struct status){.code = EXIT_CODE_DONE};
}

int main(int argc, char **argv) {
    struct status status = {.code = EXIT_CODE_DONE};
    struct options options = standard;
    struct team *team = team_start(&argc, &argv, &status);
    if (team == NULL)
        return status.code;
    accept_single_threads(team, &status);
    struct rank_run run = {.team = team, .options = &options};
    if (flags_read(&table, &options, argc, argv, &status) && choose_layout(&run, &status) &&
        make_exchange(&run, &status))
        simulate(&run);
    if (!status_good(&status) && team_facts(team)->rank == 0)
        status_print(program, &status);
    halo_release(run.halo);
    halo_memory_release(run.memory);
    team_end(team);
    return status.code;
}
