/* The field as a PNG: a map with a colour bar for a rectangle, a curve for a line. Nothing in it
 * depends on the machine, its fonts or the time, so equal fields give equal bytes. */
#include "funnel/image.h"
#include "colour_map.h"
#include "plot.h"

#include <cairo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    AREA_LONG = 560,   /* pixels of the longer edge of a map at least */
    AREA_SHORT = 60,   /* and of the shorter one */
    CURVE_WIDTH = 640, /* of a line's curve */
    CURVE_HEIGHT = 360,
    GAP = 12,
    BAR_GAP = 24,
    BAR_WIDTH = 20,
    BAR_SHORT = 150,   /* pixels of a colour bar at least */
    TICK_ROOM_X = 100, /* pixels between two ticks, about */
    TICK_ROOM_Y = 55,
    MARKED_POINTS = 80 /* a curve of so few points shows each as a dot */
};

/* All that is decided before drawing. */
struct figure {
    const struct picture *picture;
    const struct grid *grid;
    const char *title;
    double low, high; /* range of the colours, or of the curve's axis */
    bool to_scale;
    int width, height;
    struct plot_area area, bar;
    struct ticks x_ticks, y_ticks, value_ticks;
    char legend[256];
};

static bool is_line(const struct figure *figure) {
    return figure->grid->dimensions == 1;
}

/* Number of ticks that leaves each about `room` pixels. */
static int ticks_in(double pixels, double room) {
    return (int)fmin(fmax(round(pixels / room), TICKS_FEWEST), TICKS_MOST);
}

/* Size of the map: the shape of the domain, unless it is too thin to be seen. */
static void size_map(struct figure *figure) {
    const struct picture *picture = figure->picture;
    const double aspect = picture->aspect;
    const double width =
        aspect >= 1 ? fmax(picture->width, AREA_LONG) : fmax(picture->height, AREA_LONG) * aspect;
    const double height = width / aspect;
    figure->area.width = fmax(round(width), AREA_SHORT);
    figure->area.height = fmax(round(height), AREA_SHORT);
    figure->to_scale = width >= AREA_SHORT && height >= AREA_SHORT;
}

static void plan_map(struct figure *figure) {
    struct plot_area *area = &figure->area;
    size_map(figure);
    area->x_high = figure->grid->length[AXIS_X];
    area->y_high = figure->grid->length[AXIS_Y];
    figure->bar = (struct plot_area){.width = BAR_WIDTH,
                                     .height = fmax(area->height, BAR_SHORT),
                                     .x_high = 1,
                                     .y_low = figure->low,
                                     .y_high = figure->high};
    ticks_make(&figure->value_ticks, figure->low, figure->high,
               ticks_in(figure->bar.height, TICK_ROOM_Y));
}

static void plan_curve(struct figure *figure) {
    const double margin = (figure->high / 2 - figure->low / 2) / 10;
    figure->to_scale = true;
    figure->area = (struct plot_area){.width = CURVE_WIDTH,
                                      .height = CURVE_HEIGHT,
                                      .x_high = figure->grid->length[AXIS_X],
                                      .y_low = figure->low - margin,
                                      .y_high = figure->high + margin};
    figure->value_ticks.count = 0;
}

static void write_range(char *text, size_t size, const struct picture *picture) {
    if (!isfinite(picture->low))
        snprintf(text, size, "no finite value");
    else if (picture->low == picture->high)
        snprintf(text, size, "u is %.6g", picture->low);
    else
        snprintf(text, size, "u from %.6g to %.6g", picture->low, picture->high);
}

/* Says which part of the points is shown; nothing if all are. */
static void write_sampling(char *text, size_t size, const struct figure *figure) {
    const struct picture *picture = figure->picture;
    const struct grid *grid = figure->grid;
    const global_index shown = (global_index)picture->width * picture->height;
    if (shown < grid_points(grid))
        snprintf(text, size, "; shown are %" PRI_INDEX " of %" PRI_INDEX " points", shown,
                 grid_points(grid));
}

static void write_legend(struct figure *figure) {
    char range[80] = "", sampling[80] = "", odd[80] = "";
    write_range(range, sizeof range, figure->picture);
    write_sampling(sampling, sizeof sampling, figure);
    if (figure->picture->odd > 0)
        snprintf(odd, sizeof odd, "NaN or Inf: %" PRId64 " of %d pixels; ", figure->picture->odd,
                 figure->picture->width * figure->picture->height);
    snprintf(figure->legend, sizeof figure->legend, "%s%s%s%s", odd, range, sampling,
             figure->to_scale ? "" : "; not to scale");
}

