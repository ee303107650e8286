/* Plain loops, a parallel one a sweep, compiled with everything the compiler has for this
 * processor. They get what such programs often lack: aligned rows, huge pages, pointers that do not
 * alias. */
#include "plain.h"
#include <stddef.h>

static void rectangle(const struct plain *p, const double *restrict u, double *restrict u_new) {
    const int64_t pitch = p->pitch;
#pragma omp parallel for schedule(static)
    for (int64_t j = 0; j < p->ny; j++)
        for (int64_t i = j * pitch; i < j * pitch + p->nx; i++)
            u_new[i] = p->c * ((u[i + pitch] + u[i - pitch]) + (u[i - 1] + u[i + 1]));
}

static void rectangle_source(const struct plain *p, const double *restrict u,
                             double *restrict u_new) {
    const int64_t pitch = p->pitch;
    const double *restrict f = p->source;
#pragma omp parallel for schedule(static)
    for (int64_t j = 0; j < p->ny; j++)
        for (int64_t i = j * pitch; i < j * pitch + p->nx; i++)
            u_new[i] =
                p->c * ((u[i + pitch] + u[i - pitch]) + (u[i - 1] + u[i + 1])) + p->cf * f[i];
}

static void line(const struct plain *p, const double *restrict u, double *restrict u_new) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < p->nx; i++)
        u_new[i] = p->c * (u[i - 1] + u[i + 1]);
}

static void line_source(const struct plain *p, const double *restrict u, double *restrict u_new) {
    const double *restrict f = p->source;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < p->nx; i++)
        u_new[i] = p->c * (u[i - 1] + u[i + 1]) + p->cf * f[i];
}

void plain_sweeps(const struct plain *plain, int64_t sweeps) {
    for (int64_t sweep = 0; sweep < sweeps; sweep++) {
        const double *u = sweep % 2 == 0 ? plain->u : plain->u_new;
        double *u_new = sweep % 2 == 0 ? plain->u_new : plain->u;
        if (plain->dimensions == 2 && plain->source)
            rectangle_source(plain, u, u_new);
        else if (plain->dimensions == 2)
            rectangle(plain, u, u_new);
        else if (plain->source)
            line_source(plain, u, u_new);
        else
            line(plain, u, u_new);
    }
}
