/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A loop bound that differs from tile to tile: read from memory for some rows, and from the tile's own place
   (triangular). */
#include "test.h"

static void ragged(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, const int *lengths, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N);
    ws_tensor c = ws_tensor_2d(C, WS_F32, M, N), length = ws_tensor_1d(lengths, WS_I32, (M + 63) / 64);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
            long last = ws_at(length, i / 64);

            #pragma ws pipeline(3, 2)
            for (long k = 0; k < last; k += 32)
                acc = ws_dot(ws_load(a, i, k, 64, 32), ws_load(b, k, j, 32, 64), acc);
            ws_store(c, i, j, acc);
        }
}

static void triangular(int M, int N, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, M), b = ws_tensor_2d(B, WS_F16, M, N), c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);

            #pragma ws pipeline(2, 2)
            for (int k = 0; k < i + 64; k += 32)
                acc = ws_dot(ws_load(a, i, k, 64, 32), ws_load(b, k, j, 32, 64), acc);
            ws_store(c, i, j, acc);
        }
}

int main(int argc, char **argv)
{
    check_begin("bound_per_tile", argc, argv);
    int M = 250, N = 64, K = 256;
    ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)K * N);
    int *lengths = check_range(WS_I32, 4, 0, 0);
    float *C = check_output(WS_F32, (size_t)M * N), *D = check_output(WS_F32, (size_t)M * N);
    lengths[0] = 64, lengths[1] = 0, lengths[2] = 160, lengths[3] = 32;

    ragged(M, N, K, check_place(A), check_place(B), check_place(lengths), check_place(C));
    triangular(M, N, check_place(A), check_place(B), check_place(D));
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            double magnitude, sum = test_dot(rows_of(A, K), rows_of(B, N), i, j, 0, lengths[i / 64], &magnitude);
            check_close(C, i * N + j, sum, check_dot_error(K, magnitude));
            long last = i / 64 * 64 + 64 < M ? i / 64 * 64 + 64 : M;
            sum = test_dot(rows_of(A, M), rows_of(B, N), i, j, 0, last, &magnitude);
            check_close(D, i * N + j, sum, check_dot_error(M, magnitude));
        }
    return check_end();
}
