/* muParser behind a small door: compile, evaluate, and say what is wrong in our own words. Three
 * things that muParser allows are refused: assignments (they would change x), several values
 * separated by commas, and texts longer than its message buffer can quote. Its own _pi has
 * only 13 digits where g++ compiled it, so the constants are given here. */
#include "formula.h"
#include <muParserDLL.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct formula {
    muParserHandle_t parser;
    double x, y; /* the parser reads them here */
};

void formula_free(struct formula *formula) {
    if (!formula)
        return;
    mupRelease(formula->parser);
    free(formula);
}

double formula_at(struct formula *formula, double x, double y) {
    formula->x = x;
    formula->y = y;
    return mupEval(formula->parser);
}

/* muParser counts from 0 and says so in half a dozen ways: its position is cut off here. */
static void cut_position(char *message) {
    static const char *const position[] = {" at position", " at expression position", " (position"};
    for (size_t i = 0; i < sizeof position / sizeof position[0]; i++) {
        char *found = strstr(message, position[i]);
        if (found)
            *found = '\0';
    }
    message[strcspn(message, "\r\n")] = '\0';
    size_t length = strlen(message);
    if (length > 0 && strchr(".!", message[length - 1]))
        message[length - 1] = '\0';
}

static void explain(muParserHandle_t parser, struct status *status) {
    char message[FORMULA_BYTES];
    int position = mupGetErrorPos(parser);
    snprintf(message, sizeof message, "%s", mupGetErrorMsg(parser));
    bool unknown = strncmp(message, "Unexpected token", 16) == 0;
    cut_position(message);
    const char *known = unknown ? " (known are x, y, _pi, _e and muParser's functions)" : "";
    if (position >= 0)
        status_fail(status, EXIT_CODE_USAGE, "%s at character %d%s", message, position + 1, known);
    else
        status_fail(status, EXIT_CODE_USAGE, "%s%s", message, known);
}

static bool compile(struct formula *formula, const char *text, struct status *status) {
    int values = 0;
    mupDefineConst(formula->parser, "_pi", 3.14159265358979323846);
    mupDefineConst(formula->parser, "_e", 2.71828182845904523536);
    mupDefineVar(formula->parser, "x", &formula->x);
    mupDefineVar(formula->parser, "y", &formula->y);
    mupSetExpr(formula->parser, text);
    mupEvalMulti(formula->parser, &values);
    if (mupError(formula->parser))
        explain(formula->parser, status);
    else if (values != 1)
        status_fail(status, EXIT_CODE_USAGE, "%d values separated by commas; one is needed",
                    values);
    return status_good(status);
}

static bool assigns_nothing(const char *text, struct status *status) {
    struct token tokens[FORMULA_BYTES];
    int count = tokens_scan(text, tokens);
    for (int i = 0; i < count; i++)
        if (token_is(text, &tokens[i], "="))
            status_fail(status, EXIT_CODE_USAGE,
                        "'=' at character %d: nothing can be assigned (to compare, write ==)",
                        tokens[i].begin + 1);
    return status_good(status);
}

struct formula *formula_make(const char *text, int length, struct status *status) {
    char copy[FORMULA_BYTES];
    if (length >= FORMULA_BYTES) {
        status_fail(status, EXIT_CODE_USAGE, "expression longer than %d characters",
                    FORMULA_BYTES - 1);
        return NULL;
    }
    snprintf(copy, sizeof copy, "%.*s", length, text);
    if (!assigns_nothing(copy, status))
        return NULL;
    struct formula *formula = calloc(1, sizeof *formula);
    if (formula)
        formula->parser = mupCreate(muBASETYPE_FLOAT);
    if (!formula || !formula->parser)
        status_fail(status, EXIT_CODE_ENVIRONMENT, "no memory for an expression");
    else if (compile(formula, copy, status))
        return formula;
    formula_free(formula);
    return NULL;
}
