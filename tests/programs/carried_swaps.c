/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values that change places from one iteration to the next: two tiles, two accumulators with products in flight, and an
   operand that the program itself loads one iteration ahead. */
#include "test.h"

/* Even blocks of columns are added to one sum and odd ones to the other, by exchanging the names. */
static void alternate(int M, int N, const float *X, float *even, float *odd)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), e = ws_tensor_2d(even, WS_F32, M, 32),
              o = ws_tensor_2d(odd, WS_F32, M, 32);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 64) {
        ws_tile now = ws_zeros(WS_F32, 64, 32), other = ws_full(WS_F32, 64, 32, 1);
        int blocks = 0;
        #pragma ws pipeline(3)
        for (int j = 0; j < N; j += 32) {
            ws_tile sum = ws_add(now, ws_load(x, i, j, 64, 32));
            now = other;
            other = sum;
            blocks++;
        }
        if (blocks % 2) {
            ws_tile t = now;
            now = other;
            other = t;
        }
        ws_store(e, i, 0, now);
        ws_store(o, i, 0, other);
    }
}

static void products(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C, float *D)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N);
    ws_tensor c = ws_tensor_2d(C, WS_F32, M, N), d = ws_tensor_2d(D, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile now = ws_zeros(WS_F32, 64, 64), other = ws_full(WS_F32, 64, 64, 2);
            #pragma ws pipeline(4, 3)
            for (int k = 0; k < K; k += 16) {
                ws_tile sum = ws_dot(ws_load(a, i, k, 64, 16), ws_load(b, k, j, 16, 64), now);
                now = other;
                other = sum;
            }
            ws_store(c, i, j, now);
            ws_store(d, i, j, other);
        }
}

static void ahead(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N), c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64), ta = ws_load(a, i, 0, 64, 16);
            #pragma ws pipeline(3, 2)
            for (int k = 0; k < K; k += 16) {
                ws_tile next = ws_load(a, i, k + 16, 64, 16);
                acc = ws_dot(ta, ws_load(b, k, j, 16, 64), acc);
                ta = next;
            }
            ws_store(c, i, j, acc);
        }
}

int main(int argc, char **argv)
{
    static const int depths[] = {0, 16, 32, 48, 112, 120};
    check_begin("carried_swaps", argc, argv);
    for (size_t t = 0; t < sizeof depths / sizeof *depths; t++) {
        int M = 70, N = 72, K = depths[t];
        float *X = check_random(WS_F32, (size_t)M * 2 * K), *even = check_output(WS_F32, (size_t)M * 32);
        float *odd = check_output(WS_F32, (size_t)M * 32), *C = check_output(WS_F32, (size_t)M * N);
        float *D = check_output(WS_F32, (size_t)M * N), *E = check_output(WS_F32, (size_t)M * N);
        ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)K * N);

        alternate(M, 2 * K, check_place(X), check_place(even), check_place(odd));
        products(M, N, K, check_place(A), check_place(B), check_place(C), check_place(D));
        ahead(M, N, K, check_place(A), check_place(B), check_place(E));
        check_fetch();
        test_product(rows_of(E, N), rows_of(A, K), rows_of(B, N), M, N, K);
        for (long i = 0; i < M; i++) {
            for (long c = 0; c < 32; c++) {
                double sums[2] = {0, 1};
                for (long j = c; j < 2 * K; j += 32)
                    sums[j / 32 % 2] += X[i * 2 * K + j];
                check_close(even, i * 32 + c, sums[0], 1e-5);
                check_close(odd, i * 32 + c, sums[1], 1e-5);
            }
            for (long j = 0; j < N; j++) {
                double sums[2] = {0, 2}, magnitude = 2, m;
                long blocks = (K + 15) / 16;
                for (long k = 0; k < blocks; k++) {
                    sums[k % 2] +=
                        test_dot(rows_of(A, K), rows_of(B, N), i, j, 16 * k, 16 * k + 16 < K ? 16 * k + 16 : K, &m);
                    magnitude += m;
                }
                check_close(C, i * N + j, sums[blocks % 2], check_dot_error(K + 1, magnitude));
                check_close(D, i * N + j, sums[1 - blocks % 2], check_dot_error(K + 1, magnitude));
            }
        }
        check_next();
    }
    return check_end();
}
