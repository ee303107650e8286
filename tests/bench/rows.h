/* Rows of the benchmark: a loop, a problem and a number of threads, with a sample a round. */
#ifndef FUNNEL_BENCH_ROWS_H
#define FUNNEL_BENCH_ROWS_H

#include "problem.h"
#include "state.h"
#include <stdio.h>

enum { ROUNDS_MAX = 50, THREAD_COUNTS = 2 };

/* One timing, with the state of the machine just before it. */
struct sample {
    double rate_lups;
    double
        copy_bytes_per_s; /* streaming, by as many threads as the row has; NaN in a first cache */
    double latency_ns;
};

struct row {
    const struct kernel *kernel; /* NULL: the plain loop */
    const struct problem *problem;
    int threads;
    bool differs;         /* its bits are not those of the reference: none of its times counts */
    double overlap_share; /* of the points computed, those that overlapping tiles do once more */
    int samples;
    struct sample sample[ROUNDS_MAX];
};

struct bench_options {
    int64_t only; /* points along x of the problems to take; 0: all */
    int rounds;
    bool quick, probe, help;
    const char *record; /* NULL: none, "-": standard output */
};

/* A whole benchmark. Rows of one problem and thread count stand together, the plain loop first. */
struct bench {
    struct bench_options options;
    const struct kernel *kernels;
    int kernel_count;
    int threads[THREAD_COUNTS], thread_counts; /* 1, and all where that is more */
    struct problem *problems;
    int problem_count;
    struct row *rows;
    int row_count;
    struct copy_arrays arrays;
    /* taken at the start of each round */
    double copy_bytes_per_s[THREAD_COUNTS][STORES_COUNT][ROUNDS_MAX];
    double latency_ns[ROUNDS_MAX];
};

/* Fills in the problem's checksum by `reference`. */
bool problem_reference(struct problem *problem, const struct kernel *reference,
                       struct status *status);

/* Times a row once more, or finds that its bits differ. */
bool row_take(struct row *row, const struct bench *bench, struct status *status);

/* False for a kernel that writes past the caches. */
bool kernel_suits_l1(const struct kernel *kernel);

/* The same for a problem in the first cache (rows_in_l1.c). */
bool row_take_in_l1(struct row *row, const struct bench *bench, struct status *status);

const char *row_name(const struct row *row);
/* Sweeps in one pass through memory. */
int row_sweeps_at_a_time(const struct row *row);
/* Memory traffic, less where sweeps are done several at a time. */
double row_bytes_per_point(const struct row *row);

/* The row of another loop on the same problem with as many threads, or NULL. */
const struct row *row_plain(const struct bench *bench, const struct row *row);
/* The row of the same loop in the first cache, same dimension and source, or NULL; with one level
 * there, or with several whose rows take turns. */
const struct row *row_in_l1(const struct bench *bench, const struct row *row, bool several_levels);

/* Median, least and most; all NaN without values. NaN among the values is left out. */
struct summary {
    double median, min, max;
};
struct summary summary_of(const double *values, int count);

enum measure {
    MEASURE_RATE,
    MEASURE_ROOFLINE,
    MEASURE_L1,
    MEASURE_CEILING,
    MEASURE_LEVELS,
    MEASURE_PLAIN,
    MEASURE_COUNT
};
extern const char *const measure_names[MEASURE_COUNT];

/* A measure of one sample: the rate, or its ratio to the roofline beside it, to the same loop in
 * the first cache, to what overlapping tiles leave of that, to its levels with rows in the second
 * cache, or to the plain loop in the same round.
 * NaN where there is no such thing. */
double row_measure(const struct bench *bench, const struct row *row, int sample,
                   enum measure measure);
struct summary row_summary(const struct bench *bench, const struct row *row, enum measure measure);

/* The table (report_table.c). */
void report_print(const struct bench *bench, FILE *out);

/* The record, or only the state of the machine with the rows that the second part runs
 * (report_record.c). EXIT_CODE_FILES. */
bool report_record(const struct bench *bench, int argc, char **argv, int exit_code,
                   struct status *status);
bool report_probe(int threads, double latency, double copy_rate, struct status *status);

/* All of it: main of a program with this table of kernels, whose first row is the reference. */
int bench_main(int argc, char **argv, const struct kernel *table, int count);

#endif
