/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-bytes.c - a variable of an iteration, or a union, that is read and written as numbers of other types: whole, by
 * halves and by bytes, through pointers, members and memcpy, in loops and under conditions.
 * finds: seed 24 of kinds=bytes without the mend
 */
#include "plain.h"

static const char *const types[] = {"u8", "s8", "u16", "s16", "u32", "s32", "f32", "u64", "s64", "f64"};
static const int sizes[] = {1, 1, 2, 2, 4, 4, 4, 8, 8, 8};

static int is_real(int type)
{
    return type == 6 || type == 9;
}

/* An integer of the elements. */
static const char *integer_of(void)
{
    return PICK("(int)i", "k[i]", "(k[i] >> 3)", "k[n - 1 - i]", "(k[i] ^ 21)", "(int)s", "m");
}

/* Some of the variable's bytes, as an lvalue. */
static int part(int size, int in_union)
{
    int type = below(10);
    while (sizes[type] > size)
        type = below(10);
    int at = below(size / sizes[type]);
    if (in_union && below(2))
        printf("v.%s_[%d]", types[type], at);
    else if (!at && below(2))
        printf("*(%s *)&v", types[type]);
    else
        printf("((%s *)&v)[%d]", types[type], at);
    return type;
}

static void action(int size, int in_union, int depth)
{
    switch (below(depth ? 8 : 5)) {
    case 0:
    case 1: {
        printf("            ");
        int type = part(size, in_union);
        if (is_real(type))
            printf(" = %s;\n", PICK("(float)k[i] * 0.5f", "(float)i", "x[i]", "x[i] + 1", "-x[i]"));
        else
            printf(" %s %s;\n", type == 5 || type == 8 ? PICK("=", "^=") : PICK("=", "=", "+=", "^="), integer_of());
        break;
    }
    case 2: {
        printf("            s = s * 31 + (unsigned long)(");
        int type = part(size, in_union);
        printf("%s);\n", is_real(type) ? " > 0" : "");
        break;
    }
    case 3: { /* copied out */
        int type = below(10);
        while (sizes[type] > size)
            type = below(10);
        printf("            {\n                %s t;\n                __builtin_memcpy(&t, &v, sizeof t);\n"
               "                s = s * 31 + (unsigned long)(t%s);\n            }\n",
               types[type], is_real(type) ? " > 0" : "");
        break;
    }
    case 4: { /* and in */
        const int four = size >= 4 && below(2);
        printf("            {\n                %s t = %s;\n                __builtin_memcpy(&v, &t, sizeof t);\n"
               "            }\n",
               four ? "f32" : "u8", four ? "x[i]" : "(u8)k[i]");
        break;
    }
    case 5:
        printf("            if (%s) {\n", PICK("k[i] & 4", "x[i] > 0", "i % 3 == 1", "m > 1"));
        action(size, in_union, depth - 1);
        printf("            }\n");
        break;
    case 6:
        printf("            for (int j = 0; j < %s; j++) {\n", PICK("m", "3", "2"));
        action(size, in_union, depth - 1);
        printf("            }\n");
        break;
    default:
        action(size, in_union, depth - 1);
        action(size, in_union, depth - 1);
        break;
    }
}

void bytes(int seed)
{
    int type = 4 + below(6), in_union = below(2), size = sizes[type];
    whole_begin(seed);
    whole_scalar("int", "n", "%d", 1 + below(600));
    whole_scalar("int", "m", "%d", 1 + below(3));
    whole_array("const float *", "x", 0, "n", "(float)((long)(r % 99) - 40) * 0.37f");
    whole_array("const int *", "k", 0, "n", "(int)r");
    whole_array("unsigned long *", "y", 0, "n", "i");
    whole_array(type == 6 ? "unsigned *" : type == 9 ? "unsigned long *" : "long *", "z", 0, "n", "i");
    whole_body();
    for (int t = 0; t < 10; t++)
        printf("    typedef %s __attribute__((may_alias)) %s;\n",
               ((const char *const[]){"unsigned char", "signed char", "unsigned short", "short", "unsigned", "int",
                                      "float", "unsigned long", "long", "double"})[t],
               types[t]);
    if (in_union) {
        size = below(2) ? 8 : 4;
        printf("    typedef union {\n");
        for (int t = 0; t < 10; t++)
            if (sizes[t] <= size)
                printf("        %s %s_[%d];\n", types[t], types[t], size / sizes[t]);
        printf("    } bits;\n");
    }
    printf("    WS(grid(1)%s)\n    for (int i = 0; i < n; i++) {\n        unsigned long s = 7;\n        ",
           PICK("", " tile(64)"));
    if (in_union)
        printf("bits v;\n        v.%s_[0] = %s;\n", size == 8 ? "s64" : PICK("s32", "u32"), "k[i]");
    else
        printf("%s v = %s;\n", types[type], is_real(type) ? "x[i]" : "k[i]");
    printf("        {\n");
    for (int count = 1 + below(5); count > 0; count--)
        action(size, in_union, 2);
    printf("        }\n        y[i] = s;\n        z[i] = %s;\n    }\n", in_union ? size == 8 ? "v.s64_[0]" : "v.s32_[0]"
                                                                        : type == 6 ? "*(u32 *)&v"
                                                                        : type == 9 ? "*(u64 *)&v"
                                                                                    : "(long)v");
    whole_end();
}
