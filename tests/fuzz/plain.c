/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain.c - prints a random program of plain loops: plain SEED
 *
 * One function, in a file that includes itself: under its pragmas, and without them as f_plain.  Its arrays are read at
 * offsets, across, by one counter, under conditions on counters and on values; there are sums and maxima along rows and
 * columns, products in all orientations, triangles, elements that are looked up, loops that count down, sums that
 * leave the grid, stores to subscripts that are loaded, and integers of 32 and 64 bits with all that C does to them.
 * tests/fuzz/plain compiles it for emulate and runs it.
 */
#include <stdio.h>
#include <stdlib.h>

static unsigned long long state;

static int below(int n)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (int)((state >> 33) % (unsigned)n);
}

static const char *pick(const char *const *list, int n)
{
    return list[below(n)];
}
#define PICK(...) pick((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static int lookups; /* this program has elements that are no window of an array */

static void looked_up(const char *row, const char *col)
{
    switch (below(8)) {
    case 0:
        printf("v[m - 1 - %s]", col);
        break;
    case 1:
        printf("a[(n - 1 - %s) * m + %s]", row, col);
        break;
    case 2:
        printf("v[(%s + %s) / 2]", row, col);
        break;
    case 3:
        printf("b[%s * m + %s]", col, col);
        break;
    case 4:
        printf("(AT(%s) >= 0 && AT(%s) < m ? v[AT(%s)] : (T)2)", col, col, col);
        break;
    case 5:
        printf("(AT(%s) >= 1 && AT(%s) < n ? b[AT(%s) * m + %s] : (T)3)", row, row, row, col);
        break;
    case 6:
        printf("t[(%s * 3 + %s) %% m]", row, col);
        break;
    default:
        printf("(%s + %s < n ? u[%s + %s] : (T)1)", row, col, row, col);
    }
}

/* Row and column are counters that are inside the arrays by one on each side. */
static void element(const char *row, const char *col)
{
    if (lookups && below(3) == 0) {
        looked_up(row, col);
        return;
    }
    switch (below(6)) {
    case 0:
        printf("a[(%s + %d) * m + %s + %d]", row, below(3) - 1, col, below(3) - 1);
        break;
    case 1:
        printf("b[%s * m + %s]", row, col);
        break;
    case 2:
        printf("u[%s%s]", row, PICK("", " + 1", " - 1"));
        break;
    case 3:
        printf("v[%s]", col);
        break;
    case 4:
        printf("t[%s * m + %s]", col, row);
        break;
    default:
        printf("(T)%d", below(9) - 4);
    }
}

static void expression(const char *row, const char *col, int depth)
{
    if (!depth || below(5) == 0) {
        element(row, col);
        return;
    }
    switch (below(8)) {
    case 0:
    case 1:
    case 2:
        printf("(");
        expression(row, col, depth - 1);
        printf(" %s ", PICK("+", "-", "*"));
        expression(row, col, depth - 1);
        printf(")");
        break;
    case 3:
        printf("(");
        expression(row, col, depth - 1);
        printf(" %s ", PICK("<", ">", "<=", ">="));
        expression(row, col, depth - 1);
        printf(" ? ");
        expression(row, col, depth - 1);
        printf(" : ");
        expression(row, col, depth - 1);
        printf(")");
        break;
    case 4:
        printf("(%s %s %s + %d ? ", row, PICK("<", ">", "<=", "==", "!="), col, below(5) - 2);
        expression(row, col, depth - 1);
        printf(" : ");
        expression(row, col, depth - 1);
        printf(")");
        break;
    case 5:
        printf("- ");
        expression(row, col, depth - 1);
        break;
    case 6:
        printf("(T)0.5 * ");
        expression(row, col, depth - 1);
        break;
    default:
        printf("(flag ? ");
        expression(row, col, depth - 1);
        printf(" : ");
        expression(row, col, depth - 1);
        printf(")");
    }
}

static void loop(const char *counter, const char *end)
{
    switch (below(6)) {
    case 0:
        printf("for (int %s = %s - 2; %s >= 1; %s--)\n", counter, end, counter, counter);
        break;
    case 1:
        printf("for (int %s = 1; %s <= %s - 2; %s += 1)\n", counter, counter, end, counter);
        break;
    case 2:
        printf("for (long %s = 1; %s < %s - 1; ++%s)\n", counter, counter, end, counter);
        break;
    default:
        printf("for (int %s = 1; %s < %s - 1; %s++)\n", counter, counter, end, counter);
    }
}

static const char *tile(void)
{
    return PICK("1", "8", "16", "32", "64");
}

