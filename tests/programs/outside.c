/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Coordinates outside in every dimension, the leading ones too: such loads read the fill and such stores write
   nothing. */
#include "test.h"

static void shift3(int B, int M, int N, const ws_f16 *X, ws_f16 *Y)
{
    ws_tensor x = ws_tensor_3d(X, WS_F16, B, M, N), y = ws_tensor_3d(Y, WS_F16, B, M, N);

    #pragma ws grid(1)
    for (int b = -1; b < B + 2; b++) {
        #pragma ws pipeline(3, 2)
        for (int j = -32; j < N + 32; j += 32)
            ws_store_3d(y, b, -1, j, ws_load_3d(x, b - 1, -2, j - 1, 64, 32));
    }
}

static void shift4(int A, int B, int M, int N, const float *X, float *Y)
{
    ws_tensor x = ws_tensor_4d(X, WS_F32, A, B, M, N), y = ws_tensor_4d(Y, WS_F32, A, B, M, N);

    #pragma ws grid(2)
    for (int a = -1; a <= A; a++)
        for (int b = -1; b <= B; b++)
            ws_store_4d(y, a, b, 0, 0, ws_load_or_4d(x, a + 1, b - 1, 0, 0, 32, 32, 5));
}

static void shift_vectors(int M, int N, const float *X, float *Y, float *Z)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), y = ws_tensor_2d(Y, WS_F32, M, N), z = ws_tensor_2d(Z, WS_F32, M, N);

    #pragma ws grid(1)
    for (int i = -2; i < M + 2; i++) {
        ws_store_row_2d(y, i, -3, ws_load_row_2d(x, i - 1, -5, 64));
        ws_store_col_2d(z, i, 1, ws_load_col_2d(x, i + 1, -2, 64));
    }
}

/* What lies `far` to the right is added: nothing, however far that is. */
static void shift_far(int M, int N, long far, const float *X, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), y = ws_tensor_2d(Y, WS_F32, M, N);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 32) {
        #pragma ws pipeline(1)
        for (int j = 0; j < N; j += 32)
            ws_store(y, i, j, ws_add(ws_load(x, i, j, 32, 32), ws_load(x, i, j + far, 32, 32)));
    }
}

static double at3(const void *X, int B, int M, int N, int b, int i, int j, double fill)
{
    return b < 0 || b >= B || i < 0 || i >= M || j < 0 || j >= N ? fill : check_at(X, (size_t)((b * M + i) * N + j));
}

int main(int argc, char **argv)
{
    check_begin("outside", argc, argv);
    int B = 3, M = 20, N = 40;
    ws_f16 *X = check_random(WS_F16, (size_t)B * M * N), *Y = check_output(WS_F16, (size_t)B * M * N);
    float *P = check_random(WS_F32, (size_t)B * 2 * 30 * 24), *Q = check_output(WS_F32, (size_t)B * 2 * 30 * 24);
    float *R = check_random(WS_F32, (size_t)M * N), *S = check_output(WS_F32, (size_t)M * N);
    float *T = check_output(WS_F32, (size_t)M * N);

    shift3(B, M, N, check_place(X), check_place(Y));
    shift4(B, 2, 30, 24, check_place(P), check_place(Q));
    shift_vectors(M, N, check_place(R), check_place(S), check_place(T));
    const long far[] = {2147483640, 4294967281, -2147483649, 1l << 40};
    float *F[4];
    for (int f = 0; f < 4; f++) {
        F[f] = check_output(WS_F32, (size_t)M * N);
        shift_far(M, N, far[f], check_place(R), check_place(F[f]));
    }
    check_fetch();
    for (int p = 0; p < 4 * M * N; p++)
        check_equal(F[p / (M * N)], p % (M * N), R[p % (M * N)]);
    for (int b = 0; b < B; b++)
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++)
                check_equal(Y, (b * M + i) * N + j, at3(X, B, M, N, b - 1, i - 1, j - 1, 0));
    for (int p = 0; p < B * 2 * 30 * 24; p++) {
        int a = p / 1440, b = p / 720 % 2;
        check_equal(Q, p, a + 1 < B && b > 0 ? P[(a + 1) * 1440 + (b - 1) * 720 + p % 720] : 5);
    }
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            check_equal(S, i * N + j, i > 0 && j >= 2 ? R[(i - 1) * N + j - 2] : 0);
            check_equal(T, i * N + j, j < 1 ? -77 : i + 1 < M && j >= 3 ? R[(i + 1) * N + j - 3] : 0);
        }
    return check_end();
}
