/* One muParser formula in x and y, and its words: what expression.c is built from. */
#ifndef FUNNEL_CONFIG_FORMULA_H
#define FUNNEL_CONFIG_FORMULA_H

#include "funnel/status.h"

enum { FORMULA_BYTES = 512 }; /* longest text with its end */

struct formula;

/* Compiles text[0..length-1]; NULL with status set if it is not valid. Owned by the caller. */
struct formula *formula_make(const char *text, int length, struct status *status);
void formula_free(struct formula *formula);
double formula_at(struct formula *formula, double x, double y);

enum token_kind { TOKEN_NUMBER, TOKEN_NAME, TOKEN_OPEN, TOKEN_CLOSE, TOKEN_OPERATOR };

/* text[begin..end-1] */
struct token {
    enum token_kind kind;
    int begin, end;
};

/* Cuts a text of less than FORMULA_BYTES into tokens; returns how many. */
int tokens_scan(const char *text, struct token tokens[FORMULA_BYTES]);

/* True if the token is exactly this word. */
bool token_is(const char *text, const struct token *token, const char *word);

#endif
