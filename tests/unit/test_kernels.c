/* Every kernel in every instruction set of this processor, in every form of the sweep, on boxes of
 * many sizes and places, against one plain loop: the same bits inside the box, and not a byte
 * written outside. */
#include "../../src/sweep/kernels.h"
#include "../../src/sweep/thread_plan.h"
#include "../../src/sweep/tile_plan.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SOURCES = 3, LARGEST = 65, DEPTH = 4, SHAPES = 3, FORMS = SHAPES * SOURCES * 2 };

static const int sizes[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                            13, 14, 15, 16, 17, 18, 19, 20, 33, 64, 65};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

/* Three fields of one layout: u, f, and what a kernel writes. */
struct arena {
    struct field_layout layout;
    size_t values;
    double *u, *source, *written, *expected;
};

static double *take(const struct arena *arena) {
    double *memory = aligned_alloc(64, arena->layout.bytes);
    assert_non_null(memory);
    return memory;
}

static double random_value(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(int64_t)(*state >> 11) * 0x1p-52 - 1.0;
}

static struct arena arena_make(int dimensions, int nx, int ny) {
    struct arena arena = {.layout = field_layout_make(dimensions, nx, ny, DEPTH)};
    arena.values = arena.layout.bytes / sizeof(double);
    arena.u = take(&arena);
    arena.source = take(&arena);
    arena.written = take(&arena);
    arena.expected = take(&arena);
    uint64_t state = (uint64_t)(nx * 100 + ny);
    for (size_t i = 0; i < arena.values; i++) {
        arena.u[i] = random_value(&state);
        arena.source[i] = random_value(&state);
    }
    return arena;
}

static void arena_free(struct arena *arena) {
    free(arena->u);
    free(arena->source);
    free(arena->written);
    free(arena->expected);
}

/* Form number `form` of FORMS: shape, source, relaxation. */
static struct stencil stencil_of(int form) {
    int shape = form % SHAPES, source = form / SHAPES % SOURCES, relaxed = form / SHAPES / SOURCES;
    return (struct stencil){.dimensions = shape == 0 ? 1 : 2,
                            .isotropic = shape == 1,
                            .has_source = source > 0,
                            .source_varies = source == 2,
                            .cx = shape == 0 ? 0.49 : 0.23,
                            .cy = shape == 1 ? 0.23 : 0.26,
                            .cf = 0.013,
                            .source = source == 1 ? 0.7 : 0,
                            .omega = relaxed ? 0.83 : 1};
}

/* The expressions of equation.h, written down once more. */
static double expected_value(const struct stencil *s, const double *u, int64_t pitch, double f) {
    double north = 0, south = 0, west = u[-1], east = u[1], value;
    if (s->dimensions == 2) {
        north = u[pitch];
        south = u[-pitch];
    }
    if (s->dimensions == 1)
        value = s->cx * (west + east);
    else if (s->isotropic)
        value = s->cx * ((north + south) + (west + east));
    else
        value = s->cy * (north + south) + s->cx * (west + east);
    if (s->has_source)
        value = value + s->cf * f;
    return s->omega == 1 ? value : *u + s->omega * (value - *u);
}

/* Fills `expected`: poison everywhere but in the region. */
static void expect(const struct arena *arena, const struct stencil *stencil, struct region region) {
    memset(arena->expected, 0xff, arena->layout.bytes);
    for (local_index y = region.y0; y < region.y1; y++)
        for (local_index x = region.x0; x < region.x1; x++) {
            int64_t at = arena->layout.origin + y * arena->layout.pitch + x;
            double f = stencil->source_varies ? arena->source[at] : stencil->source;
            arena->expected[at] = expected_value(stencil, arena->u + at, arena->layout.pitch, f);
        }
}

