/* What moves the messages, as far as a program can know: the device that MPI names, what the
 * environment asks of it, and whether a network interface of the host carried the bytes. */
#include "funnel/text.h"
#include "pingpong_loops.h"
#include <stdlib.h>
#include <string.h>

enum { FEW_BYTES = 1 << 20 };

static void infer(const struct pingpong_measurement *measurement, char *text, size_t size) {
    const struct pingpong_plan *plan = measurement->plan;
    const struct pingpong_carrier *carrier = &measurement->carrier;
    const int64_t sent = pingpong_sent_bytes(plan);
    const bool near = pingpong_same_node(measurement->binding, plan->first, plan->second);
    char carried[32], had[32];
    if (sent < FEW_BYTES)
        snprintf(text, size, "too few bytes sent to infer what carried them");
    else if (carrier->name[0] != '\0')
        snprintf(text, size, "inferred: sockets, for interface %s carried %s while rank %d sent %s",
                 carrier->name, text_bytes(carried, sizeof carried, (double)carrier->carried_bytes),
                 plan->first, text_bytes(had, sizeof had, (double)sent));
    else
        snprintf(text, size, "inferred: %s, for no network interface carried the bytes",
                 near ? "shared memory" : "a network that bypasses the kernel's interfaces");
}

const char *pingpong_transport_text(const struct pingpong_measurement *measurement, char *text,
                                    size_t size) {
    const char *device = measurement->facts->mpi_device, *tls = getenv("UCX_TLS");
    char inferred[200];
    if (measurement->plan->pattern->shared) {
        snprintf(text, size, "none: a window of shared memory");
        return text;
    }
    infer(measurement, inferred, sizeof inferred);
    snprintf(text, size, "%s%s%s%.60s; %s", device[0] != '\0' ? device : "device unknown",
             strstr(device, "ucx") ? ", UCX_TLS " : "",
             !strstr(device, "ucx") ? "" : (tls ? "= " : "unset"),
             strstr(device, "ucx") && tls ? tls : "", inferred);
    return text;
}
