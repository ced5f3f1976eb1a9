/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums in parts that the blocks of a cluster share: products of few tiles with a long K.  What follows the sum has
   rows, columns, indices, tiles from memory and carried values, of which each block takes its columns.  The sum is the
   same to the bit. */
#include "test.h"

#define DO_(x) _Pragma(#x)
#define DO(x)  DO_(x)

enum { BM = 128, BN = 64, BK = 32 };

/* C = gelu-like (A B^T + bias) * column's scale + D, with a mask of what lies right of the diagonal; S = column
   sums. */
#define KERNEL(name, count, clauses, rows, cols, summed, loop)                                                       \
    static void name(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, const float *bias, const ws_f16 *D,      \
                     ws_f16 *C, float *S)                                                                            \
    {                                                                                                                \
        ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K),                              \
                  c = ws_tensor_2d(C, WS_F16, M, N);                                                                 \
        ws_tensor d = ws_tensor_2d(D, WS_F16, M, N), add = ws_tensor_1d(bias, WS_F32, N);                            \
        ws_tensor sums = ws_tensor_2d(S, WS_F32, (M + rows - 1) / rows, N);                                          \
        DO(ws grid(2) clauses)                                                                                       \
        for (int i = 0; i < M; i += rows)                                                                            \
            for (int j = 0; j < N; j += cols) {                                                                      \
                const int length = ((K + BK - 1) / BK + (count - 1)) / count * BK;                                   \
                ws_tile sum = ws_zeros(WS_F32, rows, cols);                                                          \
                DO(ws parts)                                                                                         \
                for (int s = 0; s < count; s++) {                                                                    \
                    const int first = s * length, last = first + length < K ? first + length : K;                    \
                    ws_tile part = ws_zeros(WS_F32, rows, cols);                                                     \
                    DO(loop)                                                                                         \
                    for (int k = first; k < last; k += BK)                                                           \
                        part = ws_dot(ws_load(a, i, k, rows, BK), ws_trans(ws_load(b, j, k, cols, BK)), part);       \
                    sum = ws_add(sum, part);                                                                         \
                }                                                                                                    \
                ws_tile row = ws_add(ws_row_index(rows, 1), i), column = ws_add(ws_col_index(1, cols), j);           \
                ws_tile x = ws_add(sum, ws_load_row(add, j, cols));                                                  \
                x = ws_select(ws_ge(row, column), x, ws_mul(x, 0.5f));                                               \
                for (int n = 0; n < 2; n++)                                                                          \
                    x = ws_add(x,                                                                                    \
                               ws_max(ws_cast(ws_load(d, i, j, rows, cols), WS_F32), ws_zeros(WS_F32, rows, cols))); \
                if (summed)                                                                                          \
                    ws_store_row_2d(sums, i / rows, j, ws_col_sum(x));                                               \
                ws_store(c, i, j, ws_cast(x, WS_F16));                                                               \
            }                                                                                                        \
    }
KERNEL(by_two, 2, , BM, BN, 1, ws pipeline(2, 1))
KERNEL(by_four, 4, consumers(2, rows), BM, BN, 0, ws pipeline(auto))
KERNEL(by_eight, 8, consumers(1), 64, BN, 1, ws pipeline(3, 2))
KERNEL(by_three, 3, persistent, 64, 48, 1, ws pipeline(auto))
KERNEL(few_shares, 8, , 64, 16, 1, ws pipeline(2))
KERNEL(no_shares, 2, consumers(2), BM, 8, 0, ws pipeline(auto))
KERNEL(uneven_shares, 7, , 64, 40, 0, ws pipeline(2, 1))
KERNEL(by_one, 1, cluster(2), 64, BN, 1, ws pipeline(auto))

