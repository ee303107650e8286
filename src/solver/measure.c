/* Norms and sums over the whole grid. OpenMP adds up inside the rank, then integers are added
 * between ranks, so neither threads nor ranks can change a bit. */
#include "funnel/clock.h"
#include "solve_parts.h"
#include <math.h>
#include <string.h>

double measure_sum(struct solve *solve, enum sweep_quantity quantity) {
    int64_t exponent = sweeper_exponent(solve->sweeper, quantity);
    double begin_s = clock_now_s();
    team_max(solve->team, &exponent, 1);
    solve->clock.reduce_s += clock_now_s() - begin_s;

    struct binned_sum sum = sweeper_sum(solve->sweeper, quantity, (int)exponent);
    int64_t words[BINNED_WORDS];
    binned_split(&sum, words);
    begin_s = clock_now_s();
    team_sum(solve->team, words, BINNED_WORDS);
    solve->clock.reduce_s += clock_now_s() - begin_s;
    return binned_value(words, (int)exponent);
}

double measure_norm2(struct solve *solve, enum sweep_quantity quantity) {
    return sqrt(measure_sum(solve, quantity));
}

bool measure_check_scale(struct solve *solve, double rhs_norm2, struct status *status) {
    const double least_norm2 = 1e-120; /* residuals a fraction of rounding below it still count */
    if (rhs_norm2 >= least_norm2 || isnan(rhs_norm2))
        return true;
    int64_t exponent = sweeper_exponent(solve->sweeper, QUANTITY_RHS);
    team_max(solve->team, &exponent, 1);
    if (exponent != BINNED_ZERO)
        status_fail(status, EXIT_CODE_USAGE,
                    "problem.source: source and sides make a right-hand side below %g, whose "
                    "squares vanish in a norm; multiply source, sides and start values by a "
                    "large number",
                    least_norm2);
    return status_good(status);
}

double measure_error_max(struct solve *solve) {
    /* magnitudes order like their bits, and a NaN stands above all of them */
    double error = fabs(sweeper_error_max(solve->sweeper));
    int64_t bits;
    memcpy(&bits, &error, sizeof bits);
    team_max(solve->team, &bits, 1);
    memcpy(&error, &bits, sizeof error);
    return error;
}

uint64_t measure_checksum(struct solve *solve) {
    uint64_t checksum = sweeper_checksum(solve->sweeper);
    int64_t word;
    memcpy(&word, &checksum, sizeof word);
    team_sum(solve->team, &word, 1);
    memcpy(&checksum, &word, sizeof checksum);
    return checksum;
}

/* Sum of the trapezoid weights of all points: intervals an axis, or points where it is no Neumann.
 */
static double total_weight(const struct grid *grid) {
    double weight = 1;
    for (int axis = 0; axis < grid->dimensions; axis++) {
        global_index last = grid->points[axis] - 1;
        double ends = grid_weight(grid, (enum axis)axis, 0) - 1 +
                      (grid_weight(grid, (enum axis)axis, last) - 1);
        weight *= (double)grid->points[axis] + ends;
    }
    return weight;
}

double measure_compatibility(struct solve *solve, struct status *status) {
    const double refused_share = 0.1;
    double weight = total_weight(&solve->plan->grid);
    double mean = measure_sum(solve, QUANTITY_RHS) / weight;
    double norm = measure_norm2(solve, QUANTITY_RHS_SQUARED);
    if (fabs(mean) * sqrt(weight) > refused_share * norm)
        status_fail(
            status, EXIT_CODE_USAGE,
            "problem.source: with no Dirichlet side and no reaction a solution needs source "
            "and fluxes that add up to zero; their mean is %g: subtract it, or set one side "
            "to dirichlet",
            mean);
    if (status_good(status) && mean != 0)
        sweeper_shift_source(solve->sweeper, -mean);
    return mean;
}
