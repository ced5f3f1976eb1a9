/* SPDX-License-Identifier: MIT */
/*
 * layernorm_rows - y = (x - mean x) / sqrt(var x + epsilon) * scale + shift, for rows of at most 1024 columns.
 *
 * No pipelined loop: a block of whole rows fits the registers, so that one load, a few reductions and one store do.
 * What a load reads beyond the last column is 0; the mean does not mind, and for the variance a mask keeps it 0.
 */
#include "check.h"

enum { ROWS = 8, WIDTH = 1024 };

void layernorm_rows(int M, int N, float epsilon, const ws_f16 *X, const float *scale, const float *shift, ws_f16 *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F16, M, N), y = ws_tensor_2d(Y, WS_F16, M, N);
    ws_tensor g = ws_tensor_1d(scale, WS_F32, N), b = ws_tensor_1d(shift, WS_F32, N);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += ROWS) {
        ws_tile t = ws_cast(ws_load(x, i, 0, ROWS, WIDTH), WS_F32);
        ws_tile inside = ws_lt(ws_col_index(1, WIDTH), N);
        ws_tile mean = ws_div(ws_row_sum(t), N);
        ws_tile d = ws_select(inside, ws_sub(t, mean), 0.0f);
        ws_tile variance = ws_div(ws_row_sum(ws_mul(d, d)), N);
        ws_tile r = ws_mul(d, ws_rsqrt(ws_add(variance, epsilon)));
        r = ws_fma(r, ws_load_row(g, 0, WIDTH), ws_load_row(b, 0, WIDTH));
        ws_store(y, i, 0, ws_cast(r, WS_F16));
    }
}

int main(int argc, char **argv)
{
    check_begin("layernorm_rows", argc, argv);
    int M = check_size(1, 150), N = check_size(2, 1000);
    ws_f16 *X = check_range(WS_F16, (size_t)M * N, -1, 3), *Y = check_output(WS_F16, (size_t)M * N);
    float *scale = check_random(WS_F32, N), *shift = check_random(WS_F32, N);

    layernorm_rows(M, N, 1e-5f, check_place(X), check_place(scale), check_place(shift), check_place(Y));
    check_fetch();
    for (long i = 0; i < M; i++) {
        double mean = 0, variance = 0;
        for (long j = 0; j < N; j++)
            mean += ws_f16_to(X[i * N + j]) / N;
        for (long j = 0; j < N; j++)
            variance += pow(ws_f16_to(X[i * N + j]) - mean, 2) / N;
        for (long j = 0; j < N; j++) {
            double y = (ws_f16_to(X[i * N + j]) - mean) / sqrt(variance + 1e-5);
            check_close(Y, i * N + j, y * scale[j] + shift[j], 1e-5);
        }
    }
    return check_end();
}
