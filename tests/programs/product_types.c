/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ws_dot for every operand type: f32 (as tf32), bf16, f16, e4m3, e5m2, e4m3 with e5m2, i8. */
#include "test.h"

#define GEMM(name, ta, tb, tc, step)                                                                           \
    static void name(int M, int N, int K, const void *A, const void *B, void *C)                               \
    {                                                                                                          \
        ws_tensor a = ws_tensor_2d(A, ta, M, K), b = ws_tensor_2d(B, tb, N, K), c = ws_tensor_2d(C, tc, M, N); \
        _Pragma("ws grid(2)") for (int i = 0; i < M; i += 64) for (int j = 0; j < N; j += 64)                  \
        {                                                                                                      \
            ws_tile acc = ws_zeros(tc, 64, 64);                                                                \
            _Pragma("ws pipeline(3, 2)") for (int k = 0; k < K; k += step) acc =                               \
                ws_dot(ws_load(a, i, k, 64, step), ws_trans(ws_load(b, j, k, 64, step)), acc);                 \
            ws_store(c, i, j, acc);                                                                            \
        }                                                                                                      \
    }
GEMM(gemm_f32, WS_F32, WS_F32, WS_F32, 32)
GEMM(gemm_bf16, WS_BF16, WS_BF16, WS_F32, 32)
GEMM(gemm_f16, WS_F16, WS_F16, WS_F32, 64)
GEMM(gemm_e4m3, WS_E4M3, WS_E4M3, WS_F32, 64)
GEMM(gemm_e5m2, WS_E5M2, WS_E5M2, WS_F32, 32)
GEMM(gemm_mixed, WS_E4M3, WS_E5M2, WS_F32, 64)
GEMM(gemm_i8, WS_I8, WS_I8, WS_I32, 32)

int main(int argc, char **argv)
{
    static const struct {
        ws_dtype a, b, c;
        void (*gemm)(int, int, int, const void *, const void *, void *);
    } cases[] = {{WS_F32, WS_F32, WS_F32, gemm_f32},    {WS_BF16, WS_BF16, WS_F32, gemm_bf16},
                 {WS_F16, WS_F16, WS_F32, gemm_f16},    {WS_E4M3, WS_E4M3, WS_F32, gemm_e4m3},
                 {WS_E5M2, WS_E5M2, WS_F32, gemm_e5m2}, {WS_E4M3, WS_E5M2, WS_F32, gemm_mixed},
                 {WS_I8, WS_I8, WS_I32, gemm_i8}};
    check_begin("product_types", argc, argv);
    int M = 70, N = 80, K = 112;
    for (size_t s = 0; s < sizeof cases / sizeof *cases; s++) {
        void *A = check_random(cases[s].a, (size_t)M * K), *B = check_random(cases[s].b, (size_t)N * K);
        void *C = check_output(cases[s].c, (size_t)M * N);
        cases[s].gemm(M, N, K, check_place(A), check_place(B), check_place(C));
        check_fetch();
        for (long i = 0; i < M; i++)
            for (long j = 0; j < N; j++) {
                double magnitude, sum = test_dot(rows_of(A, K), columns_of(B, K), i, j, 0, K, &magnitude);
                /* f32 operands lose all but 10 bits of their mantissa; fp8 units of the GPU keep fewer bits of a sum */
                double rounding = cases[s].a == WS_F32 ? 0x1p-10 : cases[s].a >= WS_E4M3 ? 0x1p-11 : 0;
                check_close(C, i * N + j, sum,
                            cases[s].c == WS_I32 ? 0 : check_dot_error(K, magnitude) + rounding * magnitude);
            }
        check_next();
    }
    return check_end();
}
