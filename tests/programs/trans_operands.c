/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Transposes of loaded and of computed tiles, as left and as right operand, and as a result that is stored. */
#include "test.h"

enum { B = 64, STEP = 32 };

#define LOOP(type, load)                                                                \
    _Pragma("ws grid(2)") for (int i = 0; i < N; i += B) for (int j = 0; j < N; j += B) \
    {                                                                                   \
        ws_tile acc = ws_zeros(WS_F32, B, B);                                           \
        _Pragma("ws pipeline(2)") for (int k = 0; k < N; k += STEP) acc = load;         \
        ws_store(c, i, j, acc);                                                         \
    }
#define ROWS(t, at) ws_load(t, at, k, B, STEP) /* rows of the operand, k along columns */
#define COLS(t, at) ws_load(t, k, at, STEP, B) /* k along rows */
#define TWICE(x)    ws_add(x, x)
#define CASE(name, x, y)                                                                \
    static void name(int N, const void *X, const void *Y, float *C)                     \
    {                                                                                   \
        ws_tensor a = ws_tensor_2d(X, WS_F16, N, N), b = ws_tensor_2d(Y, WS_F16, N, N), \
                  c = ws_tensor_2d(C, WS_F32, N, N);                                    \
        LOOP(WS_F16, ws_dot(x, y, acc))                                                 \
    }
/* a b, a^T b, a b^T, a^T b^T from loads; then with one operand computed; then computed and transposed */
CASE(plain, ROWS(a, i), COLS(b, j))
CASE(left, ws_trans(COLS(a, i)), COLS(b, j))
CASE(right, ROWS(a, i), ws_trans(ROWS(b, j)))
CASE(both, ws_trans(COLS(a, i)), ws_trans(ROWS(b, j)))
CASE(computed_left, TWICE(ROWS(a, i)), COLS(b, j))
CASE(computed_right, ROWS(a, i), TWICE(COLS(b, j)))
CASE(turned_left, ws_trans(TWICE(COLS(a, i))), COLS(b, j))
CASE(turned_right, ROWS(a, i), ws_trans(TWICE(ROWS(b, j))))
CASE(turned_twice, ws_trans(ws_trans(ROWS(a, i))), ws_trans(TWICE(ws_trans(COLS(b, j)))))

static void turn(int N, const void *X, const void *Y, float *C)
{
    ws_tensor a = ws_tensor_2d(X, WS_F16, N, N), b = ws_tensor_2d(Y, WS_F16, N, N), c = ws_tensor_2d(C, WS_F32, N, N);
    #pragma ws grid(2)
    for (int i = 0; i < N; i += 64)
        for (int j = 0; j < N; j += 32) {
            ws_tile sum = ws_add(ws_trans(ws_load(a, j, i, 32, 64)), ws_load(b, i, j, 64, 32));
            ws_store(c, i, j, ws_cast(ws_trans(ws_trans(sum)), WS_F32));
        }
}

int main(int argc, char **argv)
{
    static const struct {
        void (*run)(int, const void *, const void *, float *);
        int left, right;
        double factor;
    } cases[] = {{plain, 0, 0, 1},       {left, 1, 0, 1},          {right, 0, 1, 1},
                 {both, 1, 1, 1},        {computed_left, 0, 0, 2}, {computed_right, 0, 0, 2},
                 {turned_left, 1, 0, 2}, {turned_right, 0, 1, 2},  {turned_twice, 0, 0, 2}};
    check_begin("trans_operands", argc, argv);
    int N = 72;
    for (size_t s = 0; s < sizeof cases / sizeof *cases + 1; s++) {
        ws_f16 *X = check_random(WS_F16, (size_t)N * N), *Y = check_random(WS_F16, (size_t)N * N);
        float *C = check_output(WS_F32, (size_t)N * N);
        int last = s == sizeof cases / sizeof *cases;
        (last ? turn : cases[s].run)(N, check_place(X), check_place(Y), check_place(C));
        check_fetch();
        for (long i = 0; i < N; i++)
            for (long j = 0; j < N; j++) {
                double m, sum = ws_f16_to(X[j * N + i]) + ws_f16_to(Y[i * N + j]);
                if (last) {
                    check_close(C, i * N + j, sum, 0x1p-11 * fabs(sum) + 0x1p-24);
                    continue;
                }
                sum = test_dot(cases[s].left ? columns_of(X, N) : rows_of(X, N),
                               cases[s].right ? columns_of(Y, N) : rows_of(Y, N), i, j, 0, N, &m);
                check_close(C, i * N + j, cases[s].factor * sum, 2 * check_dot_error(N, m));
            }
        check_next();
    }
    return check_end();
}