static void run_box(const struct arena *arena, const struct stencil *stencil, struct region box,
                    kernel_function *kernel) {
    int64_t origin = arena->layout.origin;
    struct kernel_box work = {.u = arena->u + origin,
                              .u_new = arena->written + origin,
                              .source = stencil->source_varies ? arena->source + origin : NULL,
                              .pitch = arena->layout.pitch,
                              .stencil = stencil,
                              .box = box};
    kernel(&work);
}

static void check(const struct arena *arena, const struct stencil *stencil,
                  const struct region *boxes, int count, kernel_function *kernel) {
    memset(arena->written, 0xff, arena->layout.bytes);
    for (int i = 0; i < count; i++)
        run_box(arena, stencil, boxes[i], kernel);
    assert_memory_equal(arena->written, arena->expected, arena->layout.bytes);
}

/* Rows of the table as chosen here, then every instruction set that this processor has. */
static int all_kernels(kernel_function **functions, int capacity) {
    int count = 0;
    for (int i = 0; i < kernel_count && count < capacity; i++) {
        const char *instruction_set = NULL;
        functions[count++] = kernels[i].choose(&instruction_set);
        assert_non_null(instruction_set);
    }
    for (int i = 0; i < instruction_set_count && count + 2 <= capacity; i++)
        if (instruction_sets[i].available()) {
            functions[count++] = instruction_sets[i].vector;
            functions[count++] = instruction_sets[i].streaming;
        }
    return count;
}

/* All kernels on the boxes that cover `whole`. */
static void check_all(const struct arena *arena, const struct stencil *stencil, struct region whole,
                      const struct region *boxes, int count) {
    kernel_function *functions[16];
    int kernels_here = all_kernels(functions, 16);
    expect(arena, stencil, whole);
    for (int k = 0; k < kernels_here; k++)
        check(arena, stencil, boxes, count, functions[k]);
}

static void check_size(int form, int nx, int ny) {
    static const int threads[] = {1, 2, 3, 5};
    struct stencil stencil = stencil_of(form);
    struct arena arena = arena_make(stencil.dimensions, nx, ny);
    struct region whole = {0, nx, 0, ny}, boxes[5];
    for (int t = 0; t < 4; t++) {
        thread_plan_cut(boxes, threads[t], nx, ny);
        check_all(&arena, &stencil, whole, boxes, threads[t]);
    }
    arena_free(&arena);
}

static void every_size_is_right(void **state) {
    (void)state;
    for (int form = 0; form < FORMS; form++)
        for (int nx = 0; nx < SIZES; nx++)
            for (int ny = 0; ny < (form % SHAPES == 0 ? 1 : SIZES); ny++)
                check_size(form, sizes[nx], sizes[ny]);
}

/* Boxes that reach into the halo or begin anywhere, as deeper halos need them. */
static void every_place_is_right(void **state) {
    (void)state;
    for (int form = 0; form < FORMS; form++) {
        struct stencil stencil = stencil_of(form);
        int ny = stencil.dimensions == 1 ? 1 : 9;
        struct arena arena = arena_make(stencil.dimensions, 37, ny);
        for (int x0 = 1 - DEPTH; x0 <= 10; x0++)
            for (int x1 = x0; x1 < 37 + DEPTH; x1++) {
                int beyond = stencil.dimensions == 1 ? 0 : 3;
                struct region box = {x0, x1, -beyond, ny + beyond};
                check_all(&arena, &stencil, box, &box, 1);
            }
        arena_free(&arena);
    }
}

/* Sweeps alone and in turn with other levels, on copies: the first is that of any kernel. */
static void check_levels(const struct arena *arena, const struct stencil *stencil,
                         struct region box) {
    const int64_t origin = arena->layout.origin;
    const struct kernel_box work = {.u = arena->u + origin,
                                    .u_new = arena->written + origin,
                                    .source =
                                        stencil->source_varies ? arena->source + origin : NULL,
                                    .pitch = arena->layout.pitch,
                                    .stencil = stencil,
                                    .box = box};
    expect(arena, stencil, box);
    for (int i = 0; i < instruction_set_count; i++)
        for (int levels = 1; levels <= (box.y1 - box.y0 > 1 ? 3 : 1); levels++) {
            if (!instruction_sets[i].available())
                continue;
            memset(arena->written, 0xff, arena->layout.bytes);
            assert_true(instruction_sets[i].level(&work, 1, levels));
            assert_memory_equal(arena->written, arena->expected, arena->layout.bytes);
        }
}

