/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations on the bits of I32: of tiles, of rows and columns, of numbers on either side; shifts by any number. */
#include "test.h"

enum { R = 24, C = 40 };

static void f(const int *X, const int *P, int *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_I32, R, C), p = ws_tensor_1d(P, WS_I32, C), y = ws_tensor_3d(Y, WS_I32, 6, R, C);

#pragma ws grid(1)
    for (int i = 0; i < R; i += 8) {
        ws_tile a = ws_load(x, i, 0, 8, C), b = ws_load_row(p, 0, C), c = ws_col_max(a);
        ws_store_3d(y, 0, i, 0, ws_bit_and(a, b));
        ws_store_3d(y, 1, i, 0, ws_bit_or(0x0f0f, ws_bit_and(a, -256)));
        ws_store_3d(y, 2, i, 0, ws_bit_xor(a, ws_bit_xor(b, c)));
        ws_store_3d(y, 3, i, 0, ws_shl(a, b));
        ws_store_3d(y, 4, i, 0, ws_shr(a, ws_row_index(8, 1)));
        ws_store_3d(y, 5, i, 0, ws_ushr(a, 5));
    }
}

/* Of bytes: by numbers, four at a time, and by other tiles; and as f16 less a number. */
static void bytes(const unsigned char *X, unsigned char *Y, float *Z)
{
    ws_tensor x = ws_tensor_2d(X, WS_U8, R, C), y = ws_tensor_3d(Y, WS_U8, 5, R, C), z = ws_tensor_2d(Z, WS_F32, R, C);

#pragma ws grid(1)
    for (int i = 0; i < R; i += 8) {
        ws_tile a = ws_load(x, i, 0, 8, C), b = ws_load(x, i, 0, 8, 1);
        ws_store_3d(y, 0, i, 0, ws_bit_and(a, 15));
        ws_store_3d(y, 1, i, 0, ws_ushr(a, 4));
        ws_store_3d(y, 2, i, 0, ws_shr(ws_bit_and(-3, a), 35));
        ws_store_3d(y, 3, i, 0, ws_bit_and(a, b));
        ws_store_3d(y, 4, i, 0, ws_ushr(a, 9));
        ws_tile low = ws_sub(ws_cast(ws_bit_and(a, 15), WS_F16), 8), high = ws_sub(ws_cast(ws_ushr(a, 4), WS_F16), 8);
        ws_store(z, i, 0, ws_cast(ws_mul(low, high), WS_F32));
    }
}

static void check_bytes(void)
{
    unsigned char *X = check_random(WS_U8, (size_t)R * C), *Y = check_output(WS_U8, (size_t)5 * R * C);
    float *Z = check_output(WS_F32, (size_t)R * C);
    bytes(check_place(X), check_place(Y), check_place(Z));
    check_fetch();
    for (int i = 0; i < R * C; i++) {
        int x = X[i];
        check_equal(Y, i, x & 15);
        check_equal(Y, R * C + i, x >> 4);
        check_equal(Y, 2 * R * C + i, (x & -3) >> 3);
        check_equal(Y, 3 * R * C + i, x & X[i / C * C]);
        check_equal(Y, 4 * R * C + i, 0);
        check_close(Z, i, (x % 16 - 8) * (x / 16 - 8), 0);
    }
}

int main(int argc, char **argv)
{
    check_begin("bits", argc, argv);
    int *X = check_range(WS_I32, (size_t)R * C, -2000000000, 2000000000), *P = check_range(WS_I32, C, -100, 100);
    int *Y = check_output(WS_I32, (size_t)6 * R * C);
    f(check_place(X), check_place(P), check_place(Y));
    check_fetch();
    for (int i = 0; i < R * C; i++) {
        int x = X[i], p = P[i % C], most = x;
        for (int r = 0; r < 8; r++)
            most = X[(i / C / 8 * 8 + r) * C + i % C] > most ? X[(i / C / 8 * 8 + r) * C + i % C] : most;
        check_equal(Y, i, x & p);
        check_equal(Y, R * C + i, 0x0f0f | (x & -256));
        check_equal(Y, 2 * R * C + i, x ^ p ^ most);
        check_equal(Y, 3 * R * C + i, (int)((unsigned)x << (p & 31)));
        check_equal(Y, 4 * R * C + i, x >> i / C % 8);
        check_equal(Y, 5 * R * C + i, (int)((unsigned)x >> 5));
    }
    check_bytes();
    return check_end();
}
