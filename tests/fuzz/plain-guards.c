/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-guards.c - conditions that say how far an array goes: tails of flattened subscripts, windows that are cut at
 * the edges, pairs of which the last is alone, stores under conditions. Each array ends where the conditions say.
 *
 * Finds, of kinds=guards: seed 5, without the bounds of plain-conditions.c; 7, where a factor without a number has the
 * sign that its text has; 65, where the same holds of n - 1 and a bound exchanges counters twice; 101, where a divisor
 * is taken to be above 0; 13, where 2 i < n says 2 i <= n - 1; 85, where x - x % 3 is at most x; 26, where v != h says
 * nothing of v <= h; 111, a triangle that is refused where a row's length is known to be natural for its own counter
 * alone; 31, where the sign of a counter that another one is multiplied by is left to the launcher.
 */
#include "plain.h"

/* `v` is from 0 to below `end`, in one of the ways that C has for it.  */
static const char *inside(char *text, size_t size, const char *v, const char *end)
{
    switch (below(4)) {
    case 0:
        snprintf(text, size, "%s >= 0 && %s < %s", v, v, end);
        break;
    case 1:
        snprintf(text, size, "!(%s < 0 || %s >= %s)", v, v, end);
        break;
    case 2:
        snprintf(text, size, "(unsigned)%s < (unsigned)%s", v, end);
        break;
    default:
        snprintf(text, size, "%s > -1 && %s <= %s - 1", v, v, end);
        break;
    }
    return text;
}

static void arrays(const char *inputs, const char *outputs)
{
    whole_array(PICK("const float *", "const int *", "const double *"), "x", 0, inputs, "(long)(r % 99) - 40");
    whole_array(PICK("float *", "int *"), "y", 0, outputs, "i");
}

/* A vector with `a` between elements, from `o` on.  */
static void vector(int seed)
{
    int a = 1 + below(3), o = below(9) - 4;
    char test[200], value[200];
    whole_begin(seed);
    whole_scalar("int", "n", "%d", 1 + below(2000));
    whole_scalar("int", "m", "%d", 1 + below(3000));
    whole_scalar("int", "o", "%d", o);
    arrays("n", PICK("m", "n"));
    whole_body();
    if (a == 1)
        snprintf(value, sizeof value, "i + %s", below(2) ? "o" : "2");
    else
        snprintf(value, sizeof value, "%d * i + %d", a, below(a));
    inside(test, sizeof test, "k", "n");
    printf("    WS(grid(1))\n    for (int i = 0; i < m; i++) {\n        int k = %s;\n", value);
    switch (below(4)) {
    case 0: /* what is read */
        printf("        if (i < n && i < m)\n            y[i] = %s ? x[k] : -1;\n", test);
        break;
    case 1: /* what is written */
        printf("        if (%s && k < m)\n            y[k] = %s;\n", test, PICK("x[k] * 2", "i", "7", "x[k] + i"));
        break;
    case 2:
        printf("        if (!(%s) || k >= m)\n            continue;\n        y[k] %s x[k];\n", test,
               PICK("+=", "=", "-="));
        break;
    default:
        printf("        if (%s && k < m)\n            if (x[k] > 5)\n                y[k] = %s;\n", test,
               PICK("x[k]", "i"));
        break;
    }
    printf("    }\n");
    whole_end();
}

/* Blocks or rows that together have more than `n` elements.  */
static void flattened(int seed)
{
    int block = 3 + below(90);
    whole_begin(seed);
    whole_scalar("int", "n", "%d", below(900));
    whole_scalar("int", "w", "%d", block);
    arrays("n", "n");
    whole_body();
    char width[20];
    snprintf(width, sizeof width, below(2) ? "w" : "%d", block);
    printf("    WS(grid(2))\n    for (int b = 0; b < (n + %s - 1) / %s; b++)\n        for (int t = 0; t < %s; t++) {\n",
           width, width, width);
    switch (below(4)) {
    case 0:
        printf("            int i = b * %s + t;\n            if (i >= n)\n                continue;\n            y[i] "
               "%s x[i];\n",
               width, PICK("=", "+="));
        break;
    case 1:
        printf("            if (b * %s + t < n)\n                y[b * %s + t] = x[%s * b + t] * 2;\n", width, width,
               width);
        break;
    case 2:
        printf("            int i = b * %s + t, is = i < n;\n            if (is)\n                y[i] = x[i] + i;\n",
               width);
        break;
    default:
        printf("            int i = b * %s + t;\n            if (i < n && x[n - 1 - i] > 0)\n                y[i] = "
               "x[i];\n",
               width);
        break;
    }
    printf("        }\n");
    whole_end();
}

