/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tile widths that are no powers of two. */
#include "test.h"

#define GEMM(width)                                                                              \
    static void gemm_##width(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, ws_f16 *C)   \
    {                                                                                            \
        ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K);          \
        ws_tensor c = ws_tensor_2d(C, WS_F16, M, N);                                             \
        _Pragma("ws grid(2)") for (int i = 0; i < M; i += 64) for (int j = 0; j < N; j += width) \
        {                                                                                        \
            ws_tile acc = ws_zeros(WS_F32, 64, width);                                           \
            _Pragma("ws pipeline(3, 2)") for (int k = 0; k < K; k += 48) acc =                   \
                ws_dot(ws_load(a, i, k, 64, 48), ws_trans(ws_load(b, j, k, width, 48)), acc);    \
            ws_store(c, i, j, ws_cast(acc, WS_F16));                                             \
        }                                                                                        \
    }
GEMM(8)
GEMM(24)
GEMM(48)
GEMM(96)
GEMM(176)
GEMM(192)

int main(int argc, char **argv)
{
    check_begin("tile_widths", argc, argv);
    int M = 70, N = 200, K = 104;
    void (*gemm[])(int, int, int, const ws_f16 *, const ws_f16 *, ws_f16 *) = {gemm_8,  gemm_24,  gemm_48,
                                                                               gemm_96, gemm_176, gemm_192};
    for (size_t s = 0; s < sizeof gemm / sizeof *gemm; s++) {
        ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)N * K);
        ws_f16 *C = check_output(WS_F16, (size_t)M * N);
        gemm[s](M, N, K, check_place(A), check_place(B), check_place(C));
        check_fetch();
        test_product(rows_of(C, N), rows_of(A, K), columns_of(B, K), M, N, K);
        check_next();
    }
    return check_end();
}
