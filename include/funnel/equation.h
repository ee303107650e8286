/* The equation -div(k grad u) + s u = f and the stencil it becomes. Room: domain. */
#ifndef FUNNEL_EQUATION_H
#define FUNNEL_EQUATION_H

#include "funnel/grid.h"

/* The equation with constant coefficients. */
struct equation {
    double diffusion;   /* k > 0 */
    double reaction;    /* s >= 0 */
    bool source_varies; /* f is an array, one value a point */
    double source;      /* f, where it is the same everywhere */
};

/* One sweep is, with N, S, W, E the neighbours of point P and f its source:
 *     isotropic (cx == cy)   u' = c*((N + S) + (W + E)) + cf*f
 *     otherwise              u' = cy*(N + S) + cx*(W + E) + cf*f
 *     on a line              u' = cx*(W + E) + cf*f
 * without the last term where there is no source; then, where omega is not 1,
 *     u'' = u + omega*(u' - u).
 * And the residual of the current iterate, formed in this order only:
 *     r = f - (diagonal*u - (ay*(N + S) + ax*(W + E)))        (no ay term on a line)
 * Every kernel writes these expressions with these parentheses, so that all give the same bits. */
struct stencil {
    int dimensions;
    bool isotropic;  /* 2-D with cx == cy */
    bool has_source; /* f is not zero everywhere */
    bool source_varies;
    double cx, cy, cf; /* of the sweep: ax/diagonal, ay/diagonal, 1/diagonal */
    double ax, ay;     /* k/hx^2, k/hy^2 */
    double diffusion;  /* k, which the mirror ghost of a flux needs */
    double diagonal;   /* 2*ax + 2*ay + s */
    double source;     /* f, where constant */
    double omega;      /* relaxation factor, 1 for plain Jacobi */
};

/* Forms the stencil. Fails (EXIT_CODE_USAGE) if k <= 0, s < 0, or a weight is not finite. */
bool stencil_make(struct stencil *stencil, const struct grid *grid, const struct equation *equation,
                  double omega, struct status *status);

/* True if only the mean of u is undetermined: s = 0 and no Dirichlet side. */
bool problem_is_singular(const struct grid *grid, const struct equation *equation);

#endif
