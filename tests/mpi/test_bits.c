/* Field and norms have the same bits for every layout: each rank repeats the whole solve with one
 * plain loop of its own and compares its part, and the norms, bit for bit. Sizes, process grids,
 * threads, halo variants and depths, and kernels are drawn from their lists by turns; "all" in
 * place of a number of turns walks through every size. */
#include "funnel/binned_sum.h"
#include "funnel/expression.h"
#include "verify.h"
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int thread_counts[] = {1, 2, 3, 5, 7};
enum { THREAD_COUNTS = sizeof thread_counts / sizeof thread_counts[0] };
enum { AUTOMATIC_THREADS = 7 /* with as many the run chooses how many of them sweep */ };
static const int large_sizes[] = {500, 501, 997};
enum { SMALL_SIZES = 40, SIZES = SMALL_SIZES + 3 };
static const int halo_depths[] = {1, 2, 3, 4, 7, 16, 0};
enum { DEPTHS = sizeof halo_depths / sizeof halo_depths[0] };

static int size_of(int turn) {
    int row = turn % SIZES;
    return row < SMALL_SIZES ? row + 1 : large_sizes[row - SMALL_SIZES];
}

/* Sides of a problem, with values that differ from point to point. */
static const struct sides {
    const char *west, *east, *south, *north;
} side_sets[] = {
    {"dirichlet 1+y", "dirichlet sin(y)", "dirichlet x*x", "dirichlet 0.3"},
    {"neumann 0.2*y", "dirichlet 1", "dirichlet x", "neumann cos(x)"},
    {"periodic", "periodic", "dirichlet sin(x)", "neumann 1"},
    {"dirichlet 0", "neumann y", "periodic", "periodic"},
    {"periodic", "periodic", "periodic", "periodic"},
    {"neumann 1", "neumann y-1", "neumann 0", "dirichlet x"},
};
enum { SIDE_SETS = sizeof side_sets / sizeof side_sets[0] };

/* The plain solve: one array with a ghost all around, x fastest. */
struct plain {
    const struct verify_solve *run;
    int64_t nx, ny, pitch;
    double *u, *next, *source;
};

static double *at(const struct plain *plain, double *values, int64_t i, int64_t j) {
    return values + (j + 1) * plain->pitch + i + 1;
}

static double *zeros(int64_t count) {
    double *values = calloc((size_t)count, sizeof *values);
    if (!values)
        abort();
    return values;
}

static void fill(struct plain *plain, double *values, const char *text) {
    struct status status = {0};
    struct expression *expression = expression_compile(text, &status);
    const struct grid *grid = &plain->run->plan.grid;
    for (int64_t j = 0; j < plain->ny; j++)
        for (int64_t i = 0; i < plain->nx; i++)
            *at(plain, values, i, j) =
                expression_at(expression, grid_coordinate(grid, AXIS_X, i),
                              grid->dimensions == 2 ? grid_coordinate(grid, AXIS_Y, j) : 0);
    expression_free(expression);
}

/* Ghost of a side next to its point (i, j): given value, mirror image and flux, or the other end.
 */
static void set_ghost(struct plain *plain, enum side side, struct expression *expression, int64_t i,
                      int64_t j) {
    const struct grid *grid = &plain->run->plan.grid;
    enum axis axis = side < SIDE_SOUTH ? AXIS_X : AXIS_Y;
    bool low = side == SIDE_WEST || side == SIDE_SOUTH;
    int64_t step_x = axis == AXIS_X ? (low ? -1 : 1) : 0,
            step_y = axis == AXIS_Y ? (low ? -1 : 1) : 0;
    double *ghost = at(plain, plain->u, i + step_x, j + step_y);
    if (grid->kind[side] == SIDE_PERIODIC) {
        *ghost = *at(plain, plain->u, axis == AXIS_X ? (low ? plain->nx - 1 : 0) : i,
                     axis == AXIS_Y ? (low ? plain->ny - 1 : 0) : j);
        return;
    }
    double x = axis == AXIS_X ? grid_side_coordinate(grid, side) : grid_coordinate(grid, AXIS_X, i);
    double y = axis == AXIS_Y ? grid_side_coordinate(grid, side) : grid_coordinate(grid, AXIS_Y, j);
    double value = expression_at(expression, x, grid->dimensions == 2 ? y : 0);
    if (grid->kind[side] == SIDE_NEUMANN)
        value = *at(plain, plain->u, i - step_x, j - step_y) +
                2 * grid->spacing[axis] * value / plain->run->plan.stencil.diffusion;
    *ghost = value;
}

