/* SPDX-License-Identifier: GPL-3.0-or-later */
/* options: caller.cc -lstdc++ */
/* A kernel that C++ calls: caller.cc sees <ws.h> as C++ does, with the storage types and the host functions. */
#include "test.h"

void saxpy_f16(int M, int N, float alpha, const ws_f16 *X, ws_f16 *Y);
int cxx_calls_it(int M, int N, float alpha, const ws_f16 *X, ws_f16 *Y);

void saxpy_f16(int M, int N, float alpha, const ws_f16 *X, ws_f16 *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F16, M, N), y = ws_tensor_2d(Y, WS_F16, M, N);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 32) {
        #pragma ws pipeline(3)
        for (int j = 0; j < N; j += 64) {
            ws_tile t = ws_cast(ws_load(x, i, j, 32, 64), WS_F32);
            t = ws_fma(t, alpha, ws_cast(ws_load(y, i, j, 32, 64), WS_F32));
            ws_store(y, i, j, ws_cast(t, WS_F16));
        }
    }
}

int main(int argc, char **argv)
{
    check_begin("cxx_caller", argc, argv);
    int M = 50, N = 100;
    ws_f16 *X = check_random(WS_F16, (size_t)M * N), *Y = check_random(WS_F16, (size_t)M * N);
    ws_f16 *before = check_random(WS_F16, (size_t)M * N);
    memcpy(before, Y, sizeof *Y * M * N);

    check_true(cxx_calls_it(M, N, 0.5f, check_place(X), check_place(Y)) == 0, "the C++ side failed");
    check_fetch();
    for (long p = 0; p < (long)M * N; p++)
        check_close(Y, p, 0.5 * ws_f16_to(X[p]) + ws_f16_to(before[p]), 0);
    return check_end();
}
