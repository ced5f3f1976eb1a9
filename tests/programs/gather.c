/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Right operands of which each consumer group computes its rows: the groups gather them in shared memory.  Sums over
   blocks are added in memory, in any order; values are small integers, so that every order gives the same bits. */
#include "test.h"

#define DO_(x) _Pragma(#x)
#define DO(x)  DO_(x)

/* X = A B in blocks of R rows; Y = C' X, added up over the blocks; Z = X D. */
#define KERNEL(name, groups, R)                                                                                  \
    static void name(int M, int N, const ws_f16 *A, const ws_f16 *B, const ws_f16 *C, const ws_f16 *D, float *Y, \
                     float *Z)                                                                                   \
    {                                                                                                            \
        ws_tensor a = ws_tensor_2d(A, WS_F16, M, 32), b = ws_tensor_2d(B, WS_F16, 32, N);                        \
        ws_tensor c = ws_tensor_2d(C, WS_F16, M, R), d = ws_tensor_2d(D, WS_F16, N, 32);                         \
        ws_tensor y = ws_tensor_2d(Y, WS_F32, R, N), z = ws_tensor_2d(Z, WS_F32, M, 32);                         \
        DO(ws grid(1) consumers(groups, rows))                                                                   \
        for (int i = 0; i < M; i += R) {                                                                         \
            ws_tile ta = ws_load(a, i, 0, R, 32), tc = ws_load(c, i, 0, R, R), acc = ws_zeros(WS_F32, R, 32);    \
            DO(ws pipeline(2))                                                                                   \
            for (int j = 0; j < N; j += 64) {                                                                    \
                ws_tile sum = ws_dot(ta, ws_load(b, 0, j, 32, 64), ws_zeros(WS_F32, R, 64));                     \
                ws_tile x = ws_cast(sum, WS_F16);                                                                \
                ws_atomic_add(y, 0, j, ws_dot(ws_trans(tc), x, ws_zeros(WS_F32, R, 64)));                        \
                acc = ws_dot(x, ws_load(d, j, 0, 64, 32), acc);                                                  \
            }                                                                                                    \
            ws_store(z, i, 0, acc);                                                                              \
        }                                                                                                        \
    }
KERNEL(by_two, 2, 128)
KERNEL(by_three, 3, 192)

typedef void kernel(int M, int N, const ws_f16 *A, const ws_f16 *B, const ws_f16 *C, const ws_f16 *D, float *Y,
                    float *Z);

static ws_f16 *small(size_t count)
{
    ws_f16 *x = check_range(WS_F16, count, 0, 0);
    for (size_t i = 0; i < count; i++)
        x[i] = ws_f16_from((float)(check_bits() % 3) - 1);
    return x;
}

static void run(kernel *k, int rows, int M, int N)
{
    ws_f16 *A = small((size_t)M * 32), *B = small((size_t)N * 32), *C = small((size_t)(M * rows));
    ws_f16 *D = small((size_t)N * 32);
    float *Y = check_range(WS_F32, (size_t)(rows * N), 0, 0), *Z = check_output(WS_F32, (size_t)M * 32);
    double *x = calloc((size_t)(M * N), sizeof *x), unused;

    k(M, N, check_place(A), check_place(B), check_place(C), check_place(D), check_place(Y), check_place(Z));
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++)
            x[i * N + j] = test_dot(rows_of(A, 32), rows_of(B, N), i, j, 0, 32, &unused);
    for (long r = 0; r < rows; r++)
        for (long j = 0; j < N; j++) {
            double sum = 0;
            for (long i = 0; i < M; i++)
                sum += test_get(rows_of(C, rows), i, r) * x[i * N + j];
            check_equal(Y, r * N + j, sum);
        }
    for (long i = 0; i < M; i++)
        for (long c = 0; c < 32; c++) {
            double sum = 0;
            for (long j = 0; j < N; j++)
                sum += x[i * N + j] * test_get(rows_of(D, 32), j, c);
            check_equal(Z, i * 32 + c, sum);
        }
    free(x);
    check_next();
}

int main(int argc, char **argv)
{
    check_begin("gather", argc, argv);
    run(by_two, 128, 256, 64);
    run(by_two, 128, 300, 200);
    run(by_two, 128, 100, 0);
    run(by_three, 192, 200, 132);
    return check_end();
}
