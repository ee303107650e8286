/* Expressions in x and y, by muParser. Room: config.
 *
 * An expression is split once, when it is compiled: parts that depend on x only are evaluated once
 * a column, on y only once a row; arithmetic and common functions of such parts are plain loops;
 * muParser does the rest once a point. Every call below evaluates the same parts with the
 * same operations, so a value has the same bits whichever way it is asked for. */
#ifndef FUNNEL_EXPRESSION_H
#define FUNNEL_EXPRESSION_H

#include "funnel/status.h"
#include <stdint.h>

struct expression;

/* Compiles `text` (variables x and y, constants _pi and _e, muParser's functions; less than 512
 * characters; one value, no assignment). NULL with status set (EXIT_CODE_USAGE, text says what and
 * at which character) if it is not valid. The caller frees it. An expression is used by one thread
 * at a time; each thread compiles its own. Compile on one thread first: muParser words its errors
 * in a buffer that threads share. */
struct expression *expression_compile(const char *text, struct status *status);
void expression_free(struct expression *expression);

/* True if neither x nor y is used; *value is then its value. */
bool expression_constant(const struct expression *expression, double *value);

/* True if y stands in the expression. */
bool expression_uses_y(const struct expression *expression);

/* Columns first: expression_columns takes the coordinates x[0..count-1] of a row, which the caller
 * keeps in place and unchanged, and keeps what depends on x only (count doubles a part; without
 * memory for them it is evaluated again for each row). Then expression_row, as often as there are
 * rows, writes out[i] = value at (x[i], y) for i in 0..count-1. On a long line give columns in
 * pieces of some thousand points. */
void expression_columns(struct expression *expression, const double *x, int64_t count);
void expression_row(struct expression *expression, double y, double *out);

/* The value at one point. */
double expression_at(struct expression *expression, double x, double y);

#endif
