/* Configure-time proof that a program linked with MPI uses the hwloc it was compiled for: an MPI
 * with a hwloc of its own may put another one in its place. Prints both versions. */
#include <hwloc.h>
#include <stdio.h>

static void print_version(const char *name, unsigned version) {
    printf("%s%u.%u", name, version >> 16, version >> 8 & 0xff);
}

int main(void) {
    const unsigned compiled = HWLOC_API_VERSION, running = hwloc_get_api_version();
    print_version("header API ", compiled);
    print_version(", library API ", running);
    return compiled >> 16 != running >> 16 || compiled >> 8 > running >> 8;
}
