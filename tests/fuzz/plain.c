/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain.c - prints a random program of plain loops: plain SEED [KIND,KIND...]
 *
 * One function, in a file that includes itself: under its pragmas, and without them as f_plain.  Its arrays are read at
 * offsets, across, by one counter, under conditions on counters and on values; there are sums and maxima along rows and
 * columns, products in all orientations, triangles, elements that are looked up, loops that count down, sums that
 * leave the grid, stores to subscripts that are loaded, integers of 32 and 64 bits with all that C does to them, bytes,
 * truth values, structs, rows of any length, histograms and functions of math.h.  tests/fuzz/plain compiles it for
 * emulate and runs it.  The table of kinds, below, has one row for each construct; a kind that needs arrays of its own
 * makes the whole file (plain-whole.c).
 */
#include <stdlib.h>
#include <string.h>

#include "plain.h"

static unsigned long long state;

int below(int n)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (int)((state >> 33) % (unsigned)n);
}

const char *pick(const char *const *list, int n)
{
    return list[below(n)];
}

int lookups, richer, anywhere;

/* The body of a function that is given arrays of all types. */
static void common(int seed, void (*body)(void))
{
    const char *type = below(3) ? "float" : "double";
    int n = 3 + below(90), m = n + below(30);
    lookups = below(3) == 0;
    richer = body == shapes || below(2);
    anywhere = below(3) == 0;
    printf("/* plain %d */\n#ifdef KERNEL\n", seed);
    const char *wide = below(3) ? "int" : "long"; /* of which the low half says where */
    const char *whole = below(3) ? "long" : "int", *numbers = whole[0] == 'l' ? "WS_I64" : "WS_I32";
    printf("#undef AT\n#define AT(i) %sat[i]\n", wide[0] == 'l' ? "(int)" : "");
    printf("KERNEL(f)(int n, int m, int l, int flag, T *c, T *w, const T *a, const T *b, const T *t, const T *u, const "
           "T *v, const %s *at, U *y, const U *x, const S *z, const %s *p, const int *q, const unsigned char *by, "
           "const unsigned short *hf, const bool *is, const struct P *el, struct P *eo, bool *so, unsigned char *po, "
           "const int *rp, const int *ci, int *z_of)\n{\n",
           wide, wide);
    body();
    printf("}\n#else\n#include <stdbool.h>\n#include \"plain.h\"\n#define T %s\n#define S %s\n#define U unsigned %s\n"
           "#define F(name) name%s\n#define WS PLAIN_PRAGMA\n#define KERNEL(name) static void name\n"
           "struct P {\n    T x, y;\n    int k;\n    T z;\n};\n",
           type, whole, whole, type[0] == 'f' ? "##f" : "");
    printf("#include __FILE__\n#undef WS\n#undef KERNEL\n#define WS(...)\n#define KERNEL(name) static void "
           "name##_plain\n");
    printf("#include __FILE__\n\n#define ARRAY(name, size) PLAIN_ARRAY(%s, T, name, size)\n"
           "#define TOLERANCE %s\n"
           "#define BYTES(ctype, name, size) ctype *name = memset(check_output(WS_F64, sizeof(ctype) * (size_t)(size) "
           "/ 8 + 1), 0, "
           "sizeof(ctype) * (size_t)(size)), *name##_\n",
           type[0] == 'f' ? "WS_F32" : "WS_F64", type[0] == 'f' ? "2e-4" : "1e-12");
    printf(
        "__attribute__((optimize(0))) int main(int argc, char **argv)\n{\n    check_begin(\"plain %d\", argc, argv);\n",
        seed);
    printf("    int n = %d, m = %d, l = %d, flag = %d, mm = m * m + 256;\n", n, m, n, below(2));
    printf("    ARRAY(c, m * m); ARRAY(w, m); ARRAY(a, m * m); ARRAY(b, m * m); ARRAY(t, m * m); ARRAY(u, m); ARRAY(v, "
           "m);\n    %s *at = check_output(%s, (size_t)m);\n    for (int i = 0; i < m; i++)\n        at[i] = i * "
           "37 %% (m + 7) - 3;\n",
           wide, wide[0] == 'l' ? "WS_F64" : "WS_I32");
    printf("    %s *p = check_output(%s, (size_t)m);\n    int *q = check_output(WS_I32, (size_t)m);\n", wide,
           wide[0] == 'l' ? "WS_I64" : "WS_I32");
    printf("    PLAIN_ARRAY(%s, U, y, mm);\n    PLAIN_ARRAY(%s, U, x, m * m);\n    PLAIN_ARRAY(%s, S, z, m * m);\n",
           numbers, numbers, numbers);
    printf("    BYTES(unsigned char, by, mm);\n    BYTES(unsigned char, po, mm);\n    BYTES(unsigned short, hf, mm);\n"
           "    BYTES(bool, is, mm);\n    BYTES(bool, so, mm);\n    BYTES(struct P, el, mm);\n"
           "    BYTES(struct P, eo, mm);\n    BYTES(int, rp, m + 1);\n    BYTES(int, ci, mm);\n"
           "    BYTES(int, z_of, m);\n");
    printf("    unsigned long state = %d;\n    for (int i = 0; i < m; i++) {\n        int k = (int)(check_bits() %% "
           "(unsigned)(i + 1));\n        q[i] = (int)(check_bits() %% (unsigned)m);\n        p[i] = i;\n        p[i] = "
           "p[k];\n        p[k] = i;\n        rp[i + 1] = rp[i] + (int)(check_bits() %% (unsigned)m) * (i %% 5 != 2);\n"
           "    }\n",
           seed);
    printf("    for (int i = 0; i < m * m; i++) {\n        state = state * 6364136223846793005ul + "
           "1442695040888963407ul;\n        x[i] = x_[i] = (U)(state >> i %% 60);\n        z[i] = z_[i] = (S)(U)(state "
           ">> i %% 37) / (i %% 5 + 1);\n");
    printf("        by[i] = (unsigned char)(state >> 40);\n        hf[i] = (unsigned short)(state >> 45);\n"
           "        is[i] = state >> 33 & 1;\n        ci[i] = (int)(state >> 33) & 0x7fffffff;\n        ci[i] %%= m;\n"
           "        el[i] = (struct P){(T)(int)(state >> 52) / 4096, (T)i, (int)(state >> 50) - 8192, (T)0.25 * (i %% "
           "9)};\n    }\n    for (int i = 0; i < mm; i++)\n        y[i] = y_[i] = (U)i;\n");
    printf("    by_ = by, hf_ = hf, is_ = is, el_ = el, rp_ = rp, ci_ = ci;\n    po_ = plain_copy(po, (size_t)mm);\n"
           "    so_ = plain_copy(so, (size_t)mm);\n    eo_ = plain_copy(eo, (size_t)mm * sizeof *eo);\n    z_of_ = "
           "plain_copy(z_of, (size_t)m * sizeof *z_of);\n");
    printf("    f(n, m, l, flag, check_place(c), check_place(w), check_place(a), check_place(b), check_place(t), "
           "check_place(u), "
           "check_place(v), check_place(at), check_place(y), check_place(x), check_place(z), check_place(p), "
           "check_place(q), check_place(by), check_place(hf), check_place(is), check_place(el), check_place(eo), "
           "check_place(so), check_place(po), check_place(rp), check_place(ci), check_place(z_of));\n");
    printf("    check_fetch();\n    f_plain(n, m, l, flag, c_, w_, a_, b_, t_, u_, v_, at, y_, x_, z_, p, q, by_, hf_, "
           "is_, el_, eo_, so_, po_, rp_, ci_, z_of_);\n");
    printf(
        "    unsigned bits = 1;\n    struct {\n        const void *start;\n        size_t bytes;\n    } all[] = {{c, "
        "sizeof(T) * (size_t)(m * m)}, {w, sizeof(T) * (size_t)m}, {eo, sizeof *eo * (size_t)(m * m)}, {so, "
        "(size_t)(m * m)}, {po, (size_t)(m * m)}, {z_of, sizeof *z_of * (size_t)m}, {y, sizeof *y * (size_t)mm}};\n"
        "    for (int k = 0; k < 7; k++)\n        for (size_t i = 0; i < all[k].bytes; i++)\n            bits = bits * "
        "31 + ((const unsigned char *)all[k].start)[i];\n");
    printf("    check_true(!memcmp(y, y_, sizeof *y * (size_t)mm), \"integers\");\n    check_true(!memcmp(so, so_, "
           "(size_t)mm), \"truth values\");\n    check_true(!memcmp(po, po_, (size_t)mm), \"bytes\");\n    "
           "check_true(!memcmp(z_of, z_of_, (size_t)m * sizeof *z_of), \"counts\");\n    printf(\"bits %%08x\\n\", "
           "bits);\n");
    printf("    T *part = malloc(sizeof(T) * (size_t)mm), *part_ = malloc(sizeof(T) * (size_t)mm);\n");
    for (int i = 0; i < 4; i++)
        printf("    for (int i = 0; i < m * m; i++)\n        part[i] = eo[i].%c, part_[i] = eo_[i].%c;\n"
               "    PLAIN_SAME(part, m * m, TOLERANCE);\n",
               "xykz"[i], "xykz"[i]);
    printf("    free(part);\n    free(part_);\n    PLAIN_SAME(c, m * m, TOLERANCE);\n    PLAIN_SAME(w, m, TOLERANCE);\n"
           "    return plain_end();\n}\n#endif\n");
}

