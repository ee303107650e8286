/* The sweep as the textbook has it, to be read and to be compared with. The compiler may make of it
 * what it can. */
#include "kernels.h"
#include <stddef.h>

/* One sweep at the point that `u` points to. */
static inline double swept(const struct stencil *stencil, const double *u, int64_t pitch,
                           double source) {
    double north_south = stencil->dimensions == 2 ? u[pitch] + u[-pitch] : 0.0;
    double west_east = u[-1] + u[1];
    double value;
    if (stencil->dimensions == 1)
        value = stencil->cx * west_east;
    else if (stencil->isotropic)
        value = stencil->cx * (north_south + west_east);
    else
        value = stencil->cy * north_south + stencil->cx * west_east;
    if (stencil->has_source)
        value = value + stencil->cf * source;
    if (stencil->omega != 1.0)
        value = u[0] + stencil->omega * (value - u[0]);
    return value;
}

void kernel_reference(const struct kernel_box *box) {
    const struct stencil stencil = *box->stencil;
    for (local_index y = box->box.y0; y < box->box.y1; y++) {
        const double *restrict u = box->u + y * box->pitch;
        const double *restrict f = box->source ? box->source + y * box->pitch : NULL;
        double *restrict u_new = box->u_new + y * box->pitch;
        for (local_index x = box->box.x0; x < box->box.x1; x++)
            u_new[x] = swept(&stencil, u + x, box->pitch, f ? f[x] : stencil.source);
    }
}
