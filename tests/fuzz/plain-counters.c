/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-counters.c - which iterations a loop makes, and its counter as a number.
 *
 * A loop's counter, start, bound and step have any integer types; it is compared by any operator, goes up or down, in
 * its head or in its test. The generator goes through the loop as C does, conversions included, and draws again what
 * overflows, takes long or reaches far. A third of the loops make no iteration.
 *
 * finds, of kinds=counters: seed 62100022 where `k <= (c ? n : start)` makes no iteration without c, seed 62100093
 * where `k < (c ? n : start)` makes them without c, seed 62100050 where a loop reaches a step too far, seed 62200116
 * where 32 bits count iterations, seed 62100319 where the tiles of --ws-rewrite do.
 */
#include "plain.h"

typedef __int128 Number;
enum { TYPES = 8, INT = 4, MOST_ITERATIONS = 150, MOST_ELEMENTS = 300, TRIES = 2000 };

static const struct {
    const char *name;
    int bits, is_signed;
} types[TYPES] = {{"signed char", 8, 1}, {"unsigned char", 8, 0}, {"short", 16, 1}, {"unsigned short", 16, 0},
                  {"int", 32, 1},        {"unsigned", 32, 0},     {"long", 64, 1},  {"unsigned long", 64, 0}};

/* ---- C's conversions --------------------------------------------------------------------------------------------- */

static Number least_of(int type)
{
    return types[type].is_signed ? -((Number)1 << (types[type].bits - 1)) : 0;
}

static Number most_of(int type)
{
    return ((Number)1 << (types[type].bits - types[type].is_signed)) - 1;
}

static Number converted(Number x, int type)
{
    Number all = (Number)1 << types[type].bits;
    x = (x % all + all) % all;
    return x > most_of(type) ? x - all : x;
}

/* The type that two operands are converted to. */
static int common(int x, int y)
{
    x = types[x].bits < 32 ? INT : x;
    y = types[y].bits < 32 ? INT : y;
    if (types[x].bits == types[y].bits)
        return types[x].is_signed ? y : x;
    return types[x].bits > types[y].bits ? x : y;
}

/* ---- a loop ------------------------------------------------------------------------------------------------------ */

static const char *const operators[] = {"<", "<=", ">", ">=", "!="}, *const turned[] = {">", ">=", "<", "<=", "!="};
enum { LESS, NO_MORE, MORE, NO_LESS, OTHER, OPERATORS };

typedef struct {
    int counter, start, bound, step; /* types; step -1: by one */
    int compare, down, in_test;
    int start_moves, bound_moves; /* with a counter around it */
    Number from, to, by;
    int literal_from, literal_to;
    int chosen, on; /* whether the bound is the start, where not 1: on, 2: i > on */
    /* what it does */
    int count;
    Number least, most;
} Head;

static int holds(const Head *h, Number k, Number bound, int bound_type)
{
    int type = common(h->counter, bound_type);
    k = converted(k, type);
    bound = converted(bound, type);
    return h->compare == LESS      ? k < bound
           : h->compare == NO_MORE ? k <= bound
           : h->compare == MORE    ? k > bound
           : h->compare == NO_LESS ? k >= bound
                                   : k != bound;
}

/* The counter behind a step; 0: that overflows. */
static int go_on(const Head *h, Number *k)
{
    int type = common(h->counter, h->step < 0 ? INT : h->step);
    Number by = h->step < 0 ? 1 : converted(h->by, type), next = converted(*k, type) + (h->down ? -by : by);
    if (types[type].is_signed && converted(next, type) != next)
        return 0;
    *k = converted(next, h->counter);
    return 1;
}

/* Moved by i, an int; 0: that overflows. */
static int moved(Number x, int type, int moves, int i, Number *result, int *result_type)
{
    *result = x;
    *result_type = type;
    if (!moves)
        return 1;
    *result_type = common(type, INT);
    *result = converted(x, *result_type) + i;
    if (types[*result_type].is_signed && converted(*result, *result_type) != *result)
        return 0;
    *result = converted(*result, *result_type);
    return 1;
}

