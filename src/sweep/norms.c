/* Passes over all points: the terms of the norms, whose sums do not depend on who adds which, the
 * largest error, and the checksum. Terms are formed a tile at a time in loops that compilers turn
 * into vectors. */
#include "sweeper.h"
#include <math.h>

/* A piece of a row of one box. */
struct tile {
    local_index x, y;
    int64_t count;
};

struct pass {
    enum sweep_quantity quantity;
    bool adds; /* second pass: onto the bins of `exponent` */
    int exponent;
};

static double constant_source(const struct stencil *stencil) {
    return stencil->has_source ? stencil->source : 0;
}

static void take_source(const struct sweeper *sweeper, struct tile tile, double *restrict out) {
    const double *f = sweeper->source.values ? field_row(&sweeper->source, tile.y) + tile.x : NULL;
    double constant = constant_source(&sweeper->part.stencil);
    for (int64_t i = 0; i < tile.count; i++)
        out[i] = f ? f[i] : constant;
}

static void residual(const struct sweeper *sweeper, struct tile tile, double *restrict r) {
    const struct stencil stencil = sweeper->part.stencil;
    const struct field *field = sweeper_current(sweeper);
    const int64_t pitch = field->layout.pitch;
    const double *restrict u = field_row(field, tile.y) + tile.x;
    take_source(sweeper, tile, r);
    if (stencil.dimensions == 1)
        for (int64_t i = 0; i < tile.count; i++)
            r[i] = r[i] - (stencil.diagonal * u[i] - stencil.ax * (u[i - 1] + u[i + 1]));
    else
        for (int64_t i = 0; i < tile.count; i++)
            r[i] = r[i] - (stencil.diagonal * u[i] - (stencil.ay * (u[i + pitch] + u[i - pitch]) +
                                                      stencil.ax * (u[i - 1] + u[i + 1])));
}

/* What a side adds to b at its nearest point, whose place along the side is k: the given value, or
 * the mirror ghost's constant; `ghost` points to the ghost. */
static double side_term(const struct sweeper *sweeper, enum side side, local_index k,
                        const double *ghost) {
    if (side_is(&sweeper->part, side, SIDE_DIRICHLET))
        return *ghost;
    const struct field_layout *layout = &sweeper->part.layout;
    int depth = side == SIDE_WEST || side == SIDE_EAST ? layout->depth_y : layout->depth;
    return sweeper->mirror[side] ? sweeper->mirror[side][k + depth] : 0;
}

/* b = f + what the sides contribute, added west, east, south, north. */
static void right_hand_side(const struct sweeper *sweeper, struct tile tile, double *restrict b) {
    const struct field_layout *layout = &sweeper->part.layout;
    const struct stencil *stencil = &sweeper->part.stencil;
    const double *u = field_row(sweeper_current(sweeper), tile.y) + tile.x;
    int64_t last = tile.count - 1;
    take_source(sweeper, tile, b);
    if (tile.x == 0)
        b[0] += stencil->ax * side_term(sweeper, SIDE_WEST, tile.y, u - 1);
    if (tile.x + last == layout->nx - 1)
        b[last] += stencil->ax * side_term(sweeper, SIDE_EAST, tile.y, u + last + 1);
    if (layout->dimensions == 1)
        return;
    if (tile.y == 0)
        for (int64_t i = 0; i < tile.count; i++)
            b[i] += stencil->ay * side_term(sweeper, SIDE_SOUTH, tile.x + i, u + i - layout->pitch);
    if (tile.y == layout->ny - 1)
        for (int64_t i = 0; i < tile.count; i++)
            b[i] += stencil->ay * side_term(sweeper, SIDE_NORTH, tile.x + i, u + i + layout->pitch);
}

/* e = u - exact; the evaluator stands on the tile's columns. */
static void error(const struct sweeper *sweeper, struct evaluator *exact, struct tile tile,
                  double *restrict e) {
    const double *u = field_row(sweeper_current(sweeper), tile.y) + tile.x;
    evaluator_row(exact, &sweeper->grid, sweeper->part.begin[AXIS_Y] + tile.y, e);
    for (int64_t i = 0; i < tile.count; i++)
        e[i] = u[i] - e[i];
}

static void value(const struct sweeper *sweeper, struct tile tile, double *restrict out) {
    const double *u = field_row(sweeper_current(sweeper), tile.y) + tile.x;
    for (int64_t i = 0; i < tile.count; i++)
        out[i] = u[i];
}

