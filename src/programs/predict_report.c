/* What predict prints and draws. */
#include "funnel/chart.h"
#include "funnel/record.h"
#include "funnel/scaling.h"
#include "funnel/text.h"
#include "predict.h"
#include <math.h>
#include <stdlib.h>

static const char *const count_names[MESSAGE_COUNTS] = {"neighbours at once",
                                                        "one after the other"};

struct cell {
    char text[32];
};

/* A time, or a dash where there is none. */
static struct cell seconds(double time_s) {
    struct cell cell = {"-"};
    if (isfinite(time_s))
        text_seconds(cell.text, sizeof cell.text, time_s);
    return cell;
}

static void print_network(const char *name, const struct alpha_beta *network, FILE *out) {
    char half[32];
    if (network->count == 0)
        return;
    fprintf(out, "%-12s", name);
    for (int k = 0; k < network->count; k++) {
        const struct alpha_beta_segment *segment = &network->segments[k];
        if (k > 0)
            fprintf(out, "; from %.0f B ", segment->from_bytes);
        fprintf(out, "%.3g us + m/(%.4g MB/s)", 1e6 * segment->alpha_s,
                1e-6 / segment->beta_s_per_byte);
    }
    fprintf(out, "; n-half %s\n", text_bytes(half, sizeof half, alpha_beta_half_bytes(network)));
}

static void print_head(const struct predict_task *task, const struct predict_options *options,
                       FILE *out) {
    const struct grid *grid = task->run.grid;
    const struct build_facts *build = build_facts();
    fprintf(out, "predict     Funnel %s, commit %.12s, %s on %s\n", build->version, build->commit,
            options->config, options->machine ? options->machine : "a machine given by hand");
    fprintf(
        out,
        "grid        %" PRI_INDEX " x %" PRI_INDEX " = %" PRI_INDEX " points, %.0f bytes a point\n",
        grid->points[AXIS_X], grid->points[AXIS_Y], grid_points(grid), task->run.bytes_per_point);
    fprintf(out, "sweeping    kernel %s, halo %s, check every %.0f sweeps\n",
            task->run.kernel < 0 ? "auto (the fastest)"
                                 : task->machine.kernels[task->run.kernel].name,
            task->plan.halo->name, task->run.check_every);
    fprintf(out, "node        %d core%s\n", task->machine.cores,
            task->machine.cores == 1 ? "" : "s");
    print_network("on a node", &task->machine.on_node, out);
    print_network("in rows", &task->machine.rows_on_node, out);
    print_network("by window", &task->machine.window, out);
    print_network("nodes apart", &task->machine.between_nodes, out);
}

static void print_count(const struct predict_results *results, const struct predict_row *row,
                        enum message_count count, FILE *out) {
    const double sweep_s = row->found.sweep_s[count];
    fprintf(out, " | %9s %9s %6.2f %5.2f", seconds(row->found.comm_s[count]).text,
            seconds(sweep_s).text, 100 * prediction_tcomm_fraction(&row->found, count),
            scaling_efficiency(results->one_core_s, sweep_s, (double)row->ranks * row->threads));
}

static void print_row(const struct predict_task *task, const struct predict_results *results,
                      const struct predict_row *row, FILE *out) {
    const struct prediction *found = &row->found;
    struct cell grid;
    snprintf(grid.text, sizeof grid.text, "%dx%d", found->process_grid.count[AXIS_X],
             found->process_grid.count[AXIS_Y]);
    fprintf(out, "%7d %7d %7d %11s %9s %5d %9s", row->ranks, row->threads, found->nodes, grid.text,
            task->machine.kernels[found->kernel].name, found->depth,
            seconds(found->compute_s).text);
    for (int count = 0; count < MESSAGE_COUNTS; count++)
        print_count(results, row, (enum message_count)count, out);
    fprintf(out, " | %9s %9s\n", seconds(row->strips_s).text, seconds(row->blocks_s).text);
}

static void print_table(const struct predict_task *task, const struct predict_results *results,
                        FILE *out) {
    fprintf(out, "\n%69s %-33s | %-33s | %s, %s\n", "|", count_names[NEIGHBOURS_AT_ONCE],
            count_names[ONE_AFTER_OTHER], "T_sweep", count_names[task->count]);
    fprintf(out, "%7s %7s %7s %11s %9s %5s %9s", "ranks", "threads", "nodes", "grid", "kernel",
            "depth", "compute");
    for (int count = 0; count < MESSAGE_COUNTS; count++)
        fprintf(out, " | %9s %9s %6s %5s", "T_comm", "T_sweep", "Tcomm%", "eff.");
    fprintf(out, " | %9s %9s\n", "1-D", "2-D");
    for (int i = 0; i < results->row_count; i++)
        print_row(task, results, &results->rows[i], out);
}

