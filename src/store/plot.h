/* Axes and text of a picture, on top of cairo. Inside the room store only. */
#ifndef FUNNEL_STORE_PLOT_H
#define FUNNEL_STORE_PLOT_H

#include "colour_map.h"
#include "funnel/status.h"
#include "ticks.h"
#include <cairo.h>

enum { TEXT_HEIGHT = 14, TITLE_HEIGHT = 17, TICK_LENGTH = 5 };

/* A rectangle of the picture in pixels, and the values at its edges. */
struct plot_area {
    double left, top, width, height;
    double x_low, x_high, y_low, y_high; /* y_high is at the top */
};

/* Position in pixels of a value. */
double plot_x(const struct plot_area *area, double value);
double plot_y(const struct plot_area *area, double value);

void plot_font(cairo_t *cairo, double height);
double plot_text_width(cairo_t *cairo, const char *text);
/* Width of the widest of the ticks' numbers. */
double plot_ticks_width(cairo_t *cairo, const struct ticks *ticks);

/* Writes text with its baseline at y; `align` of its width lies left of x (0, 0.5 or 1). */
void plot_text(cairo_t *cairo, double x, double y, double align, const char *text);

void plot_frame(cairo_t *cairo, const struct plot_area *area);
/* Ticks and numbers below the area, left of it, and right of it. */
void plot_ticks_below(cairo_t *cairo, const struct plot_area *area, const struct ticks *ticks);
void plot_ticks_left(cairo_t *cairo, const struct plot_area *area, const struct ticks *ticks);
void plot_ticks_right(cairo_t *cairo, const struct plot_area *area, const struct ticks *ticks);

/* Draws in this colour from now on. */
void plot_colour(cairo_t *cairo, colour value);

/* A surface with a context that outlives the call that made it; cairo_destroy frees both. */
cairo_t *plot_canvas(int width, int height);

/* Writes it as a PNG; "-" is standard output. EXIT_CODE_FILES. */
bool plot_write_png(cairo_t *cairo, const char *path, struct status *status);

#endif