/* Windows over rows of which each is cut at the edges.  */
static void windows(int seed)
{
    char rows[200], cols[200];
    int taps = 2 + below(3), lines = 1 + below(3), by_scalar = below(2), front = below(taps), above = below(lines);
    whole_begin(seed);
    whole_scalar("int", "h", "%d", 1 + below(40));
    whole_scalar("int", "w", "%d", 1 + below(60));
    whole_scalar("int", "ox", "%d", -front);
    whole_scalar("int", "oy", "%d", -above);
    arrays("h * w", "h * w");
    whole_body();
    inside(rows, sizeof rows, "v", "h");
    inside(cols, sizeof cols, "u", "w");
    printf("    WS(grid(2))\n    for (int i = 0; i < h; i++)\n        for (int j = 0; j < w; j++) {\n"
           "            int s = 0;\n            for (int p = 0; p < %d; p++)\n",
           lines);
    printf("                for (int q = 0; q < %d; q++) {\n", taps);
    if (by_scalar)
        printf("                    int v = i + p + oy, u = j + q + ox;\n");
    else
        printf("                    int v = i + p - %d, u = j + q - %d;\n", above, front);
    switch (below(4)) {
    case 0:
        printf("                    if (%s && %s)\n                        s += x[v * w + u];\n", rows, cols);
        break;
    case 1:
        printf("                    if (!(%s))\n                        continue;\n                    if (!(%s))\n"
               "                        continue;\n                    s += x[v * w + u];\n",
               rows, cols);
        break;
    case 2:
        printf("                    int valid = %s && %s;\n                    s += valid ? (int)x[v * w + u] : 1;\n",
               rows, cols);
        break;
    default:
        printf("                    int at = u + w * v, valid = (%s) & (%s);\n                    if (valid != 0)\n"
               "                        s += x[at] * (p + 1);\n",
               rows, cols);
        break;
    }
    printf("                }\n            y[i * w + j] = s;\n        }\n");
    whole_end();
}

/* What is summed in memory under a condition.  */
static void sums(int seed)
{
    whole_begin(seed);
    whole_scalar("int", "n", "%d", 1 + below(2000));
    whole_scalar("int", "m", "n + %d", below(1500));
    whole_scalar("int", "o", "%d", below(4));
    whole_array(PICK("const float *", "const int *"), "x", 0, "n", "(long)(r % 99) - 40");
    whole_array("const int *", "g", 0, "8", "(long)(r % 5)");
    whole_array(PICK("float *", "int *"), "y", 0, "n", "i");
    whole_body();
    printf("    WS(grid(1))\n    for (int i = 0; i < m; i++)\n        for (int j = 0; j < 8; j++)%s\n",
           below(2) ? " {\n            int p = i + o;" : " {\n            int p = i;");
    printf("            if (%s)\n                y[p] += %s;\n        }\n",
           PICK("p < n", "p < n && g[j] > 1", "p + j < n", "!(p >= n)", "p < n && x[p] > g[j]"),
           PICK("g[j]", "g[j] * p", "x[p]"));
    whole_end();
}

/* So many elements at a time, the last of them fewer.  */
static void groups(int seed)
{
    int size = 2 + below(3);
    whole_begin(seed);
    whole_scalar("int", "n", "%d", below(1500));
    whole_array(PICK("const float *", "const int *"), "x", 0, "n", "(long)(r % 99) - 40");
    char count[40];
    snprintf(count, sizeof count, "(n + %d) / %d", size - 1, size);
    whole_array("int *", "y", 0, size == 2 ? "(n + 1) / 2" : size == 3 ? "(n + 2) / 3" : "(n + 3) / 4", "i");
    whole_body();
    printf("    WS(grid(1))\n    for (int i = 0; i < %s; i++) {\n        int s = x[%d * i];\n", count, size);
    for (int k = 1; k < size; k++)
        printf("        if (%d * i + %d < n)\n            s += x[%d * i + %d];\n", size, k, size, k);
    printf("        y[i] = s;\n    }\n");
    whole_end();
}