/* A kind makes the body of the common function, or a whole file (whole.c). */
typedef struct {
    const char *name;
    int weight; /* of so many, where all kinds are drawn */
    void (*body)(void);
    void (*file)(int seed);
} Kind;

static const Kind kinds[] = {
    {"masked", 2, NULL, masked},       {"nans", 1, NULL, nans},         {"elementwise", 2, elementwise, NULL},
    {"rows", 2, rows, NULL},           {"products", 2, products, NULL}, {"totals", 2, totals, NULL},
    {"scattered", 2, scattered, NULL}, {"integers", 2, integers, NULL}, {"shapes", 6, shapes, NULL},
    {"tails", 1, NULL, tails},         {"halos", 1, NULL, halos},       {"ways", 1, NULL, ways},
    {"guards", 2, NULL, guards},       {"wraps", 2, NULL, wraps},       {"mixed", 2, NULL, mixed},
    {"minmax", 1, NULL, minmax},       {"counters", 1, NULL, counters}, {"bytes", 1, NULL, bytes},
    {"strides", 1, NULL, strides},     {"overlaps", 1, NULL, overlaps}, {"steps", 2, NULL, steps},
    {"prints", 1, NULL, prints},       {"locals", 1, NULL, locals},     {"early", 1, NULL, early},
};
enum { NKINDS = sizeof kinds / sizeof *kinds };

