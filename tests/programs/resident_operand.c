/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A block keeps its tile of B while rows of A pass, every `strips`th tile of them: stores of one block move on by a
   step whose size is known only as a multiple, so they leave through TMA. */
#include "test.h"

static void kernel(int M, int N, int K, int strips, const ws_f16 *A, const ws_f16 *B, ws_f16 *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F16, M, N);

    #pragma ws grid(2) consumers(2, rows)
    for (int s = 0; s < strips; s++)
        for (int j = 0; j < N; j += 64) {
            ws_tile right = ws_trans(ws_load(b, j, 0, 64, 128));

            #pragma ws pipeline(2)
            for (int i = s * 128; i < M; i += strips * 128)
                ws_store(c, i, j,
                         ws_cast(ws_dot(ws_load(a, i, 0, 128, 128), right, ws_zeros(WS_F32, 128, 64)), WS_F16));
        }
}

int main(int argc, char **argv)
{
    check_begin("resident_operand", argc, argv);
    int M = check_size(1, 600), N = check_size(2, 136), K = check_size(3, 104);
    ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)N * K);
    ws_f16 *C = check_output(WS_F16, (size_t)M * N);

    kernel(M, N, K, 2, check_place(A), check_place(B), check_place(C));
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            double sum = 0, magnitude = 0;
            for (long k = 0; k < K; k++) {
                double x = (double)ws_f16_to(A[i * K + k]) * ws_f16_to(B[j * K + k]);
                sum += x;
                magnitude += fabs(x);
            }
            check_close(C, (size_t)(i * N + j), sum, check_dot_error(K, magnitude));
        }
    return check_end();
}
