/* The benchmark: every kernel of the table on every problem, with one thread and with all, round
 * after round, so that a change of the machine's state meets all rows alike. */
#include "funnel/memory.h"
#include "funnel/record.h"
#include "funnel/text.h"
#include "rows.h"
#include <getopt.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

static const char program[] = "bench";

/* Sizes of one run: of the memory copied, and of the problems. */
struct sizes {
    int64_t copy_count;
    struct problem problems[16];
};

static const struct sizes usual_sizes = {
    INT64_C(1) << 26,
    {{.dimensions = 2, .points = {8192, 8192}, .sweeps = {6, 64}, .block_sweeps = 64},
     {.dimensions = 2,
      .points = {8192, 8192},
      .sweeps = {6, 64},
      .block_sweeps = 64,
      .source_varies = true},
     {.dimensions = 2, .points = {1024, 1024}, .sweeps = {384, 1024}},
     {.dimensions = 2, .points = {1024, 1024}, .sweeps = {384, 768}, .source_varies = true},
     {.dimensions = 2, .points = {256, 256}, .sweeps = {8192, 16384}},
     {.dimensions = 2, .points = {256, 256}, .sweeps = {8192, 16384}, .source_varies = true},
     {.dimensions = 1, .points = {INT64_C(1) << 26, 1}, .sweeps = {6, 64}, .block_sweeps = 64},
     {.dimensions = 2, .points = {96, 8}, .sweeps = {400000, 400000}, .in_l1 = true},
     {.dimensions = 2,
      .points = {96, 8},
      .sweeps = {300000, 300000},
      .in_l1 = true,
      .source_varies = true},
     {.dimensions = 1, .points = {768, 1}, .sweeps = {400000, 400000}, .in_l1 = true},
     {.dimensions = 2, .points = {192, 8}, .sweeps = {200000, 200000}, .in_l1 = true, .levels = 1},
     {.dimensions = 2,
      .points = {192, 8},
      .sweeps = {200000, 200000},
      .in_l1 = true,
      .levels = 1,
      .source_varies = true},
     {.dimensions = 1, .points = {1536, 1}, .sweeps = {200000, 200000}, .in_l1 = true, .levels = 1},
     {.dimensions = 2, .points = {512, 4}, .sweeps = {200000, 200000}, .in_l1 = true, .levels = 64},
     {.dimensions = 2,
      .points = {512, 4},
      .sweeps = {200000, 200000},
      .in_l1 = true,
      .levels = 64,
      .source_varies = true},
     {.dimensions = 2,
      .points = {16384, 16384},
      .sweeps = {2, 64},
      .block_sweeps = 64,
      .huge = true}}};

static const struct sizes quick_sizes = {
    INT64_C(1) << 18,
    {{.dimensions = 2, .points = {193, 130}, .sweeps = {4, 64}, .block_sweeps = 64},
     {.dimensions = 2,
      .points = {193, 130},
      .sweeps = {4, 64},
      .block_sweeps = 64,
      .source_varies = true},
     {.dimensions = 2, .points = {64, 64}, .sweeps = {36, 64}},
     {.dimensions = 2, .points = {64, 64}, .sweeps = {36, 64}, .source_varies = true},
     {.dimensions = 2, .points = {31, 40}, .sweeps = {36, 64}},
     {.dimensions = 2, .points = {31, 40}, .sweeps = {36, 64}, .source_varies = true},
     {.dimensions = 1, .points = {10001, 1}, .sweeps = {4, 64}, .block_sweeps = 64},
     {.dimensions = 2, .points = {96, 8}, .sweeps = {200, 200}, .in_l1 = true},
     {.dimensions = 2,
      .points = {96, 8},
      .sweeps = {200, 200},
      .in_l1 = true,
      .source_varies = true},
     {.dimensions = 1, .points = {768, 1}, .sweeps = {200, 200}, .in_l1 = true},
     {.dimensions = 2, .points = {192, 8}, .sweeps = {100, 100}, .in_l1 = true, .levels = 1},
     {.dimensions = 2,
      .points = {192, 8},
      .sweeps = {100, 100},
      .in_l1 = true,
      .levels = 1,
      .source_varies = true},
     {.dimensions = 1, .points = {1536, 1}, .sweeps = {100, 100}, .in_l1 = true, .levels = 1},
     {.dimensions = 2, .points = {512, 4}, .sweeps = {100, 100}, .in_l1 = true, .levels = 64},
     {.dimensions = 2,
      .points = {512, 4},
      .sweeps = {100, 100},
      .in_l1 = true,
      .levels = 64,
      .source_varies = true},
     {.dimensions = 2, .points = {257, 256}, .sweeps = {2, 64}, .block_sweeps = 64, .huge = true}}};

