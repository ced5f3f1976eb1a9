/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-halos.c - grids that begin below 0: stencils with their halo, updates of the halo in place, margins that leave
 * no iteration, counters that are used as numbers.  Finds: seed 2 of kinds=halos, where ws_steps takes a last tile
 * below 0 for one that wraps around.
 */
#include "plain.h"

static const char *counter, *kind_of;

static void head(const char *name, const char *low, const char *high)
{
    printf("for (%s %s = %s; %s %s %s; %s++)", counter, name, low, name, kind_of, high, name);
}

/* What lies around (i, j) of an array with h rows and columns around it. */
static const char *around(void)
{
    return PICK("u[(i + h) * ld + j + h]", "u[(i + h - 1) * ld + j + h]", "u[(i + h) * ld + j + h + 1]",
                "u[(i + h + 1) * ld + j + h - 1]", "u[(i + h) * ld + h + j - 1]", "u[(j + h) * ld + i + h]");
}

static void stencil(int inside)
{
    const char *low = inside ? "-h + 1" : "from", *edge = kind_of[1] ? "n + h - 2" : "n + h - 1",
               *high = inside ? edge : "to";
    printf("    WS(grid(2)%s)\n    ", PICK("", "", " tile(16, 32)", " tile(1, 64)"));
    head("i", low, high);
    printf("\n        ");
    head("j", PICK("-h + 1", "from", low), PICK(edge, "to", high));
    printf("\n            ");
    if (below(4) == 0)
        printf("if (%s)\n                ", PICK("i >= 0", "i + j < 0", "j != -1", "i < j"));
    printf("v[(i + h) * ld + j + h] %s %s %s %s%s;\n", PICK("=", "+="), around(), PICK("+", "-"), around(),
           PICK("", "", " + i", " + (int)j * 2"));
}

static void update(void)
{
    printf("    WS(grid(1))\n    ");
    head("j", "-h", kind_of[1] ? "n + h - 1" : "n + h");
    printf("\n        for (int k = 1; k <= h; k++)\n            %s;\n",
           PICK("v[(j + h) * ld + h - k] = v[(j + h) * ld + h + k - 1]",
                "v[(h - k) * ld + j + h] = v[(h + k - 1) * ld + j + h]",
                "v[(n + h - 1 + k) * ld + j + h] = v[(n + h - k) * ld + j + h]"));
}

static void line(void)
{
    printf("    WS(grid(1)%s)\n    ", PICK("", "", " tile(64)"));
    head("i", "from", "to");
    printf(" {\n        int s = 0;\n        for (int k = %s; k <= %s; k++)\n"
           "            s += u[(i + h) * ld + h + k]%s;\n        v[%s] = s%s;\n    }\n",
           PICK("-h", "-1", "from"), PICK("h", "1", "to"), PICK("", " * k"), PICK("i + h", "(i + h) * ld", "i - from"),
           PICK("", " + (int)i"));
}

static void total(void)
{
    printf("    int s = 3;\n    WS(grid(2) reduction(+: s))\n    ");
    head("i", "from", "to");
    printf("\n        ");
    head("j", PICK("from", "-h + 1"), PICK("to", kind_of[1] ? "n + h - 2" : "n + h - 1"));
    printf("\n            s += %s;\n    v[0] = s;\n", around());
}

void halos(int seed)
{
    int h = 1 + below(4), n = 1 + below(60);
    counter = PICK("int", "int", "long");
    kind_of = PICK("<", "<=");
    whole_begin(seed);
    whole_scalar("int", "n", "%d", n);
    whole_scalar("int", "h", "%d", h);
    whole_scalar("int", "ld", "%d", n + 2 * h + below(3));
    whole_scalar(counter, "from", "%d", -h + 1 + below(3));
    whole_scalar(counter, "to", "%d", below(6) ? n + h - 2 : below(2 * h) - h);
    whole_array("const int *", "u", 0, "ld * (n + 2 * h)", "(int)(r % 999) - 500");
    whole_array("int *", "v", 0, "ld * (n + 2 * h)", "(int)(r % 99)");
    whole_body();
    switch (below(6)) {
    case 0:
        update();
        break;
    case 1:
        line();
        break;
    case 2:
        total();
        break;
    default:
        stencil(below(2));
    }
    whole_end();
}
