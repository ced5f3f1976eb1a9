/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * generate.c - one random valid program of the language for each seed.
 *
 *   generate [--tape FILE] [--write FILE] SEED...
 *
 * Prints a C file with a kernel for each seed and a main() that runs them (or only those whose seeds are its arguments)
 * and prints a line for each array that a kernel stores.  --write leaves the decisions in FILE; --tape takes them from
 * there instead of from the seed, as the reducer does.
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int one_of(const int *values, int n)
{
    return values[pick(n)];
}

/* The extents of this kernel's tiles.  */
static void choose_extents(Gen *g)
{
    static const int product_rows[] = {64, 64, 64, 64, 64, 64, 64, 128, 128, 192, 64, 64, 64, 128, 64, 256},
                     product_cols[] = {16, 32, 64, 8, 48, 96, 24, 40, 128, 176, 192};
    static const int rows[] = {8, 16, 32, 64, 24, 48, 128, 96}, cols[] = {32, 8, 16, 64, 48, 96, 128, 176, 192};
    static const int inner[] = {32, 64, 16, 48, 96, 128};
    g->products = chance(65);
    if (g->products) {
        g->m = one_of(product_rows, 16);
        g->n = one_of(product_cols, g->m == 64 ? 11 : g->m == 128 ? 8 : 4);
        if (chance(25)) /* any width that the tensor core has */
            g->n = 8 * between(1, g->m == 64 ? 32 : 2048 / g->m);
        g->large = chance(8);
        if (g->large) { /* more than a group's registers hold beside anything else: done in strips */
            g->m = g->m > 128 ? 256 : 128;
            g->n = 32 * between(3, 8) / (g->m / 128);
        }
    } else {
        g->m = one_of(rows, 8);
        g->n = one_of(cols, g->m > 64 ? 5 : 9);
    }
    g->ninner = 1 + pick(3);
    for (int i = 0; i < g->ninner; i++)
        g->inner[i] = one_of(inner, 6);
    g->k = g->products ? g->inner[0] : one_of(cols, 5);
}

/* Names for the extents, as programs have them.  */
static char *constants(Gen *g)
{
    static const char *const formats[] = {"",
                                          "enum { TM_%d = %d, TN_%d = %d, TK_%d = %d };\n\n",
                                          "#define TM_%d %d\n#define TN_%d %d\n#define TK_%d %d\n\n",
                                          "    const int TM_%d = %d, TN_%d = %d, TK_%d = %d;\n",
                                          "static const int TM_%d = %d, TN_%d = %d, TK_%d = %d;\n\n",
                                          "static const struct {\n    int TM, TN, TK;\n} tiles_%d = {%d, %d, %d};\n\n"};
    char *words = malloc(200);
    if (!words)
        exit(2);
    words[0] = 0;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (g->constant_style == 5)
        snprintf(words, 200, formats[5], g->serial, g->m, g->n, g->k);
    else if (g->constant_style)
        snprintf(words, 200, formats[g->constant_style], g->serial, g->m, g->serial, g->n, g->serial, g->k);
#pragma GCC diagnostic pop
    return words;
}

/* Sizes that come together.  */
static void struct_parameter(Gen *g)
{
    char *name = fresh(g, "q");
    long whole = 8 * pick(9), wide = 8 * pick(5);
    add(&g->helpers, "struct sizes_%d {\n    int a;\n    long b;\n    float f;\n};\n\n", g->serial);
    add(&g->parameters, "%sconst struct sizes_%d %s", g->parameters.length ? ", " : "", g->serial, name);
    argument(g, text("(struct sizes_%d){%ld, %ld, 0.5f}", g->serial, whole, wide),
             text("(struct sizes_%d){%ld, %ld, -1.5f}", g->serial, whole / 2, wide / 2));
    scalar_new(g, text("%s.a", name), S_PARAMETER, whole, 0);
    scalar_new(g, text("%s.b", name), S_PARAMETER, wide, 0);
    scalar_new(g, text("%s.f", name), S_PARAMETER, 1, 0);
    g->scalars[g->nscalars - 1].is_float = true;
}

static void kernel(int serial)
{
    Gen *g = calloc(1, sizeof *g);
    if (!g)
        exit(2);
    g->serial = serial;
    choose_extents(g);
    g->wild = chance(4);
    g->wide_scalars = chance(40);
    g->constant_style = chance(50) ? between(1, 5) : 0;
    for (int i = 0; i < 3; i++) {
        span_begin();
        if (chance(25))
            helper_make(g);
        span_end();
    }
    for (int i = 0; i < 2; i++) {
        span_begin();
        if (chance(50)) {
            long value = 8 * pick(12);
            scalar_new(g, parameter(g, value), S_PARAMETER, value, 0);
        }
        span_end();
    }
    if (chance(30)) {
        scalar_new(g, float_parameter(g, 0.25 * between(-6, 6)), S_PARAMETER, 1, 0);
        g->scalars[g->nscalars - 1].is_float = true;
    }
    span_begin();
    if (chance(12))
        struct_parameter(g);
    span_end();
    body(g);
    bool local = g->constant_style == 3, again = chance(35);
    printf("/* ---- %d ---- */\n\n", serial);
    printf("%s%s", local ? "" : constants(g), g->helpers.text ? g->helpers.text : "");
    printf("static void kernel_%d(%s)\n{\n%s%s}\n\n", serial, g->parameters.text, local ? constants(g) : "",
           g->body.text);
    printf("FUZZ_HOST void run_%d(void)\n{\n%s    kernel_%d(%s);\n", serial, g->arrays.text, serial, g->arguments.text);
    if (again)
        printf("    kernel_%d(%s);\n", serial, g->again.text);
    printf("    fuzz_errors(\"%d\");\n%s}\n\n", serial, g->shows.text);
}

static void program(char **seeds, int count, const char *tape, const char *write)
{
    printf("/* SPDX-License-Identifier: GPL-3.0-or-later */\n#include \"program.h\"\n\n");
    for (int i = 0; i < count; i++) {
        tape_random(strtoull(seeds[i], NULL, 10));
        if (tape && !tape_read(tape)) {
            perror(tape);
            exit(2);
        }
        kernel(atoi(seeds[i]));
        if (write && !tape_write(write)) {
            perror(write);
            exit(2);
        }
    }
    printf("static int wanted(int argc, char **argv, int seed)\n{\n    for (int i = 1; i < argc; i++)\n"
           "        if (atoi(argv[i]) == seed)\n            return 1;\n    return argc < 2;\n}\n\n");
    printf("int main(int argc, char **argv)\n{\n");
    for (int i = 0; i < count; i++)
        printf("    if (wanted(argc, argv, %d))\n        run_%d();\n", atoi(seeds[i]), atoi(seeds[i]));
    printf("    return 0;\n}\n");
}

/* What is allocated lives as long as the process (text.c): no leak.  */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

int main(int argc, char **argv)
{
    const char *tape = NULL, *write = NULL;
    int at = 1;
    for (; at + 1 < argc && !strncmp(argv[at], "--", 2); at += 2) {
        if (!strcmp(argv[at], "--tape"))
            tape = argv[at + 1];
        else if (!strcmp(argv[at], "--write"))
            write = argv[at + 1];
        else
            break;
    }
    if (at >= argc) {
        fprintf(stderr, "usage: generate [--tape FILE] [--write FILE] SEED...\n");
        return 2;
    }
    program(argv + at, argc - at, tape, write);
    return 0;
}