static void set_side(struct plain *plain, enum side side) {
    struct status status = {0};
    const char *text = plain->run->config.problem.side[side].value;
    struct expression *expression = expression_compile(text[0] ? text : "0", &status);
    if (side < SIDE_SOUTH)
        for (int64_t j = 0; j < plain->ny; j++)
            set_ghost(plain, side, expression, side == SIDE_WEST ? 0 : plain->nx - 1, j);
    else
        for (int64_t i = 0; i < plain->nx; i++)
            set_ghost(plain, side, expression, i, side == SIDE_SOUTH ? 0 : plain->ny - 1);
    expression_free(expression);
}

static void set_sides(struct plain *plain) {
    int sides = plain->run->plan.grid.dimensions == 2 ? SIDE_COUNT : SIDE_SOUTH;
    /* Dirichlet first: with one point an axis a mirror image is the opposite ghost */
    for (int side = 0; side < sides; side++)
        if (plain->run->plan.grid.kind[side] != SIDE_NEUMANN)
            set_side(plain, (enum side)side);
    for (int side = 0; side < sides; side++)
        if (plain->run->plan.grid.kind[side] == SIDE_NEUMANN)
            set_side(plain, (enum side)side);
}

/* The sweep and the residual as include/funnel/equation.h writes them. */
static double swept(const struct plain *plain, const struct stencil *s, int64_t i, int64_t j) {
    const double *p = at(plain, plain->u, i, j);
    double value, w = p[-1], e = p[1], south = p[-plain->pitch], north = p[plain->pitch];
    if (s->dimensions == 1)
        value = s->cx * (w + e);
    else if (s->isotropic)
        value = s->cx * ((north + south) + (w + e));
    else
        value = s->cy * (north + south) + s->cx * (w + e);
    if (s->has_source)
        value = value + s->cf * *at(plain, plain->source, i, j);
    return s->omega == 1 ? value : p[0] + s->omega * (value - p[0]);
}

static double residual(const struct plain *plain, const struct stencil *s, int64_t i, int64_t j) {
    const double *p = at(plain, plain->u, i, j);
    double neighbours = s->ax * (p[-1] + p[1]);
    if (s->dimensions == 2)
        neighbours = s->ay * (p[plain->pitch] + p[-plain->pitch]) + neighbours;
    return *at(plain, plain->source, i, j) - (s->diagonal * p[0] - neighbours);
}

static void sweep(struct plain *plain) {
    set_sides(plain);
    for (int64_t j = 0; j < plain->ny; j++)
        for (int64_t i = 0; i < plain->nx; i++)
            *at(plain, plain->next, i, j) = swept(plain, &plain->run->plan.stencil, i, j);
    double *other = plain->u;
    plain->u = plain->next;
    plain->next = other;
}

static double norm(struct plain *plain) {
    const struct grid *grid = &plain->run->plan.grid;
    double *terms = zeros(plain->nx * plain->ny);
    int64_t words[BINNED_WORDS], count = 0;
    struct binned_sum sum = {{0}};
    set_sides(plain);
    for (int64_t j = 0; j < plain->ny; j++)
        for (int64_t i = 0; i < plain->nx; i++) {
            double r = residual(plain, &plain->run->plan.stencil, i, j);
            terms[count++] = grid_weight(grid, AXIS_X, i) * grid_weight(grid, AXIS_Y, j) * (r * r);
        }
    int exponent = binned_exponent(terms, count);
    binned_add(&sum, exponent, terms, count);
    binned_split(&sum, words);
    free(terms);
    return sqrt(binned_value(words, exponent));
}

static bool same_field(struct plain *plain) {
    const struct field *field = solve_field(plain->run->solve);
    const struct sweep_part *part = &plain->run->plan.part;
    for (local_index j = 0; j < field->layout.ny; j++)
        if (memcmp(field_row(field, j),
                   at(plain, plain->u, part->begin[AXIS_X], part->begin[AXIS_Y] + j),
                   (size_t)field->layout.nx * sizeof(double)) != 0)
            return false;
    return true;
}

