/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops as people write them: downwards, <=, !=, unsigned and long, steps and bounds from variables and made of them, a
   loop in the loop. */
#include "test.h"

static void kernel(int M, int N, int K, size_t step, int parts, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N),
              c = ws_tensor_3d(C, WS_F32, 6, M, N);
    const long tiles = (N + 31) / 32;

    #pragma ws grid(2)
    for (size_t i = 0; i < (size_t)M; i += step)
        for (long t = tiles - 1; t >= 0; t--) {
            unsigned j = (unsigned)t * 32;
            ws_tile down = ws_zeros(WS_F32, 64, 32), up = down, exact = down, nested = down, counted = down,
                    plain = down;

            #pragma ws pipeline(3, 2)
            for (int k = (K - 1) / 32 * 32; k >= 0; k -= 32)
                down = ws_dot(ws_load(a, i, k, 64, 32), ws_load(b, k, j, 32, 32), down);
            ws_store_3d(c, 0, i, j, down);

            #pragma ws pipeline(2)
            for (long k = 0; k <= K - 1; k = k + 32)
                up = ws_dot(ws_load(a, i, k, 64, 32), ws_load(b, k, j, 32, 32), up);
            ws_store_3d(c, 1, i, j, up);

            #pragma ws pipeline(2, 2)
            for (unsigned k = 0; k != (unsigned)(K + 31) / 32; k++)
                exact = ws_dot(ws_load(a, i, 32 * k, 64, 32), ws_load(b, 32 * k, j, 32, 32), exact);
            ws_store_3d(c, 2, i, j, exact);

            for (int half = 0; half < 2; half++) {
                int end = half ? K : 64;
                #pragma ws pipeline(2)
                for (int k = half * 64; k < end; k += parts * 16)
                    nested = ws_dot(ws_load(a, i, k, 64, 32), ws_load(b, k, j, 32, 32), nested);
            }
            ws_store_3d(c, 3, i, j, nested);

            long at = 0;
            #pragma ws pipeline(3)
            for (int n = 0; n < (K + 63) / 64; n++) {
                for (int m = 0; m < 2; m++, at += 32)
                    counted = ws_dot(ws_load(a, i, at, 64, 32), ws_load(b, at, j, 32, 32), counted);
            }
            ws_store_3d(c, 4, i, j, counted);

            for (int k = 0; k < K; k += 32)
                plain = ws_dot(ws_load(a, i, k, 64, 32), ws_load(b, k, j, 32, 32), plain);
            ws_store_3d(c, 5, i, j, plain);
        }
}

int main(int argc, char **argv)
{
    check_begin("loop_forms", argc, argv);
    int M = 100, N = 72, K = 150;
    ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)K * N);
    float *C = check_output(WS_F32, (size_t)6 * M * N);

    kernel(M, N, K, 64, 2, check_place(A), check_place(B), check_place(C));
    check_fetch();
    for (int n = 0; n < 6; n++)
        test_product(from(rows_of(C, N), (long)n * M * N), rows_of(A, K), rows_of(B, N), M, N, K);
    return check_end();
}
