/* The cut of the interior into one box a thread. Whole rows where possible: long rows suit the
 * hardware's prefetching, and neighbours share two rows only. */
#include "thread_plan.h"
#include <stdbool.h>

/* How many boxes lie side by side along each axis. */
struct cut {
    int64_t along_x, along_y;
};

/* Where part `part` of `count` things split into `parts` begins; the larger parts come first. */
static int64_t part_begin(int64_t count, int64_t parts, int64_t part) {
    return count / parts * part + smaller(part, count % parts);
}

/* Places where a row may be cut, its begin included; what is left over goes to the last box. */
static int64_t cut_places(local_index nx) {
    return nx < THREAD_PLAN_CUT ? 1 : nx / THREAD_PLAN_CUT;
}

/* Where column `column` of boxes begins; that of one too many ends the row. */
static local_index column_begin(struct cut cut, local_index nx, int64_t column) {
    if (column == cut.along_x)
        return nx;
    return part_begin(cut_places(nx), cut.along_x, column) * THREAD_PLAN_CUT;
}

/* Points of the largest box, which is in the first column or, with what is left over, the last. */
static int64_t largest_box(struct cut cut, local_index nx, local_index ny) {
    int64_t first = column_begin(cut, nx, 1);
    int64_t last = nx - column_begin(cut, nx, cut.along_x - 1);
    return (first > last ? first : last) * divide_up(ny, cut.along_y);
}

/* The cut with the smallest largest box; whole rows unless that is smaller by more than an eighth.
 */
static struct cut choose_cut(int threads, local_index nx, local_index ny) {
    struct cut whole_rows = {1, smaller(threads, ny)}, best = whole_rows;
    int64_t most = smaller(threads, cut_places(nx));
    for (int64_t along_x = 2; along_x <= most; along_x++) {
        struct cut cut = {along_x, smaller(threads / along_x, ny)};
        if (largest_box(cut, nx, ny) < largest_box(best, nx, ny))
            best = cut;
    }
    int64_t points = largest_box(whole_rows, nx, ny);
    return largest_box(best, nx, ny) < points - points / 8 ? best : whole_rows;
}

static struct region box_of(struct cut cut, int64_t number, local_index nx, local_index ny) {
    int64_t column = number % cut.along_x, row = number / cut.along_x;
    return (struct region){.x0 = column_begin(cut, nx, column),
                           .x1 = column_begin(cut, nx, column + 1),
                           .y0 = part_begin(ny, cut.along_y, row),
                           .y1 = part_begin(ny, cut.along_y, row + 1)};
}

void thread_plan_cut(struct region *boxes, int threads, local_index nx, local_index ny) {
    struct cut cut = choose_cut(threads, nx, ny);
    for (int number = 0; number < threads; number++) {
        bool used = number < cut.along_x * cut.along_y;
        boxes[number] = used ? box_of(cut, number, nx, ny) : (struct region){0, 0, 0, 0};
    }
}
