/* Which OpenMP runs the threads. The version is the compiler's; the runtime is asked for by a name
 * of its own, since either may serve programs built for the other. */
#include "funnel/sweep.h"
#include <dlfcn.h>
#include <stddef.h>

#define TEXT_OF(value)       #value
#define TEXT_OF_MACRO(macro) TEXT_OF(macro)

static bool has_symbol(const char *name) {
    return dlsym(RTLD_DEFAULT, name) != NULL;
}

const char *sweep_openmp_version(void) {
    if (has_symbol("kmp_get_stacksize_s"))
        return TEXT_OF_MACRO(_OPENMP) " (LLVM libomp)";
    if (has_symbol("GOMP_parallel"))
        return TEXT_OF_MACRO(_OPENMP) " (GNU libgomp)";
    return TEXT_OF_MACRO(_OPENMP);
}
