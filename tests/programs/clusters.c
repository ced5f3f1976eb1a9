/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Products in clusters of several shapes: extents that are no multiple, so that some blocks work on tiles that are none
   of the grid's; groups that divide rows and groups that take tiles in turn; rows that TMA cannot take; a grid that
   covers a part of its tensors, whose other elements stay. */
#include "test.h"

/* C = A B^T in tiles of 64 x 64, for the first `rows` rows of each matrix of a batch. */
#define PRODUCT(name, clause, pipeline)                                                                           \
    static void name(int batch, int M, int N, int K, int rows, const ws_f16 *A, const ws_f16 *B, float *C)        \
    {                                                                                                             \
        ws_tensor a = ws_tensor_3d(A, WS_F16, batch, M, K), b = ws_tensor_3d(B, WS_F16, batch, N, K);             \
        ws_tensor c = ws_tensor_3d(C, WS_F32, batch, M, N);                                                       \
        _Pragma(clause) for (int n = 0; n < batch; n++) for (int i = 0; i < rows; i += 64) for (int j = 0; j < N; \
                                                                                                j += 64)          \
        {                                                                                                         \
            ws_tile acc = ws_zeros(WS_F32, 64, 64);                                                               \
            _Pragma(pipeline) for (int k = 0; k < K; k += 64) acc =                                               \
                ws_dot(ws_load_3d(a, n, i, k, 64, 64), ws_trans(ws_load_3d(b, n, j, k, 64, 64)), acc);            \
            ws_store_3d(c, n, i, j, acc);                                                                         \
        }                                                                                                         \
    }
PRODUCT(pairs, "ws grid(3) cluster(2)", "ws pipeline(3, 2)")
PRODUCT(columns, "ws grid(3) cluster(1, 2) persistent order(column)", "ws pipeline(2)")
PRODUCT(squares, "ws grid(3) cluster(2, 2) consumers(2, tiles) order(grouped(4))", "ws pipeline(3, 2) pingpong")
PRODUCT(high, "ws grid(3) cluster(4, 1)", "ws pipeline(2) ")
PRODUCT(wide, "ws grid(3) cluster(2, 4)", "ws pipeline(auto)")

/* Columns of a vector product: one grid loop, and a tile that all blocks share beside one of their own. */
static void lines(int M, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, 16, K), c = ws_tensor_2d(C, WS_F32, M, 16);

#pragma ws grid(1) cluster(2)
    for (int i = 0; i < M; i += 128) {
        ws_tile acc = ws_zeros(WS_F32, 128, 16);

#pragma ws pipeline(3, 2)
        for (int k = 0; k < K; k += 32)
            acc = ws_dot(ws_load(a, i, k, 128, 32), ws_trans(ws_load(b, 0, k, 16, 32)), acc);
        ws_store(c, i, 0, acc);
    }
}

/* Behind the loop that the blocks share comes one that each row of them runs a number of times of its own, with a
   branch in it. */
#define BESIDE(name, clause)                                                                                          \
    static void name(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)                                 \
    {                                                                                                                 \
        ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K);                               \
        ws_tensor c = ws_tensor_2d(C, WS_F32, M, N);                                                                  \
        _Pragma(clause) for (int i = 0; i < M; i += 64) for (int j = 0; j < N; j += 64)                               \
        {                                                                                                             \
            ws_tile acc = ws_zeros(WS_F32, 64, 64);                                                                   \
            _Pragma("ws pipeline(2)") for (int k = 0; k < K; k += 32) acc =                                           \
                ws_dot(ws_load(a, i, k, 64, 32), ws_trans(ws_load(b, j, k, 64, 32)), acc);                            \
            _Pragma("ws pipeline(2)") for (int k = 0; k < i; k += 32)                                                 \
            {                                                                                                         \
                if (k % 64 == 0)                                                                                      \
                    continue;                                                                                         \
                acc = ws_dot(ws_load(a, i, k, 64, 32), ws_trans(ws_load(b, j + i / 64, k, 64, 32)), acc);             \
            }                                                                                                         \
            ws_store(c, i, j, acc);                                                                                   \
        }                                                                                                             \
    }
BESIDE(beside_pair, "ws grid(2) cluster(2)")
BESIDE(beside_square, "ws grid(2) cluster(2, 2)")

static void check_beside(int M, int N, int K, void (*beside)(int, int, int, const ws_f16 *, const ws_f16 *, float *))
{
    ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)N * K);
    float *C = check_output(WS_F32, (size_t)M * N);
    beside(M, N, K, check_place(A), check_place(B), check_place(C));
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            long other = j + i / 64, again = other >= N ? 0 : i / 64 * 64 < K ? i / 64 * 64 : K;
            double m, more, sum = test_dot(rows_of(A, K), columns_of(B, K), i, j, 0, K, &m);
            for (long k = 32; k < again; k += 64, m += more)
                sum += test_dot(rows_of(A, K), columns_of(B, K), i, other, k, k + 32 < again ? k + 32 : again, &more);
            check_close(C, i * N + j, sum, check_dot_error(2 * K, m));
        }
    check_next();
}

int main(int argc, char **argv)
{
    void (*kernel[])(int, int, int, int, int, const ws_f16 *, const ws_f16 *, float *) = {pairs, columns, squares, high,
                                                                                          wide};
    check_begin("clusters", argc, argv);
    int M = 200, N = 330;
    for (int s = 0; s < 10; s++) {
        int batch = s % 3 ? 1 : 2, K = s < 5 ? 72 : 68, rows = s == 1 ? 64 : M;
        ws_f16 *A = check_random(WS_F16, (size_t)batch * M * K), *B = check_random(WS_F16, (size_t)batch * N * K);
        float *C = check_random(WS_F32, (size_t)batch * M * N), *before = check_random(WS_F32, (size_t)batch * M * N);
        memcpy(before, C, sizeof *C * batch * M * N);

        kernel[s % 5](batch, M, N, K, rows, check_place(A), check_place(B), check_place(C));
        check_fetch();
        for (int n = 0; n < batch; n++)
            test_product(from(rows_of(C, N), (long)n * M * N), from(rows_of(A, K), (long)n * M * K),
                         from(columns_of(B, K), (long)n * N * K), rows, N, K);
        for (long i = (long)rows * N; i < (long)M * N && batch == 1; i++)
            check_equal(C, i, before[i]);
        check_next();
    }
    check_beside(M, 130, 72, beside_pair);
    check_beside(M, 130, 72, beside_square);
    ws_f16 *A = check_random(WS_F16, (size_t)M * 96), *B = check_random(WS_F16, 16 * 96);
    float *C = check_output(WS_F32, (size_t)M * 16);
    lines(M, 96, check_place(A), check_place(B), check_place(C));
    check_fetch();
    test_product(rows_of(C, 16), rows_of(A, 96), columns_of(B, 96), M, 16, 96);
    return check_end();
}