enum { SIZES = sizeof usual_sizes.problems / sizeof usual_sizes.problems[0] };

static void print_help(void) {
    puts("usage: bench [--rounds N] [--only NX] [--quick] [--record FILE] [--probe]\n"
         "Times every kernel against the plain loop, the machine's copy rate and the first cache.\n"
         "  --rounds N     samples of each row, 1 to 50 (5)\n"
         "  --only NX      only the problems with NX points along x\n"
         "  --quick        small problems: shows that the benchmark works, no speeds\n"
         "  --record FILE  all samples as JSON; - is standard output, the table then goes to "
         "standard error\n"
         "  --probe        only the copy rate and the latency, as JSON on standard output\n"
         "Set OMP_NUM_THREADS, OMP_PLACES=cores and OMP_PROC_BIND=close, as run/bench does.");
}

static void read_rounds(struct bench_options *options, const char *word, struct status *status) {
    int64_t rounds;
    if (text_to_integer(word, &rounds) && rounds >= 1 && rounds <= ROUNDS_MAX)
        options->rounds = (int)rounds;
    else
        status_fail(status, EXIT_CODE_USAGE, "--rounds: %.60s is not in 1..%d", word, ROUNDS_MAX);
}

static void read_only(struct bench_options *options, const char *word, struct status *status) {
    if (!text_to_integer(word, &options->only) || options->only < 1)
        status_fail(status, EXIT_CODE_USAGE, "--only: %.60s is no number of points", word);
}

