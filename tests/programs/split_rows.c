/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of a tile divided over two and three consumer groups, with everything that depends on the row: index tiles,
   column vectors in and out, row statistics, a residual, masks; the result is that of one group. */
#include "test.h"

#define KERNEL(name, rows, clause)                                                                                \
    static void name(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, const float *W, float *C, float *top, \
                     int *where)                                                                                  \
    {                                                                                                             \
        ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N),                           \
                  c = ws_tensor_2d(C, WS_F32, M, N);                                                              \
        ws_tensor w = ws_tensor_1d(W, WS_F32, M), t = ws_tensor_2d(top, WS_F32, (N + 31) / 32, M);                \
        ws_tensor at = ws_tensor_2d(where, WS_I32, (N + 31) / 32, M);                                             \
        _Pragma(clause) for (int i = 0; i < M; i += rows) for (int j = 0; j < N; j += 32)                         \
        {                                                                                                         \
            ws_tile acc = ws_mul(ws_load(c, i, j, rows, 32), ws_load_col(w, i, rows));                            \
            _Pragma("ws pipeline(3, 2)") for (int k = 0; k < K; k += 32) acc =                                    \
                ws_dot(ws_load(a, i, k, rows, 32), ws_load(b, k, j, 32, 32), acc);                                \
            ws_tile row = ws_add(ws_row_index(rows, 32), i), col = ws_add(ws_col_index(1, 32), j);                \
            acc = ws_select(ws_and(ws_ge(row, col), ws_lt(col, N)), acc, -9);                                     \
            ws_store(c, i, j, acc);                                                                               \
            ws_store_col_2d(t, j / 32, i, ws_row_max(acc));                                                       \
            ws_store_col_2d(at, j / 32, i, ws_row_argmax(acc));                                                   \
        }                                                                                                         \
    }
KERNEL(one, 64, "ws grid(2) consumers(1)")
KERNEL(two, 128, "ws grid(2) consumers(2, rows) persistent")
KERNEL(three, 192, "ws grid(2) consumers(3, rows)")
KERNEL(chosen, 128, "ws grid(2)")

int main(int argc, char **argv)
{
    void (*kernel[])(int, int, int, const ws_f16 *, const ws_f16 *, const float *, float *, float *,
                     int *) = {one, two, three, chosen};
    check_begin("split_rows", argc, argv);
    int M = 250, N = 70, K = 72, T = (N + 31) / 32;
    for (int s = 0; s < 4; s++) {
        ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)K * N);
        float *W = check_random(WS_F32, M), *C = check_random(WS_F32, (size_t)M * N),
              *before = check_random(WS_F32, (size_t)M * N);
        float *top = check_output(WS_F32, (size_t)T * M);
        int *where = check_output(WS_I32, (size_t)T * M);
        memcpy(before, C, sizeof *C * M * N);

        kernel[s](M, N, K, check_place(A), check_place(B), check_place(W), check_place(C), check_place(top),
                  check_place(where));
        check_fetch();
        for (long i = 0; i < M; i++) {
            for (long j = 0; j < N; j++) {
                double start = (double)before[i * N + j] * W[i], m;
                double sum = start + test_dot(rows_of(A, K), rows_of(B, N), i, j, 0, K, &m);
                check_close(C, i * N + j, i >= j ? sum : -9, check_dot_error(K + 1, m + fabs(start)));
            }
            for (long t = 0; t < T; t++) {
                double most = -9;
                long at = 0;
                for (long j = 32 * t; j < 32 * t + 32 && j < N; j++)
                    if (C[i * N + j] > most)
                        most = C[i * N + j], at = j - 32 * t;
                check_equal(top, t * M + i, most);
                check_equal(where, t * M + i, at);
            }
        }
        check_next();
    }
    return check_end();
}
