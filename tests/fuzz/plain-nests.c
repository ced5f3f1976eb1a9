/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plain-nests.c - elementwise code, rows, products, sums that leave the grid, stores to loaded subscripts.  */
#include "plain.h"

void elementwise(void)
{
    int two = below(4) > 0;
    printf("    WS(grid(2)%s)\n    ", two ? "" : " tile(16, 32)");
    loop("i", "n");
    printf("        ");
    loop("j", "m");
    printf("        {\n            T x = ");
    expression("i", "j", 3);
    printf(";\n");
    if (below(2)) {
        printf("            if (");
        if (richer && below(2))
            condition("i", "j");
        else
            printf("%s", PICK("x > 0", "j <= i", "i + 2 < j", "v[j] < x", "flag"));
        printf(")\n                x = ");
        expression("i", "j", 2);
        printf(";\n");
    }
    if (below(3) == 0)
        printf("            if (%s)\n                continue;\n",
               PICK("j > i", "i == j", "x < 0", "b[i * m + j] > 0"));
    if (richer && below(2))
        printf("            %s;\n", PICK("so[i * m + j] = x > v[j]", "so[i * m + j] = !is[i * m + j] || x < 0",
                                         "po[i * m + j] = by[i * m + j] / 3 + (x > 0)", "eo[i * m + j].y = x",
                                         "eo[i * m + j].k = el[i * m + j].k + (int)i", "eo[i * m + j].z += x"));
    printf("            c[i * m + j] %s x;\n        }\n", PICK("=", "+=", "-="));
}

void rows(void)
{
    const char *first = PICK("1", "2"), *last = PICK("m - 1", "m - 2", "i + 1", "m / 2 + 1");
    printf("    WS(grid(1) tile(%s))\n    ", tile());
    printf("for (int i = 1; i < n - 1; i++) {\n        T s = ");
    element("i", "1");
    printf(", g = -100;\n");
    printf(
        "        WS(pipeline(auto) tile(%s) reduction(+: s))\n        for (int j = %s; j < %s; j++)\n            s %s ",
        tile(), first, last, PICK("+=", "-="));
    expression("i", "j", 2);
    printf(";\n        WS(pipeline(auto) tile(%s) reduction(max: g))\n        for (int j = 1; j < m - 1; j++) {\n      "
           "      T x = ",
           tile());
    expression("i", "j", 2);
    printf(";\n            %s\n        }\n", PICK("g = x > g ? x : g;", "if (g < x) g = x;", "if (x >= g) { g = x; }"));
    printf("        WS(pipeline(auto) tile(%s))\n        ", tile());
    printf("for (int j = %s; j < %s; j++)\n            c[i * m + j] = (", first, last);
    expression("i", "j", 2);
    printf(") * s + g;\n        w[i] = s;\n    }\n");
}

void products(void)
{
    static const char *const left[] = {"a[i * m + k]", "t[k * m + i]", "a[(i + 1) * m + k - 1]",
                                       "(a[i * m + k] * u[i])"};
    static const char *const right[] = {"b[k * m + j]", "t[j * m + k]", "(b[k * m + j] - v[j])",
                                        "b[(k - 1) * m + j + 1]"};
    static const char *const turned[] = {"a[i * m + l - k]", "a[(n - i) * m + k]", "(t[k * m + i] * u[n - i])",
                                         "(AT(k) >= 0 && AT(k) < m ? a[i * m + AT(k)] : 0)"};
    const char *memory = PICK("s", "c[i * m + j]");
    int local = memory[0] == 's';
    printf("    WS(grid(2) tile(64, %s))\n    ", PICK("16", "32", "64"));
    loop("i", "n");
    printf("        ");
    loop("j", "m");
    printf("        {\n            %s%s = ", local ? "T " : "", memory);
    element("i", "j");
    printf(";\n            WS(pipeline(auto) tile(%s) reduction(+: %s))\n            ", PICK("8", "16", "32"),
           local ? "s" : "c");
    printf("for (int k = 1; k < %s; k++)\n", PICK("l - 1", "l - 2", "i"));
    printf("                %s%s %s %s * %s;\n", below(4) ? "" : "if (k <= i) ", memory, PICK("+=", "-="),
           pick(lookups && below(2) ? turned : left, 4), pick(right, 4));
    if (local)
        printf("            c[i * m + j] = s;\n");
    printf("        }\n");
}

