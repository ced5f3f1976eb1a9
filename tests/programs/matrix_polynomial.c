/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A polynomial of a matrix by Horner's rule: the carried tile is an operand of the next product, whose accumulator
   starts anew. */
#include "test.h"

enum { SIDE = 64 };

static void polynomial(int count, int degree, const ws_f16 *A, const float *C, float *P)
{
    ws_tensor a = ws_tensor_3d(A, WS_F16, count, SIDE, SIDE), p = ws_tensor_3d(P, WS_F32, count, SIDE, SIDE);
    ws_tensor c = ws_tensor_2d(C, WS_F32, degree + 1, 1);

    #pragma ws grid(1)
    for (int n = 0; n < count; n++) {
        ws_tile x = ws_load_3d(a, n, 0, 0, SIDE, SIDE);
        ws_tile one = ws_select(ws_eq(ws_row_index(SIDE, SIDE), ws_col_index(SIDE, SIDE)),
                                ws_full(WS_F32, SIDE, SIDE, 1.0), 0.0);
        ws_tile y = ws_zeros(WS_F32, SIDE, SIDE);
        for (int k = degree; k >= 0; k--)
            y = ws_dot(ws_cast(y, WS_F16), x, ws_mul(one, ws_load(c, k, 0, 1, 1)));
        ws_store_3d(p, n, 0, 0, y);
    }
}

int main(int argc, char **argv)
{
    check_begin("matrix_polynomial", argc, argv);
    int count = 3, degree = 5;
    ws_f16 *A = check_random(WS_F16, (size_t)count * SIDE * SIDE);
    float *C = check_random(WS_F32, degree + 1), *P = check_output(WS_F32, (size_t)count * SIDE * SIDE);
    for (int i = 0; i < count * SIDE * SIDE; i++)
        A[i] = ws_f16_from(ws_f16_to(A[i]) / SIDE);

    polynomial(count, degree, check_place(A), check_place(C), check_place(P));
    check_fetch();
    for (int n = 0; n < count; n++) {
        static double y[SIDE][SIDE], z[SIDE][SIDE];
        memset(y, 0, sizeof y);
        for (int k = degree; k >= 0; k--) {
            for (int i = 0; i < SIDE * SIDE; i++) {
                double sum = i / SIDE == i % SIDE ? check_at(C, k) : 0;
                for (int l = 0; l < SIDE; l++)
                    sum += y[i / SIDE][l] * check_at(A, (n * SIDE + l) * SIDE + i % SIDE);
                z[i / SIDE][i % SIDE] = sum;
            }
            memcpy(y, z, sizeof y);
        }
        for (int i = 0; i < SIDE * SIDE; i++)
            check_close(P, n * SIDE * SIDE + i, y[i / SIDE][i % SIDE], 2e-3);
    }
    return check_end();
}
