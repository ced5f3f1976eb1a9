/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sizes.c - prints a program with a number of constructs in one kernel, for tests/fuzz/sizes.
 *
 *     sizes SEED             one to three kinds of constructs, with a size each
 *     sizes KIND SIZE ...    these
 *     sizes                  prints the names of the kinds
 *
 * The numbers are small integers, so sums are exact in every order. The program prints its results.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PARTS = 3 };

static const int sizes[] = {1, 2, 63, 64, 65, 66, 127, 128, 129};
enum { SIZES = sizeof sizes / sizeof *sizes, LARGE = 1000, LARGE_IN = 64 }; /* one of 64 sizes is large */

/* Kinds of one family go into one kernel. A loop over tiles belongs to TILES.  */
typedef enum { PLAIN, TILES } Family;

/* Texts of one place: one in front, one for each construct and one behind. `@` is the number of the construct, and `$`
   this number modulo 7.  */
typedef struct {
    const char *open, *each, *close;
} Text;

typedef struct {
    const char *name;
    Family family;
    Text parameter, argument; /* of the function and of its call */
    Text clause;              /* of the grid */
    Text before;              /* in front of the region */
    Text first;               /* in the body of the grid, in front of the loop along K */
    Text inner;               /* in the loop along K */
    Text last, more;          /* behind that loop */
} Kind;

