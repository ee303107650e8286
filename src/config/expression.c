/* An expression is split once, at its outer + - * / and function calls, into a tree whose leaves
 * depend on x only, on y only, on both, or on neither. muParser evaluates the leaves; arithmetic
 * and the common functions of what depends on both are loops over a block of a row. Every way to
 * ask for a value walks the same tree with the same operations, so the bits are the same. */
#include "funnel/expression.h"
#include "formula.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 256 }; /* points evaluated at a time: a few blocks stay in the first cache */

enum node_kind {
    NODE_CONSTANT,
    NODE_COLUMN,  /* depends on x only: kept, one value a column */
    NODE_ROW,     /* depends on y only: one value a row */
    NODE_POINT,   /* muParser for each point */
    NODE_CALL,    /* a function of one argument, the left node: by muParser */
    NODE_LIBRARY, /* the same, by the C library */
    NODE_NEGATE,
    NODE_ADD,
    NODE_SUBTRACT,
    NODE_MULTIPLY,
    NODE_DIVIDE,
    NODE_POWER
};

typedef double library_function(double);

/* Functions that muParser passes on to the C library as they are; without its detour a call takes
 * less than half the time. */
static const struct {
    const char *name;
    library_function *function;
} library[] = {{"sin", sin},   {"cos", cos},  {"tan", tan},   {"exp", exp},   {"ln", log},
               {"sqrt", sqrt}, {"abs", fabs}, {"sinh", sinh}, {"cosh", cosh}, {"tanh", tanh}};

struct node {
    enum node_kind kind;
    struct formula *formula; /* of a leaf; of a call, in x: the argument */
    library_function *function;
    struct node *left, *right;
    double *kept; /* of a column node; NULL: no memory, evaluated again for each row */
    double block[BLOCK];
};

struct expression {
    struct node *root;
    const double *x;
    int64_t columns;
    bool uses_x, uses_y;
};

/* The text under the knife. */
struct split {
    const char *text;
    struct token tokens[FORMULA_BYTES];
    struct status *status;
};

static void node_free(struct node *node) {
    if (!node)
        return;
    node_free(node->left);
    node_free(node->right);
    formula_free(node->formula);
    free(node->kept);
    free(node);
}

static struct node *node_make(const struct split *split, enum node_kind kind) {
    struct node *node = calloc(1, sizeof *node);
    if (!node)
        status_fail(split->status, EXIT_CODE_ENVIRONMENT, "no memory for an expression");
    else
        node->kind = kind;
    return node;
}

static bool uses(const struct split *split, int first, int last, const char *name) {
    for (int i = first; i < last; i++)
        if (split->tokens[i].kind == TOKEN_NAME && token_is(split->text, &split->tokens[i], name))
            return true;
    return false;
}

static void fill(double *block, double value) {
    for (int i = 0; i < BLOCK; i++)
        block[i] = value;
}

static struct node *leaf_make(struct split *split, enum node_kind kind, int first, int last) {
    struct node *node = node_make(split, kind);
    if (!node)
        return NULL;
    int begin = split->tokens[first].begin, end = split->tokens[last - 1].end;
    node->formula = formula_make(split->text + begin, end - begin, split->status);
    if (!node->formula) {
        node_free(node);
        return NULL;
    }
    if (kind == NODE_CONSTANT)
        fill(node->block, formula_at(node->formula, 0, 0));
    return node;
}

/* Depth of parentheses after token i, given the depth before it. */
static int depth_after(const struct split *split, int i, int depth) {
    if (split->tokens[i].kind == TOKEN_OPEN)
        return depth + 1;
    return split->tokens[i].kind == TOKEN_CLOSE ? depth - 1 : depth;
}

/* A sign stands where no operand has ended. */
static bool is_sign(const struct split *split, int first, int i) {
    if (i == first)
        return true;
    enum token_kind before = split->tokens[i - 1].kind;
    return before == TOKEN_OPERATOR || before == TOKEN_OPEN;
}

static bool is_one_of(const struct split *split, int i, const char *operators) {
    const struct token *token = &split->tokens[i];
    return token->kind == TOKEN_OPERATOR && token->end - token->begin == 1 &&
           strchr(operators, split->text[token->begin]);
}

/* The last of these binary operators outside parentheses, or -1. */
static int last_operator(const struct split *split, int first, int last, const char *operators) {
    int found = -1;
    for (int i = first, depth = 0; i < last; depth = depth_after(split, i, depth), i++)
        if (depth == 0 && is_one_of(split, i, operators) && !is_sign(split, first, i))
            found = i;
    return found;
}

/* The first ^ outside parentheses, or -1: powers are taken from the right. */
static int first_power(const struct split *split, int first, int last) {
    for (int i = first, depth = 0; i < last; depth = depth_after(split, i, depth), i++)
        if (depth == 0 && is_one_of(split, i, "^"))
            return i;
    return -1;
}

