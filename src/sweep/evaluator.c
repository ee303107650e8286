/* Values along rows: constants without the parser, expressions a tile at a time. */
#include "evaluator.h"
#include <stddef.h>

double wrapped_coordinate(const struct grid *grid, enum axis axis, global_index i) {
    if (grid_periodic(grid, axis)) {
        global_index points = grid->points[axis];
        i = (i % points + points) % points;
    }
    return grid_coordinate(grid, axis, i);
}

bool evaluator_open(struct evaluator *evaluator, const char *text, struct status *status) {
    evaluator->expression = NULL;
    evaluator->value = 0;
    evaluator->count = 0;
    if (!text || text[0] == '\0')
        return true;
    evaluator->expression = expression_compile(text, status);
    if (!evaluator->expression)
        return false;
    if (expression_constant(evaluator->expression, &evaluator->value))
        evaluator_close(evaluator);
    return true;
}

void evaluator_close(struct evaluator *evaluator) {
    if (evaluator->expression)
        expression_free(evaluator->expression);
    evaluator->expression = NULL;
}

void evaluator_columns(struct evaluator *evaluator, const struct grid *grid, global_index begin,
                       int64_t count) {
    evaluator->count = count;
    if (!evaluator->expression)
        return;
    for (int64_t i = 0; i < count; i++)
        evaluator->x[i] = wrapped_coordinate(grid, AXIS_X, begin + i);
    expression_columns(evaluator->expression, evaluator->x, count);
}

void evaluator_row(struct evaluator *evaluator, const struct grid *grid, global_index j,
                   double *out) {
    if (evaluator->expression) {
        double y = grid->dimensions == 2 ? wrapped_coordinate(grid, AXIS_Y, j) : 0;
        expression_row(evaluator->expression, y, out);
        return;
    }
    for (int64_t i = 0; i < evaluator->count; i++)
        out[i] = evaluator->value;
}

double evaluator_at(struct evaluator *evaluator, double x, double y) {
    return evaluator->expression ? expression_at(evaluator->expression, x, y) : evaluator->value;
}