static void levels_by_themselves_are_right(void **state) {
    (void)state;
    for (int form = 0; form < FORMS; form++) {
        struct stencil stencil = stencil_of(form);
        bool line = stencil.dimensions == 1;
        for (int nx = 0; nx < SIZES; nx++)
            for (int ny = 1; ny <= (line ? 1 : 9); ny++) {
                struct arena arena = arena_make(stencil.dimensions, sizes[nx], ny);
                check_levels(&arena, &stencil, (struct region){0, sizes[nx], 0, ny});
                arena_free(&arena);
            }
    }
}

/* Values of the box after two sweeps of levels, of which the second has rows of its own. */
static void check_turn(const struct instruction_set *set, const struct arena *arena, int levels) {
    const int64_t origin = arena->layout.origin, pitch = arena->layout.pitch;
    const struct stencil stencil = stencil_of(1);
    const struct kernel_box work = {.u = arena->u + origin,
                                    .u_new = arena->written + origin,
                                    .pitch = pitch,
                                    .stencil = &stencil,
                                    .box = {0, 16, 0, 4}};
    expect(arena, &stencil, work.box);
    assert_true(set->level(&work, 2, levels));
    /* row 2 of the second sweep is computed from rows 0 to 2 of the first, one point further west
       again; beyond the first FOLDED_UNIT points values are missing that levels do not hand on here
     */
    for (int64_t x = FOLDED_BEFORE; x < FOLDED_UNIT; x++) {
        const double *middle = arena->expected + origin + pitch + x - 1;
        assert_true(arena->written[origin + 2 * pitch + x] ==
                    expected_value(&stencil, middle, pitch, 0));
    }
}

static void levels_take_turns(void **state) {
    (void)state;
    struct arena arena = arena_make(2, 16, 4);
    for (int i = 0; i < instruction_set_count; i++)
        for (int levels = 2; instruction_sets[i].available() && levels <= 4; levels++)
            check_turn(&instruction_sets[i], &arena, levels);
    arena_free(&arena);
}

static void signed_zeros_survive(void **state) {
    (void)state;
    struct stencil stencil = stencil_of(1);
    struct arena arena = arena_make(2, 19, 6);
    for (size_t i = 0; i < arena.values; i++)
        arena.u[i] = i % 3 ? -0.0 : 0.0;
    struct region whole = {0, 19, 0, 6};
    check_all(&arena, &stencil, whole, &whole, 1);
    for (size_t i = 0; i < arena.values; i++)
        arena.u[i] = -0.0;
    check_all(&arena, &stencil, whole, &whole, 1);
    arena_free(&arena);
}

static void an_empty_box_writes_nothing(void **state) {
    (void)state;
    struct stencil stencil = stencil_of(1);
    struct arena arena = arena_make(2, 19, 6);
    struct region empty = {0, 0, 0, 0};
    check_all(&arena, &stencil, empty, &empty, 1);
    arena_free(&arena);
}

static void names_are_found(void **state) {
    (void)state;
    for (int i = 0; i < kernel_count; i++)
        assert_ptr_equal(kernel_find(kernels[i].name), &kernels[i]);
    assert_null(kernel_find("auto"));
    assert_null(kernel_find("vectors"));
    assert_true(instruction_sets[instruction_set_count - 1].available());
}

