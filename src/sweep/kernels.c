/* The table of kernels, and the choice of an instruction set at run time, so that one binary runs
 * on every processor of a family and uses what each has. */
#include "kernels.h"
#include <string.h>

#if defined(__x86_64__)
void kernel_vector_avx512(const struct kernel_box *box);
void kernel_vector_avx2(const struct kernel_box *box);
#endif
void kernel_vector_baseline(const struct kernel_box *box);

#if defined(__x86_64__)
static bool has_avx512(void) {
    return __builtin_cpu_supports("avx512f") != 0;
}

static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2") != 0;
}
#endif

static bool always(void) {
    return true;
}

const struct vector_kernel vector_kernels[] = {
#if defined(__x86_64__)
    {"avx512", kernel_vector_avx512, has_avx512},
    {"avx2", kernel_vector_avx2, has_avx2},
#endif
    {"baseline", kernel_vector_baseline, always},
};
const int vector_kernel_count = sizeof vector_kernels / sizeof vector_kernels[0];

static kernel_function *choose_reference(const char **instruction_set) {
    *instruction_set = "as compiled";
    return kernel_reference;
}

static kernel_function *choose_vector(const char **instruction_set) {
    const struct vector_kernel *row = vector_kernels;
    while (!row->available())
        row++;
    *instruction_set = row->instruction_set;
    return row->function;
}

const struct kernel kernels[] = {
    {.name = "reference",
     .help = "a plain loop, to be read and to be compared with",
     .choose = choose_reference,
     .iterates_read = 1,
     .iterates_written = 1,
     .bytes_per_point = 16,
     .bytes_per_point_source = 24,
     .operations_per_point = 4},
    {.name = "vector",
     .help = "blocks of four rows in the widest vectors of the processor",
     .choose = choose_vector,
     .iterates_read = 1,
     .iterates_written = 1,
     .bytes_per_point = 16,
     .bytes_per_point_source = 24,
     .operations_per_point = 4},
};
const int kernel_count = sizeof kernels / sizeof kernels[0];

const struct kernel *kernel_find(const char *name) {
    const char *wanted = strcmp(name, "auto") == 0 ? "vector" : name;
    for (int row = 0; row < kernel_count; row++)
        if (strcmp(kernels[row].name, wanted) == 0)
            return &kernels[row];
    return NULL;
}
