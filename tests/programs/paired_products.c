/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two products of one left operand, whose right operands lie beside each other in shared memory and become one: for
 * every operand type, both orientations, tiles of several blocks of 64 rows, left operands in registers, groups that
 * divide rows, take tiles in turn or share loads; and some that have to stay two.
 */
#include "test.h"

#define TURNED(t, k, j, rows, cols)   ws_trans(ws_load(t, j, k, cols, rows))
#define STRAIGHT(t, k, j, rows, cols) ws_load(t, k, j, rows, cols)
#define TURNED_TENSOR(B, t, N, K)     ws_tensor_2d(B, t, N, K)
#define STRAIGHT_TENSOR(B, t, N, K)   ws_tensor_2d(B, t, K, N)
#define AS_IT_IS(x)                   x
#define IN_REGISTERS(x)               ws_cast(ws_mul(ws_cast(x, WS_F32), 2.0f), WS_F16)
#define PRAGMA(text)                  _Pragma(#text)

/* A is M x K, B and D are N x K where they are turned, else K x N. */
#define PAIR(name, ta, tb, sum, right, left, rows, cols, step, clauses, pipeline)                                \
    static void name(int M, int N, int K, const void *A, const void *B, const void *D, void *C, void *E)         \
    {                                                                                                            \
        ws_tensor a = ws_tensor_2d(A, ta, M, K), c = ws_tensor_2d(C, sum, M, N), e = ws_tensor_2d(E, sum, M, N); \
        ws_tensor b = right##_TENSOR(B, tb, N, K), d = right##_TENSOR(D, tb, N, K);                              \
        PRAGMA(ws grid(2) clauses)                                                                               \
        for (int i = 0; i < M; i += rows)                                                                        \
            for (int j = 0; j < N; j += cols) {                                                                  \
                ws_tile x = ws_zeros(sum, rows, cols), y = ws_zeros(sum, rows, cols);                            \
                PRAGMA(ws pipeline)                                                                              \
                for (int k = 0; k < K; k += step) {                                                              \
                    ws_tile t = left(ws_load(a, i, k, rows, step));                                              \
                    x = ws_dot(t, right(b, k, j, step, cols), x);                                                \
                    y = ws_dot(t, right(d, k, j, step, cols), y);                                                \
                }                                                                                                \
                ws_store(c, i, j, x);                                                                            \
                ws_store(e, i, j, y);                                                                            \
            }                                                                                                    \
    }
PAIR(in_turn, WS_BF16, WS_BF16, WS_F32, TURNED, AS_IT_IS, 128, 96, 64, consumers(2, tiles), pipeline(3, 2) pingpong)
PAIR(by_rows, WS_F16, WS_F16, WS_F32, TURNED, AS_IT_IS, 128, 128, 32, consumers(2, rows), pipeline(3, 2))
PAIR(tall, WS_F16, WS_F16, WS_F32, TURNED, AS_IT_IS, 128, 40, 64, , pipeline(3, 1))
PAIR(straight, WS_BF16, WS_BF16, WS_F32, STRAIGHT, AS_IT_IS, 64, 64, 32, , pipeline(3, 2))
PAIR(straight_wide, WS_F16, WS_F16, WS_F32, STRAIGHT, AS_IT_IS, 64, 128, 48, , pipeline(2, 2))
PAIR(clustered, WS_F16, WS_F16, WS_F32, TURNED, AS_IT_IS, 128, 64, 64, cluster(2, 1), pipeline(3, 2))
PAIR(registers, WS_F16, WS_F16, WS_F32, TURNED, IN_REGISTERS, 64, 48, 32, , pipeline(3, 1))
PAIR(of_tf32, WS_F32, WS_F32, WS_F32, TURNED, AS_IT_IS, 64, 64, 32, , pipeline(3, 2))
PAIR(of_e4m3, WS_E4M3, WS_E4M3, WS_F32, TURNED, AS_IT_IS, 64, 96, 128, , pipeline(3, 2))
PAIR(of_mixed, WS_E4M3, WS_E5M2, WS_F32, TURNED, AS_IT_IS, 64, 24, 64, , pipeline(3, 2))
PAIR(of_i8, WS_I8, WS_I8, WS_I32, TURNED, AS_IT_IS, 64, 40, 64, , pipeline(3, 2))
/* Two lines deep, columns that fill no line, wider than an instruction. */
PAIR(deep, WS_F16, WS_F16, WS_F32, TURNED, AS_IT_IS, 64, 64, 128, , pipeline(2, 2))
PAIR(straight_narrow, WS_F16, WS_F16, WS_F32, STRAIGHT, AS_IT_IS, 64, 32, 64, , pipeline(3, 2))
PAIR(wide, WS_F16, WS_F16, WS_F32, TURNED, AS_IT_IS, 64, 136, 64, , pipeline(2, 2))

