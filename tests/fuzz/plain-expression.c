/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plain-expression.c - elements and expressions of floating numbers, and the heads of loops.  */
#include "plain.h"

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

static void other_type(const char *row, const char *col)
{
    static const char *const forms[] = {"(T)by[%s * m + %s]", "(T)(signed char)by[%s * m + %s]",
                                        "(T)hf[%s * m + %s]", "(T)is[%s * m + %s]",
                                        "el[%s * m + %s].x",  "(T)el[%s * m + %s].k",
                                        "el[%s * m + %s].z"};
    printf("(");
    printf(pick(forms, 7), row, col);
    printf(")");
}

/* Row and column are counters that are inside the arrays by one on each side. */
void element(const char *row, const char *col)
{
    if (lookups && below(3) == 0) {
        looked_up(row, col);
        return;
    }
    if (richer && below(4) == 0) {
        other_type(row, col);
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

void condition(const char *row, const char *col)
{
    static const char *const forms[] = {
        "is[%s * m + %s]",       "by[%s * m + %s] > 100",           "!is[%s * m + %s] && flag",
        "el[%s * m + %s].k & 1", "(hf[%s * m + %s] >> 3 & 5) == 4", "is[%s * m + %s] != flag"};
    printf(pick(forms, 6), row, col);
}

static void call(const char *row, const char *col, int depth)
{
    int form = below(5);
    if (form == 0) {
        printf("F(%s)(", PICK("fmax", "fmin", "copysign", "fdim"));
        expression(row, col, depth - 1);
        printf(", ");
    } else if (form == 1) {
        printf("F(%s)(-F(fabs)(", PICK("exp", "exp2", "tanh"));
    } else if (form == 2) {
        printf("F(%s)(F(fabs)(", PICK("sqrt", "log1p"));
    } else if (form == 3) {
        expression(row, col, depth - 1);
        printf(" / (F(fabs)(");
    } else {
        printf("F(%s)((T)10 * (", PICK("floor", "ceil", "trunc", "round", "rint"));
    }
    expression(row, col, depth - 1);
    printf(form == 0 ? ")" : form == 3 ? ") + 1)" : "))");
}

void expression(const char *row, const char *col, int depth)
{
    if (!depth || below(5) == 0) {
        element(row, col);
        return;
    }
    if (richer && below(4) == 0) {
        if (below(2)) {
            printf("(");
            call(row, col, depth);
            printf(")");
            return;
        }
        printf("(");
        condition(row, col);
        printf(" ? ");
        expression(row, col, depth - 1);
        printf(" : ");
        expression(row, col, depth - 1);
        printf(")");
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

void loop(const char *counter, const char *end)
{
    static const char *const heads[] = {
        "for (unsigned %s = 1; %s < (unsigned)%s - 1; %s++)\n", "for (size_t %s = 1; %s + 1 < (size_t)%s; %s++)\n",
        "for (unsigned long %s = 1; %s < (unsigned long)(%s - 1); %s++)\n", "for (int %s = 1; %s != %s - 1; %s += 1)\n",
        "for (short %s = 1; %s < %s - 1; %s++)\n"};
    if (anywhere && below(2)) {
        printf(pick(heads, 4), counter, counter, end, counter);
        return;
    }
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

const char *tile(void)
{
    return PICK("1", "8", "16", "32", "64");
}
