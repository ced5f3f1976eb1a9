/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tiles that follow each other at a step which only the caller knows: each is stored as far as the next one begins. */
#include "test.h"

enum { S = 64, W = 96 };

/* Columns at a step; blocks below each other bring a share of b each, those beside each other one of a. */
static void columns(int M, int N, int K, int step, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F32, M, N);

#pragma ws grid(2) cluster(2, 2)
    for (int i = 0; i < M; i += S)
        for (int j = 0; j < N; j += step) {
            ws_tile acc = ws_zeros(WS_F32, S, W);

#pragma ws pipeline(3, 2)
            for (int k = 0; k < K; k += 32)
                acc = ws_dot(ws_load(a, i, k, S, 32), ws_trans(ws_load(b, j, k, W, 32)), acc);
            ws_store(ws_slice(c, 1, 0, j + step), i, j, acc);
        }
}

/* Rows at a step, of a result that is turned over. */
static void rows(int M, int N, int K, int step, const ws_f16 *A, const ws_f16 *B, ws_f16 *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F16, M, N);

#pragma ws grid(2)
    for (int j = 0; j < N; j += S)
        for (int i = 0; i < M; i += step) {
            ws_tile acc = ws_zeros(WS_F32, S, W);

#pragma ws pipeline(3, 2)
            for (int k = 0; k < K; k += 32)
                acc = ws_dot(ws_load(b, j, k, S, 32), ws_trans(ws_load(a, i, k, W, 32)), acc);
            ws_store(ws_slice(c, 0, 0, i + step), i, j, ws_trans(ws_cast(acc, WS_F16)));
        }
}

/* The next tile's columns are read beside, and seen by a sum: the load of the first brings all of them. */
static void seen(int M, int N, int K, int step, const ws_f16 *A, const ws_f16 *B, float *C, float *R)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F32, M, N);
    ws_tensor r = ws_tensor_2d(R, WS_F32, (N + step - 1) / step, M);

#pragma ws grid(2)
    for (int i = 0; i < M; i += S)
        for (int j = 0; j < N; j += step) {
            ws_tile acc = ws_zeros(WS_F32, S, W);

#pragma ws pipeline(3, 2)
            for (int k = 0; k < K; k += 32)
                acc = ws_dot(ws_load(a, i, k, S, 32), ws_trans(ws_load(b, j, k, W, 32)), acc);
            ws_store(ws_slice(c, 1, 0, j + step), i, j, acc);
            ws_store_col_2d(r, j / step, i, ws_row_sum(acc));
        }
}

static double product(long K, const ws_f16 *A, const ws_f16 *B, long i, long j, double *magnitude)
{
    double sum = 0;
    for (long k = 0; k < K; k++) {
        double x = (double)ws_f16_to(A[i * K + k]) * ws_f16_to(B[j * K + k]);
        sum += x;
        *magnitude += fabs(x);
    }
    return sum;
}

static void run(int M, int N, int K, int step)
{
    ws_f16 *A = check_random(WS_F16, (size_t)M * (size_t)K), *B = check_random(WS_F16, (size_t)N * (size_t)K);
    float *C = check_output(WS_F32, (size_t)M * (size_t)N), *D = check_output(WS_F32, (size_t)M * (size_t)N);
    ws_f16 *E = check_output(WS_F16, (size_t)M * (size_t)N);
    long tiles = (N + step - 1) / step;
    float *R = check_output(WS_F32, (size_t)(tiles * M));
    columns(M, N, K, step, check_place(A), check_place(B), check_place(C));
    rows(M, N, K, step, check_place(A), check_place(B), check_place(E));
    seen(M, N, K, step, check_place(A), check_place(B), check_place(D), check_place(R));
    check_fetch();
    for (long i = 0; i < M; i++) {
        for (long j = 0; j < N; j++) {
            double magnitude = 0, sum = product(K, A, B, i, j, &magnitude), error = check_dot_error(K, magnitude);
            if (j % step < W) {
                check_close(C, (size_t)(i * N + j), sum, error);
                check_close(D, (size_t)(i * N + j), sum, error);
            }
            if (i % step < W)
                check_close(E, (size_t)(i * N + j), sum, error);
        }
        for (long t = 0; t < tiles; t++) {
            double magnitude = 0, sum = 0;
            for (long j = t * step; j < t * step + W && j < N; j++)
                sum += product(K, A, B, i, j, &magnitude);
            check_close(R, (size_t)(t * M + i), sum, check_dot_error(K * W, magnitude));
        }
    }
    check_next();
}

int main(int argc, char **argv)
{
    check_begin("step_widths", argc, argv);
    run(70, 200, 72, 40);
    run(130, 192, 40, 96); /* whole tiles */
    run(65, 100, 40, 8);
    run(40, 250, 40, 200); /* longer than a tile */
    return check_end();
}
