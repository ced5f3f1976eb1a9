/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of plain_heads.c. */

/* Where the bound's type has no sign, an int below 0 is behind all numbers that an int holds. */
KERNEL(starts_below)(int low, int high, int *y)
{
    WS(grid(1))
    for (size_t k = (size_t)low; k <= (size_t)high; k++)
        y[k - (size_t)low] += 1;
}

KERNEL(int_below_size)(int low, size_t high, int *y)
{
    WS(grid(1))
    for (int k = low; k < high; k++)
        y[k - low] += 2;
}

KERNEL(int_to_unsigned)(int low, unsigned high, const int *x, int *y)
{
    WS(grid(1))
    for (int i = 0; i < 40; i++) {
        int s = 1;
        for (int k = low + i; k <= high; k += 3)
            s = s * 3 + x[(k - low) & 63];
        y[i] += s;
    }
}

KERNEL(down_to_unsigned)(long low, int high, int st, int *y)
{
    WS(grid(1))
    for (int k = high; k > (unsigned long)low; k -= st)
        y[(high - k) & 63] += 3;
}

KERNEL(size_down)(size_t low, size_t high, int *y)
{
    WS(grid(1))
    for (size_t k = high; k >= low; k -= 2)
        y[k - low] += 4;
}

KERNEL(sum_of_size)(size_t low, size_t high, const int *x, int *y)
{
    WS(grid(1))
    for (int i = 0; i < 40; i++) {
        int s = 0;
        WS(pipeline(auto) reduction(+ : s))
        for (size_t k = low; k <= high; k++)
            s += x[k - low];
        y[i] += s + i;
    }
}

/* Down to 0, and around. */
KERNEL(around)(unsigned n, size_t m, int *y, int *z)
{
    WS(grid(1))
    for (unsigned k = n - 1; k < n; k--)
        y[k] += 5;
    WS(grid(1))
    for (unsigned k = n - 1; k != -1u; k--)
        z[k] += 6;
    WS(grid(1))
    for (size_t k = m - 1; k < m; k -= 2)
        z[k] += 7;
}

KERNEL(signed_around)(int from, unsigned n, int *y)
{
    WS(grid(1))
    for (int k = 39; k <= n; k -= 8)
        y[k] += 8;
    WS(grid(1))
    for (long k = from; k >= (size_t)-50; k += 4)
        y[k - from] += 9;
}

KERNEL(around_inside)(unsigned n, const int *x, int *y)
{
    WS(grid(1))
    for (int i = 0; i < 40; i++) {
        int s = 1, t = 0;
        for (unsigned k = n - 1; k < n; k--)
            s = s * 3 + x[k];
        for (size_t k = (size_t)n + (size_t)i; k-- > 0;)
            t = t * 5 + x[k & 63];
        y[i] += s + t;
    }
}

/* Counters that are narrower than int. */
KERNEL(narrow)(unsigned char n, short low, signed char high, int *y, int *z)
{
    WS(grid(1))
    for (unsigned char k = n; k-- > 0;)
        y[k] += 9;
    WS(grid(1))
    for (unsigned char k = n; k--;)
        z[k] += 10;
    WS(grid(1))
    for (short k = low; k < high; k++)
        y[k - low] += 11;
    WS(grid(1))
    for (signed char k = high; k-- > low;)
        z[k - low] += 12;
    WS(grid(1))
    for (unsigned short k = 0; k < 40; k += 3)
        y[k] += 13;
}

KERNEL(narrow_inside)(unsigned char n, const int *x, int *y)
{
    WS(grid(1))
    for (int i = 0; i < 40; i++) {
        int s = 1, t = 0;
        for (unsigned char k = n; k-- > 0;)
            s = s * 3 + x[k];
        WS(pipeline(auto) reduction(+ : t))
        for (unsigned short k = 0; k < n; k++)
            t += x[k];
        y[i] += s + t;
    }
}

/* The last tile reaches behind the largest unsigned number. */
KERNEL(at_the_end)(unsigned low, unsigned n, size_t most, const int *x, int *y)
{
    WS(grid(1))
    for (unsigned k = low; k < low + n; k++)
        y[k - low] += k > most ? 3 : x[k - low];
}

/* A bound that is chosen, and the start where it is not: none below it, one up to it. */
KERNEL(chosen)(int low, int high, int on, const int *x, int *y)
{
    WS(grid(1))
    for (int k = low; k < (on ? high : low); k++)
        y[k] += 14;
    WS(grid(1))
    for (int k = low; k <= (on ? high : low); k++)
        y[k] += 15;
    WS(grid(1))
    for (int i = 0; i < 40; i++) {
        int s = 1;
        for (int k = low; k < (on ? high : low); k++)
            s = s * 3 + x[k];
        for (int k = low; k < (i > 20 + on ? high : low); k++)
            s = s * 5 + x[k];
        for (int k = high; k >= (x[i] > 0 ? low : high); k--)
            s = s * 7 + x[k];
        for (int k = 0; k < (x[i] > on ? high : 0); k++)
            s = s * 9 + x[k];
        y[i] += s;
    }
}

/* To the largest number, or nowhere. */
KERNEL(away_inside)(int low, unsigned first, const int *x, int *y)
{
    WS(grid(1) tile(1))
    for (int i = 0; i < 4; i++) {
        int s = 1;
        for (unsigned k = first; k > low + i; ++k)
            s = s * 3 + (int)(k & 15);
        y[i] += x[i] + s;
    }
}

/* The subscript is an int, made of more bits or of a number without a sign. */
KERNEL(cut)(long low, size_t high, unsigned first, unsigned last, const int *x, int *y)
{
    WS(grid(1))
    for (size_t k = (size_t)low; k < high; k++)
        y[(int)(k - (size_t)low)] = x[(int)(k - (size_t)low)] * 3;
    WS(grid(1))
    for (int i = 0; i < 20; i++) {
        int s = 1;
        for (unsigned k = first + i; k < last + i; k += 3)
            s = s * 5 + x[(int)(k - first)];
        for (unsigned k = i; k != last - first; k++)
            s = s * 7 + x[k];
        y[i] += s;
    }
}
