/* SPDX-License-Identifier: GPL-3.0-or-later */
/* text.c - strings and argument lists. */

#include "wscc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
/* Memory of this process lives until its end.  */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}
#endif

void *need(void *memory)
{
    if (!memory) {
        fputs("wscc: error: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

char *format(const char *pattern, ...)
{
    va_list list;
    char *text = NULL;

    va_start(list, pattern);
    if (vasprintf(&text, pattern, list) < 0)
        text = NULL;
    va_end(list);
    return need(text);
}

void args_add(Args *args, const char *text)
{
    if (args->count + 2 > args->room) {
        args->room = args->room ? args->room * 2 : 32;
        args->item = need(realloc(args->item, (size_t)args->room * sizeof args->item[0]));
    }
    args->item[args->count++] = text;
    args->item[args->count] = NULL;
}

void args_add_all(Args *args, const Args *more)
{
    for (int i = 0; i < more->count; i++)
        args_add(args, more->item[i]);
}

void args_add_words(Args *args, const char *text)
{
    char *copy = format("%s", text), *rest = NULL;
    const bool first = args->count == 0;

    for (char *word = strtok_r(copy, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
        args_add(args, word);
    if (first)
        args->command = args->count;
}

bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

bool same(const char *text, const char *other)
{
    return strcmp(text, other) == 0;
}

const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

char *with_suffix(const char *path, const char *suffix)
{
    const char *base = base_name(path), *dot = strrchr(base, '.');
    size_t length = dot && dot != base ? (size_t)(dot - path) : strlen(path);

    return format("%.*s%s", (int)length, path, suffix);
}

char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t length = 0, got;
    char part[4096];

    if (!file)
        return NULL;
    while ((got = fread(part, 1, sizeof part, file)) > 0) {
        text = need(realloc(text, length + got + 1));
        memcpy(text + length, part, got);
        length += got;
    }
    if (ferror(file)) {
        fclose(file);
        return NULL;
    }
    fclose(file);
    text = need(realloc(text, length + 1));
    text[length] = '\0';
    return text;
}
