/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tile widths that are no powers of two. */
#include "test.h"

#define GEMM(width, type)                                                                        \
    static void gemm_##width(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, void *C)     \
    {                                                                                            \
        ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K);          \
        ws_tensor c = ws_tensor_2d(C, type, M, N);                                               \
        _Pragma("ws grid(2)") for (int i = 0; i < M; i += 64) for (int j = 0; j < N; j += width) \
        {                                                                                        \
            ws_tile acc = ws_zeros(WS_F32, 64, width);                                           \
            _Pragma("ws pipeline(3, 2)") for (int k = 0; k < K; k += 48) acc =                   \
                ws_dot(ws_load(a, i, k, 64, 48), ws_trans(ws_load(b, j, k, width, 48)), acc);    \
            ws_store(c, i, j, ws_cast(ws_mul(acc, 2.0f), type));                                 \
        }                                                                                        \
    }
GEMM(8, WS_F16)
GEMM(24, WS_F16)
GEMM(48, WS_F16)
GEMM(96, WS_F16)
GEMM(176, WS_F16)
GEMM(192, WS_F16)
/* Lines, half a line, and what no box takes. */
GEMM(112, WS_F16)
GEMM(120, WS_BF16)
GEMM(56, WS_F32)
GEMM(208, WS_F32)
GEMM(232, WS_E4M3)

int main(int argc, char **argv)
{
    static const struct {
        void (*gemm)(int, int, int, const ws_f16 *, const ws_f16 *, void *);
        ws_dtype type;
    } cases[] = {{gemm_8, WS_F16},    {gemm_24, WS_F16},  {gemm_48, WS_F16}, {gemm_96, WS_F16},  {gemm_176, WS_F16}, {gemm_192, WS_F16},
                 {gemm_112, WS_F16}, {gemm_120, WS_BF16}, {gemm_56, WS_F32}, {gemm_208, WS_F32}, {gemm_232, WS_E4M3}};
    check_begin("tile_widths", argc, argv);
    int M = 70, N = 240, K = 104;
    for (size_t s = 0; s < sizeof cases / sizeof *cases; s++) {
        ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)N * K);
        void *C = check_output(cases[s].type, (size_t)M * N);
        cases[s].gemm(M, N, K, check_place(A), check_place(B), check_place(C));
        check_fetch();
        for (long i = 0; i < M; i++)
            for (long j = 0; j < N; j++) {
                double magnitude, sum = 2 * test_dot(rows_of(A, K), columns_of(B, K), i, j, 0, K, &magnitude);
                check_close(C, (size_t)(i * N + j), sum, 2 * check_dot_error(K, magnitude));
            }
        check_next();
    }
    return check_end();
}
