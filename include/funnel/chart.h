/* Curves over two logarithmic axes as a picture. Room: store (cairo). */
#ifndef FUNNEL_CHART_H
#define FUNNEL_CHART_H

#include "funnel/status.h"

enum { CHART_SERIES_MAX = 8 };

/* Points that are not finite or not above 0 on both axes are left out, and break the line; one
 * that no line leads to is a dot. */
struct chart_series {
    const char *name; /* in the legend */
    int count;
    const double *x, *y; /* borrowed */
    bool marks;          /* dots alone: measured points beside the line of a model */
};

struct chart {
    const char *title, *x_label, *y_label; /* with their units */
    int count;
    struct chart_series series[CHART_SERIES_MAX];
};

/* Draws a PNG, the same bytes on every machine. "-" is standard output. Fails (EXIT_CODE_FILES) if
 * it cannot be written, (EXIT_CODE_USAGE) if there is no point to draw. */
bool chart_write_png(const struct chart *chart, const char *path, struct status *status);

#endif
