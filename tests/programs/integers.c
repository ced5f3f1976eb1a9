/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Integer tiles: i32 arithmetic wraps, i8 compares and selects, integer scalars keep their own conversion. */
#include "test.h"

static void kernel(int M, int N, const int *X, const int *Y, const signed char *Q, int big, int *out)
{
    ws_tensor x = ws_tensor_2d(X, WS_I32, M, N), y = ws_tensor_2d(Y, WS_I32, M, N), q = ws_tensor_2d(Q, WS_I8, M, N);
    ws_tensor o = ws_tensor_3d(out, WS_I32, 9, M, N);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 32) {
        #pragma ws pipeline(3)
        for (int j = 0; j < N; j += 32) {
            ws_tile tx = ws_load(x, i, j, 32, 32), ty = ws_load(y, i, j, 32, 32), tq = ws_load(q, i, j, 32, 32);
            ws_store_3d(o, 0, i, j, ws_add(ws_mul(tx, ty), big));
            ws_store_3d(o, 1, i, j, ws_sub(2147483647, ws_abs(tx)));
            ws_store_3d(o, 2, i, j, ws_max(tx, ws_neg(ty)));
            ws_store_3d(o, 3, i, j, ws_select(ws_lt(tq, 0), tx, ty));
            ws_store_3d(o, 4, i, j, ws_cast(ws_select(ws_gt(tq, 50), tq, ws_cast(ws_min(tx, 7), WS_I8)), WS_I32));
            ws_store_3d(o, 5, i, j, ws_add(ws_row_sum(tx), ws_col_max(ty)));
            ws_store_3d(o, 6, i, j, ws_fma(tx, 3, ty));
            ws_store_3d(o, 7, i, j,
                        ws_add(ws_mul(ws_add(ws_row_index(32, 32), i), N), ws_add(ws_col_index(32, 32), j)));
            ws_store_3d(o, 8, i, j, ws_cast(ws_mul(ws_cast(tx, WS_F32), 0.37f), WS_I32));
        }
    }
}

static int wrap(long long x)
{
    return (int)(unsigned)x;
}

int main(int argc, char **argv)
{
    check_begin("integers", argc, argv);
    int M = 32, N = 64, big = 2147483600;
    int *X = check_random(WS_I32, (size_t)M * N), *Y = check_random(WS_I32, (size_t)M * N);
    signed char *Q = check_random(WS_I8, (size_t)M * N);
    int *out = check_output(WS_I32, (size_t)9 * M * N);

    kernel(M, N, check_place(X), check_place(Y), check_place(Q), big, check_place(out));
    check_fetch();
    for (long p = 0; p < (long)M * N; p++) {
        long long x = X[p], y = Y[p], sum = 0, most = -1000, block = p % N / 32 * 32;
        for (long c = 0; c < 32; c++)
            sum += X[p / N * N + block + c];
        for (long r = 0; r < 32; r++)
            most = Y[r * N + p % N] > most ? Y[r * N + p % N] : most;
        const int expected[] = {wrap(x * y + big),
                                wrap(2147483647 - llabs(x)),
                                (int)(x > -y ? x : -y),
                                (int)(Q[p] < 0 ? x : y),
                                Q[p] > 50 ? Q[p] : (int)(x < 7 ? x : 7),
                                (int)(sum + most),
                                (int)(3 * x + y),
                                (int)p,
                                (int)((float)x * 0.37f)};
        for (int n = 0; n < 9; n++)
            check_equal(out, (size_t)n * M * N + p, expected[n]);
    }
    return check_end();
}
