/* What a configuration leaves to the program: kernel, halo depth, and how many threads sweep. Every
 * choice follows from facts that all ranks share, so all ranks choose alike, and none changes a bit
 * of the result. The figures are what measurements on two cores with AVX-512 showed to matter. */
#include "solve_parts.h"

enum {
    DEPTH_MOST = 64,        /* more sweeps in one pass through memory gain little */
    DEPTH_MOST_CACHED = 32, /* nor these on a rectangle that caches hold, whose tiles overlap */
    BLOCKS_LEAST = 4,       /* of a run: the first does not count in its rates */
    SMALL_BYTES = 1 << 20,  /* an iterate of which the halo's share does not matter */
    HALO_MEMORY_SHARE = 8,  /* a larger iterate may grow by one part in so many */
    THREAD_UPDATES = 20000  /* between two barriers: fewer are not worth another thread */
};

/* Points computed twice because of deep halos: as a share of all, or in a block as many as could be
 * updated in the time of an exchange, which small parts save. */
static const double redundant_most = 0.04, exchange_updates = 3000;

/* Points of the smallest and the largest part along each axis, and edges that a part shares. */
struct part_sizes {
    global_index least[AXIS_COUNT], most[AXIS_COUNT];
    int edges[AXIS_COUNT];
};

static struct part_sizes part_sizes(const struct solve_plan *plan) {
    struct part_sizes sizes;
    for (int axis = 0; axis < AXIS_COUNT; axis++) {
        int parts = plan->process_grid.count[axis];
        bool periodic = plan->process_grid.periodic[axis];
        sizes.least[axis] = extent_of(plan->grid.points[axis], parts, parts - 1).count;
        sizes.most[axis] = extent_of(plan->grid.points[axis], parts, 0).count;
        sizes.edges[axis] = periodic || parts > 2 ? 2 : parts - 1;
    }
    return sizes;
}

static struct field_layout layout_of(const struct solve_plan *plan, const struct part_sizes *sizes,
                                     int depth) {
    return field_layout_make(plan->grid.dimensions, sizes->most[AXIS_X], sizes->most[AXIS_Y],
                             depth);
}

/* Sweep t of d computes d - t points beyond each shared edge: (d - 1) / 2 on average. */
static double redundant_share(const struct part_sizes *sizes, int depth) {
    double share = 0;
    for (int axis = 0; axis < AXIS_COUNT; axis++)
        share += 0.5 * (depth - 1) * sizes->edges[axis] / (double)sizes->least[axis];
    return share;
}

static bool redundancy_pays(const struct part_sizes *sizes, int depth) {
    double share = redundant_share(sizes, depth);
    double points = (double)(sizes->most[AXIS_X] * sizes->most[AXIS_Y]);
    return share <= redundant_most || depth * share * points <= exchange_updates;
}

static bool memory_allows(const struct solve_plan *plan, const struct part_sizes *sizes,
                          int depth) {
    size_t bytes = layout_of(plan, sizes, depth).bytes,
           bytes_least = layout_of(plan, sizes, 1).bytes;
    return bytes <= SMALL_BYTES || bytes - bytes_least <= bytes_least / HALO_MEMORY_SHARE;
}

/* What keeps a depth from being larger. */
static const char *why_not(const struct solve_plan *plan, const struct config *config,
                           const struct part_sizes *sizes, int depth) {
    if (plan->narrowest_part > 0 && depth > plan->narrowest_part)
        return "the narrowest part is as wide";
    if (!redundancy_pays(sizes, depth))
        return "deeper, too many points would be computed twice";
    if (depth > plan->check_every)
        return "the residual is formed as often";
    if (depth > config->solver.max_sweeps / BLOCKS_LEAST)
        return "the run is short";
    if (!memory_allows(plan, sizes, depth))
        return "deeper, halos would take too much memory";
    return NULL;
}

/* Which kernel works in passes depends on the cache that holds the iterates. */
static int depth_most(const struct solve_plan *plan, const struct part_sizes *sizes,
                      const struct sweep_caches *caches) {
    struct field_layout layout = layout_of(plan, sizes, DEPTH_MOST_CACHED);
    bool cached = layout.dimensions == 2 && sweep_fits_second_level(&layout, caches);
    return cached ? DEPTH_MOST_CACHED : DEPTH_MOST;
}

