/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several grid regions in one function, with host code between them that branches, loops and reads what a region
   wrote. */
#include "test.h"

/* Repeatedly halve x until its largest element is below the limit; returns the number of rounds. */
static int normalize(int M, int N, float limit, float *X, float *rows)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), r = ws_tensor_1d(rows, WS_F32, M);
    int rounds = 0;

    for (;;) {
        float largest = 0;
        #pragma ws grid(1)
        for (int i = 0; i < M; i += 64) {
            ws_tile most = ws_zeros(WS_F32, 64, 1);
            #pragma ws pipeline(3)
            for (int j = 0; j < N; j += 64)
                most = ws_max(most, ws_row_max(ws_abs(ws_load(x, i, j, 64, 64))));
            ws_store_col(r, i, most);
        }
        for (int i = 0; i < M; i++)
            largest = fmaxf(largest, rows[i]);
        if (largest < limit)
            break;
        #pragma ws grid(2)
        for (int i = 0; i < M; i += 64)
            for (int j = 0; j < N; j += 64)
                ws_store(x, i, j, ws_mul(ws_load(x, i, j, 64, 64), 0.5f));
        rounds++;
    }
    if (rounds > 1) {
        #pragma ws grid(2)
        for (int i = 0; i < M; i += 64)
            for (int j = 0; j < N; j += 64)
                ws_store(x, i, j, ws_add(ws_load(x, i, j, 64, 64), (float)rounds));
    }
    return rounds;
}

int main(int argc, char **argv)
{
    check_begin("regions", argc, argv);
    int M = 70, N = 100;
    float *X = check_range(WS_F32, (size_t)M * N, -8, 8), *before = check_random(WS_F32, (size_t)M * N);
    float *rows = check_output(WS_F32, M);
    memcpy(before, X, sizeof(float) * M * N);

    int rounds = normalize(M, N, 1.5f, X, rows); /* host pointers: the function itself reads the rows */
    ws_or_die(ws_last_error());
    check_true(rounds == 3, "the number of rounds is not 3");
    for (long i = 0; i < (long)M * N; i++)
        check_close(X, i, before[i] / 8 + 3, 1e-7);
    return check_end();
}
