/* An MPI that promises nothing about threads: preloaded, it lowers the level that is provided. */
#include <mpi.h>

__attribute__((visibility("default"))) int MPI_Init_thread(int *argc, char ***argv, int required,
                                                           int *provided) {
    int code = PMPI_Init_thread(argc, argv, required, provided);
    *provided = MPI_THREAD_SINGLE;
    return code;
}