/* The deepest halo that pays, with the reason for not going deeper. */
static int deepest(const struct solve_plan *plan, const struct config *config,
                   const struct part_sizes *sizes, const struct sweep_caches *caches,
                   const char **why) {
    int depth = depth_most(plan, sizes, caches);
    *why = "deeper, little would be gained";
    for (const char * not ; depth > 1 && (not = why_not(plan, config, sizes, depth)); depth--)
        *why = not ;
    return depth;
}

/* As many blocks between two checks, all about as long. */
static int evened(int depth, int64_t check_every) {
    int64_t blocks = (check_every + depth - 1) / depth;
    return (int)((check_every + blocks - 1) / blocks);
}

/* Without a word about the caches a field counts as larger. */
static bool fits_cache(const struct field_layout *layout, const struct sweep_caches *caches) {
    return SWEEP_ITERATES_MAX * (int64_t)layout->bytes <= caches->last_level;
}

/* The kernel for this depth, and why. */
static void choose_kernel(struct solve_plan *plan, const struct field_layout *layout,
                          const struct sweep_caches *caches) {
    plan->kernel = kernel_auto(layout, caches);
    if (plan->kernel->choose_tile)
        plan->kernel_why = "the sweeps of a block take one pass through memory";
    else if (sweep_fits_second_level(layout, caches))
        plan->kernel_why = "the iterates fit the second-level caches";
    else if (fits_cache(layout, caches))
        plan->kernel_why = "the iterates fit the caches";
    else
        plan->kernel_why = "the iterates do not fit the caches";
}

/* Halo points come from the next part alone, so no part may be narrower than the halo is deep. */
static int reduced(const struct solve_plan *plan, int depth) {
    bool too_deep = plan->narrowest_part > 0 && plan->narrowest_part < depth;
    return too_deep ? (int)plan->narrowest_part : depth;
}

/* Points across the narrowest part of any rank, along the axes that have an edge between parts (a
 * rank may be its own neighbour); 0 if there is no such edge. */
static global_index narrowest_part(const struct part_sizes *sizes) {
    global_index narrowest = 0;
    for (int axis = 0; axis < AXIS_COUNT; axis++)
        if (sizes->edges[axis] > 0 && (narrowest == 0 || sizes->least[axis] < narrowest))
            narrowest = sizes->least[axis];
    return narrowest;
}

static void choose_depth(struct solve_plan *plan, const struct config *config,
                         const struct part_sizes *sizes, const struct sweep_caches *caches,
                         bool any_kernel) {
    int depth = config->parallel.halo_depth;
    if (depth == 0) {
        depth = 1;
        if (any_kernel || plan->kernel->choose_tile)
            depth =
                evened(deepest(plan, config, sizes, caches, &plan->depth_why), plan->check_every);
    }
    plan->halo_depth_asked = depth;
    plan->halo_depth = reduced(plan, depth);
}

static void choose_for_any_kernel(struct solve_plan *plan, const struct config *config,
                                  const struct part_sizes *sizes,
                                  const struct sweep_caches *caches) {
    struct field_layout layout = layout_of(plan, sizes, plan->halo_depth);
    choose_kernel(plan, &layout, caches);
    if (config->parallel.halo_depth > 0 || plan->kernel->choose_tile ||
        sweep_fits_second_level(&layout, caches))
        return;
    plan->halo_depth = plan->halo_depth_asked = 1;
    plan->depth_why = "sweeps take longer than the exchanges that a deep halo saves";
}

void choose_blocks(struct solve_plan *plan, const struct config *config,
                   const struct sweep_caches *caches) {
    const struct part_sizes sizes = part_sizes(plan);
    bool any_kernel = !plan->kernel;
    plan->narrowest_part = narrowest_part(&sizes);
    choose_depth(plan, config, &sizes, caches, any_kernel);
    if (any_kernel)
        choose_for_any_kernel(plan, config, &sizes, caches);
    struct field_layout layout = layout_of(plan, &sizes, plan->halo_depth);
    plan->fits_cache = fits_cache(&layout, caches);
}

int choose_threads(const struct solve_plan *plan, const struct config *config, int available) {
    const struct part_sizes sizes = part_sizes(plan);
    if (config->parallel.threads > 0)
        return config->parallel.threads < available ? config->parallel.threads : available;
    if (plan->halo->overlaps)
        return available; /* one exchanges while the others sweep */
    int64_t sweeps = plan->kernel->choose_tile ? plan->halo_depth : 1;
    int64_t worth = sizes.most[AXIS_X] * sizes.most[AXIS_Y] * sweeps / THREAD_UPDATES;
    if (worth >= available)
        return available;
    return worth > 1 ? (int)worth : 1;
}
