/* The model of a sweep against arithmetic done by hand, the example of the lecture among it. */
#include "funnel/prediction.h"
#include "funnel/scaling.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* cmocka wants the headers above first */
#include <cmocka.h>

static void assert_near(double value, double expected, double relative) {
    if (!(fabs(value - expected) <= relative * fabs(expected)))
        fail_msg("%.17g is not within %g of %.17g", value, relative, expected);
}

static struct grid square(global_index n, enum side_kind kind) {
    struct grid grid;
    struct status status = {0};
    assert_true(grid_make(&grid, 2, (global_index[]){n, n}, (double[]){1, 1},
                          (enum side_kind[]){kind, kind, kind, kind}, &status));
    return grid;
}

/* One core a node, alpha 50 us, 110 MB/s, and a strip of 4 million points in 3 ms. */
static struct machine lecture_machine(void) {
    return (struct machine){
        .cores = 1,
        .kernel_count = 1,
        .kernels = {{.name = "given", .count = 1, .rates = {{0, 1, 1, 4e6 / 3e-3}}}},
        .between_nodes = alpha_beta_line(50e-6, 110e6)};
}

static struct run_case run_on(const struct grid *grid, int ranks, const char *process_grid) {
    struct run_case run = {.grid = grid,
                           .ranks = ranks,
                           .threads = 1,
                           .depth = 1,
                           .kernel = -1,
                           .arrays = 2,
                           .bytes_per_point = 16,
                           .order = MESSAGES_AT_ONCE,
                           .check_every = INFINITY};
    assert_true(process_grid_wish_read(&run.wish, process_grid));
    return run;
}

static struct prediction prediction_of(const struct machine *machine, const struct run_case *run) {
    struct prediction prediction;
    struct status status = {0};
    if (!prediction_make(&prediction, machine, run, &status))
        fail_msg("%s", status.text);
    return prediction;
}

static void four_strips_of_the_lecture(void **state) {
    (void)state;
    const struct grid grid = square(4000, SIDE_DIRICHLET);
    const struct machine machine = lecture_machine();
    const struct run_case run = run_on(&grid, 4, "1d-y");
    const struct prediction found = prediction_of(&machine, &run);
    assert_int_equal(found.message_bytes, 32000);
    assert_int_equal(found.nodes, 4);
    assert_near(found.compute_s, 3e-3, 1e-12);
    assert_near(found.exchange_s[NEIGHBOURS_AT_ONCE], 340.9e-6, 1e-3);
    assert_near(found.exchange_s[ONE_AFTER_OTHER], 681.8e-6, 1e-3);
    assert_near(found.sweep_s[NEIGHBOURS_AT_ONCE], 3.3409e-3, 1e-4);
    assert_near(prediction_tcomm_fraction(&found, NEIGHBOURS_AT_ONCE), 0.102, 1e-2);
    assert_near(prediction_tcomm_fraction(&found, ONE_AFTER_OTHER), 0.185, 1e-2);
}

static void sixty_four_strips_mostly_communicate(void **state) {
    (void)state;
    const struct grid grid = square(4000, SIDE_DIRICHLET);
    const struct machine machine = lecture_machine();
    const struct run_case strips = run_on(&grid, 64, "1d-y"), blocks = run_on(&grid, 64, "2d");
    const struct prediction in_strips = prediction_of(&machine, &strips);
    /* 63 of the 4000 rows: 252,000 points */
    assert_near(in_strips.compute_s, 189e-6, 1e-12);
    assert_true(prediction_tcomm_fraction(&in_strips, NEIGHBOURS_AT_ONCE) > 0.5);
    assert_true(prediction_tcomm_fraction(&in_strips, ONE_AFTER_OTHER) > 0.75);
    /* 8 x 8 blocks of 500 x 500: edges of 4000 bytes, corners of 8 */
    const struct prediction in_blocks = prediction_of(&machine, &blocks);
    assert_int_equal(in_blocks.process_grid.count[AXIS_X], 8);
    assert_int_equal(in_blocks.message_bytes, 4000);
    assert_near(in_blocks.exchange_s[NEIGHBOURS_AT_ONCE], 50e-6 + 4000 / 110e6, 1e-12);
    assert_near(in_blocks.exchange_s[ONE_AFTER_OTHER],
                4 * (50e-6 + 4000 / 110e6) + 4 * (50e-6 + 8 / 110e6), 1e-12);
    for (int count = 0; count < MESSAGE_COUNTS; count++)
        assert_true(in_blocks.sweep_s[count] < in_strips.sweep_s[count]);
}