/* Neighbours above and below, left and right, of the inside; a triangle without its diagonal.  */
static void edges(int seed)
{
    whole_begin(seed);
    whole_scalar("int", "n", "%d", 3 + below(40));
    int triangle = below(2);
    arrays(triangle ? "n * n - 1" : "n * n - 1", triangle ? "n * n - 1" : "n * n - n");
    whole_body();
    printf("    WS(grid(2))\n    for (int i = 0; i < n; i++)\n        for (int j = 0; j < n; j++)\n");
    if (triangle)
        printf("            if (j < i)\n                y[i * n + j] %s x[i * n + j];\n", PICK("=", "+="));
    else
        printf("            if (i > 0 && i < n - 1 && j > 0 && j < n - 1)\n                y[i * n + j] = x[(i - 1) * "
               "n + j] + "
               "x[(i + 1) * n + j] + x[i * n + j - 1] + x[i * n + j + 1];\n");
    whole_end();
}

/* Elements that lie apart, and the first of each group: arrays end with the last that the conditions leave.  */
static void apart(int seed)
{
    int size = 2 + below(6);
    whole_begin(seed);
    whole_scalar("int", "n", "%d", size + below(1500));
    whole_scalar("int", "w", "%d", size);
    char last[80], test[80], width[20];
    snprintf(width, sizeof width, below(2) ? "w" : "%d", size);
    if (below(2)) {
        int more = below(size);
        snprintf(last, sizeof last, "(n - 1 - %d) / %d * %d + 1", more, size, size);
        snprintf(test, sizeof test, PICK("%d * i + %d < n", "!(%d * i + %d > n - 1)"), size, more);
        arrays(last, last);
        whole_body();
        printf(
            "    WS(grid(1))\n    for (int i = 0; i < n; i++)\n        if (%s)\n            y[%d * i] %s x[%d * i];\n",
            test, size, PICK("=", "+="), size);
    } else {
        int bits = below(3) == 0;
        snprintf(last, sizeof last, bits ? "((n - 1) & -4) + 1" : "(n - 1) / w * w + 1");
        arrays(last, "n");
        whole_body();
        printf("    WS(grid(1))\n    for (int i = 0; i < n; i++)\n        y[i] = ");
        if (bits)
            printf("x[%s];\n", PICK("i & -4", "i & ~3"));
        else if (below(2))
            printf("x[i - i %% %s];\n", width);
        else
            printf("x[i / %s * %s];\n", width, width);
    }
    whole_end();
}

/* Factors and divisors of either sign, of what is not a counter.  */
static void signs(int seed)
{
    int by = (2 + below(4)) * (below(2) ? 1 : -1), size = by < 0 ? -by : by;
    char last[80];
    whole_begin(seed);
    whole_scalar("int", "n", "%d", 20 + below(900));
    whole_scalar("int", "s", "%d", by);
    switch (below(4)) {
    case 0:
        snprintf(last, sizeof last, by < 0 ? "41" : "41 + 4 * s");
        arrays(last, "n");
        whole_body();
        printf("    WS(grid(1))\n    for (int i = 0; i < n; i++)\n        y[i] = x[40 + %s];\n",
               PICK("s * (i % 5)", "i % 5 * s"));
        break;
    case 1:
        snprintf(last, sizeof last, by < 0 ? "n + 1 + (n - 1) / %d" : "n + 1", size);
        arrays(last, "n");
        whole_body();
        printf("    WS(grid(1))\n    for (int i = 0; i < n; i++)\n        y[i] = x[n - i / s] - s;\n");
        break;
    case 2:
        arrays("17", "n");
        whole_body();
        printf("    WS(grid(1))\n    for (int i = 0; i < n; i++)\n        y[i] = x[(i * s + 5 * n) %% 17];\n");
        break;
    default:
        snprintf(last, sizeof last, by < 0 ? "9 * n" : "9 * n + s * (n - 1)");
        arrays(last, "n");
        whole_body();
        printf("    WS(grid(1))\n    for (int i = 0; i < n; i++) {\n        int t = 1;\n        WS(pipeline(auto) "
               "reduction(+: t))\n        for (int j = 0; j < 9 * n + s * i; j++)\n            t += (int)x[j];\n"
               "        y[i] = t;\n    }\n");
    }
    whole_end();
}