static void elementwise(void)
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
        printf("            %s (%s)\n                x = ", "if",
               PICK("x > 0", "j <= i", "i + 2 < j", "v[j] < x", "flag"));
        expression("i", "j", 2);
        printf(";\n");
    }
    if (below(3) == 0)
        printf("            if (%s)\n                continue;\n",
               PICK("j > i", "i == j", "x < 0", "b[i * m + j] > 0"));
    printf("            c[i * m + j] %s x;\n        }\n", PICK("=", "+=", "-="));
}

static void rows(void)
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

static void products(void)
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
static void totals(void)
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
static void scattered(void)
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

/* Of U, which has no sign; S is the type of as many bits that has one. */
static void integer(const char *row, const char *col, int depth)
{
    if (!depth || below(6) == 0) {
        switch (below(6)) {
        case 0:
            printf("(U)z[%s * m + %s]", row, col);
            break;
        case 1:
            printf("(U)%s", PICK("i", "(n - i)", "0x9e3779b97f4a7c15ul", "255", "-3", "q[i]"));
            break;
        case 2:
            printf("(U)(S)(v[%s] * 1000)", col);
            break;
        case 3:
            printf("(U)q[%s]", col);
            break;
        default:
            printf("x[%s * m + %s%s]", row, col, PICK("", " + 1", " - 1"));
        }
        return;
    }
    static const char *const unary[] = {"~",
                                        "(U)(int)",
                                        "(U)(unsigned char)",
                                        "(U)(short)",
                                        "(U)-(S)(U)(unsigned)",
                                        "(U)(S)(double)(S)(int)",
                                        "(U)(unsigned)",
                                        "0 - "};
    int form = below(9);
    printf("(");
    if (form == 0) {
        printf("%s", pick(unary, 8));
        integer(row, col, depth - 1);
    } else if (form == 1) {
        printf("(U)((S)");
        integer(row, col, depth - 1);
        printf(" %s %d)", PICK("/", "%"), below(1000) + 1);
    } else if (form == 2) {
        integer(row, col, depth - 1);
        printf(" %s (q[%s] & 31)", PICK("<<", ">>"), col);
    } else if (form == 3) {
        printf("(U)((S)");
        integer(row, col, depth - 1);
        printf(" >> %d)", below(32));
    } else if (form == 4) {
        const char *type = PICK("S", "U");
        printf("(%s)", type);
        integer(row, col, depth - 1);
        printf(" %s (%s)", PICK("<", "<=", ">", ">=", "==", "!="), type);
        integer(row, col, depth - 1);
        printf(" ? ");
        integer(row, col, depth - 1);
        printf(" : ");
        integer(row, col, depth - 1);
    } else {
        integer(row, col, depth - 1);
        printf(" %s ", PICK("+", "-", "*", "&", "|", "^"));
        integer(row, col, depth - 1);
    }
    printf(")");
}

static void integers(void)
{
    if (below(2)) {
        printf("    WS(grid(2)%s)\n    ", PICK("", " tile(16, 32)"));
        loop("i", "n");
        printf("        ");
        loop("j", "m");
        printf("        {\n            U e = ");
        integer("i", "j", 3);
        printf(";\n            y[i * m + j] %s e;\n            c[i * m + j] = (T)%s;\n        }\n",
               PICK("=", "+=", "^=", "-="), PICK("e", "(S)e", "(int)(S)e", "(e >> 1)"));
        return;
    }
    printf("    WS(grid(1) tile(%s))\n    ", tile());
    printf("for (int i = 1; i < n - 1; i++) {\n        U s = %s;\n        S g = -100;\n", PICK("0", "7", "(U)z[i]"));
    printf("        WS(pipeline(auto) tile(%s))\n        for (int j = 1; j < m - 1; j++)\n            s %s ", tile(),
           PICK("+=", "-="));
    integer("i", "j", 2);
    printf(";\n        WS(pipeline(auto) tile(%s))\n        for (int j = 1; j < %s; j++) {\n            S e = (S)(",
           tile(), PICK("m - 1", "i + 1"));
    integer("i", "j", 2);
    printf(");\n            g = e %s g ? e : g;\n        }\n", PICK(">", "<"));
    printf("        y[2 * i] = s;\n        y[2 * i + 1] = (U)g;\n        w[i] = (T)g;\n    }\n");
}

