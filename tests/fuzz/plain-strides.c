/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-strides.c - strides that are known when the grid runs, below 0, too: vectors of BLAS, images from the last row
 * upwards, elements from a place on, beside others of the same array.  Finds: seed 1 of kinds=strides, where lines of
 * elements are windows of rows, which strides below 0 have not.
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

void strides(int seed)
{
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
