/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of plain_integers.c. */

/* the mean of nine pixels, and how far each is from it */
KERNEL(blur)(int h, int w, const unsigned char *in, unsigned char *mean, short *apart)
{
    WS(grid(2))
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++) {
            int sum = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    sum += in[(y + dy) * w + x + dx];
            mean[y * w + x] = sum / 9;
            apart[y * w + x] = in[y * w + x] - sum / 9;
        }
}

/* two voices, clipped; and what is left of the sum in so many bits */
KERNEL(mix)(int n, int gain, const short *a, const short *b, short *clipped, short *wrapped)
{
    WS(grid(1))
    for (int i = 0; i < n; i++) {
        int sum = a[i] * gain / 64 + b[i];
        clipped[i] = sum > 32767 ? 32767 : sum < -32768 ? -32768 : sum;
        wrapped[i] = a[i] + b[i];
    }
}

/* conversions that drop bits */
KERNEL(narrow)(int n, const int *x, int *y)
{
    WS(grid(1))
    for (int i = 0; i < n; i++) {
        unsigned char low = x[i] * 3;
        unsigned short half = x[i] * 7;
        signed char least = x[i] + 1;
        unsigned char sum = low + least, ratio = low / 5;
        y[i] = low + (short)(x[i] * 40000) - half / 3 + least * 2 + sum % 7 + ratio + (half > 60000);
    }
}

/* unsigned numbers: order, conversions to and from floats */
KERNEL(without_sign)(int n, const int *x, const float *t, int *y, double *z)
{
    WS(grid(1))
    for (int i = 0; i < n; i++) {
        unsigned u = x[i], v = x[i] * 5 + 3, least = u < v ? u : v;
        unsigned of_float = fabsf(t[i]) * 4e9f;
        y[i] = (u > 5u) + 2 * (u <= v) + 4 * (least > 3000000000u) + (int)(of_float - v);
        z[i] = (double)u + 2.0 * (double)(float)v - of_float;
    }
}

/* the border is found by one comparison */
KERNEL(border)(int h, int w, const unsigned char *in, int *out)
{
    WS(grid(2))
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int inside = 0;
            for (int d = -2; d <= 2; d++)
                inside += ((unsigned)(y + d) < (unsigned)h) + 10 * ((size_t)(x - d) < (size_t)w);
            out[y * w + x] = inside + in[y * w + x];
        }
}

/* the largest byte and the smallest sample of each row, and how many are zero */
KERNEL(extremes)(int n, int m, const unsigned char *bytes, const short *samples, int *most, int *least, int *zero)
{
    WS(grid(1))
    for (int i = 0; i < n; i++) {
        int high = 0, low = 32767, count = 0;
        WS(pipeline(auto) reduction(+ : count))
        for (int j = 0; j < m; j++) {
            high = bytes[i * m + j] > high ? bytes[i * m + j] : high;
            low = samples[i * m + j] < low ? samples[i * m + j] : low;
            count += bytes[i * m + j] == 0;
        }
        most[i] = high;
        least[i] = low;
        zero[i] = count;
    }
}

/* through a table of bytes */
KERNEL(look_up)(int n, const unsigned char *index, const unsigned char *table, unsigned char *out)
{
    WS(grid(1) extent(table : 256))
    for (int i = 0; i < n; i++)
        out[i] = table[index[i]];
}

/* bits of numbers with and without a sign, in memory and on the way */
KERNEL(bits)(int n, const unsigned *u, const unsigned short *s, const int *x, unsigned *v, unsigned short *t, int *y)
{
    WS(grid(1))
    for (int i = 0; i < n; i++) {
        unsigned h = u[i] ^ (u[i] >> 16);
        h = h * 0x7feb352du + (h << 5 | s[i]);
        v[i] = ~h & 0x0fffffffu;
        t[i] = (s[i] >> 3 ^ x[i]) + (s[i] > 40000);
        y[i] = (x[i] >> (s[i] & 7)) + (x[i] & 15) - (x[i] | 3) + 8 * (u[i] >= 1u << 31) + (x[i] ^ 1 << (i & 15));
    }
}

/* two numbers of four bits in each byte, with a scale for each of 32, as ggml has them */
KERNEL(nibbles)(int n, const unsigned char *q, const float *scale, float *y)
{
    WS(grid(2))
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 16; j++) {
            y[i * 32 + j] = ((q[i * 16 + j] & 15) - 8) * scale[i];
            y[i * 32 + 16 + j] = ((q[i * 16 + j] >> 4) - 8) * scale[i];
        }
}

/* what ends a loop early, as conditions in one that runs to its bound */
KERNEL(steps)(int n, int most, int *out)
{
    WS(grid(1))
    for (int i = 0; i < n; i++) {
        int count = 0;
        unsigned v = i + 1;
        for (int k = 0; k < most; k++)
            if (v != 1) {
                v = v & 1 ? 3 * v + 1 : v >> 1;
                count++;
            }
        out[i] = count;
    }
}

KERNEL(first)(int n, int m, const int *x, int *y)
{
    WS(grid(1))
    for (int i = 0; i < n; i++) {
        int at = m;
        for (int k = 0; k < m; k++)
            if (at == m && x[i * m + k] > 5000)
                at = k;
        y[i] = at;
    }
}

/* against numbers that have no sign and are large */
KERNEL(large)(int n, const int *x, const unsigned *u, int *y)
{
    WS(grid(1))
    for (int i = 0; i < n; i++)
        y[i] = ((unsigned)x[i] > (unsigned)-3) + 2 * ((unsigned)x[i] < 0xfffffff0u) + 4 * ((unsigned)x[i] - 64 < 64u) +
               8 * (u[i] >= 0x80000001u) + 16 * ((unsigned long)x[i] > (unsigned long)-3);
}
