/* The kernels' functions, and what they need beside a box. Private to the room: others go through
 * the table. */
#ifndef FUNNEL_SWEEP_KERNELS_H
#define FUNNEL_SWEEP_KERNELS_H

#include "folded.h"

enum {
    TEMPORAL_SWEEPS_MAX = 64,          /* that one pass over a tile advances */
    TEMPORAL_ROWS_MAX = SPAN_ROWS_MAX, /* handled at a time */
    TEMPORAL_ROWS_MIN = 2,
    TEMPORAL_UNIT = FOLDED_UNIT * SPAN_LINE /* points in x: columns are as many times as wide */
};

/* A tile to be advanced by several sweeps. `box` is as for one sweep: u holds the iterate before
 * the first, valid in the box and `sweeps` points beyond it, u_new gets the one after the last. */
struct temporal_tile {
    struct kernel_box box;
    int sweeps; /* 1..TEMPORAL_SWEEPS_MAX */
    int rows;   /* TEMPORAL_ROWS_MIN..TEMPORAL_ROWS_MAX */
    int width;  /* of a column, as tiling.possible_width */
    bool streaming;
    struct region domain; /* ends at the sides of the domain; wider than any halo where an edge is
                             internal */
    /* u at a mirror ghost less u at the point it mirrors, by the index along the side; NULL where
       the ghosts keep what they hold */
    const double *mirror[SIDE_COUNT];
    double *scratch; /* of this thread, on a cache line: tiling.scratch_bytes */
};

void kernel_reference(const struct kernel_box *box);
void kernel_vector(const struct kernel_box *box, span_function *sweep);
void kernel_streaming(const struct kernel_box *box, span_function *sweep);
void kernel_tiled(const struct temporal_tile *tile, span_function *sweep);
void kernel_temporal(const struct temporal_tile *tile, const struct folded_functions *folded);
bool kernel_level(const struct kernel_box *box, int64_t times, int levels,
                  const struct folded_functions *folded);

/* How a kernel with tiles cuts them into columns and what it needs for it. */
struct tiling {
    int rows; /* handled at a time unless asked for otherwise */
    /* width where none is asked for: `rows` rows of it go with a first-level cache of so many
       doubles */
    int64_t (*default_width)(int64_t doubles, int rows, int sweeps);
    /* the least width that is as large as this one and possible */
    int (*possible_width)(int64_t width, int sweeps);
    /* memory that tiles of up to `height` rows need, cut into columns of tile->width */
    size_t (*scratch_bytes)(const struct kernel_tile *tile, int sweeps, int64_t height);
    /* points that sweeps over the tile compute, those beyond the box included */
    int64_t (*points)(const struct temporal_tile *tile);
};

extern const struct tiling tiling_tiled, tiling_temporal;

/* The kernels as compiled for one instruction set. */
struct instruction_set {
    const char *name;
    bool (*available)(void); /* on this processor */
    kernel_function *vector, *streaming;
    kernel_tile_function *tiled, *temporal;
    kernel_level_function *level;
};

extern const struct instruction_set instruction_sets[]; /* best first; the last one always runs */
extern const int instruction_set_count;

#endif
