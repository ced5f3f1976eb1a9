/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tensors of rank 4 and 3, batch and head order swapped by strides, row and column vectors with a leading dimension;
   additions to rank 3, and a fill where rows of rank 3 end. */
#include "test.h"

enum { D = 32 };

/* C[b][h] = A[b][h] B[h]^T + bias[h]; A is stored [b][row][h][d]. */
static void heads(int B, int H, int M, int N, const ws_f16 *A, const ws_f16 *W, const float *bias, float *C, float *top)
{
    long extents[] = {B, H, M, D}, strides[] = {(long)M * H * D, D, (long)H * D, 1};
    ws_tensor a = ws_tensor_strided(A, WS_F16, 4, extents, strides), w = ws_tensor_3d(W, WS_F16, H, N, D);
    ws_tensor v = ws_tensor_2d(bias, WS_F32, H, N), c = ws_tensor_4d(C, WS_F32, B, H, M, N);
    ws_tensor t = ws_tensor_2d(top, WS_F32, B * H, M);

    #pragma ws grid(3)
    for (int b = 0; b < B; b++)
        for (int h = 0; h < H; h++)
            for (int i = 0; i < M; i += 64) {
                ws_tile most = ws_full(WS_F32, 64, 1, -INFINITY);
                #pragma ws pipeline(2)
                for (int j = 0; j < N; j += 32) {
                    ws_tile s = ws_dot(ws_load_4d(a, b, h, i, 0, 64, D), ws_trans(ws_load_3d(w, h, j, 0, 32, D)),
                                       ws_zeros(WS_F32, 64, 32));
                    s = ws_add(s, ws_load_row_2d(v, h, j, 32));
                    ws_store_4d(c, b, h, i, j, s);
                    most = ws_max(most, ws_row_max(ws_select(ws_lt(ws_col_index(1, 32), N - j), s, -INFINITY)));
                }
                ws_store_col_2d(t, b * H + h, i, most);
            }
}

enum { FILL = 7, BLOCK = 16 };

/* T[0][h % 2] += the columns' sums of X[h]; rows behind N count FILL. */
static void totals(int H, int N, const int *X, int *T)
{
    ws_tensor x = ws_tensor_3d(X, WS_I32, H, N, D), t = ws_tensor_3d(T, WS_I32, 1, 2, D);

    #pragma ws grid(2)
    for (int h = 0; h < H; h++)
        for (int i = 0; i < N; i += BLOCK)
            ws_atomic_add_3d(t, 0, h % 2, 0, ws_col_sum(ws_load_or_3d(x, h, i, 0, BLOCK, D, FILL)));
}

static void check_totals(int H, int N)
{
    int *X = check_random(WS_I32, (size_t)H * N * D), *T = check_range(WS_I32, (size_t)2 * D, 0, 0);
    totals(H, N, check_place(X), check_place(T));
    check_fetch();
    for (long odd = 0; odd < 2; odd++)
        for (long d = 0; d < D; d++) {
            double sum = 0;
            for (long h = odd; h < H; h += 2)
                for (long i = 0; i < (N + BLOCK - 1) / BLOCK * BLOCK; i++)
                    sum += i < N ? X[(h * N + i) * D + d] : FILL;
            check_equal(T, odd * D + d, sum);
        }
}

int main(int argc, char **argv)
{
    check_begin("rank4", argc, argv);
    check_totals(5, 50);
    int B = 2, H = 3, M = 80, N = 50;
    ws_f16 *A = check_random(WS_F16, (size_t)B * M * H * D), *W = check_random(WS_F16, (size_t)H * N * D);
    float *bias = check_random(WS_F32, (size_t)H * N), *C = check_output(WS_F32, (size_t)B * H * M * N);
    float *top = check_output(WS_F32, (size_t)B * H * M);

    heads(B, H, M, N, check_place(A), check_place(W), check_place(bias), check_place(C), check_place(top));
    check_fetch();
    for (long p = 0; p < B * H; p++)
        for (long i = 0; i < M; i++) {
            long b = p / H, h = p % H;
            double most = -INFINITY, m;
            for (long j = 0; j < N; j++) {
                double sum = bias[h * N + j] + test_dot(from(rows_of(A, (long)H * D), (b * M * H + h) * D),
                                                        from(columns_of(W, D), h * N * D), i, j, 0, D, &m);
                check_close(C, (p * M + i) * N + j, sum, check_dot_error(D + 1, m + 1));
                most = fmax(most, C[(p * M + i) * N + j]);
            }
            check_equal(top, p * M + i, most);
        }
    return check_end();
}
