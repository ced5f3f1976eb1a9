/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-strides.c - strides that are known when the grid runs, below 0, too: vectors of BLAS, images from the last row
 * upwards, elements from a place on, beside others of the same array.  Finds: seed 22 of kinds=strides, where lines of
 * elements are windows of rows, which strides below 0 have not; seed 4, where what loops by steps leave alone is a
 * coordinate in rows of a few elements.
 */
#include "plain.h"

static int stride(void)
{
    return (1 + below(5)) * (below(2) ? 1 : -1);
}

/* x and y at strides of either sign, from the end that C begins with. */
static void vectors(void)
{
    printf("    int ix = incx < 0 ? (1 - n) * incx : 0, iy = incy < 0 ? (1 - n) * incy : 0;\n");
    switch (below(5)) {
    case 0:
        printf("    const T *p = x + ix;\n    T *q = y + iy;\n    WS(grid(1))\n    for (int i = 0; i < n; i++)\n"
               "        q[i * incy] %s p[i * incx];\n",
               PICK("=", "+="));
        break;
    case 1:
        printf("    WS(grid(1))\n    for (int i = 0; i < n; i++) {\n        T t = y[iy + i * incy];\n"
               "        y[iy + i * incy] = t * 3 + x[ix + i * incx] - i;\n    }\n");
        break;
    case 2:
        printf("    T s = 1;\n    WS(grid(1) reduction(+: s))\n    for (int i = 0; i < n; i++)\n"
               "        s += x[ix + i * incx] * y[iy + i * incy];\n    y[iy] = s;\n");
        break;
    case 3:
        printf("    WS(grid(1))\n    for (int i = 1; i < n; i++)\n        y[iy + i * incy] %s x[ix + i * incx] - x[ix "
               "+ (i - "
               "1) * incx];\n",
               PICK("=", "+="));
        break;
    default:
        printf("    WS(grid(1)%s)\n    for (int i = 0; i < n; i++)\n        y[iy + i * incy] %s x[ix + i * incx];\n",
               PICK("", " tile(64)"), PICK("=", "+=", "-="));
    }
}

/* Rows from the last one upwards. */
static void images(void)
{
    printf("    const T *p = ldx < 0 ? x + (1 - m) * ldx : x;\n    T *q = ldy < 0 ? y + (1 - m) * ldy : y;\n"
           "    WS(grid(2)%s)\n    for (int i = 0; i < m; i++)\n        for (int j = 0; j < n; j++)\n"
           "            q[i * ldy + j] %s p[i * ldx + j]%s;\n",
           PICK("", "", " tile(16, 32)", " tile(1, 64)"), PICK("=", "+="), PICK("", " - i"));
}

/* Elements of one array that lie apart. */
static void parts(void)
{
    int step = 2 + below(4);
    switch (below(3)) {
    case 0:
        printf("    WS(grid(1))\n    for (int i = from; i < from + n * %d; i += %d)\n        y[i] = y[i + from %% 2 + "
               "1] * 2;\n",
               step + 1, step + 1);
        break;
    case 1:
        printf("    WS(grid(1))\n    for (int i = from; i < %d * n; i += %d)\n        y[i] %s x[i] - i;\n", step, step,
               PICK("=", "+="));
        break;
    default:
        printf("    WS(grid(1))\n    for (int i = 0; i < n; i++)\n        y[i * m + to] = y[i * m + other] + x[i * m + "
               "to];\n");
    }
}

/* Steps, and what they leave alone: it belongs to no row of as many elements as a step has.  */
static void displaced(int seed)
{
    int rows = 2 + below(3), cols = 1 + below(3), group = 2 + below(4), way = below(4), kind = below(3);
    char wide[200], out[200], in[200];
    whole_begin(seed);
    whole_scalar("int", "n", "%d", 1 + below(60));
    whole_scalar("int", "w", "%d", 3 + below(30));
    whole_scalar("int", "o", "%d", below(7));
    whole_scalar("int", "k", "%d", below(7));
    snprintf(wide, sizeof wide, "((n - 1) / %d * %d + o) * w + (w - 1) / %d * %d + 1", rows, rows, cols, cols);
    snprintf(out, sizeof out,
             way < 2    ? wide
             : way == 2 ? "(n - 1) / %d * %d + o + %d"
                        : "%d * (n + k - 1) - k + %d",
             group, way == 2 ? group : 2, group);
    snprintf(in, sizeof in,
             way < 2    ? "n * w + 1"
             : way == 2 ? "(n - 1) / %d * %d + k + %d"
                        : "%d * (n + k - 1) - k + %d",
             group, way == 2 ? group : 2, group);
    static const char *const types[] = {"int", "double", "float"};
    printf("#undef T\n#define T %s\n", types[kind]);
    whole_array("const T *", "x", 0, in, "(long)(r % 199) - 100");
    whole_array("T *", "y", 0, out, "(long)(r % 99)");
    whole_body();
    if (way < 2)
        printf("    WS(grid(2)%s)\n    for (int i = 0; i < n; i += %d)\n        for (int j = 0; j < w; j += %d)\n"
               "            y[(i + o) * w + j] %s x[i * w + j%s];\n",
               PICK("", "", " tile(16, 32)"), rows, cols, PICK("=", "+=", "-="), PICK("", " + 1"));
    else if (way == 2)
        printf("    WS(grid(1))\n    for (int i = 0; i < n; i += %d)\n        for (int j = 0; j < %d; j++)\n"
               "            y[i + j + o] %s x[i + j + k] * 2;\n",
               group, group, PICK("=", "+="));
    else
        printf("    WS(grid(1))\n    for (int i = k; i < n + k; i++) {\n        y[%d * i - k] %s x[%d * i - k] + i;\n"
               "        y[%d * i - k + 1] = x[%d * i - k + %d];\n    }\n",
               group, PICK("=", "+="), group, group, group, below(2));
    whole_end();
}

void strides(int seed)
{
    if (seed % 5 == 4) {
        displaced(seed);
        return;
    }
    int n = 1 + below(60), m = 7 + below(30);
    whole_begin(seed);
    whole_scalar("int", "n", "%d", n);
    whole_scalar("int", "m", "%d", m);
    whole_scalar("int", "incx", "%d", stride());
    whole_scalar("int", "incy", "%d", stride());
    whole_scalar("int", "ldx", "%s(n + %d)", PICK("", "-"), below(3));
    whole_scalar("int", "ldy", "%s(n + %d)", PICK("", "-"), below(3));
    whole_scalar("int", "from", "%d", below(5));
    whole_scalar("int", "to", "%d", below(3));
    whole_scalar("int", "other", "%d", 3 + below(4));
    whole_array("const T *", "x", 0, "(n + 3) * (m + 4)", "(long)(r % 199) - 100");
    whole_array("T *", "y", 0, "(n + 3) * (m + 4)", "(long)(r % 99)");
    printf("#undef T\n#define T %s\n", PICK("int", "double", "float", "long"));
    whole_body();
    switch (below(4)) {
    case 0:
        images();
        break;
    case 1:
        parts();
        break;
    default:
        vectors();
    }
    whole_end();
}