static void blocks_beat_strips_from_some_number_of_ranks_on(void **state) {
    (void)state;
    const struct grid grid = square(4000, SIDE_DIRICHLET);
    const struct machine machine = lecture_machine();
    struct run_case run = run_on(&grid, 4, "auto");
    /* at once, 2 x 2: 16,000-byte edges win at the first chance */
    assert_int_equal(prediction_crossover(&machine, &run, NEIGHBOURS_AT_ONCE), 4);
    assert_near(prediction_strips_s(&machine, &run, NEIGHBOURS_AT_ONCE), 3.3409e-3, 1e-4);
    assert_near(prediction_blocks_s(&machine, &run, NEIGHBOURS_AT_ONCE), 3e-3 + 195.45e-6, 1e-4);
    /* one after the other: 2 x 2 has three messages, 440.9 us against 681.8 us of inner strips */
    assert_int_equal(prediction_crossover(&machine, &run, ONE_AFTER_OTHER), 4);
    assert_near(prediction_blocks_s(&machine, &run, ONE_AFTER_OTHER),
                3e-3 + 2 * 195.4545e-6 + 50.0727e-6, 1e-6);
    run.ranks = 2;
    assert_true(isinf(prediction_blocks_s(&machine, &run, NEIGHBOURS_AT_ONCE)));
    run.ranks = 8000;
    assert_true(isinf(prediction_strips_s(&machine, &run, NEIGHBOURS_AT_ONCE)));
}

static void high_latency_keeps_strips_ahead(void **state) {
    (void)state;
    const struct grid grid = square(64, SIDE_DIRICHLET);
    struct machine machine = lecture_machine();
    machine.between_nodes = alpha_beta_line(1, 1e9);
    const struct run_case run = run_on(&grid, 4, "auto");
    /* 2 x 2 has three messages where strips have two; beyond 64 ranks strips are impossible */
    assert_int_equal(prediction_crossover(&machine, &run, ONE_AFTER_OTHER), 128);
}

static void a_million_ranks_are_predicted(void **state) {
    (void)state;
    const struct grid grid = square(1 << 20, SIDE_DIRICHLET);
    const struct machine machine = lecture_machine();
    const struct run_case run = run_on(&grid, 1 << 20, "auto");
    const struct prediction found = prediction_of(&machine, &run);
    assert_int_equal(found.process_grid.count[AXIS_X], 1024);
    assert_near(found.compute_s, 1048576 / (4e6 / 3e-3), 1e-12);
}

static void stages_of_x_then_y_add_up(void **state) {
    (void)state;
    /* 90 x 90 on 3 x 3: 30 x 30 inside, depth 5; rows take 5 points of the x halo along each side
     */
    const struct grid grid = square(90, SIDE_DIRICHLET);
    struct machine machine = lecture_machine();
    machine.between_nodes = alpha_beta_line(1e-6, 1e9);
    struct run_case run = run_on(&grid, 9, "3x3");
    run.order = MESSAGES_X_THEN_Y;
    run.depth = 5;
    const struct prediction found = prediction_of(&machine, &run);
    const double column = 1e-6 + 5 * 30 * 8 / 1e9, row = 1e-6 + 5 * 40 * 8 / 1e9;
    assert_near(found.exchange_s[NEIGHBOURS_AT_ONCE], (column + row) / 5, 1e-12);
    assert_near(found.exchange_s[ONE_AFTER_OTHER], 2 * (column + row) / 5, 1e-12);
    assert_int_equal(found.message_bytes, 1600);
}

