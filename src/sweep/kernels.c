/* The table of kernels, and the choice of an instruction set at run time, so that one binary runs
 * on every processor of a family and uses what each has. */
#include "kernels.h"
#include "tile_plan.h"
#include <string.h>

/* Fewer sweeps at a time hardly pay for the walk over a tile. */
enum { WORTHWHILE_SWEEPS = 4 };

span_function span_baseline;

static void vector_baseline(const struct kernel_box *box) {
    kernel_vector(box, span_baseline);
}

static void streaming_baseline(const struct kernel_box *box) {
    kernel_streaming(box, span_baseline);
}

static void tiled_baseline(const struct temporal_tile *tile) {
    kernel_tiled(tile, span_baseline);
}

static void temporal_baseline(const struct temporal_tile *tile) {
    kernel_temporal(tile, &folded_baseline);
}

static bool level_baseline(const struct kernel_box *box, int64_t times, int levels) {
    return kernel_level(box, times, levels, &folded_baseline);
}

static bool always(void) {
    return true;
}

#if defined(__x86_64__)
span_function span_avx2, span_avx512;

static void vector_avx2(const struct kernel_box *box) {
    kernel_vector(box, span_avx2);
}

static void streaming_avx2(const struct kernel_box *box) {
    kernel_streaming(box, span_avx2);
}

static void tiled_avx2(const struct temporal_tile *tile) {
    kernel_tiled(tile, span_avx2);
}

static void temporal_avx2(const struct temporal_tile *tile) {
    kernel_temporal(tile, &folded_avx2);
}

static bool level_avx2(const struct kernel_box *box, int64_t times, int levels) {
    return kernel_level(box, times, levels, &folded_avx2);
}

static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2") != 0;
}

static void vector_avx512(const struct kernel_box *box) {
    kernel_vector(box, span_avx512);
}

static void streaming_avx512(const struct kernel_box *box) {
    kernel_streaming(box, span_avx512);
}

static void tiled_avx512(const struct temporal_tile *tile) {
    kernel_tiled(tile, span_avx512);
}

static void temporal_avx512(const struct temporal_tile *tile) {
    kernel_temporal(tile, &folded_avx512);
}

static bool level_avx512(const struct kernel_box *box, int64_t times, int levels) {
    return kernel_level(box, times, levels, &folded_avx512);
}

static bool has_avx512(void) {
    return __builtin_cpu_supports("avx512f") != 0;
}
#endif

const struct instruction_set instruction_sets[] = {
#if defined(__x86_64__)
    {"avx512", has_avx512, vector_avx512, streaming_avx512, tiled_avx512, temporal_avx512,
     level_avx512},
    {"avx2", has_avx2, vector_avx2, streaming_avx2, tiled_avx2, temporal_avx2, level_avx2},
#endif
    {"baseline", always, vector_baseline, streaming_baseline, tiled_baseline, temporal_baseline,
     level_baseline},
};
const int instruction_set_count = sizeof instruction_sets / sizeof instruction_sets[0];

static const struct instruction_set *best_instruction_set(const char **name) {
    const struct instruction_set *row = instruction_sets;
    while (!row->available())
        row++;
    *name = row->name;
    return row;
}

static kernel_function *choose_reference(const char **instruction_set) {
    *instruction_set = "as compiled";
    return kernel_reference;
}

static kernel_function *choose_vector(const char **instruction_set) {
    return best_instruction_set(instruction_set)->vector;
}

static kernel_function *choose_streaming(const char **instruction_set) {
    return best_instruction_set(instruction_set)->streaming;
}

static kernel_tile_function *choose_tiled(const char **instruction_set) {
    return best_instruction_set(instruction_set)->tiled;
}

static kernel_tile_function *choose_temporal(const char **instruction_set) {
    return best_instruction_set(instruction_set)->temporal;
}

static kernel_level_function *choose_level(const char **instruction_set) {
    return best_instruction_set(instruction_set)->level;
}

const struct kernel kernels[] = {
    {.name = "reference",
     .help = "a plain loop, to be read and to be compared with",
     .choose = choose_reference,
     .iterates_read = 1,
     .iterates_written = 1,
     .bytes_per_point = 16,
     .bytes_per_point_source = 24,
     .operations_per_point = 4},
    {.name = "vector",
     .help = "blocks of four rows in the widest vectors of the processor",
     .choose = choose_vector,
     .iterates_read = 1,
     .iterates_written = 1,
     .bytes_per_point = 16,
     .bytes_per_point_source = 24,
     .operations_per_point = 4},
    {.name = "streaming",
     .help = "as vector, with stores past the caches: for fields larger than those",
     .choose = choose_streaming,
     .iterates_read = 1,
     .iterates_written = 1,
     .bytes_per_point = 16,
     .bytes_per_point_source = 24,
     .operations_per_point = 4},
    {.name = "tiled",
     .help = "as temporal, on rows as they lie: for small and narrow fields and lines",
     .choose = choose_vector,
     .choose_tile = choose_tiled,
     .tiling = &tiling_tiled,
     .iterates_read = 1,
     .iterates_written = 1,
     .bytes_per_point = 16,
     .bytes_per_point_source = 24,
     .operations_per_point = 4},
    {.name = "temporal",
     .help = "all sweeps between two exchanges in one pass through memory, tile by tile",
     .choose = choose_vector,
     .choose_tile = choose_temporal,
     .tiling = &tiling_temporal,
     .choose_level = choose_level,
     .iterates_read = 1,
     .iterates_written = 1,
     .bytes_per_point = 16,
     .bytes_per_point_source = 24,
     .operations_per_point = 4},
};
const int kernel_count = sizeof kernels / sizeof kernels[0];

/* Not inlined: gcc 12 warns falsely of comparing a constant name with the rows it is not. */
__attribute__((noinline)) const struct kernel *kernel_find(const char *name) {
    for (int row = 0; row < kernel_count; row++)
        if (strcmp(kernels[row].name, name) == 0)
            return &kernels[row];
    return NULL;
}

/* Without the halo, most of which lies still. */
static int64_t iterates_bytes(const struct field_layout *layout) {
    return SWEEP_ITERATES_MAX * layout->nx * layout->ny * (int64_t)sizeof(double);
}

bool sweep_fits_second_level(const struct field_layout *layout, const struct sweep_caches *caches) {
    return iterates_bytes(layout) <= caches_known(*caches).second_level;
}

const struct kernel *kernel_auto(const struct field_layout *layout,
                                 const struct sweep_caches *caches) {
    /* folding rows pays where they come from beyond the second-level cache */
    if (layout->depth >= WORTHWHILE_SWEEPS)
        return kernel_find(sweep_fits_second_level(layout, caches) ? "tiled" : "temporal");
    bool fits = iterates_bytes(layout) <= caches_known(*caches).last_level;
    return kernel_find(fits ? "vector" : "streaming");
}

double kernel_bytes(const struct kernel *kernel, const struct stencil *stencil, int sweeps) {
    double bytes =
        stencil->source_varies ? kernel->bytes_per_point_source : kernel->bytes_per_point;
    return kernel->choose_tile && sweeps > 1 ? bytes / sweeps : bytes;
}
