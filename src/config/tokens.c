/* The words of an expression, cut as muParser cuts them: numbers with exponents, names, operators
 * of one or two characters. What is not valid has been refused by muParser before. */
#include "formula.h"
#include <ctype.h>
#include <string.h>

static int skip_digits(const char *text, int at) {
    while (isdigit((unsigned char)text[at]))
        at++;
    return at;
}

static int number_end(const char *text, int at) {
    at = skip_digits(text, at);
    if (text[at] == '.')
        at = skip_digits(text, at + 1);
    if (text[at] != 'e' && text[at] != 'E')
        return at;
    int exponent = at + 1;
    if (text[exponent] == '+' || text[exponent] == '-')
        exponent++;
    return isdigit((unsigned char)text[exponent]) ? skip_digits(text, exponent) : at;
}

static int name_end(const char *text, int at) {
    while (isalnum((unsigned char)text[at]) || text[at] == '_')
        at++;
    return at;
}

static int operator_end(const char *text, int at) {
    static const char *const pairs[] = {"==", "!=", "<=", ">=", "&&", "||"};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (strncmp(text + at, pairs[i], 2) == 0)
            return at + 2;
    return at + 1;
}

static struct token token_at(const char *text, int at) {
    unsigned char first = (unsigned char)text[at];
    if (isdigit(first) || (first == '.' && isdigit((unsigned char)text[at + 1])))
        return (struct token){TOKEN_NUMBER, at, number_end(text, at)};
    if (isalpha(first) || first == '_')
        return (struct token){TOKEN_NAME, at, name_end(text, at)};
    if (first == '(')
        return (struct token){TOKEN_OPEN, at, at + 1};
    if (first == ')')
        return (struct token){TOKEN_CLOSE, at, at + 1};
    return (struct token){TOKEN_OPERATOR, at, operator_end(text, at)};
}

int tokens_scan(const char *text, struct token tokens[FORMULA_BYTES]) {
    int count = 0;
    for (int at = 0; text[at] != '\0' && count < FORMULA_BYTES;) {
        if (isspace((unsigned char)text[at])) {
            at++;
            continue;
        }
        tokens[count] = token_at(text, at);
        at = tokens[count++].end;
    }
    return count;
}

bool token_is(const char *text, const struct token *token, const char *word) {
    size_t length = (size_t)(token->end - token->begin);
    return strlen(word) == length && strncmp(text + token->begin, word, length) == 0;
}
