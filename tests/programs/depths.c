/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pipeline(D, P) for D = 1 .. 6 and P = 1 .. D, with trip counts around the depth. */
#include "test.h"

#define PRAGMA(words) _Pragma(#words)
#define GEMM(D, P)                                                                        \
    static void gemm_##D##_##P(int K, const ws_f16 *A, const ws_f16 *B, float *C)         \
    {                                                                                     \
        ws_tensor a = ws_tensor_2d(A, WS_F16, 64, K), b = ws_tensor_2d(B, WS_F16, K, 32), \
                  c = ws_tensor_2d(C, WS_F32, 64, 32);                                    \
        _Pragma("ws grid(1)") for (int i = 0; i < 64; i += 64)                            \
        {                                                                                 \
            ws_tile acc = ws_zeros(WS_F32, 64, 32);                                       \
            PRAGMA(ws pipeline(D, P))                                                     \
            for (int k = 0; k < K; k += 16)                                               \
                acc = ws_dot(ws_load(a, i, k, 64, 16), ws_load(b, k, 0, 16, 32), acc);    \
            ws_store(c, i, 0, acc);                                                       \
        }                                                                                 \
    }
#define ALL(X)                                                                                                      \
    X(1, 1)                                                                                                         \
    X(2, 1)                                                                                                         \
    X(2, 2) X(3, 1) X(3, 2) X(3, 3) X(4, 1) X(4, 2) X(4, 3) X(4, 4) X(5, 1) X(5, 2) X(5, 3) X(5, 4) X(5, 5) X(6, 1) \
        X(6, 2) X(6, 3) X(6, 4) X(6, 5) X(6, 6)
ALL(GEMM)

int main(int argc, char **argv)
{
#define NAME(D, P) gemm_##D##_##P,
    void (*gemm[])(int, const ws_f16 *, const ws_f16 *, float *) = {ALL(NAME)};
    static const int trips[] = {0, 1, 2, 3, 5, 6, 7, 12, 13};
    check_begin("depths", argc, argv);
    for (size_t s = 0; s < sizeof gemm / sizeof *gemm; s++)
        for (size_t t = 0; t < sizeof trips / sizeof *trips; t++) {
            int K = 16 * trips[t];
            ws_f16 *A = check_random(WS_F16, (size_t)64 * K), *B = check_random(WS_F16, (size_t)K * 32);
            float *C = check_output(WS_F32, 64 * 32);
            gemm[s](K, check_place(A), check_place(B), check_place(C));
            check_fetch();
            test_product(rows_of(C, 32), rows_of(A, K), rows_of(B, 32), 64, 32, K);
            check_next();
        }
    return check_end();
}
