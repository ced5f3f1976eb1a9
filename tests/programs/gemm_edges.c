/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trip counts 0 and 1, ragged M, N and K, extents smaller than a tile, an empty grid. */
#include "test.h"

static void gemm(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K);
    ws_tensor b = ws_tensor_2d(B, WS_F16, N, K);
    ws_tensor c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);

            #pragma ws pipeline(3, 2)
            for (int k = 0; k < K; k += 32)
                acc = ws_dot(ws_load(a, i, k, 64, 32), ws_trans(ws_load(b, j, k, 64, 32)), acc);
            ws_store(c, i, j, acc);
        }
}

int main(int argc, char **argv)
{
    static const int shapes[][3] = {{64, 64, 0},  {64, 64, 32},  {64, 64, 1},  {1, 1, 1},     {1, 1, 0},
                                    {0, 64, 64},  {64, 0, 64},   {65, 63, 33}, {130, 70, 64}, {7, 130, 96},
                                    {64, 72, 31}, {100, 90, 97}, {64, 64, 96}, {64, 64, 128}, {64, 64, 130},
                                    {63, 8, 200}, {128, 64, 8}};
    check_begin("gemm_edges", argc, argv);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        int M = shapes[s][0], N = shapes[s][1], K = shapes[s][2];
        ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)N * K);
        float *C = check_output(WS_F32, (size_t)M * N);

        gemm(M, N, K, check_place(A), check_place(B), check_place(C));
        check_fetch();
        test_product(rows_of(C, N), rows_of(A, K), columns_of(B, K), M, N, K);
        check_next();
    }
    return check_end();
}
