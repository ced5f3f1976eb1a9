/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns and rows that loops load beside the operands of products: of sums, of an operand that a role prepares; of
   memory whose rows are no multiple of 16 bytes, and windows that begin at none. */
#include "test.h"

enum { ROWS = 128, COLS = 64, STEP = 64 };

/* Each STEP of K has a scale for each row of A, in f32, and one for each row of B, in f16. */
static void scaled(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, const float *SA, const ws_f16 *SB, ws_f16 *C)
{
    int steps = (K + STEP - 1) / STEP;
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F16, M, N);
    ws_tensor sa = ws_tensor_2d(SA, WS_F32, steps, M), sb = ws_tensor_2d(SB, WS_F16, steps, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += ROWS)
        for (int j = 0; j < N; j += COLS) {
            ws_tile sum = ws_zeros(WS_F32, ROWS, COLS);

            #pragma ws pipeline(auto)
            for (int k = 0; k < K; k += STEP) {
                ws_tile x = ws_load(a, i, k, ROWS, STEP), y = ws_load(b, j, k, COLS, STEP);
                ws_tile part = ws_dot(x, ws_trans(y), ws_zeros(WS_F32, ROWS, COLS));
                ws_tile row = ws_cast(ws_load_row_2d(sb, k / STEP, j, COLS), WS_F32);
                sum = ws_fma(part, ws_mul(ws_load_col_2d(sa, k / STEP, i, ROWS), row), sum);
            }
            ws_store(c, i, j, ws_cast(sum, WS_F16));
        }
}

/* A scale for each STEP of K and each tile of columns, and one for each STEP alone, numbers of vectors. */
static void numbers(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, const float *S, const float *T, ws_f16 *C)
{
    int steps = (K + STEP - 1) / STEP, columns = (N + COLS - 1) / COLS;
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F16, M, N);
    ws_tensor s = ws_tensor_1d(S, WS_F32, steps * columns), t = ws_tensor_1d(T, WS_F32, steps > 1 ? steps - 1 : 0);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += ROWS)
        for (int j = 0; j < N; j += COLS) {
            ws_tile sum = ws_zeros(WS_F32, ROWS, COLS);

            #pragma ws pipeline(auto)
            for (int k = 0; k < K; k += STEP) {
                ws_tile x = ws_load(a, i, k, ROWS, STEP), y = ws_load(b, j, k, COLS, STEP);
                ws_tile part = ws_dot(x, ws_trans(y), ws_zeros(WS_F32, ROWS, COLS));
                float scale = ws_at_float(s, k / STEP * columns + j / COLS), more = ws_at_float(t, k / STEP - 1);
                sum = ws_fma(part, scale, sum);
                sum = ws_add(sum, ws_mul(part, more)); /* of the first step 0 */
            }
            ws_store(c, i, j, ws_cast(sum, WS_F16));
        }
}

/* The rows of B are scaled before they are multiplied. */
static void prepared(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, const float *S, ws_f16 *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F16, M, N);
    ws_tensor s = ws_tensor_2d(S, WS_F32, (K + STEP - 1) / STEP, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += ROWS)
        for (int j = 0; j < N; j += COLS) {
            ws_tile sum = ws_zeros(WS_F32, ROWS, COLS);

            #pragma ws pipeline(auto)
            for (int k = 0; k < K; k += STEP) {
                ws_tile x = ws_load(a, i, k, ROWS, STEP), y = ws_cast(ws_load(b, j, k, COLS, STEP), WS_F32);
                y = ws_cast(ws_mul(y, ws_load_col_2d(s, k / STEP, j, COLS)), WS_F16);
                sum = ws_dot(x, ws_trans(y), sum);
            }
            ws_store(c, i, j, ws_cast(sum, WS_F16));
        }
}

