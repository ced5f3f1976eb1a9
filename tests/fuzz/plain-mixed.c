/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-mixed.c - all pairs of types, operators and places of C's arithmetic; smallest and largest of all types.
 *
 * mixed draws no dice for the pair: seed s has the six behind 6 s of all triples of two types and an operator, in a
 * fixed order without a pattern, each with the second operand as an element, a scalar and a counter.
 *
 * finds: seed 1 of kinds=minmax and seed 8 of kinds=mixed without the mend
 */
#include "plain.h"

enum { TYPES = 11, OPERATORS = 21, EACH = 6 };
static const char *const types[TYPES] = {"signed char", "unsigned char", "short", "unsigned short", "int",  "unsigned",
                                         "long",        "unsigned long", "float", "double",         "_Bool"};
static const char *const operators[OPERATORS] = {"+",  "-", "*",  "/",  "%",  "&",   "|",   "^",    "<<",   ">>", "<",
                                                 "<=", ">", ">=", "==", "!=", "min", "max", "fmin", "fmax", "op="};

static int is_real(int type)
{
    return type == 8 || type == 9;
}

static int is_unsigned(int type)
{
    return type < 8 && type % 2;
}

/* What does not overflow where it is added and multiplied; what has all bits; neither is 0 where a float would show
   it. */
static const char *small_value(int type)
{
    return is_real(type)       ? "(float)(long)(r % 4001) / 8 - 250.0625f"
           : type == 10        ? "r >> 20 & 1"
           : is_unsigned(type) ? "r >> 13"
                               : "(long)(r >> 9 & 0x7fff) - 0x4000";
}

static const char *any_value(int type)
{
    return is_real(type)  ? "(float)((long)r >> (9 + r % 50)) + 0.5f"
           : type == 10   ? "r >> 20 & 1"
           : type == 6    ? "(long)r >> (1 + r % 60)"
           : type % 2 < 1 ? "(long)r >> r % 31"
                          : "r >> r % 60";
}

/* x and y: texts of operands of these types. */
static void operation(int op, int first, int second, const char *x, const char *y)
{
    int real = is_real(first) || is_real(second);
    switch (op) {
    case 3: /* by what is not 0 */
        printf(real ? "%s / ((double)%s + 1000)" : "%s / (%s | 1)", x, y);
        return;
    case 4:
        printf(real ? "%s - %s" : "%s %% (%s | 1)", x, y);
        return;
    case 5:
    case 6:
    case 7:
        printf("%s %s %s", x, real ? "*" : operators[op], y);
        return;
    case 8:
    case 9:
        printf(real ? "%s %s %s" : "%s %s (%s & 15)", x, real ? "+" : operators[op], y);
        return;
    case 16:
    case 17:
        printf("%s %s %s ? %s : %s", x, op == 16 ? PICK("<", "<=") : PICK(">", ">="), y, x, y);
        return;
    case 18:
    case 19:
        printf("%s(%s, %s)", operators[op], x, y);
        return;
    default:
        printf("%s %s %s", x, operators[op], y);
    }
}

/* x: an element, p: a scalar; with a number for the type. */
static const char *place(char *buffer, const char *array, int type, const char *index)
{
    snprintf(buffer, 40, index ? "%s%d[%s]" : "%s%d", array, type, index);
    return buffer;
}

