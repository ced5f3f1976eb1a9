/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every elementwise operation of one operand that ops.def has, in f32 and in the 16-bit types, against the C
   library. */
#include "test.h"

#define WIDE 1e4 /* times what the others get: f32 alone, where the function is defined there */

/* The C library's, by name, and what it has not. */
#define rsqrt(x)   (1 / sqrt(x))
#define sigmoid(x) (1 / (1 + exp(-(x))))

enum {
#define MATHS(NAME, ...) PLACE_##NAME,
#include "../../runtime/common/maths.def"
    PLACE_NEG,
    PLACE_ABS,
    COUNT
};

/* What a function gets: what is above 0, if it is defined from there on; the type has the bounds between which the rest
   is. */
#define DOMAIN_OF(least, most, max, min)                                \
    (least > 0 && least < 1e-3 || least == 0 ? positive                 \
     : least > 0 || (least > -4 && most < 4) ? min(max(x, least), most) \
     : most > 4 * WIDE                       ? wide                     \
                                             : x)

static inline void all(ws_tensor o, long i, long j, ws_tile x, ws_tile positive, ws_tile wide)
{
#define MATHS(NAME, name, f32, f64, gpu_f32, gpu_f64, least, most) \
    ws_store_3d(o, PLACE_##NAME, i, j, ws_##name(DOMAIN_OF(least, most, ws_max, ws_min)));
#include "../../runtime/common/maths.def"
    ws_store_3d(o, PLACE_NEG, i, j, ws_neg(x));
    ws_store_3d(o, PLACE_ABS, i, j, ws_abs(x));
}

#define KERNEL(name, type, factor)                                                            \
    static void name(int M, int N, const void *X, void *out)                                  \
    {                                                                                         \
        ws_tensor x = ws_tensor_2d(X, type, M, N), o = ws_tensor_3d(out, type, COUNT, M, N);  \
        _Pragma("ws grid(2)") for (int i = 0; i < M; i += 32) for (int j = 0; j < N; j += 32) \
        {                                                                                     \
            ws_tile t = ws_load(x, i, j, 32, 32);                                             \
            all(o, i, j, t, ws_add(ws_abs(t), 0.125), ws_mul(t, factor));                     \
        }                                                                                     \
    }
KERNEL(in_f32, WS_F32, 1)
KERNEL(in_f16, WS_F16, 1)
KERNEL(in_bf16, WS_BF16, 1)
KERNEL(in_wide_f32, WS_F32, WIDE)

static double positive(double x, ws_dtype type)
{
    float sum = (float)(fabs(x) + 0.125);
    if (type == WS_F16)
        return ws_f16_to(ws_f16_from(sum));
    return type == WS_BF16 ? ws_bf16_to(ws_bf16_from(sum)) : sum;
}

static void check_element(void *out, long place, long size, double x, double positive, double wide)
{
    double expected[COUNT] = {
#define MATHS(NAME, name, f32, f64, gpu_f32, gpu_f64, least, most) \
    [PLACE_##NAME] = name(DOMAIN_OF(least, most, fmax, fmin)),
#include "../../runtime/common/maths.def"
        [PLACE_NEG] = -x, [PLACE_ABS] = fabs(x)};
    for (int n = 0; n < COUNT; n++)
        if (n == PLACE_RINT || n == PLACE_FLOOR || n == PLACE_CEIL || n == PLACE_TRUNC || n == PLACE_ROUND ||
            n == PLACE_NEG || n == PLACE_ABS)
            check_equal(out, (size_t)(n * size + place), expected[n]);
        else
            check_close(out, (size_t)(n * size + place), expected[n], 5e-7 * fmax(1, fabs(expected[n])));
}

int main(int argc, char **argv)
{
    static const ws_dtype types[] = {WS_F32, WS_F16, WS_BF16, WS_F32};
    void (*kernel[])(int, int, const void *, void *) = {in_f32, in_f16, in_bf16, in_wide_f32};
    check_begin("elementwise_unary", argc, argv);
    int M = 40, N = 50;
    for (int s = 0; s < 4; s++) {
        void *X = check_range(types[s], (size_t)M * N, -4, 4), *out = check_output(types[s], (size_t)COUNT * M * N);
        kernel[s](M, N, check_place(X), check_place(out));
        check_fetch();
        for (long p = 0; p < (long)M * N; p++) {
            double x = check_at(X, p);
            check_element(out, p, (long)M * N, x, positive(x, types[s]), s == 3 ? (float)(x * WIDE) : x);
        }
        check_next();
    }
    return check_end();
}
