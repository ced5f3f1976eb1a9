/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tiles of the epilogue that come as a whole while the product runs: added in place, two of them, of f32, at numbers
   that are computed behind the loop, for one group and for two, and where the loop does not run at all. */
#include "test.h"

/* C += A B^T */
static void in_place(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, ws_f16 *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F16, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 128)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 128, 64);
            #pragma ws pipeline(3, 2)
            for (int k = 0; k < K; k += 32)
                acc = ws_dot(ws_load(a, i, k, 128, 32), ws_trans(ws_load(b, j, k, 64, 32)), acc);
            acc = ws_add(acc, ws_cast(ws_load(c, i, j, 128, 64), WS_F32));
            ws_store(c, i, j, ws_cast(acc, WS_F16));
        }
}

/* C[n] = A[n] B^T + R[count - 1 - n] - S[n] */
static void two(int count, int M, int N, int K, const ws_f16 *A, const ws_f16 *B, const ws_f16 *R, const float *S,
                float *C)
{
    ws_tensor a = ws_tensor_3d(A, WS_F16, count, M, K), b = ws_tensor_2d(B, WS_F16, N, K);
    ws_tensor r = ws_tensor_3d(R, WS_F16, count, M, N), s = ws_tensor_3d(S, WS_F32, count, M, N);
    ws_tensor c = ws_tensor_3d(C, WS_F32, count, M, N);

    #pragma ws grid(3) consumers(1)
    for (int n = 0; n < count; n++)
        for (int i = 0; i < M; i += 64)
            for (int j = 0; j < N; j += 64) {
                ws_tile acc = ws_zeros(WS_F32, 64, 64);
                #pragma ws pipeline(2)
                for (int k = 0; k < K; k += 64)
                    acc = ws_dot(ws_load_3d(a, n, i, k, 64, 64), ws_trans(ws_load(b, j, k, 64, 64)), acc);
                int other = count - 1 - n;
                acc = ws_add(acc, ws_cast(ws_load_3d(r, other, i, j, 64, 64), WS_F32));
                ws_store_3d(c, n, i, j, ws_sub(acc, ws_load_3d(s, n, i, j, 64, 64)));
            }
}

static void check_all(int M, int N, int K)
{
    int count = 3;
    ws_f16 *A = check_random(WS_F16, (size_t)(count * M * K)), *B = check_random(WS_F16, (size_t)(N * K));
    ws_f16 *R = check_random(WS_F16, (size_t)(count * M * N)), *C = check_random(WS_F16, (size_t)(M * N));
    ws_f16 *before = malloc((size_t)(M * N) * sizeof *before);
    float *S = check_random(WS_F32, (size_t)(count * M * N)), *D = check_output(WS_F32, (size_t)(count * M * N));
    memcpy(before, C, (size_t)(M * N) * sizeof *before);
    in_place(M, N, K, check_place(A), check_place(B), check_place(C));
    two(count, M, N, K, check_place(A), check_place(B), check_place(R), check_place(S), check_place(D));
    check_fetch();
    for (long n = 0; n < count; n++)
        for (long i = 0; i < M; i++)
            for (long j = 0; j < N; j++) {
                double m, sum = test_dot(rows_of(A, K), columns_of(B, K), n * M + i, j, 0, K, &m);
                long at = i * N + j;
                double r = ws_f16_to(R[((count - 1 - n) * M + i) * N + j]), s = S[n * M * N + at];
                check_close(D, n * M * N + at, sum + r - s, check_dot_error(K + 2, m + fabs(r) + fabs(s)));
                double c = ws_f16_to(before[at]);
                if (n == 0)
                    check_close(C, at, sum + c, check_dot_error(K + 1, m + fabs(c)));
            }
    free(before);
}

int main(int argc, char **argv)
{
    check_begin("whole_tiles", argc, argv);
    check_all(check_size(1, 200), check_size(2, 136), check_size(3, 152));
    check_all(72, 200, 0);
    return check_end();
}
