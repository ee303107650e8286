/* Charts: points stand where their logarithms say, and what has no logarithm is left out. */
#include "funnel/chart.h"
#include <cairo.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka wants the headers above first */
#include <cmocka.h>

static const uint32_t first_colour = 0x0072b2, second_colour = 0xd55e00;

/* Columns and rows between which a colour appears left of the legend, counted from the edges of the
 * axes' area. */
struct spread_of_colour {
    int left, right, top, bottom, pixels;
};

static struct spread_of_colour find_colour(const char *path, uint32_t wanted) {
    struct spread_of_colour found = {10000, -1, 10000, -1, 0};
    cairo_surface_t *surface = cairo_image_surface_create_from_png(path);
    assert_int_equal(cairo_surface_status(surface), CAIRO_STATUS_SUCCESS);
    const unsigned char *data = cairo_image_surface_get_data(surface);
    const int stride = cairo_image_surface_get_stride(surface);
    for (int y = 0; y < cairo_image_surface_get_height(surface); y++)
        for (int x = 0; x < 671; x++) {
            uint32_t pixel;
            memcpy(&pixel, data + y * stride + x * 4, sizeof pixel);
            if ((pixel & 0xffffff) != wanted)
                continue;
            found.left = x < found.left ? x : found.left;
            found.right = x > found.right ? x : found.right;
            found.top = y < found.top ? y : found.top;
            found.bottom = y > found.bottom ? y : found.bottom;
            found.pixels++;
        }
    cairo_surface_destroy(surface);
    return found;
}

static struct chart chart_of(int count, const double *x, const double *y, bool marks) {
    return (struct chart){.title = "title",
                          .x_label = "x",
                          .y_label = "y",
                          .count = 1,
                          .series = {{"series", count, x, y, marks}}};
}

static void draw(const struct chart *chart, char *path) {
    struct status status = {0};
    strcpy(path, P_tmpdir "/funnel-chart-XXXXXX");
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_true(chart_write_png(chart, path, &status));
}

static void logarithms_place_the_points(void **state) {
    (void)state;
    /* from 1 to 100 each way: the area is 580 x 430 pixels from (90, 60); the point in the middle
     */
    char path[64];
    const double x[] = {1, 10, 100}, y[] = {1, 10, 100};
    const struct chart chart = chart_of(3, x, y, true);
    draw(&chart, path);
    const struct spread_of_colour found = find_colour(path, first_colour);
    unlink(path);
    assert_in_range(found.left, 85, 90);
    assert_in_range(found.right, 669, 671);
    assert_in_range(found.top, 55, 60);
    assert_in_range(found.bottom, 489, 494);
    assert_in_range(found.pixels, 3 * 15, 3 * 60);
}

static void what_has_no_logarithm_is_left_out(void **state) {
    (void)state;
    char path[64];
    const double x[] = {1, 10, 100, 0, -1}, y[] = {1, INFINITY, 100, 5, 5};
    const struct chart dots = chart_of(5, x, y, true), line = chart_of(5, x, y, false);
    draw(&dots, path);
    assert_in_range(find_colour(path, first_colour).pixels, 2 * 15, 2 * 60);
    unlink(path);
    draw(&line, path); /* broken in the middle, so only its ends are left of it */
    assert_in_range(find_colour(path, first_colour).pixels, 2 * 15, 2 * 60);
    unlink(path);
}

static void series_have_colours_of_their_own(void **state) {
    (void)state;
    char path[64];
    const double x[] = {1, 100}, low[] = {1, 1}, high[] = {1000, 1000};
    struct chart chart = chart_of(2, x, low, false);
    chart.count = 2;
    chart.series[1] = (struct chart_series){"other", 2, x, high, false};
    draw(&chart, path);
    assert_true(find_colour(path, first_colour).top > find_colour(path, second_colour).bottom);
    assert_true(find_colour(path, second_colour).pixels > 500);
    unlink(path);
}

static void bad_charts_are_refused(void **state) {
    (void)state;
    const double one[] = {1}, minus[] = {-1};
    const struct chart good = chart_of(1, one, one, true), empty = chart_of(1, one, minus, true);
    struct status status = {0};
    assert_false(chart_write_png(&empty, "unused.png", &status));
    assert_int_equal(status.code, EXIT_CODE_USAGE);
    assert_string_equal(status.text, "unused.png: there is nothing to draw");
    status = (struct status){0};
    assert_false(chart_write_png(&good, "/nowhere/chart.png", &status));
    assert_int_equal(status.code, EXIT_CODE_FILES);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logarithms_place_the_points),
        cmocka_unit_test(what_has_no_logarithm_is_left_out),
        cmocka_unit_test(series_have_colours_of_their_own),
        cmocka_unit_test(bad_charts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
