/* Pictures: the same for every layout, the right way up, and drawn whatever the values are. */
#include "../../src/store/colour_map.h"
#include "../../src/store/ticks.h"
#include "funnel/image.h"
#include "funnel/process_grid.h"

#include <cairo.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* cmocka wants the headers above first */
#include <cmocka.h>

typedef double point_value(global_index i, global_index j);

static struct grid grid_of(int dimensions, global_index nx, global_index ny, double length_x,
                           double length_y) {
    struct grid grid;
    struct status status = {0};
    const global_index points[] = {nx, ny};
    const double length[] = {length_x, length_y};
    const enum side_kind second = dimensions == 1 ? SIDE_NEUMANN : SIDE_DIRICHLET;
    const enum side_kind kind[] = {SIDE_DIRICHLET, SIDE_DIRICHLET, second, second};
    assert_true(grid_make(&grid, dimensions, points, length, kind, &status));
    return grid;
}

/* The field of one part, owned by the caller. */
static struct field field_of(const struct grid *grid, const struct extent part[AXIS_COUNT],
                             point_value *value) {
    struct field field = {
        field_layout_make(grid->dimensions, part[AXIS_X].count, part[AXIS_Y].count, 1), NULL};
    field.values = calloc(1, field.layout.bytes);
    assert_non_null(field.values);
    for (local_index j = 0; j < field.layout.ny; j++)
        for (local_index i = 0; i < field.layout.nx; i++)
            field_row(&field, j)[i] = value(part[AXIS_X].begin + i, part[AXIS_Y].begin + j);
    return field;
}

/* Joins the samples of px * py parts, each sampled on its own. Owned by the caller. */
static uint64_t *joined_words(const struct picture *picture, const struct grid *grid, int px,
                              int py, point_value *value) {
    const size_t count = (size_t)picture->width * (size_t)picture->height;
    uint64_t *all = calloc(count, sizeof *all), *words = calloc(count, sizeof *words);
    for (int p = 0; p < px * py; p++) {
        const struct extent part[] = {extent_of(grid->points[AXIS_X], px, p % px),
                                      extent_of(grid->points[AXIS_Y], py, p / px)};
        const global_index begin[] = {part[AXIS_X].begin, part[AXIS_Y].begin};
        struct field field = field_of(grid, part, value);
        picture_sample(picture, grid, &field, begin, words);
        for (size_t i = 0; i < count; i++)
            all[i] |= words[i];
        free(field.values);
    }
    free(words);
    return all;
}

static struct picture picture_of(const struct grid *grid, point_value *value) {
    struct picture picture;
    picture_plan(&picture, grid, 100, 100);
    uint64_t *words = joined_words(&picture, grid, 1, 1, value);
    assert_true(picture_fill(&picture, words));
    free(words);
    return picture;
}

static double product(global_index i, global_index j) {
    return (double)i * 1000 + (double)j;
}

static double odd_bits(global_index i, global_index j) {
    const double choices[] = {-0.0, nan(""), -HUGE_VAL, 5e-324, (double)(i - j) / 3};
    return choices[(i + 2 * j) % 5];
}

static double one(global_index i, global_index j) {
    (void)i;
    (void)j;
    return 1;
}

static double northward(global_index i, global_index j) {
    (void)i;
    return (double)j;
}

static double nowhere(global_index i, global_index j) {
    (void)i;
    (void)j;
    return nan("");
}

static double one_nan(global_index i, global_index j) {
    return i == 2 && j == 0 ? nan("") : (double)i;
}

static double huge(global_index i, global_index j) {
    return i > j ? 1.7e308 : -1.7e308;
}

static double wave(global_index i, global_index j) {
    return sin((double)i / 3) + (double)j;
}

static void samples_are_spread_over_all_points(void **state) {
    (void)state;
    for (int samples = 1; samples <= 7; samples++)
        assert_int_equal(picture_index(7, 7, samples - 1), samples - 1);
    assert_int_equal(picture_index(4, 1, 0), 2);
    assert_int_equal(picture_index(100, 2, 0), 25);
    assert_int_equal(picture_index(100, 2, 1), 75);
    assert_true(picture_index(INT64_C(1) << 40, 1000, 999) < INT64_C(1) << 40);
}

static void assert_size(const struct grid *grid, int width, int height) {
    struct picture picture;
    picture_plan(&picture, grid, 600, 400);
    assert_int_equal(picture.width, width);
    assert_int_equal(picture.height, height);
}

