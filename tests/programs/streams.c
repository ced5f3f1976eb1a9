/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops that read and do not multiply: their loads come into registers, an iteration before it wants them.  */
#include "test.h"

/* y = A x, with a matrix of M rows of N.  */
static void times_vector(int M, int N, const ws_f16 *A, const float *X, float *Y)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, N), x = ws_tensor_1d(X, WS_F32, N), y = ws_tensor_1d(Y, WS_F32, M);

#pragma ws grid(1)
    for (int i = 0; i < M; i += 16) {
        ws_tile sum = ws_zeros(WS_F32, 16, 1);
#pragma ws pipeline(auto)
        for (int k = 0; k < N; k += 256)
            sum = ws_add(sum, ws_row_sum(ws_mul(ws_cast(ws_load(a, i, k, 16, 256), WS_F32), ws_load_row(x, k, 256))));
        ws_store_col(y, i, sum);
    }
}

/* Each row of Z without the mean of X's; the second loop goes over pairs of columns that lie `apart`.  */
static void centred(int M, int N, int apart, const float *X, const float *Z, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), z = ws_tensor_2d(Z, WS_F32, M, N), y = ws_tensor_2d(Y, WS_F32, M, N);

#pragma ws grid(1)
    for (int i = 0; i < M; i += 8) {
        ws_tile sum = ws_zeros(WS_F32, 8, 1);
#pragma ws pipeline(auto)
        for (int j = 0; j < N; j += 128)
            sum = ws_add(sum, ws_row_sum(ws_load(x, i, j, 8, 128)));
        ws_tile mean = ws_div(sum, N);
#pragma ws pipeline(auto)
        for (int j = 0; j < apart; j += 64) {
            int other = j + apart;
            ws_tile first = ws_sub(ws_load(ws_slice(z, 1, 0, apart), i, j, 8, 64), mean);
            ws_tile second = ws_sub(ws_load(z, i, other, 8, 64), mean);
            ws_store(ws_slice(y, 1, 0, apart), i, j, first);
            ws_store(y, i, other, second);
        }
    }
}

/* Rows are replaced by what has been added up to them: no load may come before the stores of earlier iterations.  Then
   what is loaded for each of several rows goes over the columns from `first` on.  */
static void added_up(int M, int N, int first, float *X, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), y = ws_tensor_1d(Y, WS_F32, M);

#pragma ws grid(1)
    for (int j = 0; j < N; j += 128) {
        ws_tile sum = ws_zeros(WS_F32, 1, 128);
        for (int i = 0; i < M; i++) {
            sum = ws_add(sum, ws_load(x, i, j, 1, 128));
            ws_store(x, i, j, sum);
        }
    }
#pragma ws grid(1)
    for (int i = 0; i < M; i += 4) {
        ws_tile sum = ws_zeros(WS_F32, 4, 1);
#pragma ws pipeline(auto)
        for (int j = first; j <= N - 128; j += 128)
            sum = ws_add(sum, ws_row_sum(ws_load(x, i, j, 4, 128)));
        ws_store_col(y, i, sum);
    }
}

/* The loops are plain ones.  */
static void plain_product(int M, int N, const int *A, const int *X, int *Y)
{
#pragma ws grid(1)
    for (int i = 0; i < M; i++) {
        int sum = 0;
#pragma ws pipeline(auto) reduction(+ : sum)
        for (int k = 0; k < N; k++)
            sum += A[(long)i * N + k] * X[k];
        Y[i] = sum;
    }
}

int main(int argc, char **argv)
{
    check_begin("streams", argc, argv);
    const int M = check_size(1, 37), N = check_size(2, 1300), apart = (N + 1) / 2, first = N % 300;
    ws_f16 *A = check_random(WS_F16, (size_t)M * N);
    float *X = check_random(WS_F32, N), *B = check_random(WS_F32, (size_t)M * N);
    float *D = check_random(WS_F32, (size_t)M * N), *S = check_random(WS_F32, (size_t)M * N),
          *C = check_output(WS_F32, (size_t)M * N);
    float *Y = check_output(WS_F32, M), *Z = check_output(WS_F32, M);
    int *I = check_range(WS_I32, (size_t)M * N, -99, 99), *V = check_range(WS_I32, N, -99, 99);
    int *W = check_output(WS_I32, M);
    double *before = malloc(sizeof(double) * (size_t)M * N);
    for (size_t i = 0; before && i < (size_t)M * N; i++)
        before[i] = S[i];

    times_vector(M, N, check_place(A), check_place(X), check_place(Y));
    centred(M, N, apart, check_place(B), check_place(D), check_place(C));
    added_up(M, N, first, check_place(S), check_place(Z));
    plain_product(M, N, check_place(I), check_place(V), check_place(W));
    check_fetch();
    for (int i = 0; before && i < M; i++) {
        double mean = 0, rows = 0, columns = 0;
        for (int j = 0; j < N; j++) {
            const size_t at = (size_t)i * N + j;
            mean += (double)B[at] / N;
            before[at] += i ? before[at - N] : 0;
            check_close(S, at, before[at], 1e-5 * M);
            columns += j >= first && j < first + (N - first) / 128 * 128 ? before[at] : 0;
            rows += fabs(before[at]);
        }
        for (int j = 0; j < N; j++)
            check_close(C, (size_t)i * N + j, D[(size_t)i * N + j] - mean, 1e-5);
        check_close(Z, i, columns, 1e-5 * rows);
        double size, sum = test_dot(rows_of(A, N), columns_of(X, 1), i, 0, 0, N, &size);
        check_close(Y, i, sum, check_dot_error(N, size));
        check_close(W, i, test_dot(rows_of(I, N), columns_of(V, 1), i, 0, 0, N, &size), 0);
    }
    free(before);
    return check_end();
}
