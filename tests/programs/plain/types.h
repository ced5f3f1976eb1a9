/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of plain_types.c. */

/* masks are read, negated, joined, compared and stored */
KERNEL(masks)(int n, const bool *m, const bool *other, const float *x, float *y, bool *o, bool *differ, int *count)
{
    WS(grid(1))
    for (int i = 0; i < n; i++) {
        bool above = x[i] > 0.25f;
        y[i] = m[i] ? x[i] : other[i] ? -x[i] : 0;
        o[i] = (above && !m[i]) || x[i] < -0.5f;
        differ[i] = m[i] != other[i];
        count[i] = m[i] + other[i] + 2 * above;
    }
}

/* how many of each row are set, and whether any is, or all are */
KERNEL(rows_of_masks)(int n, int m, const bool *mask, int *count, bool *some, bool *all)
{
    WS(grid(1) tile(32))
    for (int i = 0; i < n; i++) {
        int sum = 0;
        WS(pipeline(auto) tile(32) reduction(+: sum))
        for (int j = 0; j < m; j++)
            sum += mask[i * m + j];
        count[i] = sum;
        some[i] = sum > 0;
        all[i] = sum == m;
    }
}

/* a step of Conway's game */
KERNEL(life)(int h, int w, const bool *cell, bool *next)
{
    WS(grid(2))
    for (int i = 1; i < h - 1; i++)
        for (int j = 1; j < w - 1; j++) {
            int around = 0;
            for (int di = -1; di <= 1; di++)
                for (int dj = -1; dj <= 1; dj++)
                    around += (di || dj) && cell[(i + di) * w + j + dj];
            next[i * w + j] = around == 3 || (around == 2 && cell[i * w + j]);
        }
}

/* quotients and rests of numbers without a sign: by numbers, by elements, by what the caller hands in */
KERNEL(quotients)(int n, unsigned by, const unsigned *x, const unsigned *z, unsigned *y, float *share)
{
    WS(grid(1))
    for (int i = 0; i < n; i++) {
        unsigned least = z[i] | 1;
        y[i] = x[i] / 7 + x[i] % 4000000000u * 3 + x[i] / least + x[i] % least + by / least + x[i] % by;
        share[i] = (float)(x[i] / (z[i] >> 16 | 1)) + (x[i] >> 3);
    }
}

KERNEL(long_quotients)(int n, unsigned long by, const unsigned long *x, const unsigned long *z, unsigned long *y,
                       unsigned *low)
{
    WS(grid(1))
    for (int i = 0; i < n; i++) {
        unsigned long least = z[i] | 1, odd = z[i] >> 40 | 1;
        y[i] = x[i] / 10 + x[i] % 1000003 + x[i] / least + x[i] % odd * 3 + x[i] / by + by % odd +
               x[i] / 0xfedcba9876543210u;
        low[i] = (unsigned)(x[i] % 4294967291u) + (unsigned)i / 3u;
    }
    WS(grid(1) tile(16))
    for (int i = 0; i < n; i++) {
        unsigned long sum = 0;
        for (int k = 0; k < n; k++)
            sum += (unsigned long)(unsigned char)(x[k] - x[0]); /* what C computes as int is short again */
        y[i] += sum;
    }
}

/* a counter without a sign is taken apart */
KERNEL(digits)(unsigned n, unsigned base, const float *x, float *y)
{
    WS(grid(1) extent(x : n))
    for (unsigned i = 0; i < n; i++) {
        unsigned turned = (i % base) * (n / base) + i / base;
        y[i] = turned < n ? x[turned] : (float)(i / 4u) + (float)(i % 10u);
    }
}

/* the nearest centre of each point, noted in the point itself */
KERNEL(centres)(int n, int k, struct point *p, const struct point *c)
{
    WS(grid(1))
    for (int i = 0; i < n; i++) {
        float least = 1e30f;
        int label = 0;
        for (int j = 0; j < k; j++) {
            float dx = p[i].x - c[j].x, dy = p[i].y - c[j].y, d = dx * dx + dy * dy;
            if (d < least && c[j].used) {
                least = d;
                label = c[j].label;
            }
        }
        p[i].moved = p[i].label != label;
        p[i].label = label;
        p[i].squared = least;
    }
}