/* True if only + - * / ^ stand outside parentheses. */
static bool is_arithmetic(const struct split *split, int first, int last) {
    for (int i = first, depth = 0; i < last; depth = depth_after(split, i, depth), i++)
        if (depth == 0 && split->tokens[i].kind == TOKEN_OPERATOR && !is_one_of(split, i, "+-*/^"))
            return false;
    return true;
}

/* True if one pair of parentheses, opening at token `open`, reaches to the end, with no comma
 * directly inside it. */
static bool is_enclosed(const struct split *split, int open, int last) {
    int depth = 0;
    for (int i = open; i < last; i++) {
        depth = depth_after(split, i, depth);
        if ((depth == 0 && i != last - 1) || (depth == 1 && is_one_of(split, i, ",")))
            return false;
    }
    return split->tokens[open].kind == TOKEN_OPEN;
}

static enum node_kind operation(const struct split *split, int i) {
    switch (split->text[split->tokens[i].begin]) {
    case '+':
        return NODE_ADD;
    case '-':
        return NODE_SUBTRACT;
    case '*':
        return NODE_MULTIPLY;
    case '/':
        return NODE_DIVIDE;
    default:
        return NODE_POWER;
    }
}

static library_function *library_find(const struct split *split, int name) {
    for (size_t i = 0; i < sizeof library / sizeof library[0]; i++)
        if (token_is(split->text, &split->tokens[name], library[i].name))
            return library[i].function;
    return NULL;
}

static struct formula *call_formula(const struct split *split, int name) {
    char text[FORMULA_BYTES + 3];
    const struct token *token = &split->tokens[name];
    int length = token->end - token->begin;
    memcpy(text, split->text + token->begin, (size_t)length);
    memcpy(text + length, "(x)", 3);
    return formula_make(text, length + 3, split->status);
}

static struct node *tree_make(struct split *split, int first, int last);

static struct node *call_make(struct split *split, int first, int last) {
    library_function *function = library_find(split, first);
    struct node *node = node_make(split, function ? NODE_LIBRARY : NODE_CALL);
    if (!node)
        return NULL;
    node->function = function;
    if (!function)
        node->formula = call_formula(split, first);
    node->left = tree_make(split, first + 2, last - 1);
    return node;
}

static struct node *negate_make(struct split *split, int first, int last) {
    struct node *node = node_make(split, NODE_NEGATE);
    if (node)
        node->left = tree_make(split, first + 1, last);
    return node;
}

static struct node *binary_make(struct split *split, int first, int at, int last) {
    struct node *node = node_make(split, operation(split, at));
    if (!node)
        return NULL;
    node->left = tree_make(split, first, at);
    node->right = tree_make(split, at + 1, last);
    return node;
}

/* A part that depends on both variables. */
static struct node *mixed_make(struct split *split, int first, int last) {
    if (!is_arithmetic(split, first, last))
        return leaf_make(split, NODE_POINT, first, last);
    int at = last_operator(split, first, last, "+-");
    if (at < 0)
        at = last_operator(split, first, last, "*/");
    if (at >= 0)
        return binary_make(split, first, at, last);
    if (is_one_of(split, first, "-"))
        return negate_make(split, first, last);
    if (is_one_of(split, first, "+"))
        return tree_make(split, first + 1, last);
    at = first_power(split, first, last);
    if (at >= 0)
        return binary_make(split, first, at, last);
    if (is_enclosed(split, first, last))
        return tree_make(split, first + 1, last - 1);
    if (split->tokens[first].kind == TOKEN_NAME && is_enclosed(split, first + 1, last))
        return call_make(split, first, last);
    return leaf_make(split, NODE_POINT, first, last);
}

static struct node *tree_make(struct split *split, int first, int last) {
    bool x = uses(split, first, last, "x"), y = uses(split, first, last, "y");
    if (x && y)
        return mixed_make(split, first, last);
    return leaf_make(split, x ? NODE_COLUMN : y ? NODE_ROW : NODE_CONSTANT, first, last);
}

struct expression *expression_compile(const char *text, struct status *status) {
    struct formula *whole = formula_make(text, (int)strnlen(text, FORMULA_BYTES), status);
    if (!whole)
        return NULL;
    formula_free(whole);
    struct split split = {.text = text, .status = status};
    int count = tokens_scan(text, split.tokens);
    struct expression *expression = calloc(1, sizeof *expression);
    if (!expression) {
        status_fail(status, EXIT_CODE_ENVIRONMENT, "no memory for an expression");
        return NULL;
    }
    expression->uses_x = uses(&split, 0, count, "x");
    expression->uses_y = uses(&split, 0, count, "y");
    expression->root = tree_make(&split, 0, count);
    if (status_good(status))
        return expression;
    expression_free(expression);
    return NULL;
}

void expression_free(struct expression *expression) {
    if (!expression)
        return;
    node_free(expression->root);
    free(expression);
}

bool expression_uses_y(const struct expression *expression) {
    return expression->uses_y;
}

