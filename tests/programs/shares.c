/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that two tiles use in turn: a store's staging in the slot of what is loaded once a tile, of one group and of
   two; in what a group writes for its products; and where nobody says so, since the kernel would not fit otherwise. */
#include <stdio.h>

#include <ws.h>

#define TENSORS                                                                         \
    ws_tensor q = ws_tensor_2d(Q, WS_F16, M, 128), a = ws_tensor_2d(A, WS_F16, K, 128); \
    ws_tensor o = ws_tensor_2d(O, WS_F16, M, 64)

static void one(int M, int K, const void *Q, const void *A, void *O)
{
    TENSORS;
#pragma ws grid(1) consumers(1)
    for (int i = 0; i < M; i += 64) {
        ws_tile tq = ws_load(q, i, 0, 64, 128), acc = ws_zeros(WS_F32, 64, 64);
#pragma ws pipeline(2) share(tq, out)
        for (int k = 0; k < K; k += 64)
            acc = ws_dot(tq, ws_trans(ws_load(a, k, 0, 64, 128)), acc);
        ws_tile out = ws_cast(acc, WS_F16);
        ws_store(o, i, 0, out);
    }
}

static void two(int M, int K, const void *Q, const void *A, void *O)
{
    TENSORS;
#pragma ws grid(1) consumers(2)
    for (int i = 0; i < M; i += 128) {
        ws_tile tq = ws_load(q, i, 0, 128, 128), acc = ws_zeros(WS_F32, 128, 64);
#pragma ws pipeline(3, 2) share(out, tq)
        for (int k = 0; k < K; k += 64)
            acc = ws_dot(tq, ws_trans(ws_load(a, k, 0, 64, 128)), acc);
        ws_tile out = ws_cast(acc, WS_F16);
        ws_store(o, i, 0, out);
    }
}

/* What is written for a product of its transpose, and what leaves in the same iteration. */
static void staged(int M, int K, const void *Q, const void *A, void *O)
{
    ws_tensor q = ws_tensor_2d(Q, WS_F16, M, 128), a = ws_tensor_2d(A, WS_F16, K, 128);
    ws_tensor o = ws_tensor_3d(O, WS_F16, M / 64, K, 64);
#pragma ws grid(1) consumers(1)
    for (int i = 0; i < M; i += 64) {
        ws_tile sum = ws_zeros(WS_F32, 64, 64);
#pragma ws pipeline(2) share(x, out)
        for (int k = 0; k < K; k += 64) {
            ws_tile tq = ws_load(q, i, 0, 64, 128), ta = ws_load(a, k, 0, 64, 128);
            ws_tile x = ws_cast(ws_dot(tq, ws_trans(ta), ws_zeros(WS_F32, 64, 64)), WS_F16);
            sum = ws_dot(ws_trans(x), ws_load(a, k, 0, 64, 64), sum);
            ws_tile out = ws_cast(sum, WS_F16);
            ws_store_3d(o, i / 64, k, 0, out);
        }
    }
}

/* Six slots of 32 KB, and 32 KB more of tq. */
static void full(int M, int K, const void *Q, const void *A, void *O)
{
    TENSORS;
#pragma ws grid(1) consumers(2)
    for (int i = 0; i < M; i += 128) {
        ws_tile tq = ws_load(q, i, 0, 128, 128), acc = ws_zeros(WS_F32, 128, 64);
#pragma ws pipeline(6, 1)
        for (int k = 0; k < K; k += 128) {
            ws_tile s = ws_dot(tq, ws_trans(ws_load(a, k, 0, 128, 128)), ws_zeros(WS_F32, 128, 128));
            acc = ws_add(acc, ws_row_sum(s));
        }
        ws_store(o, i, 0, ws_cast(acc, WS_F16));
    }
}

enum { ROWS = 256, KEYS = 192 };
static ws_f16 Q[ROWS * 128], A[KEYS * 128], O[ROWS * 64];

static void run(const char *name, void (*kernel)(int, int, const void *, const void *, void *), int rows, int keys)
{
    double sum = 0;
    for (int i = 0; i < ROWS * 64; i++)
        O[i] = ws_f16_from(0);
    kernel(rows, keys, Q, A, O);
    for (int i = 0; i < ROWS * 64; i++)
        sum += ws_f16_to(O[i]) * (i % 17 - 8);
    printf("%s %d %d: %g\n", name, rows, keys, sum);
}

int main(void)
{
    for (int i = 0; i < ROWS * 128; i++)
        Q[i] = ws_f16_from((float)(i * 7 % 13 - 6) / 8);
    for (int i = 0; i < KEYS * 128; i++)
        A[i] = ws_f16_from((float)(i * 5 % 11 - 5) / 8);
    run("one", one, 192, 192);
    run("one", one, 100, 0);
    run("two", two, 256, 128);
    run("two", two, 130, 192);
    run("staged", staged, 128, 128);
    run("full", full, 256, 192);
    return ws_last_error();
}
