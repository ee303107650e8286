/* The layout of a field: aligned rows, and a pitch that keeps neighbouring rows out of each other's
 * cache sets. */
#include "funnel/field.h"

enum { LINE = 8, /* doubles in 64 bytes */ ALIAS = 512 /* doubles in 4096 bytes */ };

static int64_t whole_lines(int64_t values) {
    return (values + LINE - 1) / LINE * LINE;
}

struct field_layout field_layout_make(int dimensions, local_index nx, local_index ny, int depth) {
    struct field_layout layout = {.dimensions = dimensions,
                                  .nx = nx,
                                  .ny = ny,
                                  .depth = depth,
                                  .depth_y = dimensions == 2 ? depth : 0};
    /* the halo before a row shares its lines with nothing else; one line more may be read */
    int64_t before = whole_lines(depth) + LINE;
    layout.pitch = before + whole_lines(nx + depth) + LINE;
    if (layout.pitch % ALIAS == 0)
        layout.pitch += LINE;
    layout.origin = before + layout.depth_y * layout.pitch;
    int64_t rows = ny + 2 * layout.depth_y;
    layout.bytes = (size_t)(rows * layout.pitch) * sizeof(double);
    return layout;
}

int64_t region_points(struct region region) {
    int64_t width = region.x1 - region.x0, height = region.y1 - region.y0;
    return width > 0 && height > 0 ? width * height : 0;
}