/* Sums of numbers, without the tensor cores: c's row n is the sum of a's rows n, n + R, ...; I32 wraps. */
static void folded(int R, int N, const int *A, int *C)
{
    ws_tensor a = ws_tensor_3d(A, WS_I32, 6, R, N), c = ws_tensor_2d(C, WS_I32, R, N);

    DO(ws grid(2))
    for (int i = 0; i < R; i += 16)
        for (int j = 0; j < N; j += 64) {
            ws_tile sum = ws_full(WS_I32, 16, 64, 5);
            DO(ws parts)
            for (int s = 0; s < 2; s++) {
                ws_tile part = ws_zeros(WS_I32, 16, 64);
                for (int n = 0; n < 3; n++)
                    part = ws_add(part, ws_load_3d(a, 3 * s + n, i, j, 16, 64));
                sum = ws_add(sum, part);
            }
            ws_store(c, i, j, ws_mul(sum, 3));
        }
}

typedef void kernel(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, const float *bias, const ws_f16 *D,
                    ws_f16 *C, float *S);

static void run(kernel *k, int rows, int summed, int M, int N, int K)
{
    ws_f16 *A = check_random(WS_F16, (size_t)(M * K)), *B = check_random(WS_F16, (size_t)(N * K));
    ws_f16 *D = check_random(WS_F16, (size_t)(M * N)), *C = check_output(WS_F16, (size_t)(M * N));
    float *bias = check_random(WS_F32, (size_t)N), *S = check_output(WS_F32, (size_t)((M + rows - 1) / rows * N));
    k(M, N, K, check_place(A), check_place(B), check_place(bias), check_place(D), check_place(C), check_place(S));
    check_fetch();
    for (long j = 0; j < N; j++)
        for (long i = 0; i < M; i++) {
            double x = bias[j], magnitude = fabs(bias[j]), other = ws_f16_to(D[i * N + j]);
            for (long n = 0; n < K; n++) {
                double y = (double)ws_f16_to(A[i * K + n]) * ws_f16_to(B[j * K + n]);
                x += y;
                magnitude += fabs(y);
            }
            x = (i >= j ? x : x / 2) + 2 * (other > 0 ? other : 0);
            check_close(C, (size_t)(i * N + j), x, check_dot_error(K + 4, magnitude + 2 * fabs(other)));
        }
    for (long i = 0; summed && i * rows < M;
         i++) /* near: of the rounded elements, and what lies beyond the edge adds no more than bias */
        for (long j = 0; j < N; j++) {
            double x = 0, magnitude = 1;
            for (long n = i * rows; n < (i + 1) * rows; n++)
                if (n < M) {
                    x += ws_f16_to(C[n * N + j]);
                    magnitude += fabs(ws_f16_to(C[n * N + j]));
                } else {
                    x += n >= j ? bias[j] : bias[j] / 2;
                }
            check_close(S, (size_t)(i * N + j), x, 0x1p-10 * magnitude);
        }
}

static void run_folded(int R, int N)
{
    int *A = check_output(WS_I32, (size_t)(6 * R * N)), *C = check_output(WS_I32, (size_t)(R * N));
    for (int i = 0; i < 6 * R * N; i++)
        A[i] = (int)check_bits();
    folded(R, N, check_place(A), check_place(C));
    check_fetch();
    for (int i = 0; i < R * N; i++) {
        unsigned sum = 5;
        for (int n = 0; n < 6; n++)
            sum += (unsigned)A[n * R * N + i];
        check_equal(C, (size_t)i, (int)(3 * sum));
    }
}

int main(int argc, char **argv)
{
    check_begin("parts", argc, argv);
    run(by_two, BM, 1, 130, 72, 160);
    run(by_four, BM, 0, 256, 64, 456);
    run(by_eight, 64, 1, 72, 80, 296); /* the last part has one block of K, or none */
    run(by_eight, 64, 1, 64, 64, 40);
    run(by_three, 64, 1, 100, 104, 264);
    run(few_shares, 64, 1, 72, 40, 296); /* shares for two of the eight blocks */
    run(no_shares, BM, 0, 130, 24, 160);
    run(uneven_shares, 64, 0, 64, 56, 264); /* for five of seven */
    run(by_one, 64, 1, 130, 72, 160);
    run_folded(40, 72);
    return check_end();
}
