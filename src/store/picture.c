/* The field sampled at pixels: which points, whose they are, and what range they span. Points are
 * chosen by global index and travel as bits, so every layout gives the same picture. */
#include "funnel/image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The point nearest to the middle of the sample's share of the axis. */
global_index picture_index(global_index points, int samples, int sample) {
    return (2 * (global_index)sample + 1) * points / (2 * (global_index)samples);
}

/* Number of samples along an axis: `wanted`, at least 1 and at most one a point. */
static int sample_count(global_index points, double wanted) {
    const double most = fmin(fmax(round(wanted), 1), (double)points);
    return (int)most;
}

void picture_plan(struct picture *picture, const struct grid *grid, int max_width, int max_height) {
    *picture = (struct picture){.height = 1, .low = nan(""), .high = nan("")};
    if (grid->dimensions == 1) {
        picture->width = sample_count(grid->points[AXIS_X], max_width);
        return;
    }
    picture->aspect = grid->length[AXIS_X] / grid->length[AXIS_Y];
    picture->width =
        sample_count(grid->points[AXIS_X], fmin(max_width, max_height * picture->aspect));
    picture->height =
        sample_count(grid->points[AXIS_Y], fmin(max_height, max_width / picture->aspect));
}

/* Samples of one row, the rank's row j. */
static void sample_row(const struct picture *picture, const struct grid *grid,
                       const struct field *field, global_index begin, local_index j,
                       uint64_t *words) {
    const double *row = field_row(field, j);
    for (int column = 0; column < picture->width; column++) {
        const local_index i = picture_index(grid->points[AXIS_X], picture->width, column) - begin;
        if (i >= 0 && i < field->layout.nx)
            memcpy(&words[column], &row[i], sizeof words[column]);
    }
}

void picture_sample(const struct picture *picture, const struct grid *grid,
                    const struct field *field, const global_index begin[AXIS_COUNT],
                    uint64_t *words) {
    memset(words, 0, sizeof *words * (size_t)picture->width * (size_t)picture->height);
    for (int row = 0; row < picture->height; row++) {
        const int from_south = picture->height - 1 - row;
        const local_index j =
            picture_index(grid->points[AXIS_Y], picture->height, from_south) - begin[AXIS_Y];
        if (j >= 0 && j < field->layout.ny)
            sample_row(picture, grid, field, begin[AXIS_X], j,
                       words + (size_t)row * (size_t)picture->width);
    }
}

static void note_value(struct picture *picture, double value) {
    if (!isfinite(value)) {
        picture->odd++;
        return;
    }
    picture->low = fmin(picture->low, value); /* fmin and fmax pass over the NaN of the start */
    picture->high = fmax(picture->high, value);
}

bool picture_fill(struct picture *picture, const uint64_t *words) {
    const size_t count = (size_t)picture->width * (size_t)picture->height;
    picture->values = malloc(count * sizeof *picture->values);
    if (picture->values == NULL)
        return false;
    memcpy(picture->values, words, count * sizeof *picture->values);
    for (size_t i = 0; i < count; i++)
        note_value(picture, picture->values[i]);
    return true;
}

void picture_free(struct picture *picture) {
    free(picture->values);
    picture->values = NULL;
}
