/* The smallest ping-pong that can be written: nothing but MPI, one byte, the time of a thousand
 * round trips. What pingpong adds to each of its own is measured against this. Prints half the
 * round trip in seconds, the median of BATCHES batches. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BATCHES = 2101, WARMUP = 200, TRIPS = 10 };

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* MPI ends the job by itself where a call fails: its default is MPI_ERRORS_ARE_FATAL. */
static double batch_s(int rank) {
    char byte = 0;
    const double start_s = now_s();
    for (int i = 0; i < TRIPS; i++)
        if (rank == 0) {
            MPI_Send(&byte, 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(&byte, 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&byte, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&byte, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
    return (now_s() - start_s) / (2 * TRIPS);
}

static int ascending(const void *a, const void *b) {
    const double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

int main(int argc, char **argv) {
    double half_s[BATCHES];
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != 2)
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (int i = 0; i < WARMUP + BATCHES; i++)
        half_s[i < WARMUP ? 0 : i - WARMUP] = batch_s(rank);
    qsort(half_s, BATCHES, sizeof half_s[0], ascending);
    if (rank == 0)
        printf("%.9e\n", half_s[BATCHES / 2]);
    MPI_Finalize();
    return 0;
}
