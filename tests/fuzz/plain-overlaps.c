/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-overlaps.c - parts of one array that have no element in common: halves, blocks of columns, rows and columns of
 * a matrix that is updated in place, one array whose dimensions are taken in two orders.  Finds: seed 1 of
 * kinds=overlaps, where the launch takes two orders of one array for two arrays.
 */
#include "plain.h"

static void blocks(void)
{
    const char *ld = PICK("2 * m", "2 * m + 1"), *behind = PICK("m", "n * (2 * m + 1)");
    printf("    T *p = y, *q = y + %s;\n    WS(grid(2)%s)\n    for (int i = 0; i < n; i++)\n"
           "        for (int j = 0; j < m; j++)\n            %s[i * (%s) + j] %s %s[i * (%s) + j] + x[%s];\n",
           behind, PICK("", "", " tile(16, 32)"), "q", ld, PICK("=", "+="), "p", ld, PICK("i * m + j", "j", "i"));
}

static void update(void)
{
    printf("    WS(grid(2)%s)\n    for (int i = k + 1; i < n; i++)\n        for (int j = k + 1; j < m; j++)\n"
           "            y[i * m + j] -= y[i * m + k] * y[k * m + j]%s;\n",
           PICK("", "", " tile(16, 32)"), PICK("", " + y[k * m + k]", " + x[j]"));
}

static void orders(void)
{
    printf("    WS(grid(1))\n    for (int j = 0; j < n; j++) {\n        WS(pipeline(auto))\n"
           "        for (int i = 0; i < m; i++)\n            y[(i * n + j) * 4] %s;\n"
           "        y[(n + j) * 4 + 1] = 3 * y[(n + j) * 4 + 1]%s;\n    }\n",
           PICK("= 2 * y[(i * n + j) * 4]", "+= x[i * n + j]"), PICK("", " + x[j]"));
}

static void planes(void)
{
    printf("    WS(grid(2))\n    for (int j = 0; j < n; j++)\n        for (int l = 0; l < 3; l++) {\n"
           "            WS(pipeline(auto))\n            for (int i = 0; i < m; i++)\n"
           "                y[((i * n + j) * 3 + l) * 2] = 2 * y[((i * n + j) * 3 + l) * 2];\n"
           "            for (int c = 0; c < 2; c++)\n                y[((n + j) * 3 + l) * 2 + c] += x[j] * %s;\n      "
           "  }\n",
           PICK("c", "3"));
}

void overlaps(int seed)
{
    whole_begin(seed);
    printf("#undef T\n#define T %s\n", PICK("int", "double", "float", "long"));
    whole_scalar("int", "n", "%d", 3 + below(50));
    whole_scalar("int", "m", "%d", 3 + below(50));
    whole_scalar("int", "k", "%d", below(3));
    whole_array("const T *", "x", 0, "n * m + n + m", "(long)(r % 19) - 10");
    whole_array("T *", "y", 0, "(n + 2) * (m + 2) * 6", "(long)(r % 9)");
    whole_body();
    switch (below(4)) {
    case 0:
        blocks();
        break;
    case 1:
        update();
        break;
    case 2:
        orders();
        break;
    default:
        planes();
    }
    whole_end();
}
