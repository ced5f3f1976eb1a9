/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plain-shapes.c - ragged rows, histograms, structs, filters, nearest centres, truth values.  */
#include "plain.h"

static const char *clause(void)
{
    return PICK("", " tile(8, 64)", " tile(16, 32)", " tile(1, 128)");
}

/* CSR: rows of any length, from rp[i] to rp[i + 1]; ci has columns.  */
static void ragged(void)
{
    int most = below(3) == 0;
    printf("    WS(grid(1) tile(1) extent(a : m * m, ci : m * m, by : m * m, v : m, x : m * m))\n");
    printf("    for (int i = 1; i < n - 1; i++) {\n        T s = %s, g = -100;\n", PICK("0", "u[i]", "w[i]"));
    printf("        WS(pipeline(auto) tile(%s) reduction(+: s))\n", PICK("8", "32", "64"));
    printf("        for (int k = rp[i]; k < rp[i + 1]; k++) {\n            T x = a[k] * %s;\n",
           PICK("v[ci[k]]", "v[ci[k]] * v[ci[k]]", "(T)by[ci[k]]", "v[i]", "(by[k] & 1 ? v[ci[k]] : (T)0)"));
    printf("            %ss %s x;\n", PICK("", "", "if (ci[k] != i) ", "if (k & 1) ", "if (x > 0) "), PICK("+=", "-="));
    if (most)
        printf("            g = x > g ? x : g;\n");
    printf("        }\n        w[i] = s%s;\n    }\n", most ? " + g" : "");
}

/* ELL: as many elements for each row, some of them missing.  */
static void padded(void)
{
    printf("    WS(grid(1) tile(%s) extent(v : m))\n    ", PICK("16", "32", "64"));
    loop("i", "n");
    printf("    {\n        T s = 0;\n        %sfor (int k = 0; k < n; k++) {\n",
           PICK("", "WS(pipeline(auto) tile(8) reduction(+: s))\n        "));
    printf("            int q = ci[%s] - 1;\n", PICK("k * n + i", "i * n + k"));
    printf(
        "            if (q >= 0%s)\n                s += a[k * n + i] * v[q];\n        }\n        w[i] = s;\n    }\n",
        PICK("", " && q < m - 2", " && is[i * m + k]"));
}

static void histogram(void)
{
    printf("    WS(grid(2)%s extent(y : m * m + 256))\n    ", PICK("", " tile(8, 64)", " tile(16, 32)"));
    loop("i", "n");
    printf("        ");
    loop("j", "m");
    printf("            %sy[%s] += %s;\n", PICK("", "if (is[i * m + j]) ", "if (i < j) ", "if (by[j] > 7) "),
           PICK("by[i * m + j]", "hf[i * m + j] >> 8", "by[i * m + j] >> 4", "(unsigned char)(z[i * m + j] * 3)",
                "el[i * m + j].k & 63"),
           PICK("1", "1", "(U)j", "by[j * m + i]", "(U)z[i * m + j]"));
}

/* Structs in, structs out.  */
static void structs(void)
{
    printf("    WS(grid(2)%s)\n    ", clause());
    loop("i", "n");
    printf("        ");
    loop("j", "m");
    printf("        {\n            %s *from = &el[i * m + j];\n            T x = from->x * from->z - %s;\n",
           "const struct P", PICK("from->y", "v[j]", "el[i * m + j + 1].x", "el[(i - 1) * m + j].z"));
    printf("            int k = from->k %s;\n            if (%s)\n                x = ",
           PICK("/ 3", "% 7", "<< 2", "* (int)i", "- by[j]"), PICK("x < 0", "k > 10", "from->k & 4", "k == from->k"));
    expression("i", "j", 2);
    printf(";\n            eo[i * m + j].x = x;\n            eo[i * m + j].k = k;\n            eo[i * m + j].%s = "
           "from->y;\n        }\n",
           PICK("y", "z"));
}

