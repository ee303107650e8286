/* Relaxation methods, and how fast they converge. Pure arithmetic. Room: domain. */
#ifndef FUNNEL_RELAXATION_H
#define FUNNEL_RELAXATION_H

#include "funnel/equation.h"

/* A method is a row of the table: later schedules read and write more iterates. */
struct relaxation {
    const char *name, *help;
    int iterates_read, iterates_written;
    bool takes_omega; /* false: omega must be 1 */
};

extern const struct relaxation relaxations[];
extern const int relaxation_count;

/* The row of a name, or NULL. */
const struct relaxation *relaxation_find(const char *name);

/* Factor by which the error of eigenmode (p, q) is multiplied a sweep: 1 - omega + omega*2*(cx*cos
 * + cy*cos). `angle` is the mode's angle along each axis in radians (p*pi*h/L). */
double relaxation_factor(const struct stencil *stencil, const double angle[AXIS_COUNT]);

/* Spectral radius of one sweep: the largest |factor| over all modes of this grid and its sides; for
 * a singular problem over all but the constant mode. Source: Y. Saad, Iterative Methods for Sparse
 * Linear Systems, 2nd ed., sections 4.2 and 13.2. */
double spectral_radius(const struct grid *grid, const struct stencil *stencil, bool singular);

/* Sweeps after which rho^n <= reduction; 0 if reduction >= 1, -1 if rho >= 1 (never). */
int64_t forecast_sweeps(double rho, double reduction);

/* Smallest relative residual that rounding lets the method reach, about eps * L^2/h^2. */
double rounding_floor(const struct grid *grid, const struct stencil *stencil);

/* Sweeps between two norms for `check_every = auto`: a function of the problem only. `forecast` is
 * 0 for a run without tolerance, -1 where the method does not converge. */
int64_t check_interval(int64_t forecast, int64_t max_sweeps);

/* True if a singular problem on this grid has the mode that changes sign from point to point, whose
 * factor is 1 - 2*omega: with omega = 1 it never decays. False once a periodic axis has an odd
 * number of points. */
bool has_checkerboard_mode(const struct grid *grid);

#endif
