/* SPDX-License-Identifier: GPL-3.0-or-later */
/* static inline helpers that take and return tiles and tensors, call each other, loop and branch; plain static ones
   too. */
#include "test.h"

typedef struct {
    int M, N, K;
    float slope;
} sizes;

static inline ws_tensor matrix(const void *base, int rows, int cols)
{
    return ws_tensor_2d(base, WS_F16, rows, cols);
}

static inline ws_tile leaky(ws_tile x, float slope)
{
    return ws_select(ws_gt(x, 0), x, ws_mul(x, slope));
}

static ws_tile power(ws_tile x, int n)
{
    ws_tile result = x;
    for (int i = 1; i < n; i++)
        result = ws_mul(result, x);
    return result;
}

static int round_up(int x, int to)
{
    return (x + to - 1) / to * to;
}

static ws_tile product(ws_tensor a, ws_tensor b, long i, long j, int K)
{
    ws_tile acc = ws_zeros(WS_F32, 64, 64);
    #pragma ws pipeline(3, 2)
    for (int k = 0; k < K; k += 32)
        acc = ws_dot(ws_load(a, i, k, 64, 32), ws_trans(ws_load(b, j, k, 64, 32)), acc);
    return acc;
}

static inline ws_tile finish(ws_tile x, sizes s, int even)
{
    if (even)
        return leaky(x, s.slope);
    return power(x, 3);
}

static void kernel(sizes s, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = matrix(A, s.M, s.K), b = matrix(B, s.N, s.K), c = ws_tensor_2d(C, WS_F32, s.M, s.N);

    #pragma ws grid(2)
    for (int i = 0; i < round_up(s.M, 64); i += 64)
        for (int j = 0; j < round_up(s.N, 64); j += 64)
            ws_store(c, i, j, finish(product(a, b, i, j, s.K), s, (i + j) / 64 % 2 == 0));
}

int main(int argc, char **argv)
{
    check_begin("helpers", argc, argv);
    sizes s = {100, 150, 40, 0.25f};
    ws_f16 *A = check_random(WS_F16, (size_t)s.M * s.K), *B = check_random(WS_F16, (size_t)s.N * s.K);
    float *C = check_output(WS_F32, (size_t)s.M * s.N);

    kernel(s, check_place(A), check_place(B), check_place(C));
    check_fetch();
    for (long i = 0; i < s.M; i++)
        for (long j = 0; j < s.N; j++) {
            double m, x = test_dot(rows_of(A, s.K), columns_of(B, s.K), i, j, 0, s.K, &m), e = check_dot_error(s.K, m);
            if ((i / 64 + j / 64) % 2)
                check_close(C, i * s.N + j, x * x * x, 3 * x * x * e + 3e-7 * fabs(x * x * x));
            else
                check_close(C, i * s.N + j, x > 0 ? x : x * s.slope, e);
        }
    return check_end();
}
