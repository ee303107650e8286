/* Two cures for MPICH's ch4:ucx device, compiled in for it alone. MPICH before 4.2 closes its UCX
 * connections one by one in MPI_Finalize and waits for each without letting UCX work: over TCP with
 * 3 or more ranks most runs hang. And it never yields while it waits, so ranks that share a
 * processor lose a scheduler tick a message. Both are mended by defining two functions of UCX in
 * the program itself, which the dynamic linker then prefers to the library's. */
#include "transport_cures.h"

#if FUNNEL_MPICH_UCX

#    include <dlfcn.h>
#    include <sched.h>
#    include <stdatomic.h>
#    include <stddef.h>
#    include <string.h>

typedef unsigned progress_function(void *worker);
typedef void *disconnect_function(void *endpoint);

#    define INTERPOSES __attribute__((visibility("default")))
INTERPOSES progress_function ucp_worker_progress;
INTERPOSES disconnect_function ucp_disconnect_nb;

/* Polls in vain before a yield: about a microsecond where ranks share processors. Elsewhere about a
 * tenth of a millisecond: no message takes that long unless its sender has lost its processor,
 * perhaps to something that is no part of this run, and then spinning shortens nothing. */
enum { POLLS_IF_CROWDED = 20, POLLS_OTHERWISE = 4000 };

/* What UCX calls cannot be handed: they come from inside MPI. The first is written once before MPI
 * starts, the second once after; the third belongs to the thread that polls. */
static progress_function *library_progress;
static atomic_int polls_before_yield = POLLS_OTHERWISE;
static _Thread_local int idle_polls;

/* The function of UCX that ours stands before; ISO C has no cast from dlsym's pointer. */
static progress_function *find_library_progress(void) {
    void *symbol = dlsym(RTLD_NEXT, "ucp_worker_progress");
    progress_function *function = NULL;
    memcpy(&function, &symbol, sizeof function);
    return function;
}

void transport_cures_prepare(void) {
    library_progress = find_library_progress();
}

/* True if the name leads from anywhere in the process to our function, as it must for MPI. */
static bool is_found(const char *name, const void *our_function_pointer) {
    void *symbol = dlsym(RTLD_DEFAULT, name);
    return memcmp(&symbol, our_function_pointer, sizeof symbol) == 0;
}

bool transport_cures_yield(bool wanted) {
    progress_function *ours = ucp_worker_progress;
    bool yields = wanted && library_progress != NULL && is_found("ucp_worker_progress", &ours);
    atomic_store_explicit(&polls_before_yield, yields ? POLLS_IF_CROWDED : POLLS_OTHERWISE,
                          memory_order_relaxed);
    return yields;
}

bool transport_cures_finalize(void) {
    disconnect_function *ours = ucp_disconnect_nb;
    return is_found("ucp_disconnect_nb", &ours);
}

/* "Nothing to wait for": the connection is freed with its worker a moment later. */
void *ucp_disconnect_nb(void *endpoint) {
    (void)endpoint;
    return NULL;
}

unsigned ucp_worker_progress(void *worker) {
    unsigned events = library_progress(worker);
    if (events != 0) {
        idle_polls = 0;
    } else if (++idle_polls >= atomic_load_explicit(&polls_before_yield, memory_order_relaxed)) {
        idle_polls = 0;
        sched_yield();
    }
    return events;
}

#else

void transport_cures_prepare(void) {
}

bool transport_cures_yield(bool wanted) {
    (void)wanted;
    return false;
}

bool transport_cures_finalize(void) {
    return false;
}

#endif
