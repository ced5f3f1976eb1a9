/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops whose iterations are the blocks of a cluster: rows that are read once and stay where they are, sums, largest
   and smallest over all of them, in one phase and in two; rows divided over groups; columns; numbers of integers; a
   pipeline in each block. */
#include "test.h"

#define DO_(x) _Pragma(#x)
#define DO(x)  DO_(x)

/* y = (x - mean) / sqrt (var + 1) * g, and the row's mean, largest and smallest. */
#define NORM(name, count, rows, width, clauses)                                                    \
    static void name(int M, const ws_f16 *X, const float *G, ws_f16 *Y, float *S)                  \
    {                                                                                              \
        enum { N = count * width };                                                                \
        ws_tensor t = ws_tensor_2d(X, WS_F16, M, N), y = ws_tensor_2d(Y, WS_F16, M, N);            \
        ws_tensor g = ws_tensor_1d(G, WS_F32, N), o = ws_tensor_2d(S, WS_F32, 3, M);               \
        DO(ws grid(1) clauses)                                                                     \
        for (int i = 0; i < M; i += rows) {                                                        \
            ws_tile x[count], sum = ws_zeros(WS_F32, rows, 1), sq = ws_zeros(WS_F32, rows, 1);     \
            ws_tile top = ws_full(WS_F32, rows, 1, -1e30f), low = ws_full(WS_F32, rows, 1, 1e30f); \
            DO(ws blocks)                                                                          \
            for (int s = 0; s < count; s++) {                                                      \
                x[s] = ws_cast(ws_load(t, i, s * width, rows, width), WS_F32);                     \
                sum = ws_add(sum, ws_row_sum(x[s]));                                               \
                top = ws_max(top, ws_row_max(x[s]));                                               \
                low = ws_min(ws_row_min(x[s]), low);                                               \
            }                                                                                      \
            ws_tile mean = ws_div(sum, N);                                                         \
            DO(ws blocks)                                                                          \
            for (long s = 0; s < count; s++) {                                                     \
                x[s] = ws_sub(x[s], mean);                                                         \
                sq = ws_add(ws_row_sum(ws_mul(x[s], x[s])), sq);                                   \
            }                                                                                      \
            ws_tile scale = ws_rsqrt(ws_add(ws_div(sq, N), 1.0f));                                 \
            ws_store_col_2d(o, 0, i, mean);                                                        \
            DO(ws blocks)                                                                          \
            for (int s = 0; s < count; s++) {                                                      \
                ws_tile z = ws_mul(ws_mul(x[s], scale), ws_load_row(g, s * width, width));         \
                ws_store(y, i, s *width, ws_cast(z, WS_F16));                                      \
            }                                                                                      \
            ws_tile span = ws_sub(top, low);                                                       \
            ws_store_col_2d(o, 1, i, ws_select(ws_gt(span, 0.0f), span, -1.0f));                   \
        }                                                                                          \
    }
NORM(of_eight, 8, 4, 128, )
NORM(of_four, 4, 16, 32, persistent)
NORM(of_three, 3, 1, 64, )
NORM(of_one, 1, 8, 64, )
NORM(of_two_groups, 2, 64, 64, consumers(2, rows))

/* Columns: what all blocks have of a sum over rows, I32, each element.  Rows lie in the blocks. */
static void columns(int N, const int *X, int *Y, int *S)
{
    enum { M = 4 * 16 };
    ws_tensor t = ws_tensor_2d(X, WS_I32, M, N), y = ws_tensor_2d(Y, WS_I32, M, N), o = ws_tensor_2d(S, WS_I32, 2, N);

    DO(ws grid(1))
    for (int j = 0; j < N; j += 40) {
        ws_tile x[4], sum = ws_full(WS_I32, 1, 40, 7), all = ws_zeros(WS_I32, 16, 40);
        DO(ws blocks)
        for (int s = 0; s < 4; s++) {
            ws_tile here = ws_load(t, 16 * s, j, 16, 40);
            sum = ws_add(sum, ws_col_sum(here));
            all = ws_max(all, here);
            x[s] = here;
        }
        DO(ws blocks)
        for (int s = 0; s < 4; s++)
            ws_store(y, 16 * s, j, ws_sub(ws_sub(all, x[s]), sum));
        ws_store_row_2d(o, 0, j, sum);
        ws_store_row_2d(o, 1, j, ws_col_max(all));
    }
}

