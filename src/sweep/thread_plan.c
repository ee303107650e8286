/* The cut of the interior into one box a thread. Whole rows where possible: long rows suit the
 * hardware's prefetching, and neighbours share two rows only. */
#include "thread_plan.h"
#include <stdbool.h>

/* How many boxes lie side by side along each axis. */
struct cut {
    int64_t along_x, along_y;
};

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t divide_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

/* Where part `part` of `count` things split into `parts` begins; the larger parts come first. */
static int64_t part_begin(int64_t count, int64_t parts, int64_t part) {
    return count / parts * part + smaller(part, count % parts);
}

/* Points of the largest box. */
static int64_t largest_box(struct cut cut, local_index nx, local_index ny) {
    int64_t lines = divide_up(nx, THREAD_PLAN_CUT);
    int64_t width = smaller(nx, divide_up(lines, cut.along_x) * THREAD_PLAN_CUT);
    return width * divide_up(ny, cut.along_y);
}

/* The cut with the smallest largest box; whole rows unless that is smaller by more than an eighth.
 */
static struct cut choose_cut(int threads, local_index nx, local_index ny) {
    struct cut whole_rows = {1, smaller(threads, ny)}, best = whole_rows;
    int64_t most = smaller(threads, divide_up(nx, THREAD_PLAN_CUT));
    for (int64_t along_x = 2; along_x <= most; along_x++) {
        struct cut cut = {along_x, smaller(threads / along_x, ny)};
        if (largest_box(cut, nx, ny) < largest_box(best, nx, ny))
            best = cut;
    }
    int64_t points = largest_box(whole_rows, nx, ny);
    return largest_box(best, nx, ny) < points - points / 8 ? best : whole_rows;
}

static struct region box_of(struct cut cut, int64_t number, local_index nx, local_index ny) {
    int64_t lines = divide_up(nx, THREAD_PLAN_CUT);
    int64_t column = number % cut.along_x, row = number / cut.along_x;
    return (struct region){
        .x0 = smaller(nx, part_begin(lines, cut.along_x, column) * THREAD_PLAN_CUT),
        .x1 = smaller(nx, part_begin(lines, cut.along_x, column + 1) * THREAD_PLAN_CUT),
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