static void size_follows_the_shape_of_the_domain(void **state) {
    (void)state;
    struct grid grid = grid_of(2, 5000, 5000, 1, 1);
    assert_size(&grid, 400, 400);
    grid = grid_of(2, 5000, 50, 3, 1);
    assert_size(&grid, 600, 50);
    grid = grid_of(2, 5000, 5000, 6000, 1);
    assert_size(&grid, 600, 1);
    grid = grid_of(2, 3, 2, 1, 1);
    assert_size(&grid, 3, 2);
    grid = grid_of(1, 8000000, 1, 1, 1);
    assert_size(&grid, 600, 1);
}

/* NaN, -0 and the smallest numbers included. */
static void every_layout_gives_the_same_bits(void **state) {
    (void)state;
    const int layouts[][2] = {{2, 1}, {1, 3}, {3, 2}, {13, 1}, {4, 5}};
    const struct grid grid = grid_of(2, 131, 77, 2, 1);
    struct picture picture;
    picture_plan(&picture, &grid, 60, 40);
    const size_t bytes = sizeof(uint64_t) * (size_t)picture.width * (size_t)picture.height;
    uint64_t *whole = joined_words(&picture, &grid, 1, 1, odd_bits);
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        uint64_t *joined = joined_words(&picture, &grid, layouts[i][0], layouts[i][1], odd_bits);
        assert_memory_equal(joined, whole, bytes);
        free(joined);
    }
    free(whole);
}

static void the_first_row_is_the_north(void **state) {
    (void)state;
    const struct grid grid = grid_of(2, 4, 3, 1, 1);
    struct picture picture = picture_of(&grid, product);
    assert_true(picture.values[0] == product(0, 2));
    assert_true(picture.values[3] == product(3, 2));
    assert_true(picture.values[11] == product(3, 0));
    picture_free(&picture);
}

static void the_range_leaves_odd_values_out(void **state) {
    (void)state;
    const struct grid line = grid_of(1, 5, 1, 1, 1);
    struct picture picture = picture_of(&line, one_nan);
    assert_true(picture.low == 0 && picture.high == 4);
    assert_int_equal(picture.odd, 1);
    picture_free(&picture);
    picture = picture_of(&line, nowhere);
    assert_true(isnan(picture.low) && isnan(picture.high));
    assert_int_equal(picture.odd, 5);
    picture_free(&picture);
}

/* Writes the picture and returns its bytes; owned by the caller. */
static char *png_of(const struct grid *grid, point_value *value, size_t *size) {
    char path[] = P_tmpdir "/funnel-image-XXXXXX";
    struct status status = {0};
    struct picture picture = picture_of(grid, value);
    assert_int_equal(close(mkstemp(path)), 0);
    assert_true(picture_write_png(&picture, grid, "title", path, &status));
    picture_free(&picture);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *bytes = malloc(1 << 20);
    *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    remove(path);
    assert_true(*size > 8 && *size < 1 << 20);
    assert_memory_equal(bytes, "\x89PNG\r\n\x1a\n", 8);
    return bytes;
}

struct reader {
    const char *bytes;
    size_t left;
};

static cairo_status_t read_bytes(void *context, unsigned char *data, unsigned int length) {
    struct reader *reader = context;
    if (length > reader->left)
        return CAIRO_STATUS_READ_ERROR;
    memcpy(data, reader->bytes, length);
    reader->bytes += length;
    reader->left -= length;
    return CAIRO_STATUS_SUCCESS;
}

/* A picture read back. */
static cairo_surface_t *surface_of(const struct grid *grid, point_value *value) {
    size_t size;
    char *bytes = png_of(grid, value, &size);
    struct reader reader = {bytes, size};
    cairo_surface_t *surface = cairo_image_surface_create_from_png_stream(read_bytes, &reader);
    assert_int_equal(cairo_surface_status(surface), CAIRO_STATUS_SUCCESS);
    free(bytes);
    return surface;
}

static colour pixel(cairo_surface_t *surface, int x, int y) {
    colour value;
    const size_t stride = (size_t)cairo_image_surface_get_stride(surface);
    memcpy(&value, cairo_image_surface_get_data(surface) + (size_t)y * stride + (size_t)x * 4,
           sizeof value);
    return value & 0xffffff;
}

/* Number of pixels of a colour, and the sum of their rows. */
static int64_t count_colour(cairo_surface_t *surface, colour wanted, int64_t *rows) {
    int64_t count = 0;
    *rows = 0;
    for (int y = 0; y < cairo_image_surface_get_height(surface); y++)
        for (int x = 0; x < cairo_image_surface_get_width(surface); x++)
            if (pixel(surface, x, y) == wanted) {
                count++;
                *rows += y;
            }
    return count;
}

