/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows that all threads of a group share, of which blocks load the next ones ahead; transposes by vectors.
   options: -Wno-ws-padded-reduction */
#include "test.h"

enum { W = 2048, BLOCKS = 2 };

/* Of each row: sum, largest, smallest, and where the largest is; sums of the columns of two.  */
static void sums(int M, int N, const float *X, float *S, float *L, float *T, int *A, float *C)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), c = ws_tensor_2d(C, WS_F32, (M + 1) / 2, N);
    ws_tensor s = ws_tensor_1d(S, WS_F32, M), l = ws_tensor_1d(L, WS_F32, M), t = ws_tensor_1d(T, WS_F32, M);
    ws_tensor a = ws_tensor_1d(A, WS_I32, M);

#pragma ws grid(1)
    for (int i = 0; i < M; i += 2) {
        ws_tile v = ws_load(x, i, 0, 2, W);
        ws_store_col(s, i, ws_row_sum(v));
        ws_store_col(l, i, ws_row_max(v));
        ws_store_col(t, i, ws_row_min(v));
        ws_store_col(a, i, ws_row_argmax(v));
        ws_store_row_2d(c, i / 2, 0, ws_col_sum(v));
    }
}

/* x / the sum of squares of its row, times the column's scale.  */
static void scaled(int M, int N, const ws_f16 *X, const float *G, ws_f16 *Y)
{
    ws_tensor t = ws_tensor_2d(X, WS_F16, M, N), y = ws_tensor_2d(Y, WS_F16, M, N), g = ws_tensor_1d(G, WS_F32, N);

#pragma ws grid(1)
    for (int i = 0; i < M; i += 2) {
        ws_tile x[BLOCKS], sum = ws_zeros(WS_F32, 2, 1);
#pragma ws blocks
        for (int s = 0; s < BLOCKS; s++) {
            x[s] = ws_load(t, i, s * W, 2, W);
            ws_tile v = ws_cast(x[s], WS_F32);
            sum = ws_add(sum, ws_row_sum(ws_mul(v, v)));
        }
#pragma ws blocks
        for (int s = 0; s < BLOCKS; s++) {
            ws_tile v = ws_mul(ws_div(ws_cast(x[s], WS_F32), sum), ws_load_row(g, s * W, W));
            ws_store(y, i, s * W, ws_cast(v, WS_F16));
        }
    }
}

static void turned(int M, int N, const ws_bf16 *X, ws_bf16 *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_BF16, M, N), y = ws_tensor_2d(Y, WS_BF16, N, M);

#pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 96)
            ws_store(y, j, i, ws_trans(ws_load(x, i, j, 64, 96)));
}

int main(int argc, char **argv)
{
    check_begin("wide_rows", argc, argv);
    int M = check_size(1, 37), N = check_size(2, 2 * W - 56), narrow = N < W ? N : W - 12;
    float *F = check_range(WS_F32, (size_t)M * narrow, -2, 3), *S = check_output(WS_F32, M);
    float *L = check_output(WS_F32, M), *T = check_output(WS_F32, M);
    float *C = check_output(WS_F32, (size_t)((M + 1) / 2) * narrow), *G = check_random(WS_F32, N);
    int *A = check_output(WS_I32, M);
    ws_f16 *X = check_range(WS_F16, (size_t)M * N, -2, 3), *Y = check_output(WS_F16, (size_t)M * N);
    ws_bf16 *B = check_random(WS_BF16, (size_t)M * 200), *Z = check_output(WS_BF16, (size_t)M * 200);

    sums(M, narrow, check_place(F), check_place(S), check_place(L), check_place(T), check_place(A), check_place(C));
    scaled(M, N, check_place(X), check_place(G), check_place(Y));
    turned(M, 200, check_place(B), check_place(Z));
    check_fetch();
    for (int i = 0; i < M; i++) {
        double sum = 0, size = 0, most = -1e30, least = 1e30, squares = 0;
        int at = 0;
        for (int j = 0; j < narrow; j++) {
            double x = F[(size_t)i * narrow + j];
            at = x > most ? j : at;
            most = x > most ? x : most;
            least = x < least ? x : least;
            sum += x;
            size += fabs(x);
            double both = i % 2 ? 0 : x + (i + 1 < M ? F[(size_t)(i + 1) * narrow + j] : 0);
            if (i % 2 == 0)
                check_close(C, (size_t)i / 2 * narrow + j, both, 1e-5);
        }
        check_close(S, i, sum, 1e-6 * size);
        check_close(L, i, most, 0);
        check_close(T, i, least, 0);
        check_close(A, i, at, 0);
        for (int j = 0; j < N; j++)
            squares += pow(ws_f16_to(X[(size_t)i * N + j]), 2);
        for (int j = 0; j < N; j++)
            check_close(Y, (size_t)i * N + j, ws_f16_to(X[(size_t)i * N + j]) / squares * G[j], 1e-5);
        for (int j = 0; j < 200; j++)
            check_close(Z, (size_t)j * M + i, ws_bf16_to(B[(size_t)i * 200 + j]), 0);
    }
    return check_end();
}
