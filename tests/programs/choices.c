/* SPDX-License-Identifier: MIT */
/* Constants that are left open: where they stand, in helpers, clauses, steps, shapes, arithmetic before the grid. */
#include <stdio.h>
#include <stdlib.h>
#include <ws.h>

enum { M = 100, N = 72, K = 80 };
static ws_f16 a[M * K], b[N * K];
static float c[M * N], x[M * N];

/* Of the same choice as the caller's clause. */
static inline ws_tile product(ws_tensor l, ws_tensor r, long i, long j, int rows, int cols, int depth)
{
    ws_tile acc = ws_zeros(WS_F32, rows, cols);
    const int slots = ws_choice(2, 3);
#pragma ws pipeline(slots, 1)
    for (int k = 0; k < K; k += depth)
        acc = ws_dot(ws_load(l, i, k, rows, depth), ws_trans(ws_load(r, j, k, cols, depth)), acc);
    return acc;
}

static void gemm(int m, int n)
{
    const long shape = ws_choice_shape(ws_shape(64, 64, 32), ws_shape(128, 32, 16), ws_shape(64, 1024, 64));
    const int rows = ws_shape_m(shape), cols = ws_shape_n(shape), depth = ws_shape_k(shape);
    const int tiles = (m + rows - 1) / rows;
    ws_tensor l = ws_tensor_2d(a, WS_F16, m, K), r = ws_tensor_2d(b, WS_F16, n, K), to = ws_tensor_2d(c, WS_F32, m, n);
#pragma ws grid(2)
    for (int i = 0; i < tiles; i++)
        for (int j = 0; j < n; j += cols)
            ws_store(to, i * rows, j, product(l, r, i * rows, j, rows, cols, depth));
}

/* In place: what is measured is put back. A branch and a loop that the choice decides on. */
static void halve(int m, int n)
{
    const int rows = ws_choice(8, 16, 32);
    ws_tensor t = ws_tensor_2d(x, WS_F32, m, n);
#pragma ws grid(1)
    for (int i = 0; i < m; i += rows) {
        ws_tile v = ws_load(t, i, 0, rows, 128);
        if (rows > 8)
            v = ws_mul(v, 0.5f);
        else
            v = ws_div(v, 2.0f);
        ws_store(t, i, 0, ws_add(v, 1.0f));
    }
}

/* Elements. */
static void scale(int n, const float *from, float *to)
{
#pragma ws grid(1) tile(ws_choice(128, 256))
    for (int i = 0; i < n; i++)
        to[i] = 3 * from[i] + 1;
}

/* A macro's is one, wherever it stands; outside of grids it is the first. */
#define WIDE ws_choice(64, 128)
static long sums(int m, int n)
{
    ws_tensor t = ws_tensor_2d(c, WS_F32, m, n), to = ws_tensor_1d(x, WS_F32, m);
#pragma ws grid(1)
    for (int i = 0; i < m; i += 16) {
        ws_tile sum = ws_zeros(WS_F32, 16, 1);
        for (int j = 0; j < n; j += WIDE)
            sum = ws_add(sum, ws_row_sum(ws_load(t, i, j, 16, WIDE)));
        ws_store_col(to, i, sum);
    }
    return WIDE;
}

/* Two grids of one function, and a choice whose number is that of the second. */
static void both(int m, int n)
{
    ws_tensor t = ws_tensor_2d(c, WS_F32, m, n), to = ws_tensor_2d(x, WS_F32, m, n);
#pragma ws grid(1)
    for (int i = 0; i < m; i += 8)
#pragma ws pipeline(ws_choice(1, 2))
        for (int j = 0; j < n; j += 64)
            ws_store(to, i, j, ws_add(ws_load(t, i, j, 8, 64), 1.0f));
#pragma ws grid(1)
    for (int i = 0; i < m; i += 8)
#pragma ws pipeline(ws_choice(2, 1))
        for (int j = 0; j < n; j += 64)
            ws_store(t, i, j, ws_mul(ws_load(to, i, j, 8, 64), 2.0f));
}

/* Parts of a sum: none, one for each block of a cluster, and more than there are shares of the columns. */
static void split(int m, int n)
{
    const int parts = ws_choice(1, 2, 7), cols = ws_choice(16, 64);
    ws_tensor l = ws_tensor_2d(a, WS_F16, m, K), r = ws_tensor_2d(b, WS_F16, n, K), to = ws_tensor_2d(c, WS_F32, m, n);
#pragma ws grid(2)
    for (int i = 0; i < m; i += 64)
        for (int j = 0; j < n; j += cols) {
            ws_tile sum = ws_zeros(WS_F32, 64, cols);
#pragma ws parts
            for (int s = 0; s < parts; s++) {
                ws_tile part = ws_zeros(WS_F32, 64, cols);
#pragma ws pipeline(auto)
                for (int k = s * 16; k < K; k += parts * 16)
                    part = ws_dot(ws_load(l, i, k, 64, 16), ws_trans(ws_load(r, j, k, cols, 16)), part);
                sum = ws_add(sum, part);
            }
            ws_store(to, i, j, sum);
        }
}

static void show(const char *name, const float *y, int n)
{
    double sum = 0, weighed = 0;
    for (int i = 0; i < n; i++) {
        sum += y[i];
        weighed += y[i] * (i % 11);
    }
    printf("%s: %g %g\n", name, sum, weighed);
}

int main(void)
{
    for (int i = 0; i < M * K; i++)
        a[i] = ws_f16_from((float)(i % 7 - 3));
    for (int i = 0; i < N * K; i++)
        b[i] = ws_f16_from((float)(i % 5 - 2));
    for (int i = 0; i < M * N; i++)
        x[i] = (float)(i % 17);
    gemm(M, N);
    show("gemm", c, M * N);
    gemm(64, 40);
    show("gemm", c, M * N);
    for (int round = 0; round < 3; round++)
        halve(M, N);
    show("halve", x, M * N);
    scale(M * N, x, c);
    show("scale", c, M * N);
    printf("%ld\n", sums(M, N));
    show("sums", x, M);
    both(M, N);
    show("both", c, M * N);
    split(M, N);
    show("split", c, M * N);
    return 0;
}