static void north_is_up(void **state) {
    (void)state;
    int64_t low_rows, high_rows;
    const struct grid grid = grid_of(2, 6, 6, 1, 1);
    cairo_surface_t *surface = surface_of(&grid, northward);
    const int64_t low = count_colour(surface, colour_of(0), &low_rows);
    const int64_t high = count_colour(surface, colour_of(1), &high_rows);
    assert_true(low > 10000 && high > 10000);
    assert_true(high_rows / high + 300 < low_rows / low);
    cairo_surface_destroy(surface);
}

static void odd_values_have_a_colour_of_their_own(void **state) {
    (void)state;
    int64_t rows;
    const struct grid grid = grid_of(2, 5, 4, 1, 1), line = grid_of(1, 5, 1, 1, 1);
    cairo_surface_t *surface = surface_of(&grid, one_nan);
    assert_true(count_colour(surface, COLOUR_ODD, &rows) > 1000);
    cairo_surface_destroy(surface);
    surface = surface_of(&line, one_nan);
    assert_true(count_colour(surface, COLOUR_ODD, &rows) > 300);
    cairo_surface_destroy(surface);
    surface = surface_of(&grid, product);
    assert_int_equal(count_colour(surface, COLOUR_ODD, &rows), 0);
    cairo_surface_destroy(surface);
}

static void a_constant_has_the_middle_colour(void **state) {
    (void)state;
    int64_t rows;
    const struct grid grid = grid_of(2, 8, 8, 1, 1);
    cairo_surface_t *surface = surface_of(&grid, one);
    assert_true(count_colour(surface, colour_of(0.5), &rows) > 100000);
    cairo_surface_destroy(surface);
}

/* Extreme shapes and values: drawn, and the same bytes each time. */
static void the_same_field_gives_the_same_bytes(void **state) {
    (void)state;
    const struct grid grids[] = {grid_of(2, 9, 7, 1, 2),      grid_of(2, 400, 2, 1e6, 1),
                                 grid_of(2, 1, 300, 1e-9, 1), grid_of(1, 1, 1, 1, 1),
                                 grid_of(1, 500, 1, 3, 1),    grid_of(2, 1, 1, 1, 1)};
    point_value *const values[] = {product, one, nowhere, huge, wave, odd_bits};
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < 6; j++) {
            size_t first_size, second_size;
            char *first = png_of(&grids[i], values[j], &first_size);
            char *second = png_of(&grids[i], values[j], &second_size);
            assert_int_equal(first_size, second_size);
            assert_memory_equal(first, second, first_size);
            free(first);
            free(second);
        }
}

/* Draws in a child whose fonts are hidden and compares sizes and bytes through a pipe. */
static void fonts_of_the_machine_do_not_matter(void **state) {
    (void)state;
    const struct grid grid = grid_of(2, 9, 7, 1, 2);
    int ends[2], result;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        size_t size;
        setenv("FONTCONFIG_FILE", "/dev/null", 1);
        char *bytes = png_of(&grid, product, &size);
        _exit(write(ends[1], bytes, size) == (ssize_t)size ? 0 : 1);
    }
    close(ends[1]);
    size_t size, got = 0;
    char *bytes = png_of(&grid, product, &size), *other = calloc(1, 1 << 20);
    for (ssize_t n; (n = read(ends[0], other + got, (1 << 20) - got)) > 0;)
        got += (size_t)n;
    close(ends[0]);
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(result, 0);
    assert_int_equal(got, size);
    assert_memory_equal(bytes, other, size);
    free(bytes);
    free(other);
}

static void a_missing_folder_is_an_error(void **state) {
    (void)state;
    struct status status = {0};
    const struct grid grid = grid_of(1, 3, 1, 1, 1);
    struct picture picture = picture_of(&grid, one);
    assert_false(picture_write_png(&picture, &grid, "", "/no/such/a.png", &status));
    assert_int_equal(status.code, EXIT_CODE_FILES);
    status = (struct status){0};
    assert_false(picture_write_png(&picture, &grid, "", "/dev/full", &status));
    assert_int_equal(status.code, EXIT_CODE_FILES);
    picture_free(&picture);
}

/* Lightness of a colour in Oklab, computed from its definition. */
static double lightness(colour value) {
    double linear[3];
    for (int channel = 0; channel < 3; channel++) {
        const double c = (value >> (16 - 8 * channel) & 255) / 255.0;
        linear[channel] = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
    }
    const double r = linear[0], g = linear[1], b = linear[2];
    const double l = cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    const double m = cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    const double s = cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s;
}

static void equal_steps_look_equal(void **state) {
    (void)state;
    const double whole = lightness(colour_of(1)) - lightness(colour_of(0));
    for (int i = 0; i < 24; i++) {
        const double step = lightness(colour_of((i + 1) / 24.0)) - lightness(colour_of(i / 24.0));
        assert_true(fabs(step * 24 / whole - 1) < 0.25);
    }
    assert_int_equal(colour_of(nan("")), COLOUR_ODD);
    assert_int_equal(colour_of(-3), colour_of(0));
    assert_int_equal(colour_of(3), colour_of(1));
}