static bool read_options(struct bench_options *options, int argc, char **argv,
                         struct status *status) {
    static const struct option known[] = {{"rounds", required_argument, NULL, 'n'},
                                          {"quick", no_argument, NULL, 'q'},
                                          {"record", required_argument, NULL, 'r'},
                                          {"probe", no_argument, NULL, 'p'},
                                          {"only", required_argument, NULL, 'o'},
                                          {"help", no_argument, NULL, 'h'},
                                          {0}};
    *options = (struct bench_options){.rounds = 5};
    opterr = 0;
    for (int found; (found = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        options->quick |= found == 'q';
        options->probe |= found == 'p';
        options->help |= found == 'h';
        if (found == 'r')
            options->record = optarg;
        if (found == 'n')
            read_rounds(options, optarg, status);
        if (found == 'o')
            read_only(options, optarg, status);
        if (found == '?')
            status_fail(status, EXIT_CODE_USAGE, "%.60s: unknown option; see --help",
                        argv[optind - 1]);
    }
    if (optind < argc)
        status_fail(status, EXIT_CODE_USAGE, "%.60s: not an option; see --help", argv[optind]);
    return status_good(status);
}

static bool fits_memory(const struct problem *problem, int64_t taken_bytes) {
    const int64_t need = taken_bytes + 2 * (int64_t)problem->layout.bytes;
    return memory_suffices(need, memory_available_bytes(""));
}

/* Whether the caller asked for this size, and the machine has room for one that is huge. */
static bool problem_wanted(const struct bench *bench, const struct problem *problem) {
    if (bench->options.only > 0 && problem->points[AXIS_X] != bench->options.only)
        return false;
    if (!problem->huge || fits_memory(problem, 2 * bench->arrays.count * (int64_t)sizeof(double)))
        return true;
    fprintf(stderr, "%s: too little memory for %" PRI_INDEX " x %" PRI_INDEX ", left out\n",
            program, problem->points[AXIS_X], problem->points[AXIS_Y]);
    return false;
}

static bool make_problems(struct bench *bench, const struct sizes *sizes, struct status *status) {
    bench->problems = calloc(SIZES, sizeof *bench->problems);
    if (!bench->problems)
        status_fail(status, EXIT_CODE_ENVIRONMENT, "no memory for the list of problems");
    for (int i = 0; i < SIZES && status_good(status); i++) {
        struct problem *problem = &bench->problems[bench->problem_count];
        *problem = sizes->problems[i];
        if (problem_complete(problem, status) && problem_wanted(bench, problem))
            bench->problem_count++;
    }
    if (status_good(status) && bench->problem_count == 0)
        status_fail(status, EXIT_CODE_USAGE, "--only: no problem has %" PRId64 " points along x",
                    bench->options.only);
    return status_good(status);
}

static bool row_makes_sense(const struct bench *bench, const struct problem *problem, int threads,
                            const struct kernel *kernel) {
    if (problem->in_l1)
        return kernel && kernel_suits_l1(kernel) &&
               (problem->levels > 0) == (kernel_load(kernel) == LOAD_BLOCKED) &&
               (problem->levels <= 1 || kernel->choose_level);
    if (problem->huge)
        return kernel && kernel_load(kernel) == LOAD_BLOCKED &&
               threads == bench->threads[bench->thread_counts - 1];
    return true;
}

static void add_row(struct bench *bench, const struct problem *problem, int threads,
                    const struct kernel *kernel) {
    if (row_makes_sense(bench, problem, threads, kernel))
        bench->rows[bench->row_count++] =
            (struct row){.kernel = kernel, .problem = problem, .threads = threads};
}

static bool make_rows(struct bench *bench, struct status *status) {
    const int rows = bench->problem_count * bench->thread_counts * (1 + bench->kernel_count);
    bench->rows = calloc((size_t)rows, sizeof *bench->rows);
    if (!bench->rows) {
        status_fail(status, EXIT_CODE_ENVIRONMENT, "no memory for the samples");
        return false;
    }
    for (int p = 0; p < bench->problem_count; p++)
        for (int t = 0; t < bench->thread_counts; t++) {
            add_row(bench, &bench->problems[p], bench->threads[t], NULL);
            for (int k = 0; k < bench->kernel_count; k++)
                add_row(bench, &bench->problems[p], bench->threads[t], &bench->kernels[k]);
        }
    return true;
}

/* Two arrays are copied, and the largest problem that is not huge has at most three. */
static bool check_memory(const struct sizes *sizes, struct status *status) {
    const int64_t need = 5 * sizes->copy_count * (int64_t)sizeof(double);
    const int64_t have = memory_available_bytes("");
    char need_text[32], have_text[32];
    if (!memory_suffices(need, have))
        status_fail(status, EXIT_CODE_ENVIRONMENT,
                    "%s of memory are needed, nine tenths of %s can be had; --quick",
                    text_bytes(need_text, sizeof need_text, (double)need),
                    text_bytes(have_text, sizeof have_text, (double)have));
    return status_good(status);
}

/* Threads that are bound get one core each, so more than there are places would share them. */
static int all_threads(void) {
    const int threads = omp_get_max_threads(), places = omp_get_num_places();
    const bool bound = omp_get_proc_bind() != omp_proc_bind_false;
    return bound && places > 0 && places < threads ? places : threads;
}

static bool prepare(struct bench *bench, struct status *status) {
    const struct sizes *sizes = bench->options.quick ? &quick_sizes : &usual_sizes;
    bench->threads[bench->thread_counts++] = 1;
    if (all_threads() > 1)
        bench->threads[bench->thread_counts++] = all_threads();
    return check_memory(sizes, status) && copy_make(&bench->arrays, sizes->copy_count, status) &&
           make_problems(bench, sizes, status) && make_rows(bench, status);
}

static void finish(struct bench *bench) {
    copy_free(&bench->arrays);
    free(bench->problems);
    free(bench->rows);
}

static void probe(struct bench *bench, int round) {
    bench->latency_ns[round] = latency_ns();
    for (int t = 0; t < bench->thread_counts; t++)
        for (enum stores stores = 0; stores < STORES_COUNT; stores++)
            bench->copy_bytes_per_s[t][stores][round] =
                copy_bytes_per_s(&bench->arrays, bench->threads[t], stores);
}

static void say_state(const struct bench *bench, int round) {
    const int last = bench->thread_counts - 1;
    fprintf(stderr, "%s: round %d of %d: cores %.0f ns apart, streaming copy %.1f GB/s\n", program,
            round + 1, bench->options.rounds, bench->latency_ns[round],
            bench->copy_bytes_per_s[last][STORES_STREAMING][round] / 1e9);
}

/* A problem in a first cache is compared when it is timed. */
static bool take_references(struct bench *bench, struct status *status) {
    for (int p = 0; p < bench->problem_count; p++)
        if (!bench->problems[p].in_l1 &&
            !problem_reference(&bench->problems[p], bench->kernels, status))
            return false;
    return true;
}

/* A row that differed once is not timed again. */
static bool take_round(struct bench *bench, int round, struct status *status) {
    probe(bench, round);
    say_state(bench, round);
    for (int r = 0; r < bench->row_count && status_good(status); r++) {
        struct row *row = &bench->rows[r];
        if (row->differs)
            continue;
        if (row->problem->in_l1)
            row_take_in_l1(row, bench, status);
        else
            row_take(row, bench, status);
    }
    return status_good(status);
}

static bool all_equal(const struct bench *bench) {
    for (int r = 0; r < bench->row_count; r++)
        if (bench->rows[r].differs)
            return false;
    return true;
}

static void measure(struct bench *bench, int argc, char **argv, struct status *status) {
    const char *record = bench->options.record;
    if (record && !output_check("--record", record, true, status))
        return;
    if (!prepare(bench, status) || !take_references(bench, status))
        return;
    for (int round = 0; round < bench->options.rounds; round++)
        if (!take_round(bench, round, status))
            return;
    report_print(bench, record && strcmp(record, "-") == 0 ? stderr : stdout);
    const int code = all_equal(bench) ? EXIT_CODE_DONE : EXIT_CODE_INTERNAL;
    if (record)
        report_record(bench, argc, argv, code, status);
    if (code != EXIT_CODE_DONE)
        status_fail(status, EXIT_CODE_INTERNAL, "bits differ from the reference; see the table");
}

static void measure_probe(struct bench *bench, struct status *status) {
    const struct sizes *sizes = bench->options.quick ? &quick_sizes : &usual_sizes;
    const int threads = all_threads();
    if (!check_memory(sizes, status) || !copy_make(&bench->arrays, sizes->copy_count, status))
        return;
    report_probe(threads, latency_ns(), copy_bytes_per_s(&bench->arrays, threads, STORES_STREAMING),
                 status);
}

int bench_main(int argc, char **argv, const struct kernel *table, int count) {
    struct status status = {0};
    struct bench bench = {.kernels = table, .kernel_count = count};
    if (read_options(&bench.options, argc, argv, &status)) {
        if (bench.options.help)
            print_help();
        else if (bench.options.probe)
            measure_probe(&bench, &status);
        else
            measure(&bench, argc, argv, &status);
    }
    finish(&bench);
    if (!status_good(&status))
        status_print(program, &status);
    return status.code;
}