static void deep_halos_compute_more_and_send_less_often(void **state) {
    (void)state;
    const struct grid grid = square(90, SIDE_DIRICHLET);
    struct machine machine = lecture_machine();
    machine.between_nodes = alpha_beta_line(1e-3, 1e12);
    struct run_case run = run_on(&grid, 9, "3x3");
    run.depth = 4;
    /* regions of 36, 34, 32 and 30 points each way */
    const double points = (36 * 36 + 34 * 34 + 32 * 32 + 30 * 30) / 4.0;
    struct prediction found = prediction_of(&machine, &run);
    assert_near(found.compute_s, points / (4e6 / 3e-3), 1e-12);
    assert_near(found.exchange_s[NEIGHBOURS_AT_ONCE], 1e-3 / 4, 1e-3);
    run.depth = 64; /* no part is that wide */
    found = prediction_of(&machine, &run);
    assert_int_equal(found.depth, 30);
    run.depth = 1;
    struct status status = {0};
    assert_true(prediction_best_depth(&found, &machine, &run, NEIGHBOURS_AT_ONCE, &status));
    assert_int_equal(found.depth, 30);
    machine.between_nodes = alpha_beta_line(0, 1e12);
    assert_true(prediction_best_depth(&found, &machine, &run, NEIGHBOURS_AT_ONCE, &status));
    assert_int_equal(found.depth, 1);
}

static void sides_without_neighbours_send_nothing(void **state) {
    (void)state;
    const struct grid closed = square(100, SIDE_DIRICHLET), torus = square(100, SIDE_PERIODIC);
    const struct machine machine = lecture_machine();
    struct run_case run = run_on(&closed, 1, "auto");
    assert_true(prediction_of(&machine, &run).comm_s[ONE_AFTER_OTHER] == 0);
    const double row = 50e-6 + 800 / 110e6;
    run = run_on(&closed, 2, "1d-y");
    assert_near(prediction_of(&machine, &run).exchange_s[ONE_AFTER_OTHER], row, 1e-12);
    run = run_on(&torus, 2, "1d-y");
    assert_near(prediction_of(&machine, &run).exchange_s[ONE_AFTER_OTHER], 2 * row, 1e-12);
}

/* Nodes of 4 cores with a fast network inside and a slow one between. */
static struct machine cluster(void) {
    struct machine machine = lecture_machine();
    machine.cores = 4;
    machine.on_node = alpha_beta_line(1e-6, 1e9);
    machine.between_nodes = alpha_beta_line(1e-4, 1e8);
    machine.window = alpha_beta_line(1e-7, 1e10);
    return machine;
}

static void messages_cost_what_their_distance_costs(void **state) {
    (void)state;
    const struct grid grid = square(1000, SIDE_DIRICHLET);
    const struct machine machine = cluster();
    struct run_case run = run_on(&grid, 4, "1d-y");
    const double near = 1e-6 + 8000 / 1e9, far = 1e-4 + 8000 / 1e8, copied = 1e-7 + 8000 / 1e10;
    assert_near(prediction_of(&machine, &run).exchange_s[ONE_AFTER_OTHER], 2 * near, 1e-12);
    run.uses_window = true;
    assert_near(prediction_of(&machine, &run).exchange_s[ONE_AFTER_OTHER], 2 * copied, 1e-12);
    run = run_on(&grid, 8, "1d-y"); /* two nodes: the ranks at the seam have one of each */
    const struct prediction found = prediction_of(&machine, &run);
    assert_int_equal(found.nodes, 2);
    assert_near(found.exchange_s[NEIGHBOURS_AT_ONCE], far, 1e-12);
    assert_near(found.exchange_s[ONE_AFTER_OTHER], near + far, 1e-12);
    run.threads = 4; /* a node a rank */
    assert_near(prediction_of(&machine, &run).exchange_s[ONE_AFTER_OTHER], 2 * far, 1e-12);
    run = run_on(&grid, 64, "8x8"); /* node blocks of 2 x 2 */
    const double edge_near = 1e-6 + 1000 / 1e9, edge_far = 1e-4 + 1000 / 1e8;
    assert_near(prediction_of(&machine, &run).exchange_s[ONE_AFTER_OTHER],
                2 * edge_near + 2 * edge_far + 4 * (1e-4 + 8 / 1e8), 1e-12);
}

