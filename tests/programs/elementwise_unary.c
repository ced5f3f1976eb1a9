/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every unary elementwise operation, in f32 and in the 16-bit types. */
#include "test.h"

enum { COUNT = 13 };

static inline void all(ws_tensor o, long i, long j, ws_tile x, ws_tile positive)
{
    ws_store_3d(o, 0, i, j, ws_neg(x));
    ws_store_3d(o, 1, i, j, ws_abs(x));
    ws_store_3d(o, 2, i, j, ws_rint(x));
    ws_store_3d(o, 3, i, j, ws_floor(x));
    ws_store_3d(o, 4, i, j, ws_exp(x));
    ws_store_3d(o, 5, i, j, ws_exp2(x));
    ws_store_3d(o, 6, i, j, ws_log(positive));
    ws_store_3d(o, 7, i, j, ws_log2(positive));
    ws_store_3d(o, 8, i, j, ws_sqrt(positive));
    ws_store_3d(o, 9, i, j, ws_rsqrt(positive));
    ws_store_3d(o, 10, i, j, ws_tanh(x));
    ws_store_3d(o, 11, i, j, ws_erf(x));
    ws_store_3d(o, 12, i, j, ws_sigmoid(x));
}

#define KERNEL(name, type)                                                                    \
    static void name(int M, int N, const void *X, void *out)                                  \
    {                                                                                         \
        ws_tensor x = ws_tensor_2d(X, type, M, N), o = ws_tensor_3d(out, type, COUNT, M, N);  \
        _Pragma("ws grid(2)") for (int i = 0; i < M; i += 32) for (int j = 0; j < N; j += 32) \
        {                                                                                     \
            ws_tile t = ws_load(x, i, j, 32, 32);                                             \
            all(o, i, j, t, ws_add(ws_abs(t), 0.125));                                        \
        }                                                                                     \
    }
KERNEL(in_f32, WS_F32)
KERNEL(in_f16, WS_F16)
KERNEL(in_bf16, WS_BF16)

static double positive(double x, ws_dtype type)
{
    float sum = (float)(fabs(x) + 0.125);
    if (type == WS_F16)
        return ws_f16_to(ws_f16_from(sum));
    return type == WS_BF16 ? ws_bf16_to(ws_bf16_from(sum)) : sum;
}

int main(int argc, char **argv)
{
    static const ws_dtype types[] = {WS_F32, WS_F16, WS_BF16};
    void (*kernel[])(int, int, const void *, void *) = {in_f32, in_f16, in_bf16};
    check_begin("elementwise_unary", argc, argv);
    int M = 40, N = 50;
    for (int s = 0; s < 3; s++) {
        void *X = check_range(types[s], (size_t)M * N, -4, 4), *out = check_output(types[s], (size_t)COUNT * M * N);
        kernel[s](M, N, check_place(X), check_place(out));
        check_fetch();
        for (long p = 0; p < (long)M * N; p++) {
            double x = check_at(X, p), y = positive(x, types[s]);
            double expected[] = {-x,      fabs(x), rint(x),     floor(x), exp(x), exp2(x),          log(y),
                                 log2(y), sqrt(y), 1 / sqrt(y), tanh(x),  erf(x), 1 / (1 + exp(-x))};
            for (int n = 0; n < COUNT; n++)
                if (n < 4)
                    check_equal(out, (size_t)n * M * N + p, expected[n]);
                else
                    check_close(out, (size_t)n * M * N + p, expected[n], 3e-7 * fmax(1, fabs(expected[n])));
        }
        check_next();
    }
    return check_end();
}
