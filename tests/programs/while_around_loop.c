/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A while around a pipelined loop: the loop runs several times for a tile, each time over another part of K. */
#include "test.h"

static void kernel(int M, int N, int K, int part, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N);
    ws_tensor c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
            int begin = 0, size = part;
            while (begin < K) {
                int end = begin + size < K ? begin + size : K;
                #pragma ws pipeline(2, 2)
                for (int k = begin; k < end; k += 32)
                    acc = ws_dot(ws_load(a, i, k, 64, 32), ws_load(b, k, j, 32, 64), acc);
                begin = end;
                size += 32;
            }
            ws_store(c, i, j, acc);
        }
}

int main(int argc, char **argv)
{
    check_begin("while_around_loop", argc, argv);
    int M = 64, N = 128, K = 32 + 64 + 96 + 17;
    ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)K * N);
    float *C = check_output(WS_F32, (size_t)M * N);

    kernel(M, N, K, 32, check_place(A), check_place(B), check_place(C));
    check_fetch();
    test_product(rows_of(C, N), rows_of(A, K), rows_of(B, N), M, N, K);
    return check_end();
}
