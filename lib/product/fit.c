/* SPDX-License-Identifier: MIT */
/*
 * fit.c - fits the numbers of the cost model (choose.h) to measured times, and prints the errors of the model.
 *
 *   fit FILE...           prints rows of machines/hopper.machine with new numbers; comments before them have the errors
 *   fit --check FILE...   prints the errors of the present numbers
 *
 * A FILE holds lines of JSON as bench/run writes them with `tiles`: extents, the choice ("kernel", "parts", "step",
 * "across"), "us" and "mhz".  Older lines describe a choice in words alone ("form").  They count if they describe
 * exactly one choice of the problem.  Other lines are ignored.
 *
 *   error    |ln (modelled / measured time)|: its median, and the bound of nine of ten times
 *   regret   the choice's time over the best measured time, for shapes with at least two choices
 *
 * The shapes are divided into five parts.  For each part, the numbers are fitted to the other four; "shapes left out"
 * combines all five.  The fit is a pattern search: it tries each number a little larger and a little smaller, and
 * halves the steps when no number changes.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "describe.h"

enum { PARTS = 5, MOST_CHOICES = PRODUCT_CHOICES };

static const struct {
    const char *name, *meaning;
} about[] = {
#define NUMBER(name, value, meaning) {#name, meaning},
#include "numbers.def"
#undef NUMBER
};
enum { NUMBERS = sizeof about / sizeof *about };
_Static_assert(sizeof(product_numbers) == NUMBERS * sizeof(double), "numbers.def has doubles alone");

typedef union {
    product_numbers named;
    double all[NUMBERS];
} numbers;

typedef struct {
    product_problem problem;
    product_choice choice;
    double clocks;
    int shape; /* equal problems have equal numbers */
} timing;

static timing *timings;
static int count, room, shapes;

/* ---- measured times ---------------------------------------------------------------------------------------------- */

/* The text after "key": in the line, or NULL. */
static const char *value_of(const char *line, const char *key)
{
    char quoted[32];
    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    const char *at = strstr(line, quoted);
    return at ? at + strlen(quoted) : NULL;
}

static bool number_of(const char *line, const char *key, double *to)
{
    const char *at = value_of(line, key);
    char *end = NULL;
    *to = at ? strtod(at, &end) : 0;
    return at && end != at;
}

static bool text_of(const char *line, const char *key, char *to, size_t size)
{
    const char *at = value_of(line, key);
    const size_t length = at && *at == '"' ? strcspn(at + 1, "\"") : size;
    if (length >= size)
        return false;
    memcpy(to, at + 1, length);
    to[length] = 0;
    return true;
}

static bool problem_of(const char *line, product_problem *p)
{
    double batch, M, N, K;
    char type[16];
    if (!number_of(line, "batch", &batch) || !number_of(line, "M", &M) || !number_of(line, "N", &N) ||
        !number_of(line, "K", &K) || !text_of(line, "type", type, sizeof type))
        return false;
    const int bytes = !strcmp(type, "f16") || !strcmp(type, "bf16") ? 2 : !strcmp(type, "e4m3") ? 1 : 0;
    *p = (product_problem){(long)batch, (long)M, (long)N, (long)K, bytes, 2, 132};
    return bytes && batch >= 1 && M >= 1 && N >= 1 && K >= 1;
}

/* The choice of the problem that the words describe, if there is exactly one. */
static bool choice_in_words(const char *line, product_problem p, product_choice *choice)
{
    static product_choice list[MOST_CHOICES];
    char words[PRODUCT_DESCRIPTION], own[PRODUCT_DESCRIPTION];
    int found = 0;
    if (!text_of(line, "form", words, sizeof words) || !*words)
        return false;
    for (int i = 0, n = product_choices(p, list); i < n; i++) {
        product_describe(own, list[i], p.N);
        if (strcmp(own, words))
            continue;
        found += !found || list[i].form != choice->form;
        *choice = list[i];
    }
    return found == 1;
}

