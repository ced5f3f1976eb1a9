/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-locals.c - arrays of an iteration, and those in its structures and unions, that inner loops change: by
 * subscripts, pointers, functions and copies of the whole.
 * finds: seed 2 of kinds=locals without the mend; where pointers kept into the arrays were not seen, seed 13
 */
#include <string.h>

#include "plain.h"

typedef enum { INTEGER, WRAPS, REAL } Class; /* WRAPS: a product of any size is defined */
static const struct {
    const char *name;
    Class class;
} types[] = {{"int", INTEGER},         {"unsigned", WRAPS}, {"float", REAL}, {"double", REAL}, {"short", WRAPS},
             {"unsigned char", WRAPS}, {"long", INTEGER},   {"float", REAL}, {"int", INTEGER}};
enum { NTYPES = sizeof types / sizeof *types, LEAST = 2, MOST_LOOPS = 3 };

/* An array: E of E[k], of so many elements. */
typedef struct {
    const char *place;
    int type, count;
} Row;

static struct {
    Row rows[16];
    int nrows, seed, depth, blocks, names;      /* depth: open loops; blocks: all open blocks */
    int vtype, stype, utype, v, w, w2, s, q, u; /* extents, 0: no such variable */
    int most[MOST_LOOPS];                       /* of each open loop's counter c0, c1, ...: its largest value plus 1 */
} at;

static char texts[16][24];

static void add_row(int type, int count, const char *place)
{
    at.rows[at.nrows++] = (Row){place, type, count};
}

static const Row *any_row(void)
{
    return &at.rows[below(at.nrows)];
}

static void indent(void)
{
    printf("%*s", 8 + 4 * at.blocks, "");
}

static void open_block(const char *text)
{
    indent();
    printf("%s", text);
    at.blocks++;
}

static void close_block(const char *text)
{
    at.blocks--;
    indent();
    printf("%s", text);
}

/* ---- expressions ------------------------------------------------------------------------------------------------- */

/* A subscript is constant, since only the plain C compiler knows others. */
static void element_of(const Row *row)
{
    switch (below(5)) {
    case 0:
        printf("*(%s + %d)", row->place, below(row->count));
        break;
    case 1:
        if (below(2)) {
            printf("*%s", row->place);
            break;
        }
        /* fall through */
    default:
        printf("%s[%d]", row->place, below(row->count));
        break;
    }
}

/* A small number of this class. */
static void number(Class class)
{
    const Row *row = any_row();
    switch (below(5)) {
    case 0:
    case 1:
        if (class != REAL && types[row->type].class == REAL)
            break;
        printf(class == REAL ? "" : "(");
        element_of(row);
        printf(class == REAL ? "" : " & 255)");
        return;
    case 2:
        if (!at.depth)
            break;
        printf("c%d", below(at.depth));
        return;
    case 3:
        printf("%s", class == REAL ? "x[i]" : "b[i]");
        return;
    default:
        break;
    }
    printf("%s", class == REAL ? PICK("1", "x[i]", "2.5f", "m", "x[n - 1 - i]", "0.25f * x[i]", "i")
                               : PICK("1", "3", "m", "i", "b[i]", "(k[i] & 31)", "b[n - 1 - i]", "(i & 7)"));
}

static const char *operator(Class class)
{
    return class == REAL      ? PICK("=", "+=", "+=", "-=")
           : class == INTEGER ? PICK("=", "+=", "+=", "-=")
                              : PICK("=", "+=", "-=", "*=", "^=", "|=", "+=");
}

static void condition_of(void)
{
    const Row *row = any_row();
    switch (below(4)) {
    case 0:
        element_of(row);
        printf(" > %s", PICK("2", "0", "m", "100"));
        break;
    case 1:
        if (at.depth) {
            printf("c%d %s %s", below(at.depth), PICK("<", "!=", "=="), PICK("m", "1", "i % 3"));
            break;
        }
        /* fall through */
    default:
        printf("%s", PICK("k[i] & 4", "x[i] > 0", "i % 3 == 1", "m > 1", "b[i] > 60 && i > 2"));
        break;
    }
}

/* ---- statements -------------------------------------------------------------------------------------------------- */

