/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ws_print says which kernel, which iteration of the grid and of the loops around it: the same on every target. */
#include "test.h"

static inline void look(ws_tile x)
{
    ws_print("100% of x", x);
}

static void sum(int M, int K, long first, const float *A, const float *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F32, M, K), b = ws_tensor_2d(B, WS_F32, 8, K), c = ws_tensor_2d(C, WS_F32, M, 8);

#pragma ws grid(2)
    for (int row = 64; row < M; row += 64)
        for (long col = first; col < 8; col += 8) {
            ws_tile acc = ws_zeros(WS_F32, 64, 8);
#pragma ws pipeline(2)
            for (int k = 0; k < K; k += 16) {
                ws_tile left = ws_load(a, row, k, 64, 16);
                acc = ws_dot_f32(left, ws_trans(ws_load(b, col, k, 8, 16)), acc);
                look(ws_col_sum(left));
            }
            for (int n = 2; n > 0; n--)
                look(ws_col_max(acc));
            int halves = 0;
            for (int n = K; n > 1; n /= 2, halves++)
                if (halves == 1)
                    ws_print("part", ws_col_sum(acc));
            ws_store(c, row, col, acc);
        }
#pragma ws grid(1)
    for (unsigned short row = 0; row < 64; row += 64)
        ws_print("second", ws_load(c, row, 0, 1, 8));
}

int main(int argc, char **argv)
{
    check_begin("print_places", argc, argv);
    int M = 128, K = 48;
    float *A = check_random(WS_F32, (size_t)M * K), *B = check_random(WS_F32, (size_t)8 * K);
    float *C = check_output(WS_F32, (size_t)M * 8);
    for (int i = 0; i < M * 8; i++)
        C[i] = (float)i;
    sum(M, K, 0, check_place(A), check_place(B), check_place(C));
    check_fetch();
    for (int i = 0; i < 64 * 8; i++)
        check_equal(C, i, i);
    return check_end();
}
