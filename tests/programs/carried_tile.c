/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tiles carried from one iteration to the next that are no accumulators: the previous chunk, a running maximum, and a
   sum that a sum of the row scales. */
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

static void scaled(int M, int N, const float *X, float *L)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), out = ws_tensor_1d(L, WS_F32, M);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 64) {
        ws_tile l = ws_zeros(WS_F32, 64, 1), quarter = ws_full(WS_F32, 64, 1, 0.25f);

        #pragma ws pipeline(2)
        for (int j = 0; j < N; j += 32) {
            ws_tile now = ws_load(x, i, j, 64, 32);
            ws_tile scale = ws_add(ws_mul(ws_row_sum(ws_mul(now, 0.03f)), 1.0f), quarter);
            l = ws_add(ws_mul(ws_add(ws_row_sum(ws_mul(now, 0.02f)), scale), l), ws_row_sum(now));
        }
        ws_store_col(out, i, l);
    }
}

int main(int argc, char **argv)
{
    check_begin("carried_tile", argc, argv);
    int M = 100, N = 32 * 7;
    float *X = check_random(WS_F32, (size_t)M * N);
    float *variation = check_output(WS_F32, (size_t)M * 32), *largest = check_output(WS_F32, (size_t)M * 32);

    float *L = check_output(WS_F32, (size_t)M);

    kernel(M, N, check_place(X), check_place(variation), check_place(largest));
    scaled(M, N, check_place(X), check_place(L));
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
    for (long i = 0; i < M; i++) {
        double l = 0;
        for (long j = 0; j < N; j += 32) {
            double sum = 0;
            for (long c = 0; c < 32; c++)
                sum += X[i * N + j + c];
            l = (0.05 * sum + 0.25) * l + sum;
        }
        check_close(L, i, l, 1e-4);
    }
    return check_end();
}
