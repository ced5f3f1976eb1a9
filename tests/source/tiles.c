/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tiles.c - grids in calls of ws.h: one construct each, with sums of the results.  */
#include <stdio.h>
#include <ws.h>

enum { ROWS = 128, COLUMNS = 192, ALL = ROWS * COLUMNS };
static ws_f16 a[ALL], b[ALL], c[ALL];
static float sums[ALL], scales[ALL];
static unsigned char bytes[ALL];

static void unpack(ws_tile from, ws_tile scale, ws_tile *low, ws_tile *high)
{
    *low = ws_cast(ws_mul(ws_sub(ws_cast(ws_bit_and(from, 15), WS_F32), 8), scale), WS_F16);
    *high = ws_cast(ws_mul(ws_sub(ws_cast(ws_ushr(from, 4), WS_F32), 8), scale), WS_F16);
}

/* Rings of tiles that a function makes.  */
static void tasks(int m, int n, int k, const ws_f16 *x, const unsigned char *w, const float *s, float *y)
{
    ws_tensor tx = ws_tensor_2d(x, WS_F16, m, k), tw = ws_tensor_2d(w, WS_U8, n, k / 2);
    ws_tensor ts = ws_tensor_1d(s, WS_F32, n), ty = ws_tensor_2d(y, WS_F32, m, n);
#pragma ws grid(2)
    for (int i = 0; i < m; i += 64)
        for (int j = 0; j < n; j += 64) {
            ws_tile sum = ws_zeros(WS_F32, 64, 64);
#pragma ws pipeline(2, 2)
            for (int l = 0; l < k; l += 64) {
                ws_tile first = ws_load(tx, i, l, 64, 32), second = ws_load(tx, i, l + 32, 64, 32);
                ws_tile packed = ws_load(tw, j, l / 2, 64, 32), low, high;
                {
#pragma ws task(unpack) ring(packed, 3) ring(low, 2) ring(high, 2)
                    unpack(packed, ws_load_col(ts, j, 64), &low, &high);
                }
                {
#pragma ws task(multiply) groups(1)
                    sum = ws_dot(first, ws_trans(low), sum);
                    sum = ws_dot(second, ws_trans(high), sum);
                }
            }
            ws_store(ty, i, j, sum);
        }
}

/* A ring of the loop, and tiles that share memory.  */
static void rings(int m, int n, const ws_f16 *x, const ws_f16 *y, ws_f16 *z)
{
    ws_tensor tx = ws_tensor_2d(x, WS_F16, m, 64), ty = ws_tensor_2d(y, WS_F16, n, 64);
    ws_tensor tz = ws_tensor_2d(z, WS_F16, m, 64);
#pragma ws grid(1)
    for (int i = 0; i < m; i += 64) {
        ws_tile kept = ws_load(tx, i, 0, 64, 64), sum = ws_zeros(WS_F32, 64, 64);
#pragma ws pipeline(2) ring(row, 3) share(kept, result)
        for (int j = 0; j < n; j += 64) {
            ws_tile row = ws_load(ty, j, 0, 64, 64), turned = ws_trans(row);
            sum = ws_dot(kept, turned, sum);
        }
        ws_tile result = ws_cast(sum, WS_F16);
        ws_store(tz, i, 0, result);
    }
}

/* Pragmas and loops of a macro have one place.  */
#define PRODUCT(name, clauses, loop)                                                         \
    static void name(int m, int n, const ws_f16 *x, const ws_f16 *y, float *z)               \
    {                                                                                        \
        ws_tensor tx = ws_tensor_2d(x, WS_F16, m, n), ty = ws_tensor_2d(y, WS_F16, m, n);    \
        ws_tensor tz = ws_tensor_2d(z, WS_F32, m, m);                                        \
        _Pragma(clauses) for (int i = 0; i < m; i += 64) for (int j = 0; j < m; j += 64)     \
        {                                                                                    \
            ws_tile sum = ws_zeros(WS_F32, 64, 64);                                          \
            _Pragma(loop) for (int k = 0; k < n; k += 64) sum =                              \
                ws_dot(ws_load(tx, i, k, 64, 64), ws_trans(ws_load(ty, j, k, 64, 64)), sum); \
            ws_store(tz, i, j, sum);                                                         \
        }                                                                                    \
    }
PRODUCT(product, "ws grid(2) consumers(1)", "ws pipeline(3, 2)")