static void update(const Row *row)
{
    Class class = types[row->type].class;
    indent();
    if (below(9) == 0) {
        printf("%s", below(2) ? "++" : "--");
        element_of(row);
        printf(";\n");
        return;
    }
    element_of(row);
    printf(" %s ", operator(class));
    number(class);
    printf(";\n");
}

static void act(int more);

static void acts(int more)
{
    for (int count = 1 + below(2); count > 0; count--)
        act(more);
}

static void inner_loop(int more)
{
    if (at.depth == MOST_LOOPS) {
        act(more);
        return;
    }
    int c = at.depth, constant = 1 + below(5), by_m = below(3) == 0, is_while = 0,
        most = by_m ? 4 : constant; /* m is 1 to 4 */
    char bound[16];
    snprintf(bound, sizeof bound, by_m ? "m" : "%d", constant);
    switch (below(7)) {
    default:
        indent();
        printf("for (int c%d = 0; c%d < %s; c%d++) {\n", c, c, bound, c);
        break;
    case 0:
        indent();
        printf("for (int c%d = %s - 1; c%d >= 0; c%d--) {\n", c, bound, c, c);
        break;
    case 1:
        indent();
        printf("for (int c%d = 0, to%d = %s; c%d < to%d; c%d += 1) {\n", c, c, bound, c, c, c);
        break;
    case 2:
        open_block("{\n");
        indent();
        printf("int c%d = 0;\n", c);
        indent();
        printf("while (c%d < %s) {\n", c, bound);
        is_while = 1;
        break;
    }
    at.most[c] = most;
    at.depth++;
    at.blocks++;
    acts(more - 1);
    if (is_while) {
        indent();
        printf("c%d++;\n", c);
    }
    at.depth--;
    close_block("}\n");
    if (is_while)
        close_block("}\n");
}

/* Actions on a pointer into an array, which ends with a block. */
static void by_pointer(int more)
{
    const Row *row = any_row();
    Row *pointed = &at.rows[at.nrows];
    int name = at.names++, first = below(3) ? 0 : below(row->count - 1);
    open_block("{\n");
    indent();
    printf("%s *p%d = ", types[row->type].name, name);
    if (first)
        printf(below(2) ? "%s + %d;\n" : "&%s[%d];\n", row->place, first);
    else
        printf(below(2) ? "%s;\n" : "&%s[0];\n", row->place);
    snprintf(texts[at.nrows], sizeof *texts, "p%d", name);
    *pointed = (Row){texts[at.nrows], row->type, row->count - first};
    at.nrows++;
    if (below(2))
        update(pointed);
    acts(more - 1);
    if (below(3))
        update(pointed);
    at.nrows--;
    close_block("}\n");
}

static void handed_over(void)
{
    const Row *row = any_row();
    int first = below(3) ? 0 : below(row->count - 1);
    indent();
    printf("%s_%d_%d(", PICK("to_two", "to_one"), row->type, at.seed);
    if (first)
        printf(below(2) ? "%s + %d, " : "&%s[%d], ", row->place, first);
    else
        printf("%s, ", row->place);
    number(types[row->type].class);
    printf(", %d);\n", 1 + below(row->count - first));
}

static void copied(void)
{
    const char *from = "s";
    int type = at.stype, name = at.names++;
    Row row = {texts[15], type, at.s};
    if (at.q && below(2))
        from = PICK("q[0]", "q[1]");
    open_block("{\n");
    indent();
    printf("S t%d = %s;\n", name, from);
    snprintf(texts[15], sizeof *texts, "t%d.a", name);
    update(&row);
    if (below(3))
        update(&row);
    indent();
    printf("%s = t%d;\n", at.q && below(2) ? PICK("q[1]", "q[0]", "s") : "s", name);
    close_block("}\n");
}

