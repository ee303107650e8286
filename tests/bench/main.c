/* bench: the table of kernels, timed. */
#include "rows.h"

int main(int argc, char **argv) {
    return bench_main(argc, argv, kernels, kernel_count);
}