struct matrix {
    int rows, columns;
    ws_f16 *data;
};

/* Tensors of what is read in front of the grid: a pointer of several, and sizes.  */
static void read_before(int n, const struct matrix *from, ws_f16 *const to[], int first)
{
    for (int r = 0; r < n; r++) {
        const struct matrix *m = &from[(r + 1) % n];
        ws_tensor x = ws_tensor_2d(m->data, WS_F16, m->rows, m->columns);
        ws_tensor y = ws_tensor_2d(first ? to[r] : to[r] + 64, WS_F16, m->rows, m->columns);
#pragma ws grid(1)
        for (int i = 0; i < 64; i += 32)
            ws_store(y, i, 0, ws_load(x, i, 0, 32, 64));
    }
}

/* Extents and strides in arrays.  */
static void strided(int m, int n, const ws_f16 *x, ws_f16 *y)
{
    const long extents[] = {n, m, 64}, strides[] = {64, 64L * n, 1};
    ws_tensor from = ws_tensor_strided(x, WS_F16, 3, extents, strides), to = ws_tensor_3d(y, WS_F16, n, m, 64);
#pragma ws grid(2)
    for (int k = 0; k < n; k++)
        for (int i = 0; i < m; i += 32)
            ws_store_3d(to, k, i, 0, ws_load_3d(from, k, i, 0, 32, 64));
}

/* Steps that the program computes, of another type than the counter.  */
static void steps(int m, long rows, int parts, const ws_f16 *x, float *y)
{
    ws_tensor tx = ws_tensor_2d(x, WS_F16, m, 64), ty = ws_tensor_2d(y, WS_F32, m, 1);
#pragma ws grid(1)
    for (int i = 0; i < m; i += rows) {
        ws_tile sum = ws_zeros(WS_F32, 32, 1);
#pragma ws pipeline(2)
        for (int k = 0; k < 64; k += parts * 16)
            sum = ws_add(sum, ws_row_sum(ws_cast(ws_load(tx, i, k, 32, 16), WS_F32)));
        ws_store(ty, i, 0, sum);
    }
}

/* Arrays of tiles, an element of each block.  */
static void tiles(int m, const ws_f16 *x, ws_f16 *y)
{
    ws_tensor tx = ws_tensor_2d(x, WS_F16, m, 128), ty = ws_tensor_2d(y, WS_F16, m, 128);
#pragma ws grid(1)
    for (int i = 0; i < m; i += 8) {
        ws_tile part[2], sum = ws_zeros(WS_F32, 8, 1);
#pragma ws blocks
        for (int s = 0; s < 2; s++) {
            part[s] = ws_load(tx, i, 64 * s, 8, 64);
            sum = ws_add(sum, ws_row_sum(ws_cast(part[s], WS_F32)));
        }
#pragma ws blocks
        for (int s = 0; s < 2; s++)
            ws_store(ty, i, 64 * s, ws_cast(ws_add(ws_cast(part[s], WS_F32), sum), WS_F16));
    }
}

/* A queue between two tasks, and bounds of an index list.  */
static void queue(int m, int n, const ws_f16 *x, const ws_f16 *w, const int *starts, float *y)
{
    ws_tensor tx = ws_tensor_2d(x, WS_F16, m, n), tw = ws_tensor_2d(w, WS_F16, 64, n);
    ws_tensor ty = ws_tensor_2d(y, WS_F32, m, 64), ts = ws_tensor_1d(starts, WS_I32, m / 64 + 1);
#pragma ws grid(1)
    for (int i = 0; i < m; i += 64) {
        ws_ring ring = ws_ring_new(3);
        ws_tile sum = ws_zeros(WS_F32, 64, 64);
        {
#pragma ws task(load)
            for (int k = 0; k < n; k += 64)
                ws_put(ring, ws_load(tx, i, k, 64, 64), ws_load(tw, 0, k, 64, 64));
        }
        {
#pragma ws task(multiply)
#pragma ws pipeline(3, 2)
            for (int k = 0; k < n; k += 64) {
                ws_tile left, right;
                ws_get(ring, &left, &right);
                sum = ws_dot(left, ws_trans(right), sum);
            }
        }
        ws_store(ty, i, 0, sum);
    }
#pragma ws grid(1)
    for (int i = 0; i < m; i += 64) {
        ws_tile sum = ws_load(ty, i, 0, 64, 64);
#pragma ws pipeline(2)
        for (long k = ws_at(ts, i / 64); k < ws_at(ts, i / 64 + 1); k++)
            sum = ws_add(sum, ws_cast(ws_load(tw, k, 0, 1, 64), WS_F32));
        ws_store(ty, i, 0, sum);
    }
}