/* Multiplies by the trapezoid weights; only a Neumann side has some that are not 1. */
static void weigh(const struct sweeper *sweeper, struct tile tile, double *restrict terms) {
    const struct grid *grid = &sweeper->grid;
    global_index x = sweeper->part.begin[AXIS_X] + tile.x;
    double along_y = grid_weight(grid, AXIS_Y, sweeper->part.begin[AXIS_Y] + tile.y);
    if (along_y != 1)
        for (int64_t i = 0; i < tile.count; i++)
            terms[i] *= along_y;
    terms[0] *= grid_weight(grid, AXIS_X, x);
    if (tile.count > 1)
        terms[tile.count - 1] *= grid_weight(grid, AXIS_X, x + tile.count - 1);
}

static void terms_of(const struct sweeper *sweeper, struct thread_box *box,
                     enum sweep_quantity quantity, struct tile tile, double *restrict terms) {
    bool squared = quantity != QUANTITY_VALUE && quantity != QUANTITY_RHS;
    if (quantity == QUANTITY_RESIDUAL_SQUARED)
        residual(sweeper, tile, terms);
    else if (quantity == QUANTITY_ERROR_SQUARED)
        error(sweeper, &box->exact, tile, terms);
    else if (quantity == QUANTITY_VALUE)
        value(sweeper, tile, terms);
    else
        right_hand_side(sweeper, tile, terms);
    if (squared)
        for (int64_t i = 0; i < tile.count; i++)
            terms[i] *= terms[i];
    weigh(sweeper, tile, terms);
}

static void pass_tile(const struct sweeper *sweeper, struct thread_box *box,
                      const struct pass *pass, struct tile tile) {
    double terms[TILE_POINTS];
    terms_of(sweeper, box, pass->quantity, tile, terms);
    if (pass->adds) {
        binned_add(&box->sum, pass->exponent, terms, tile.count);
        return;
    }
    int exponent = binned_exponent(terms, tile.count);
    if (exponent > box->exponent)
        box->exponent = exponent;
}

static void pass_box(const struct sweeper *sweeper, int number, void *argument) {
    const struct pass *pass = argument;
    struct thread_box *box = &sweeper->box[number];
    struct region in = box->interior;
    box->exponent = BINNED_ZERO;
    box->sum = (struct binned_sum){{0}};
    for (local_index x = in.x0; x < in.x1; x += TILE_POINTS) {
        int64_t count = in.x1 - x < TILE_POINTS ? in.x1 - x : TILE_POINTS;
        if (pass->quantity == QUANTITY_ERROR_SQUARED)
            evaluator_columns(&box->exact, &sweeper->grid, sweeper->part.begin[AXIS_X] + x, count);
        for (local_index y = in.y0; y < in.y1; y++)
            pass_tile(sweeper, box, pass, (struct tile){x, y, count});
    }
}

int sweeper_exponent(struct sweeper *sweeper, enum sweep_quantity quantity) {
    struct pass pass = {.quantity = quantity};
    boxes_each(sweeper, pass_box, &pass);
    int exponent = BINNED_ZERO;
    for (int i = 0; i < sweeper->threads; i++)
        if (sweeper->box[i].exponent > exponent)
            exponent = sweeper->box[i].exponent;
    return exponent;
}

struct binned_sum sweeper_sum(struct sweeper *sweeper, enum sweep_quantity quantity, int exponent) {
    struct pass pass = {.quantity = quantity, .adds = true, .exponent = exponent};
    boxes_each(sweeper, pass_box, &pass);
    struct binned_sum sum = {{0}};
    for (int i = 0; i < sweeper->threads; i++)
        binned_join(&sum, &sweeper->box[i].sum);
    return sum;
}

/* The larger of two, a NaN being larger than everything. */
static double larger_error(double a, double b) {
    return a > b || isnan(a) ? a : b;
}

static void error_box(const struct sweeper *sweeper, int number, void *argument) {
    (void)argument;
    struct thread_box *box = &sweeper->box[number];
    struct region in = box->interior;
    double errors[TILE_POINTS];
    box->error_max = 0;
    for (local_index x = in.x0; x < in.x1; x += TILE_POINTS) {
        int64_t count = in.x1 - x < TILE_POINTS ? in.x1 - x : TILE_POINTS;
        evaluator_columns(&box->exact, &sweeper->grid, sweeper->part.begin[AXIS_X] + x, count);
        for (local_index y = in.y0; y < in.y1; y++) {
            error(sweeper, &box->exact, (struct tile){x, y, count}, errors);
            for (int64_t i = 0; i < count; i++)
                box->error_max = larger_error(box->error_max, fabs(errors[i]));
        }
    }
}

double sweeper_error_max(struct sweeper *sweeper) {
    boxes_each(sweeper, error_box, NULL);
    double most = 0;
    for (int i = 0; i < sweeper->threads; i++)
        most = larger_error(most, sweeper->box[i].error_max);
    return most;
}
