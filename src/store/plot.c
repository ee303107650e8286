/* Axes and text of a picture. The font is the one inside cairo: it is there on a node without any
 * fonts, and gives the same bytes on every machine. */
#include "plot.h"
#include "new_file.h"

#include <math.h>

/* Centre of a pixel, so that lines one pixel wide are sharp. */
static double sharp(double position) {
    return floor(position) + 0.5;
}

double plot_x(const struct plot_area *area, double value) {
    return area->left +
           area->width * (value / 2 - area->x_low / 2) / (area->x_high / 2 - area->x_low / 2);
}

double plot_y(const struct plot_area *area, double value) {
    return area->top +
           area->height * (area->y_high / 2 - value / 2) / (area->y_high / 2 - area->y_low / 2);
}

void plot_font(cairo_t *cairo, double height) {
    cairo_select_font_face(cairo, "@cairo:", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, height);
}

double plot_text_width(cairo_t *cairo, const char *text) {
    cairo_text_extents_t extents;
    cairo_text_extents(cairo, text, &extents);
    return extents.x_advance;
}

double plot_ticks_width(cairo_t *cairo, const struct ticks *ticks) {
    double widest = 0;
    for (int i = 0; i < ticks->count; i++)
        widest = fmax(widest, plot_text_width(cairo, ticks->text[i]));
    return widest;
}

void plot_text(cairo_t *cairo, double x, double y, double align, const char *text) {
    cairo_move_to(cairo, round(x - align * plot_text_width(cairo, text)), round(y));
    cairo_show_text(cairo, text);
}

void plot_frame(cairo_t *cairo, const struct plot_area *area) {
    cairo_set_line_width(cairo, 1);
    cairo_rectangle(cairo, area->left - 0.5, area->top - 0.5, area->width + 1, area->height + 1);
    cairo_stroke(cairo);
}

static void line(cairo_t *cairo, double x0, double y0, double x1, double y1) {
    cairo_set_line_width(cairo, 1);
    cairo_move_to(cairo, x0, y0);
    cairo_line_to(cairo, x1, y1);
    cairo_stroke(cairo);
}

void plot_ticks_below(cairo_t *cairo, const struct plot_area *area, const struct ticks *ticks) {
    const double bottom = area->top + area->height;
    for (int i = 0; i < ticks->count; i++) {
        const double x = sharp(plot_x(area, ticks->value[i]));
        line(cairo, x, bottom, x, bottom + TICK_LENGTH);
        plot_text(cairo, x, bottom + TICK_LENGTH + TEXT_HEIGHT, 0.5, ticks->text[i]);
    }
}

void plot_ticks_left(cairo_t *cairo, const struct plot_area *area, const struct ticks *ticks) {
    for (int i = 0; i < ticks->count; i++) {
        const double y = sharp(plot_y(area, ticks->value[i]));
        line(cairo, area->left - TICK_LENGTH, y, area->left, y);
        plot_text(cairo, area->left - TICK_LENGTH - 4, y + TEXT_HEIGHT / 3.0, 1, ticks->text[i]);
    }
}

void plot_ticks_right(cairo_t *cairo, const struct plot_area *area, const struct ticks *ticks) {
    const double right = area->left + area->width;
    for (int i = 0; i < ticks->count; i++) {
        const double y = sharp(plot_y(area, ticks->value[i]));
        line(cairo, right, y, right + TICK_LENGTH, y);
        plot_text(cairo, right + TICK_LENGTH + 4, y + TEXT_HEIGHT / 3.0, 0, ticks->text[i]);
    }
}

void plot_colour(cairo_t *cairo, colour value) {
    cairo_set_source_rgb(cairo, (value >> 16) / 255.0, (value >> 8 & 255) / 255.0,
                         (value & 255) / 255.0);
}

static cairo_status_t write_bytes(void *stream, const unsigned char *bytes, unsigned int count) {
    return fwrite(bytes, 1, count, stream) == count ? CAIRO_STATUS_SUCCESS
                                                    : CAIRO_STATUS_WRITE_ERROR;
}

bool plot_write_png(cairo_t *cairo, const char *path, struct status *status) {
    struct new_file file;
    if (!new_file_open(&file, path, status))
        return false;
    const cairo_status_t result =
        cairo_surface_write_to_png_stream(cairo_get_target(cairo), write_bytes, file.stream);
    if (result != CAIRO_STATUS_SUCCESS)
        status_fail(status, EXIT_CODE_FILES,
                    "%s: the picture cannot be written: %s; check the disk", path,
                    cairo_status_to_string(result));
    return new_file_close(&file, result == CAIRO_STATUS_SUCCESS, status);
}

cairo_t *plot_canvas(int width, int height) {
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    cairo_t *cairo = cairo_create(surface);
    cairo_surface_destroy(surface);
    return cairo;
}