static void reset(void)
{
    for (int i = 0; i < ALL; i++) {
        a[i] = ws_f16_from((float)(i * 7 % 31 - 15));
        b[i] = ws_f16_from((float)(i * 5 % 17 - 8));
        c[i] = ws_f16_from(0);
        sums[i] = 0;
        scales[i] = (float)(i % 3 + 1);
        bytes[i] = (unsigned char)(i * 37 % 251);
    }
}

static void show(const char *name)
{
    double x = 0, y = 0;
    for (int i = 0; i < ALL; i++) {
        x += (double)ws_f16_to(c[i]) * (i % 11 + 1);
        y += (double)sums[i] * (i % 7 + 1);
    }
    printf("%s %.9g %.9g\n", name, x, y);
    reset();
}

/* Pointers out of arrays of pointers: of the iteration, known before the grid, and chosen in it; computed bases.  */
static void pointers(int n, int m, int k, const float *const x[], float *const y[])
{
#pragma ws devices(n)
    for (int r = 0; r < n; r++)
#pragma ws grid(1)
        for (int i = 0; i < m; i += 16) {
            ws_tensor own = ws_tensor_2d(y[r], WS_F32, m, k), first = ws_tensor_2d(x[0] + 2 * k * m, WS_F32, m, k);
            ws_tile sum = ws_load(first, i, 0, 16, 32);
            for (int p = 0; p < n; p++) {
                const float *other = x[(p + r) % n];
                ws_tile more = ws_load(ws_tensor_2d(other, WS_F32, m, k), i, 0, 16, 32), half = ws_mul(sum, 0.5f);
                sum = ws_add(i < p ? half : sum, more);
            }
            ws_store(own, i, 0, sum);
        }
}

/* The end of the inner loop is the next number of the outer one; a loop of one iteration around arrays of tiles.  */
static void causal(int m, size_t n, const float *x, float *y)
{
    ws_tensor tx = ws_tensor_2d(x, WS_F32, m, 192), ty = ws_tensor_2d(y, WS_F32, m, 192);
#pragma ws grid(2)
    for (int i = 0; i < 16; i += 16)
        for (size_t j = 0; j < n; j += 32) {
            ws_tile sum = ws_zeros(WS_F32, 16, 32), parts[3];
            for (int k = 0; k < j + 32; k += 32)
                sum = ws_add(sum, ws_load(tx, i, k, 16, 32));
#pragma ws blocks
            for (int s = 0; s < 3; s++)
                parts[s] = ws_add(sum, s);
#pragma ws blocks
            for (int s = 0; s < 3; s++)
                sum = ws_add(sum, ws_mul(parts[s], 0.25f));
            ws_store(ty, i, j, sum);
        }
}

/* The body asks again what the grid's test asks.  */
static void again(int m, int n, const float *x, float *y)
{
    ws_tensor tx = ws_tensor_2d(x, WS_F32, m, 64), ty = ws_tensor_2d(y, WS_F32, m, 64);
#pragma ws grid(2)
    for (int i = 0; i < m; i += 16)
        for (int j = 0; j < 1; j += 32) {
            ws_tile v = ws_load(tx, i, j, 16, 32);
            for (int k = 0; k < n; k += 16) {
                if (n < 17 || j >= 1)
                    continue;
                v = ws_add(v, ws_load(tx, i, k, 16, 32));
            }
            if (j < 1)
                v = ws_mul(v, 0.5f);
            else
                v = ws_neg(v);
            ws_store(ty, i, j, v);
        }
}

/* The counter of one iteration is known: nothing reaches the pipelined loop.  */
static void never(int m, const float *x, float *y)
{
    ws_tensor tx = ws_tensor_2d(x, WS_F32, m, 64), ty = ws_tensor_2d(y, WS_F32, m, 64);
#pragma ws grid(1)
    for (int i = 0; i < 1; i++) {
        const int j = i % 1 * 32;
        ws_tile v = ws_load(tx, 0, j, 16, 32);
        if (j >= 1) {
#pragma ws pipeline(2)
            for (int k = 0; k < m; k += 16)
                v = ws_add(v, ws_load(tx, k, j, 16, 32));
        }
        ws_store(ty, 0, j, v);
    }
}