static void compare(struct mpi_test *test, const struct verify_solve *run, const char *what) {
    const struct grid *grid = &run->plan.grid;
    struct plain plain = {.run = run, .nx = grid->points[AXIS_X], .ny = grid->points[AXIS_Y]};
    plain.pitch = plain.nx + 2;
    int64_t count = plain.pitch * (plain.ny + 2);
    plain.u = zeros(count);
    plain.next = zeros(count);
    plain.source = zeros(count);
    fill(&plain, plain.u, run->config.problem.initial);
    fill(&plain, plain.source, run->config.problem.source);
    for (int64_t i = 0; i < run->config.solver.max_sweeps; i++)
        sweep(&plain);
    mpi_expect(test, same_field(&plain), "field differs: %s", what);
    double expected = norm(&plain);
    mpi_expect(test, memcmp(&expected, &run->result.residual_norm2, sizeof expected) == 0,
               "norm %.17g instead of %.17g: %s", run->result.residual_norm2, expected, what);
    free(plain.u);
    free(plain.next);
    free(plain.source);
}

/* One combination; every list moves at its own pace. */
struct combination {
    int nx, ny, threads; /* ny 0: a line */
    const struct sides *sides;
    const char *halo, *kernel, *source;
    const char *tile, *schedule;
    int px, py, sweeps, check_every;
    int halo_depth; /* 0: auto */
    double omega, reaction;
    bool stretched, synchronous;
};

static bool usable(const struct combination *c) {
    int ny = c->ny > 0 ? c->ny : 1;
    bool two_neumann_x =
        strncmp(c->sides->west, "neu", 3) == 0 && strncmp(c->sides->east, "neu", 3) == 0;
    return c->px <= c->nx && c->py <= ny && !(two_neumann_x && c->nx < 2);
}

/* No deeper than the narrowest part where parts have neighbours. */
static int expected_depth(const struct combination *c) {
    int depth = c->halo_depth;
    bool line = c->ny == 0;
    bool seam_x = !line && strcmp(c->sides->west, "periodic") == 0;
    bool seam_y = !line && strcmp(c->sides->south, "periodic") == 0;
    if ((c->px > 1 || seam_x) && c->nx / c->px < depth)
        depth = c->nx / c->px;
    if ((c->py > 1 || seam_y) && c->ny / c->py < depth)
        depth = c->ny / c->py;
    return depth;
}

/* The options of the problem. */
static void add_problem(struct verify_list *list, const struct combination *c) {
    const bool line = c->ny == 0;
    verify_add(list, "grid.nx=%d", c->nx);
    verify_add(list, "problem.west=%s", line ? "dirichlet 1" : c->sides->west);
    verify_add(list, "problem.east=%s", line ? "dirichlet 0.2" : c->sides->east);
    if (!line) {
        verify_add(list, "grid.ny=%d", c->ny);
        verify_add(list, "grid.length_y=%.17g", c->stretched ? 0.7 : (c->ny + 1.0) / (c->nx + 1.0));
        verify_add(list, "problem.south=%s", c->sides->south);
        verify_add(list, "problem.north=%s", c->sides->north);
    }
    verify_add(list, "problem.initial=%s", line ? "sin(13*x)" : "sin(13*x+7*y)");
    verify_add(list, "problem.source=%s", c->source);
    verify_add(list, "problem.reaction=%g", c->reaction);
    verify_add(list, "solver.method=%s", c->omega == 1 ? "jacobi" : "weighted");
    verify_add(list, "solver.omega=%g", c->omega);
    verify_add(list, "solver.rtol=0");
    verify_add(list, "solver.max_sweeps=%d", c->sweeps);
    verify_add(list, "solver.check_every=%d", c->check_every);
}