/* structs of a matrix, whole rows down by three */
KERNEL(downwards)(int n, int m, const struct point *p, struct point *q, float *y)
{
    WS(grid(1) tile(32))
    for (int j = m - 2; j >= 1; j--) {
        float s = 0;
        for (int i = n - 2; i > 0; i -= 3) {
            s = 0.5f * s + p[i * m + j].x;
            if (i != 7 && p[i * m + j].used)
                s += p[i * m + j - 1].y;
            y[i * m + j] = s;
            q[i * m + j].label = p[(i - 1) * m + j].label + i;
        }
    }
}

/* rows of one array from both ends, by three of them: no set of strides does for both */
KERNEL(both_ends)(int n, int m, const float *x, float *last, float *y)
{
    WS(grid(1) tile(16))
    for (int j = 0; j < m; j++) {
        float s = 0;
        for (int i = n - 2; i > 0; i -= 3)
            s = s * 0.5f + (x[(i - 1) * m + j] - x[(n - 1 - i) * m + j]);
        for (int i = n - 2; i > 0; i -= 3)
            s = i == 4 ? x[(n - 1 - i) * m + j] : s * 0.5f + x[i * m + j];
        last[j] = s;
    }
    WS(grid(2) tile(4, 32))
    for (int i = 0; i < n / 3; i++)
        for (int j = 0; j < m; j++) {
            float s = x[3 * i * m + j];
            for (int k = n - 1; k >= 0; k -= 2)
                s = s * 0.5f + x[k * m + j];
            y[i * m + j] = s;
        }
}

/* the same, where they are stored */
KERNEL(both_ends_stored)(int n, int m, float *y)
{
    WS(grid(1) tile(16))
    for (int j = 0; j < m; j++)
        for (int i = n - 2; i > 0; i -= 3)
            y[(i - 1) * m + j] = y[(i - 1) * m + j] - y[(n - 1 - i) * m + j];
}

/* subscripts in numbers without a sign, which go below 0 on the way */
KERNEL(stencil)(unsigned n, unsigned m, const float *x, float *y)
{
    WS(grid(2))
    for (unsigned i = 1; i < n - 1; i++)
        for (unsigned j = 1; j < m - 1; j++)
            y[i * m + j] = x[(i - 1) * m + j] + x[(i + 1) * m + j] - x[i * m + j - 1] - x[i * m + (j + 1)];
}

/* bounds that a size_t does not reach by one */
KERNEL(differences)(size_t n, size_t m, const float *x, float *y, float *last)
{
    WS(grid(1))
    for (size_t i = 0; i + 1 < n; i++)
        y[i] = x[i + 1] - x[i];
    WS(grid(1) tile(16))
    for (size_t i = 0; i < n / m; i++) {
        float s = 0;
        WS(pipeline(auto) tile(32) reduction(+: s))
        for (size_t k = 0; k + 2 < m; k++)
            s += x[i * m + k] * x[i * m + k + 2];
        last[i] = s;
    }
}

/* which kind of number each is */
KERNEL(classes)(int n, const float *x, const double *z, int *y, float *clean)
{
    WS(grid(1))
    for (int i = 0; i < n; i++) {
        y[i] = (isnan(x[i]) ? 1 : isinf(x[i]) ? 2 : 0) + (isfinite(z[i]) ? 0 : 4);
        clean[i] = isnan(x[i]) ? 0 : fminf(fmaxf(x[i], -1), 0.5f);
    }
}

/* numbers below 0 that become ones without a sign: the largest, in comparisons and as a float */
KERNEL(wrapped)(int n, int m, const unsigned *x, float *f, int *y)
{
    WS(grid(2))
    for (size_t i = 1; i < (size_t)(n - 1); i++)
        for (int j = 1; j < m - 1; j++) {
            unsigned long e = (unsigned long)(int)(x[i * m + j] * 3);
            f[i * m + j] = i <= (size_t)(j - 2) ? (float)e : 0.5f;
            y[i * m + j] += (int)(x[i * m + j + 1] + x[i * m + j + 1]) / 4096 % 427;
        }
    WS(grid(2) tile(4, 32))
    for (unsigned long i = 1; i < (unsigned long)(n - 1); i++)
        for (unsigned j = 1; j < (unsigned)m - 1; j++)
            f[i * m + j] += i < j + -2 ? 2 : (float)y[i * m + j];
    WS(grid(1))
    for (unsigned long i = 1; i < (unsigned long)(n - 1); i++)
        for (unsigned j = 1; j < (unsigned)m - 1; j++)
            f[i * m + j] += i < j - 2 ? 4 : 8;
}
