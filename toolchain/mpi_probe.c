/* Configure-time proof that header, library and launcher are of one MPI. Without arguments the
 * program is a job of one rank and prints the facts; with LAUNCHER defined it starts itself again
 * under the launcher and asks for 2 ranks, because a launcher of another MPI "works" and gives
 * single processes. MPI_NAME is what the library must call itself. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIMIT_S = 60 };

/* Before MPI_Init, which may crash when the library is not the header's. */
static int library_is_foreign(void) {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    if (MPI_Get_library_version(text, &length) != MPI_SUCCESS) {
        return 1;
    }
    text[strcspn(text, "\n,")] = '\0';
    printf("%s\n", text);
    return strncmp(text, MPI_NAME, strlen(MPI_NAME)) != 0;
}

static int run_ranks(int expected) {
    int rank, size;
    if (library_is_foreign()) {
        return 1;
    }
    fflush(stdout);
    if (MPI_Init(NULL, NULL) != MPI_SUCCESS ||
        MPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS ||
        MPI_Comm_size(MPI_COMM_WORLD, &size) != MPI_SUCCESS) {
        return 1;
    }
    printf("rank %d of %d\n", rank, size);
    return MPI_Finalize() != MPI_SUCCESS || size != expected;
}

int main(int argc, char **argv) {
    alarm(LIMIT_S); /* survives exec: a launcher that hangs does not hang the configuration */
    if (argc > 1) {
        return run_ranks(2);
    }
#ifdef LAUNCHER
    /* Open MPI refuses root, and more ranks than cores, if it is not told that both are meant */
    if (setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0) != 0 ||
        setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0) != 0 ||
        setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 0) != 0) {
        return 1;
    }
    execl(LAUNCHER, LAUNCHER, "-n", "2", argv[0], "rank", (char *)NULL);
    perror(LAUNCHER);
    return 1;
#else
    return run_ranks(1);
#endif
}
