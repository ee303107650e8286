/* A picture in characters, for a terminal that shows nothing else. A character is about twice as
 * high as wide. */
#include "colour_map.h"
#include "funnel/image.h"

#include <math.h>
#include <string.h>

enum { SKETCH_WIDTH = 60, SKETCH_HEIGHT = 20, CURVE_ROWS = 12 };

static const char ramp[] = " .:-=+*#%@"; /* low to high */
static const char odd_character = '?';

/* Which of `levels` equal shares of low..high a value lies in; -1 for NaN and Inf. */
static int level_of(const struct picture *picture, double value, int levels) {
    const double fraction = colour_fraction(value, picture->low, picture->high);
    if (isnan(fraction))
        return -1;
    const int level = (int)(fraction * levels);
    return level < levels ? level : levels - 1;
}

/* The sample in the middle of character (column, row) of columns x rows. */
static double sample_at(const struct picture *picture, int column, int columns, int row, int rows) {
    const global_index x = picture_index(picture->width, columns, column);
    const global_index y = picture_index(picture->height, rows, row);
    return picture->values[y * picture->width + x];
}

static char map_character(const struct picture *picture, double value) {
    const int level = level_of(picture, value, (int)strlen(ramp));
    return level < 0 ? odd_character : ramp[level];
}

static void write_edge(int columns, FILE *out) {
    fputc('+', out);
    for (int column = 0; column < columns; column++)
        fputc('-', out);
    fputs("+\n", out);
}

static void write_legend(const struct picture *picture, FILE *out) {
    if (isfinite(picture->low))
        fprintf(out, "u from %.6g to %.6g", picture->low, picture->high);
    else
        fprintf(out, "no finite value");
    if (picture->odd > 0)
        fprintf(out, ", %c where NaN or Inf", odd_character);
    fputc('\n', out);
}

static void sketch_map(const struct picture *picture, FILE *out) {
    const double widest = fmin(SKETCH_WIDTH, round(2 * SKETCH_HEIGHT * picture->aspect));
    const int columns = (int)fmax(widest, 1);
    const int rows = (int)fmax(fmin(SKETCH_HEIGHT, round(columns / picture->aspect / 2)), 1);
    write_edge(columns, out);
    for (int row = 0; row < rows; row++) {
        fputc('|', out);
        for (int column = 0; column < columns; column++)
            fputc(map_character(picture, sample_at(picture, column, columns, row, rows)), out);
        fputs("|\n", out);
    }
    write_edge(columns, out);
    fprintf(out, "'%s': ", ramp);
    write_legend(picture, out);
}

static char curve_character(const struct picture *picture, double value, int row) {
    const int level = level_of(picture, value, CURVE_ROWS);
    if (level < 0)
        return odd_character;
    return level == CURVE_ROWS - 1 - row ? '*' : ' ';
}

static void sketch_curve(const struct picture *picture, FILE *out) {
    const int columns = SKETCH_WIDTH;
    write_edge(columns, out);
    for (int row = 0; row < CURVE_ROWS; row++) {
        fputc('|', out);
        for (int column = 0; column < columns; column++)
            fputc(curve_character(picture, sample_at(picture, column, columns, 0, 1), row), out);
        fputs("|\n", out);
    }
    write_edge(columns, out);
    write_legend(picture, out);
}

void picture_sketch(const struct picture *picture, FILE *out) {
    if (picture->aspect > 0)
        sketch_map(picture, out);
    else
        sketch_curve(picture, out);
}