static void print_crossover(const struct predict_task *task, const struct predict_results *results,
                            FILE *out) {
    fputc('\n', out);
    for (int count = 0; count < MESSAGE_COUNTS; count++) {
        fprintf(out, "1-D or 2-D  %s (halo depth %d): ", count_names[count],
                predict_crossover_depth(task));
        if (results->crossover[count] > 0)
            fprintf(out, "2-D blocks beat 1-D strips from %d ranks on\n",
                    results->crossover[count]);
        else
            fputs("1-D strips stay ahead\n", out);
    }
}

static void print_best(const struct predict_task *task, const struct predict_results *results,
                       FILE *out) {
    fprintf(out, "\nBest for so many cores, with any halo depth (%s):\n", count_names[task->count]);
    fprintf(out, "%7s %17s %11s %9s %5s %9s %7s %5s %6s\n", "cores", "ranks x threads", "grid",
            "kernel", "depth", "T_sweep", "Tcomm%", "eff.", "serial");
    for (int i = 0; i < results->best_count; i++) {
        const struct predict_row *row = &results->best[i];
        const struct prediction *found = &row->found;
        const double cores = (double)row->ranks * row->threads;
        const double sweep_s = found->sweep_s[task->count];
        struct cell layout, grid;
        snprintf(layout.text, sizeof layout.text, "%d x %d", row->ranks, row->threads);
        snprintf(grid.text, sizeof grid.text, "%dx%d", found->process_grid.count[AXIS_X],
                 found->process_grid.count[AXIS_Y]);
        fprintf(out, "%7.0f %17s %11s %9s %5d %9s %7.2f %5.2f", cores, layout.text, grid.text,
                task->machine.kernels[found->kernel].name, found->depth, seconds(sweep_s).text,
                100 * prediction_tcomm_fraction(found, task->count),
                scaling_efficiency(results->one_core_s, sweep_s, cores));
        if (cores > 1)
            fprintf(out, " %6.4f", scaling_karp_flatt(results->one_core_s, sweep_s, cores));
        fputc('\n', out);
    }
}

void predict_report(const struct predict_task *task, const struct predict_options *options,
                    const struct predict_results *results, FILE *out) {
    print_head(task, options, out);
    print_table(task, results, out);
    if (task->machine.between_nodes.count > 0 && task->run.grid->dimensions == 2)
        print_crossover(task, results, out);
    print_best(task, results, out);
    fprintf(out, "predict: %d layout%s; efficiency against one core, which takes %s a sweep\n",
            results->row_count, results->row_count == 1 ? "" : "s",
            seconds(results->one_core_s).text);
}

/* One curve of the chart, a value a row with the first number of threads. */
struct curve {
    double x[FLAG_LIST_MAX], y[FLAG_LIST_MAX];
    int count;
};

enum { CURVE_SWEEP, CURVE_SWEEP_IN_TURN, CURVE_COMM, CURVE_COMM_IN_TURN, CURVE_COMPUTE, CURVES };

static void add_point(struct curve *curve, double x, double y) {
    curve->x[curve->count] = x;
    curve->y[curve->count++] = y;
}

static void fill_curves(struct curve curves[CURVES], const struct predict_task *task,
                        const struct predict_results *results) {
    for (int i = 0; i < results->row_count; i++) {
        const struct predict_row *row = &results->rows[i];
        if (row->threads != task->threads.values[0])
            continue;
        const struct prediction *found = &row->found;
        add_point(&curves[CURVE_SWEEP], row->ranks, found->sweep_s[NEIGHBOURS_AT_ONCE]);
        add_point(&curves[CURVE_SWEEP_IN_TURN], row->ranks, found->sweep_s[ONE_AFTER_OTHER]);
        add_point(&curves[CURVE_COMM], row->ranks, found->comm_s[NEIGHBOURS_AT_ONCE]);
        add_point(&curves[CURVE_COMM_IN_TURN], row->ranks, found->comm_s[ONE_AFTER_OTHER]);
        add_point(&curves[CURVE_COMPUTE], row->ranks, found->compute_s);
    }
}

bool predict_plot(const struct predict_task *task, const struct predict_results *results,
                  const char *path, struct status *status) {
    static const char *const names[CURVES] = {
        "T_sweep, neighbours at once", "T_sweep, one after the other", "T_comm, neighbours at once",
        "T_comm, one after the other", "compute"};
    struct curve curves[CURVES] = {0};
    char title[128];
    fill_curves(curves, task, results);
    snprintf(title, sizeof title,
             "Predicted time of a sweep, %" PRI_INDEX " x %" PRI_INDEX ", %d thread%s a rank",
             task->run.grid->points[AXIS_X], task->run.grid->points[AXIS_Y],
             task->threads.values[0], task->threads.values[0] == 1 ? "" : "s");
    struct chart chart = {
        .title = title, .x_label = "ranks", .y_label = "seconds a sweep", .count = CURVES};
    for (int k = 0; k < CURVES; k++)
        chart.series[k] =
            (struct chart_series){names[k], curves[k].count, curves[k].x, curves[k].y, false};
    return chart_write_png(&chart, path, status);
}