/* As C goes through it, for each i below n. */
static int run(Head *h, int n)
{
    h->count = 0;
    for (int i = 0; i < n; i++) {
        Number k, bound;
        int start_type, bound_type;
        if (!moved(h->from, h->start, h->start_moves, i, &k, &start_type) ||
            !moved(h->to, h->bound, h->bound_moves, i, &bound, &bound_type))
            return 0;
        if (h->chosen) {
            int type = common(start_type, bound_type);
            bound = converted((h->chosen == 1 ? h->on : i > h->on) ? bound : k, type);
            bound_type = type;
        }
        k = converted(k, h->counter);
        for (int count = 0;; count++) {
            int goes = holds(h, k, bound, bound_type);
            if (h->in_test && !go_on(h, &k))
                return 0;
            if (!goes)
                break;
            h->least = h->count && h->least < k ? h->least : k;
            h->most = h->count && h->most > k ? h->most : k;
            h->count++;
            if (count > MOST_ITERATIONS || h->most - h->least >= MOST_ELEMENTS || (!h->in_test && !go_on(h, &k)))
                return 0;
        }
    }
    if (!h->count)
        h->least = h->most = 0;
    return 1;
}

static Number near(int counter, int bound)
{
    int x = below(60) - 20;
    switch (below(12)) {
    case 0:
        return least_of(counter) + x;
    case 1:
        return most_of(counter) + x;
    case 2:
        return least_of(bound) + x;
    case 3:
        return most_of(bound) + x;
    case 4:
        return most_of(INT) + x;
    default:
        return x;
    }
}

static Head draw(int n)
{
    for (int idle = below(3) == 0, tries = 0;; tries++) {
        Head h = {.counter = below(4) ? 4 + below(4) : below(TYPES), .compare = below(OPERATORS), .step = -1};
        h.start = below(2) ? h.counter : below(TYPES);
        h.bound = below(2) ? h.counter : below(TYPES);
        h.down = h.compare == OTHER ? below(2) : (h.compare >= MORE) != (below(12) == 0);
        h.in_test = below(5) == 0;
        if (!h.in_test && below(3) == 0) {
            h.step = below(2) ? INT : below(TYPES);
            h.by = 1 + below(9);
        }
        h.start_moves = n > 1 && below(4) == 0;
        h.bound_moves = n > 1 && below(4) == 0;
        h.chosen = below(5) ? 0 : 1 + (n > 1 && below(2));
        h.on = h.chosen > 1 ? below(n + 1) : below(2);
        if (h.compare == OTHER && h.chosen) /* a bound that is never met is met some time */
            h.on = h.chosen == 1 ? 1 : below(n - 1);
        h.from = converted(near(h.counter, h.bound), h.start);
        h.to = converted(below(2) ? near(h.counter, h.bound) : h.from + below(160) - 80, h.bound);
        h.literal_from = below(3) == 0;
        h.literal_to = below(4) == 0;
        if (h.literal_from) {
            h.start = INT;
            h.from = below(3) ? 0 : below(9);
        }
        if (h.literal_to) {
            h.bound = INT;
            h.to = below(30) * below(2);
        }
        int far = n > 1 && (h.from > 1 << 30 || h.to > 1 << 30 || h.from < -(1 << 30) || h.to < -(1 << 30));
        if (far && (h.step >= 0 || h.start_moves || h.bound_moves))
            continue; /* what lies behind an end would overflow */
        if (!run(&h, n) || ((h.count == 0) != idle && tries <= TRIES))
            continue;
        int around =
            h.start_moves && h.step >= 0 ? (int)h.by - 1 : 0; /* that steps from several starts may leave out */
        h.least -= h.down ? around : 0;
        h.most += h.down ? 0 : around;
        if (h.least >= least_of(h.counter))
            return h;
    }
}

static const char *text_of(Number x)
{
    static char texts[4][48];
    static int next;
    char *text = texts[next++ % 4];
    if (x == least_of(6))
        return "(-0x7fffffffffffffff - 1)";
    snprintf(text, sizeof texts[0], x > most_of(6) ? "%luul" : "%ldL", (unsigned long)x);
    return text;
}

static void declare(const Head *h)
{
    whole_scalar(types[h->start].name, "a", "(%s)%s", types[h->start].name, text_of(h->from));
    whole_scalar(types[h->bound].name, "b", "(%s)%s", types[h->bound].name, text_of(h->to));
    whole_scalar(h->step < 0 ? "int" : types[h->step].name, "st", "%d", h->step < 0 ? 1 : (int)h->by);
    whole_scalar(types[h->counter].name, "base", "(%s)%s", types[h->counter].name, text_of(h->least));
    whole_scalar("int", "on", "%d", h->on);
    whole_scalar("int", "w", "%d", (int)(h->most - h->least) + 1);
}

