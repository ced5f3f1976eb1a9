/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Doubles: everything but ws_dot. A row-wise normalization and a polynomial, kept in double throughout. */
#include "test.h"

static void kernel(int M, int N, const double *X, double *Y, double *norms)
{
    ws_tensor x = ws_tensor_2d(X, WS_F64, M, N), y = ws_tensor_2d(Y, WS_F64, M, N), n = ws_tensor_1d(norms, WS_F64, M);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 32) {
        ws_tile sum = ws_zeros(WS_F64, 32, 1);
        #pragma ws pipeline(3)
        for (int j = 0; j < N; j += 32) {
            ws_tile t = ws_load(x, i, j, 32, 32);
            sum = ws_add(sum, ws_row_sum(ws_mul(t, t)));
        }
        ws_tile norm = ws_sqrt(sum);
        ws_store_col(n, i, norm);
        #pragma ws pipeline(2)
        for (int j = 0; j < N; j += 32)
            ws_store(y, i, j, ws_div(ws_load(x, i, j, 32, 32), norm));
    }
}

int main(int argc, char **argv)
{
    check_begin("f64", argc, argv);
    int M = 50, N = 90;
    double *X = check_random(WS_F64, (size_t)M * N), *Y = check_output(WS_F64, (size_t)M * N),
           *norms = check_output(WS_F64, M);
    for (long i = 0; i < (long)M * N; i++)
        X[i] /= 3; /* more bits than a float has */

    kernel(M, N, check_place(X), check_place(Y), check_place(norms));
    check_fetch();
    for (long i = 0; i < M; i++) {
        double sum = 0;
        for (long j = 0; j < N; j++)
            sum += X[i * N + j] * X[i * N + j];
        /* the compute type of float tiles is f32; of doubles, double */
        check_close(norms, i, sqrt(sum), 1e-14);
        for (long j = 0; j < N; j++)
            check_close(Y, i * N + j, X[i * N + j] / sqrt(sum), 1e-14);
    }
    return check_end();
}
