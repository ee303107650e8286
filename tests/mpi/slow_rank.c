/* A rank that is slower than the others: preloaded, it sleeps for SLOW_US microseconds whenever a
 * thread of rank SLOW_RANK asks for its number, which each does once in a sweep of its box. */
#include <dlfcn.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int thread_number(void);

static const char *word(const char *name) {
    const char *text = getenv(name);
    return text == NULL ? "" : text;
}

static void sleep_us(long microseconds) {
    const struct timespec span = {microseconds / 1000000, microseconds % 1000000 * 1000};
    nanosleep(&span, NULL);
}

__attribute__((visibility("default"))) int omp_get_thread_num(void) {
    thread_number *real = NULL;
    /* the way around the gap between pointers to data and to functions that POSIX names */
    *(void **)&real = dlsym(RTLD_NEXT, "omp_get_thread_num");
    if (word("PMI_RANK")[0] != '\0' && strcmp(word("PMI_RANK"), word("SLOW_RANK")) == 0)
        sleep_us(atol(word("SLOW_US")));
    return real();
}
