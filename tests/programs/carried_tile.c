/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tiles carried from one iteration to the next that are no accumulators: the previous chunk, and a running maximum. */
#include "test.h"

static void kernel(int M, int N, const float *X, float *variation, float *largest)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N);
    ws_tensor v = ws_tensor_2d(variation, WS_F32, M, 32), l = ws_tensor_2d(largest, WS_F32, M, 32);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 64) {
        ws_tile before = ws_load(x, i, 0, 64, 32);
        ws_tile sum = ws_zeros(WS_F32, 64, 32), most = before;

        #pragma ws pipeline(4, 2)
        for (int j = 32; j < N; j += 32) {
            ws_tile now = ws_load(x, i, j, 64, 32);
            sum = ws_add(sum, ws_abs(ws_sub(now, before)));
            most = ws_max(most, now);
            before = now;
        }
        ws_store(v, i, 0, ws_add(sum, before));
        ws_store(l, i, 0, most);
    }
}

int main(int argc, char **argv)
{
    check_begin("carried_tile", argc, argv);
    int M = 100, N = 32 * 7;
    float *X = check_random(WS_F32, (size_t)M * N);
    float *variation = check_output(WS_F32, (size_t)M * 32), *largest = check_output(WS_F32, (size_t)M * 32);

    kernel(M, N, check_place(X), check_place(variation), check_place(largest));
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long c = 0; c < 32; c++) {
            double sum = X[i * N + N - 32 + c], most = X[i * N + c];
            for (long j = 32; j < N; j += 32) {
                sum += fabs((double)X[i * N + j + c] - X[i * N + j - 32 + c]);
                most = fmax(most, X[i * N + j + c]);
            }
            check_close(variation, i * 32 + c, sum, 1e-5);
            check_equal(largest, i * 32 + c, most);
        }
    return check_end();
}
