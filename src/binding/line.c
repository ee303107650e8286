/* Bounded appending; a text that was cut shows it. */
#include "line.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void mark_cut(char *text, size_t size) {
    static const char dots[] = "...";
    if (size >= sizeof dots)
        memcpy(text + size - sizeof dots, dots, sizeof dots);
}

void line_add(char *text, size_t size, const char *format, ...) {
    const size_t used = strnlen(text, size);
    if (used >= size)
        return;
    va_list values;
    va_start(values, format);
    const int length = vsnprintf(text + used, size - used, format, values);
    va_end(values);
    if (length < 0 || (size_t)length >= size - used)
        mark_cut(text, size);
}
