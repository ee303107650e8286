/* The picture of a measurement: time and bandwidth over the size, points and fit. */
#include "funnel/chart.h"
#include "pingpong_loops.h"
#include <math.h>
#include <stdio.h>

enum { CURVE_POINTS = 200 };

/* Measured points and the curve of the fit, as times and as rates. */
struct curves {
    double bytes[PINGPONG_SIZES_MAX], median_us[PINGPONG_SIZES_MAX];
    double megabytes_per_s[PINGPONG_SIZES_MAX];
    double fit_bytes[CURVE_POINTS], fit_us[CURVE_POINTS], fit_megabytes_per_s[CURVE_POINTS];
};

static void take_points(struct curves *curves, const struct pingpong_measurement *measurement) {
    for (int i = 0; i < measurement->plan->sizes; i++) {
        curves->bytes[i] = (double)measurement->plan->size[i].bytes;
        curves->median_us[i] = 1e6 * measurement->all[i].time_s.median;
        curves->megabytes_per_s[i] = 1e-6 * measurement->rate_bytes_per_s[i];
    }
}

static void take_fit(struct curves *curves, const struct pingpong_measurement *measurement) {
    const struct pingpong_plan *plan = measurement->plan;
    const double low = curves->bytes[0], high = curves->bytes[plan->sizes - 1];
    for (int i = 0; i < CURVE_POINTS; i++) {
        const double bytes = low * pow(high / low, (double)i / (CURVE_POINTS - 1));
        const double time_s = alpha_beta_time_s(&measurement->fit.model, bytes);
        curves->fit_bytes[i] = bytes;
        curves->fit_us[i] = 1e6 * time_s;
        curves->fit_megabytes_per_s[i] = 1e-6 * plan->pairs * plan->pattern->ways * bytes / time_s;
    }
}

bool pingpong_draw(const struct pingpong_measurement *measurement, const char *path,
                   struct status *status) {
    struct curves curves;
    char title[160];
    const struct pingpong_plan *plan = measurement->plan;
    take_points(&curves, measurement);
    if (measurement->fitted)
        take_fit(&curves, measurement);
    snprintf(title, sizeof title, "%s, ranks %d and %d%s", plan->pattern->name, plan->first,
             plan->second, plan->pairs > 1 ? " and the other pairs" : "");
    const struct chart chart = {
        .title = title,
        .x_label = "message (bytes)",
        .y_label = "time (us), bandwidth (MB/s)",
        .count = measurement->fitted ? 4 : 2,
        .series = {
            {"time", plan->sizes, curves.bytes, curves.median_us, true},
            {"bandwidth", plan->sizes, curves.bytes, curves.megabytes_per_s, true},
            {"time, fit", CURVE_POINTS, curves.fit_bytes, curves.fit_us, false},
            {"bandwidth, fit", CURVE_POINTS, curves.fit_bytes, curves.fit_megabytes_per_s, false}}};
    return chart_write_png(&chart, path, status);
}
