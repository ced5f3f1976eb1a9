/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Leading dimensions that are no multiple of 16 bytes, and bases that are not 16-byte aligned. */
#include "test.h"

static void gemm(int M, int N, int K, long lda, const ws_f16 *A, long ldb, const ws_f16 *B, long ldc, ws_f16 *C)
{
    ws_tensor a = ws_tensor_2d_ld(A, WS_F16, M, K, lda);
    ws_tensor b = ws_tensor_2d_ld(B, WS_F16, K, N, ldb);
    ws_tensor c = ws_tensor_2d_ld(C, WS_F16, M, N, ldc);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);

            #pragma ws pipeline(3)
            for (int k = 0; k < K; k += 32)
                acc = ws_dot(ws_load(a, i, k, 64, 32), ws_load(b, k, j, 32, 64), acc);
            ws_store(c, i, j, ws_cast(acc, WS_F16));
        }
}

int main(int argc, char **argv)
{
    static const int extra[][4] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {3, 5, 7, 0}, {3, 5, 7, 1}};
    check_begin("ld_odd", argc, argv);
    for (size_t s = 0; s < sizeof extra / sizeof *extra; s++) {
        int M = 72, N = 80, K = 96, offset = extra[s][3];
        long lda = K + extra[s][0], ldb = N + extra[s][1], ldc = N + extra[s][2];
        ws_f16 *A = check_random(WS_F16, (size_t)M * lda + 8), *B = check_random(WS_F16, (size_t)K * ldb + 8);
        ws_f16 *C = check_output(WS_F16, (size_t)M * ldc + 8), *pA = check_place(A), *pB = check_place(B),
               *pC = check_place(C);

        gemm(M, N, K, lda, pA + offset, ldb, pB + offset, ldc, pC + offset);
        check_fetch();
        test_product(from(rows_of(C, ldc), offset), from(rows_of(A, lda), offset), from(rows_of(B, ldb), offset), M, N,
                     K);
        for (int i = 0; i < M - 1; i++)
            for (long j = N; j < ldc; j++)
                check_equal(C, (size_t)(offset + i * ldc + j), -77);
        check_next();
    }
    return check_end();
}