static void deep_halos_are_messages_of_several_rows(void **state) {
    (void)state;
    const struct grid grid = square(1000, SIDE_DIRICHLET);
    struct machine machine = cluster();
    machine.rows_on_node = alpha_beta_line(3e-6, 0.5e9);
    struct run_case run = run_on(&grid, 2, "1d-y");
    assert_near(prediction_of(&machine, &run).exchange_s[ONE_AFTER_OTHER], 1e-6 + 8e-6, 1e-12);
    run.depth = 4; /* 32,000 bytes in four rows, every fourth sweep */
    assert_near(prediction_of(&machine, &run).exchange_s[ONE_AFTER_OTHER], (3e-6 + 64e-6) / 4,
                1e-12);
    run.uses_window = true;
    assert_near(prediction_of(&machine, &run).exchange_s[ONE_AFTER_OTHER], (1e-7 + 3.2e-6) / 4,
                1e-12);
    run = run_on(&grid, 2, "1d-x"); /* columns are packed */
    run.depth = 4;
    assert_near(prediction_of(&machine, &run).exchange_s[ONE_AFTER_OTHER], (1e-6 + 32e-6) / 4,
                1e-12);
}

static void reductions_take_a_step_a_doubling(void **state) {
    (void)state;
    const struct grid grid = square(1000, SIDE_DIRICHLET);
    struct machine machine = cluster();
    struct run_case run = run_on(&grid, 32, "1d-y"); /* 8 nodes of 4 */
    run.check_every = 10;
    const double near = 1e-6 + 48 / 1e9, far = 1e-4 + 48 / 1e8;
    const struct prediction found = prediction_of(&machine, &run);
    assert_near(found.reduction_s, 2 * (2 * near + 3 * far) / 10, 1e-12);
    /* a norm costs as much as four sweeps */
    assert_near(found.norm_s, 0.4 * found.compute_s, 1e-12);
    assert_near(found.sweep_s[NEIGHBOURS_AT_ONCE],
                1.4 * found.compute_s + found.exchange_s[NEIGHBOURS_AT_ONCE] + found.reduction_s,
                1e-12);
    assert_near(found.comm_s[NEIGHBOURS_AT_ONCE],
                found.exchange_s[NEIGHBOURS_AT_ONCE] + found.reduction_s, 1e-12);
}

static void threads_share_the_points_and_cost_their_start(void **state) {
    (void)state;
    const struct grid grid = square(1000, SIDE_DIRICHLET);
    struct machine machine = cluster();
    machine.sweep_overhead = (struct core_values){2, {{1, 1e-6}, {4, 4e-6}}};
    struct run_case run = run_on(&grid, 1, "auto");
    run.threads = 4;
    const struct prediction found = prediction_of(&machine, &run);
    assert_near(found.compute_s, 3e-3 / 16, 1e-12);
    assert_near(found.overhead_s, 4e-6, 1e-12);
    run.threads = 2;
    assert_near(prediction_of(&machine, &run).overhead_s, 2e-6, 1e-12);
    machine.kernels[0].in_passes = true; /* threads meet once in 8 sweeps */
    run.kernel = 0;
    run.depth = 8;
    assert_near(prediction_of(&machine, &run).overhead_s, 0.25e-6, 1e-12);
}