/* Windows that begin one element further; and a scale for each column of A, of a row of memory. */
static void further(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, const float *S, ws_f16 *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F16, M, N);
    ws_tensor s = ws_tensor_2d(S, WS_F32, (K + STEP - 1) / STEP, M);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += ROWS)
        for (int j = 0; j < N; j += COLS) {
            ws_tile sum = ws_zeros(WS_F32, ROWS, COLS);

            #pragma ws pipeline(auto)
            for (int k = 0; k < K; k += STEP) {
                ws_tile x = ws_load(a, i, k, ROWS, STEP), y = ws_load(b, j, k, COLS, STEP);
                ws_tile part = ws_dot(x, ws_trans(y), ws_zeros(WS_F32, ROWS, COLS));
                sum = ws_fma(part, ws_load_col_2d(s, k / STEP, i + 1, ROWS), sum);
            }
            ws_store(c, i, j, ws_cast(sum, WS_F16));
        }
}

static double wanted(long i, long j, int K, const ws_f16 *A, const ws_f16 *B, const float *rows, int M,
                     const ws_f16 *halves, const float *cols, int N, double *magnitude)
{
    double sum = *magnitude = 0;
    for (long k = 0; k < K; k++) {
        long step = k / STEP;
        double x = check_at(A, (size_t)(i * K + k)) * check_at(B, (size_t)(j * K + k));
        x *= rows ? i < M ? rows[step * M + i] : 0 : 1;
        x *= halves ? check_at(halves, (size_t)(step * N + j)) : cols ? cols[step * N + j] : 1;
        sum += x;
        *magnitude += fabs(x);
    }
    return sum;
}

static void run(int M, int N, int K)
{
    int steps = (K + STEP - 1) / STEP;
    ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)N * K);
    float *SA = check_random(WS_F32, (size_t)steps * M), *S = check_random(WS_F32, (size_t)steps * N);
    ws_f16 *SB = check_random(WS_F16, (size_t)steps * N);
    int columns = (N + COLS - 1) / COLS;
    float *SN = check_random(WS_F32, (size_t)steps * columns), *T = check_random(WS_F32, (size_t)steps - 1);
    ws_f16 *C[4];

    for (int n = 0; n < 4; n++)
        C[n] = check_output(WS_F16, (size_t)M * N);
    scaled(M, N, K, check_place(A), check_place(B), check_place(SA), check_place(SB), check_place(C[0]));
    prepared(M, N, K, check_place(A), check_place(B), check_place(S), check_place(C[1]));
    further(M, N, K, check_place(A), check_place(B), check_place(SA), check_place(C[2]));
    numbers(M, N, K, check_place(A), check_place(B), check_place(SN), check_place(T), check_place(C[3]));
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            double magnitude, want = wanted(i, j, K, A, B, SA, M, SB, NULL, N, &magnitude);
            check_close(C[0], i * N + j, want, check_dot_error(K, magnitude) + magnitude / 512);
            want = wanted(i, j, K, A, B, NULL, M, NULL, S, N, &magnitude);
            check_close(C[1], i * N + j, want, check_dot_error(K, magnitude) + magnitude / 512);
            double next = 0, numbers = 0, sum = 0;
            for (long k = 0; k < K; k++) {
                double x = check_at(A, (size_t)(i * K + k)) * check_at(B, (size_t)(j * K + k));
                double more = k / STEP > 0 ? T[k / STEP - 1] : 0;
                numbers += x * (SN[k / STEP * columns + j / COLS] + more);
                sum += fabs(x) * (fabs(SN[k / STEP * columns + j / COLS]) + fabs(more));
            }
            check_close(C[3], i * N + j, numbers, check_dot_error(K, sum) + sum / 512);
            magnitude = 0;
            for (long k = 0; k < K; k++) {
                double x = check_at(A, (size_t)(i * K + k)) * check_at(B, (size_t)(j * K + k));
                x *= i + 1 < M ? SA[k / STEP * M + i + 1] : 0;
                next += x;
                magnitude += fabs(x);
            }
            check_close(C[2], i * N + j, next, check_dot_error(K, magnitude) + magnitude / 512);
        }
}

int main(int argc, char **argv)
{
    check_begin("flat", argc, argv);
    run(200, 136, 320);
    run(131, 70, 200);
    return check_end();
}