static void act(int more)
{
    switch (below(more > 0 ? 14 : 3)) {
    default:
        update(any_row());
        break;
    case 3:
    case 4:
    case 5:
    case 6:
        inner_loop(more);
        break;
    case 7:
        by_pointer(more);
        break;
    case 8:
        handed_over();
        break;
    case 9:
        indent();
        printf("if (");
        condition_of();
        printf(") {\n");
        at.blocks++;
        acts(more - 1);
        if (below(3) == 0) {
            close_block("} else {\n");
            at.blocks++;
            acts(more - 1);
        }
        close_block("}\n");
        break;
    case 10:
        if (!at.s) {
            update(any_row());
        } else if (below(2)) {
            copied();
        } else {
            indent();
            printf("to_whole_%d(&%s, ", at.seed, at.q && below(2) ? PICK("q[0]", "q[1]") : "s");
            number(types[at.stype].class);
            printf(");\n");
        }
        break;
    }
}

/* ---- variables --------------------------------------------------------------------------------------------------- */

/* The elements of an array, between braces. */
static void values(int type, int count)
{
    Class class = types[type].class;
    if (below(5) == 0) {
        printf("%s", !strcmp(types[type].name, "unsigned char") && below(2) ? "\"a\"" : "{0}");
        return;
    }
    if (below(5) == 0) {
        printf("{[%d] = %s}", below(count), class == REAL ? "x[i]" : "b[i]");
        return;
    }
    printf("{");
    for (int k = below(3) ? 0 : below(count - 1); k < count; k++)
        printf("%s%s", class == REAL ? PICK("1", "x[i]", "-2.5f", "x[i] * 2") : PICK("1", "b[i]", "i", "m"),
               k + 1 < count ? ", " : "");
    printf("}");
}

/* Gives each element of an array a value by itself. */
static void fill(const char *place, int type, int count)
{
    for (int k = 0; k < count; k++)
        printf("        %s[%d] = %s;\n", place, k,
               types[type].class == REAL ? PICK("0", "1.5f", "x[i]", "x[i] + m") : PICK("0", "7", "b[i]", "b[i] ^ 5"));
}

static void variables(void)
{
    if (at.v) {
        printf("        %s v[%d]", types[at.vtype].name, at.v);
        if (below(3)) {
            printf(" = ");
            values(at.vtype, at.v);
            printf(";\n");
        } else {
            printf(";\n");
            fill("v", at.vtype, at.v);
        }
        add_row(at.vtype, at.v, "v");
    }
    if (at.w) {
        printf("        %s w[%d][%d] = {", types[at.vtype].name, at.w, at.w2);
        for (int k = 0; k < at.w; k++) {
            printf("%s", k ? ", " : "");
            values(at.vtype, at.w2);
        }
        printf("};\n");
        add_row(at.vtype, at.w2, "w[0]");
        add_row(at.vtype, at.w2, "w[1]");
        add_row(at.vtype, at.w2, "(*(w + 1))");
    }
}

/* A structure's value, in one of several ways. */
static void structure(const char *name)
{
    printf("        S %s = {", name);
    switch (below(3)) {
    case 0:
        printf("3, ");
        values(at.stype, at.s);
        printf(", 5");
        break;
    case 1:
        printf(".a = ");
        values(at.stype, at.s);
        break;
    default:
        printf("0};\n        %s.last = 2;\n", name);
        snprintf(texts[15], sizeof *texts, "%s.a", name);
        fill(texts[15], at.stype, at.s);
        return;
    }
    printf("};\n");
}

static void structures(void)
{
    structure("s");
    add_row(at.stype, at.s, "s.a");
    if (!at.q)
        return;
    printf("        S q[2] = {{1, ");
    values(at.stype, at.s);
    printf(", 4}%s};\n", PICK("", ", s", ", {2}"));
    add_row(at.stype, at.s, "q[0].a");
    add_row(at.stype, at.s, PICK("q[1].a", "(q + 1)->a"));
}

/* Adds all elements of an array to the sum of its class. */
static void summed(int type, int count, const char *place)
{
    for (int k = 0; k < count; k++)
        if (types[type].class == REAL)
            printf("        r = r + %s[%d];\n", place, k);
        else
            printf("        t = t * 31 + (unsigned long)%s[%d];\n", place, k);
}

/* Functions that write through pointers. */
static char functions[6000];

