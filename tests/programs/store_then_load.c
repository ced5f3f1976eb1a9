/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A store and a later load of the same tile in one iteration: the load must see the store. */
#include "test.h"

static void kernel(int M, int N, const float *X, float *Y, float *Z)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), y = ws_tensor_2d(Y, WS_F32, M, N), z = ws_tensor_2d(Z, WS_F32, M, N);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 64) {
        #pragma ws pipeline(3, 2)
        for (int j = 0; j < N; j += 32) {
            ws_store(y, i, j, ws_mul(ws_load(x, i, j, 64, 32), 3.0f));
            ws_tile again = ws_load(y, i, j, 64, 32);
            ws_tile left = ws_load(y, i, j - 32, 64, 32);
            ws_store(z, i, j, ws_sub(again, left));
        }
    }
}

int main(int argc, char **argv)
{
    check_begin("store_then_load", argc, argv);
    int M = 100, N = 170;
    float *X = check_random(WS_F32, (size_t)M * N);
    float *Y = check_output(WS_F32, (size_t)M * N), *Z = check_output(WS_F32, (size_t)M * N);

    kernel(M, N, check_place(X), check_place(Y), check_place(Z));
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            float y = X[i * N + j] * 3.0f, left = j < 32 ? 0 : X[i * N + j - 32] * 3.0f;
            check_equal(Y, i * N + j, y);
            check_equal(Z, i * N + j, y - left);
        }
    return check_end();
}