static void overlap_hides_what_the_other_threads_compute(void **state) {
    (void)state;
    const struct grid grid = square(1000, SIDE_DIRICHLET);
    const struct machine machine = cluster();
    struct run_case run = run_on(&grid, 8, "1d-y");
    run.threads = 4;
    run.overlaps = true;
    /* 125,000 points on 4 cores: 23.4 us, less than the exchange of 180 us */
    struct prediction found = prediction_of(&machine, &run);
    assert_near(found.sweep_s[NEIGHBOURS_AT_ONCE], 180e-6, 1e-12);
    run.ranks = 2; /* 500,000 points on 4 cores: 93.75 us; 135 us = 93.75 + what shows */
    run.wish = (struct process_grid_wish){.decomposition = DECOMPOSITION_1D_Y};
    found = prediction_of(&machine, &run);
    assert_near(found.sweep_s[NEIGHBOURS_AT_ONCE], 180e-6, 1e-12);
    run.threads = 1; /* nobody to hide it behind */
    run.ranks = 8;
    found = prediction_of(&machine, &run);
    assert_near(found.exchange_s[NEIGHBOURS_AT_ONCE], 180e-6, 1e-12);
    const struct grid large = square(4000, SIDE_DIRICHLET);
    run = run_on(&large, 2, "1d-y");
    run.threads = 4;
    run.overlaps = true;
    /* 1.5 ms against 420 us: the main thread's share of the work is a quarter of its absence */
    assert_near(prediction_of(&machine, &run).exchange_s[NEIGHBOURS_AT_ONCE], 105e-6, 1e-12);
}

/* L1 of 1000 bytes at 4 points a second, L2 of 10,000 at 2 (4 with two cores), memory 1 (1.5). */
static const struct kernel_rates staircase = {.name = "stairs",
                                              .count = 5,
                                              .rates = {{1000, 1, 1, 4},
                                                        {10000, 1, 1, 2},
                                                        {10000, 1, 2, 4},
                                                        {INFINITY, 1, 1, 1},
                                                        {INFINITY, 1, 2, 1.5}}};

static double staircase_s(double working_set_bytes, int cores) {
    const struct core_values nothing = {0};
    const struct core_load load = {.points = 12,
                                   .working_set_bytes = working_set_bytes,
                                   .bytes_per_point = 16,
                                   .sweeps_in_pass = 1,
                                   .cores = cores};
    return roofline_sweep_s(&staircase, &nothing, &load);
}

static void rates_follow_the_cache_that_holds_the_points(void **state) {
    (void)state;
    assert_near(staircase_s(1, 1), 3, 1e-12);
    assert_near(staircase_s(1000, 1), 3, 1e-12);
    assert_near(staircase_s(1500, 1), 4.5, 1e-12); /* half way from 3 to 6 */
    assert_near(staircase_s(2000, 1), 6, 1e-12);
    assert_near(staircase_s(10000, 1), 6, 1e-12);
    assert_near(staircase_s(15000, 1), 9, 1e-12);
    assert_near(staircase_s(20000, 1), 12, 1e-12);
    assert_near(staircase_s(1e12, 1), 12, 1e-12);
    /* two cores: caches are their own, memory is shared */
    assert_near(staircase_s(1000, 2), 3, 1e-12);
    assert_near(staircase_s(10000, 2), 6, 1e-12);
    assert_near(staircase_s(1e12, 2), 16, 1e-12);
    /* more than measured */
    assert_near(staircase_s(10000, 4), 6, 1e-12);
    assert_near(staircase_s(1e12, 4), 32, 1e-12);
}

