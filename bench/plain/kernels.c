/* SPDX-License-Identifier: MIT */
/* kernels.c - plain loops, and the same written with tiles; bench/run plain times both.  */
#include <math.h>
#include <ws.h>

/* ---- Y = X W^T, in f32 and in tf32 ------------------------------------------------------------------------------- */

void product_plain(int M, int N, int K, const float *restrict x, const float *restrict w, float *restrict y)
{
#pragma ws grid(2) tile(128, 128)
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float s = 0;
#pragma ws pipeline(auto) tile(32) reduction(+ : s)
            for (int k = 0; k < K; k++)
                s += x[i * K + k] * w[j * K + k];
            y[i * N + j] = s;
        }
}

void product_tiles(int M, int N, int K, const float *X, const float *W, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, K), w = ws_tensor_2d(W, WS_F32, N, K), y = ws_tensor_2d(Y, WS_F32, M, N);

#pragma ws grid(2)
    for (int i = 0; i < M; i += 128)
        for (int j = 0; j < N; j += 128) {
            ws_tile s = ws_zeros(WS_F32, 128, 128);
#pragma ws pipeline(auto)
            for (int k = 0; k < K; k += 32)
                s = ws_dot_f32(ws_load(x, i, k, 128, 32), ws_trans(ws_load(w, j, k, 128, 32)), s);
            ws_store(y, i, j, s);
        }
}

void product_tf32_plain(int M, int N, int K, const float *restrict x, const float *restrict w, float *restrict y)
{
#pragma ws grid(2) tile(128, 256) precision(tf32)
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float s = 0;
#pragma ws pipeline(auto) tile(32) reduction(+ : s)
            for (int k = 0; k < K; k++)
                s += x[i * K + k] * w[j * K + k];
            y[i * N + j] = s > 0 ? s : 0;
        }
}

void product_tf32_tiles(int M, int N, int K, const float *X, const float *W, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, K), w = ws_tensor_2d(W, WS_F32, N, K), y = ws_tensor_2d(Y, WS_F32, M, N);

#pragma ws grid(2)
    for (int i = 0; i < M; i += 128)
        for (int j = 0; j < N; j += 256) {
            ws_tile s = ws_zeros(WS_F32, 128, 256);
#pragma ws pipeline(auto)
            for (int k = 0; k < K; k += 32)
                s = ws_dot(ws_load(x, i, k, 128, 32), ws_trans(ws_load(w, j, k, 256, 32)), s);
            ws_store(y, i, j, ws_max(s, 0));
        }
}

/* ---- one step of Jacobi's method on a grid of N x N -------------------------------------------------------------- */

void jacobi_plain(int N, int K, int unused, const float *restrict a, const float *restrict v, float *restrict b)
{
    (void)K;
    (void)unused;
    (void)v;
#pragma ws grid(2) tile(16, 128)
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            b[i * N + j] =
                0.2f * (a[i * N + j] + a[i * N + j - 1] + a[i * N + j + 1] + a[(i + 1) * N + j] + a[(i - 1) * N + j]);
}

void jacobi_tiles(int N, int K, int unused, const float *A, const float *V, float *B)
{
    (void)K;
    (void)unused;
    (void)V;
    ws_tensor a = ws_tensor_2d(A, WS_F32, N, N),
              b = ws_slice(ws_slice(ws_tensor_2d(B, WS_F32, N, N), 0, 1, N - 1), 1, 1, N - 1);

#pragma ws grid(2)
    for (int i = 0; i < N - 2; i += 16)
        for (int j = 0; j < N - 2; j += 128) {
            ws_tile sum = ws_add(ws_load(a, i + 1, j + 1, 16, 128), ws_load(a, i + 1, j, 16, 128));
            sum = ws_add(ws_add(sum, ws_load(a, i + 1, j + 2, 16, 128)), ws_load(a, i + 2, j + 1, 16, 128));
            ws_store(b, i, j, ws_mul(ws_add(sum, ws_load(a, i, j + 1, 16, 128)), 0.2f));
        }
}

/* ---- y = A v ----------------------------------------------------------------------------------------------------- */

void matvec_plain(int M, int N, int unused, const float *restrict a, const float *restrict v, float *restrict y)
{
    (void)unused;
#pragma ws grid(1) tile(16)
    for (int i = 0; i < M; i++) {
        float s = 0;
#pragma ws pipeline(auto) tile(512) reduction(+ : s)
        for (int j = 0; j < N; j++)
            s += a[(long)i * N + j] * v[j];
        y[i] = s;
    }
}

void matvec_tiles(int M, int N, int unused, const float *A, const float *V, float *Y)
{
    (void)unused;
    ws_tensor a = ws_tensor_2d(A, WS_F32, M, N), v = ws_tensor_1d(V, WS_F32, N), y = ws_tensor_1d(Y, WS_F32, M);

#pragma ws grid(1)
    for (int i = 0; i < M; i += 16) {
        ws_tile s = ws_zeros(WS_F32, 16, 1);
#pragma ws pipeline(auto)
        for (int j = 0; j < N; j += 512)
            s = ws_add(s, ws_row_sum(ws_mul(ws_load(a, i, j, 16, 512), ws_load_row(v, j, 512))));
        ws_store_col(y, i, s);
    }
}

/* ---- rows over their norms --------------------------------------------------------------------------------------- */

void norms_plain(int M, int N, int unused, const float *restrict a, const float *restrict v, float *restrict y)
{
    (void)unused;
#pragma ws grid(1) tile(4)
    for (int i = 0; i < M; i++) {
        float s = 0;
#pragma ws pipeline(auto) tile(1024) reduction(+ : s)
        for (int j = 0; j < N; j++)
            s += a[(long)i * N + j] * a[(long)i * N + j];
        float scale = 1.0f / sqrtf(s / N + 1e-5f);
#pragma ws pipeline(auto) tile(1024)
        for (int j = 0; j < N; j++)
            y[(long)i * N + j] = a[(long)i * N + j] * scale * v[j];
    }
}

void norms_tiles(int M, int N, int unused, const float *A, const float *V, float *Y)
{
    (void)unused;
    ws_tensor a = ws_tensor_2d(A, WS_F32, M, N), v = ws_tensor_1d(V, WS_F32, N), y = ws_tensor_2d(Y, WS_F32, M, N);

#pragma ws grid(1)
    for (int i = 0; i < M; i += 4) {
        ws_tile s = ws_zeros(WS_F32, 4, 1);
#pragma ws pipeline(auto)
        for (int j = 0; j < N; j += 1024) {
            ws_tile x = ws_load(a, i, j, 4, 1024);
            s = ws_add(s, ws_row_sum(ws_mul(x, x)));
        }
        ws_tile scale = ws_div(1.0f, ws_sqrt(ws_add(ws_div(s, N), 1e-5f)));
#pragma ws pipeline(auto)
        for (int j = 0; j < N; j += 1024)
            ws_store(y, i, j, ws_mul(ws_mul(ws_load(a, i, j, 4, 1024), scale), ws_load_row(v, j, 1024)));
    }
}