static void assignment(int op, int first, int second, int number, int arrays)
{
    char x[40], y[40], z[40];
    int adds = op < 5 || op == 20;
    place(x, adds ? "s" : "x", first, "k");
    const char *ys[] = {place(y, adds ? "s" : "x", second, arrays ? "n - 1 - k" : "k"),
                        place(z, adds ? "q" : "p", second, NULL), "i"};
    for (int form = 0; form < 3; form++) {
        int type = form < 2 ? second : 4;
        printf("        ");
        if (op == 20) {
            const char *sign = is_real(first) || is_real(type) ? PICK("+", "-") : PICK("+", "-", "*", "&", "|", "^");
            int cuts = is_real(type) && !is_real(first); /* where C says what that is */
            printf("{\n            %s t = %s;\n            t %s= %s;\n            ", cuts ? types[type] : types[first],
                   x, sign, ys[form]);
            printf("%s%d[k] = t;\n        }\n", is_real(first) || cuts ? "d" : "o", 3 * number + form);
            continue;
        }
        int real = is_real(first) || is_real(type) || op == 18 || op == 19, truth = op >= 10 && op <= 15;
        printf("%s%d[k] = ", real && !truth ? "d" : "o", 3 * number + form);
        operation(op, first, type, x, ys[form]);
        printf(";\n");
    }
}

void mixed(int seed)
{
    static const char *const counters[] = {"int", "long", "unsigned", "unsigned long"};
    static const char *const names[TYPES] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"};
    static char declared[4 * TYPES][32], named[4 * TYPES][8];
    int used[TYPES] = {0}, first[EACH], second[EACH], op[EACH];
    for (int i = 0; i < EACH; i++) {
        unsigned at = ((unsigned)seed * EACH + (unsigned)i) * 1049u % (TYPES * TYPES * OPERATORS);
        first[i] = (int)at % TYPES;
        second[i] = (int)at / TYPES % TYPES;
        op[i] = (int)at / TYPES / TYPES;
        used[first[i]] = used[second[i]] = 1;
    }
    whole_begin(seed);
    int n = 1 + below(60), low = below(200) - 100;
    whole_scalar("int", "n", "%d", n);
    for (int t = 0, k = 0; t < TYPES; t++) {
        if (!used[t])
            continue;
        for (int wide = 0; wide < 2; wide++, k++) {
            snprintf(declared[k], sizeof declared[k], "const %s *", types[t]);
            snprintf(named[k], sizeof named[k], "%s%s", wide ? "x" : "s", names[t]);
            whole_array(declared[k], named[k], 0, "n", wide ? any_value(t) : small_value(t));
        }
    }
    for (int t = 0, k = 2 * TYPES; t < TYPES; t++) {
        if (!used[t])
            continue;
        long bits = ((long)below(1 << 30) << 33 ^ (long)below(1 << 30) << 8) >> below(50);
        for (int wide = 0; wide < 2; wide++, k++) {
            snprintf(named[k], sizeof named[k], "%s%s", wide ? "p" : "q", names[t]);
            if (is_real(t))
                whole_scalar(types[t], named[k], "%d.25", below(400) - 200);
            else if (wide)
                whole_scalar(types[t], named[k], "(%s)%ldL", types[t], below(2) ? bits : -bits);
            else
                whole_scalar(types[t], named[k], "(%s)%d", types[t], below(20000) - 10000);
        }
    }
    for (int k = 0; k < 3 * EACH; k++) {
        static char outputs[2][3 * EACH][8];
        snprintf(outputs[0][k], sizeof outputs[0][k], "o%d", k);
        snprintf(outputs[1][k], sizeof outputs[1][k], "d%d", k);
        whole_array("unsigned long *", outputs[0][k], 0, "n", "r");
        whole_array("double *", outputs[1][k], 0, "n", "i");
    }
    whole_body();
    const char *counter = counters[below(4)];
    if (counter[0] == 'u')
        low = counter[8] && low > 0 ? low : 0;
    printf("    WS(grid(1)%s)\n    for (%s i = %d; i < n + %d; i++) {\n        %s k = i - %d;\n", PICK("", " tile(32)"),
           counter, low, low, counter, low);
    for (int i = 0; i < EACH; i++)
        assignment(op[i], first[i], second[i], i, below(2) && counter[0] != 'u');
    printf("    }\n");
    whole_end();
}

/* ---- smallest and largest ---------------------------------------------------------------------------------------- */