static void traffic_bounds_what_was_measured_in_cache_only(void **state) {
    (void)state;
    const struct core_values copy = {2, {{1, 32}, {4, 64}}}; /* bytes a second */
    struct kernel_rates kernel = {.name = "cache", .count = 1, .rates = {{100, 1, 1, 8}}};
    struct core_load load = {.points = 16,
                             .working_set_bytes = 1e9,
                             .bytes_per_point = 16,
                             .sweeps_in_pass = 8,
                             .cores = 1};
    assert_near(roofline_sweep_s(&kernel, &copy, &load), 8, 1e-12); /* 256 bytes at 32 */
    load.cores = 4;
    assert_near(roofline_sweep_s(&kernel, &copy, &load), 16, 1e-12); /* 1024 bytes at 64 */
    load.cores = 2;
    assert_near(core_values_at(&copy, 2), 32 + 32 / 3.0, 1e-12);
    load.cores = 8; /* no more bandwidth than that of 4 */
    assert_near(roofline_sweep_s(&kernel, &copy, &load), 32, 1e-12);
    /* in passes of 8 sweeps the traffic is an eighth, and the rate in cache bounds */
    kernel.in_passes = true;
    load.cores = 1;
    assert_near(roofline_sweep_s(&kernel, &copy, &load), 2, 1e-12);
    load.sweeps_in_pass = 2;
    assert_near(roofline_sweep_s(&kernel, &copy, &load), 4, 1e-12);
    load.working_set_bytes = 50;
    assert_near(roofline_sweep_s(&kernel, &copy, &load), 2, 1e-12);
    /* 5 points a second measured in memory hold as long as the traffic of 3.2 s allows more */
    kernel.rates[kernel.count++] = (struct kernel_rate){INFINITY, 1, 1, 5};
    load.working_set_bytes = 1e9;
    assert_near(roofline_sweep_s(&kernel, &copy, &load), 4, 1e-12);
    load.sweeps_in_pass = 16;
    assert_near(roofline_sweep_s(&kernel, &copy, &load), 3.2, 1e-12);
    kernel.in_passes = false; /* measured as it is */
    assert_near(roofline_sweep_s(&kernel, &copy, &load), 3.2, 1e-12);
}

/* 28 points of a kernel with passes on `cores` cores, with copies of 4 bytes a second on each. */
static double passes_s(const struct kernel_rates *kernel, double working_set_bytes, int sweeps,
                       int cores) {
    const struct core_values copy = {2, {{1, 4}, {2, 8}}};
    const struct core_load load = {.points = 28,
                                   .working_set_bytes = working_set_bytes,
                                   .bytes_per_point = 16,
                                   .sweeps_in_pass = sweeps,
                                   .cores = cores};
    return roofline_sweep_s(kernel, &copy, &load);
}

static void a_pass_costs_a_part_once_and_a_part_each_sweep(void **state) {
    (void)state;
    /* in cache 7 s with 8 sweeps and 3.5 s with 64: 3 + 32/d; in memory 14 and 7: 6 + 64/d */
    const struct kernel_rates kernel = {.name = "passes",
                                        .in_passes = true,
                                        .count = 6,
                                        .rates = {{1000, 8, 1, 4},
                                                  {1000, 64, 1, 8},
                                                  {INFINITY, 8, 1, 2},
                                                  {INFINITY, 8, 2, 2},
                                                  {INFINITY, 64, 1, 4},
                                                  {INFINITY, 64, 2, 4}}};
    const struct {
        int sweeps;
        double cache_s, memory_s, shared_s; /* shared: the memory of two cores, 12 + 128/d */
    } cases[] = {
        {64, 3.5, 7, 14}, {32, 4, 8, 16},  {16, 5, 10, 20},
        {8, 7, 14, 28},   {4, 11, 28, 44}, /* 28 points are 448 bytes, 112 a sweep; at 4 bytes a
                                              second 28 s */
        {1, 35, 112, 140}                  /* all the 448 bytes */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_near(passes_s(&kernel, 1000, cases[i].sweeps, 1), cases[i].cache_s, 1e-12);
        assert_near(passes_s(&kernel, 1e9, cases[i].sweeps, 1), cases[i].memory_s, 1e-12);
        assert_near(passes_s(&kernel, 1e9, cases[i].sweeps, 2), cases[i].shared_s, 1e-12);
    }
    /* half way between the two places */
    assert_near(passes_s(&kernel, 1500, 16, 1), 7.5, 1e-12);
}

