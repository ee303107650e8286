/* Sweeps over the part of one rank, by all its threads. Room: sweep; all of OpenMP is here.
 *
 * A sweeper owns the plan of who sweeps what: the interior is cut into one box a thread (split in y
 * first, in x too where that leaves one thread with clearly too much), and memory is touched first
 * by the thread that sweeps it. All calls are made by the main thread outside parallel regions;
 * none of them communicates. */
#ifndef FUNNEL_SWEEP_H
#define FUNNEL_SWEEP_H

#include "funnel/binned_sum.h"
#include "funnel/equation.h"
#include "funnel/field.h"

enum { SWEEP_ITERATES_MAX = 2 };

/* How a kernel that is blocked in time works on a tile; 0 for a default. */
struct kernel_tile {
    int width; /* of a column, points in x; rounded up to a multiple of 64, and so that the
                  sweeps of a pass fit in */
    int rows;  /* handled at a time, 2..32; multiples of 4 are fastest */
};

/* Cache sizes in bytes, 0 where unknown. */
struct sweep_caches {
    int64_t first_level;              /* of a thread */
    int64_t second_level, last_level; /* what a rank may use of them with all its threads */
};

enum sweep_schedule {
    SWEEP_STATIC, /* a thread sweeps what it touched first */
    SWEEP_DYNAMIC /* the same first, then what slower threads have left */
};

/* The part of one rank, and what lies at its edges. */
struct sweep_part {
    const struct grid *grid;
    struct stencil stencil;
    struct field_layout layout;
    global_index begin[AXIS_COUNT]; /* global index of local point (0, 0) */
    double *const *lent; /* memory of the iterates that the caller keeps, touched by nobody yet;
                            NULL: the sweeper takes its own */
    bool physical[SIDE_COUNT]; /* true: this edge is a side of the domain, not another rank's.
                                  A periodic side is never physical */
    struct kernel_tile tile;
    struct sweep_caches caches;
    enum sweep_schedule schedule;
    bool flush_denormals; /* all passes over the field take numbers below 2.2e-308 for zero, with
                             every kernel and every thread */
    int threads;          /* that share the work, if there are as many; 0: all there are */
};

/* Expressions as text, "" or NULL for none. Checked before: every rank and thread compiles its own.
 */
struct sweep_values {
    const char *source; /* used only if the stencil's source varies */
    const char *initial;
    const char *side[SIDE_COUNT]; /* Dirichlet value or Neumann flux */
    const char *exact;
};

/* What a kernel sees of one box at one sweep. Pointers are to point (0, 0). */
struct kernel_box {
    const double *u;      /* current iterate */
    double *u_new;        /* next iterate */
    const double *source; /* f with the same pitch, or NULL */
    int64_t pitch;
    const struct stencil *stencil;
    struct region box;
};

/* Computes u_new from u in a box; ghosts of u next to the box are valid. */
typedef void kernel_function(const struct kernel_box *box);

/* Advances a tile by several sweeps in one pass through memory. Of the sweep room only. */
struct temporal_tile;
struct tiling;
typedef void kernel_tile_function(const struct temporal_tile *tile);

/* Sweeps a box `times` times over as the levels of a tile do, on copies of its rows: the ceiling of
 * a kernel that is blocked in time. One level stays in the first-level cache if the box is small.
 * Of several, 2..64, each has two rows of its own that the tile keeps from step to step, which then
 * lie in the second-level cache. u_new gets the result, which for one time is that of
 * kernel_function. At most 32 rows, 2 or more of them where there are several levels; x0 is a
 * multiple of 8. False without memory. */
typedef bool kernel_level_function(const struct kernel_box *box, int64_t times, int levels);

/* A kernel is a row of the table. Bytes count one read and one write of each value that a point
 * needs; a plain store also fetches the line it fills, 8 bytes a point that are not counted. */
struct kernel {
    const char *name, *help;
    /* by what the processor has: for one sweep, and for several (NULL if only one by one) */
    kernel_function *(*choose)(const char **instruction_set);
    kernel_tile_function *(*choose_tile)(const char **instruction_set);
    const struct tiling *tiling; /* of the sweep room only; NULL as choose_tile */
    kernel_level_function *(*choose_level)(const char **instruction_set); /* or NULL */
    int iterates_read, iterates_written;
    double bytes_per_point, bytes_per_point_source; /* memory traffic without and with varying f */
    int operations_per_point;                       /* of the isotropic form without source */
};

extern const struct kernel kernels[];
extern const int kernel_count;

/* The row of a name, or NULL. */
const struct kernel *kernel_find(const char *name);

/* The row that is best for fields of this size and halo depth on a rank with these caches. */
const struct kernel *kernel_auto(const struct field_layout *layout,
                                 const struct sweep_caches *caches);

/* True if all iterates of such a field lie in the second-level caches. */
bool sweep_fits_second_level(const struct field_layout *layout, const struct sweep_caches *caches);

/* Memory traffic a point and sweep where `sweeps` sweeps are done between two exchanges. */
double kernel_bytes(const struct kernel *kernel, const struct stencil *stencil, int sweeps);

/* The tile that a sweeper of this part will use, defaults filled in; zeros for a kernel without. */
struct kernel_tile sweep_tile_plan(const struct sweep_part *part, const struct kernel *kernel);

struct sweeper;

/* Bytes that a sweeper will take on this rank, each array named: for --check and the memory check.
 */
