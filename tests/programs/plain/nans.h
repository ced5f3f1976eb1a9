/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of plain_nans.c: the largest and smallest of rows and columns, in each of C's forms.  1 / s tells zeros
   apart. */

#define FORM(name, type, first, last, update)                     \
    FUNCTION(name)(int m, int n, const type *x, type *a, type *b) \
    {                                                             \
        WS(grid(1))                                               \
        for (int i = 0; i < m; i++) {                             \
            type s = first;                                       \
            WS(pipeline(auto))                                    \
            for (int j = 0; j < n; j++) {                         \
                type v = x[i * n + j];                            \
                update;                                           \
            }                                                     \
            a[i] = last;                                          \
            b[i] = 1 / (last);                                    \
        }                                                         \
    }
/* NaN is left out, and one that s begins as stays */
FORM(larger, float, x[i * n], s, s = v > s ? v : s)
FORM(larger_last, double, x[i * n], s, s = v >= s ? v : s)
FORM(larger_if, float, -3, s, if (s < v) s = v)
FORM(larger_if_last, float, -3, s, if (!(s > v) && v == v) s = v)
FORM(smaller, double, -0.0, s, s = v < s ? v : s)
FORM(smaller_last, float, 0, s, s = s >= v ? v : s)
/* NaN is taken, and all before it forgotten */
FORM(taken, float, 5, s, s = s > v ? s : v)
FORM(taken_last, float, 5, s, s = s >= v ? s : v)
FORM(taken_least, double, x[i * n], s, s = s < v ? s : v)
FORM(taken_least_last, float, 0, s, s = v >= s ? s : v)
FORM(taken_first, float, -INFINITY, s, s = v <= s ? s : v)
/* fmax may give either of two zeros */
FORM(called, float, x[i * n], s + 0, s = fmaxf(s, v))
FORM(called_least, double, NAN, s + 0, s = fmin(v, s))
/* two in one iteration, which stay in order */
FORM(both, float, 1, s, s = s > v ? s : v; s = s > -v ? s : -v)
FORM(size, float, 0, s, v = fabsf(v); s = s > v ? s : v)

/* under a condition, where there may be nothing */
FUNCTION(above)(int m, int n, const float *x, const int *k, float *a, float *b)
{
    WS(grid(1))
    for (int i = 0; i < m; i++) {
        float s = NAN, t = NAN;
        WS(pipeline(auto) tile(16))
        for (int j = 0; j < n; j++) {
            float v = x[i * n + j];
            if (k[j] > 2)
                s = s < v ? s : v;
            if (j >= i)
                t = t > v ? t : v;
        }
        a[i] = s;
        b[i] = t;
    }
}

/* of columns, and of a part of each row */
FUNCTION(columns)(int m, int n, const float *x, float *a, float *b)
{
    WS(grid(1))
    for (int j = 0; j < n; j++) {
        float s = 0, t = NAN;
        WS(pipeline(auto))
        for (int i = 0; i < m; i++) {
            s = s > x[i * n + j] ? s : x[i * n + j];
            t = x[i * n + j] < t ? x[i * n + j] : t;
        }
        a[j] = s;
        b[j] = 1 / t;
    }
}

FUNCTION(triangle)(int m, int n, const double *x, double *a, double *b)
{
    WS(grid(1))
    for (int i = 0; i < m; i++) {
        double s = 0, t = 2;
        WS(pipeline(auto))
        for (int j = 0; j <= i; j++) {
            double v = x[i * n + j % n];
            s = s > v ? s : v;
            t = v < t ? v : t;
        }
        a[i] = s;
        b[i] = t;
    }
}

/* elements by elements */
FUNCTION(elements)(int n, const float *x, const float *y, float *a, float *b)
{
    WS(grid(1))
    for (int i = 0; i < n; i++) {
        a[i] = (x[i] > y[i] ? x[i] : y[i]) + (x[i] >= 0 ? x[i] : 0);
        b[i] = 1 / (x[i] <= y[i] ? x[i] : y[i]) + (x[i] < y[i] ? y[i] : x[i]);
    }
}

/* of a whole grid, in some order: NaN that is taken may be the last */
#define TOTAL(name, type, op, first, update)            \
    FUNCTION(name##_all)(int n, const type *x, type *a) \
    {                                                   \
        type s = first;                                 \
        WS(grid(1) reduction(op : s))                   \
        for (int i = 0; i < n; i++) {                   \
            type v = x[i];                              \
            update;                                     \
        }                                               \
        *a = s;                                         \
    }
TOTAL(larger, float, max, 5, s = v > s ? v : s)
TOTAL(taken, float, max, 5, s = s > v ? s : v)
TOTAL(taken_least, double, min, -5, s = v >= s ? s : v)
TOTAL(called, float, max, -INFINITY, s = fmaxf(s, v))

/* in an order that the user leaves open: columns of NaN alone and of none have one answer */
FUNCTION(open)(int m, int n, const float *x, float *a, float *b)
{
    WS(grid(1))
    for (int i = 0; i < m; i++) {
        float s = -INFINITY, t = INFINITY;
        WS(pipeline(auto) reduction(max : s) reduction(min : t))
        for (int j = 0; j < n; j++) {
            float v = x[i * n + j];
            s = v > s ? v : s;
            t = t < v ? t : v;
        }
        a[i] = s;
        b[i] = i % 3 == 0 ? t : 0;
    }
}
