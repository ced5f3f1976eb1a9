/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tiles that learn from memory where to load, of which a block does several side by side.  */
#include "test.h"

/* Rows of a table by their numbers, times a factor for each and plus a row that all have in common.  */
static void looked_up(int M, int R, int N, const ws_f16 *table, const int *number, const float *factor,
                      const ws_f16 *common, ws_f16 *Y)
{
    ws_tensor t = ws_tensor_2d(table, WS_F16, R, N), y = ws_tensor_2d(Y, WS_F16, M, N);
    ws_tensor n = ws_tensor_1d(number, WS_I32, M), f = ws_tensor_1d(factor, WS_F32, M);
    ws_tensor c = ws_tensor_1d(common, WS_F16, N);

#pragma ws grid(1)
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j += 128) {
            ws_tile x = ws_cast(ws_load(t, ws_at(n, i), j, 1, 128), WS_F32);
            ws_tile z = ws_cast(ws_load_row(c, j, 128), WS_F32);
            ws_store(y, i, j, ws_cast(ws_fma(x, (float)ws_at_float(f, i), z), WS_F16));
        }
}

/* A page of rows for each of a batch, and the sum of two tables, whose rows lie where the numbers add up to.  */
static void paged(int B, int M, int R, const float *T, const float *U, const long *page, const long *offset, float *Y)
{
    ws_tensor t = ws_tensor_3d(T, WS_F32, R, 4, 64), u = ws_tensor_2d(U, WS_F32, R, 64);
    ws_tensor y = ws_tensor_4d(Y, WS_F32, B, M, 4, 64);
    ws_tensor p = ws_tensor_1d(page, WS_I64, M), o = ws_tensor_1d(offset, WS_I64, B);

#pragma ws grid(2)
    for (int b = 0; b < B; b++)
        for (int i = 0; i < M; i++) {
            long at = ws_at(p, i) + ws_at(o, b);
            ws_store_4d(y, b, i, 0, 0, ws_add(ws_load_3d(t, at, 0, 0, 4, 64), ws_load_row_2d(u, ws_at(p, i), 0, 64)));
        }
}

/* Behind the last number there is none to divide by.  */
static void shared_out(int M, int R, int N, const ws_f16 *table, const int *number, ws_f16 *Y)
{
    ws_tensor t = ws_tensor_2d(table, WS_F16, R, N), y = ws_tensor_2d(Y, WS_F16, M, N);
    ws_tensor n = ws_tensor_1d(number, WS_I32, M);

#pragma ws grid(1)
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j += 128)
            ws_store(y, i, j, ws_load(t, (R - 1) / (ws_at(n, i) + 1), j, 1, 128));
}

int main(int argc, char **argv)
{
    check_begin("abreast", argc, argv);
    const int M = check_size(1, 45), N = check_size(2, 200), R = 19, B = 3;
    ws_f16 *T = check_random(WS_F16, (size_t)R * N), *C = check_random(WS_F16, (size_t)N);
    ws_f16 *Y = check_output(WS_F16, (size_t)M * N), *Z = check_output(WS_F16, (size_t)M * N);
    float *factor = check_random(WS_F32, (size_t)M), *U = check_random(WS_F32, (size_t)R * 64);
    float *P = check_random(WS_F32, (size_t)R * 256), *Q = check_output(WS_F32, (size_t)B * M * 256);
    int *number = check_output(WS_I32, (size_t)M);
    long *page = check_output(WS_I64, (size_t)M), *offset = check_output(WS_I64, (size_t)B);
    for (int i = 0; i < M; i++)
        page[i] = number[i] = (int)(check_bits() % (unsigned)(R - B));
    for (int b = 0; b < B; b++)
        offset[b] = B - 1 - b;

    looked_up(M, R, N, check_place(T), check_place(number), check_place(factor), check_place(C), check_place(Y));
    paged(B, M, R, check_place(P), check_place(U), check_place(page), check_place(offset), check_place(Q));
    shared_out(M, R, N, check_place(T), check_place(number), check_place(Z));
    check_fetch();
    for (int i = 0; i < M; i++) {
        const size_t row = (size_t)number[i] * N, other = (size_t)((R - 1) / (number[i] + 1)) * N;
        for (int j = 0; j < N; j++) {
            check_close(Y, (size_t)i * N + j, ws_f16_to(T[row + j]) * factor[i] + ws_f16_to(C[j]), 2e-3);
            check_close(Z, (size_t)i * N + j, ws_f16_to(T[other + j]), 0);
        }
        for (int b = 0; b < B; b++)
            for (int k = 0; k < 256; k++)
                check_close(Q, ((size_t)b * M + i) * 256 + k,
                            (double)P[(number[i] + offset[b]) * 256 + k] + U[number[i] * 64 + k % 64], 1e-6);
    }
    return check_end();
}
