/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Input of smoke.sh: blocks that share the iterations of a loop, with one group, and two that divide the rows. */
#include <ws.h>

#define DO_(x) _Pragma(#x)
#define DO(x)  DO_(x)

#define NORM(name, clauses, count, rows)                                                                  \
    static void name(int M, const float *X, float *Y)                                                     \
    {                                                                                                     \
        ws_tensor t = ws_tensor_2d(X, WS_F32, M, count * 32), y = ws_tensor_2d(Y, WS_F32, M, count * 32); \
        DO(clauses)                                                                                       \
        for (int i = 0; i < M; i += rows) {                                                               \
            ws_tile x[count], sum = ws_zeros(WS_F32, rows, 1), top = ws_full(WS_F32, rows, 1, -1e9f);     \
            DO(ws blocks)                                                                                 \
            for (int s = 0; s < count; s++) {                                                             \
                x[s] = ws_load(t, i, s * 32, rows, 32);                                                   \
                sum = ws_add(sum, ws_row_sum(x[s]));                                                      \
                top = ws_max(top, ws_row_max(x[s]));                                                      \
            }                                                                                             \
            DO(ws blocks)                                                                                 \
            for (int s = 0; s < count; s++)                                                               \
                ws_store(y, i, s * 32, ws_div(ws_sub(x[s], sum), top));                                   \
        }                                                                                                 \
    }

NORM(one_group, ws grid(1) persistent, 4, 8)
NORM(two_groups, ws grid(1) consumers(2, rows), 2, 16)

int main(void)
{
    static float X[40 * 128], Y[40 * 128];
    for (int i = 0; i < 40 * 128; i++)
        X[i] = (float)(i * 37 % 101);
    one_group(40, X, Y);
    two_groups(40, X, Y);
    return 0;
}
