/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-masked.c - products of matrices under conditions, and NaN and infinities where these leave elements out.
 *
 * The numbers are whole and small, so that sums are exact in any order.
 *
 * finds: seed 1 of kinds=masked without the mend; where arms that two branches share were refused, seed 22
 */
#include "plain.h"

/* Of k, i and j; `ok` and `of` are flags, x and y are odd where `ok` of their k is 0.  */
static const char *one_condition(void)
{
    return PICK("ok[k]", "ok[k]", "ok[k] > 0", "k % 7 != 3", "k > 2", "k < l - 3", "of[i]", "!of[j]", "i != j",
                "of[i] > of[j]", "k <= i", "k < i", "k >= j", "k != j", "k + i > j", "ok[i] && of[j]", "X == X",
                "Y == Y", "X != 0", "of[k] != of[i]", "flag", "ok[k] && !of[k]");
}

static void statement(int bare)
{
    const char *op = PICK("+=", "+=", "-="),
               *term = PICK("X * Y", "Y * X", "3 * X * Y", "X * Y * X", "X * (Y + 1)", "-X * Y");
    const char *condition = one_condition();
    if (bare) {
        printf("            s %s %s;\n", op, term);
        return;
    }
    switch (below(5)) {
    case 0:
        printf("            if (!(%s))\n                continue;\n            s %s %s;\n", condition, op, term);
        break;
    case 1:
        printf("            s %s %s ? %s : 0;\n", op, condition, term);
        break;
    case 2:
        printf("            if (%s)\n                if (%s)\n                    s %s %s;\n", condition,
               one_condition(), op, term);
        break;
    case 3:
        printf("            if (%s)\n                s %s %s;\n            else\n                s %s %s;\n", condition,
               op, term, PICK("+=", "-="), PICK("1", "X", "2 * Y", "X * Y"));
        break;
    default:
        printf("            if (%s)\n                s %s %s;\n", condition, op, term);
    }
}

/* Rows of the array are k, or its columns.  Elements of which `ok` is 0, and one of so many others, are no numbers.  */
static const char *elements(int by_rows, const char *width, int odd)
{
    static char text[2][200];
    static int next;
    char *to = text[next++ % 2];
    snprintf(
        to, sizeof text[0],
        "(%s) %% 7 == 3 || r %% %d == 1 ? (float[]){INFINITY, -INFINITY, NAN}[r / 256 %% 3] : (float)(long)(r / 512 %% "
        "9) - 4",
        by_rows ? width : "i % l", odd);
    return to;
}

void masked(int seed)
{
    const char *type = below(4) ? "float" : "double", *array = type[0] == 'f' ? "const float *" : "const double *";
    int first = below(3) > 0, second = below(3) > 0, odd = below(2) ? 9 : 99;
    odd = below(2) ? 999999 : odd;
    int triangle = below(3) == 0; /* of which x and y have a side */
    whole_begin(seed);
    whole_scalar("int", "n", "%d", 1 + below(90));
    whole_scalar("int", "m", "%d", 1 + below(90));
    whole_scalar("int", "l", "%d", triangle ? 91 : 1 + below(90));
    whole_scalar("int", "flag", "%d", below(2));
    whole_array("const int *", "ok", 0, "n + m + l", "i % 7 != 3");
    whole_array("const int *", "of", 0, "n + m + l", "r % 3 != 1");
    whole_array(array, "x", 0, "n * l", elements(first, "i / n", odd));
    whole_array(array, "y", 0, "m * l", elements(second, "i / m", odd));
    whole_array(type[0] == 'f' ? "float *" : "double *", "a", 0, "n * m", "i");
    whole_body();
    printf("#undef X\n#undef Y\n#define X x[%s]\n#define Y y[%s]\n", first ? "k * n + i" : "i * l + k",
           second ? "k * m + j" : "j * l + k");
    printf("    WS(grid(2)%s)\n    for (int i = 0; i < n; i++)\n        for (int j = 0; j < m; j++) {\n        %s s = "
           "%s;\n",
           type[0] == 'f' ? PICK("", "", " precision(tf32)", " precision(f16)", " precision(bf16)", " tile(64, 64)")
                          : "",
           type, PICK("0", "1", "a[i * m + j]"));
    if (below(5))
        printf("        WS(pipeline(auto)%s%s)\n", below(8) ? " reduction(+: s)" : "", PICK("", "", " tile(16)"));
    if (triangle)
        printf("        for (int k = %s; k %s; k++) {\n", PICK("0", "0", "i", "j + 1", "i / 2", "l - m + j"),
               PICK("<= i", "< j", "< l", "< n - i", "< l - 1"));
    else
        printf("        for (int k = %s; k %s; k++) {\n", PICK("0", "0", "0", "i", "j + 1", "1"),
               PICK("< l", "< l", "< l", "< l - 2"));
    statement(triangle && below(2));
    printf("        }\n        a[i * m + j] = s;\n        }\n");
    whole_end();
}
