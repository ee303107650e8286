/* What two options say together, and every expression; then the grid and the equation they make.
 * Each message begins with the line of the option that is to be changed. */
#include "funnel/expression.h"
#include "funnel/relaxation.h"
#include "options.h"
#include <math.h>
#include <string.h>

enum { PLACE_BYTES = CONFIG_TEXT_BYTES + 32 };

const char *config_place(const struct config *config, const char *section, const char *key,
                         char *text, size_t size) {
    int index = option_find(section, key);
    int line = index < 0 ? 0 : config->line_of[index];
    if (line > 0)
        snprintf(text, size, "%s:%d: ", config->file, line);
    else
        snprintf(text, size, "%s", line == OPTION_COMMAND_LINE ? "command line: " : "");
    return text;
}

static void fail_at(const struct config *config, const char *section, const char *key,
                    const char *what, struct status *status) {
    char place[PLACE_BYTES];
    status_fail(status, EXIT_CODE_USAGE, "%s%s.%s: %s",
                config_place(config, section, key, place, sizeof place), section, key, what);
}

void config_fail_like(const struct config *config, const struct status *cause,
                      struct status *status) {
    char place[PLACE_BYTES], section[OPTION_WORD_BYTES] = "", key[OPTION_WORD_BYTES] = "";
    if (sscanf(cause->text, "%31[a-z_].%31[a-z_]:", section, key) != 2)
        section[0] = key[0] = '\0';
    status_fail(status, (enum exit_code)cause->code, "%s%s",
                config_place(config, section, key, place, sizeof place), cause->text);
}

static bool is_line(const struct config *config) {
    return config->grid.ny == 0;
}

static void check_sizes(const struct config *config, struct status *status) {
    if (config->grid.nx == 0)
        status_fail(status, EXIT_CODE_USAGE,
                    "%s%sgrid.nx: not given; set the number of unknowns along x", config->file,
                    config->file[0] != '\0' ? ": " : "");
    for (int i = 0; i < option_count; i++)
        if (!option_applies(&options[i], config) && config->line_of[i] != 0)
            fail_at(config, options[i].section, options[i].key,
                    "means nothing on a line; give grid.ny for a rectangle", status);
}

static void check_periodic(const struct config *config, enum axis axis, struct status *status) {
    const struct side_option *side = config->problem.side;
    enum side low = axis_low_side(axis), high = axis_high_side(axis);
    bool low_periodic = side[low].kind == SIDE_PERIODIC;
    if (low_periodic == (side[high].kind == SIDE_PERIODIC))
        return;
    char what[100];
    snprintf(what, sizeof what, "periodic needs problem.%s = periodic too",
             side_names[low_periodic ? high : low]);
    fail_at(config, "problem", side_names[low_periodic ? low : high], what, status);
}

/* Compiles an expression of the config; NULL with the place noted if it is wrong. */
static struct expression *compile_option(const struct config *config, const char *key,
                                         const char *text, struct status *status) {
    struct status cause = {0};
    char what[STATUS_TEXT_BYTES];
    struct expression *expression = expression_compile(text, &cause);
    if (expression && is_line(config) && expression_uses_y(expression))
        status_fail(&cause, EXIT_CODE_USAGE, "y means nothing on a line");
    if (status_good(&cause))
        return expression;
    snprintf(what, sizeof what, "'%.200s': %.500s", text, cause.text);
    fail_at(config, "problem", key, what, status);
    expression_free(expression);
    return NULL;
}

static void check_expression(const struct config *config, const char *key, const char *text,
                             struct status *status) {
    if (text[0] != '\0')
        expression_free(compile_option(config, key, text, status));
}

static bool coefficient(const struct config *config, const char *key, const char *text,
                        double *value, struct status *status) {
    struct expression *expression = compile_option(config, key, text, status);
    if (!expression)
        return false;
    if (!expression_constant(expression, value))
        fail_at(config, "problem", key, "must be a constant; x and y cannot stand in it", status);
    expression_free(expression);
    return status_good(status);
}

static void check_coefficients(const struct config *config, struct status *status) {
    double diffusion = 0, reaction = 0;
    if (!coefficient(config, "diffusion", config->problem.diffusion, &diffusion, status) ||
        !coefficient(config, "reaction", config->problem.reaction, &reaction, status))
        return;
    if (!(diffusion > 0) || !isfinite(diffusion))
        fail_at(config, "problem", "diffusion", "must be above 0 and finite", status);
    if (!(reaction >= 0) || !isfinite(reaction))
        fail_at(config, "problem", "reaction", "must be at least 0 and finite", status);
}

static void check_problem(const struct config *config, struct status *status) {
    check_periodic(config, AXIS_X, status);
    if (!is_line(config))
        check_periodic(config, AXIS_Y, status);
    check_coefficients(config, status);
    check_expression(config, "source", config->problem.source, status);
    check_expression(config, "initial", config->problem.initial, status);
    check_expression(config, "exact", config->problem.exact, status);
    for (int side = 0; side < (is_line(config) ? SIDE_SOUTH : SIDE_COUNT); side++)
        check_expression(config, side_names[side], config->problem.side[side].value, status);
}

static void check_solver(const struct config *config, struct status *status) {
    const struct relaxation *method = relaxation_find(config->solver.method);
    if (method && !method->takes_omega && config->solver.omega != 1)
        fail_at(config, "solver", "omega",
                "this method has no omega; give solver.method = weighted, or omega = 1", status);
}

static bool same_file(const char *a, const char *b) {
    return a[0] != '\0' && strcmp(a, b) == 0;
}

static void check_output(const struct config *config, struct status *status) {
    const char *record = config->output.record, *image = config->output.image;
    const char *history = config->output.history;
    if (same_file(image, record))
        fail_at(config, "output", "image", "the same file as output.record", status);
    if (same_file(history, record))
        fail_at(config, "output", "history", "the same file as output.record", status);
    if (same_file(history, image))
        fail_at(config, "output", "history", "the same file as output.image", status);
}

bool config_check(const struct config *config, struct status *status) {
    struct grid grid;
    check_sizes(config, status);
    check_problem(config, status);
    check_solver(config, status);
    check_output(config, status);
    return status_good(status) && config_grid(config, &grid, status);
}

bool config_grid(const struct config *config, struct grid *grid, struct status *status) {
    const global_index points[AXIS_COUNT] = {config->grid.nx,
                                             is_line(config) ? 1 : config->grid.ny};
    const double length[AXIS_COUNT] = {config->grid.length_x, config->grid.length_y};
    enum side_kind kind[SIDE_COUNT];
    struct status cause = {0};
    for (int side = 0; side < SIDE_COUNT; side++)
        kind[side] = config->problem.side[side].kind;
    if (!grid_make(grid, is_line(config) ? 1 : 2, points, length, kind, &cause))
        config_fail_like(config, &cause, status);
    return status_good(status);
}

bool config_equation(const struct config *config, struct equation *equation,
                     struct status *status) {
    *equation = (struct equation){0};
    struct expression *source = compile_option(config, "source", config->problem.source, status);
    if (!source)
        return false;
    equation->source_varies = !expression_constant(source, &equation->source);
    expression_free(source);
    return coefficient(config, "diffusion", config->problem.diffusion, &equation->diffusion,
                       status) &&
           coefficient(config, "reaction", config->problem.reaction, &equation->reaction, status);
}
