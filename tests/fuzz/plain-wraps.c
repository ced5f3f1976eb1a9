/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-wraps.c - subscripts that are chosen: neighbours around an edge, reflections, clamps, quotients and rests, the
 * patches of a convolution. Each array has what the choices leave, and nothing else.
 *
 * Without the bounds of plain-conditions.c: seed 1 of kinds=wraps fails at launch, with an extent below 0.
 */
#include "plain.h"

/* The subscript `v` of an array of `end` elements, from `end` below to `end` above it, as a statement on `k`.  */
static void choose_by(const char *v, const char *end)
{
    switch (below(9)) {
    case 0:
        printf("k = %s < 0 ? %s + %s : %s >= %s ? %s - %s : %s;\n", v, v, end, v, end, v, end, v);
        break;
    case 1:
        printf("k = %s;\n            if (k < 0)\n                k += %s;\n            else if (k >= %s)\n             "
               "   k -= %s;\n",
               v, end, end, end);
        break;
    case 2:
        printf("k = (%s + %s) %% %s;\n", v, end, end);
        break;
    case 3:
        printf("k = (%s %% %s + %s) %% %s;\n", v, end, end, end);
        break;
    case 4: /* reflected, the edge is there twice */
        printf("k = %s;\n            if (k < 0)\n                k = -k - 1;\n            if (k >= %s)\n               "
               " k = 2 * %s - 1 - k;\n",
               v, end, end);
        break;
    case 5:
        printf("k = %s < 0 ? 0 : %s > %s - 1 ? %s - 1 : %s;\n", v, v, end, end, v);
        break;
    case 6:
        printf("k = %s;\n            k = k < %s ? k : %s - 1;\n            k = k > 0 ? k : 0;\n", v, end, end);
        break;
    case 7:
        printf("k = (unsigned)(%s) < (unsigned)%s ? %s : 0;\n", v, end, v);
        break;
    default:
        printf("k = %s >= 0 && %s < %s ? %s : %s / 2;\n", v, v, end, v, end);
        break;
    }
}

static void vector(int seed)
{
    whole_begin(seed);
    whole_scalar("int", "n", "%d", 8 + below(700));
    whole_scalar("int", "d", "%d", below(9) - 4);
    whole_array(PICK("const float *", "const int *"), "x", 0, "n", "(long)(r % 99) - 40");
    whole_array("int *", "y", 0, "n", "i");
    whole_body();
    printf("    WS(grid(1))\n    for (int i = 0; i < n; i++) {\n            int k, p = i + %s;\n            ",
           PICK("d", "3", "-2", "d - 1"));
    choose_by("p", "n");
    printf("            y[i] = x[k]%s;\n    }\n", PICK("", " + x[i]", " * 2"));
    whole_end();
}

static void planes(int seed)
{
    int taps = 1 + below(3);
    whole_begin(seed);
    whole_scalar("int", "h", "%d", 4 + below(30));
    whole_scalar("int", "w", "%d", 4 + below(50));
    whole_array(PICK("const float *", "const int *"), "x", 0, "h * w", "(long)(r % 99) - 40");
    whole_array("int *", "y", 0, "h * w", "i");
    whole_body();
    printf("    WS(grid(2))\n    for (int i = 0; i < h; i++)\n        for (int j = 0; j < w; j++) {\n            int s "
           "= 0;\n"
           "            for (int p = -%d; p <= %d; p++) {\n            int k, row, v = i + p, u = j - p;\n            ",
           taps, taps);
    choose_by("v", "h");
    printf("            row = k;\n            ");
    if (below(3))
        choose_by("u", "w");
    else
        printf("k = j;\n");
    printf("            s += x[row * w + k];\n            }\n            y[i * w + j] = s;\n        }\n");
    whole_end();
}

/* A frame around each row.  */
static void padded(int seed)
{
    whole_begin(seed);
    whole_scalar("int", "n", "%d", 8 + below(60));
    whole_scalar("int", "front", "%d", below(6));
    whole_scalar("int", "back", "%d", below(6));
    whole_scalar("int", "rows", "%d", 1 + below(20));
    whole_scalar("int", "m", "n + front + back");
    whole_array(PICK("const float *", "const int *"), "x", 0, "rows * n", "(long)(r % 99) - 40");
    whole_array("float *", "y", 0, "rows * m", "i");
    whole_body();
    printf("    WS(grid(2))\n    for (int r = 0; r < rows; r++)\n        for (int i = 0; i < m; i++) {\n"
           "            int k, p = i - front;\n            ");
    choose_by("p", "n");
    printf("            y[r * m + i] = x[r * n + k];\n        }\n");
    whole_end();
}

/* Patches of a convolution, by quotient and rest of one counter.  */
static void patches(int seed)
{
    whole_begin(seed);
    whole_scalar("int", "C", "%d", 1 + below(3));
    whole_scalar("int", "H", "%d", 5 + below(12));
    whole_scalar("int", "W", "%d", 5 + below(14));
    whole_scalar("int", "K", "%d", 1 + below(3));
    whole_scalar("int", "pad", "%d", below(3));
    whole_scalar("int", "st", "%d", 1 + below(2));
    whole_scalar("int", "OH", "(H + 2 * pad - K) / st + 1");
    whole_scalar("int", "OW", "(W + 2 * pad - K) / st + 1");
    whole_array("const float *", "x", 0, "C * H * W", "(long)(r % 99) - 40");
    whole_array("float *", "c", 0, "C * K * K * OH * OW", "i");
    whole_body();
    printf("    WS(grid(4))\n    for (int ch = 0; ch < C; ch++)\n    for (int k = 0; k < K * K; k++)\n"
           "    for (int oy = 0; oy < OH; oy++)\n    for (int ox = 0; ox < OW; ox++) {\n"
           "        int y = oy * st + k / K - pad, xx = ox * st + k %% K - pad;\n"
           "        c[((ch * K * K + k) * OH + oy) * OW + ox] = %s ? x[(ch * H + y) * W + xx] : 0;\n    }\n",
           PICK("y >= 0 && y < H && xx >= 0 && xx < W", "(unsigned)y < (unsigned)H && (unsigned)xx < (unsigned)W",
                "!(y < 0 || xx < 0 || y >= H || xx >= W)"));
    whole_end();
}

void wraps(int seed)
{
    void (*const all[])(int) = {vector, vector, planes, padded, patches};
    all[below(5)](seed);
}
