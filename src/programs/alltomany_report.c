/* The report: the lines of the study, then the answers to what else was asked. */
#include "alltomany.h"
#include "funnel/text.h"

static void print_pattern(const struct alltomany_result *result, FILE *out) {
    const struct pattern *pattern = &result->plan.pattern;
    char most[32];
    fprintf(out, "  number of processes   %12d\n", pattern->ranks);
    fprintf(out, "  number of senders     %12d\n", pattern->ranks);
    fprintf(out, "  number of receivers   %12d (rank %% %d == 0)\n", pattern_receivers(pattern),
            pattern->ranks_per_node);
    fprintf(out, "  number of iterations  %12d (%d before them as warm-up)\n", result->iterations,
            result->warmup);
    fprintf(out, "  unit of message size  %12lld bytes\n", (long long)pattern->unit_bytes);
    fprintf(out, "  max message size      %12lld bytes\n",
            (long long)pattern_largest_bytes(pattern));
    fprintf(out, "  min message size      %12lld bytes\n",
            (long long)pattern_smallest_bytes(pattern));
    const int64_t arriving = pattern_offset_bytes(pattern, pattern->ranks);
    fprintf(out, "  a receiver gets       %12d messages an iteration, %s\n", pattern->ranks,
            text_bytes(most, sizeof most, (double)arriving));
}

static void print_times(const char *name, const struct spread *s, FILE *out) {
    fprintf(out, "  %-22s %11.6f (rank %d) %11.6f %11.6f (rank %d)\n", name, s->max, s->max_rank,
            s->mean, s->min, s->min_rank);
}

static void print_study(const struct alltomany_result *result, FILE *out) {
    fprintf(out, "  %-22s %11s %20s %11s\n", "time of all iterations", "max s", "mean s", "min s");
    if (result->variant->exchange == NULL) {
        print_times("posting irecv", &result->post_receives_s, out);
        print_times("posting isend", &result->post_sends_s, out);
    }
    print_times(result->variant->waits_in, &result->wait_s, out);
    print_times("end to end", &result->end_to_end_s, out);
    fprintf(out, "  an iteration: %.3f us (end to end, maximum among all processes)\n",
            1e6 * result->end_to_end_s.max / result->iterations);
}

static void print_growth(const struct alltomany_result *result, FILE *out) {
    char text[256];
    fprintf(out,
            "growth      does the time grow in proportion to the iterations? %d runs of each, by "
            "turns\n"
            "  iterations    median us  (95 %% of medians)      min us      max us  us an "
            "iteration\n",
            result->repeats);
    for (int i = 0; i < result->points; i++) {
        const struct samples_summary *s = &result->point[i].total_s;
        fprintf(out, "  %10d %12.2f %10.2f..%-10.2f %9.2f %11.2f %16.3f\n",
                result->point[i].iterations, 1e6 * s->median, 1e6 * s->median_low,
                1e6 * s->median_high, 1e6 * s->min, 1e6 * s->max,
                1e6 * s->median / result->point[i].iterations);
    }
    fprintf(out, "  verdict: %s\n", growth_sentence(text, sizeof text, &result->growth));
}

static void print_queues(const struct alltomany_result *result, FILE *out) {
    fprintf(out,
            "queue       messages of %d bytes with distinct tags from each other rank to each "
            "receiver;\n"
            "            time a message on the slowest receiver, median of %d runs\n"
            "      length  receives posted  in order      post us     wait us      sum us\n",
            QUEUE_MESSAGE_BYTES, result->repeats);
    for (int i = 0; i < result->queue_rows; i++) {
        const struct alltomany_queue_row *row = &result->queue_row[i];
        fprintf(out, "  %10d  %-15s  %-8s %12.3f %11.3f %11.3f\n", row->plan.length,
                row->plan.posted_first ? "before arrival" : "after arrival",
                alltomany_order_name((int)row->plan.order), 1e6 * row->post_s, 1e6 * row->wait_s,
                1e6 * (row->post_s + row->wait_s));
    }
}

static void print_variant(const struct alltomany_result *result, FILE *out) {
    fprintf(out, "study       variant %s: %s\n", result->variant->name, result->variant->help);
    if (result->variant->exchange == NULL)
        fprintf(out, "            receives posted %s by sending rank",
                alltomany_order_name((int)result->plan.order));
    if (result->plan.throttle > 0)
        fprintf(out, ", at most %d at a time", result->plan.throttle);
    fputs(result->variant->exchange == NULL ? "\n" : "", out);
}

void alltomany_report(const struct alltomany_result *result, FILE *out) {
    print_variant(result, out);
    print_pattern(result, out);
    if (result->validated)
        fprintf(out,
                "  validated             every byte of %d untimed iterations and of the last "
                "timed one\n",
                result->iterations);
    print_study(result, out);
    if (result->points > 0)
        print_growth(result, out);
    if (result->queue_rows > 0)
        print_queues(result, out);
}