static void make_functions(int seed)
{
    size_t used = 0;
    for (int t = 0; t < NTYPES; t++)
        if (t == at.vtype || t == at.stype || t == at.utype)
            used +=
                (size_t)snprintf(functions + used, sizeof functions - used,
                                 "static void to_two_%d_%d(%s *p, %s e, int n)\n{\n    p[0] += e;\n    p[n - 1] %s "
                                 "e;\n}\nstatic void to_one_%d_%d(%s *p, %s e, int n)\n{\n    %s e;\n}\n",
                                 t, seed, types[t].name, types[t].name, PICK("+=", "-=", "="), t, seed, types[t].name,
                                 types[t].name, PICK("p[n - 1] +=", "*p +=", "p[0] =", "*(p + n - 1) -="));
    if (at.s)
        snprintf(functions + used, sizeof functions - used,
                 "typedef struct {\n    int first;\n    %s a[%d];\n    short last;\n} S_%d;\n"
                 "static void to_whole_%d(S_%d *s, %s e)\n{\n    %s e;\n    s->first%s;\n}\n",
                 types[at.stype].name, at.s, seed, seed, seed, types[at.stype].name,
                 PICK("s->a[1] +=", "s->a[0] -=", "*s->a -=", "s->a[0] = s->a[1] + (short)"),
                 PICK("++", " += 2", " = 7"));
}

void locals(int seed)
{
    at.seed = seed;
    at.nrows = at.depth = at.blocks = at.names = 0;
    at.vtype = below(NTYPES), at.stype = below(NTYPES), at.utype = below(NTYPES);
    int drawn = 1 + below(15);
    at.v = drawn & 1 ? LEAST + below(4) : 0;
    at.w = drawn & 2 ? 2 + below(2) : 0, at.w2 = LEAST + below(2);
    at.s = drawn & 4 ? LEAST + below(3) : 0, at.q = at.s && below(3) == 0;
    at.u = drawn & 8 ? 2 : 0;
    make_functions(seed);
    whole_begin(seed);
    whole_scalar("int", "n", "%d", 1 + below(600));
    whole_scalar("int", "m", "%d", 1 + below(4));
    whole_array("const float *", "x", 0, "n", "(float)((long)(r % 99) - 40) * 0.25f");
    whole_array("const int *", "k", 0, "n", "(int)r");
    whole_array("const unsigned char *", "b", 0, "n", "(int)r");
    whole_array("unsigned long *", "y", 0, "n", "i");
    whole_array("double *", "z", 0, "n", "i");
    whole_around(functions, "", "", "");
    whole_body();
    if (at.s)
        printf("    typedef S_%d S;\n", seed);
    if (at.u)
        printf("    typedef union {\n        %s a[2];\n        struct {\n            %s x, y;\n        };\n    } B;\n",
               types[at.utype].name, types[at.utype].name);
    printf("    WS(grid(1)%s)\n    for (int i = 0; i < n; i++) {\n", PICK("", " tile(64)"));
    variables();
    if (at.s)
        structures();
    if (at.u) {
        printf("        B u = {");
        values(at.utype, 2);
        printf("};\n");
        add_row(at.utype, 2, "u.a");
    }
    for (int count = 1 + below(3); count > 0; count--)
        if (below(4))
            inner_loop(3);
        else
            act(3);
    printf("        unsigned long t = 0;\n        double r = 0;\n");
    if (at.v)
        summed(at.vtype, at.v, "v");
    if (at.w)
        for (int k = 0; k < at.w; k++)
            summed(at.vtype, at.w2, ((const char *const[]){"w[0]", "w[1]", "w[2]"})[k]);
    if (at.s) {
        summed(at.stype, at.s, "s.a");
        printf("        t = t * 31 + (unsigned long)(s.first + s.last);\n");
    }
    if (at.q) {
        summed(at.stype, at.s, "q[0].a");
        summed(at.stype, at.s, "q[1].a");
        printf("        t = t * 31 + (unsigned long)(q[1].first + q[0].last);\n");
    }
    if (at.u)
        printf("        %s;\n",
               types[at.utype].class == REAL ? "r = r + u.x - u.y" : "t += (unsigned long)(u.x ^ u.y)");
    printf("        y[i] = t;\n        z[i] = r;\n    }\n");
    whole_end();
}
