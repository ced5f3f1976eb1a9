/* SPDX-License-Identifier: GPL-3.0-or-later */
/* options: -Wno-ws-single-element */
/* Scalar C in a region: every arithmetic type and operator, <math.h>, switch, do, ?:, and lookups that go through
   ws_at. */
#include "test.h"

enum { COUNT = 16 };
struct sizes {
    short rows;
    unsigned char cols;
    float factor;
    double shift;
};

static inline int clamp(int x, int low, int high)
{
    return x < low ? low : x > high ? high : x;
}

static inline unsigned hash(unsigned x)
{
    x ^= x >> 16;
    x *= 0x7feb352dU;
    return x ^ x >> 15;
}

/* Element n of out is what expression n gives for i; a (1,1) tile carries it there. */
#define PUT(n, value) ws_store(o, i, n, ws_add(ws_zeros(WS_F64, 1, 1), value))

static void kernel(int N, struct sizes s, const int *table, double *out)
{
    ws_tensor o = ws_tensor_2d(out, WS_F64, N, COUNT), t = ws_tensor_1d(table, WS_I32, N);

    #pragma ws grid(1)
    for (int i = 0; i < N; i++) {
        long at = ws_at(t, i);
        int n = (int)at, steps = 0, kind;
        unsigned u = (unsigned)n;
        long long wide = (long long)at * 1000003 << 7;
        float f = s.factor * (float)n;

        PUT(0, n / 7 + n % 7 * 100);
        PUT(1, (n & 0xff) | (int)((unsigned)(n ^ 0x55) << 3));
        PUT(2, (double)(u / 3u + u % 5u));
        PUT(3, (double)(wide >> 9));
        PUT(4, (double)(short)(n * 31) + (signed char)n + (unsigned char)n + (double)(unsigned short)n);
        PUT(5, (double)sqrtf(fabsf(f)) + (double)f);
        PUT(6, fmin(fmax(s.shift * n, -50), 50));
        PUT(7, clamp(n, -10, 10) + (n > 5 && n < 50 ? 1000 : n == -3 || !n ? 2000 : 3000));
        switch (n & 3) {
        case 0:
            kind = 10;
            break;
        case 1:
            kind = 20;
            /* fall through */
        case 2:
            kind = i > 10 ? 30 : 40;
            break;
        default:
            kind = 50;
        }
        PUT(8, kind);
        do {
            n = n / 2;
            steps++;
        } while (n != 0);
        PUT(9, steps);
        PUT(10, (double)hash(u) + (double)(hash(u + 1) > hash(u)));
        PUT(11, (double)(s.rows * s.cols) + (double)~n + (double)-steps);
        for (n = 0; n < 100; n++)
            if (n * n > i)
                break;
        PUT(12, n);
        PUT(13, (double)(int)(s.factor * 1e3f) + (double)(long)-2.75 + (double)(unsigned)3.99);
        PUT(14, ws_at(t, (i * 7 + 3) % N) + ws_at(t, ws_at(t, i) & 15));
        PUT(15, (double)(i << 2 >> 1) + (double)(-i >> 1) + (double)((unsigned)-i >> 28) + (double)(i != 3) * 0.5);
    }
}

static void expected(int N, struct sizes s, const int *table, int i, double *e)
{
    int n = table[i], steps = 0, m = n;
    unsigned u = (unsigned)n;
    float f = s.factor * (float)n;
    e[0] = n / 7 + n % 7 * 100;
    e[1] = (n & 0xff) | (int)((unsigned)(n ^ 0x55) << 3);
    e[2] = u / 3u + u % 5u;
    e[3] = (double)((long long)n * 1000003 * 128 >> 9);
    e[4] = (double)(short)(n * 31) + (signed char)n + (unsigned char)n + (double)(unsigned short)n;
    e[5] = (double)sqrtf(fabsf(f)) + (double)f;
    e[6] = fmin(fmax(s.shift * n, -50), 50);
    e[7] = clamp(n, -10, 10) + (n > 5 && n < 50 ? 1000 : n == -3 || n == 0 ? 2000 : 3000);
    e[8] = (n & 3) == 0 ? 10 : (n & 3) == 3 ? 50 : i > 10 ? 30 : 40;
    do {
        m /= 2;
        steps++;
    } while (m);
    e[9] = steps;
    e[10] = hash(u) + (hash(u + 1) > hash(u));
    e[11] = (double)(s.rows * s.cols) - 1 - steps;
    for (m = 0; m * m <= i;)
        m++;
    e[12] = m;
    e[13] = (int)(s.factor * 1e3f) - 2 + 3;
    e[14] = table[(i * 7 + 3) % N] + table[n & 15];
    e[15] = (i << 2 >> 1) + (-i >> 1) + ((unsigned)-i >> 28) + (i != 3) * 0.5;
}

int main(int argc, char **argv)
{
    check_begin("scalars", argc, argv);
    int N = 40;
    struct sizes s = {-7, 200, 0.37f, 1.0 / 3};
    int *table = check_random(WS_I32, N);
    double *out = check_output(WS_F64, (size_t)N * COUNT), e[COUNT];
    table[0] = 0, table[1] = -3, table[2] = 7;

    kernel(N, s, check_place(table), check_place(out));
    check_fetch();
    for (int i = 0; i < N; i++) {
        expected(N, s, table, i, e);
        for (int n = 0; n < COUNT; n++)
            check_close(out, i * COUNT + n, e[n], 0);
    }
    return check_end();
}