static bool choice_of(const char *line, product_problem p, product_choice *choice)
{
    double parts, step, across;
    char kernel[32];
    if (!text_of(line, "kernel", kernel, sizeof kernel))
        return choice_in_words(line, p, choice);
    if (!number_of(line, "parts", &parts) || !number_of(line, "step", &step) || !number_of(line, "across", &across))
        return false;
    for (int form = 0; form < PRODUCT_FORMS_COUNT; form++)
        if (!strcmp(product_forms[form].name, kernel)) {
            *choice = (product_choice){form, (int)parts, (int)step, (int)across};
            return product_forms[form].kind != PRODUCT_TALL && parts >= 1;
        }
    return false;
}

static bool same_problem(product_problem x, product_problem y)
{
    return x.batch == y.batch && x.M == y.M && x.N == y.N && x.K == y.K && x.bytes == y.bytes;
}

static void add(timing t)
{
    t.shape = -1;
    for (int i = count - 1; i >= 0 && t.shape < 0; i--)
        if (same_problem(timings[i].problem, t.problem))
            t.shape = timings[i].shape;
    if (t.shape < 0)
        t.shape = shapes++;
    if (count == room) {
        room = room ? 2 * room : 1024;
        timings = realloc(timings, (size_t)room * sizeof *timings);
        if (!timings) {
            fprintf(stderr, "fit: no memory\n");
            exit(1);
        }
    }
    timings[count++] = t;
}

static void read_file(const char *path)
{
    static char line[4096];
    FILE *f = fopen(path, "r");
    if (!f) {
        fprintf(stderr, "fit: cannot read %s\n", path);
        exit(1);
    }
    while (fgets(line, sizeof line, f)) {
        timing t = {0};
        double us, mhz;
        if (number_of(line, "us", &us) && number_of(line, "mhz", &mhz) && us > 0 && mhz > 0 &&
            problem_of(line, &t.problem) && choice_of(line, t.problem, &t.choice)) {
            t.clocks = us * mhz;
            add(t);
        }
    }
    fclose(f);
}

/* ---- the fit ----------------------------------------------------------------------------------------------------- */

/* True for the timings of all shapes but one part of them, or (`part` below 0) of all. */
static bool belongs(const timing *t, int left_out)
{
    return left_out < 0 || t->shape % PARTS != left_out;
}

static double log_error(const numbers *n, const timing *t)
{
    return log(product_clocks(&n->named, t->problem, t->choice) / t->clocks);
}

/* Each shape has the same weight.  Large errors count by their size, small ones by their square. */
static double loss(const numbers *n, int left_out, double *sums, int *of_shape)
{
    const double bend = 0.1;
    double sum = 0;
    memset(sums, 0, (size_t)shapes * sizeof *sums);
    memset(of_shape, 0, (size_t)shapes * sizeof *of_shape);
    for (int i = 0; i < count; i++)
        if (belongs(&timings[i], left_out)) {
            const double e = fabs(log_error(n, &timings[i]));
            sums[timings[i].shape] += e < bend ? e * e / (2 * bend) : e - bend / 2;
            of_shape[timings[i].shape]++;
        }
    for (int s = 0; s < shapes; s++)
        sum += of_shape[s] ? sums[s] / of_shape[s] : 0;
    return sum;
}

static numbers fitted(int left_out)
{
    numbers n = {product_h200};
    double *sums = malloc((size_t)shapes * sizeof *sums);
    int *of_shape = malloc((size_t)shapes * sizeof *of_shape);
    if (!sums || !of_shape)
        exit(1);
    double best = loss(&n, left_out, sums, of_shape);
    for (double step = 0.2; step > 0.004; step /= 2)
        for (bool moved = true; moved;) {
            const double before = best;
            for (int i = 0; i < NUMBERS; i++)
                for (int way = -1; way <= 1; way += 2) {
                    const double old = n.all[i];
                    n.all[i] = way < 0 ? old / (1 + step) : old * (1 + step);
                    const double now = loss(&n, left_out, sums, of_shape);
                    if (now < best)
                        best = now;
                    else
                        n.all[i] = old;
                }
            moved = best < before * 0.999;
        }
    free(sums);
    free(of_shape);
    return n;
}