/* Marks every point of the boxes; each must be covered once. */
static void check_cover(const struct region *boxes, int threads, int nx, int ny) {
    char *covered = calloc((size_t)nx * (size_t)ny, 1);
    assert_non_null(covered);
    bool empty_before = false;
    for (int i = 0; i < threads; i++) {
        bool empty = region_points(boxes[i]) == 0;
        assert_true(empty || !empty_before);
        empty_before = empty;
        for (local_index y = boxes[i].y0; y < boxes[i].y1; y++)
            for (local_index x = boxes[i].x0; x < boxes[i].x1; x++)
                covered[y * nx + x]++;
        bool cut = boxes[i].x1 - boxes[i].x0 < nx;
        assert_true(empty || !cut || boxes[i].x1 - boxes[i].x0 >= THREAD_PLAN_CUT);
        if (!empty)
            assert_true(boxes[i].x0 % THREAD_PLAN_CUT == 0 &&
                        (boxes[i].x1 % THREAD_PLAN_CUT == 0 || boxes[i].x1 == nx));
    }
    for (int i = 0; i < nx * ny; i++)
        assert_int_equal(covered[i], 1);
    free(covered);
}

static void plans_cover_each_point_once(void **state) {
    (void)state;
    struct region boxes[40];
    for (int threads = 1; threads <= 40; threads++)
        for (int nx = 1; nx <= 130; nx += 3)
            for (int ny = 1; ny <= 50; ny += 7) {
                thread_plan_cut(boxes, threads, nx, ny);
                check_cover(boxes, threads, nx, ny);
            }
}

/* Each point of the region lies in one tile, inner edges in x on cache lines. */
static void check_tiles(const struct tile_cut *cut) {
    struct region whole = cut->region;
    int64_t width = whole.x1 - whole.x0;
    char *covered = calloc((size_t)region_points(whole), 1);
    assert_non_null(covered);
    for (int64_t i = 0; i < tile_count(cut); i++) {
        struct region tile = tile_region(cut, i);
        assert_true(tile.x0 == whole.x0 || tile.x0 % SPAN_LINE == 0);
        assert_true(tile.x1 == whole.x1 || tile.x1 % SPAN_LINE == 0);
        for (local_index y = tile.y0; y < tile.y1; y++)
            for (local_index x = tile.x0; x < tile.x1; x++)
                covered[(y - whole.y0) * width + x - whole.x0]++;
    }
    for (int64_t i = 0; i < region_points(whole); i++)
        assert_int_equal(covered[i], 1);
    free(covered);
}

static void tiles_cover_each_point_once(void **state) {
    (void)state;
    for (int nx = 1; nx <= 150; nx += 7)
        for (int ny = 1; ny <= 60; ny += 9)
            for (int beyond = 0; beyond <= 5; beyond += 5) {
                struct region region = {-beyond, nx, -beyond, ny + beyond};
                struct tile_cut whole = tile_cut_whole(region);
                check_tiles(&whole);
                struct tile_cut pieces = tile_cut_pieces(region, 16);
                check_tiles(&pieces);
                for (int most = 1; most <= 16; most += 15) {
                    struct tile_cut strips = tile_cut_strips(region, most, 1);
                    check_tiles(&strips);
                }
            }
}

static void pieces_are_enough_for_many_threads(void **state) {
    (void)state;
    struct tile_cut rows = tile_cut_pieces((struct region){0, 1000, 0, 1000}, 16);
    assert_int_equal(tile_count(&rows), 16);
    struct tile_cut line = tile_cut_pieces((struct region){0, 1000000, 0, 1}, 16);
    assert_int_equal(tile_count(&line), 16);
    struct tile_cut small = tile_cut_pieces((struct region){0, 10, 0, 10}, 16);
    assert_int_equal(tile_count(&small), 1);
    struct tile_cut part_of_line = tile_cut_strips((struct region){0, 1000000, 0, 1}, 16, 10);
    assert_int_equal(tile_count(&part_of_line), 16);
}

