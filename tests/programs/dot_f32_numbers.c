/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ws_dot_f32 is as good as a loop of fmaf: the bound of docs/reference.md, with infinities, NaN, subnormal numbers,
   large and small ones.
   nvcc: TODO a kernel of two preparing chains spills 16 bytes since what it reads is fenced before it is released */
#include "test.h"

#define CASE(name, R, Q, STEP, x, y)                                                                 \
    static void name(int M, int N, int K, const float *A, const float *B, float *C)                  \
    {                                                                                                \
        ws_tensor a = ws_tensor_2d(A, WS_F32, M, K), b = ws_tensor_2d(B, WS_F32, N, K);              \
        ws_tensor c = ws_tensor_2d(C, WS_F32, M, N), w = ws_tensor_2d(B, WS_F32, K, N);              \
        (void)b, (void)w;                                                                            \
        _Pragma("ws grid(2)") for (int i = 0; i < M; i += R) for (int j = 0; j < N; j += Q)          \
        {                                                                                            \
            ws_tile acc = ws_zeros(WS_F32, R, Q);                                                    \
            _Pragma("ws pipeline(2)") for (int k = 0; k < K; k += STEP) acc = ws_dot_f32(x, y, acc); \
            ws_store(c, i, j, acc);                                                                  \
        }                                                                                            \
    }
CASE(low, 64, 40, 32, ws_load(a, i, k, 64, 32), ws_trans(ws_load(b, j, k, 40, 32)))
CASE(tall, 256, 64, 16, ws_load(a, i, k, 256, 16), ws_trans(ws_load(b, j, k, 64, 16)))
CASE(small, 24, 16, 8, ws_load(a, i, k, 24, 8), ws_trans(ws_load(b, j, k, 16, 8)))
CASE(prepared, 128, 128, 32, ws_load(a, i, k, 128, 32), ws_trans(ws_load(b, j, k, 128, 32)))
CASE(across, 128, 64, 32, ws_load(a, i, k, 128, 32), ws_load(w, k, j, 32, 64))
CASE(column, 64, 1, 32, ws_load(a, i, k, 64, 32), ws_trans(ws_load(b, j, k, 1, 32)))

enum { M = 130, N = 70, K = 100 };

/* What no bits are lost of: numbers of all sizes, in rows and columns of their own, so that others are not hidden. */
static float number(float x, long line, long k, int numbers)
{
    if (numbers == 0)
        return x;
    switch (line % 9) {
    case 1:
        return x * 0x1p-130f; /* subnormal */
    case 2:
        return k == 7 ? INFINITY : x;
    case 3:
        return k == 8 ? NAN : x;
    case 4:
        return x * 0x1p60f;
    case 5:
        return k % 2 ? x * 0x1p-70f : 0;
    case 6:
        return x * 0x1p-63f;
    case 7:
        return k == 9 ? 0x1.fffffep127f : x;
    case 8:
        return k == 7 ? 0 : 1.0f + (float)(k % 3) * 0x1p-23f; /* of one sign */
    default:
        return x;
    }
}

enum { CASES = 6, ACROSS = 5 };

int main(int argc, char **argv)
{
    static void (*const cases[CASES])(int, int, int, const float *, const float *,
                                      float *) = {low, tall, small, column, prepared, [ACROSS] = across};
    check_begin("dot_f32_numbers", argc, argv);
    for (int s = 0; s < 2 * CASES; s++) {
        const long line = s % CASES == ACROSS ? 1 : K,
                   place = s % CASES == ACROSS ? N : 1; /* of B's columns; along K */
        float *A = check_random(WS_F32, M * K), *B = check_random(WS_F32, N * K), *C = check_output(WS_F32, M * N);
        for (long i = 0; i < M * K; i++)
            A[i] = number(A[i] / 3, i / K, i % K, s / CASES);
        for (long j = 0; j < N; j++)
            for (long k = 0; k < K; k++)
                B[j * line + k * place] = number(B[j * line + k * place] / 7, j, k, s / CASES);
        cases[s % CASES](M, N, K, check_place(A), check_place(B), check_place(C));
        check_fetch();
        for (long i = 0; i < M; i++)
            for (long j = 0; j < N; j++) {
                double sum = 0, magnitude = 0;
                float loop = 0;
                for (long k = 0; k < K; k++) {
                    float x = A[i * K + k], y = B[j * line + k * place];
                    sum += (double)x * y;
                    magnitude += fabs((double)x * y);
                    loop = fmaf(x, y, loop);
                }
                if (isfinite(loop))
                    check_close(C, i * N + j, sum, (K + 32) * 0x1p-24 * magnitude + (K + 1) * 0x1p-149);
                else
                    check_equal(C, i * N + j, loop);
            }
        check_next();
    }
    return check_end();
}
