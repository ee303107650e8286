/* An eigenmode of the discrete operator is multiplied by a known factor in every sweep. After many
 * sweeps any halo, side or weight that was wrong even once would show. */
#include "verify.h"
#include <float.h>
#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* A mode along one axis of length 2: the sides it belongs to, its expression along x and along y,
 * and its wave number, so that its angle a point is pi*wave*h/2. */
struct mode {
    const char *low, *high, *in_x, *in_y;
    double wave;
};

static const struct mode modes[] = {
    {"dirichlet 0", "dirichlet 0", "sin(_pi*2*x/2)", "sin(_pi*2*y/2)", 2},
    {"neumann 0", "neumann 0", "cos(_pi*3*x/2)", "cos(_pi*3*y/2)", 3},
    {"dirichlet 0", "neumann 0", "sin(_pi*1.5*x/2)", "sin(_pi*1.5*y/2)", 1.5},
    {"neumann 0", "dirichlet 0", "cos(_pi*0.5*x/2)", "cos(_pi*0.5*y/2)", 0.5},
    {"periodic", "periodic", "sin(_pi*2*x/2+0.3)", "sin(_pi*2*y/2+0.3)", 2},
};
enum { MODES = sizeof modes / sizeof modes[0] };

struct shape {
    int x, y; /* rows of the table above; y -1: a line */
    global_index nx, ny;
    double omega;
};

static double shape_at(const struct mode *mode, double coordinate) {
    double angle = pi * mode->wave * coordinate / 2;
    if (strncmp(mode->low, "neumann", 7) == 0)
        return cos(angle);
    return sin(angle + (strcmp(mode->low, "periodic") == 0 ? 0.3 : 0));
}

static double exact_at(const struct shape *shape, const struct grid *grid, global_index i,
                       global_index j) {
    double value = shape_at(&modes[shape->x], grid_coordinate(grid, AXIS_X, i));
    if (shape->y >= 0)
        value *= shape_at(&modes[shape->y], grid_coordinate(grid, AXIS_Y, j));
    return value;
}

static double largest_difference(const struct verify_solve *run, const struct shape *shape,
                                 double factor) {
    const struct field *field = solve_field(run->solve);
    double largest = 0;
    for (local_index j = 0; j < field->layout.ny; j++)
        for (local_index i = 0; i < field->layout.nx; i++) {
            double expected =
                factor * exact_at(shape, &run->plan.grid, run->plan.part.begin[AXIS_X] + i,
                                  run->plan.part.begin[AXIS_Y] + j);
            double difference = fabs(field_row(field, j)[i] - expected);
            if (!(difference <= largest))
                largest = difference;
        }
    return largest;
}

static double mode_factor(const struct verify_solve *run, const struct shape *shape) {
    const struct grid *grid = &run->plan.grid;
    double angle[AXIS_COUNT] = {pi * modes[shape->x].wave * grid->spacing[AXIS_X] / 2, 0};
    if (shape->y >= 0)
        angle[AXIS_Y] = pi * modes[shape->y].wave * grid->spacing[AXIS_Y] / 2;
    return relaxation_factor(&run->plan.stencil, angle);
}

enum { SWEEPS = 150 };

static void list_mode(struct verify_list *list, const struct shape *shape) {
    const struct mode *x = &modes[shape->x], *y = shape->y >= 0 ? &modes[shape->y] : NULL;
    verify_add(list, "grid.nx=%" PRI_INDEX, shape->nx);
    verify_add(list, "grid.length_x=2");
    verify_add(list, "problem.west=%s", x->low);
    verify_add(list, "problem.east=%s", x->high);
    verify_add(list, "problem.initial=%s%s%s", x->in_x, y ? "*" : "", y ? y->in_y : "");
    if (!y)
        return;
    verify_add(list, "grid.ny=%" PRI_INDEX, shape->ny);
    verify_add(list, "grid.length_y=2");
    verify_add(list, "problem.south=%s", y->low);
    verify_add(list, "problem.north=%s", y->high);
}

static void list_method(struct verify_list *list, double omega, const char *halo,
                        const char *kernel) {
    verify_add(list, "problem.diffusion=0.7");
    verify_add(list, "problem.reaction=0.4");
    verify_add(list, "solver.method=%s", omega == 1 ? "jacobi" : "weighted");
    verify_add(list, "solver.omega=%g", omega);
    verify_add(list, "solver.rtol=0");
    verify_add(list, "solver.max_sweeps=%d", SWEEPS);
    verify_add(list, "parallel.halo=%s", halo);
    verify_add(list, "parallel.kernel=%s", kernel);
}

static void check_mode(struct mpi_test *test, const struct shape *shape, const char *halo,
                       const char *kernel) {
    struct verify_list list = {0};
    list_mode(&list, shape);
    list_method(&list, shape->omega, halo, kernel);
    struct verify_solve run;
    if (verify_solve(test, &run, &list)) {
        double factor = pow(mode_factor(&run, shape), SWEEPS);
        double error = largest_difference(&run, shape, factor);
        /* every sweep rounds a few times, and no mode grows */
        double allowed = 4.0 * SWEEPS * DBL_EPSILON;
        mpi_expect(test, fabs(factor) > 1000 * allowed, "mode decays too far to be told from zero");
        mpi_expect(test, error <= allowed,
                   "%s, %s: %s, %" PRI_INDEX " x %" PRI_INDEX ", omega %g: %g off, %g allowed",
                   halo, kernel, run.config.problem.initial, shape->nx, shape->ny, shape->omega,
                   error, allowed);
    }
    verify_solve_free(&run);
}

static void take_turn(struct mpi_test *test, int x, int y, int turn) {
    struct shape shape = {x, y, 37, turn % 2 == 0 ? 37 : 29, turn % 3 == 0 ? 0.8 : 1};
    check_mode(test, &shape, halo_variants[turn % halo_variant_count]->name,
               kernels[turn / 2 % kernel_count].name);
}

/* Every pair of sides with one halo variant, and every variant with one mixed pair. */
int main(int argc, char **argv) {
    struct mpi_test test = mpi_test_start(&argc, &argv);
    int turn = 0;
    for (int x = 0; x < MODES; x++)
        for (int y = -1; y < MODES; y++)
            take_turn(&test, x, y, turn++);
    for (int more = 0; more < halo_variant_count; more++)
        take_turn(&test, MODES - 1, 2, turn++);
    return mpi_test_end(&test);
}
