/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tiles through rings that lie across an edge, of elements of 1, 2, 4 and 8 bytes: where a slice ends within 16 bytes,
   and where rows begin at a multiple of 16 bytes, of 4, or of an element; and at the tensor's own edges. What lies
   outside is zero, or the fill. */
#include "test.h"

#define KERNEL(NAME, C_TYPE, WS_TYPE, FILL)                                                                   \
    static void NAME(int M, int N, int from, int to, const C_TYPE *X, C_TYPE *Y, C_TYPE *Z, C_TYPE *W)        \
    {                                                                                                         \
        ws_tensor x = ws_tensor_2d(X, WS_TYPE, M, N), y = ws_tensor_2d(Y, WS_TYPE, M + 32, N + 48);           \
        ws_tensor z = ws_tensor_2d(Z, WS_TYPE, M + 32, N + 48), w = ws_tensor_2d(W, WS_TYPE, M + 32, N + 48); \
        _Pragma("ws grid(1)") for (int i = 0; i < M; i += 32)                                                 \
        {                                                                                                     \
            ws_tensor part = ws_slice(ws_slice(x, 0, 3, M - 4), 1, from, to);                                 \
            _Pragma("ws pipeline(2)") for (int j = 0; j < N; j += 48)                                         \
            {                                                                                                 \
                ws_store(y, i, j, ws_load_or(part, i, j, 32, 48, FILL));                                      \
                ws_store(z, i, j, ws_load(part, i, j, 32, 48));                                               \
                ws_store(w, i, j, ws_load_or(x, i, j, 32, 48, FILL));                                         \
            }                                                                                                 \
        }                                                                                                     \
    }

/* clang-format off */
KERNEL(of_1, signed char, WS_I8, -7)
KERNEL(of_2, ws_f16, WS_F16, -INFINITY)
KERNEL(of_4, float, WS_F32, 1.5)
KERNEL(of_8, double, WS_F64, -2.5)
/* clang-format on */

enum { ROWS = 75 };

#define CHECK(NAME, C_TYPE, WS_TYPE, FILL, NUMBER)                                                     \
    static void check_##NAME(int N, int from, int to)                                                  \
    {                                                                                                  \
        const long width = N + 48, all = (ROWS + 32) * width;                                          \
        C_TYPE *X = check_random(WS_TYPE, (size_t)ROWS * (size_t)N);                                   \
        C_TYPE *Y = check_output(WS_TYPE, (size_t)all), *Z = check_output(WS_TYPE, (size_t)all);       \
        C_TYPE *W = check_output(WS_TYPE, (size_t)all);                                                \
        NAME(ROWS, N, from, to, check_place(X), check_place(Y), check_place(Z), check_place(W));       \
        check_fetch();                                                                                 \
        for (long i = 0; i < 96; i++)                                                                  \
            for (long j = 0; j < (N + 47) / 48 * 48; j++) {                                            \
                const int inside = i < ROWS - 7 && j < to - from;                                      \
                const C_TYPE *at = X + (i + 3) * N + from + j;                                         \
                check_equal(Y, i *width + j, inside ? (double)NUMBER(*at) : FILL);                     \
                check_equal(Z, i *width + j, inside ? (double)NUMBER(*at) : 0);                        \
                check_equal(W, i *width + j, i < ROWS && j < N ? (double)NUMBER(X[i * N + j]) : FILL); \
            }                                                                                          \
    }

/* clang-format off */
CHECK(of_1, signed char, WS_I8, -7,)
CHECK(of_2, ws_f16, WS_F16, -INFINITY, ws_f16_to)
CHECK(of_4, float, WS_F32, 1.5,)
CHECK(of_8, double, WS_F64, -2.5,)
/* clang-format on */

int main(int argc, char **argv)
{
    check_begin("chunks", argc, argv);
    static const int cases[][3] = {{128, 16, 109}, {128, 0, 128}, {132, 4, 131}, {130, 2, 77}, {129, 5, 120}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_of_1(cases[i][0], cases[i][1], cases[i][2]);
        check_of_2(cases[i][0], cases[i][1], cases[i][2]);
        check_of_4(cases[i][0], cases[i][1], cases[i][2]);
        check_of_8(cases[i][0], cases[i][1], cases[i][2]);
    }
    return check_end();
}