static void passes_are_not_faster_with_fewer_sweeps_than_measured(void **state) {
    (void)state;
    /* scattered: 7 s with 8 sweeps, 14 s with 64 */
    struct kernel_rates kernel = {.name = "passes",
                                  .in_passes = true,
                                  .count = 2,
                                  .rates = {{1000, 8, 1, 4}, {1000, 64, 1, 2}}};
    assert_near(passes_s(&kernel, 1000, 4, 1), 7, 1e-12);
    assert_near(passes_s(&kernel, 1000, 8, 1), 7, 1e-12);
    assert_near(passes_s(&kernel, 1000, 16, 1), 11, 1e-12); /* 15 - 64/d */
    assert_near(passes_s(&kernel, 1000, 64, 1), 14, 1e-12);
    kernel.count = 1; /* one depth holds for all */
    for (int sweeps = 1; sweeps <= 64; sweeps *= 8)
        assert_near(passes_s(&kernel, 1000, sweeps, 1), 7, 1e-12);
}

static void of_several_depths_the_two_around_count(void **state) {
    (void)state;
    /* 7 s with 8 sweeps, 4 s with 16: 1 + 48/d; 3.5 s with 32: 3 + 16/d */
    const struct kernel_rates kernel = {
        .name = "passes",
        .in_passes = true,
        .count = 3,
        .rates = {{1000, 8, 1, 4}, {1000, 16, 1, 7}, {1000, 32, 1, 8}}};
    assert_near(passes_s(&kernel, 1000, 4, 1), 13, 1e-12);
    assert_near(passes_s(&kernel, 1000, 12, 1), 5, 1e-12);
    assert_near(passes_s(&kernel, 1000, 16, 1), 4, 1e-12);
    assert_near(passes_s(&kernel, 1000, 20, 1), 3.8, 1e-12);
    assert_near(passes_s(&kernel, 1000, 64, 1), 3.5, 1e-12); /* as the deepest */
}

static void the_fastest_kernel_is_taken(void **state) {
    (void)state;
    const struct grid grid = square(1000, SIDE_DIRICHLET);
    struct machine machine = cluster();
    machine.kernel_count = 2;
    machine.kernels[1] = (struct kernel_rates){
        .name = "passes", .in_passes = true, .count = 1, .rates = {{0, 8, 1, 4e9}}};
    struct run_case run = run_on(&grid, 4, "1d-y");
    assert_int_equal(prediction_of(&machine, &run).kernel, 0); /* one sweep makes no pass */
    run.depth = 8;
    assert_int_equal(prediction_of(&machine, &run).kernel, 1);
    run.kernel = 0;
    assert_int_equal(prediction_of(&machine, &run).kernel, 0);
}

static void norms_go_through_memory_at_the_speed_of_single_sweeps(void **state) {
    (void)state;
    const struct grid grid = square(1000, SIDE_DIRICHLET);
    struct machine machine = cluster();
    struct run_case run = run_on(&grid, 1, "auto");
    machine.kernel_count = 2;
    machine.kernels[1] = (struct kernel_rates){
        .name = "passes", .in_passes = true, .count = 1, .rates = {{0, 8, 1, 4e9}}};
    run.depth = 8;
    run.kernel = 1;
    run.check_every = 10;
    const struct prediction found = prediction_of(&machine, &run);
    assert_near(found.compute_s, 1e6 / 4e9, 1e-12);
    assert_near(found.norm_s, 0.4 * 1e6 / (4e6 / 3e-3), 1e-12); /* kernel 0, one sweep at a time */
    /* alone, the kernel in passes reads and writes all for each sweep: 16 MB at 16 GB/s */
    machine.kernels[0] = machine.kernels[1];
    machine.kernel_count = 1;
    machine.copy = (struct core_values){1, {{1, 16e9}}};
    run.kernel = 0;
    assert_near(prediction_of(&machine, &run).norm_s, 0.4e-3, 1e-12);
}