/* Three of them: the third stays alone; and one more whose left operand is another. */
static void four(int M, int N, int K, const void *A, const void *B, const void *D, void *C, void *E)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), d = ws_tensor_2d(D, WS_F16, N, K);
    ws_tensor c = ws_tensor_2d(C, WS_F32, M, N), e = ws_tensor_2d(E, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 32) {
            ws_tile x = ws_zeros(WS_F32, 64, 32), y = x, z = x;

            #pragma ws pipeline(2, 2)
            for (int k = 0; k < K; k += 64) {
                ws_tile ta = ws_load(a, i, k, 64, 64), tb = ws_load(b, j, k, 32, 64), td = ws_load(d, j, k, 32, 64);
                ws_tile te = ws_load(d, j, k + 64, 32, 64), tf = ws_load(a, i, k + 64, 64, 64);
                x = ws_dot(ta, ws_trans(tb), x);
                y = ws_dot(ta, ws_trans(td), y);
                z = ws_dot(ta, ws_trans(te), z);
                z = ws_dot(tf, ws_trans(tb), z);
            }
            ws_store(c, i, j, x);
            ws_store(e, i, j, ws_add(y, ws_mul(z, 0.0f)));
        }
}

int main(int argc, char **argv)
{
    static const struct {
        ws_dtype a, b, sum;
        int turned;
        double factor;
        void (*run)(int, int, int, const void *, const void *, const void *, void *, void *);
    } cases[] = {{WS_BF16, WS_BF16, WS_F32, 1, 1, in_turn},
                 {WS_F16, WS_F16, WS_F32, 1, 1, by_rows},
                 {WS_F16, WS_F16, WS_F32, 1, 1, tall},
                 {WS_BF16, WS_BF16, WS_F32, 0, 1, straight},
                 {WS_F16, WS_F16, WS_F32, 0, 1, straight_wide},
                 {WS_F16, WS_F16, WS_F32, 1, 1, clustered},
                 {WS_F16, WS_F16, WS_F32, 1, 2, registers},
                 {WS_F32, WS_F32, WS_F32, 1, 1, of_tf32},
                 {WS_E4M3, WS_E4M3, WS_F32, 1, 1, of_e4m3},
                 {WS_E4M3, WS_E5M2, WS_F32, 1, 1, of_mixed},
                 {WS_I8, WS_I8, WS_I32, 1, 1, of_i8},
                 {WS_F16, WS_F16, WS_F32, 1, 1, deep},
                 {WS_F16, WS_F16, WS_F32, 0, 1, straight_narrow},
                 {WS_F16, WS_F16, WS_F32, 1, 1, wide},
                 {WS_F16, WS_F16, WS_F32, 1, 1, four}};
    check_begin("paired_products", argc, argv);
    int M = 70, N = 208, K = 144;
    for (size_t s = 0; s < sizeof cases / sizeof *cases; s++) {
        void *A = check_random(cases[s].a, (size_t)M * K);
        void *B[] = {check_random(cases[s].b, (size_t)N * K), check_random(cases[s].b, (size_t)N * K)};
        void *C[] = {check_output(cases[s].sum, (size_t)M * N), check_output(cases[s].sum, (size_t)M * N)};
        cases[s].run(M, N, K, check_place(A), check_place(B[0]), check_place(B[1]), check_place(C[0]),
                     check_place(C[1]));
        check_fetch();
        for (long at = 0; at < 2L * M * N; at++) {
            const void *b = B[at / M / N];
            long i = at % (M * N) / N, j = at % N;
            test_matrix right = cases[s].turned ? columns_of(b, K) : rows_of(b, N);
            double magnitude, sum = cases[s].factor * test_dot(rows_of(A, K), right, i, j, 0, K, &magnitude);
            double rounding = cases[s].a == WS_F32 ? 0x1p-10 : cases[s].a >= WS_E4M3 ? 0x1p-11 : 0;
            check_close(C[at / M / N], (size_t)(i * N + j), sum,
                        cases[s].sum == WS_I32 ? 0 : 2 * check_dot_error(K, magnitude) + rounding * magnitude);
        }
        check_next();
    }
    return check_end();
}