/* Is the kind one of this list, NAME,NAME...? */
static int listed(const Kind *kind, const char *list)
{
    size_t length = strlen(kind->name);
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
        if (!strncmp(at, kind->name, length) && (!at[length] || at[length] == ','))
            return 1;
    return 0;
}

static const Kind *choose(const char *list)
{
    int total = 0;
    for (int k = 0; k < NKINDS; k++)
        total += !list ? kinds[k].weight : listed(&kinds[k], list);
    if (!total) {
        fprintf(stderr, "plain: no kind of '%s'; there are:", list);
        for (int k = 0; k < NKINDS; k++)
            fprintf(stderr, " %s", kinds[k].name);
        fprintf(stderr, "\n");
        exit(2);
    }
    int drawn = below(total);
    for (int k = 0;; k++) {
        drawn -= !list ? kinds[k].weight : listed(&kinds[k], list);
        if (drawn < 0)
            return &kinds[k];
    }
}

int main(int argc, char **argv)
{
    int seed = argc > 1 ? atoi(argv[1]) : 0;
    state = (unsigned long long)seed * 0x9e3779b97f4a7c15ull + 1;
    for (int i = 0; i < 8; i++)
        below(2);
    const Kind *kind = choose(argc > 2 && *argv[2] ? argv[2] : NULL);
    if (kind->file)
        kind->file(seed);
    else
        common(seed, kind->body);
    return 0;
}
