/* SPDX-License-Identifier: MIT */
/*
 * many_values.c - 72 values that a loop and a condition hand on, as many arguments, labels and clauses; and a directive
 * of the compiler between a pragma and its loop.
 */
#include <stdio.h>

#define EIGHT(X, a) X(a##0) X(a##1) X(a##2) X(a##3) X(a##4) X(a##5) X(a##6) X(a##7)
#define ALL(X) \
    EIGHT(X, 10) EIGHT(X, 11) EIGHT(X, 12) EIGHT(X, 13) EIGHT(X, 14) EIGHT(X, 15) EIGHT(X, 16) EIGHT(X, 17) EIGHT(X, 18)

#define VARIABLE(n)  int v##n = n;
#define STEP(n)      v##n = v##n * 3 + k;
#define TURN(n)      v##n = v##n ^ m;
#define SUM(n)       +v##n
#define PARAMETER(n) , int v##n
#define ARGUMENT(n)  , x[i] + n
#define LABEL(n)     case 3 * n:
#define WAY_ON(n) \
    case n:       \
        s += n;

/* Values that do not differ from iteration to iteration of the grid. */
static void carried(int n, int m, int *y, const int *x)
{
#pragma ws grid(1) tile(128)
    for (int i = 0; i < n; i++) {
        ALL(VARIABLE)
        for (int k = 0; k < m; k++) {
            ALL(STEP)
        }
        if (m > 2) {
            ALL(TURN)
        }
        y[i] = x[i] + (ALL(SUM));
    }
}

static int sum(int first ALL(PARAMETER))
{
    return first ALL(SUM);
}

static void handed(int n, int *y, const int *x)
{
#pragma ws grid(1) tile(128)
    for (int i = 0; i < n; i++)
        y[i] = sum(x[i] ALL(ARGUMENT));
}

static void chosen(int n, int *y, const int *x)
{
#pragma ws grid(1) tile(128)
#pragma GCC ivdep
    for (int i = 0; i < n; i++) {
        int s = 0;
        switch ((x[i] % 100 + 100) * 3) {
            ALL(LABEL)
            s = 1;
            break;
        default:
            s = 2;
        }
        switch (n % 32 + 160) {
            EIGHT(WAY_ON, 16)
            EIGHT(WAY_ON, 17)
            EIGHT(WAY_ON, 18)
        }
        y[i] = s;
    }
}

#define SAID independent(y)

static void said(int n, int *y, const int *x)
{
#pragma GCC unroll 4
#pragma ws grid(1) tile(128) SAID SAID SAID SAID SAID SAID SAID SAID SAID SAID SAID SAID SAID SAID SAID SAID SAID SAID \
    SAID SAID SAID SAID SAID SAID SAID SAID SAID SAID SAID SAID SAID SAID SAID SAID SAID SAID SAID SAID SAID
    for (int i = 0; i < n; i++)
        y[i] = x[i] + 1;
}

static void sums(int n, const int *x, int *out)
{
    int a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0, j = 0;

#pragma ws grid(1) tile(128) reduction(+ : a, b, c, d, e, f, g, h) reduction(+ : i) reduction(+ : j)
    for (int k = 0; k < n; k++) {
        a += x[k];
        b += x[k] * 2;
        c += x[k] & 3;
        d += x[k] & 5;
        e += x[k] ^ 3;
        f += x[k] - 1;
        g += x[k] * 7;
        h += x[k] | 1;
        i += x[k] | 8;
        j += 5 - x[k];
    }
    out[0] = a ^ b ^ c ^ d ^ e;
    out[1] = f ^ g ^ h ^ i ^ j;
}

int main(void)
{
    enum { N = 70 };
    static int x[N], y[N];
    for (int i = 0; i < N; i++)
        x[i] = i * 37 % 101;
    for (int m = 1; m < 5; m += 3) {
        carried(N, m, y, x);
        printf("%d %d\n", y[0], y[N - 1]);
    }
    handed(N, y, x);
    printf("%d %d\n", y[0], y[N - 1]);
    chosen(N, y, x);
    for (int i = 0; i < N; i++)
        printf("%d%c", y[i], i % 10 == 9 ? '\n' : ' ');
    said(N, y, x);
    printf("%d %d\n", y[0], y[N - 1]);
    sums(N, x, y);
    printf("%d %d\n", y[0], y[1]);
    return 0;
}