static void print_head(const Head *h)
{
    char start[24], bound[64], end[24], test[16];
    snprintf(start, sizeof start, h->literal_from ? "%d%s" : "a%.0d%s", h->literal_from ? (int)h->from : 0,
             h->start_moves ? " + i" : "");
    snprintf(end, sizeof end, h->literal_to ? "%d%s" : "b%.0d%s", h->literal_to ? (int)h->to : 0,
             h->bound_moves ? " + i" : "");
    snprintf(bound, sizeof bound, h->chosen ? "(%s ? %s : %s)" : "%.0s%s", h->chosen == 1 ? "on" : "i > on", end,
             start);
    snprintf(test, sizeof test, "k%s", !h->in_test ? "" : h->down ? "--" : "++");
    printf("for (%s k = %s; ", types[h->counter].name, start);
    if (h->compare == OTHER && h->literal_to && !h->to && !h->bound_moves && !h->chosen && below(2))
        printf("%s; ", test);
    else if (below(5))
        printf("%s %s %s; ", test, operators[h->compare], bound);
    else
        printf("%s %s %s; ", bound, turned[h->compare], test);
    const char *sign = h->down ? "-" : "+";
    char by[8];
    snprintf(by, sizeof by, below(2) || (h->step >= 0 && h->step != INT) ? "st" : "%d", (int)h->by);
    if (h->in_test)
        printf(")");
    else if (h->step < 0)
        printf(below(2) ? "k%s%s)" : "%s%sk)", sign, sign);
    else if (below(3))
        printf("k %s= %s)", sign, by);
    else
        printf("k = k %s %s)", sign, by);
}

static const char *place_of(void)
{
    return PICK("[k - base]", "[(long)k - (long)base]", "[(int)(k - base)]");
}

