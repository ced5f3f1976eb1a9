/* SPDX-License-Identifier: GPL-3.0-or-later */
/* text.c - strings of the generator, which ends before they matter. */
#include "fuzz.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static char *formatted(const char *format, va_list list, size_t *length)
{
    va_list again;
    va_copy(again, list);
    int needed = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *result = malloc((size_t)needed + 1);
    if (!result)
        exit(2);
    vsnprintf(result, (size_t)needed + 1, format, list);
    *length = (size_t)needed;
    return result;
}

char *text(const char *format, ...)
{
    va_list list;
    size_t length;
    va_start(list, format);
    char *result = formatted(format, list, &length);
    va_end(list);
    return result;
}

void add(Buffer *buffer, const char *format, ...)
{
    va_list list;
    size_t length;
    va_start(list, format);
    char *piece = formatted(format, list, &length);
    va_end(list);
    if (buffer->length + length + 1 > buffer->room) {
        buffer->room = 2 * (buffer->length + length + 1);
        buffer->text = realloc(buffer->text, buffer->room);
        if (!buffer->text)
            exit(2);
    }
    for (size_t i = 0; i <= length; i++)
        buffer->text[buffer->length + i] = piece[i];
    buffer->length += length;
    free(piece);
}
