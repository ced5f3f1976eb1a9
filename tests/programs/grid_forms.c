/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Grids of one to four loops, loops inside, with lower bounds, variable steps, and scalar code between the loops. */
#include "test.h"

/* Each kernel adds 1 to the elements that it owns. */
static void one(int M, int N, int low, int *X)
{
    ws_tensor x = ws_tensor_2d(X, WS_I32, M, N);
    #pragma ws grid(1)
    for (int i = low; i < M; i += 16)
        for (int j = 0; j < N; j += 32)
            ws_store(x, i, j, ws_add(ws_load(x, i, j, 16, 32), 1));
}

static void two(int M, int N, int tiles, int *X)
{
    ws_tensor x = ws_tensor_2d(X, WS_I32, M, N);
    #pragma ws grid(2)
    for (int p = 0; p < tiles; p++) {
        int row = p * 16;
        for (int q = 0; q < (N + 31) / 32; q++) {
            int col = q * 32;
            ws_store(x, row, col, ws_add(ws_load(x, row, col, 16, 32), 1));
        }
    }
}

static void three(int B, int M, int N, int step, int *X)
{
    ws_tensor x = ws_tensor_3d(X, WS_I32, B, M, N);
    #pragma ws grid(3)
    for (int b = 0; b < B; b++)
        for (int i = 0; i < M; i += step)
            for (int j = 32; j <= N - 1; j += 32)
                ws_store_3d(x, b, i, j, ws_add(ws_load_3d(x, b, i, j, 16, 32), 1));
}

static void four(int A, int B, int M, int N, int *X)
{
    ws_tensor x = ws_tensor_4d(X, WS_I32, A, B, M, N);
    #pragma ws grid(4)
    for (int a = 0; a < A; a++)
        for (int b = 0; b < B; b++)
            for (int i = 0; i < M; i += 16)
                for (int j = 0; j < N; j += 32)
                    ws_store_4d(x, a, b, i, j, ws_add(ws_load_4d(x, a, b, i, j, 16, 32), 1));
}

int main(int argc, char **argv)
{
    check_begin("grid_forms", argc, argv);
    int M = 40, N = 70;
    int *X = check_range(WS_I32, (size_t)6 * M * N, 0, 0);

    one(M, N, 16, check_place(X));
    two(M, N, 2, check_place(X));
    three(3, M, N, 16, check_place(X));
    four(2, 3, M, N, check_place(X));
    check_fetch();
    for (int p = 0; p < 6; p++)
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++)
                check_equal(X, (p * M + i) * N + j, 1 + (p < 3 && j >= 32) + (p == 0 && i >= 16) + (p == 0 && i < 32));
    return check_end();
}
