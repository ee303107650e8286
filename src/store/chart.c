/* Curves over two logarithmic axes. What is drawn is the logarithm to base 10 of each value, on the
 * linear axes of plot.c with a tick at each power of ten. */
#include "funnel/chart.h"
#include "plot.h"
#include <math.h>
#include <stdio.h>

enum { WIDTH = 900, HEIGHT = 560, LEFT = 90, TOP = 60, BOTTOM = 70, LEGEND = 230, LEGEND_ROW = 24 };

/* Colours that people with any kind of colour vision tell apart (M. Okabe and K. Ito, "Color
 * universal design", 2008), dark enough on white. */
static const colour colours[CHART_SERIES_MAX] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
                                                 0xe69f00, 0x56b4e9, 0x000000, 0x777777};

static bool is_drawn(const struct chart_series *series, int i) {
    return series->x[i] > 0 && series->y[i] > 0 && isfinite(series->x[i]) && isfinite(series->y[i]);
}

/* Least and greatest logarithm of what is drawn. */
static void find_range(const struct chart *chart, struct plot_area *area) {
    area->x_low = area->y_low = INFINITY;
    area->x_high = area->y_high = -INFINITY;
    for (int k = 0; k < chart->count; k++) {
        const struct chart_series *series = &chart->series[k];
        for (int i = 0; i < series->count; i++) {
            if (!is_drawn(series, i))
                continue;
            area->x_low = fmin(area->x_low, log10(series->x[i]));
            area->x_high = fmax(area->x_high, log10(series->x[i]));
            area->y_low = fmin(area->y_low, log10(series->y[i]));
            area->y_high = fmax(area->y_high, log10(series->y[i]));
        }
    }
}

/* Whole decades, so that there are ticks at both ends. */
static void widen_to_decades(double *low, double *high) {
    *low = floor(*low + 1e-9);
    *high = ceil(*high - 1e-9);
    if (*high <= *low)
        *high = *low + 1;
}

/* A tick at each power of ten, or at every n-th if they are many. */
static struct ticks decade_ticks(double low, double high) {
    struct ticks ticks = {0};
    const int step = (int)ceil((high - low) / TICKS_MOST);
    for (int power = (int)low; power <= (int)high && ticks.count < TICKS_MAX; power += step) {
        ticks.value[ticks.count] = power;
        snprintf(ticks.text[ticks.count++], TICK_TEXT_BYTES, "%g", pow(10, power));
    }
    return ticks;
}

static void draw_line(cairo_t *cairo, const struct plot_area *area,
                      const struct chart_series *series) {
    bool joined = false;
    for (int i = 0; i < series->count; i++) {
        const bool drawn = is_drawn(series, i);
        if (drawn && joined)
            cairo_line_to(cairo, plot_x(area, log10(series->x[i])),
                          plot_y(area, log10(series->y[i])));
        else if (drawn)
            cairo_move_to(cairo, plot_x(area, log10(series->x[i])),
                          plot_y(area, log10(series->y[i])));
        joined = drawn;
    }
    cairo_set_line_width(cairo, 2);
    cairo_stroke(cairo);
}

static void draw_dot(cairo_t *cairo, double x, double y) {
    cairo_arc(cairo, x, y, 3.5, 0, 2 * acos(-1));
    cairo_fill(cairo);
}

/* No line leads to it. */
static bool stands_alone(const struct chart_series *series, int i) {
    return !(i > 0 && is_drawn(series, i - 1)) &&
           !(i + 1 < series->count && is_drawn(series, i + 1));
}

static void draw_series(cairo_t *cairo, const struct plot_area *area,
                        const struct chart_series *series, int number) {
    plot_colour(cairo, colours[number]);
    if (!series->marks)
        draw_line(cairo, area, series);
    for (int i = 0; i < series->count; i++)
        if (is_drawn(series, i) && (series->marks || stands_alone(series, i)))
            draw_dot(cairo, plot_x(area, log10(series->x[i])), plot_y(area, log10(series->y[i])));
}

static void draw_legend(cairo_t *cairo, const struct chart *chart, const struct plot_area *area) {
    const double x = area->left + area->width + 20;
    for (int k = 0; k < chart->count; k++) {
        const double y = area->top + 8 + k * LEGEND_ROW;
        plot_colour(cairo, colours[k]);
        if (chart->series[k].marks)
            draw_dot(cairo, x + 10, y);
        else {
            cairo_rectangle(cairo, x, y - 1, 20, 2);
            cairo_fill(cairo);
        }
        plot_colour(cairo, 0);
        plot_text(cairo, x + 28, y + TEXT_HEIGHT / 3.0, 0, chart->series[k].name);
    }
}

static void draw_grid(cairo_t *cairo, const struct plot_area *area, const struct ticks *x_ticks,
                      const struct ticks *y_ticks) {
    plot_colour(cairo, 0xdddddd);
    for (int i = 0; i < x_ticks->count; i++)
        cairo_rectangle(cairo, floor(plot_x(area, x_ticks->value[i])), area->top, 1, area->height);
    for (int i = 0; i < y_ticks->count; i++)
        cairo_rectangle(cairo, area->left, floor(plot_y(area, y_ticks->value[i])), area->width, 1);
    cairo_fill(cairo);
}

static void draw_axes(cairo_t *cairo, const struct chart *chart, const struct plot_area *area) {
    const struct ticks x_ticks = decade_ticks(area->x_low, area->x_high);
    const struct ticks y_ticks = decade_ticks(area->y_low, area->y_high);
    draw_grid(cairo, area, &x_ticks, &y_ticks);
    plot_colour(cairo, 0);
    plot_frame(cairo, area);
    plot_ticks_below(cairo, area, &x_ticks);
    plot_ticks_left(cairo, area, &y_ticks);
    plot_text(cairo, area->left + area->width / 2, HEIGHT - 20, 0.5, chart->x_label);
    plot_text(cairo, area->left, area->top - 12, 0, chart->y_label);
}

static void draw_chart(cairo_t *cairo, const struct chart *chart, const struct plot_area *area) {
    plot_colour(cairo, 0xffffff);
    cairo_paint(cairo);
    plot_font(cairo, TEXT_HEIGHT);
    draw_axes(cairo, chart, area);
    for (int k = 0; k < chart->count; k++)
        draw_series(cairo, area, &chart->series[k], k);
    draw_legend(cairo, chart, area);
    plot_font(cairo, TITLE_HEIGHT);
    plot_text(cairo, area->left, 12 + TITLE_HEIGHT, 0, chart->title);
}

bool chart_write_png(const struct chart *chart, const char *path, struct status *status) {
    struct plot_area area = {
        .left = LEFT, .top = TOP, .width = WIDTH - LEFT - LEGEND, .height = HEIGHT - TOP - BOTTOM};
    find_range(chart, &area);
    if (!(area.x_high >= area.x_low)) {
        status_fail(status, EXIT_CODE_USAGE, "%s: there is nothing to draw", path);
        return false;
    }
    widen_to_decades(&area.x_low, &area.x_high);
    widen_to_decades(&area.y_low, &area.y_high);
    cairo_t *cairo = plot_canvas(WIDTH, HEIGHT);
    draw_chart(cairo, chart, &area);
    const bool good = plot_write_png(cairo, path, status);
    cairo_destroy(cairo);
    return good;
}