static void assert_ticks(double low, double high, int wanted, const char *const *texts) {
    struct ticks ticks;
    ticks_make(&ticks, low, high, wanted);
    for (int i = 0; i < ticks.count; i++) {
        assert_non_null(texts[i]);
        assert_string_equal(ticks.text[i], texts[i]);
    }
    assert_null(texts[ticks.count]);
}

static void ticks_are_round(void **state) {
    (void)state;
    assert_ticks(0, 1, 5, (const char *const[]){"0.0", "0.2", "0.4", "0.6", "0.8", "1.0", NULL});
    assert_ticks(-1, 1, 4, (const char *const[]){"-1.0", "-0.5", "0.0", "0.5", "1.0", NULL});
    assert_ticks(3, 27, 3, (const char *const[]){"10", "20", NULL});
    assert_ticks(0, 2e6, 2, (const char *const[]){"0", "1e+06", "2e+06", NULL});
    assert_ticks(1.5e-7, 4e-7, 3, (const char *const[]){"2e-07", "3e-07", "4e-07", NULL});
    assert_ticks(1, 1, 5, (const char *const[]){NULL});
    assert_ticks(2, 1, 5, (const char *const[]){NULL});
    assert_ticks(nan(""), 1, 5, (const char *const[]){NULL});
    assert_ticks(-1.7e308, 1.7e308, 5, (const char *const[]){"-1.7e+308", "1.7e+308", NULL});
}

/* Lines of a sketch into `lines`; returns their number. */
static int sketch_lines(const struct grid *grid, point_value *value, char lines[40][80]) {
    char *text = NULL;
    size_t size;
    struct picture picture = picture_of(grid, value);
    FILE *stream = open_memstream(&text, &size);
    picture_sketch(&picture, stream);
    fclose(stream);
    int count = 0;
    for (char *line = strtok(text, "\n"); line != NULL && count < 40; line = strtok(NULL, "\n"))
        snprintf(lines[count++], 80, "%s", line);
    picture_free(&picture);
    free(text);
    return count;
}

static void a_sketch_keeps_the_shape(void **state) {
    (void)state;
    char lines[40][80];
    const struct grid square = grid_of(2, 50, 50, 1, 1), wide = grid_of(2, 50, 50, 6, 1);
    assert_int_equal(sketch_lines(&square, northward, lines), 20 + 3);
    assert_int_equal(strlen(lines[0]), 40 + 2);
    assert_int_equal(lines[1][1], '@');
    assert_int_equal(lines[20][1], ' ');
    assert_string_equal(lines[22], "' .:-=+*#%@': u from 0 to 49");
    assert_int_equal(sketch_lines(&wide, northward, lines), 5 + 3);
    assert_int_equal(strlen(lines[0]), 60 + 2);
}

static void a_sketch_marks_odd_values(void **state) {
    (void)state;
    char lines[40][80];
    const struct grid line = grid_of(1, 5, 1, 1, 1), grid = grid_of(2, 5, 5, 1, 1);
    assert_int_equal(sketch_lines(&line, one_nan, lines), 12 + 3);
    assert_string_equal(lines[14], "u from 0 to 4, ? where NaN or Inf");
    assert_non_null(strchr(lines[3], '?'));
    assert_int_equal(lines[1][60], '*');
    assert_int_equal(lines[12][1], '*');
    assert_int_equal(sketch_lines(&grid, nowhere, lines), 20 + 3);
    assert_string_equal(lines[22], "' .:-=+*#%@': no finite value, ? where NaN or Inf");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fonts_of_the_machine_do_not_matter), /* before cairo looks for fonts */
        cmocka_unit_test(samples_are_spread_over_all_points),
        cmocka_unit_test(size_follows_the_shape_of_the_domain),
        cmocka_unit_test(every_layout_gives_the_same_bits),
        cmocka_unit_test(the_first_row_is_the_north),
        cmocka_unit_test(the_range_leaves_odd_values_out),
        cmocka_unit_test(north_is_up),
        cmocka_unit_test(odd_values_have_a_colour_of_their_own),
        cmocka_unit_test(a_constant_has_the_middle_colour),
        cmocka_unit_test(the_same_field_gives_the_same_bytes),
        cmocka_unit_test(a_missing_folder_is_an_error),
        cmocka_unit_test(equal_steps_look_equal),
        cmocka_unit_test(ticks_are_round),
        cmocka_unit_test(a_sketch_keeps_the_shape),
        cmocka_unit_test(a_sketch_marks_odd_values),
    };
    return cmocka_run_group_tests_name("image", tests, NULL, NULL);
}
