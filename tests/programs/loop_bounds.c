/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops with more than one bound, all of which are known before they run: a break at the top, two comparisons, whole
   steps only, downwards. */
#include "test.h"

static void sums(int M, int K, const ws_f16 *A, const ws_f16 *B, const int *ends, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, 32),
              c = ws_tensor_3d(C, WS_F32, 5, M, 32), e = ws_tensor_1d(ends, WS_I32, (M + 63) / 64);

#pragma ws grid(1)
    for (int i = 0; i < M; i += 64) {
        long n = ws_at(e, i / 64);
        ws_tile acc = ws_zeros(WS_F32, 64, 32);
#pragma ws pipeline(3, 2)
        for (int k = 0; k < K; k += 16) {
            if (k >= n)
                break;
            acc = ws_dot(ws_load(a, i, k, 64, 16), ws_load(b, k, 0, 16, 32), acc);
        }
        ws_store_3d(c, 0, i, 0, acc);

        acc = ws_zeros(WS_F32, 64, 32);
#pragma ws pipeline(2)
        for (int k = 0; k < K; k += 16) {
            if (k > n)
                break;
            acc = ws_dot(ws_load(a, i, k, 64, 16), ws_load(b, k, 0, 16, 32), acc);
        }
        ws_store_3d(c, 1, i, 0, acc);

        acc = ws_zeros(WS_F32, 64, 32);
#pragma ws pipeline(3)
        for (int k = 0; k + 16 <= K && k < 200 && k <= i; k += 16)
            acc = ws_dot(ws_load(a, i, k, 64, 16), ws_load(b, k, 0, 16, 32), acc);
        ws_store_3d(c, 2, i, 0, acc);

        acc = ws_zeros(WS_F32, 64, 32);
#pragma ws pipeline(4, 2)
        for (int k = K - 16; k >= 0; k -= 16) {
            if (!(k - 5 > i / 2))
                break;
            acc = ws_dot(ws_load(a, i, k, 64, 16), ws_load(b, k, 0, 16, 32), acc);
        }
        ws_store_3d(c, 3, i, 0, acc);

        acc = ws_zeros(WS_F32, 64, 32);
#pragma ws pipeline(2)
        for (long k = 0;; k += 16) {
            if (k >= K || k > 48)
                break;
            acc = ws_dot(ws_load(a, i, k, 64, 16), ws_load(b, k, 0, 16, 32), acc);
        }
        ws_store_3d(c, 4, i, 0, acc);
    }
}

int main(int argc, char **argv)
{
    static const int sizes[] = {0, 16, 40, 64, 144, 250};
    check_begin("loop_bounds", argc, argv);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int M = 256, K = sizes[s];
        ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)K * 32);
        int *ends = check_range(WS_I32, 4, -20, 300);
        float *C = check_output(WS_F32, (size_t)5 * M * 32);
        sums(M, K, check_place(A), check_place(B), check_place(ends), check_place(C));
        check_fetch();
        for (int kind = 0; kind < 5; kind++)
            for (int i = 0; i < M; i++)
                for (int j = 0; j < 32; j++) {
                    int first = i / 64 * 64, end = ends[i / 64];
                    double sum = 0, magnitude = 0, m;
                    for (int k = kind == 3 ? K - 16 : 0; kind == 3 ? k >= 0 : k < K; k += kind == 3 ? -16 : 16) {
                        if ((kind == 0 && k >= end) || (kind == 1 && k > end) || (kind == 4 && k > 48) ||
                            (kind == 2 && (k + 16 > K || k >= 200 || k > first)) || (kind == 3 && k - 5 <= first / 2))
                            break;
                        sum += test_dot(rows_of(A, K), rows_of(B, 32), i, j, k, k + 16 < K ? k + 16 : K, &m);
                        magnitude += m;
                    }
                    check_close(C, (size_t)(kind * M + i) * 32 + j, sum, check_dot_error(K, magnitude));
                }
        check_next();
    }
    return check_end();
}