struct sweep_memory {
    int arrays; /* iterates and varying coefficients */
    const char *name[8];
    size_t array_bytes; /* of each */
    size_t small_bytes; /* everything else */
    size_t total_bytes;
};
struct sweep_memory sweep_memory_plan(const struct sweep_part *part, const struct kernel *kernel);

/* Takes memory, touches it first by the sweeping threads, fills start values, varying source,
 * ghosts of Dirichlet sides and fluxes. NULL with status set if memory is refused. Owned by the
 * caller. */
struct sweeper *sweeper_make(const struct sweep_part *part, const struct kernel *kernel,
                             const struct sweep_values *values, struct status *status);
void sweeper_free(struct sweeper *sweeper);

/* The iterate that holds the current field, and the memory of all of them (for halo_make). */
const struct field *sweeper_current(const struct sweeper *sweeper);
double *const *sweeper_memory(const struct sweeper *sweeper);

int sweeper_threads(const struct sweeper *sweeper);

/* Seconds each thread spent sweeping so far (array of sweeper_threads values). */
const double *sweeper_thread_seconds(const struct sweeper *sweeper);

/* Advances `sweeps` sweeps, 1..halo depth, from a field whose halo is fresh to `sweeps` points:
 * sweep t covers the interior and sweeps - t further points beyond each internal edge, after the
 * ghosts of Neumann sides were renewed. Afterwards sweeper_current is the new iterate, and its halo
 * is stale.
 */
void sweeper_advance(struct sweeper *sweeper, int sweeps);

/* The first pass of several sweeps in two parts, so that halos can be exchanged during the first.
 * Unlike all other calls, those to sweep are made by the threads of a parallel region of the
 * caller's; `thread` is the number of the calling one. Before the region, sweeper_refresh_sides. In
 * it each inner tile of each of the sweeper_threads boxes once (`shared`: the box is cut for
 * threads to share); when the halo is fresh and all are done, sweeper_refresh_rim of each box; when
 * all are done, each rim tile of each box. After the region, sweeper_end_first_pass; the sweeps
 * that it returns are left to sweeper_advance. */
bool sweeper_has_inner(const struct sweeper *sweeper,
                       int sweeps); /* else there is nothing to do meanwhile */
int sweeper_inner_tiles(const struct sweeper *sweeper, int box, bool shared, int sweeps);
void sweeper_sweep_inner(struct sweeper *sweeper, int box, int tile, bool shared, int sweeps,
                         int thread);
void sweeper_refresh_rim(struct sweeper *sweeper, int box, int sweeps);
int sweeper_rim_tiles(const struct sweeper *sweeper); /* of each box; some may be empty */
void sweeper_sweep_rim(struct sweeper *sweeper, int box, int tile, int sweeps, int thread);
int sweeper_end_first_pass(struct sweeper *sweeper, int sweeps);

/* Threads there are: those of a sweeper made now, unless its part asks for fewer. */
int sweep_threads(void);

/* Points that sweeper_advance(sweeps) computes beyond the interior. */
int64_t sweeper_redundant_points(const struct sweeper *sweeper, int sweeps);

/* Points that sweeper_advance(sweeps) computes more than once because tiles overlap, and beside
 * those it was asked for because columns are whole. 0 for a kernel without tiles. */
int64_t sweeper_overlap_points(const struct sweeper *sweeper, int sweeps);

/* Refreshes the ghosts of Neumann sides of the current iterate (before a residual or an output). */
void sweeper_refresh_sides(struct sweeper *sweeper);

/* Quantities that are summed over all points with their trapezoid weight m. */
enum sweep_quantity {
    QUANTITY_RESIDUAL_SQUARED, /* m*r*r, halo and sides fresh */
    QUANTITY_RHS_SQUARED,      /* m*b*b, b the eliminated right-hand side */
    QUANTITY_ERROR_SQUARED,    /* m*e*e, e = u - exact */
    QUANTITY_VALUE,            /* m*u */
    QUANTITY_RHS               /* m*b: zero for a singular problem that has a solution */
};

/* Largest exponent of the quantity's terms in this rank, as binned_exponent. */
int sweeper_exponent(struct sweeper *sweeper, enum sweep_quantity quantity);

/* Sum of the terms in this rank, on the grid of bins of `exponent` (the maximum over all ranks). */
struct binned_sum sweeper_sum(struct sweeper *sweeper, enum sweep_quantity quantity, int exponent);

/* Largest |u - exact| in this rank; NaN if one is. */
double sweeper_error_max(struct sweeper *sweeper);

/* A hash of index and bits for each interior value, summed up modulo 2^64: ranks add theirs. */
uint64_t sweeper_checksum(const struct sweeper *sweeper);

/* Values of the interior that are neither zero nor at least 2.2e-308. */
int64_t sweeper_denormals(const struct sweeper *sweeper);

/* Copies the interior of the current iterate over that of the next one, past the caches. Nothing
 * else changes: neither the current iterate nor what later sweeps give. */
void sweeper_copy(struct sweeper *sweeper);

/* Adds a constant to the source, halo included: makes a singular problem solvable. A constant
 * source stays constant. */
void sweeper_shift_source(struct sweeper *sweeper, double amount);

/* "201511 (GNU libgomp)" or the like: version of OpenMP and whose runtime it is. */
const char *sweep_openmp_version(void);

#endif
