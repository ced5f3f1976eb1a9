/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops whose variable and step have different types, or that count down at a step which only the caller knows. */
#include "test.h"

enum { S = 64, W = 96 };

#define PRODUCT(NAME, STEP, LOOP)                                                                                      \
    static void NAME(int M, int N, int K, STEP step, const ws_f16 *A, const ws_f16 *B, float *C)                       \
    {                                                                                                                  \
        ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K);                                \
        ws_tensor c = ws_tensor_2d(C, WS_F32, M, N);                                                                   \
        _Pragma("ws grid(2)") for (int i = 0; i < M; i += S) LOOP                                                      \
        {                                                                                                              \
            ws_tile acc = ws_zeros(WS_F32, S, W);                                                                      \
            _Pragma("ws pipeline(3, 2)") for (int k = 0; k < K; k += 32) acc =                                         \
                ws_dot(ws_load(a, i, (long)k, S, 32), ws_trans(ws_load(b, (long)j, k, W, 32)), acc);                   \
            ws_store(ws_slice(c, 1, 0, (long)(j + step)), i, (long)j, acc);                                            \
        }                                                                                                              \
    }

PRODUCT(int_by_long, long, for (int j = 0; j < N; j += step))
PRODUCT(int_by_size, size_t, for (int j = 0; j < N; j += step))
PRODUCT(int_by_unsigned, unsigned, for (int j = 0; j < N; j += step))
PRODUCT(unsigned_by_long, long, for (unsigned j = 0; j < (unsigned)N; j += step))
PRODUCT(long_by_size, size_t, for (long j = 0; j < N; j += step))
PRODUCT(size_by_size, size_t, for (size_t j = 0; j < (size_t)N; j += step))
PRODUCT(size_by_int, int, for (size_t j = 0; j < (size_t)N; j += step))
PRODUCT(down, int, for (int j = (N - 1) / step * step; j >= 0; j -= step))
PRODUCT(down_by_long, long, for (int j = (N - 1) / step * step; j > -1; j -= step))
PRODUCT(down_by_less, int, for (int by = -step, j = (N - 1) / step * step; j >= 0; j += by))

/* The same of a pipelined loop. */
static void inner(int M, int N, int K, long step, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F32, M, N);

#pragma ws grid(2)
    for (int i = 0; i < M; i += S)
        for (int j = 0; j < N; j += W) {
            ws_tile acc = ws_zeros(WS_F32, S, W);

#pragma ws pipeline(3, 2)
            for (int k = 0; k < K; k += step)
                acc = ws_dot(ws_load(ws_slice(a, 1, 0, k + step), i, k, S, 32), ws_trans(ws_load(b, j, k, W, 32)), acc);
            ws_store(c, i, j, acc);
        }
}

static double product(long K, const ws_f16 *A, const ws_f16 *B, long i, long j, double *magnitude)
{
    double sum = 0;
    for (long k = 0; k < K; k++) {
        double x = (double)ws_f16_to(A[i * K + k]) * ws_f16_to(B[j * K + k]);
        sum += x;
        *magnitude += fabs(x);
    }
    return sum;
}

enum { M = 72, N = 250, K = 80, FORMS = 11 };

static void all(const ws_f16 *a, const ws_f16 *b, float *C, int step)
{
    float *c[FORMS] = {check_place(C)};
    for (int f = 1; f < FORMS; f++)
        c[f] = c[f - 1] + M * N;
    int_by_long(M, N, K, step, a, b, c[0]);
    int_by_size(M, N, K, (size_t)step, a, b, c[1]);
    int_by_unsigned(M, N, K, (unsigned)step, a, b, c[2]);
    unsigned_by_long(M, N, K, step, a, b, c[3]);
    long_by_size(M, N, K, (size_t)step, a, b, c[4]);
    size_by_size(M, N, K, (size_t)step, a, b, c[5]);
    size_by_int(M, N, K, step, a, b, c[6]);
    down(M, N, K, step, a, b, c[7]);
    down_by_long(M, N, K, step, a, b, c[8]);
    down_by_less(M, N, K, step, a, b, c[9]);
    inner(M, N, K, step / 5, a, b, c[10]);
}

int main(int argc, char **argv)
{
    check_begin("step_types", argc, argv);
    ws_f16 *A = check_random(WS_F16, M * K), *B = check_random(WS_F16, N * K);
    float *C = check_output(WS_F32, FORMS * M * N);
    all(check_place(A), check_place(B), C, check_size(1, 80));
    check_fetch();
    for (long f = 0; f < FORMS; f++)
        for (long i = 0; i < M; i++)
            for (long j = 0; j < N; j++) {
                double magnitude = 0, expected = product(K, A, B, i, j, &magnitude);
                check_close(C, (size_t)((f * M + i) * N + j), expected, check_dot_error(K, magnitude));
            }
    return check_end();
}
