/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-steps.c - loops that go by steps, up and down: the grid's, those inside it, and those in which a thread takes
 * every so many elements.
 *
 * finds: seed 2 of kinds=steps without the mend: a refusal, "by a constant step".
 */
#include <string.h>

#include "plain.h"

static const char *type, *step;

/* for (TYPE NAME ...) from first to last, each included, by steps; first and last are expressions.  */
static void by_steps(const char *name, const char *first, const char *last, int down)
{
    int is_signed = type[0] == 'i' || type[0] == 'l';
    printf("for (%s %s = ", type, name);
    if (!down) {
        printf(below(2) ? "%s; %s <= %s; %s += %s)" : "%s; %s < %s + 1; %s += %s)", first, name, last, name, step);
    } else if (is_signed && below(2)) {
        printf("%s; %s >= %s; %s -= %s)", last, name, first, name, step);
    } else if (is_signed) {
        printf("%s; %s > %s - 1; %s = %s - %s)", last, name, first, name, name, step);
    } else { /* without a step below 0 */
        printf("%s; %s >= %s + %s; %s -= %s)", last, name, first, step, name, step);
    }
}

/* All numbers from first to last, each included, the last one first.  */
static void all_down(const char *name, const char *first, const char *last)
{
    printf("for (%s %s = %s + 1; ", type, name, last);
    if (!strcmp(first, "0") && below(2))
        printf(below(2) ? "%s--;)" : "%s-- != 0;)", name);
    else
        printf("%s-- > %s;)", name, first);
}

static void body_of_grid(const char *i)
{
    switch (below(4)) {
    case 0:
        printf("y[%s] = x[%s] * 3;\n", i, i);
        break;
    case 1:
        printf("y[%s] += x[%s] - (int)%s;\n", i, i, i);
        break;
    case 2:
        printf("if (x[%s] > 0)\n            y[%s] = y[%s] * 2 + x[%s];\n", i, i, i, i);
        break;
    default:
        printf("y[%s] = x[n - 1 - %s] + 1;\n", i, i);
    }
}

static void of_grid(void)
{
    printf("    WS(grid(1)%s)\n    ", PICK("", " tile(32)", " tile(1)"));
    if (below(4) == 0)
        all_down("i", PICK("0", "lo"), "(n - 1)");
    else
        by_steps("i", PICK("0", "1", "lo"), PICK("(n - 1)", "hi"), below(2));
    printf("\n        ");
    body_of_grid("i");
}

static void of_rows(void)
{
    printf("    WS(grid(2)%s)\n    for (int r = 0; r < rows; r++)\n        ", PICK("", " tile(1, 64)", " tile(1, 32)"));
    by_steps("i", PICK("0", "2", "lo"), PICK("(n - 1)", "hi"), below(2));
    printf("\n            z[r * n + i] = %s;\n", PICK("x[i] + r", "z[r * n + i] * 3 - x[i]", "x[n - 1 - i]"));
}

static void inside(void)
{
    static const char *const updates[] = {"s = s * 3 + x[k];", "s += x[k] * (int)i;", "s = x[k] > s ? x[k] : s;",
                                          "if (x[k] > 0) s = s * 5 - (int)k;", "y[i] -= x[k];"};
    printf("    WS(grid(1)%s)\n    for (%s i = 0; i < n; i++) {\n        int s = 1;\n        ",
           PICK("", " tile(32)", " tile(1)"), type);
    if (below(4) == 0)
        all_down("k", PICK("0", "lo", "i"), PICK("(n - 1)", "hi"));
    else
        by_steps("k", PICK("0", "lo", "i"), PICK("(n - 1)", "hi", "i"), below(2));
    printf(" {\n            %s\n        }\n        y[i] += s;\n    }\n", pick(updates, 5));
}

/* Each of so many threads takes every so many elements.  */
static void of_threads(void)
{
    printf("    WS(grid(1)%s)\n    for (int t = 0; t < threads; t++) {\n        int s = 0;\n        for (int k = t; k "
           "< n; k += threads)\n            %s;\n        z[t] = s;\n    }\n",
           PICK("", " tile(32)"), PICK("s += x[k]", "s = s * 3 + x[k]", "y[k] = x[k] * 2", "y[k] += x[k]"));
}

void steps(int seed)
{
    static void (*const kinds[])(void) = {of_grid, of_rows, inside, inside, of_threads};
    int n = below(8) ? 1 + below(200) : below(3), lo = below(n + 2), st = 1 + below(9);
    type = PICK("int", "int", "unsigned", "long", "size_t");
    n += !n;
    static char number[8];
    snprintf(number, sizeof number, "%d", st);
    step = below(2) ? number : "st";
    whole_begin(seed);
    whole_scalar(type, "n", "%d", n);
    whole_scalar(type, "lo", "%d", lo);
    whole_scalar(type, "hi", "%d", n ? below(n) : 0);
    whole_scalar(below(4) ? type : "int", "st", "%d", st);
    whole_scalar("int", "threads", "%d", 1 + below(150));
    whole_scalar("int", "rows", "%d", 1 + below(20));
    whole_array("const int *", "x", 0, "n", "(long)(r % 99) - 40");
    whole_array("int *", "y", 0, "n", "(int)i");
    whole_array("int *", "z", 0, "n * rows + threads", "(int)i");
    whole_body();
    kinds[below(5)]();
    whole_end();
}
