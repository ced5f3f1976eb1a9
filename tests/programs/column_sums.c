/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Column sums and column maxima of a tall matrix: a pipelined loop without a product, rows carried along. */
#include "test.h"

static void columns(int M, int N, const ws_bf16 *X, float *sum, float *largest)
{
    ws_tensor x = ws_tensor_2d(X, WS_BF16, M, N), s = ws_tensor_1d(sum, WS_F32, N),
              l = ws_tensor_1d(largest, WS_F32, N);

    #pragma ws grid(1)
    for (int j = 0; j < N; j += 64) {
        ws_tile total = ws_zeros(WS_F32, 1, 64), most = ws_full(WS_F32, 1, 64, -INFINITY);

        #pragma ws pipeline(4)
        for (int i = 0; i < M; i += 64) {
            ws_tile t = ws_cast(ws_load_or(x, i, j, 64, 64, -INFINITY), WS_F32);
            most = ws_max(most, ws_col_max(t));
            total = ws_add(total, ws_col_sum(ws_select(ws_lt(ws_row_index(64, 1), M - i), t, 0)));
        }
        ws_store_row(s, j, total);
        ws_store_row(l, j, most);
    }
}

int main(int argc, char **argv)
{
    check_begin("column_sums", argc, argv);
    int M = 300, N = 150;
    ws_bf16 *X = check_random(WS_BF16, (size_t)M * N);
    float *sum = check_output(WS_F32, N), *largest = check_output(WS_F32, N);

    columns(M, N, check_place(X), check_place(sum), check_place(largest));
    check_fetch();
    for (long j = 0; j < N; j++) {
        double total = 0, most = -INFINITY;
        for (long i = 0; i < M; i++) {
            total += ws_bf16_to(X[i * N + j]);
            most = fmax(most, ws_bf16_to(X[i * N + j]));
        }
        check_close(sum, j, total, 1e-4);
        check_equal(largest, j, most);
    }
    return check_end();
}
