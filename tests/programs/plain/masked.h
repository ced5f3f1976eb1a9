/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of plain_masked.c: products of matrices under conditions, behind which there may be anything. */

#define PRODUCT(name, type, clause, term)                                                                    \
    FUNCTION(name)(int n, int m, int l, const int *ok, const int *of, const type *x, const type *y, type *a) \
    {                                                                                                        \
        WS(grid(2) clause)                                                                                   \
        for (int i = 0; i < n; i++)                                                                          \
            for (int j = 0; j < m; j++) {                                                                    \
                type s = 1;                                                                                  \
                WS(pipeline(auto) reduction(+ : s))                                                          \
                for (int k = 0; k < l; k++)                                                                  \
                    term;                                                                                    \
                a[i * m + j] = s;                                                                            \
            }                                                                                                \
    }
#define X x[k * n + i]
#define Y y[k * m + j]
/* along the sum: rows and columns of both operands */
PRODUCT(of_sum, float, , if (ok[k]) s += X * Y)
PRODUCT(but_sum, double, , if (ok[k])(void) 0; else s -= X * Y)
PRODUCT(rounded, float, precision(f16), if (ok[k] && k > 1) s += X * Y)
PRODUCT(scaled, float, , if (ok[k]) s += 3 * X * Y)
/* along rows and columns of the result: sums */
PRODUCT(of_row, float, , if (ok[i]) s += X * Y)
PRODUCT(of_column, double, , if (!ok[j]) s += X * Y)
PRODUCT(diagonal, float, , if (i != j) s += X * Y)
PRODUCT(of_both, float, , if (ok[i] && of[j]) s -= X * Y)
/* single numbers of an operand */
PRODUCT(upto, float, , if (k <= i) s += X * Y)
PRODUCT(others, float, , if (k != j) s += X * Y)
PRODUCT(apart, float, precision(bf16), if (ok[(k + i) % 7]) s += X * Y)
PRODUCT(sparse, float, , if (X != 0) s += X * Y)
PRODUCT(missing, double, , if (X == X && Y == Y) s += X * Y)
PRODUCT(chosen, float, , s += Y > 0 ? X * Y : 0)
#undef X
#undef Y
#undef PRODUCT

/* loops whose bounds say it */
FUNCTION(triangle)(int n, int m, int l, const int *ok, const int *of, const float *x, const float *y, float *a)
{
    (void)ok, (void)of;
    WS(grid(2))
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            float s = 0;
            WS(pipeline(auto) reduction(+ : s))
            for (int k = 0; k <= i; k++)
                s += x[i * l + k] * y[k * m + j];
            WS(pipeline(auto) reduction(+ : s))
            for (int k = j + 1; k < l; k++)
                s -= x[i * l + k] * y[k * m + j];
            a[i * m + j] = s;
        }
}

/* a number behind the last row and column, times what is not there */
FUNCTION(ragged)(int n, int m, int l, const int *ok, const int *of, const float *x, const float *y, float *a)
{
    (void)ok, (void)of;
    WS(grid(2))
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            float s = 0;
            WS(pipeline(auto) reduction(+ : s))
            for (int k = 0; k < l - 3; k++)
                s += (x[i * l + k] + 1) * y[0] * y[(k + 1) * m + j];
            a[i * m + j] = s;
        }
}

/* rows that begin later and end together: nothing is added behind their end */
FUNCTION(counted)(int n, int l, const int *of, int *count)
{
    WS(grid(1) reduction(+ : count) extent(count : 2))
    for (int i = 0; i < n; i++)
        WS(pipeline(auto))
    for (int j = i; j < l; j++)
        count[of[j]] += 1;
}
