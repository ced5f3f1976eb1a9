/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plain-integers.c - integers of 32 and 64 bits with all that C does to them. finds: seeds 79000062 and 79000101 of
   kinds=guards,halos,minmax,integers,rows with frontend=clang, where constants have signs and casts are lost.  */
#include "plain.h"

/* Of U, which has no sign; S is the type of as many bits that has one. */
void integer(const char *row, const char *col, int depth)
{
    if (!depth || below(6) == 0) {
        if (richer && below(3) == 0) {
            static const char *const forms[] = {"(U)by[%s * m + %s]", "(U)hf[%s * m + %s]", "(U)is[%s * m + %s]",
                                                "(U)(signed char)by[%s * m + %s]", "(U)(S)(short)hf[%s * m + %s]"};
            printf(pick(forms, 5), row, col);
            return;
        }
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
    int form = below(richer ? 11 : 9);
    printf("(");
    if (form == 0) {
        printf("%s", pick(unary, 8));
        integer(row, col, depth - 1);
    } else if (form == 1) {
        printf("(U)((S)");
        integer(row, col, depth - 1);
        printf(" %s %d)", PICK("/", "%"), below(1000) + 1);
    } else if (form == 9) {
        integer(row, col, depth - 1);
        printf(" %s (", PICK("/", "%"));
        integer(row, col, depth - 1);
        printf(" %s)", PICK("| 1", "| 0x80000001u", "& 255 | 16"));
    } else if (form == 10) {
        integer(row, col, depth - 1);
        printf(" %s %su", PICK("/", "%"), PICK("3", "10", "256", "65537", "3000000007", "1"));
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

void integers(void)
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
