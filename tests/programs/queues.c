/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queues of tiles between tasks: a block that loads, one that multiplies; one more between them that scales, behind a
   ring of its own, while a ring goes around it; several puts in an iteration; a ring in one block. */
#include <stdio.h>

#include <ws.h>

static void product(int M, int N, int K, const void *X, const void *W, void *Z)
{
    ws_tensor x = ws_tensor_2d(X, WS_F16, M, K), w = ws_tensor_2d(W, WS_F16, N, K), z = ws_tensor_2d(Z, WS_F32, M, N);
#pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_ring r = ws_ring_new(3);
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
            {
#pragma ws task(load)
                for (int k = 0; k < K; k += 64)
                    ws_put(r, ws_load(x, i, k, 64, 64), ws_load(w, j, k, 64, 64));
            }
            {
#pragma ws task(multiply)
#pragma ws pipeline(3, 2)
                for (int k = 0; k < K; k += 64) {
                    ws_tile a, b;
                    ws_get(r, &a, &b);
                    acc = ws_dot(a, ws_trans(b), acc);
                }
            }
            ws_store(z, i, j, acc);
        }
}

/* Bytes become f16 on their way; the loops of two tasks are pipelined. */
static void scaled(int M, int N, int K, const void *X, const void *Q, void *Z)
{
    ws_tensor x = ws_tensor_2d(X, WS_F16, M, K), q = ws_tensor_2d(Q, WS_I8, N, K), z = ws_tensor_2d(Z, WS_F32, M, N);
#pragma ws grid(2)
    for (int i = 0; i < M; i += 128)
        for (int j = 0; j < N; j += 64) {
            ws_ring left = ws_ring_new(4), bytes = ws_ring_new(2), right = ws_ring_new(2);
            ws_tile acc = ws_zeros(WS_F32, 128, 64);
            {
#pragma ws task(load)
                for (int k = 0; k < K; k += 64) {
                    ws_put(left, ws_load(x, i, k, 128, 64));
                    ws_put(bytes, ws_load(q, j, k, 64, 64));
                }
            }
            {
#pragma ws task(scale) registers(96)
                for (int k = 0; k < K; k += 64) {
                    ws_tile b;
                    ws_get(bytes, &b);
                    ws_put(right, ws_cast(ws_mul(ws_cast(b, WS_F32), 0.5f), WS_F16));
                }
            }
            {
#pragma ws task(multiply) groups(2)
#pragma ws pipeline(4, 1)
                for (int k = 0; k < K; k += 64) {
                    ws_tile a, b;
                    ws_get(left, &a);
                    ws_get(right, &b);
                    acc = ws_dot(a, ws_trans(b), acc);
                }
            }
            ws_store(z, i, j, acc);
        }
}

/* Two puts of one tile each; the gets of an iteration take them in turn. */
static void halves(int M, int N, int K, const void *X, const void *W, void *Z)
{
    ws_tensor x = ws_tensor_2d(X, WS_F16, M, K), w = ws_tensor_2d(W, WS_F16, N, K), z = ws_tensor_2d(Z, WS_F32, M, N);
#pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_ring r = ws_ring_new(4), out = ws_ring_new(1);
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
#pragma ws pipeline(4, 1)
            for (int k = 0; k < K; k += 64) {
                ws_put(r, ws_load(w, j, k, 64, 32));
                ws_put(r, ws_load(w, j, k + 32, 64, 32));
            }
            for (int k = 0; k < K; k += 64)
                for (int h = 0; h < 1; h++)
                    acc = ws_add(acc, 0);
            for (int k = 0; k < K; k += 64) {
                ws_tile low, high;
                ws_get(r, &low);
                ws_get(r, &high);
                acc = ws_dot(ws_load(x, i, k, 64, 32), ws_trans(low), acc);
                acc = ws_dot(ws_load(x, i, k + 32, 64, 32), ws_trans(high), acc);
            }
            ws_put(out, ws_neg(acc));
            ws_tile last;
            ws_get(out, &last);
            ws_store(z, i, j, last);
        }
}

enum { ROWS = 192, COLS = 128, DEPTH = 256 };
static ws_f16 X[ROWS * DEPTH], W[COLS * DEPTH];
static signed char Q[COLS * DEPTH];
static float Z[ROWS * COLS];

static void run(const char *name, void (*kernel)(int, int, int, const void *, const void *, void *), const void *right,
                int M, int N, int K)
{
    double sum = 0;
    for (int i = 0; i < ROWS * COLS; i++)
        Z[i] = 0;
    kernel(M, N, K, X, right, Z);
    for (int i = 0; i < ROWS * COLS; i++)
        sum += Z[i] * (i % 17 - 8);
    printf("%s %d %d %d: %g\n", name, M, N, K, sum);
}

int main(void)
{
    for (int i = 0; i < ROWS * DEPTH; i++)
        X[i] = ws_f16_from((float)(i * 7 % 13 - 6) / 8);
    for (int i = 0; i < COLS * DEPTH; i++) {
        W[i] = ws_f16_from((float)(i * 5 % 11 - 5) / 8);
        Q[i] = (signed char)(i * 3 % 23 - 11);
    }
    run("product", product, W, 192, 128, 256);
    run("product", product, W, 100, 64, 40);
    run("product", product, W, 64, 64, 0);
    run("scaled", scaled, Q, 192, 128, 256);
    run("scaled", scaled, Q, 128, 64, 64);
    run("halves", halves, W, 128, 128, 192);
    return ws_last_error();
}
