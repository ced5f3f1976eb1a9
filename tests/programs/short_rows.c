/* SPDX-License-Identifier: MIT */
/* Rows that one tile holds: those much shorter than the tile have kernels of their own. */
#include "test.h"

enum { LONGEST = 1024 };

static void softmax(int M, int N, const ws_f16 *X, ws_f16 *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F16, M, N), y = ws_tensor_2d(Y, WS_F16, M, N);

#pragma ws grid(1)
    for (int i = 0; i < M; i++) {
        ws_tile row = ws_cast(ws_load_or(x, i, 0, 1, LONGEST, -INFINITY), WS_F32);
        ws_tile e = ws_exp(ws_sub(row, ws_row_max(row)));
        ws_store(y, i, 0, ws_cast(ws_div(e, ws_row_sum(e)), WS_F16));
    }
}

/* The mask makes zeros of what the mean makes of those beyond the end. */
static void centred(int M, long N, const float *X, const float *scale, float *Y, float *squares)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), y = ws_tensor_2d(Y, WS_F32, M, N), g = ws_tensor_1d(scale, WS_F32, N);
    ws_tensor q = ws_tensor_1d(squares, WS_F32, M);

#pragma ws grid(1)
    for (int i = 0; i < M; i++) {
        ws_tile row = ws_load(x, i, 0, 1, LONGEST);
        ws_tile d = ws_sub(row, ws_div(ws_row_sum(row), (float)N));
        d = ws_select(ws_lt(ws_col_index(1, LONGEST), (int)N), d, 0.0f);
        ws_store(y, i, 0, ws_mul(d, ws_load_row(g, 0, LONGEST)));
        ws_store_col(q, i, ws_row_sum(ws_mul(d, d)));
    }
}

/* The largest of what is 0 beyond the end is not that of the row: there are no kernels for it. */
static void padded(int M, int N, const float *X, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), y = ws_tensor_1d(Y, WS_F32, M);

#pragma ws grid(1)
    for (int i = 0; i < M; i++)
        ws_store_col(y, i, ws_row_max(ws_load(x, i, 0, 1, LONGEST)));
}

static void check_rows(int M, int N, const ws_f16 *X, const ws_f16 *Y)
{
    for (long i = 0; i < M; i++) {
        double most = -INFINITY, sum = 0;
        for (long j = 0; j < N; j++)
            most = fmax(most, ws_f16_to(X[i * N + j]));
        for (long j = 0; j < N; j++)
            sum += exp(ws_f16_to(X[i * N + j]) - most);
        for (long j = 0; j < N; j++)
            check_close(Y, i * N + j, exp(ws_f16_to(X[i * N + j]) - most) / sum, 1e-6);
    }
}

static void check_centred(int M, int N, const float *X, const float *scale, const float *Y, const float *squares)
{
    for (long i = 0; i < M; i++) {
        double mean = 0, sum = 0;
        for (long j = 0; j < N; j++)
            mean += X[i * N + j] / (double)N;
        for (long j = 0; j < N; j++) {
            double d = X[i * N + j] - mean;
            check_close(Y, i * N + j, d * scale[j], 1e-5);
            sum += d * d;
        }
        check_close(squares, i, sum, 1e-3);
    }
}

static void check_length(int M, int N)
{
    ws_f16 *X = check_range(WS_F16, (size_t)M * N, -3, 3), *Y = check_output(WS_F16, (size_t)M * N);
    float *U = check_random(WS_F32, (size_t)M * N), *scale = check_random(WS_F32, N);
    float *V = check_output(WS_F32, (size_t)M * N), *squares = check_output(WS_F32, M);
    float *below = check_range(WS_F32, (size_t)M * N, -3, -1), *most = check_output(WS_F32, M);

    softmax(M, N, check_place(X), check_place(Y));
    centred(M, N, check_place(U), check_place(scale), check_place(V), check_place(squares));
    padded(M, N, check_place(below), check_place(most));
    check_fetch();
    check_rows(M, N, X, Y);
    check_centred(M, N, U, scale, V, squares);
    for (long i = 0; i < M; i++)
        check_close(most, i, 0, 0);
}

int main(int argc, char **argv)
{
    static const int lengths[] = {1, 100, 128, 129, 256, 300, 512, 520, 999, 1000};
    check_begin("short_rows", argc, argv);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        check_length(5, lengths[i]);
    return check_end();
}
