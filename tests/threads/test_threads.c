/* Every kernel with every halo variant, plain and deep, on a line and a rectangle, by as many
 * threads as OMP_NUM_THREADS says: built with the thread sanitizer it shows races between threads,
 * and between the main thread's exchange and the sweeps. All fields must be those of one thread. */
#include "verify.h"
#include <omp.h>

enum { SWEEPS = 20 };

struct choice {
    const char *sides; /* north and south, or NULL: a line */
    const char *kernel, *halo;
    int threads, halo_depth;
};

static void list_rectangle(struct verify_list *list, const char *sides) {
    verify_add(list, "grid.ny=43");
    verify_add(list, "problem.south=%s", sides);
    verify_add(list, "problem.north=%s", sides);
}

static void list_choice(struct verify_list *list, const struct choice *choice) {
    verify_add(list, "grid.nx=61");
    verify_add(list, "problem.west=dirichlet 1");
    verify_add(list, "problem.east=neumann 0.5");
    verify_add(list, "problem.source=sin(3*x)+2");
    verify_add(list, "problem.initial=sin(13*x)");
    if (choice->sides)
        list_rectangle(list, choice->sides);
    verify_add(list, "solver.rtol=0");
    verify_add(list, "solver.max_sweeps=%d", SWEEPS);
    verify_add(list, "solver.check_every=7");
    verify_add(list, "parallel.kernel=%s", choice->kernel);
    verify_add(list, "parallel.halo=%s", choice->halo);
    verify_add(list, "parallel.halo_depth=%d", choice->halo_depth);
}

/* The checksum of the field, 0 after a failure. */
static uint64_t solve_choice(struct mpi_test *test, const struct choice *choice) {
    struct verify_list list = {0};
    struct verify_solve run;
    list_choice(&list, choice);
    omp_set_num_threads(choice->threads);
    const uint64_t checksum = verify_solve(test, &run, &list) ? run.result.field_checksum : 0;
    verify_solve_free(&run);
    return checksum;
}

static void walk_tables(struct mpi_test *test, const char *sides, int threads) {
    const struct choice alone = {sides, "reference", halo_variants[0]->name, 1, 1};
    const uint64_t expected = solve_choice(test, &alone);
    for (int kernel = 0; kernel < kernel_count; kernel++)
        for (int halo = 0; halo < 2 * halo_variant_count; halo++) {
            const struct choice choice = {sides, kernels[kernel].name,
                                          halo_variants[halo / 2]->name, threads,
                                          halo % 2 == 0 ? 1 : 4};
            mpi_expect(test, solve_choice(test, &choice) == expected,
                       "%s, %s, %s of depth %d: field differs", sides ? sides : "line",
                       choice.kernel, choice.halo, choice.halo_depth);
        }
}

int main(int argc, char **argv) {
    struct mpi_test test = mpi_test_start(&argc, &argv);
    const int threads = omp_get_max_threads();
    mpi_expect(&test, threads > 1, "OMP_NUM_THREADS must ask for more than one thread");
    walk_tables(&test, NULL, threads);
    walk_tables(&test, "dirichlet cos(x)", threads);
    walk_tables(&test, "periodic", threads);
    return mpi_test_end(&test);
}
