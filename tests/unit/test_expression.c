/* Expressions: the split tree against muParser's meaning, rows against single points bit by bit,
 * and what is refused with which words. */
#include "funnel/expression.h"
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double pi = 3.14159265358979323846;

/* An expression and the same in C. */
struct sample {
    const char *text;
    double (*value)(double x, double y);
};

static double constant(double x, double y) {
    (void)x, (void)y;
    return -4.0 / 3 + 2e-1;
}
static double only_x(double x, double y) {
    (void)y;
    return exp(-x) + 3;
}
static double only_y(double x, double y) {
    (void)x;
    return 1 / (y + 2);
}
static double product(double x, double y) {
    return x * y;
}
static double sines(double x, double y) {
    return 2 * pow(pi, 2) * sin(pi * x) * sin(pi * y);
}
static double left_to_right(double x, double y) {
    return x - y - 1 - x / y / 2 * 3 + y;
}
static double signs(double x, double y) {
    return -pow(x, 2) * -y - -x + +y - (-(x * y));
}
static double powers(double x, double y) {
    return pow(x + 1, pow(y, 2)) - pow(x, 2) * pow(y, 3) + pow(2, -x) * y;
}
static double gauss(double x, double y) {
    return exp(-50 * (pow(x - 0.5, 2) + pow(y - 0.5, 2)));
}
static double nested(double x, double y) {
    return sqrt(fabs(sin(x * y) + cos(x + y * 2)) + 1) / (1 + x * (2 + y * (3 + x)));
}
static double two_arguments(double x, double y) {
    return fmin(x, y) + fmax(x * y, 0.3) * x + atan2(y, x + 1);
}
static double ternary(double x, double y) {
    return x < y ? x * 2 : (y > 0.9 ? 1 : -y);
}
static double logic(double x, double y) {
    return (x > 0.2 && y <= 0.7) + 2.0 * (x == y || x != 0.5);
}
static double names_with_x(double x, double y) {
    return exp(y) * fmax(0.5, y) + 1e3 * x - 1.5E-2 + .5 * x * y - 2e+1;
}
static double minus_last(double x, double y) {
    return pow(x, -y) - 1 / (x + y);
}
static double tower(double x, double y) {
    return pow(x, pow(y + x, -pow(2, x))) + pow(-(x + y), 3) - pow(x * y, 2) + pow(pow(y, x), 2);
}
static double functions(double x, double y) {
    double v = x * y;
    return sin(v) + cos(v) + tan(v) + exp(v) + log(v) + sqrt(v) + fabs(-v) + sinh(v) + cosh(v) +
           tanh(v) + asin(v) + acos(v) + atan(v) + log2(v) + log10(v) + rint(v);
}

static const struct sample samples[] = {
    {"-4/3 + 2e-1", constant},
    {"exp(-x)+3", only_x},
    {"1/(y+2)", only_y},
    {"x*y", product},
    {"2*_pi^2*sin(_pi*x)*sin(_pi*y)", sines},
    {"x - y - 1 - x/y/2*3 + y", left_to_right},
    {"-x^2*-y - -x + +y - (-(x*y))", signs},
    {"(x+1)^y^2 - x^2*y^3 + 2^-x*y", powers},
    {"exp(-50*((x-0.5)^2 + (y-0.5)^2))", gauss},
    {" sqrt( abs(sin(x*y) + cos(x+y*2)) + 1) / (1 + x*(2 + y*(3 + x)))", nested},
    {"min(x,y) + max(x*y, 0.3)*x + atan2(y, x+1)", two_arguments},
    {"x < y ? x*2 : (y > 0.9 ? 1 : -y)", ternary},
    {"(x > 0.2 && y <= 0.7) + 2*(x == y || x != 0.5)", logic},
    {"exp(y)*max(0.5,y) + 1e3*x - 1.5E-2 + .5*x*y - 2e+1", names_with_x},
    {"x^-y - 1/(x+y)", minus_last},
    {"x^(y+x)^-2^x + (-(x+y))^3 - (x*y)^2 + (y^x)^2", tower},
    {"sin(x*y) + cos(x*y) + tan(x*y) + exp(x*y) + ln(x*y) + sqrt(x*y) + abs(-x*y) + sinh(x*y) + "
     "cosh(x*y) + tanh(x*y) + asin(x*y) + acos(x*y) + atan(x*y) + log2(x*y) + log10(x*y) + "
     "rint(x*y)",
     functions},
};
enum { SAMPLES = sizeof samples / sizeof samples[0], POINTS = 700 };

static struct expression *compile(const char *text) {
    struct status status = {0};
    struct expression *expression = expression_compile(text, &status);
    assert_string_equal(status.text, "");
    assert_non_null(expression);
    return expression;
}

static double *coordinates(int count) {
    double *x = malloc((size_t)count * sizeof *x);
    assert_non_null(x);
    for (int i = 0; i < count; i++)
        x[i] = (i + 1) / (count + 1.0);
    return x;
}

static void same_meaning_as_in_c(void **state) {
    (void)state;
    double *x = coordinates(37);
    for (int s = 0; s < SAMPLES; s++) {
        struct expression *expression = compile(samples[s].text);
        for (int i = 0; i < 37; i++)
            for (int j = 0; j < 37; j++) {
                double expected = samples[s].value(x[i], x[j]);
                double error = fabs(expression_at(expression, x[i], x[j]) - expected);
                if (!(error <= 16 * DBL_EPSILON * fmax(1, fabs(expected))))
                    fail_msg("%s at %g, %g is off by %g", samples[s].text, x[i], x[j], error);
            }
        expression_free(expression);
    }
    free(x);
}