/* Of x, in the variable. */
static void extreme(const char *variable, const char *x, int most, const char *indent)
{
    const char *sign = most ? PICK(">", ">=") : PICK("<", "<=");
    if (below(3))
        printf("%s%s = %s %s %s ? %s : %s;\n", indent, variable, x, sign, variable, x, variable);
    else
        printf("%sif (%s %s %s)\n%s    %s = %s;\n", indent, x, sign, variable, indent, variable, x);
}

void minmax(int seed)
{
    static char element[32], result[32];
    int type = below(8), held = below(4) ? type : below(2) ? 6 : (type | 1) == 7 ? type : 4 + type % 2;
    if (held < type || (is_unsigned(type) && held == type - 1))
        held = type;
    int rows = 1 + below(9), columns = 1 + below(200), form = below(4);
    snprintf(element, sizeof element, "const %s *", types[type]);
    snprintf(result, sizeof result, "%s *", types[held]);
    whole_begin(seed);
    whole_scalar("int", "n", "%d", rows);
    whole_scalar("int", "m", "%d", columns);
    whole_scalar(types[held], "p", "(%s)%ldL", types[held], below(2) ? 0L : (long)below(1 << 30) * (below(9) - 4));
    whole_array(element, "x", 0, "n * m", below(2) ? any_value(type) : PICK("r >> 3", "~(r >> 50)", "r >> 55"));
    whole_array(result, "a", 0, "n + m", "r");
    whole_array(result, "b", 0, "n + m", "r");
    whole_array("int *", "at", 0, "n + m", "r");
    whole_body();
    static const char *const least[] = {"-128", "0", "-32768", "0", "-2147483647 - 1", "0", "-0x7fffffffffffffff - 1",
                                        "0"};
    static const char *const most[] = {
        "127", "255", "32767", "65535", "2147483647", "0xffffffffu", "0x7fffffffffffffff", "0xfffffffffffffffful"};
    const char *low = below(3) ? most[held] : "p", *high = below(3) ? least[held] : "p";
    const char *x = below(4) ? "x[i * m + j]" : "(x[i * m + j] ^ 1)";
    if (form == 0) { /* leaves the grid */
        printf("    %s lo = %s, hi = %s;\n    WS(grid(%d) reduction(min : lo) reduction(max : hi))\n"
               "    for (int i = 0; i < n; i++)\n        for (int j = 0; j < m; j++) {\n",
               types[held], low, high, 1 + below(2));
        extreme("lo", x, 0, "            ");
        extreme("hi", x, 1, "            ");
        printf("        }\n    a[0] = lo;\n    b[0] = hi;\n");
        whole_end();
        return;
    }
    if (form == 1) { /* where the first largest is, in order */
        printf("    WS(grid(1))\n    for (int i = 0; i < n; i++) {\n        %s best = %s;\n        int first = -1;\n"
               "        for (int j = 0; j < m; j++)\n            if (%s > best) {\n                best = %s;\n"
               "                first = j;\n            }\n        a[i] = best;\n        at[i] = first;\n    }\n",
               types[held], high, x, x);
        whole_end();
        return;
    }
    const char *outer = form == 2 ? "i" : "j", *inner = form == 2 ? "j" : "i";
    printf("    WS(grid(1)%s)\n    for (int %s = 0; %s < %s; %s++) {\n        %s lo = %s, hi = %s;\n"
           "        WS(pipeline(auto)%s reduction(min : lo) reduction(max : hi))\n"
           "        for (int %s = 0; %s < %s; %s++) {\n",
           PICK("", " tile(8)", " tile(64)"), outer, outer, form == 2 ? "n" : "m", outer, types[held], low, high,
           PICK("", " tile(16)"), inner, inner,
           form == 3        ? "n"
           : columns > rows ? PICK("m", "m - i")
                            : "m",
           inner);
    extreme("lo", x, 0, "            ");
    extreme("hi", x, 1, "            ");
    printf("        }\n        a[%s] = lo;\n        b[%s] = hi;\n    }\n", outer, outer);
    whole_end();
}