/* Places areas and sizes the figure around them; `cairo` measures text only. */
static void place(struct figure *figure, cairo_t *cairo) {
    plot_font(cairo, TITLE_HEIGHT);
    const double title_width = plot_text_width(cairo, figure->title);
    plot_font(cairo, TEXT_HEIGHT);
    struct plot_area *area = &figure->area, *bar = &figure->bar;
    area->left =
        ceil(2 * GAP + TEXT_HEIGHT + TICK_LENGTH + plot_ticks_width(cairo, &figure->y_ticks));
    area->top = 2 * GAP + TITLE_HEIGHT;
    bar->left = area->left + area->width + BAR_GAP;
    bar->top = area->top;
    const double bar_right = is_line(figure) ? area->left + area->width
                                             : bar->left + BAR_WIDTH + TICK_LENGTH + GAP +
                                                   plot_ticks_width(cairo, &figure->value_ticks);
    const double legend_right = area->left + plot_text_width(cairo, figure->legend) + TEXT_HEIGHT;
    const double right = fmax(fmax(bar_right, legend_right), area->left + title_width);
    figure->width = (int)ceil(right + 2 * GAP);
    figure->height = (int)ceil(area->top + fmax(area->height, bar->height) + TICK_LENGTH +
                               3 * (TEXT_HEIGHT + GAP));
}

static void plan_figure(struct figure *figure, cairo_t *cairo) {
    const bool any = isfinite(figure->picture->low);
    figure->low = any ? figure->picture->low : 0;
    figure->high = any ? figure->picture->high : 1;
    ticks_widen(&figure->low, &figure->high);
    if (is_line(figure))
        plan_curve(figure);
    else
        plan_map(figure);
    const struct plot_area *area = &figure->area;
    ticks_make(&figure->x_ticks, area->x_low, area->x_high, ticks_in(area->width, TICK_ROOM_X));
    ticks_make(&figure->y_ticks, area->y_low, area->y_high, ticks_in(area->height, TICK_ROOM_Y));
    write_legend(figure);
    place(figure, cairo);
}

/* The sample nearest to the middle of pixel `pixel` of `pixels` along an axis from side to side;
 * beyond the outermost unknown that one. */
static int nearest_sample(const struct grid *grid, enum axis axis, int samples, int pixel,
                          double pixels) {
    const double place = grid->length[axis] * (pixel + 0.5) / pixels;
    const double cell = (place - grid->first[axis]) / grid->spacing[axis] + 0.5;
    const double sample = floor(cell * samples / (double)grid->points[axis]);
    return (int)fmin(fmax(sample, 0), samples - 1);
}

/* Colour of pixel (x, y) of the map, y downward. */
static colour map_colour(const struct figure *figure, int x, int y) {
    const struct picture *picture = figure->picture;
    const int from_bottom = (int)figure->area.height - 1 - y;
    const int column = nearest_sample(figure->grid, AXIS_X, picture->width, x, figure->area.width);
    const int row =
        picture->height - 1 -
        nearest_sample(figure->grid, AXIS_Y, picture->height, from_bottom, figure->area.height);
    const double value = picture->values[(size_t)row * (size_t)picture->width + (size_t)column];
    return colour_of(colour_fraction(value, figure->low, figure->high));
}

static colour bar_colour(const struct figure *figure, int x, int y) {
    (void)x;
    return colour_of(1 - (y + 0.5) / figure->bar.height);
}

/* Fills an area pixel by pixel. */
static void fill_area(cairo_t *cairo, const struct figure *figure, const struct plot_area *area,
                      colour (*colour_at)(const struct figure *figure, int x, int y)) {
    const int width = (int)area->width, height = (int)area->height;
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    unsigned char *data = cairo_image_surface_get_data(surface);
    const int stride = cairo_image_surface_get_stride(surface);
    cairo_surface_flush(surface);
    for (int y = 0; data != NULL && y < height; y++)
        for (int x = 0; x < width; x++) {
            const colour value = colour_at(figure, x, y);
            memcpy(data + (ptrdiff_t)y * stride + (ptrdiff_t)x * 4, &value, sizeof value);
        }
    cairo_surface_mark_dirty(surface);
    cairo_set_source_surface(cairo, surface, area->left, area->top);
    cairo_paint(cairo);
    cairo_surface_destroy(surface);
}

