/* The table that people read. */
#include "funnel/record.h"
#include "rows.h"
#include <math.h>

static void print_copy(const struct bench *bench, FILE *out) {
    const int rounds = bench->options.rounds;
    const struct summary latency = summary_of(bench->latency_ns, rounds);
    if (!isnan(latency.median))
        fprintf(out, "a cache line to another core and back: %.0f ns [%.0f .. %.0f]\n",
                latency.median, latency.min, latency.max);
    for (int t = 0; t < bench->thread_counts; t++)
        for (enum stores stores = 0; stores < STORES_COUNT; stores++) {
            const struct summary s = summary_of(bench->copy_bytes_per_s[t][stores], rounds);
            fprintf(out, "copy, %-9s stores, threads %2d: %7.1f GB/s [%.1f .. %.1f]\n",
                    stores_names[stores], bench->threads[t], s.median / 1e9, s.min / 1e9,
                    s.max / 1e9);
        }
}

static void print_heading(const struct problem *problem, FILE *out) {
    if (problem->dimensions == 1)
        fprintf(out, "\nline of %" PRI_INDEX, problem->points[AXIS_X]);
    else
        fprintf(out, "\n%" PRI_INDEX " x %" PRI_INDEX, problem->points[AXIS_X],
                problem->points[AXIS_Y]);
    fprintf(out, "%s%s, %s\n", problem->in_l1 ? " in the first cache, one a thread" : "",
            problem->levels > 1 ? ", kept rows of its levels in the second" : "",
            problem->source_varies ? "varying source" : "no source");
    fprintf(out, "  %-12s %7s %9s [%9s .. %9s] %6s %11s %6s %10s %9s %8s\n", "kernel", "threads",
            "MLUP/s", "min", "max", "GB/s", "of roofline", "of L1", "of ceiling", "of levels",
            "to plain");
}

/* A ratio, or a dash where there is none. */
static void print_ratio(double value, int width, FILE *out) {
    if (isnan(value))
        fprintf(out, " %*s", width, "-");
    else
        fprintf(out, " %*.2f", width, value);
}

static void print_row(const struct bench *bench, const struct row *row, FILE *out) {
    const struct summary rate = row_summary(bench, row, MEASURE_RATE);
    fprintf(out, "  %-12s %7d", row_name(row), row->threads);
    if (row->differs) {
        fprintf(out, " bits differ from the reference: no rate\n");
        return;
    }
    fprintf(out, " %9.0f [%9.0f .. %9.0f]", rate.median / 1e6, rate.min / 1e6, rate.max / 1e6);
    fprintf(out, " %6.1f", rate.median * row_bytes_per_point(row) / 1e9);
    print_ratio(row_summary(bench, row, MEASURE_ROOFLINE).median, 11, out);
    print_ratio(row_summary(bench, row, MEASURE_L1).median, 6, out);
    print_ratio(row_summary(bench, row, MEASURE_CEILING).median, 10, out);
    print_ratio(row_summary(bench, row, MEASURE_LEVELS).median, 9, out);
    print_ratio(row_summary(bench, row, MEASURE_PLAIN).median, 8, out);
    fputc('\n', out);
}

static void print_build(FILE *out) {
    const struct build_facts *build = build_facts();
    fprintf(out, "commit %.12s%s, %s, %s%s\n", build->commit, build->dirty ? " and changes" : "",
            build->compiler, build->flags,
            build->sanitized ? ": built to find errors, no rate means anything" : "");
    fprintf(out, "the plain loop: %s\n", BENCH_PLAIN_FLAGS);
}

void report_print(const struct bench *bench, FILE *out) {
    print_build(out);
    print_copy(bench, out);
    for (int r = 0; r < bench->row_count; r++) {
        if (r == 0 || bench->rows[r].problem != bench->rows[r - 1].problem)
            print_heading(bench->rows[r].problem, out);
        print_row(bench, &bench->rows[r], out);
    }
    fprintf(
        out,
        "\nMedians of %d rounds. Roofline: the streaming copy beside each sample over 16 "
        "bytes a point, 24 with a varying source. Ceiling: the rate in the first cache less what "
        "overlapping tiles compute twice. Levels: those of a tile in turn, with the rows that it "
        "keeps in the second cache.\n",
        bench->options.rounds);
    fflush(out);
}
