/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Row and column vectors in and out, with ragged ends, in f32, f16 and i32; ws_at and ws_at_float. */
#include "test.h"

static void outer(int M, int N, const float *X, const ws_f16 *Y, const int *shift, const float *factor, float *C)
{
    ws_tensor x = ws_tensor_1d(X, WS_F32, M), y = ws_tensor_1d(Y, WS_F16, N), s = ws_tensor_1d(shift, WS_I32, 2);
    ws_tensor f = ws_tensor_1d(factor, WS_F32, 1), c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 32)
        for (int j = 0; j < N; j += 64) {
            ws_tile col = ws_load_col(x, i + ws_at(s, 0), 32),
                    row = ws_cast(ws_load_row(y, j + ws_at(s, 1), 64), WS_F32);
            ws_store(c, i, j, ws_mul(ws_mul(col, row), ws_at_float(f, 0)));
        }
}

static void sums(int M, int N, const float *C, ws_f16 *rows, int *counts)
{
    ws_tensor c = ws_tensor_2d(C, WS_F32, M, N), r = ws_tensor_1d(rows, WS_F16, M), n = ws_tensor_1d(counts, WS_I32, N);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 32) {
        ws_tile t = ws_zeros(WS_F32, 32, 1);
        #pragma ws pipeline(2)
        for (int j = 0; j < N; j += 32)
            t = ws_add(t, ws_row_sum(ws_load(c, i, j, 32, 32)));
        ws_store_col(r, i, ws_cast(t, WS_F16));
    }
    #pragma ws grid(1)
    for (int j = 0; j < N; j += 32)
        ws_store_row(n, j,
                     ws_col_sum(ws_select(ws_gt(ws_load(c, 0, j, 128, 32), 0), ws_full(WS_I32, 1, 1, 1),
                                          ws_zeros(WS_I32, 1, 1))));
}

int main(int argc, char **argv)
{
    check_begin("vectors", argc, argv);
    int M = 100, N = 90;
    float *X = check_random(WS_F32, M), *factor = check_random(WS_F32, 1), *C = check_output(WS_F32, (size_t)M * N);
    ws_f16 *Y = check_random(WS_F16, N), *rows = check_output(WS_F16, M);
    int *shift = check_range(WS_I32, 2, 0, 0), *counts = check_output(WS_I32, N);
    shift[0] = -3, shift[1] = 5;

    outer(M, N, check_place(X), check_place(Y), check_place(shift), check_place(factor), check_place(C));
    sums(M, N, check_place(C), check_place(rows), check_place(counts));
    check_fetch();
    for (long i = 0; i < M; i++) {
        double sum = 0;
        for (long j = 0; j < N; j++) {
            double x = i < 3 ? 0 : X[i - 3], y = j + 5 < N ? ws_f16_to(Y[j + 5]) : 0;
            check_close(C, i * N + j, x * y * factor[0], 1e-7);
            sum += C[i * N + j];
        }
        check_close(rows, i, sum, 1e-5);
    }
    for (long j = 0; j < N; j++) {
        int count = 0;
        for (long i = 0; i < M; i++)
            count += C[i * N + j] > 0;
        check_equal(counts, j, count);
    }
    return check_end();
}
