/* A transport that cannot start, told in one line. MPICH ends such a job by itself, after many
 * lines and with a number of its own as exit code. Two functions of UCX are therefore defined in
 * the program itself, as in transport_cures.c: where one of them fails while MPI starts, the
 * program ends before MPI does. For ch4:ucx alone. */
#include "transport_start.h"

#if FUNNEL_MPICH_UCX

#    include "funnel/status.h"
#    include "funnel/streams.h"
#    include "funnel/text.h"
#    include <dlfcn.h>
#    include <errno.h>
#    include <stdatomic.h>
#    include <stddef.h>
#    include <stdint.h>
#    include <stdio.h>
#    include <stdlib.h>
#    include <string.h>
#    include <time.h>
#    include <unistd.h>

/* UCX's ucs_status_t is a packed enumeration: one signed byte, 0 for success, errors below it. */
typedef signed char ucx_status;
typedef ucx_status init_function(unsigned major, unsigned minor, const void *parameters,
                                 const void *config, void *context);
typedef ucx_status connect_function(void *worker, const void *parameters, void *endpoint);

#    define INTERPOSES __attribute__((visibility("default")))
INTERPOSES init_function ucp_init_version;
INTERPOSES connect_function ucp_ep_create;

/* What UCX calls cannot be handed: they come from inside MPI. */
static atomic_bool starting;

void transport_start_begin(void) {
    starting = true;
}

void transport_start_end(void) {
    starting = false;
}

/* Tells hydra the exit code of the job, in the words of its process manager interface (PMI 1): it
 * may notice the closed connection of a process that just exits before it learns the exit code. */
static void tell_launcher(enum exit_code code) {
    int64_t connection;
    const char *number = getenv("PMI_FD");
    if (number && getenv("HYDI_CONTROL_FD") && text_to_integer(number, &connection))
        dprintf((int)connection, "cmd=abort exitcode=%d\n", (int)code);
}

/* UCX has written its reasons; this adds what can be done, and the launcher ends the other ranks.
 * Those give rank 0 the time to say it alone. */
static _Noreturn void give_up(void) {
    const struct timespec grace = {.tv_sec = 1};
    const char *rank = getenv("PMI_RANK"), *transports = getenv("UCX_TLS");
    struct status status = {0};
    if (rank && strcmp(rank, "0") != 0)
        nanosleep(&grace, NULL);
    status_fail(&status, EXIT_CODE_ENVIRONMENT,
                "MPI cannot start over UCX_TLS %s%.100s: name transports that are there and reach "
                "every rank (ucx_info -d lists them), such as tcp,self, or unset it",
                transports ? "= " : "unset", transports ? transports : "");
    status_print(program_invocation_short_name, &status);
    streams_deliver();
    tell_launcher(EXIT_CODE_ENVIRONMENT);
    _exit(EXIT_CODE_ENVIRONMENT);
}

/* The library's function of this name; ISO C has no cast from dlsym's pointer. */
static void find_library_function(const char *name, void *function, size_t size) {
    void *symbol = dlsym(RTLD_NEXT, name);
    if (!symbol)
        give_up();
    memcpy(function, &symbol, size);
}

static ucx_status judge(ucx_status status) {
    if (status < 0 && starting)
        give_up();
    return status;
}

ucx_status ucp_init_version(unsigned major, unsigned minor, const void *parameters,
                            const void *config, void *context) {
    init_function *library_init = NULL;
    find_library_function("ucp_init_version", &library_init, sizeof library_init);
    return judge(library_init(major, minor, parameters, config, context));
}

ucx_status ucp_ep_create(void *worker, const void *parameters, void *endpoint) {
    connect_function *library_connect = NULL;
    find_library_function("ucp_ep_create", &library_connect, sizeof library_connect);
    return judge(library_connect(worker, parameters, endpoint));
}

#else

void transport_start_begin(void) {
}

void transport_start_end(void) {
}

#endif
