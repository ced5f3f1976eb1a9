/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tile divided by a number, by a parameter and by a column, of which few bits are seen; and a column of f16 times a
   number that is exact in it. */
#include "test.h"

static void kernel(int M, int N, float g, const ws_f16 *X, const float *Y, ws_f16 *A, ws_f16 *B, ws_f16 *C, ws_bf16 *D)
{
    ws_tensor x = ws_tensor_2d(X, WS_F16, M, N), y = ws_tensor_1d(Y, WS_F32, M);
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, N), b = ws_tensor_2d(B, WS_F16, M, N), c = ws_tensor_2d(C, WS_F16, M, N);
    ws_tensor d = ws_tensor_2d(D, WS_BF16, M, N);

#pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile t = ws_cast(ws_load(x, i, j, 64, 64), WS_F32);
            ws_store(a, i, j, ws_cast(ws_div(t, 3.0f), WS_F16));
            ws_store(b, i, j, ws_cast(ws_div(t, g), WS_F16));
            ws_store(c, i, j, ws_cast(ws_div(t, ws_load_col(y, i, 64)), WS_F16));
            ws_store(d, i, j, ws_cast(ws_mul(ws_div(ws_add(t, 1), 7.1), 0.5f), WS_BF16));
        }
}

static void column(int M, const ws_f16 *X, ws_f16 *E)
{
    ws_tensor x = ws_tensor_1d(X, WS_F16, M), e = ws_tensor_1d(E, WS_F16, M);

#pragma ws grid(1)
    for (int i = 0; i < M; i += 64)
        ws_store_col(e, i, ws_mul(ws_load_col(x, i, 64), -1.25f));
}

int main(int argc, char **argv)
{
    check_begin("divided", argc, argv);
    int M = 100, N = 72;
    size_t all = (size_t)M * N;
    ws_f16 *X = check_random(WS_F16, all);
    float *Y = check_range(WS_F32, (size_t)M, 0.5, 2);
    ws_f16 *A = check_output(WS_F16, all), *B = check_output(WS_F16, all), *C = check_output(WS_F16, all);
    ws_bf16 *D = check_output(WS_BF16, all);
    ws_f16 *E = check_output(WS_F16, (size_t)M);

    kernel(M, N, 0.7f, check_place(X), check_place(Y), check_place(A), check_place(B), check_place(C), check_place(D));
    column(M, check_place(X), check_place(E));
    check_fetch();
    for (long i = 0; i < M; i++)
        check_close(E, i, ws_f16_to(X[i]) * -1.25, 1e-3);
    for (long i = 0; i < M * (long)N; i++) {
        double x = ws_f16_to(X[i]);
        check_close(A, i, x / 3, 1e-3);
        check_close(B, i, x / 0.7f, 4e-3);
        check_close(C, i, x / Y[i / N], 4e-3);
        check_close(D, i, (x + 1) / 7.1 * 0.5, 4e-3);
    }
    return check_end();
}