int main(int argc, char **argv)
{
    int seed = argc > 1 ? atoi(argv[1]) : 0;
    state = (unsigned long long)seed * 0x9e3779b97f4a7c15ull + 1;
    for (int i = 0; i < 8; i++)
        below(2);
    const char *type = below(3) ? "float" : "double";
    int kind = below(6), n = 3 + below(90), m = n + below(30);
    lookups = below(3) == 0;
    printf("/* plain %d */\n#ifdef KERNEL\n", seed);
    const char *wide = below(3) ? "int" : "long"; /* of which the low half says where */
    const char *whole = below(3) ? "long" : "int", *numbers = whole[0] == 'l' ? "WS_I64" : "WS_I32";
    printf("#undef AT\n#define AT(i) %sat[i]\n", wide[0] == 'l' ? "(int)" : "");
    printf("KERNEL(f)(int n, int m, int l, int flag, T *c, T *w, const T *a, const T *b, const T *t, const T *u, const "
           "T *v, const %s *at, U *y, const U *x, const S *z, const %s *p, const int *q)\n{\n",
           wide, wide);
    if (kind == 0)
        elementwise();
    else if (kind == 1)
        rows();
    else if (kind == 2)
        products();
    else if (kind == 3)
        totals();
    else if (kind == 4)
        scattered();
    else
        integers();
    printf("}\n#else\n#include \"plain.h\"\n#define T %s\n#define S %s\n#define U unsigned %s\n#define WS "
           "PLAIN_PRAGMA\n#define KERNEL(name) static void "
           "name\n",
           type, whole, whole);
    printf("#include __FILE__\n#undef WS\n#undef KERNEL\n#define WS(...)\n#define KERNEL(name) static void "
           "name##_plain\n");
    printf("#include __FILE__\n\n#define ARRAY(name, size) PLAIN_ARRAY(%s, T, name, size)\n",
           type[0] == 'f' ? "WS_F32" : "WS_F64");
    printf("int main(int argc, char **argv)\n{\n    check_begin(\"plain %d\", argc, argv);\n", seed);
    printf("    int n = %d, m = %d, l = %d, flag = %d;\n", n, m, n, below(2));
    printf("    ARRAY(c, m * m); ARRAY(w, m); ARRAY(a, m * m); ARRAY(b, m * m); ARRAY(t, m * m); ARRAY(u, m); ARRAY(v, "
           "m);\n    %s *at = check_output(%s, (size_t)m);\n    for (int i = 0; i < m; i++)\n        at[i] = i * "
           "37 %% (m + 7) - 3;\n",
           wide, wide[0] == 'l' ? "WS_F64" : "WS_I32");
    printf("    %s *p = check_output(%s, (size_t)m);\n    int *q = check_output(WS_I32, (size_t)m);\n", wide,
           wide[0] == 'l' ? "WS_I64" : "WS_I32");
    printf("    PLAIN_ARRAY(%s, U, y, m * m);\n    PLAIN_ARRAY(%s, U, x, m * m);\n    PLAIN_ARRAY(%s, S, z, m * m);\n",
           numbers, numbers, numbers);
    printf("    unsigned long state = %d;\n    for (int i = 0; i < m; i++) {\n        int k = (int)(check_bits() %% "
           "(unsigned)(i + 1));\n        q[i] = (int)(check_bits() %% (unsigned)m);\n        p[i] = i;\n        p[i] = "
           "p[k];\n        p[k] = i;\n    }\n",
           seed);
    printf(
        "    for (int i = 0; i < m * m; i++) {\n        state = state * 6364136223846793005ul + 1442695040888963407ul;"
        "\n        x[i] = x_[i] = (U)(state >> i %% 60);\n        z[i] = z_[i] = (S)(U)(state >> i %% 37) / (i %% 5 "
        "+ 1);\n        y[i] = y_[i] = (U)i;\n    }\n");
    printf("    f(n, m, l, flag, check_place(c), check_place(w), check_place(a), check_place(b), check_place(t), "
           "check_place(u), "
           "check_place(v), check_place(at), check_place(y), check_place(x), check_place(z), check_place(p), "
           "check_place(q));\n    check_fetch();\n    f_plain(n, m, l, flag, c_, w_, a_, b_, t_, u_, "
           "v_, at, y_, x_, z_, p, q);\n");
    printf(
        "    unsigned bits = 1;\n    for (size_t i = 0; i < (size_t)(m * m) * sizeof(T); i++)\n        bits = bits * "
        "31 + "
        "((unsigned char *)c)[i];\n    for (size_t i = 0; i < (size_t)m * sizeof(T); i++)\n        bits = bits * 31 + "
        "((unsigned char *)w)[i];\n    for (int i = 0; i < m * m; i++)\n        bits = bits * 31 + (unsigned)y[i] + "
        "(unsigned)((unsigned long)y[i] >> 32);\n    check_true(!memcmp(y, y_, sizeof *y * (size_t)m * (size_t)m), "
        "\"integers\");\n    printf(\"bits %%08x\\n\", bits);\n");
    printf("    PLAIN_SAME(c, m * m, %s);\n    PLAIN_SAME(w, m, %s);\n    return plain_end();\n}\n#endif\n",
           type[0] == 'f' ? "2e-4" : "1e-12", type[0] == 'f' ? "2e-4" : "1e-12");
    return 0;
}
