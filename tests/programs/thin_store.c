/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tile of which a group has 16 rows leaves through staging of which each warp has its own part, beside a ring that
   takes what shared memory is left; four of them beside a ring whose depth leaves them room; and two that end within 16
   bytes, so that the warps write their lines themselves: those that hold no row must not. */
#include "test.h"

static void thin(int M, int K, const ws_f16 *A, const ws_f16 *B, const ws_f16 *X, float *C, ws_f16 *Y)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, 96),
              x = ws_tensor_2d(X, WS_F16, M / 4, 64);
    ws_tensor c = ws_tensor_2d(C, WS_F32, M, 96), y = ws_tensor_2d(Y, WS_F16, M / 4, 64);

#pragma ws grid(1) consumers(2, rows)
    for (int i = 0; i < M; i += 128) {
        ws_tile sum = ws_zeros(WS_F32, 128, 96);
#pragma ws pipeline(9)
        for (int k = 0; k < K; k += 16)
            sum = ws_dot(ws_load(a, i, k, 128, 16), ws_load(b, k, 0, 16, 96), sum);
        ws_store(c, i, 0, sum);
        ws_store(y, i / 4, 0, ws_mul(ws_load(x, i / 4, 0, 32, 64), 2.0));
    }
}

static void four(int M, int K, const ws_f16 *A, const ws_f16 *B, const ws_f16 *X, float *C, ws_f16 *P, ws_bf16 *Q,
                 float *R, int *S)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, 96);
    ws_tensor x = ws_tensor_2d(X, WS_F16, M / 4, 64), c = ws_tensor_2d(C, WS_F32, M, 96);
    ws_tensor p = ws_tensor_2d(P, WS_F16, M / 4, 64), q = ws_tensor_2d(Q, WS_BF16, M / 4, 64);
    ws_tensor r = ws_tensor_2d(R, WS_F32, M / 4, 64), s = ws_tensor_2d(S, WS_I32, M / 4, 64);

#pragma ws grid(1) consumers(2, rows)
    for (int i = 0; i < M; i += 128) {
        ws_tile sum = ws_zeros(WS_F32, 128, 96);
#pragma ws pipeline(auto)
        for (int k = 0; k < K; k += 64)
            sum = ws_dot(ws_load(a, i, k, 128, 64), ws_load(b, k, 0, 64, 96), sum);
        ws_store(c, i, 0, sum);
        ws_tile t = ws_cast(ws_load(x, i / 4, 0, 32, 64), WS_F32);
        ws_store(p, i / 4, 0, ws_cast(ws_mul(t, 2.0), WS_F16));
        ws_store(q, i / 4, 0, ws_cast(t, WS_BF16));
        ws_store(r, i / 4, 0, ws_mul(t, 8.0));
        ws_store(s, i / 4, 0, ws_cast(ws_mul(t, 100.0), WS_I32));
    }
}

static void ragged(int M, int K, const ws_f16 *A, const ws_f16 *B, const ws_f16 *X, float *C, ws_f16 *Y, float *Z)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, 96),
              x = ws_tensor_2d(X, WS_F16, M / 4, 64);
    ws_tensor c = ws_tensor_2d(C, WS_F32, M, 96);
    ws_tensor y = ws_tensor_2d_ld(Y, WS_F16, M / 4, 61, 64), z = ws_tensor_2d_ld(Z, WS_F32, M / 4, 63, 64);

#pragma ws grid(1) consumers(2, rows)
    for (int i = 0; i < 128; i += 128) {
        ws_tile sum = ws_zeros(WS_F32, 128, 96);
#pragma ws pipeline(2)
        for (int k = 0; k < K; k += 16)
            sum = ws_dot(ws_load(a, i, k, 128, 16), ws_load(b, k, 0, 16, 96), sum);
        ws_store(c, i, 0, sum);
        ws_tile t = ws_mul(ws_load(x, i / 4, 0, 32, 64), 2.0);
        ws_store(y, i / 4, 0, t);
        ws_store(z, i / 4, 0, ws_cast(t, WS_F32));
    }
}

int main(int argc, char **argv)
{
    check_begin("thin_store", argc, argv);
    int M = 256, K = 160;
    ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)K * 96);
    ws_f16 *X = check_random(WS_F16, (size_t)M / 4 * 64), *Y = check_output(WS_F16, (size_t)M / 4 * 64);
    float *C = check_output(WS_F32, (size_t)M * 96), *C2 = check_output(WS_F32, (size_t)M * 96);
    ws_f16 *P = check_output(WS_F16, (size_t)M / 4 * 64);
    ws_bf16 *Q = check_output(WS_BF16, (size_t)M / 4 * 64);
    float *R = check_output(WS_F32, (size_t)M / 4 * 64);
    int *S = check_output(WS_I32, (size_t)M / 4 * 64);
    float *C3 = check_output(WS_F32, (size_t)M * 96), *Z = check_output(WS_F32, (size_t)M / 4 * 64);
    ws_f16 *Y3 = check_output(WS_F16, (size_t)M / 4 * 64);
    double before[2][64 * 64];

    for (int i = 0; i < M / 4 * 64; i++) {
        before[0][i] = check_at(Y3, i);
        before[1][i] = check_at(Z, i);
    }
    thin(M, K, check_place(A), check_place(B), check_place(X), check_place(C), check_place(Y));
    four(M, K, check_place(A), check_place(B), check_place(X), check_place(C2), check_place(P), check_place(Q),
         check_place(R), check_place(S));
    ragged(M, K, check_place(A), check_place(B), check_place(X), check_place(C3), check_place(Y3), check_place(Z));
    check_fetch();
    for (int i = 0; i < M; i++)
        for (int j = 0; j < 96; j++) {
            double sum = 0;
            for (int k = 0; k < K; k++)
                sum += check_at(A, i * K + k) * check_at(B, k * 96 + j);
            check_close(C, i * 96 + j, sum, 1e-3);
            check_close(C2, i * 96 + j, sum, 1e-3);
            if (i < 128)
                check_close(C3, i * 96 + j, sum, 1e-3);
        }
    for (int i = 0; i < M / 4 * 64; i++) {
        double x = check_at(X, i);
        check_close(Y, i, 2 * x, 0);
        check_close(P, i, 2 * x, 0);
        check_close(Q, i, x, 0.01);
        check_close(R, i, 8 * x, 0);
        check_close(S, i, (int)(100 * (float)x), 0);
        check_equal(Y3, i, i < 32 * 64 && i % 64 < 61 ? 2 * x : before[0][i]);
        check_equal(Z, i, i < 32 * 64 && i % 64 < 63 ? 2 * x : before[1][i]);
    }
    return check_end();
}