bool expression_constant(const struct expression *expression, double *value) {
    if (expression->uses_x || expression->uses_y)
        return false;
    *value = expression->root->block[0];
    return true;
}

static void keep_columns(struct node *node, const double *x, int64_t count) {
    if (!node)
        return;
    keep_columns(node->left, x, count);
    keep_columns(node->right, x, count);
    if (node->kind != NODE_COLUMN)
        return;
    free(node->kept);
    node->kept = malloc((size_t)count * sizeof *node->kept);
    for (int64_t i = 0; node->kept && i < count; i++)
        node->kept[i] = formula_at(node->formula, x[i], 0);
}

void expression_columns(struct expression *expression, const double *x, int64_t count) {
    expression->x = x;
    expression->columns = count;
    keep_columns(expression->root, x, count);
}

static void evaluate_rows(struct node *node, double y) {
    if (!node)
        return;
    evaluate_rows(node->left, y);
    evaluate_rows(node->right, y);
    if (node->kind == NODE_ROW)
        fill(node->block, formula_at(node->formula, 0, y));
}

static double combine(enum node_kind kind, double a, double b) {
    switch (kind) {
    case NODE_ADD:
        return a + b;
    case NODE_SUBTRACT:
        return a - b;
    case NODE_MULTIPLY:
        return a * b;
    case NODE_DIVIDE:
        return a / b;
    default:
        return pow(a, b);
    }
}

/* A loop for each operation, so that each can be vectorised. */
static void combine_blocks(enum node_kind kind, const double *a, const double *b, double *out,
                           int count) {
    if (kind == NODE_ADD)
        for (int i = 0; i < count; i++)
            out[i] = a[i] + b[i];
    else if (kind == NODE_SUBTRACT)
        for (int i = 0; i < count; i++)
            out[i] = a[i] - b[i];
    else if (kind == NODE_MULTIPLY)
        for (int i = 0; i < count; i++)
            out[i] = a[i] * b[i];
    else if (kind == NODE_DIVIDE)
        for (int i = 0; i < count; i++)
            out[i] = a[i] / b[i];
    else
        for (int i = 0; i < count; i++)
            out[i] = pow(a[i], b[i]);
}

static const double *apply_formula(struct node *node, const double *x, double y, int count) {
    for (int i = 0; i < count; i++)
        node->block[i] = formula_at(node->formula, x[i], y);
    return node->block;
}

static const double *apply_library(struct node *node, const double *values, int count) {
    for (int i = 0; i < count; i++)
        node->block[i] = node->function(values[i]);
    return node->block;
}

static const double *negate_block(struct node *node, const double *values, int count) {
    for (int i = 0; i < count; i++)
        node->block[i] = -values[i];
    return node->block;
}

/* Values of a node at x[0..count-1], of which x[0] is column `begin`; in the node's own memory. */
static const double *evaluate_block(struct node *node, const double *x, int64_t begin, int count,
                                    double y) {
    const double *left = node->left ? evaluate_block(node->left, x, begin, count, y) : NULL;
    const double *right = node->right ? evaluate_block(node->right, x, begin, count, y) : NULL;
    switch (node->kind) {
    case NODE_CONSTANT:
    case NODE_ROW:
        return node->block;
    case NODE_COLUMN:
        return node->kept ? node->kept + begin : apply_formula(node, x, 0, count);
    case NODE_POINT:
        return apply_formula(node, x, y, count);
    case NODE_CALL:
        return apply_formula(node, left, 0, count);
    case NODE_LIBRARY:
        return apply_library(node, left, count);
    case NODE_NEGATE:
        return negate_block(node, left, count);
    default:
        combine_blocks(node->kind, left, right, node->block, count);
        return node->block;
    }
}

void expression_row(struct expression *expression, double y, double *out) {
    evaluate_rows(expression->root, y);
    for (int64_t begin = 0; begin < expression->columns; begin += BLOCK) {
        int64_t left = expression->columns - begin;
        int count = left < BLOCK ? (int)left : BLOCK;
        const double *values =
            evaluate_block(expression->root, expression->x + begin, begin, count, y);
        memcpy(out + begin, values, (size_t)count * sizeof *out);
    }
}

static double node_at(struct node *node, double x, double y) {
    switch (node->kind) {
    case NODE_CONSTANT:
        return node->block[0];
    case NODE_COLUMN:
    case NODE_ROW:
    case NODE_POINT:
        return formula_at(node->formula, x, y);
    case NODE_CALL:
        return formula_at(node->formula, node_at(node->left, x, y), 0);
    case NODE_LIBRARY:
        return node->function(node_at(node->left, x, y));
    case NODE_NEGATE:
        return -node_at(node->left, x, y);
    default:
        return combine(node->kind, node_at(node->left, x, y), node_at(node->right, x, y));
    }
}

double expression_at(struct expression *expression, double x, double y) {
    return node_at(expression->root, x, y);
}