/* What leaves the grid; numbers stay small, so that the order of a sum of floats does not show.  */
void totals(void)
{
    static const char *const clauses[] = {"+", "max", "min"}, *const sums[] = {"s += x;", "s = x > s ? x : s;",
                                                                               "if (x < s) s = x;"};
    int two = below(2), op = below(3);
    const char *col = two ? "j" : "1";
    printf("    T s = u[1], g = 0;\n    WS(grid(%d)%s reduction(%s: s) reduction(+: g))\n    ", two ? 2 : 1,
           two ? PICK("", " tile(8, 32)", " tile(16, 16)") : PICK("", " tile(32)", " tile(64)"), clauses[op]);
    printf("for (int i = 1; i < n - 1; i++)\n        ");
    if (two)
        loop("j", "m");
    printf("        {\n            T x = ");
    expression("i", col, 2);
    printf(";\n            x = x > 4 ? 4 : x < -4 ? -4 : x;\n");
    if (below(2) && !two) {
        printf("            WS(pipeline(auto) tile(%s) reduction(+: g))\n            for (int k = 1; k < %s; k++) {\n",
               PICK("8", "32"), PICK("m - 1", "i", "m / 2"));
        printf(
            "                if (%s)\n                    g += v[k] * x;\n                else%s\n                    "
            "g -= a[i * m + k];\n            }\n",
            PICK("k < i", "a[i * m + k] > 0", "flag"), PICK("", " if (b[i * m + k] < 0)"));
    } else {
        printf("            if (%s)\n                g %s x;\n", PICK("x > 0", "flag", "i > 3"), PICK("+=", "-="));
    }
    printf(
        "            %s\n            c[i * m + %s] = x;\n        }\n    w[0] = s / (n * m);\n    w[1] = g / (n * m);\n",
        sums[op], col);
}

/* p names each row once, q some of them often.  Sums of floats have an order of their own: few of them are close. */
void scattered(void)
{
    static const char *const conditions[] = {"", "if (x > 0) ", "if (j <= i) ", "if (q[i] != j) ", "if (flag) "};
    const char *op = PICK("+=", "-="), *condition = pick(conditions, 5);
    int form = below(6);
    if (form == 4) {
        printf("    WS(grid(1)%s extent(w : m, q : m) reduction(+ : w))\n    ", PICK("", " tile(32)", " tile(256)"));
        loop("i", "n");
        printf("        for (int j = 1; j < m - 1; j++) {\n            T x = ");
        expression("i", "j", 2);
        printf(";\n            %sw[%s] %s x;\n        }\n", condition, PICK("q[j]", "p[i]", "q[q[j]]"), op);
        return;
    }
    static const char *const clauses[] = {"extent(c : m * m) independent(c)", "extent(c : m * m) reduction(+ : c)",
                                          "extent(w : m) reduction(+ : w)", "extent(y : m * m)"};
    const char *stores[][3] = {{"c[p[i] * m + j]", "c[j * m + p[i]]", "c[p[i] + m * p[j]]"},
                               {"c[q[i] * m + j]", "c[q[j] * m + q[i]]", "c[i * m + q[j]]"},
                               {"w[j]", "w[q[j]]", "w[(q[i] + j) % m]"},
                               {"y[q[j]]", "y[z[i * m + j] & 15]", "y[(p[i] >> 1) * m + q[j]]"}};
    form = form > 4 ? 3 : form;
    printf("    WS(grid(2)%s %s)\n    ", PICK("", " tile(8, 64)", " tile(1, 256)"), clauses[form]);
    loop("i", "n");
    printf("        ");
    loop("j", "m");
    printf("        {\n            T x = ");
    expression("i", "j", 2);
    printf(";\n            %s%s %s %s;\n        }\n", condition, pick(stores[form], 3), form ? op : "=",
           form == 3 ? PICK("3", "(U)j", "z[i * m + j]", "1") : "x");
}