/* Weights by distance and by difference of bytes; sums of a fixed window.  */
static void filter(void)
{
    int r = 1 + below(2);
    printf("    static const T taps[5] = {(T)0.1, (T)-0.5, 2, (T)-0.5, (T)0.1};\n    WS(grid(2)%s)\n", clause());
    printf("    for (int i = %d; i < n - %d; i++)\n        for (int j = %d; j < m - %d; j++) {\n", r, r, r, r);
    printf("            T s = 0, sum = 0;\n            int mid = by[i * m + j];\n");
    printf("            for (int p = -%d; p <= %d; p++)\n                for (int q = -%d; q <= %d; q++) {\n", r, r, r,
           r);
    printf("                    int at = by[(i + p) * m + j + q], d = %s;\n",
           PICK("at - mid", "at - mid + p * q", "(at ^ mid) & 15", "at > mid ? at : mid - at"));
    printf("                    T e = %s;\n", PICK("F(exp)(-(T)(d * d) / 800)", "taps[p + 2] * taps[q + 2]",
                                                   "(T)1 / (1 + d * d)", "d < 40 ? taps[p + 2] : (T)0"));
    printf("                    s += e * at;\n                    sum += e;\n                }\n");
    printf("            c[i * m + j] = s / (F(fabs)(sum) + 1);\n            po[i * m + j] = %s;\n        }\n",
           PICK("mid / 2 + 3", "mid > 9 ? mid - 9 : 0", "(unsigned char)(mid * 3)", "mid & ~7"));
}

/* The nearest of a few centres.  */
static void nearest(void)
{
    printf("    WS(grid(1) tile(%s))\n    ", PICK("32", "64", "128"));
    loop("i", "n");
    printf("    {\n        int best = 0;\n        T least = (T)1e30;\n        for (int p = 0; p < %s; p++) {\n",
           PICK("4", "n", "flag + 3"));
    printf("            T d = 0;\n            for (int q = 0; q < %s; q++) {\n                T x = %s;\n",
           PICK("3", "n", "(8 < n ? 8 : n)"), PICK("a[i * m + q] - b[p * m + q]", "t[q * m + i] - b[p * m + q]"));
    printf("                d += x * x;\n            }\n            if (d < least%s) {\n                least = d;\n"
           "                best = p;\n            }\n        }\n",
           PICK("", "", " && is[i * m + p]"));
    printf("        z_of[i] = best;\n        w[i] = least < (T)1e29 ? least : (T)-1;\n    }\n");
}

/* Pointers to rows of variable length, and loops of which the iterations have an order.  */
static void ordered(void)
{
    printf("    T(*cc)[m] = (T(*)[m])c;\n    const T(*aa)[m] = (const T(*)[m])a;\n    WS(grid(1) tile(%s))\n    ",
           PICK("32", "64", "16"));
    loop("j", "m");
    printf("    {\n        T s = v[j];\n        for (int i = %s) {\n",
           PICK("1; i < n - 1; i++", "n - 2; i >= 1; i--", "1; i < n - 1; i += 2", "n - 2; i > 0; i -= 3"));
    printf("            s = s * (T)0.5 + %s;\n            if (%s)\n                s = ",
           PICK("aa[i][j]", "aa[i - 1][j + 1]", "aa[i][j] * v[j]", "(T)is[i * m + j]"),
           PICK("s > 1", "is[i * m + j]", "i == 3", "by[j] > 128"));
    expression("i", "j", 1);
    printf(";\n            cc[i][j] = s;\n        }\n        w[j] = s;\n    }\n");
}

/* Whether any is, whether all are, how many.  */
static void truths(void)
{
    printf("    WS(grid(1) tile(%s))\n    for (int i = 1; i < n - 1; i++) {\n        int some = 0, count = 0;\n        "
           "bool all "
           "= true;\n",
           PICK("1", "8", "32"));
    printf("        WS(pipeline(auto) tile(%s) reduction(max: some) reduction(+: count))\n        for (int j = 1; j < "
           "m - 1; j++) {\n            bool is_so = %s;\n",
           PICK("8", "32"),
           PICK("is[i * m + j]", "a[i * m + j] > v[j]", "by[i * m + j] & 1", "is[j * m + i] || a[i * m + j] < 0"));
    printf("            some = is_so > some ? is_so : some;\n            count += %s;\n        }\n",
           PICK("is_so", "!is_so", "is_so ? 3 : j", "is_so && j > i"));
    printf("        for (int j = 1; j < %s; j++)\n            all = all && %s;\n", PICK("m - 1", "i"),
           PICK("is[i * m + j]", "b[i * m + j] < (T)0.9", "!(by[j] == 3)"));
    printf("        so[i] = some;\n        po[i] = all;\n        z_of[i] = count;\n    }\n");
}

void shapes(void)
{
    static void (*const kinds[])(void) = {ragged, padded, histogram, structs, filter, nearest, ordered, truths};
    kinds[below(8)]();
}
