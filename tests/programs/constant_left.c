/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums of columns by a product whose left operand has one number everywhere, in two blocks of 64 rows: their
   instructions read the same, but write a result each. One whose rows are alike, but not its columns; and a product of
   constants. */
#include "test.h"

enum { K = 64, N = 96 };

static void sums(float scale, const ws_f16 *B, float *C, float *D, float *E)
{
    ws_tensor b = ws_tensor_2d(B, WS_F16, K, N), c = ws_tensor_2d(C, WS_F32, 128, N),
              d = ws_tensor_2d(D, WS_F32, 128, N);
    ws_tensor e = ws_tensor_2d(E, WS_F32, 128, N);

    #pragma ws grid(1) consumers(1)
    for (int j = 0; j < N; j += 32) {
        ws_tile right = ws_load(b, 0, j, K, 32);
        ws_store(c, 0, j, ws_dot(ws_full(WS_F16, 128, K, 2.25), right, ws_zeros(WS_F32, 128, 32)));
        ws_tile left = ws_mul(ws_add(ws_zeros(WS_F32, 128, K), ws_cast(ws_col_index(128, K), WS_F32)), scale);
        ws_store(d, 0, j, ws_dot(ws_cast(left, WS_F16), right, ws_zeros(WS_F32, 128, 32)));
        ws_tile ones = ws_full(WS_F16, 128, 16, 2.25), others = ws_full(WS_F16, 16, 32, -3);
        ws_store(e, 0, j, ws_dot(ones, others, ws_zeros(WS_F32, 128, 32)));
    }
}

int main(int argc, char **argv)
{
    check_begin("constant_left", argc, argv);
    ws_f16 *B = check_random(WS_F16, K * N);
    float *C = check_output(WS_F32, 128 * N), *D = check_output(WS_F32, 128 * N);
    float *E = check_output(WS_F32, 128 * N);
    sums(0.25f, check_place(B), check_place(C), check_place(D), check_place(E));
    check_fetch();
    for (int j = 0; j < N; j++) {
        double sum = 0, weighed = 0, size = 0;
        for (int k = 0; k < K; k++) {
            double x = check_at(B, (size_t)(k * N + j));
            sum += 2.25 * x;
            weighed += 0.25 * k * x;
            size += fabs(16 * x);
        }
        for (int i = 0; i < 128; i++) {
            check_close(C, (size_t)(i * N + j), sum, check_dot_error(K, size));
            check_close(D, (size_t)(i * N + j), weighed, check_dot_error(K, size));
            check_equal(E, (size_t)(i * N + j), -108);
        }
    }
    return check_end();
}
