/* Errors as values: noted where they happen, printed once where the program ends. */
#include "funnel/status.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

/* What a message quotes may hold line breaks, and worse for a terminal. */
static void keep_to_one_line(char *text) {
    for (; *text != '\0'; text++)
        if (iscntrl((unsigned char)*text))
            *text = '?';
}

void status_fail(struct status *status, enum exit_code code, const char *format, ...) {
    if (!status_good(status))
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(status->text, sizeof status->text, format, arguments);
    va_end(arguments);
    keep_to_one_line(status->text);
    status->code = code;
}

bool status_good(const struct status *status) {
    return status->code == EXIT_CODE_DONE;
}

void status_print(const char *program, const struct status *status) {
    fprintf(stderr, "%s: %s\n", program, status->text);
}

void warning_print(const char *program, const char *format, ...) {
    char text[STATUS_TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    keep_to_one_line(text);
    fprintf(stderr, "%s: warning: %s\n", program, text);
}
