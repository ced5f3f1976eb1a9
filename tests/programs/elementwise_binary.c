/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every binary elementwise operation, comparison and mask, with tiles, rows, columns and scalars on either side. */
#include "test.h"

#define COUNT 31
/* Every result of x, y; a row r, a column c.  S(n, value) stores case n. */
#define CASES(S, T)                                                                                                  \
    S(0, T(add)(x, y))                                                                                               \
    S(1, T(sub)(x, y))                                                                                               \
    S(2, T(mul)(x, y))                                                                                               \
    S(3, T(div)(x, y))                                                                                               \
    S(4, T(max)(x, y)) S(5, T(min)(x, y)) S(6, T(select)(T(lt)(x, y), x, y)) S(7, T(select)(T(le)(x, y), 1.0, 2.0))  \
        S(8, T(select)(T(gt)(x, 0.25), y, 0.5)) S(9, T(select)(T(ge)(0, x), y, x))                                   \
            S(10, T(select)(T(eq)(x, x), y, 3.0)) S(11, T(select)(T(ne)(x, x), y, 3.0))                              \
                S(12, T(select)(T(and)(T(lt)(x, 0), T(lt)(y, 0)), x, y))                                             \
                    S(13, T(select)(T(or)(T(lt)(x, 0), T(lt)(y, 0)), x, y))                                          \
                        S(14, T(select)(T(not )(T(lt)(x, y)), x, y)) S(15, T(fma)(x, y, r)) S(16, T(add)(x, r))      \
                            S(17, T(mul)(c, x)) S(18, T(sub)(c, r)) S(19, T(div)(1, T(add)(x, 2)))                   \
                                S(20, T(fma)(x, 0.5, c)) S(21, T(sub)(0.75f, x)) S(22, T(max)(T(min)(x, 0.5), -0.5)) \
                                    S(23, T(select)(T(lt)(r, c), x, y)) S(24, T(pow)(T(max)(x, 0.125), y))           \
                                        S(25, T(fmod)(x, y)) S(26, T(hypot)(x, r)) S(27, T(atan2)(2, x))             \
                                            S(28, T(copysign)(x, y)) S(29, T(fdim)(x, c)) S(30, T(remainder)(x, y))

#define TILE(op) ws_##op
static void kernel(int M, int N, const float *X, const float *Y, const float *R, const float *C, float *out)
{
    ws_tensor tx = ws_tensor_2d(X, WS_F32, M, N), ty = ws_tensor_2d(Y, WS_F32, M, N), tr = ws_tensor_1d(R, WS_F32, N);
    ws_tensor tc = ws_tensor_1d(C, WS_F32, M), o = ws_tensor_3d(out, WS_F32, COUNT, M, N);

#pragma ws grid(1)
    for (int i = 0; i < M; i += 32) {
        ws_tile c = ws_load_col(tc, i, 32);
#pragma ws pipeline(2)
        for (int j = 0; j < N; j += 32) {
            ws_tile x = ws_load(tx, i, j, 32, 32), y = ws_load(ty, i, j, 32, 32), r = ws_load_row(tr, j, 32);
#define STORE(n, value) ws_store_3d(o, n, i, j, value);
            CASES(STORE, TILE)
        }
    }
}

/* The same in C; f32 throughout. */
#define SCALAR(op)             scalar_##op
#define scalar_add(a, b)       ((float)(a) + (float)(b))
#define scalar_sub(a, b)       ((float)(a) - (float)(b))
#define scalar_mul(a, b)       ((float)(a) * (float)(b))
#define scalar_div(a, b)       ((float)(a) / (float)(b))
#define scalar_max(a, b)       fmaxf(a, b)
#define scalar_min(a, b)       fminf(a, b)
#define scalar_pow(a, b)       powf(a, b)
#define scalar_fmod(a, b)      fmodf(a, b)
#define scalar_hypot(a, b)     hypotf(a, b)
#define scalar_atan2(a, b)     atan2f(a, b)
#define scalar_copysign(a, b)  copysignf(a, b)
#define scalar_fdim(a, b)      fdimf(a, b)
#define scalar_remainder(a, b) remainderf(a, b)
#define scalar_lt(a, b)        ((a) < (b))
#define scalar_le(a, b)        ((a) <= (b))
#define scalar_gt(a, b)        ((a) > (b))
#define scalar_ge(a, b)        ((a) >= (b))
#define scalar_eq(a, b)        ((a) == (b))
#define scalar_ne(a, b)        ((a) != (b))
#define scalar_and(a, b)       ((a) && (b))
#define scalar_or(a, b)        ((a) || (b))
#define scalar_not(a)          (!(a))
#define scalar_select(m, a, b) ((m) ? (float)(a) : (float)(b))
#define scalar_fma(a, b, z)    fmaf(a, b, z)

int main(int argc, char **argv)
{
    check_begin("elementwise_binary", argc, argv);
    int M = 40, N = 70;
    float *X = check_random(WS_F32, (size_t)M * N), *Y = check_random(WS_F32, (size_t)M * N);
    float *R = check_random(WS_F32, N), *C = check_random(WS_F32, M),
          *out = check_output(WS_F32, (size_t)COUNT * M * N);
    X[0] = NAN, X[1] = INFINITY, Y[2] = NAN, X[3] = Y[3] = 0, X[4] = -0.0f;

    kernel(M, N, check_place(X), check_place(Y), check_place(R), check_place(C), check_place(out));
    check_fetch();
    for (long p = 0; p < (long)M * N; p++) {
        float x = X[p], y = Y[p], r = R[p % N], c = C[p / N];
#define COMPARE(n, value) check_close(out, (size_t)n *M *N + p, value, n < 24 || n == 28 ? 0 : 5e-7 * fabs(value));
        CASES(COMPARE, SCALAR)
    }
    return check_end();
}