/* Strips are not too high for what columns leave to each other; shared ones end with low ones. */
static void strips_have_bounds(void **state) {
    (void)state;
    for (int64_t rows = 2; rows < 100000; rows += rows / 3 + 1)
        for (int pieces = 1; pieces <= 16; pieces += 15) {
            struct tile_cut cut = tile_cut_strips((struct region){0, 64, 0, rows}, pieces, 10);
            int64_t last = tile_count(&cut) - 1;
            for (int64_t i = 0; i <= last; i++) {
                struct region tile = tile_region(&cut, i);
                assert_in_range(tile.y1 - tile.y0, rows < 80 ? 1 : 80, 640);
            }
            struct region tile = tile_region(&cut, last);
            assert_true(pieces == 1 || tile.y1 - tile.y0 < 160);
        }
}

static void kernels_are_chosen_by_size(void **state) {
    (void)state;
    const struct {
        int dimensions, nx, ny, depth;
        const char *kernel;
    } rows[] = {
        {2, 1000, 1000, 1, "streaming"}, {2, 1000, 1000, 4, "temporal"}, {2, 500, 500, 1, "vector"},
        {2, 500, 500, 4, "temporal"},    {2, 256, 200, 4, "tiled"},      {2, 256, 200, 3, "vector"},
        {2, 64, 1024, 4, "tiled"},       {2, 64, 1025, 4, "temporal"},   {1, 100, 1, 64, "tiled"},
        {1, 100000, 1, 64, "temporal"},  {1, 1000000, 1, 3, "streaming"}};
    const struct sweep_caches caches = {.second_level = INT64_C(1) << 20,
                                        .last_level = INT64_C(1) << 22};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct field_layout layout =
            field_layout_make(rows[i].dimensions, rows[i].nx, rows[i].ny, rows[i].depth);
        assert_string_equal(kernel_auto(&layout, &caches)->name, rows[i].kernel);
    }
}

static void traffic_is_shared_by_the_sweeps_of_a_pass(void **state) {
    (void)state;
    struct stencil plain = stencil_of(1), source = stencil_of(2 * SHAPES + 1);
    assert_true(kernel_bytes(kernel_find("vector"), &plain, 8) == 16);
    assert_true(kernel_bytes(kernel_find("temporal"), &plain, 8) == 2);
    assert_true(kernel_bytes(kernel_find("temporal"), &source, 8) == 3);
    assert_true(kernel_bytes(kernel_find("temporal"), &source, 1) == 24);
}

static int64_t largest(const struct region *boxes, int count) {
    int64_t most = 0;
    for (int i = 0; i < count; i++)
        most = region_points(boxes[i]) > most ? region_points(boxes[i]) : most;
    return most;
}

static void plans_share_the_work(void **state) {
    (void)state;
    struct region boxes[64];
    thread_plan_cut(boxes, 4, 1000000, 3); /* few rows: cut along x as well */
    assert_true(largest(boxes, 4) <= 750008);
    thread_plan_cut(boxes, 64, 8000000, 1); /* a line */
    assert_int_equal(largest(boxes, 64), 125000);
    thread_plan_cut(boxes, 2, 8192, 8191); /* many rows: whole rows only */
    assert_int_equal(largest(boxes, 2), (int64_t)8192 * 4096);
    assert_true(boxes[1].x0 == 0 && boxes[1].x1 == 8192);
    thread_plan_cut(boxes, 2, INT64_C(1) << 40, 2); /* beyond 32 bits */
    assert_true(largest(boxes, 2) == INT64_C(1) << 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_is_right),
        cmocka_unit_test(every_place_is_right),
        cmocka_unit_test(levels_by_themselves_are_right),
        cmocka_unit_test(levels_take_turns),
        cmocka_unit_test(signed_zeros_survive),
        cmocka_unit_test(an_empty_box_writes_nothing),
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(plans_cover_each_point_once),
        cmocka_unit_test(plans_share_the_work),
        cmocka_unit_test(tiles_cover_each_point_once),
        cmocka_unit_test(pieces_are_enough_for_many_threads),
        cmocka_unit_test(strips_have_bounds),
        cmocka_unit_test(kernels_are_chosen_by_size),
        cmocka_unit_test(traffic_is_shared_by_the_sweeps_of_a_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
