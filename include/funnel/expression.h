/* Expressions in x and y, by muParser. Room: config.
 *
 * Subexpressions that depend on one of the variables only are evaluated once a row or column, with
 * the same operations and so the same bits as without that; the rest once a point. */
#ifndef FUNNEL_EXPRESSION_H
#define FUNNEL_EXPRESSION_H

#include "funnel/status.h"
#include <stdint.h>

struct expression;

/* Compiles `text` (variables x and y, constants _pi and _e, muParser's functions). NULL with status
 * set (EXIT_CODE_USAGE, text says what and at which character) if it is not valid. The caller frees
 * it. An expression is used by one thread at a time; each thread compiles its own. */
struct expression *expression_compile(const char *text, struct status *status);
void expression_free(struct expression *expression);

/* True if neither x nor y is used; *value is then its value. */
bool expression_constant(const struct expression *expression, double *value);

/* out[i] = value at (x[i], y) for i in 0..count-1. `x` may be a row used before: give the same
 * `x` pointer, count and contents again and again for the rows of a block, and call
 * expression_columns once before to let it keep what depends on x only. */
void expression_columns(struct expression *expression, const double *x, int64_t count);
void expression_row(struct expression *expression, double y, double *out);

/* The value at one point. */
double expression_at(struct expression *expression, double x, double y);

#endif
