/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plain-prints.h - lines that a kernel prints, and those that the plain function says it should. */
#ifndef FUZZ_PLAIN_PRINTS_H
#define FUZZ_PLAIN_PRINTS_H

#include <stdarg.h>
#include <unistd.h>

enum { MOST_LINES = 4096, MOST_TEXT = 256 };
typedef struct {
    char text[MOST_LINES][MOST_TEXT];
    int count;
} Lines;
static Lines printed, expected;
static FILE *lines_file;
static int lines_out;

static void __attribute__((unused)) lines_begin(void)
{
    printed.count = expected.count = 0;
    lines_file = tmpfile();
    fflush(stdout);
    lines_out = dup(1);
    dup2(fileno(lines_file), 1);
}

static void __attribute__((unused)) lines_end(void)
{
    fflush(stdout);
    dup2(lines_out, 1);
    close(lines_out);
    rewind(lines_file);
    while (printed.count < MOST_LINES && fgets(printed.text[printed.count], MOST_TEXT, lines_file))
        printed.count++;
    fclose(lines_file);
}

static void __attribute__((unused, format(printf, 1, 2))) expect_line(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (expected.count < MOST_LINES)
        vsnprintf(expected.text[expected.count++], MOST_TEXT, format, list);
    va_end(list);
}

#define LINE_FORMAT(x)                     \
    _Generic((x), float                    \
             : "%.9g\n", double            \
             : "%.17g\n", unsigned long    \
             : "%lu\n", unsigned long long \
             : "%lu\n", default            \
             : "%ld\n")
#define LINE_NUMBER(x)   _Generic((x), float : (double)(x), double : (double)(x), default : (long)(x))
#define LINES_TEXT(name) #name
#define LINES_OF(name)   LINES_TEXT(name)
#define EXPECT(x, ...)                                                     \
    do {                                                                   \
        char head_[MOST_TEXT], number_[64];                                \
        snprintf(head_, sizeof head_, __VA_ARGS__);                        \
        snprintf(number_, sizeof number_, LINE_FORMAT(x), LINE_NUMBER(x)); \
        expect_line("%s%s", head_, number_);                               \
    } while (0)

static int compare_lines(const void *x, const void *y)
{
    return strcmp(x, y);
}

static int __attribute__((unused)) lines_agree(void)
{
    qsort(printed.text, (size_t)printed.count, MOST_TEXT, compare_lines);
    qsort(expected.text, (size_t)expected.count, MOST_TEXT, compare_lines);
    int agree = printed.count == expected.count;
    for (int i = 0; i < printed.count && agree; i++)
        agree = !strcmp(printed.text[i], expected.text[i]);
    for (int i = 0; !agree && i < 4; i++)
        printf("# %s# %s", printed.text[i], expected.text[i]);
    return agree;
}

#endif
