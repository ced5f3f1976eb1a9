/* SPDX-License-Identifier: MIT */
/*
 * softmax_rows - y = exp(x - max x) / sum exp(x - max x), for each row of a matrix with any number of columns.
 *
 * No matrix product, and two pipelined loops.  The first runs over a row block in chunks and carries two columns from
 * one chunk to the next, the largest element so far and the sum of exponentials relative to it; the second writes the
 * result. Elements outside the matrix are read as -infinity, which adds nothing to either.
 */
#include "check.h"

enum { ROWS = 64, CHUNK = 128 };

void softmax_rows(int M, int N, const float *X, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N);
    ws_tensor y = ws_tensor_2d(Y, WS_F32, M, N);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += ROWS) {
        ws_tile largest = ws_full(WS_F32, ROWS, 1, -1e30);
        ws_tile sum = ws_zeros(WS_F32, ROWS, 1);

        #pragma ws pipeline(2)
        for (int j = 0; j < N; j += CHUNK) {
            ws_tile t = ws_load_or(x, i, j, ROWS, CHUNK, -INFINITY);
            ws_tile now = ws_max(largest, ws_row_max(t));
            sum = ws_fma(sum, ws_exp(ws_sub(largest, now)), ws_row_sum(ws_exp(ws_sub(t, now))));
            largest = now;
        }

        #pragma ws pipeline(2)
        for (int j = 0; j < N; j += CHUNK) {
            ws_tile t = ws_load(x, i, j, ROWS, CHUNK);
            ws_store(y, i, j, ws_div(ws_exp(ws_sub(t, largest)), sum));
        }
    }
}

int main(int argc, char **argv)
{
    check_begin("softmax_rows", argc, argv);
    int M = check_size(1, 150), N = check_size(2, 500);
    float *X = check_range(WS_F32, (size_t)M * N, -8, 8);
    float *Y = check_output(WS_F32, (size_t)M * N);

    softmax_rows(M, N, check_place(X), check_place(Y));
    check_fetch();
    for (long i = 0; i < M; i++) {
        double largest = -INFINITY, sum = 0;
        for (long j = 0; j < N; j++)
            largest = fmax(largest, X[i * N + j]);
        for (long j = 0; j < N; j++)
            sum += exp(X[i * N + j] - largest);
        for (long j = 0; j < N; j++)
            check_close(Y, i * N + j, exp(X[i * N + j] - largest) / sum, 4e-6 * exp(X[i * N + j] - largest) / sum);
    }
    return check_end();
}
