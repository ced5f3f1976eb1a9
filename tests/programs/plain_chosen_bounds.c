/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds of plain loops that a condition chooses, an array holds, or that lie behind two pointers; and expressions that
   change variables under a condition, ranges of cases, x ?: y, and parts of objects that initializers name. */
#include <stdio.h>

static void chosen(int self, int n, double *y, const double *x)
{
#pragma ws grid(1)
    for (int i = 0; i < (self ? n - 1 : n); i++)
        y[i] = 2 * x[i];
}

static void chosen_twice(int a, int b, int n, double *y, const double *x)
{
#pragma ws grid(2)
    for (int i = 0; i < (a < b ? b + 1 : a); i++)
        for (int j = (a ? 1 : 2); j <= (b > 3 ? n + 1 : 2 * n); j++)
            y[i * 20 + j] = 2 * x[i * 20 + j];
}

static void read_sizes(const int d[3], double *y, const double *x)
{
#pragma ws grid(2)
    for (int j = 0; j < d[1]; j++)
        for (int i = 0; i < d[0]; i++)
            y[j * 20 + i] = 2 * x[j * 20 + i];
}

struct box {
    int n;
};
struct sim {
    struct box *box;
};

static void behind_two(const struct sim *s, double *y, const double *x)
{
#pragma ws grid(1)
    for (int i = 0; i < s->box->n; i++)
        y[i] = 2 * x[i];
}

struct inner {
    int k;
    union {
        int i;
        float f;
    };
    int two[2];
};

static int looked_up(int i)
{
    static const int table[] = {5, 7, 11, 13};
    return table[i & 3];
}

static void expressions(int n, double *y, const double *x, const int *u)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        int m = u[i], a = 0, v = 0;
        if (m > 1 && ++a)
            v += 1;
        if (m > 2)
            v += 2;
        v += m > 4 ? a++ : (a -= 2);
        v += a++ ?: 7;
        v += m ?: 9;
        switch (m) {
        case 0 ... 2:
            v += 100;
            break;
        case 4 ... 5:
            v += 200;
        }
        struct inner w = {1, {.i = m}, .two[1] = v};
        do {
            if (m == 3)
                break;
            v += looked_up(m);
        } while (0);
        y[i] = x[i] + v + a + w.i + w.k + w.two[0] + w.two[1];
    }
}

static double x[400], y[400];
static int u[400];

static void show(const char *name)
{
    double sum = 0;
    for (int i = 0; i < 400; i++) {
        sum = sum * 1.25 + y[i] - (sum > 1e6 ? 1e6 : 0);
        y[i] = 0;
    }
    printf("%s %g\n", name, sum);
}

int main(void)
{
    for (int i = 0; i < 400; i++) {
        x[i] = i % 13;
        u[i] = i % 7;
    }
    chosen(0, 100, y, x);
    show("chosen");
    chosen(1, 100, y, x);
    show("chosen");
    for (int a = 0; a < 8; a += 3)
        for (int b = 0; b < 8; b += 2) {
            chosen_twice(a, b, 7, y, x);
            show("chosen twice");
        }
    int d[3] = {7, 9, 1};
    read_sizes(d, y, x);
    show("read sizes");
    struct box b = {33};
    struct sim s = {&b};
    behind_two(&s, y, x);
    show("behind two");
    expressions(100, y, x, u);
    show("expressions");
    return 0;
}
