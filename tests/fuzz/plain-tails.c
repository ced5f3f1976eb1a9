/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plain-tails.c - blocks of iterations, the last of them short: what lies behind the array is no memory.  */
#include "plain.h"

void tails(int seed)
{
    int block = 1 << (3 + below(6));
    whole_begin(seed);
    whole_scalar("int", "n", "%d", below(900));
    whole_array("const float *", "x", 0, "n", "(float)(long)(r % 99) - 40");
    whole_array("float *", "y", 0, "n", "i");
    whole_body();
    printf("    WS(grid(2))\n    for (int b = 0; b < (n + %d) / %d; b++)\n        for (int t = 0; t < %d; t++) {\n"
           "            int i = b * %d + t;\n",
           block - 1, block, block, block);
    if (below(2))
        printf("            if (i >= n)\n                continue;\n            y[i] %s x[i] * 3;\n",
               PICK("=", "+=", "-="));
    else
        printf("            if (i < n)\n                y[i] %s x[%s] * 3;\n", PICK("=", "+=", "-="),
               PICK("i", "n - 1 - i"));
    printf("        }\n");
    whole_end();
}
