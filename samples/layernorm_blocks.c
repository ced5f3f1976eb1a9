/* SPDX-License-Identifier: MIT */
/*
 * layernorm_blocks - y = (x - mean x) / sqrt(var x + epsilon) * scale + shift, for rows of up to 8192 columns.
 *
 * A row is too long for one block.  Eight blocks of a cluster have 1024 columns of it each: what a loop over blocks
 * leaves in an array stays in registers until a later loop wants it, so that memory is read once and written once.  The
 * sums over all of them are carried out of the loops.
 */
#include "check.h"

#ifndef WIDTH
#define WIDTH 1024
#endif
#ifndef ROWS
#define ROWS 4
#endif
enum { BLOCKS = 8 };

void layernorm_blocks(int M, int N, float epsilon, const ws_f16 *X, const float *scale, const float *shift, ws_f16 *Y)
{
    ws_tensor t = ws_tensor_2d(X, WS_F16, M, N), y = ws_tensor_2d(Y, WS_F16, M, N);
    ws_tensor g = ws_tensor_1d(scale, WS_F32, N), b = ws_tensor_1d(shift, WS_F32, N);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += ROWS) {
        ws_tile x[BLOCKS], sum = ws_zeros(WS_F32, ROWS, 1), squares = ws_zeros(WS_F32, ROWS, 1);

        #pragma ws blocks
        for (int s = 0; s < BLOCKS; s++) {
            x[s] = ws_load(t, i, s * WIDTH, ROWS, WIDTH);
            sum = ws_add(sum, ws_row_sum(ws_cast(x[s], WS_F32)));
        }
        ws_tile mean = ws_div(sum, N);

        #pragma ws blocks
        for (int s = 0; s < BLOCKS; s++) {
            ws_tile inside = ws_lt(ws_add(ws_col_index(1, WIDTH), s * WIDTH), N);
            ws_tile d = ws_select(inside, ws_sub(ws_cast(x[s], WS_F32), mean), 0.0f);
            squares = ws_add(squares, ws_row_sum(ws_mul(d, d)));
        }
        ws_tile r = ws_rsqrt(ws_add(ws_div(squares, N), epsilon));

        #pragma ws blocks
        for (int s = 0; s < BLOCKS; s++) {
            ws_tile d = ws_mul(ws_sub(ws_cast(x[s], WS_F32), mean), r);
            d = ws_fma(d, ws_load_row(g, s * WIDTH, WIDTH), ws_load_row(b, s * WIDTH, WIDTH));
            ws_store(y, i, s * WIDTH, ws_cast(d, WS_F16));
        }
    }
}

int main(int argc, char **argv)
{
    check_begin("layernorm_blocks", argc, argv);
    int M = check_size(1, 6), N = check_size(2, 5000);
    ws_f16 *X = check_range(WS_F16, (size_t)M * N, -1, 3), *Y = check_output(WS_F16, (size_t)M * N);
    float *scale = check_random(WS_F32, N), *shift = check_random(WS_F32, N);

    layernorm_blocks(M, N, 1e-5f, check_place(X), check_place(scale), check_place(shift), check_place(Y));
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