/* More than one block, and a row shorter than one. */
static void rows_equal_points(void **state) {
    (void)state;
    static const int counts[] = {1, 255, 256, POINTS};
    double *x = coordinates(POINTS), row[POINTS], points[POINTS];
    for (int s = 0; s < SAMPLES; s++)
        for (int c = 0; c < 4; c++) {
            struct expression *by_row = compile(samples[s].text);
            struct expression *by_point = compile(samples[s].text);
            expression_columns(by_row, x, counts[c]);
            for (int j = 0; j < 5; j++) {
                double y = 0.17 * j + 0.01;
                expression_row(by_row, y, row);
                for (int i = 0; i < counts[c]; i++)
                    points[i] = expression_at(by_point, x[i], y);
                assert_memory_equal(row, points, (size_t)counts[c] * sizeof *row);
            }
            expression_free(by_row);
            expression_free(by_point);
        }
    free(x);
}

/* A row asked for again, after points and other rows, is the same; columns can be exchanged. */
static void rows_can_be_repeated(void **state) {
    (void)state;
    double *x = coordinates(POINTS), first[POINTS], again[POINTS];
    struct expression *expression = compile("sin(x)*y + x*cos(y) + exp(x*y)");
    expression_columns(expression, x, POINTS);
    expression_row(expression, 0.25, first);
    expression_row(expression, 0.5, again);
    expression_at(expression, 9, 9);
    expression_row(expression, 0.25, again);
    assert_memory_equal(first, again, sizeof first);
    expression_columns(expression, x + 100, 10);
    expression_row(expression, 0.25, again);
    assert_memory_equal(first + 100, again, 10 * sizeof *again);
    expression_free(expression);
    free(x);
}

static void constants_and_variables(void **state) {
    (void)state;
    double value = 0;
    struct expression *expression = compile("2*3/4 + exp(0)");
    assert_true(expression_constant(expression, &value));
    assert_true(value == 2.5);
    assert_false(expression_uses_y(expression));
    expression_free(expression);
    expression = compile("max(exp(1), 2) + y");
    assert_false(expression_constant(expression, &value));
    assert_true(expression_uses_y(expression));
    expression_free(expression);
}

static void division_by_zero_is_infinite(void **state) {
    (void)state;
    struct expression *expression = compile("1/(x*y)");
    assert_true(isinf(expression_at(expression, 0, 1)));
    expression_free(expression);
}

struct refusal {
    const char *text, *message;
};

static const char *const known = " (known are x, y, _pi, _e and muParser's functions)";

static const struct refusal refusals[] = {
    {"", "Expression is empty"},
    {"sin(x))", "Unexpected parenthesis \")\" at character 7"},
    {"sin(x", "Missing parenthesis at character 7"},
    {"x+", "Unexpected end of expression at character 4"},
    {"2x", "Unexpected variable \"x\" found at character 2"},
    {"x?1", "If-then-else operator is missing an else clause"},
    {"atan2(x)", "Too few parameters for function \"atan2\" at character 8"},
    {"x = 3", "'=' at character 3: nothing can be assigned (to compare, write ==)"},
    {"y*(x=3)", "'=' at character 5: nothing can be assigned (to compare, write ==)"},
    {"x===y", "'=' at character 4: nothing can be assigned (to compare, write ==)"},
    {"x, y", "2 values separated by commas; one is needed"},
    {"(x, y)", "Function arguments used without a function at character 7"},
    {"\"a\"", "Strings must only be used as function arguments at character 4"},
};

static void refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        struct status status = {0};
        assert_null(expression_compile(refusals[i].text, &status));
        assert_string_equal(status.text, refusals[i].message);
        assert_int_equal(status.code, EXIT_CODE_USAGE);
    }
}

static void unknown_names_are_refused(void **state) {
    (void)state;
    static const char *const texts[] = {"pi", "z*x", "0x10",     "sin x",
                                        "1e", "x!",  "\xC3\xA9", "f(x)"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct status status = {0};
        assert_null(expression_compile(texts[i], &status));
        assert_non_null(strstr(status.text, "Unexpected token"));
        assert_non_null(strstr(status.text, known));
    }
}

/* 510 and 511 characters are the longest that can be; one more is refused, not cut. */
static void long_texts(void **state) {
    (void)state;
    char text[600];
    memset(text, ' ', sizeof text);
    memcpy(text + 508, "x*y", 4);
    expression_free(compile(text));
    memcpy(text + 509, "x*y", 4);
    struct status status = {0};
    assert_null(expression_compile(text, &status));
    assert_string_equal(status.text, "expression longer than 511 characters");
}

static void deep_nesting(void **state) {
    (void)state;
    char text[512];
    memset(text, '(', 250);
    memcpy(text + 250, "x*y", 3);
    memset(text + 253, ')', 250);
    text[503] = '\0';
    struct expression *expression = compile(text);
    assert_true(expression_at(expression, 3, 0.5) == 1.5);
    expression_free(expression);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_meaning_as_in_c),
        cmocka_unit_test(rows_equal_points),
        cmocka_unit_test(rows_can_be_repeated),
        cmocka_unit_test(constants_and_variables),
        cmocka_unit_test(division_by_zero_is_infinite),
        cmocka_unit_test(refused),
        cmocka_unit_test(unknown_names_are_refused),
        cmocka_unit_test(long_texts),
        cmocka_unit_test(deep_nesting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