/* The options that must not change a bit. */
static void add_layout(struct verify_list *list, const struct combination *c) {
    verify_add(list, "parallel.process_grid=%dx%d", c->px, c->py);
    verify_add(list, "parallel.halo=%s", c->halo);
    if (c->halo_depth > 0)
        verify_add(list, "parallel.halo_depth=%d", c->halo_depth);
    if (c->threads < AUTOMATIC_THREADS)
        verify_add(list, "parallel.threads=%d", c->threads);
    verify_add(list, "parallel.kernel_tile=%s", c->tile);
    verify_add(list, "parallel.schedule=%s", c->schedule);
    verify_add(list, "parallel.kernel=%s", c->kernel);
    verify_add(list, "parallel.synchronous_sends=%s", c->synchronous ? "on" : "off");
}

static void check(struct mpi_test *test, const struct combination *c) {
    struct verify_list list = {0};
    struct verify_solve run;
    char what[400];
    add_problem(&list, c);
    add_layout(&list, c);
    omp_set_num_threads(c->threads);
    snprintf(
        what, sizeof what,
        "%d x %d, grid %dx%d, %d threads, %s of depth %d, %s by %s %s, west %s, f %s, omega %g, %d "
        "sweeps, check every %d",
        c->nx, c->ny, c->px, c->py, c->threads, c->halo, c->halo_depth, c->kernel, c->tile,
        c->schedule, c->sides->west, c->source, c->omega, c->sweeps, c->check_every);
    if (verify_solve(test, &run, &list)) {
        compare(test, &run, what);
        mpi_expect(test, c->halo_depth == 0 || run.plan.halo_depth == expected_depth(c),
                   "depth %d, %d expected: %s", run.plan.halo_depth, expected_depth(c), what);
        mpi_expect(test, run.plan.overlaps == (run.plan.halo->overlaps && c->threads > 1),
                   "overlaps %d: %s", run.plan.overlaps, what);
    }
    verify_solve_free(&run);
}

static void take_turn(struct mpi_test *test, int nx, int ny, int turn) {
    static const char *const sources[] = {"0", "1.7", "sin(3*x)+2"};
    int ranks = test->ranks;
    /* lists of equal length move on one by one each time round, so that all pairs are met */
    int round = turn / SIDE_SETS;
    int kernel = turn / 3 % (kernel_count + 1);
    const char *halo = halo_variants[(turn + round) % halo_variant_count]->name;
    struct combination c = {
        .nx = nx,
        .ny = ny,
        .threads = thread_counts[turn / 2 % THREAD_COUNTS],
        .sides = &side_sets[turn % SIDE_SETS],
        .halo = halo,
        .kernel = kernel < kernel_count ? kernels[kernel].name : "auto",
        .tile = turn / 7 % 2 == 0 ? "auto" : "16x3",
        .schedule = turn / 3 % 2 == 0 ? "static" : "dynamic",
        .source = sources[turn / 5 % 3],
        .halo_depth = halo_depths[(turn + round * (DEPTHS - 1) + round / DEPTHS) % DEPTHS],
        .sweeps = turn % 5 == 0 ? 20 : 7,
        .check_every = turn % 3 == 0 ? 5 : 1000,
        .omega = turn % 4 == 1 ? 0.8 : 1,
        /* without it the periodic set would have no solution */
        .reaction = turn % 2 == 0 ? 0.3 : 0,
        .stretched = turn % 3 == 1,
        .synchronous = turn % 7 == 3 && strcmp(halo, "neighbor") != 0};
    /* the next factorisation of the ranks that fits, beginning with another one each turn */
    for (int tried = 0; tried < ranks; tried++) {
        c.px = (turn + tried) % ranks + 1;
        c.py = ranks / c.px;
        if (c.px * c.py == ranks && usable(&c)) {
            check(test, &c);
            return;
        }
    }
}

int main(int argc, char **argv) {
    struct mpi_test test = mpi_test_start(&argc, &argv);
    bool all = argc > 2 && strcmp(argv[2], "all") == 0;
    int turns = all ? SIZES * SIZES : argc > 2 ? atoi(argv[2]) : 100;
    for (int turn = 0; turn < turns; turn++) {
        /* by turns every size along x; along y another one each time round */
        int nx = size_of(turn), ny = size_of(all ? turn / SIZES : turn * 7 + turn / SIZES);
        take_turn(&test, nx, ny, turn);
        if (turn % 9 == 0)
            take_turn(&test, nx, 0, turn);
    }
    return mpi_test_end(&test);
}