static void what_cannot_be_predicted_is_refused(void **state) {
    (void)state;
    const struct grid grid = square(10, SIDE_DIRICHLET);
    struct machine machine = cluster();
    struct prediction found;
    const struct {
        int ranks, threads;
        bool near, far;
        const char *text;
    } cases[] = {
        {1, 5, true, true, "5 threads a rank do not fit a node of 4 cores; take fewer threads"},
        {8, 1, true, false,
         "8 ranks x 1 threads need 2 nodes, but of messages between nodes nothing is known; "
         "measure "
         "other-node, or give --alpha and --beta-bandwidth"},
        {2, 1, false, true,
         "2 ranks x 1 threads share nodes, but of messages on a node nothing is known; measure "
         "same-node"},
        {101, 1, true, true,
         "parallel.process_grid: 101 ranks cannot share 10 x 10 points so that each has one; the "
         "nearest usable rank count is 100"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct machine here = machine;
        struct status status = {0};
        here.on_node.count = cases[i].near;
        here.between_nodes.count = cases[i].far;
        struct run_case run = run_on(&grid, cases[i].ranks, "auto");
        run.threads = cases[i].threads;
        assert_false(prediction_make(&found, &here, &run, &status));
        assert_int_equal(status.code, EXIT_CODE_USAGE);
        assert_string_equal(status.text, cases[i].text);
    }
}

static void scaling_by_hand(void **state) {
    (void)state;
    /* 5 % serial on 20 cores: S = 1/(0.05 + 0.95/20) */
    const double time_s = 100 * (0.05 + 0.95 / 20);
    assert_near(scaling_speedup(100, time_s), 10.256, 1e-3);
    assert_near(scaling_efficiency(100, time_s, 20), 0.5128, 1e-3);
    assert_near(scaling_karp_flatt(100, time_s, 20), 0.05, 1e-9);
    assert_true(isnan(scaling_karp_flatt(100, 100, 1)));
    assert_true(scaling_karp_flatt(100, 4, 20) < 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_strips_of_the_lecture),
        cmocka_unit_test(sixty_four_strips_mostly_communicate),
        cmocka_unit_test(blocks_beat_strips_from_some_number_of_ranks_on),
        cmocka_unit_test(high_latency_keeps_strips_ahead),
        cmocka_unit_test(a_million_ranks_are_predicted),
        cmocka_unit_test(stages_of_x_then_y_add_up),
        cmocka_unit_test(deep_halos_compute_more_and_send_less_often),
        cmocka_unit_test(sides_without_neighbours_send_nothing),
        cmocka_unit_test(messages_cost_what_their_distance_costs),
        cmocka_unit_test(deep_halos_are_messages_of_several_rows),
        cmocka_unit_test(reductions_take_a_step_a_doubling),
        cmocka_unit_test(threads_share_the_points_and_cost_their_start),
        cmocka_unit_test(overlap_hides_what_the_other_threads_compute),
        cmocka_unit_test(rates_follow_the_cache_that_holds_the_points),
        cmocka_unit_test(traffic_bounds_what_was_measured_in_cache_only),
        cmocka_unit_test(a_pass_costs_a_part_once_and_a_part_each_sweep),
        cmocka_unit_test(passes_are_not_faster_with_fewer_sweeps_than_measured),
        cmocka_unit_test(of_several_depths_the_two_around_count),
        cmocka_unit_test(the_fastest_kernel_is_taken),
        cmocka_unit_test(norms_go_through_memory_at_the_speed_of_single_sweeps),
        cmocka_unit_test(what_cannot_be_predicted_is_refused),
        cmocka_unit_test(scaling_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
