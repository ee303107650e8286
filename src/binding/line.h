/* A line of text that grows piece by piece in a fixed buffer. */
#ifndef FUNNEL_BINDING_LINE_H
#define FUNNEL_BINDING_LINE_H

#include <stddef.h>

/* Appends to the string in `text`, whose buffer has `size` bytes; what does not fit ends in "...".
 */
void line_add(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
