/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-ways.c - one array that is read in several ways: along rows, along columns, backwards, every other element,
 * each element twice, along the diagonal, by subscripts that are loaded.  Finds: seed 12 of kinds=ways, where an access
 * that is looked up keeps the dimensions that it had as a window.
 */
#include "plain.h"

static int given; /* a clause says how long the array is */

/* Inside n * m elements, and 2 (n + m) more, for 0 <= i < n and 0 <= j < m. */
static const char *way(void)
{
    if (given && below(5) == 0)
        return PICK("a[i * m + at[j]]", "a[at[j] * n + i]", "a[at[j]]");
    return PICK("a[i * m + j]", "a[j * n + i]", "a[(n - 1 - i) * m + j]", "a[i * m + (m - 1 - j)]", "a[i * m + j / 2]",
                "a[(i / 2) * m + j]", "a[j]", "a[i]", "a[i + j]", "a[2 * j + 1]", "a[2 * i + j]",
                "a[(m - 1 - j) * n + i]", "a[n * m - 1 - i * m - j]", "a[i * m]", "a[i * m + m - 1]", "a[n - 1 - i]",
                "a[5]", "a[n * m + i + j]", "a[(i * m + j + off)]", "a[i * m + j % 3]");
}

static void sum(int count)
{
    for (int k = 0; k < count; k++)
        printf("%s%s", k ? PICK(" + ", " - ", " + 2 * ") : "", way());
}

void ways(int seed)
{
    const char *type = PICK("int", "double", "float", "long", "short");
    int counted = below(4) == 0;
    given = below(2);
    whole_begin(seed);
    whole_scalar("int", "n", "%d", 1 + below(70));
    whole_scalar("int", "m", "%d", 3 + below(70));
    whole_scalar("int", "off", "%d", below(4));
    whole_scalar("int", "all", "n * m + 2 * (n + m)");
    const char *loaded = PICK("const int *", "const long *");
    whole_array(type[0] == 'i'   ? "const int *"
                : type[0] == 'd' ? "const double *"
                : type[0] == 'f' ? "const float *"
                : type[0] == 'l' ? "const long *"
                                 : "const short *",
                "a", 0, "all", "(int)(r % 199) - 100");
    whole_array(loaded, "at", 0, "m", "r % (unsigned)m");
    whole_array("double *", "o", 0, "n * m", "i");
    whole_body();
    if (counted) {
        printf("    WS(grid(1)%s)\n    for (int i = 0; i < n; i++) {\n        double s = 1;\n%s"
               "        for (int j = 0; j < m; j++)\n            s += ",
               given ? " extent(a: all)" : "", below(2) ? "        WS(pipeline(auto) reduction(+: s))\n" : "");
        sum(2 + below(2));
        printf(";\n        o[i] = s;\n    }\n");
    } else {
        printf(
            "    WS(grid(2)%s%s)\n    for (int i = 0; i < n; i++)\n        for (int j = 0; j < m; j++)\n            ",
            given ? " extent(a: all)" : "", PICK("", "", " tile(16, 16)", " tile(1, 64)"));
        if (below(5) == 0)
            printf("if (%s > 3)\n                ", way());
        printf("o[i * m + j] = ");
        sum(2 + below(3));
        printf(";\n");
    }
    whole_end();
}
