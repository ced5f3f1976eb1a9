/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Persistent and not, every order of tiles, consumers, registers: the result stays the same. */
#include "test.h"

#define GEMM(name, rows, cols, clauses, loop)                                                  \
    static void name(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, ws_f16 *C)         \
    {                                                                                          \
        ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K),        \
                  c = ws_tensor_2d(C, WS_F16, M, N);                                           \
        _Pragma(clauses) for (int i = 0; i < M; i += rows) for (int j = 0; j < N; j += cols)   \
        {                                                                                      \
            ws_tile acc = ws_zeros(WS_F32, rows, cols);                                        \
            _Pragma(loop) for (int k = 0; k < K; k += 32) acc =                                \
                ws_dot(ws_load(a, i, k, rows, 32), ws_trans(ws_load(b, j, k, cols, 32)), acc); \
            ws_store(c, i, j, ws_cast(ws_add(acc, 0.5f), WS_F16));                             \
        }                                                                                      \
    }
GEMM(persistent, 64, 32, "ws grid(2) persistent", "ws pipeline(3, 2)")
GEMM(by_row, 64, 32, "ws grid(2) order(row)", "ws pipeline(3, 2)")
GEMM(by_column, 64, 32, "ws grid(2) persistent order(column)", "ws pipeline(3, 2)")
GEMM(grouped, 64, 32, "ws grid(2) order(grouped(2)) persistent", "ws pipeline(3, 2)")
GEMM(grouped_more, 64, 32, "ws grid(2) order(grouped(7))", "ws pipeline(2)")
GEMM(one, 64, 32, "ws grid(2) consumers(1)", "ws pipeline(3, 2)")
GEMM(two, 128, 32, "ws grid(2) consumers(2, rows) persistent", "ws pipeline(3, 2)")
GEMM(three, 192, 32, "ws grid(2) consumers(3, rows) persistent", "ws pipeline(4, 3)")
GEMM(registers, 128, 32, "ws grid(2) consumers(2, rows) registers(40, 232)", "ws pipeline(3, 2)")

int main(int argc, char **argv)
{
    void (*gemm[])(int, int, int, const ws_f16 *, const ws_f16 *,
                   ws_f16 *) = {persistent, by_row, by_column, grouped, grouped_more, one, two, three, registers};
    check_begin("grid_clauses", argc, argv);
    int M = 250, N = 150, K = 72;
    ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)N * K);
    ws_f16 *first = NULL;
    for (size_t s = 0; s < sizeof gemm / sizeof *gemm; s++) {
        ws_f16 *C = check_output(WS_F16, (size_t)M * N);
        gemm[s](M, N, K, check_place(A), check_place(B), check_place(C));
        check_fetch();
        for (long i = 0; i < M; i++)
            for (long j = 0; j < N && !first; j++) {
                double magnitude, sum = 0.5 + test_dot(rows_of(A, K), columns_of(B, K), i, j, 0, K, &magnitude);
                check_close(C, i * N + j, sum, check_dot_error(K + 1, magnitude + 1));
            }
        first = first ? first : C;
        check_true(!memcmp(first, C, sizeof *C * M * N), "a clause changed the result");
    }
    return check_end();
}
