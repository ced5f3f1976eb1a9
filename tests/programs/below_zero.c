/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tiles of accumulators whose corners lie above and left of the tensor: what begins below 0 must not reach TMA,
   which takes that for an illegal instruction. Half lines, strips, two groups, additions, and slices. */
#include "test.h"

enum { M = 160, N = 128, K = 64 };

static void shifted(const ws_f16 *A, const ws_f16 *B, float *C, ws_f16 *H, float *S, int up, int left)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K);
    ws_tensor c = ws_tensor_2d(C, WS_F32, M, N), h = ws_tensor_2d(H, WS_F16, M, N), s = ws_tensor_2d(S, WS_F32, M, N);

#pragma ws grid(2) consumers(2, rows)
    for (int i = 0; i < M + up; i += 128)
        for (int j = 0; j < N + left; j += 64) {
            ws_tile sum = ws_zeros(WS_F32, 128, 64);
#pragma ws pipeline(2)
            for (int k = 0; k < K; k += 32)
                sum = ws_dot(ws_load(a, i - up, k, 128, 32), ws_trans(ws_load(b, j - left, k, 64, 32)), sum);
            ws_store(c, i - up, j - left, sum);
            ws_store(h, i - up, j - left, ws_cast(sum, WS_F16));
            ws_atomic_add(s, i - up, j - left, sum);
        }
}

static void thin(const ws_f16 *A, const ws_f16 *B, ws_f16 *C, int up, int left)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K);
    ws_tensor c = ws_slice(ws_slice(ws_tensor_2d(C, WS_F16, M, N), 0, 64, M), 1, 8, N);

#pragma ws grid(2)
    for (int i = 0; i < M - 64 + up; i += 64)
        for (int j = 0; j < N - 8 + left; j += 32) {
            ws_tile sum = ws_zeros(WS_F32, 64, 32);
#pragma ws pipeline(2)
            for (int k = 0; k < K; k += 32)
                sum = ws_dot(ws_load(a, i + 64 - up, k, 64, 32), ws_trans(ws_load(b, j + 8 - left, k, 32, 32)), sum);
            ws_store(c, i - up, j - left, ws_cast(sum, WS_F16));
        }
}

int main(int argc, char **argv)
{
    static const int shifts[][2] = {{0, 0}, {16, 0}, {0, 32}, {24, 40}, {127, 63}, {200, 72}};
    check_begin("below_zero", argc, argv);
    for (int n = 0; n < 6; n++) {
        int up = shifts[n][0], left = shifts[n][1];
        ws_f16 *A = check_random(WS_F16, M * K), *B = check_random(WS_F16, N * K);
        float *C = check_output(WS_F32, M * N), *S = check_random(WS_F32, M * N);
        ws_f16 *H = check_output(WS_F16, M * N), *T = check_random(WS_F16, M * N);
        double before[M * N], corner[M * N];
        for (int p = 0; p < M * N; p++) {
            before[p] = check_at(S, p);
            corner[p] = check_at(T, p);
        }
        shifted(check_place(A), check_place(B), check_place(C), check_place(H), check_place(S), up, left);
        thin(check_place(A), check_place(B), check_place(T), up, left);
        check_fetch();
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                double magnitude, sum = test_dot(rows_of(A, K), columns_of(B, K), i, j, 0, K, &magnitude);
                double error = check_dot_error(K, magnitude);
                check_close(C, i * N + j, sum, error);
                check_close(H, i * N + j, sum, error);
                check_close(S, i * N + j, before[i * N + j] + sum, error);
                check_close(T, i * N + j, i < 64 || j < 8 ? corner[i * N + j] : sum, i < 64 || j < 8 ? 0 : error);
            }
        check_next();
    }
    return check_end();
}