static const Kind kinds[] = {
    {"carried", .first = {.each = "float s@ = @;\n"}, .inner = {.each = "s@ += t * ($ + 1);\n"},
     .last = {.each = "s += s@ - @;\n"}},
    {"integers", .first = {.each = "unsigned n@ = @;\n"}, .inner = {.each = "n@ = n@ * 3 + k;\n"},
     .last = {.each = "s += n@ & 7;\n"}},
    {"arguments", .parameter.each = ", float a@", .argument.each = ", @ & 7", .last.each = "s += a@;\n"},
    {"arrays", .parameter.each = ", const float *p@", .argument.each = ", data + @ * SPAN",
     .last.each = "s += p@[i];\n"},
    {"clauses", .parameter.each = ", const float *q@", .argument.each = ", data + @ * SPAN",
     .clause.each = " extent(q@: n)", .last.each = "s += q@[i];\n"},
    {"results", .parameter.each = ", float *z@", .argument.each = ", out + @ * SPAN",
     .last.each = "z@[i] = x[i] + @;\n"},
    {"loops", .last.each = "for (int k = 0; k < 4; k++)\n    s += x[4 * i + k] * $;\n"},
    {"nested", .last = {NULL, "for (int b@ = 0; b@ < 1; b@++)\n", "    s += x[i];\n"}},
    {"branches", .last.each = "if (x[i] > $)\n    s += $;\n"},
    {"locals", .last.each = "float v@ = x[8 * i + $];\ns += v@ * v@;\n"},
    {"terms", .last = {"s = s", " +\n    x[8 * i + $] * $", ";\n"}},
    {"tensors", TILES, .parameter.each = ", const float *p@", .argument.each = ", data + @ * SPAN",
     .before.each = "ws_tensor t@ = ws_tensor_2d(p@, WS_F32, n, 8);\n",
     .last.each = "s = ws_add(s, ws_load(t@, i, 0, 64, 8));\n"},
    {"tiles", TILES, .first.each = "ws_tile s@ = ws_zeros(WS_F32, 64, 8);\n",
     .inner.each = "s@ = ws_add(s@, ws_cast(ws_load(h, i, k + @, 64, 8), WS_F32));\n",
     .last.each = "s = ws_add(s, s@);\n"},
    {"loads", TILES, .inner.each = "s = ws_add(s, ws_cast(ws_load(h, i + @, k, 64, 8), WS_F32));\n"},
    {"products", TILES, .first.each = "ws_tile d@ = ws_add(ws_zeros(WS_F32, 64, 8), @);\n",
     .inner = {"ws_tile l = ws_load(h, i, k, 64, 16), m = ws_load(h, k, 0, 16, 8);\n", "d@ = ws_dot(l, m, d@);\n"},
     .last.each = "s = ws_add(s, d@);\n"},
    {"stores", TILES, .last.each = "ws_store(c, i, @ * 8, s);\n"},
    {"tasks", TILES,
     .inner = {"ws_tile a = ws_cast(ws_load(h, i, k, 64, 8), WS_F32);\n",
               "{\n#pragma ws task(t@)\na = ws_add(a, 1.0f);\n}\n", "s = ws_add(s, a);\n"}},
    {"rings", TILES, .first.each = "ws_ring r@ = ws_ring_new(2);\n",
     .last = {"{\n#pragma ws task(load)\nfor (int k = 0; k < WIDTH; k += 16) {\n",
              "ws_put(r@, ws_load(h, i + @, k, 64, 8));\n", "}\n}\n"},
     .more = {"{\n#pragma ws task(sum)\n#pragma ws pipeline(2)\nfor (int k = 0; k < WIDTH; k += 16) {\n",
              "ws_tile b@;\nws_get(r@, &b@);\ns = ws_add(s, ws_cast(b@, WS_F32));\n", "}\n}\n"}},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

typedef struct {
    const Kind *kind;
    int count;
} Part;

static Part parts[MAX_PARTS];
static int nparts;

static void print_text(Text text, int count)
{
    if (text.open)
        fputs(text.open, stdout);
    for (int i = 1; text.each && i <= count; i++)
        for (const char *c = text.each; *c; c++)
            if (*c == '@')
                printf("%d", i);
            else if (*c == '$')
                printf("%d", i % 7);
            else
                putchar(*c);
    if (text.close)
        fputs(text.close, stdout);
}

/* Prints the text of one place for all parts.  */
#define PRINT(place)                          \
    for (int part = 0; part < nparts; part++) \
    print_text(parts[part].kind->place, parts[part].count)

static bool has_inner(void)
{
    for (int i = 0; i < nparts; i++)
        if (parts[i].kind->inner.each)
            return true;
    return false;
}

static void print_plain(void)
{
    puts("void f(int n, const ws_f16 *g, const float *x, float *y, float *z");
    PRINT(parameter);
    puts(")\n{");
    PRINT(before);
    fputs("#pragma ws grid(1)", stdout);
    PRINT(clause);
    puts("\nfor (int i = 0; i < n; i++) {\nfloat s = 0;");
    PRINT(first);
    if (has_inner()) {
        puts("for (int k = 0; k < 8; k++) {\nfloat t = x[8 * i + k];");
        PRINT(inner);
        puts("}");
    }
    PRINT(last);
    PRINT(more);
    puts("y[i] = s;\n}\n}");
}

static void print_tiles(void)
{
    puts("void f(int n, const ws_f16 *g, const float *x, float *y, float *z");
    PRINT(parameter);
    puts(")\n{\nws_tensor h = ws_tensor_2d(g, WS_F16, n, WIDTH), o = ws_tensor_2d(y, WS_F32, n, 8);\n"
         "ws_tensor c = ws_tensor_2d(z, WS_F32, n, 8 * MOST);");
    PRINT(before);
    fputs("#pragma ws grid(1)", stdout);
    PRINT(clause);
    puts("\nfor (int i = 0; i < n; i += 64) {\nws_tile s = ws_zeros(WS_F32, 64, 8);");
    PRINT(first);
    if (has_inner()) {
        puts("#pragma ws pipeline(2)\nfor (int k = 0; k < WIDTH; k += 16) {");
        PRINT(inner);
        puts("}");
    }
    PRINT(last);
    PRINT(more);
    puts("ws_store(o, i, 0, s);\n}\n}");
}

static void print_program(void)
{
    printf("/*");
    for (int i = 0; i < nparts; i++)
        printf(" %s %d", parts[i].kind->name, parts[i].count);
    puts(" */\n#include <stdio.h>\n#include <ws.h>\n"
         "enum { ROWS = 64, WIDTH = 64, SPAN = 512, MOST = 1002 };\n"
         "static float data[MOST * SPAN], out[MOST * SPAN], y[SPAN];\n"
         "static ws_f16 half[ROWS * WIDTH];");
    parts[0].kind->family == PLAIN ? print_plain() : print_tiles();
    puts("int main(void)\n{\n"
         "for (int i = 0; i < MOST * SPAN; i++)\ndata[i] = (float)(i * 5 % 7);\n"
         "for (int i = 0; i < ROWS * WIDTH; i++)\nhalf[i] = ws_f16_from((float)(i % 3));\n"
         "f(ROWS, half, data, y, out");
    PRINT(argument);
    puts(");\nfor (int i = 0; i < SPAN; i++)\nprintf(\"%g\\n\", y[i]);\n"
         "unsigned sum = 0;\nfor (int i = 0; i < MOST * SPAN; i++)\nsum = sum * 31 + (unsigned)out[i];\n"
         "printf(\"%u\\n\", sum);\n}");
}

static unsigned draw(unsigned long *state, unsigned below)
{
    *state = *state * 6364136223846793005ul + 1442695040888963407ul;
    return (unsigned)(*state >> 33) % below;
}

static void draw_parts(unsigned long seed)
{
    unsigned long state = seed * 2654435761ul + 1;
    for (int i = 0; i < 4; i++)
        draw(&state, 2);
    const int wanted = 1 + (int)draw(&state, MAX_PARTS);
    while (nparts < wanted) {
        const Kind *kind = &kinds[draw(&state, KINDS)];
        bool fits = !nparts || kind->family == parts[0].kind->family;
        for (int i = 0; i < nparts; i++)
            fits &= kind != parts[i].kind;
        if (fits)
            parts[nparts++] = (Part){kind, draw(&state, LARGE_IN) ? sizes[draw(&state, SIZES)] : LARGE};
    }
}

static const Kind *kind_named(const char *name)
{
    for (int i = 0; i < KINDS; i++)
        if (!strcmp(name, kinds[i].name))
            return &kinds[i];
    fprintf(stderr, "sizes: no kind %s\n", name);
    exit(2);
}

int main(int argc, char **argv)
{
    if (argc == 1)
        for (int i = 0; i < KINDS; i++)
            puts(kinds[i].name);
    else if (argc == 2)
        draw_parts(strtoul(argv[1], NULL, 10));
    else
        for (int i = 1; i + 1 < argc && nparts < MAX_PARTS; i += 2)
            parts[nparts++] = (Part){kind_named(argv[i]), atoi(argv[i + 1])};
    if (nparts)
        print_program();
}