/* ---- the errors -------------------------------------------------------------------------------------------------- */

typedef struct {
    double middle, most; /* of |ln (modelled / measured)| */
    double regret;       /* the mean of ln (time of the choice / least time) */
    int compared;        /* number of shapes in that mean */
} errors;

static int by_size(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* The errors of part p of the shapes by numbers[p]. */
static errors errors_of(const numbers n[PARTS])
{
    errors e = {0, 0, 0, 0};
    double *all = malloc(((size_t)count + 1) * sizeof *all);
    if (!all)
        exit(1);
    for (int i = 0; i < count; i++)
        all[i] = fabs(log_error(&n[timings[i].shape % PARTS], &timings[i]));
    qsort(all, (size_t)count, sizeof *all, by_size);
    e.middle = all[count / 2];
    e.most = all[(count - 1) * 9 / 10];
    free(all);
    for (int s = 0; s < shapes; s++) {
        double least = HUGE_VAL, taken = 0, modelled = HUGE_VAL;
        const timing *first = NULL;
        bool several = false;
        for (int i = 0; i < count; i++)
            if (timings[i].shape == s) {
                const double m = product_clocks(&n[s % PARTS].named, timings[i].problem, timings[i].choice);
                first = first ? first : &timings[i];
                several = several || memcmp(&first->choice, &timings[i].choice, sizeof first->choice) != 0;
                least = timings[i].clocks < least ? timings[i].clocks : least;
                if (m < modelled) {
                    modelled = m;
                    taken = timings[i].clocks;
                }
            }
        if (several) {
            e.regret += log(taken / least);
            e.compared++;
        }
    }
    e.regret = e.compared ? e.regret / e.compared : 0;
    return e;
}

static void print_errors(const char *what, const numbers n[PARTS])
{
    const errors e = errors_of(n);
    printf("# %-18s error %.1f%%, nine of ten below %.1f%%; regret ", what, 100 * e.middle, 100 * e.most);
    if (e.compared)
        printf("%.2f%% over %d shapes\n", 100 * e.regret, e.compared);
    else
        printf("not known: one choice of each shape was measured\n");
}

static void print_numbers(const numbers *n)
{
    for (int i = 0; i < NUMBERS; i++)
        printf("fitted %s %.4g # %s [fit]\n", about[i].name, n->all[i], about[i].meaning);
}

int main(int argc, char **argv)
{
    const bool check = argc > 1 && !strcmp(argv[1], "--check");
    numbers there[PARTS], left_out[PARTS], all[PARTS];
    if (argc < 2 + check) {
        fprintf(stderr, "usage: fit [--check] FILE...\n");
        return 2;
    }
    for (int i = 1 + check; i < argc; i++)
        read_file(argv[i]);
    if (shapes < 2 * PARTS) {
        fprintf(stderr, "fit: times of %d shapes, which are too few: bench/run SUITE... tiles measures them\n", shapes);
        return 1;
    }
    for (int part = 0; part < PARTS; part++)
        there[part] = (numbers){product_h200};
    printf("# %d times of %d shapes.\n", count, shapes);
    print_errors("before:", there);
    if (!check) {
        for (int part = 0; part < PARTS; part++) {
            left_out[part] = fitted(part);
            fprintf(stderr, "\r%d of %d", part + 1, PARTS + 1);
        }
        print_errors("shapes left out:", left_out);
        all[0] = fitted(-1);
        for (int part = 1; part < PARTS; part++)
            all[part] = all[0];
        print_errors("fitted to all:", all);
        fprintf(stderr, "\r          \r");
    }
    if (!check)
        print_numbers(&all[0]);
    free(timings);
    return 0;
}
