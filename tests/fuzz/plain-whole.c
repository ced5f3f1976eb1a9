/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-whole.c - the frame of a kind that declares its own arrays.
 *
 *     whole_begin(seed);
 *     whole_scalar("int", "n", "%d", 1 + below(99));
 *     whole_array("const float *", "x", 0, "n", "(float)(r % 9)");
 *     whole_array("float *", "y", 0, "n", "-1");
 *     whole_body();
 *     printf("    WS(grid(1))\n    for (int i = 0; i < n; i++)\n        y[i] = x[i] * 3;\n");
 *     whole_end();
 */
#include <stdarg.h>

#include "plain.h"

enum { MOST = 80, LONGEST = 256 };

typedef struct {
    const char *type, *name, *size, *value;
    double tolerance;
    int at_end; /* of the page in front of the one that is not there */
} Array;

typedef struct {
    const char *type, *name;
    char value[LONGEST];
} Scalar;

static struct {
    int seed, nscalars, narrays;
    Scalar scalars[MOST];
    Array arrays[MOST];
    const char *header, *before, *after, *verdict;
} whole;

void whole_begin(int seed)
{
    whole.seed = seed;
    whole.nscalars = whole.narrays = 0;
    whole.header = whole.before = whole.after = whole.verdict = "";
}

void whole_around(const char *header, const char *before, const char *after, const char *verdict)
{
    whole.header = header;
    whole.before = before;
    whole.after = after;
    whole.verdict = verdict;
}

void whole_scalar(const char *type, const char *name, const char *value, ...)
{
    if (whole.nscalars == MOST)
        return;
    Scalar *scalar = &whole.scalars[whole.nscalars++];
    scalar->type = type;
    scalar->name = name;
    va_list list;
    va_start(list, value);
    vsnprintf(scalar->value, sizeof scalar->value, value, list);
    va_end(list);
}

void whole_array(const char *type, const char *name, double tolerance, const char *size, const char *value)
{
    if (whole.narrays < MOST)
        whole.arrays[whole.narrays++] = (Array){type, name, size, value, tolerance, below(4) > 0};
}

void whole_body(void)
{
    printf("/* plain %d */\n#ifdef KERNEL\nKERNEL(f)(", whole.seed);
    for (int k = 0; k < whole.nscalars; k++)
        printf("%s%s %s", k ? ", " : "", whole.scalars[k].type, whole.scalars[k].name);
    for (int k = 0; k < whole.narrays; k++)
        printf("%s%s%s", whole.nscalars + k ? ", " : "", whole.arrays[k].type, whole.arrays[k].name);
    printf(")\n{\n");
}

static void call(const char *function, const char *suffix)
{
    printf("    %s(", function);
    for (int k = 0; k < whole.nscalars; k++)
        printf("%s%s", k ? ", " : "", whole.scalars[k].name);
    for (int k = 0; k < whole.narrays; k++)
        printf("%s%s%s", whole.nscalars + k ? ", " : "", whole.arrays[k].name, suffix);
    printf(");\n");
}

void whole_end(void)
{
    printf("}\n#else\n#include \"plain-whole.h\"\n%s#define WS PLAIN_PRAGMA\n#define KERNEL(name) static void name\n"
           "#include __FILE__\n#undef WS\n#undef KERNEL\n#define WS(...)\n#define KERNEL(name) static "
           "__attribute__((optimize(0))) void name##_plain\n#include __FILE__\n\n"
           "__attribute__((optimize(0))) int main(int argc, char **argv)\n{\n"
           "    check_begin(\"plain %d\", argc, argv);\n",
           whole.header, whole.seed);
    for (int k = 0; k < whole.nscalars; k++)
        printf("    %s %s = %s;\n", whole.scalars[k].type, whole.scalars[k].name, whole.scalars[k].value);
    for (int k = 0; k < whole.narrays; k++)
        printf("    WHOLE_ARRAY(%s, %s, %s, %d, %s);\n", whole.arrays[k].type, whole.arrays[k].name,
               whole.arrays[k].size, whole.arrays[k].at_end, whole.arrays[k].value);
    printf("%s", whole.before);
    call("f", "");
    printf("    check_fetch();\n%s", whole.after);
    call("f_plain", "_");
    for (int k = 0; k < whole.narrays; k++)
        printf("    WHOLE_SAME(%s, %s, %g);\n", whole.arrays[k].name, whole.arrays[k].size, whole.arrays[k].tolerance);
    printf("%s    return whole_verdict();\n}\n#endif\n", whole.verdict);
}
