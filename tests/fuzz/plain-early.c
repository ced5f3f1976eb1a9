/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-early.c - numbers behind pointers that no iteration changes, which are read in front of the grid: pointers that
 * are NULL where no iteration reads, or where a condition says so. And counts beside the loop's own: a second counter
 * in either direction, conditions that hold for all counters.
 *
 * finds: seed 84000 of kinds=early without ws_readable_ crashes, 84010 fails to launch without counters of 32 bits, and
 * 84007 crashes the compiler where a condition that always holds has operands.
 */
#include "plain.h"

/* The structure and its rows are NULL where it is empty. */
static void of_structure(void)
{
    switch (below(4)) {
    case 0:
        printf("    WS(grid(1)%s)\n    for (int i = 0; i < n; i++)\n        y[i] = x[i] * o->a%s;\n",
               PICK("", " tile(32)"), PICK("", " + (int)o->b", " - o->part.c"));
        break;
    case 1:
        printf("    WS(grid(1))\n    for (int i = 0; i < full->n; i++)\n        y[i] = full->row[0][i] * full->a;\n");
        break;
    case 2:
        printf("    WS(grid(1)%s)\n    for (int i = 0; i < n; i++) {\n        int s = 1;\n"
               "        for (int k = 0; k < full->n; k++)\n            s += x[i] * (k + full->part.c);\n"
               "        y[i] = s;\n    }\n",
               PICK("", " tile(32)"));
        break;
    default:
        printf(
            "    WS(grid(1))\n    for (int i = 0; i < full->n; i++)\n        y[i] += full->part.c + (int)full->b;\n");
    }
}

/* Options that may be absent. */
static void optional(void)
{
    printf("    WS(grid(1)%s)\n    for (int i = 0; i < n; i++) {\n        int s = x[i];\n        if (%s)\n"
           "            s = s * 3 + %s;\n        y[i] = s;\n    }\n",
           PICK("", " tile(32)"), PICK("given", "given != 0", "given && given->a > 2", "given && x[i] > given->part.c"),
           PICK("given->a", "(int)given->b", "given->part.c"));
}

/* A filter whose second counter goes the other way, or along. */
static void second_counter(void)
{
    const int down = below(2), in_head = below(2);
    const char *type = PICK("int", "int", "long", "unsigned");
    printf("    WS(grid(1)%s)\n    for (int i = 0; i < n; i++) {\n        int s = 1;\n        %s j = %s;\n"
           "        for (int k = 0; k < taps; k++%s)\n            s += w[k] * x[%s];\n        y[i] = s;\n    }\n",
           PICK("", " tile(32)"), type, down ? "i + taps - 1" : "i", in_head ? (down ? ", j--" : ", j++") : "",
           in_head ? "j"
           : down  ? "j--"
                   : "j++");
}

/* Bounds that a beginner tests once more. */
static void held(void)
{
    printf("    WS(grid(1)%s)\n    for (int i = 0; i < n; i++)\n        if (%s)\n            y[i] = %s;\n",
           PICK("", " tile(32)"),
           PICK("i >= 0 && i < n", "i < n", "i >= 0", "i < n && i < taps", "0 <= i && i < n - 1"),
           PICK("x[i]", "x[i] * 2 + i", "x[i + 1] - x[i]"));
}

static char type[64], header[512];

/* A pointer to the structure of the program's that goes by the name, or NULL. */
static void pointer(const char *name, const char *of, int seed)
{
    if (of)
        whole_scalar(type, name, "&%s_%d", of, seed);
    else
        whole_scalar(type, name, "NULL");
}

void early(int seed)
{
    static void (*const kinds[])(void) = {of_structure, of_structure, optional, second_counter, held};
    const int n = below(4) ? 1 + below(120) : 0;
    snprintf(type, sizeof type, "const early_%d *", seed);
    snprintf(
        header, sizeof header,
        "typedef struct {\n    int n, a;\n    float b;\n    struct {\n        short c;\n    } part;\n    int **row;\n"
        "} early_%d;\nstatic int elements_%d[130] = {3, 1, 4, 1, 5, 9, 2, 6}, *rows_%d[1] = {elements_%d};\n"
        "static early_%d given_%d = {%d, %d, 2.5f, {%d}, rows_%d}, empty_%d;\n",
        seed, seed, seed, seed, seed, seed, 1 + below(120), below(5), below(9) - 4, seed, seed);
    whole_begin(seed);
    whole_around(header, "", "", "");
    whole_scalar("int", "n", "%d", n);
    whole_scalar("int", "taps", "%d", 1 + below(9));
    pointer("o", n ? "given" : NULL, seed);
    pointer("given", below(2) ? "given" : NULL, seed);
    pointer("full", below(3) ? "given" : "empty", seed);
    whole_array("const int *", "x", 0, "n + 2 * taps + 1", "(long)(r % 99) - 40");
    whole_array("const int *", "w", 0, "taps", "(long)(r % 9) - 4");
    whole_array("long *", "y", 0, "n + 130", "i");
    whole_body();
    kinds[below(5)]();
    whole_end();
}