static double sample_x(const struct figure *figure, int sample) {
    const global_index i =
        picture_index(figure->grid->points[AXIS_X], figure->picture->width, sample);
    return plot_x(&figure->area, grid_coordinate(figure->grid, AXIS_X, i));
}

/* The curve, broken where a value is NaN or Inf. */
static void draw_curve(cairo_t *cairo, const struct figure *figure) {
    const struct picture *picture = figure->picture;
    bool joined = false;
    for (int i = 0; i < picture->width; i++) {
        const bool good = isfinite(picture->values[i]);
        if (good && joined)
            cairo_line_to(cairo, sample_x(figure, i), plot_y(&figure->area, picture->values[i]));
        else if (good)
            cairo_move_to(cairo, sample_x(figure, i), plot_y(&figure->area, picture->values[i]));
        joined = good;
    }
    plot_colour(cairo, colour_of(0.25));
    cairo_set_line_width(cairo, 2);
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    cairo_stroke(cairo);
}

/* Dots at the points of a short curve, and a bar of its own colour where a value is odd. */
static void draw_points(cairo_t *cairo, const struct figure *figure) {
    const struct picture *picture = figure->picture;
    const struct plot_area *area = &figure->area;
    for (int i = 0; i < picture->width; i++) {
        const double x = sample_x(figure, i), value = picture->values[i];
        if (!isfinite(value)) {
            plot_colour(cairo, COLOUR_ODD);
            cairo_rectangle(cairo, x - 1, area->top, 2, area->height);
        } else if (picture->width <= MARKED_POINTS) {
            plot_colour(cairo, colour_of(0.25));
            cairo_arc(cairo, x, plot_y(area, value), 3, 0, 2 * acos(-1));
        }
        cairo_fill(cairo);
    }
}

static void draw_bar(cairo_t *cairo, const struct figure *figure) {
    fill_area(cairo, figure, &figure->bar, bar_colour);
    plot_colour(cairo, 0);
    plot_frame(cairo, &figure->bar);
    plot_ticks_right(cairo, &figure->bar, &figure->value_ticks);
}

static void draw_labels(cairo_t *cairo, const struct figure *figure) {
    const struct plot_area *area = &figure->area;
    const double below = area->top + area->height + TICK_LENGTH + TEXT_HEIGHT;
    const double foot = figure->height - GAP;
    plot_text(cairo, area->left + area->width / 2, below + GAP + TEXT_HEIGHT / 2.0, 0.5, "x");
    plot_text(cairo, GAP, area->top + area->height / 2, 0, is_line(figure) ? "u" : "y");
    const double swatch = figure->picture->odd > 0 ? TEXT_HEIGHT + 4 : 0;
    plot_text(cairo, area->left + swatch, foot, 0, figure->legend);
    plot_font(cairo, TITLE_HEIGHT);
    plot_text(cairo, area->left, GAP + TITLE_HEIGHT, 0, figure->title);
    if (figure->picture->odd == 0)
        return;
    plot_colour(cairo, COLOUR_ODD);
    cairo_rectangle(cairo, area->left, foot - TEXT_HEIGHT + 2, TEXT_HEIGHT - 2, TEXT_HEIGHT - 2);
    cairo_fill(cairo);
}

static void draw_figure(cairo_t *cairo, const struct figure *figure) {
    cairo_set_source_rgb(cairo, 1, 1, 1);
    cairo_paint(cairo);
    if (is_line(figure)) {
        draw_curve(cairo, figure);
        draw_points(cairo, figure);
    } else
        fill_area(cairo, figure, &figure->area, map_colour);
    plot_font(cairo, TEXT_HEIGHT);
    if (!is_line(figure))
        draw_bar(cairo, figure);
    plot_colour(cairo, 0);
    plot_frame(cairo, &figure->area);
    plot_ticks_below(cairo, &figure->area, &figure->x_ticks);
    plot_ticks_left(cairo, &figure->area, &figure->y_ticks);
    draw_labels(cairo, figure);
}

bool picture_write_png(const struct picture *picture, const struct grid *grid, const char *title,
                       const char *path, struct status *status) {
    struct figure figure = {.picture = picture, .grid = grid, .title = title};
    cairo_t *measure = plot_canvas(1, 1);
    plan_figure(&figure, measure);
    cairo_destroy(measure);
    cairo_t *cairo = plot_canvas(figure.width, figure.height);
    draw_figure(cairo, &figure);
    const bool good = plot_write_png(cairo, path, status);
    cairo_destroy(cairo);
    return good;
}
