/* Manufactured solutions: the error must fall with the square of the spacing for every kind of
 * side. */
#include "verify.h"
#include <math.h>

/* One problem with a known solution; NULL sides of a line. */
struct manufactured {
    const char *name, *exact, *source, *west, *east, *south, *north;
    double reaction, omega;
};

/* The outward derivative of the exact solution stands at the Neumann sides, its value at the
 * others. */
static const struct manufactured problems[] = {
    {"2-D, four Dirichlet sides", "exp(0.7*x)*cos(1.3*y)", "1.2*exp(0.7*x)*cos(1.3*y)",
     "dirichlet cos(1.3*y)", "dirichlet exp(0.7)*cos(1.3*y)", "dirichlet exp(0.7*x)",
     "dirichlet exp(0.7*x)*cos(1.3)", 0, 1},
    {"2-D, Neumann west", "exp(0.7*x)*cos(1.3*y)", "1.2*exp(0.7*x)*cos(1.3*y)",
     "neumann -0.7*cos(1.3*y)", "dirichlet exp(0.7)*cos(1.3*y)", "dirichlet exp(0.7*x)",
     "dirichlet exp(0.7*x)*cos(1.3)", 0, 1},
    {"2-D, Neumann east and north", "exp(0.7*x)*cos(1.3*y)", "1.2*exp(0.7*x)*cos(1.3*y)",
     "dirichlet cos(1.3*y)", "neumann 0.7*exp(0.7)*cos(1.3*y)", "dirichlet exp(0.7*x)",
     "neumann -1.3*exp(0.7*x)*sin(1.3)", 0, 1},
    {"2-D, four Neumann sides with reaction", "exp(0.7*x)*cos(1.3*y)", "5.2*exp(0.7*x)*cos(1.3*y)",
     "neumann -0.7*cos(1.3*y)", "neumann 0.7*exp(0.7)*cos(1.3*y)", "neumann 0",
     "neumann -1.3*exp(0.7*x)*sin(1.3)", 4, 1},
    {"2-D, four Neumann sides, singular", "cos(_pi*x)*cos(_pi*y)", "2*_pi^2*cos(_pi*x)*cos(_pi*y)",
     "neumann 0", "neumann 0", "neumann 0", "neumann 0", 0, 0.9},
    {"2-D, periodic in x", "sin(2*_pi*x+0.4)*exp(y)", "(4*_pi^2-1)*sin(2*_pi*x+0.4)*exp(y)",
     "periodic", "periodic", "dirichlet sin(2*_pi*x+0.4)", "dirichlet sin(2*_pi*x+0.4)*exp(1)", 0,
     1},
    {"2-D, periodic in y, Neumann west", "exp(x)*cos(2*_pi*y+0.2)",
     "(4*_pi^2-1)*exp(x)*cos(2*_pi*y+0.2)", "neumann -cos(2*_pi*y+0.2)",
     "dirichlet exp(1)*cos(2*_pi*y+0.2)", "periodic", "periodic", 0, 1},
    {"2-D, periodic both ways, singular", "sin(2*_pi*x)*cos(2*_pi*y)",
     "8*_pi^2*sin(2*_pi*x)*cos(2*_pi*y)", "periodic", "periodic", "periodic", "periodic", 0, 0.8},
    {"1-D, Dirichlet", "exp(x)", "-exp(x)", "dirichlet 1", "dirichlet exp(1)", NULL, NULL, 0, 1},
    {"1-D, Neumann and Dirichlet", "exp(x)", "-exp(x)", "neumann -1", "dirichlet exp(1)", NULL,
     NULL, 0, 1},
    {"1-D, periodic with reaction", "sin(2*_pi*x+1)", "(4*_pi^2+3)*sin(2*_pi*x+1)", "periodic",
     "periodic", NULL, NULL, 3, 1},
};

static void list_problem(struct verify_list *list, const struct manufactured *problem, int n) {
    verify_add(list, "grid.nx=%d", n);
    verify_add(list, "problem.exact=%s", problem->exact);
    verify_add(list, "problem.source=%s", problem->source);
    verify_add(list, "problem.west=%s", problem->west);
    verify_add(list, "problem.east=%s", problem->east);
    verify_add(list, "problem.reaction=%g", problem->reaction);
    verify_add(list, "solver.method=%s", problem->omega < 1 ? "weighted" : "jacobi");
    verify_add(list, "solver.omega=%g", problem->omega);
    verify_add(list, "solver.rtol=1e-10");
    verify_add(list, "solver.max_sweeps=1000000");
    if (!problem->south)
        return;
    verify_add(list, "grid.ny=%d", n);
    verify_add(list, "problem.south=%s", problem->south);
    verify_add(list, "problem.north=%s", problem->north);
}

/* Solves with n points along each axis; gives the largest error and the spacing. */
static double error_with(struct mpi_test *test, const struct manufactured *problem, int n,
                         double *spacing) {
    struct verify_list list = {0};
    list_problem(&list, problem, n);
    struct verify_solve run;
    double error = NAN;
    if (verify_solve(test, &run, &list)) {
        mpi_expect(test, run.result.reason == STOP_CONVERGED, "%s, n %d: %s", problem->name, n,
                   stop_reason_name(run.result.reason));
        error = run.result.error_max;
        *spacing = run.plan.grid.spacing[AXIS_X];
    }
    verify_solve_free(&run);
    return error;
}

static void check_order(struct mpi_test *test, const struct manufactured *problem) {
    const int sizes[] = {12, 24, 48};
    double error[3], spacing[3] = {1, 1, 1};
    for (int level = 0; level < 3; level++)
        error[level] = error_with(test, problem, sizes[level], &spacing[level]);
    double order = log(error[1] / error[2]) / log(spacing[1] / spacing[2]);
    mpi_expect(test, order > 1.9 && order < 2.1, "%s: order %.3f, errors %g %g %g", problem->name,
               order, error[0], error[1], error[2]);
    if (test->rank == 0)
        printf("order %.3f  error %.2e at h %.4f  %s\n", order, error[2], spacing[2],
               problem->name);
}

int main(int argc, char **argv) {
    struct mpi_test test = mpi_test_start(&argc, &argv);
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
        check_order(&test, &problems[i]);
    return mpi_test_end(&test);
}