/* A condition of several parts that decides nothing.  */
static ws_tile unchanged(ws_tile x, long n)
{
    ws_tile y = x;
    if ((((n < 9 && n % 2 == 0) && n % 2 == 0) && (n >= 9 || n >= 9)))
        y = y;
    return y;
}

static void unread(int m, long n, const float *x, float *y)
{
    ws_tensor tx = ws_tensor_2d(x, WS_F32, m, 64), ty = ws_tensor_2d(y, WS_F32, m, 64);
#pragma ws grid(1)
    for (int i = 0; i < m; i += 16)
        for (int j = 0; j < 64; j += 32) {
            ws_tile v = ws_load(tx, i, j, 16, 32);
            if (i >= 32)
                v = ws_neg(unchanged(v, n / 8));
            ws_store(ty, i, j, v);
        }
}

/* Variables of the file that the grid leaves alone, and elements of arrays that it chooses.  */
static double factor = 0.5, factors[3] = {1, 2, 4};
static float wide[40];
static short shifts[4][2] = {{1, 2}, {3, 4}, {5, 6}, {7, -8}};

static void outside(int m, int n, const float *x, float *y)
{
    const float steps[3] = {0.25f, 0.5f, 0.125f};
    ws_tensor tx = ws_tensor_2d(x, WS_F32, m, n), ty = ws_tensor_2d(y, WS_F32, m, n);
#pragma ws grid(2)
    for (int i = 0; i < m; i += 16)
        for (int j = 0; j < n; j += 32) {
            double sum = factor * factors[1] + factors[i / 16 % 3] + (double)wide[j / 32 + 3];
            for (int k = 0; k < 2; k++)
                sum += shifts[i / 16 % 4][k] * (double)steps[(j / 32 + k) % 3];
            ws_store(ty, i, j, ws_mul(ws_load(tx, i, j, 16, 32), sum));
        }
}

/* A count that changes between the test of the loop and the end of that test's block. */
static void counts_first(int m, int most, const float *x, float *y)
{
    ws_tensor tx = ws_tensor_2d(x, WS_F32, m, 32), ty = ws_tensor_2d(y, WS_F32, m, 32);
#pragma ws grid(1)
    for (int i = 0; i < m; i += 16) {
        int k = 0, n = 0;
        for (;;)
            if (++k > most)
                break;
        while (n++ < most + i)
            ;
        ws_store(ty, i, 0, ws_mul(ws_load(tx, i, 0, 16, 32), k + 32 * n));
    }
}

int main(void)
{
    reset();
    tasks(ROWS, 64, 128, a, bytes, scales, sums);
    show("tasks");
    rings(ROWS, COLUMNS, a, b, c);
    show("rings");
    product(ROWS, COLUMNS, a, b, sums);
    show("product");
    struct matrix from[] = {{50, 60, a}, {64, 64, b}, {40, 64, a + 64 * 64}};
    ws_f16 *to[] = {c, c + 64 * 65, c + 2 * 64 * 65};
    read_before(3, from, to, 1);
    show("read before");
    read_before(3, from, to, 0);
    show("read before, behind");
    strided(64, 3, a, c);
    show("strided");
    queue(ROWS, COLUMNS, a, b, (const int[]){0, 2, 5}, sums);
    show("queue");
    tiles(ROWS, a, c);
    show("tiles");
    steps(ROWS, 32, 2, a, sums);
    show("steps");
    const float *const read[] = {scales, scales + 32, scales + 96};
    float *const written[] = {sums, sums + 32 * 32, sums + 2 * 32 * 32};
    pointers(3, 32, 32, read, written);
    show("pointers");
    again(32, 48, scales, sums);
    show("again");
    causal(16, 90, scales, sums);
    show("causal");
    never(ROWS, scales, sums);
    show("never");
    unread(ROWS, 40, scales, sums);
    show("unread");
    for (int i = 0; i < 40; i++)
        wide[i] = (float)(i % 9);
    factor += 1;
    factors[2] = 3;
    shifts[2][1]++;
    outside(64, 192, scales, sums);
    show("outside");
    counts_first(ROWS, 3, scales, sums);
    show("counts first");
    return 0;
}