/* What a pipeline in each block sums, and an element of each that none reads. */
static void products(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C, float *S)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, 4 * N, K),
              c = ws_tensor_2d(C, WS_F32, M, 4 * N);
    ws_tensor o = ws_tensor_1d(S, WS_F32, M);

    DO(ws grid(1))
    for (int i = 0; i < M; i += 64) {
        if (M < 0)
            continue;
        ws_tile x[4], top = ws_full(WS_F32, 64, 1, 0.0f);
        DO(ws blocks)
        for (int s = 0; s < 4; s++) {
            ws_tile acc = ws_zeros(WS_F32, 64, 32);
            DO(ws pipeline(3, 2))
            for (int k = 0; k < K; k += 32)
                acc = ws_dot(ws_load(a, i, k, 64, 32), ws_trans(ws_load(b, s * 32, k, 32, 32)), acc);
            x[s] = acc;
            top = ws_max(top, ws_row_max(ws_abs(acc)));
        }
        ws_store_col(o, i, top);
        DO(ws blocks)
        for (int s = 0; s < 4; s++)
            ws_store(c, i, s * 32, ws_div(x[s], ws_add(top, 1.0f)));
    }
}

typedef void norm(int M, const ws_f16 *X, const float *G, ws_f16 *Y, float *S);

static void run_norm(norm *k, int M, int N)
{
    ws_f16 *X = check_range(WS_F16, (size_t)(M * N), -1, 3), *Y = check_output(WS_F16, (size_t)(M * N));
    float *G = check_random(WS_F32, (size_t)N), *S = check_output(WS_F32, (size_t)(3 * M));
    k(M, check_place(X), check_place(G), check_place(Y), check_place(S));
    check_fetch();
    for (long i = 0; i < M; i++) {
        double mean = 0, variance = 0, top = -1e30, low = 1e30;
        for (long j = 0; j < N; j++) {
            double x = ws_f16_to(X[i * N + j]);
            mean += x / N;
            top = x > top ? x : top;
            low = x < low ? x : low;
        }
        for (long j = 0; j < N; j++)
            variance += pow(ws_f16_to(X[i * N + j]) - mean, 2) / N;
        check_close(S, (size_t)i, mean, 1e-5);
        check_close(S, (size_t)(M + i), top - low, 1e-5);
        for (long j = 0; j < N; j++)
            check_close(Y, (size_t)(i * N + j), (ws_f16_to(X[i * N + j]) - mean) / sqrt(variance + 1) * G[j], 1e-4);
    }
}

static void run_columns(int N)
{
    enum { M = 64 };
    int *X = check_output(WS_I32, (size_t)(M * N)), *Y = check_output(WS_I32, (size_t)(M * N));
    int *S = check_output(WS_I32, (size_t)(2 * N));
    for (int i = 0; i < M * N; i++)
        X[i] = (int)(check_bits() % 1000) - 500;
    columns(N, check_place(X), check_place(Y), check_place(S));
    check_fetch();
    for (int j = 0; j < N; j++) {
        int sum = 7, top = 0;
        for (int i = 0; i < M; i++) {
            sum += X[i * N + j];
            top = X[i * N + j] > top ? X[i * N + j] : top;
        }
        check_equal(S, (size_t)j, sum);
        check_equal(S, (size_t)(N + j), top);
        for (int i = 0; i < M; i++) {
            int all = 0;
            for (int s = 0; s < 4; s++)
                all = X[(16 * s + i % 16) * N + j] > all ? X[(16 * s + i % 16) * N + j] : all;
            check_equal(Y, (size_t)(i * N + j), all - X[i * N + j] - sum);
        }
    }
}

static void run_products(int M, int K)
{
    int N = 32;
    ws_f16 *A = check_random(WS_F16, (size_t)(M * K)), *B = check_random(WS_F16, (size_t)(4 * N * K));
    float *C = check_output(WS_F32, (size_t)(M * 4 * N)), *S = check_output(WS_F32, (size_t)M);
    products(M, N, K, check_place(A), check_place(B), check_place(C), check_place(S));
    check_fetch();
    for (long i = 0; i < M; i++) {
        double top = 0, magnitude, most = 0;
        for (long j = 0; j < 4 * N; j++) {
            double sum = fabs(test_dot(rows_of(A, K), columns_of(B, K), i, j, 0, K, &magnitude));
            top = sum > top ? sum : top;
            most = magnitude > most ? magnitude : most;
        }
        check_close(S, (size_t)i, top, check_dot_error(K, most));
        for (long j = 0; j < 4 * N; j++)
            check_close(C, (size_t)(i * 4 * N + j),
                        test_dot(rows_of(A, K), columns_of(B, K), i, j, 0, K, &magnitude) / (top + 1),
                        check_dot_error(K + 4, most));
    }
}

int main(int argc, char **argv)
{
    check_begin("blocks", argc, argv);
    run_norm(of_eight, 10, 8 * 128);
    run_norm(of_four, 37, 4 * 32);
    run_norm(of_three, 3, 3 * 64);
    run_norm(of_one, 9, 64);
    run_norm(of_two_groups, 70, 128);
    run_columns(100);
    run_products(100, 72);
    return check_end();
}
