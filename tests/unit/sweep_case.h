/* A small problem for the sweep's tests, as one rank holds it, and the functions of C that its
 * expressions stand for. */
#ifndef FUNNEL_TESTS_SWEEP_CASE_H
#define FUNNEL_TESTS_SWEEP_CASE_H

#include "../../src/sweep/sweeper.h"
#include <stdlib.h>

struct sweep_case {
    int dimensions;
    global_index points[AXIS_COUNT];
    enum side_kind kind[SIDE_COUNT];
    bool square; /* hx equals hy */
    int source;  /* 0 none, 1 constant, 2 varying */
    double omega;
    int depth;
    struct kernel_tile tile; /* 0 for a default */
};

static const char *const case_source = "x*y - x*x";
static const char *const case_initial = "x*x + 3*y";
static const char *const case_side = "2*x - y*y";
static const char *const case_exact = "x*x - y*y + x";

static inline double source_at(double x, double y) {
    return x * y - x * x;
}

static inline double initial_at(double x, double y) {
    return x * x + 3 * y;
}

static inline double side_at(double x, double y) {
    return 2 * x - y * y;
}

static inline double exact_at(double x, double y) {
    return x * x - y * y + x;
}

/* Spacings of the axes: the lengths follow from them. */
static inline double case_length(const struct sweep_case *c, enum axis axis) {
    double spacing = axis == AXIS_X || c->square ? 0.125 : 0.25;
    int neumann = (c->kind[2 * axis] == SIDE_NEUMANN) + (c->kind[2 * axis + 1] == SIDE_NEUMANN);
    bool periodic = c->kind[2 * axis] == SIDE_PERIODIC;
    double intervals = (double)c->points[axis] + (periodic ? 0 : 1 - neumann);
    return spacing * intervals;
}

/* False where the grid does not exist (one point between two Neumann sides). */
static inline bool case_grid(const struct sweep_case *c, struct grid *grid) {
    struct status status = {0};
    double length[AXIS_COUNT] = {case_length(c, AXIS_X), case_length(c, AXIS_Y)};
    return grid_make(grid, c->dimensions, c->points, length, c->kind, &status);
}

/* The grid of a case that has one. */
static inline struct grid grid_of(const struct sweep_case *c) {
    struct grid grid;
    if (!case_grid(c, &grid))
        abort();
    return grid;
}

static inline struct stencil case_stencil(const struct sweep_case *c, const struct grid *grid) {
    struct status status = {0};
    struct equation equation = {.diffusion = 1.7,
                                .reaction = 0.3,
                                .source_varies = c->source == 2,
                                .source = c->source == 1 ? 0.9 : 0};
    struct stencil stencil;
    stencil_make(&stencil, grid, &equation, c->omega, &status);
    return stencil;
}

/* The part [begin, begin + count) of the grid. */
static inline struct sweep_part case_part(const struct sweep_case *c, const struct grid *grid,
                                          const global_index begin[AXIS_COUNT],
                                          const global_index count[AXIS_COUNT]) {
    struct sweep_part part = {
        .grid = grid,
        .stencil = case_stencil(c, grid),
        .layout = field_layout_make(c->dimensions, count[AXIS_X], count[AXIS_Y], c->depth),
        .begin = {begin[AXIS_X], begin[AXIS_Y]},
        .tile = c->tile};
    for (int axis = 0; axis < AXIS_COUNT; axis++) {
        bool periodic = c->kind[2 * axis] == SIDE_PERIODIC;
        part.physical[2 * axis] = !periodic && begin[axis] == 0;
        part.physical[2 * axis + 1] = !periodic && begin[axis] + count[axis] == c->points[axis];
    }
    return part;
}

/* The part that is the whole grid. */
static inline struct sweep_part case_whole(const struct sweep_case *c, const struct grid *grid) {
    return case_part(c, grid, (global_index[]){0, 0}, grid->points);
}

static inline struct sweep_values case_values(void) {
    return (struct sweep_values){.source = case_source,
                                 .initial = case_initial,
                                 .side = {case_side, case_side, case_side, case_side},
                                 .exact = case_exact};
}

#endif
