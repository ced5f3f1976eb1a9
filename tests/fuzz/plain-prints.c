/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-prints.c - lines of ws_print_value in nests of plain loops: as plain C they go into an array, and what the
 * function prints, sorted, is what stands there.
 *
 * Where all integers that iterations add to are shown as counters: finds seed 22 of kinds=prints.  A launch of all
 * nests prints less than 1000 lines.
 */
#include "plain.h"

static const char *number(int inner)
{
    static const char *const outside[] = {"a[i * m + j]",
                                          "b[i * m + j]",
                                          "(float)a[i * m + j] + i",
                                          "b[i * m + j] * 3 - j",
                                          "i - 2 * j",
                                          "l",
                                          "(long)b[i * m + j] << 20",
                                          "u[i]",
                                          "x",
                                          "d[j]",
                                          "a[i * m + j] > 0"},
                             *const inside[] = {"s", "s + k", "b[i * m + k]", "k", "t", "d[k]"};
    return inner && below(2) ? pick(inside, 6) : pick(outside, 11);
}

static const char *when(int inner)
{
    static const char *const outside[] =
        {"a[i * m + j] > 0.2f", "i == j", "b[i * m + j] & 1", "j < i", "i > 1 && j > 2", "flag", "x > 0"},
                             *const inside[] = {"k == 3", "t > 4", "s < 0", "b[i * m + k] % 3 == 0"};
    return inner && below(2) ? pick(inside, 4) : pick(outside, 7);
}

static void line(int inner, int name)
{
    if (below(3))
        printf("if (%s) ", when(inner));
    const char *shown = number(inner);
    if (inner)
        printf("SHOW(n%d, %s, \" i=%%d j=%%d k=%%d\", i, j, k);\n", name, shown);
    else
        printf("SHOW(n%d, %s, \" i=%%d j=%%d\", i, j);\n", name, shown);
}

void prints(int seed)
{
    const int inner = below(2), masked = below(2);
    whole_begin(seed);
    whole_around("#include \"plain-prints.h\"\n", "    lines_begin();\n", "    lines_end();\n",
                 "    check_true(lines_agree(), \"lines\");\n");
    whole_scalar("int", "n", "%d", 1 + below(3));
    whole_scalar("int", "m", "%d", 4 + below(9));
    whole_scalar("int", "flag", "%d", below(2));
    whole_scalar("long", "l", "%ld", (long)below(1 << 30) << below(32));
    whole_array("const float *", "a", 0, "n * m", "(float)(int)(r % 2001) / 1000 - 1");
    whole_array("const int *", "b", 0, "n * m", "(int)(r >> 20) % 1000");
    whole_array("const unsigned *", "u", 0, "n", "(unsigned)(r >> 13)");
    whole_array("const double *", "d", 0, "m", "(double)(long)(r >> 9) / 1e9");
    whole_array("float *", "y", 0, "n * m", "0");
    whole_body();
    printf("#undef SHOW\n#ifndef PLAIN_LINES_%d\n#define PLAIN_LINES_%d\n#define SHOW(name, x, ...) "
           "ws_print_value(#name, x)\n"
           "#else\n#define SHOW(name, x, at, ...) EXPECT(x, LINES_OF(f) at \": \" #name \": \", __VA_ARGS__)\n#endif\n",
           seed, seed);
    printf("WS(grid(2)%s)\nfor (int i = 0; i < n; i++)\nfor (int j = 0; j < m; j++) {\nfloat x = a[i * m + j];\n",
           below(2) ? "" : " tile(1, 32)");
    line(0, 1);
    if (inner) {
        printf("float s = 0;\nint t = 0;\nfor (int k = 0; k < %s; k++) {\n", masked ? "j" : "m");
        printf("s += a[i * m + k];\nt += b[i * m + k] & 3;\n");
        line(1, 2);
        if (below(2))
            line(1, 3);
        printf("}\ny[i * m + j] = s + t;\n");
    } else {
        printf("y[i * m + j] = x;\n");
    }
    if (below(2))
        line(0, 4);
    printf("}\n");
    whole_end();
}
