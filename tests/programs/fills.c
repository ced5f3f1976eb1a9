/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ws_load_or: what lies outside reads as the fill, in every direction, also beyond a slice, also as an operand of
   ws_dot. */
#include "test.h"

static void kernel(int M, int N, const ws_f16 *X, ws_f16 *Y, ws_f16 *Z, float *W)
{
    ws_tensor x = ws_tensor_2d(X, WS_F16, M, N), y = ws_tensor_2d(Y, WS_F16, M + 64, N + 64);
    ws_tensor z = ws_tensor_2d(Z, WS_F16, M, N), w = ws_tensor_2d(W, WS_F32, M, 64);

    #pragma ws grid(2)
    for (int i = 0; i < M + 64; i += 32)
        for (int j = 0; j < N + 64; j += 32)
            ws_store(y, i, j, ws_load_or(x, i - 32, j - 32, 32, 32, 1.5));

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 32) {
        ws_tensor part = ws_slice(ws_slice(x, 0, 5, 40), 1, 3, 50);
        #pragma ws pipeline(2)
        for (int j = 0; j < N; j += 32)
            ws_store(z, i, j, ws_load_or(part, i, j, 32, 32, -INFINITY));
    }

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 64) {
        ws_tile acc = ws_zeros(WS_F32, 64, 64);
        #pragma ws pipeline(2, 2)
        for (int k = 0; k < N; k += 32)
            acc = ws_dot(ws_load_or(x, i, k, 64, 32, 2), ws_load_or(x, k, 0, 32, 64, 0.25), acc);
        ws_store(w, i, 0, acc);
    }
}

static double filled(const ws_f16 *X, long M, long N, long i, long j, double fill)
{
    return i < 0 || i >= M || j < 0 || j >= N ? fill : ws_f16_to(X[i * N + j]);
}

int main(int argc, char **argv)
{
    check_begin("fills", argc, argv);
    int M = 50, N = 72;
    ws_f16 *X = check_random(WS_F16, (size_t)M * N), *Y = check_output(WS_F16, (size_t)(M + 64) * (N + 64));
    ws_f16 *Z = check_output(WS_F16, (size_t)M * N);
    float *W = check_output(WS_F32, (size_t)M * 64);

    kernel(M, N, check_place(X), check_place(Y), check_place(Z), check_place(W));
    check_fetch();
    for (long i = 0; i < M + 64; i++)
        for (long j = 0; j < N + 64; j++)
            check_equal(Y, i * (N + 64) + j, filled(X, M, N, i - 32, j - 32, 1.5));
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++)
            check_equal(Z, i * N + j, i < 35 && j < 47 ? ws_f16_to(X[(i + 5) * N + j + 3]) : -INFINITY);
    for (long i = 0; i < M; i++)
        for (long j = 0; j < 64; j++) {
            double sum = 0, magnitude = 0;
            for (long k = 0; k < 96; k++) {
                double product = filled(X, M, N, i, k, 2) * filled(X, M, N, k, j, 0.25);
                sum += product, magnitude += fabs(product);
            }
            check_close(W, i * 64 + j, sum, check_dot_error(96, magnitude));
        }
    return check_end();
}