/* What is not an edge, of subscripts that go one step beyond.  */
static void unequal(int seed)
{
    whole_begin(seed);
    whole_scalar("int", "h", "%d", 1 + below(40));
    whole_scalar("int", "w", "%d", 1 + below(60));
    arrays("h * w", "h * w");
    whole_body();
    printf(
        "    WS(grid(2))\n    for (int i = 0; i < h; i++)\n        for (int j = 0; j < w; j++) {\n"
        "            int s = 0;\n            for (int p = -1; p <= 1; p++) {\n"
        "                int v = i + p, u = j %s p;\n                if (%s && %s && %s && %s)\n"
        "                    s += x[v * w + u] * (p + 3);\n            }\n            y[i * w + j] = s;\n        }\n",
        PICK("-", "+"), PICK("v != -1", "v >= 0", "!(v == -1)"), PICK("v != h", "v < h", "h != v"),
        PICK("u != -1", "u >= 0"), PICK("u != w", "u < w", "!(u == w)"));
    whole_end();
}

/* Rows of a triangle from the last one on, but for its diagonal.  */
static void triangles(int seed)
{
    whole_begin(seed);
    whole_scalar("int", "n", "%d", 3 + below(70));
    whole_scalar("int", "m", "n + %d", below(9));
    int first = below(3);
    arrays("n * m", "n");
    whole_body();
    printf("    WS(grid(1)%s)\n    for (int i = %d; i < n - 1; i++) {\n        int s = 0;\n        WS(pipeline(auto) "
           "reduction(+: s))\n        for (int j = %d; j < i + 1; j++)\n            s += (int)(%s ? %s : x[%s]);\n"
           "        y[i] = s;\n    }\n",
           PICK("", " tile(64)"), 1 + below(2), first, PICK("i != j", "j < i", "j != i"),
           PICK("x[(n - 1 - i) * m + j]", "x[(i - 1) * m + j]", "x[(n - 1 - j) * m + i]"), PICK("i - 1", "j", "i"));
    whole_end();
}

/* A triangle right of and below column k, less the products of what that column has: Cholesky, in place or not.  */
static void columns(int seed)
{
    whole_begin(seed);
    whole_scalar("int", "n", "%d", 3 + below(50));
    whole_scalar("int", "k", "%s", PICK("0", "1", "n / 2", "n - 2", "n - 1"));
    int right = below(2), in_place = right && below(2);
    if (!in_place)
        whole_array(PICK("const float *", "const int *"), "x", 0, "(n - 1) * n + k + 1", "(long)(r % 99) - 40");
    whole_array(PICK("float *", "int *"), "y", 0, "n * n", "(long)(r % 99) - 40");
    whole_body();
    const char *from = in_place ? "y" : "x";
    printf("    WS(grid(1)%s)\n    for (int i = %s; i < n; i++)\n%s        for (int j = %s; %s; j++)\n"
           "            y[i * n + j] %s %s[i * n + k] * %s[j * n + k];\n",
           PICK("", " tile(8)", " tile(64)"), right ? PICK("k + 1", "1 + k") : "k",
           PICK("", "        WS(pipeline(auto))\n"), right ? "k + 1" : "k", PICK("j <= i", "j < i + 1", "j < n"),
           PICK("-=", "+="), from, from);
    whole_end();
}

/* Products of two counters, of which one goes from below 0 on.  */
static void corners(int seed)
{
    whole_begin(seed);
    whole_scalar("int", "m", "%d", 1 + below(60));
    whole_scalar("int", "lo", "%d", -below(20));
    whole_scalar("int", "hi", "%d", 1 + below(30));
    whole_scalar("int", "o", "-lo * (m - 1)");
    int across = below(2);
    whole_array(PICK("const float *", "const int *"), "x", 0, "(hi - 1) * (m - 1) + o + 1", "(long)(r % 99) - 40");
    whole_array(PICK("float *", "int *"), "y", 0, across ? "hi - lo" : "m", "i");
    whole_body();
    const char *i = "int i = lo; i < hi; i++", *j = "int j = 0; j < m; j++";
    printf("    WS(grid(1))\n    for (%s) {\n        int s = 0;\n        for (%s)\n            s += (int)x[%s];\n"
           "        y[%s] %s s;\n    }\n",
           across ? i : j, across ? j : i, PICK("i * j + o", "o + j * i"), across ? "i - lo" : "j", PICK("=", "+="));
    whole_end();
}

/* Each sixteenth is one of the last two; seeds of the others stay what they are.  */
void guards(int seed)
{
    if (seed % 16 == 15) {
        (seed / 16 % 2 ? corners : columns)(seed);
        return;
    }
    void (*const all[])(int) = {vector, vector,    flattened, windows, windows, groups,
                                edges,  triangles, apart,     signs,   unequal, sums};
    all[below(12)](seed);
}
