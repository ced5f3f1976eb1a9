/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads, casts and stores between all types: rounding to nearest even, saturation, truncation, infinities and NaN. */
#include "test.h"

#define PAIR(from, to)                                                                      \
    static void from##_##to(int N, const void *X, void *Y)                                  \
    {                                                                                       \
        ws_tensor x = ws_tensor_2d(X, WS_##from, 8, N), y = ws_tensor_2d(Y, WS_##to, 8, N); \
        _Pragma("ws grid(1)") for (int j = 0; j < N; j += 64)                               \
            ws_store(y, 0, j, ws_cast(ws_load(x, 0, j, 8, 64), WS_##to));                   \
    }
#define FROM(from)  \
    PAIR(from, F32) \
    PAIR(from, F64) PAIR(from, F16) PAIR(from, BF16) PAIR(from, E4M3) PAIR(from, E5M2) PAIR(from, I8) PAIR(from, I32)
FROM(F32)
FROM(F64)
FROM(F16) FROM(BF16) FROM(E4M3) FROM(E5M2) FROM(I8) FROM(I32)

    typedef void kernel(int, const void *, void *);
#define ROW(from)                                                                                        \
    {                                                                                                    \
        from##_F32, from##_F64, from##_F16, from##_BF16, from##_E4M3, from##_E5M2, from##_I8, from##_I32 \
    }
static kernel *const kernels[8][8] = {ROW(F32), ROW(F64), ROW(F16), ROW(BF16), ROW(E4M3), ROW(E5M2), ROW(I8), ROW(I32)};

static double integer(double x, double low, double high)
{
    return isnan(x) ? 0 : trunc(fmin(fmax(x, low), high));
}

static double limited(double x, double high)
{
    return fabs(x) > high ? copysign(high, x) : x;
}

int main(int argc, char **argv)
{
    static const double special[] = {0,     -0.0,   1e6,   -1e6,  448,  465,  57344, 70000, -70000, 65519, 65520,
                                     127.5, -128.9, 300,   3e9,   -3e9, 0.5,  1.5,   2.5,   1e-3,   1e-5,  6e-8,
                                     1e-9,  448.1,  61440, 61441, -449, 1e38, 2.75,  -2.75, 0.1,    1.0625};
    check_begin("store_types", argc, argv);
    int N = 70;
    for (int f = 0; f < 8; f++)
        for (int t = 0; t < 8; t++) {
            ws_dtype from = (ws_dtype)(WS_F32 + f), to = (ws_dtype)(WS_F32 + t);
            void *X = check_random(from, (size_t)8 * N), *Y = check_output(to, (size_t)8 * N);
            for (size_t i = 0; f != 6 && f != 7 && i < sizeof special / sizeof *special; i++)
                check_put(X, from, i, special[i]);
            if (f < 4)
                check_put(X, from, 100, NAN), check_put(X, from, 101, -INFINITY);
            kernels[f][t](N, check_place(X), check_place(Y));
            check_fetch();
            for (long i = 0; i < 8 * N; i++) {
                double x = check_at(X, i);
                if (to == WS_I8 || to == WS_I32)
                    check_equal(Y, i, to == WS_I8 ? integer(x, -128, 127) : integer(x, -2147483648.0, 2147483647.0));
                else if (to == WS_E4M3 || to == WS_E5M2)
                    check_close(Y, i, limited(x, to == WS_E4M3 ? 448 : 57344), 0);
                else
                    check_close(Y, i, to == WS_F16 && fabs(x) >= 65520 ? copysign(INFINITY, x) : x, 0);
            }
            check_next();
        }
    return check_end();
}