static void heads(int seed)
{
    int form = below(5), n = form < 2 ? 1 : 1 + below(5);
    Head h = draw(n);
    const char *at = place_of();
    whole_begin(seed);
    whole_scalar("int", "n", "%d", n);
    whole_scalar("int", "rows", "%d", 1 + below(9));
    declare(&h);
    whole_array("const int *", "x", 0, "w", "(long)(r % 99) - 40");
    whole_array("int *", "y", 0, "w", "(int)i");
    whole_array("long *", "o", 0, "w + n", "i");
    whole_array("int *", "z", 0, "rows * w", "(int)i");
    whole_body();
    switch (form) {
    case 0:
        printf("    WS(grid(1)%s)\n    ", PICK("", " tile(32)", " tile(1)"));
        print_head(&h);
        printf(" {\n        y%s = x%s * 3;\n", at, at);
        if (below(2))
            printf("        o%s = %s;\n", at, PICK("k", "(long)k", "k / 3", "k > 5"));
        printf("    }\n");
        break;
    case 1: {
        const char *of_rows = "for (int r = 0; r < rows; r++)", *tile = PICK("", " tile(1, 64)", " tile(8, 8)");
        int outer = below(2);
        printf("    WS(grid(2)%s)\n    %s\n        ", tile, outer ? "" : of_rows);
        print_head(&h);
        printf("%s\n            z[r * w + (int)(k - base)] += x%s + r;\n", outer ? of_rows : "", at);
        break;
    }
    default:
        printf("    WS(grid(1)%s)\n    for (int i = 0; i < n; i++) {\n        long s = 1;\n        ",
               PICK("", " tile(32)", " tile(1)"));
        if (form == 2 && below(2)) {
            printf("WS(pipeline(auto)%s reduction(+ : s))\n        ", PICK("", " tile(16)"));
            print_head(&h);
            printf("\n            s += x%s;\n", at);
        } else {
            print_head(&h);
            printf("\n            %s;\n", form == 2   ? PICK("s += k", "s += x[k - base] * (int)(k - base)", "s += 1")
                                          : form == 3 ? PICK("s = s * 3 + (long)k", "s = s * 5 + x[k - base]")
                                                      : PICK("s = x[k - base] > s ? x[k - base] : s", "s++"));
        }
        printf("        o[i] = s;\n    }\n");
    }
    whole_end();
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* wider: a conversion of what would overflow.  */
static void number_of(const char *i, const char *k, const char *wider)
{
    switch (below(12)) {
    case 0:
        printf("%s", i);
        break;
    case 1:
        printf("%s%s * 3 + 1", wider, i);
        break;
    case 2:
        printf("%s %% %d", i, 1 + below(1000));
        break;
    case 3:
        printf("%s / %d", i, 1 + below(1000));
        break;
    case 4:
        printf("(int)%s", i);
        break;
    case 5:
        printf("(unsigned)%s + 7u", i);
        break;
    case 6:
        printf("%s %s %s ? 3 : x[%s]", i, PICK("<", "<=", ">", ">=", "==", "!="), PICK("p", "q", "u", "v"), k);
        break;
    case 7:
        printf("%s + %d %s %s", i, below(3), PICK("<", "<=", ">", ">="), PICK("p", "q", "u", "v"));
        break;
    case 8:
        printf("%s >> %d ^ x[%s]", i, below(31), k);
        break;
    case 9:
        printf("%s%s - x[%s]", wider, i, k);
        break;
    case 10:
        printf("(%s %s x[%s] ? %s : x[%s])", i, PICK("<", ">"), k, i, k);
        break;
    default:
        printf("(long)((double)%s * 0.5)", i);
    }
}

static void numbers(int seed)
{
    static const char *const kinds[] = {"int", "long", "unsigned", "unsigned long"};
    static const char *const starts[4][6] = {{"0", "5", "-3", "1000000", "-2000000000", "2147482000"},
                                             {"0", "7", "-9", "3000000000", "-3000000000", "1L << 40"},
                                             {"0", "1", "100", "2147483600u", "3000000000u", "4294967000u"},
                                             {"0", "3", "4294967290u", "5000000000u", "1ul << 62", "3ul << 62"}};
    int kind = below(4), nested = below(2);
    const char *type = kinds[kind], *start = starts[kind][below(6)];
    whole_begin(seed);
    whole_scalar("int", "n", "%d", 1 + below(100));
    whole_scalar(type, "a", "%s", start);
    whole_scalar("int", "p", "%d", below(2) ? below(60) - 20 : below(1 << 30) * 2);
    whole_scalar("long", "q", "%ldL", below(2) ? (long)below(60) - 20 : (long)below(1 << 30) * below(9) - 4000000000L);
    whole_scalar("unsigned", "u", "%uu", below(2) ? (unsigned)below(60) : (unsigned)below(1 << 30) * 4u);
    whole_scalar("unsigned long", "v", "%s",
                 below(2) ? "(unsigned long)a + 17" : PICK("-1ul", "40", "3ul << 62", "(unsigned long)(a - 1)"));
    whole_array("const int *", "x", 0, "n", "(long)r >> r % 40");
    whole_array("long *", "o0", 0, "n", "r");
    whole_array("long *", "o1", 0, "n", "r");
    whole_array("long *", "o2", 0, "n", "r");
    whole_array("long *", "o3", 0, "n", "r");
    whole_array("double *", "d", 0, "n", "i");
    whole_body();
    if (!nested) {
        printf("    WS(grid(1)%s)\n    for (%s i = a; i < a + n; i++) {\n", PICK("", " tile(16)"), type);
        for (int k = 0; k < 4; k++) {
            printf("        o%d[i - a] = ", k);
            number_of("i", "i - a", kind ? "" : "(long)");
            printf(";\n");
        }
        printf("        d[i - a] = i * 0.25;\n    }\n");
        whole_end();
        return;
    }
    const char *bound = PICK("a + n", "a + n / 2 + 1");
    printf("    WS(grid(1)%s)\n    for (%s i = a; i < a + n; i++) {\n        long s = 0, most = -1;\n        double t "
           "= 0;\n",
           PICK("", " tile(16)"), kind ? type : PICK("int", "long"));
    if (below(2))
        printf("        WS(pipeline(auto) reduction(+ : s))\n");
    printf("        for (%s k = a; k < %s; k++)\n            if (k %s i%s)\n                s += ", type, bound,
           PICK("<=", "<", ">", ">=", "!="), PICK("", " + 1", " - 1"));
    number_of("k", "k - a", kind ? "" : "(long)");
    printf(";\n        for (%s k = a; k < %s; k++)\n        {\n            t += x[k - a] * (double)k;\n"
           "            most = x[k - a] > most ? k : most;\n        }\n",
           type, bound);
    printf("        o0[i - a] = s;\n        o1[i - a] = most;\n        d[i - a] = t;\n    }\n");
    whole_end();
}

void counters(int seed)
{
    if (below(4))
        heads(seed);
    else
        numbers(seed);
}
