/* What pingpong prints: who and how before the measurement, table and fit after it. */
#include "funnel/text.h"
#include "pingpong_loops.h"
#include <inttypes.h>
#include <math.h>

enum { LINE_BYTES = 512 };

static const double microseconds = 1e6, megabytes = 1e-6, nanoseconds = 1e9;

static void print_repetitions(const struct pingpong_plan *plan, FILE *out) {
    const struct pingpong_size *first = &plan->size[0], *last = &plan->size[plan->sizes - 1];
    fprintf(out, "repeats     %d", first->repeats);
    if (last->repeats != first->repeats)
        fprintf(out, ", above 64 KiB %d", last->repeats);
    fputs(", after a tenth of that as warm-up; a barrier before each size, none inside\n", out);
}

void pingpong_outline(const struct pingpong_plan *plan, const struct team_facts *facts,
                      const struct binding_report *binding, FILE *out) {
    char text[LINE_BYTES];
    const int idle = facts->ranks - 2 * plan->pairs;
    fprintf(out, "pattern     %s: %s\n", plan->pattern->name, plan->pattern->help);
    print_repetitions(plan, out);
    for (int i = 0; i < plan->pairs; i++)
        fprintf(
            out, "pair        %d and %d: %s\n", plan->first + i, plan->second + i,
            pingpong_nearness_text(binding, plan->first + i, plan->second + i, text, sizeof text));
    if (idle > 0)
        fprintf(out, "idle        %d rank%s asleep meanwhile\n", idle, idle == 1 ? "" : "s");
    if (plan->cold_bytes > 0)
        fprintf(out, "cold        buffers of %s, one part after the other\n",
                text_bytes(text, sizeof text, (double)pingpong_send_bytes(plan)));
    fflush(out);
}

static void print_size(const struct pingpong_measurement *measurement, int i, FILE *out) {
    const struct pingpong_result *all = &measurement->all[i];
    const struct samples_summary *time_s = &all->time_s;
    fprintf(out, "%10" PRId64 " %11.3f %11.3f %11.3f %11.3f %10.1f",
            measurement->plan->size[i].bytes, time_s->median * microseconds,
            time_s->p5 * microseconds, time_s->p95 * microseconds, time_s->min * microseconds,
            measurement->rate_bytes_per_s[i] * megabytes);
    if (isfinite(all->probe_s))
        fprintf(out, " %8.0f", all->probe_s * nanoseconds);
    fputc('\n', out);
}

/* Sizes so small that more bytes take no more time have no bandwidth. */
static const char *bandwidth_text(char *text, size_t size, double beta_s_per_byte) {
    if (beta_s_per_byte > 0)
        snprintf(text, size, "%9.1f MB/s", megabytes / beta_s_per_byte);
    else
        snprintf(text, size, "no growth seen");
    return text;
}

static void print_segment(const struct alpha_beta_segment *segment, FILE *out) {
    char from[32], bandwidth[32];
    fprintf(out, "  from %10s  alpha %9.3f us  beta %10.4f ns/byte (%s)  error %4.1f %%\n",
            text_bytes(from, sizeof from, segment->from_bytes), segment->alpha_s * microseconds,
            segment->beta_s_per_byte * nanoseconds,
            bandwidth_text(bandwidth, sizeof bandwidth, segment->beta_s_per_byte),
            100 * segment->error);
}

static void print_fit(const struct pingpong_measurement *measurement, FILE *out) {
    char half[32];
    const struct alpha_beta_fit *fit = &measurement->fit;
    const int segments = fit->model.count;
    fprintf(out, "fit         T(m) = alpha + m beta, %d segment%s\n", segments,
            segments == 1 ? "" : "s");
    for (int i = 0; i < segments; i++)
        print_segment(&fit->model.segments[i], out);
    fputs("one line\n", out);
    print_segment(&fit->one_line, out);
    if (fit->one_line_poor)
        fputs("  a poor fit: one alpha and one beta do not describe these times\n", out);
    fprintf(out, "n-half      %s\n", text_bytes(half, sizeof half, measurement->half_bytes));
}

void pingpong_table(const struct pingpong_measurement *measurement, FILE *out) {
    char transport[LINE_BYTES];
    const struct pingpong_plan *plan = measurement->plan;
    fprintf(out, "transport   %s\n",
            pingpong_transport_text(measurement, transport, sizeof transport));
    if (plan->pairs > 1)
        fprintf(
            out,
            "over %d pairs: median of the medians, least p5 and min, greatest p95 and probe, sum "
            "of MB/s\n",
            plan->pairs);
    fprintf(out, "%10s %11s %11s %11s %11s %10s %8s\n", "bytes", "median us", "p5 us", "p95 us",
            "min us", "MB/s", "probe ns");
    for (int i = 0; i < plan->sizes; i++)
        print_size(measurement, i, out);
    if (measurement->fitted)
        print_fit(measurement, out);
}
