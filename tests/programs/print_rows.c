/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ws_print where groups divide the rows, in tasks, in loops over blocks and over parts: the same on every target. */
#include "test.h"

enum { ROWS = 128, COLS = 8, DEPTH = 16, WIDE = 16 };

static void groups(int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, ROWS, K), b = ws_tensor_2d(B, WS_F16, COLS, K);
    ws_tensor c = ws_tensor_2d(C, WS_F32, ROWS, COLS);

#pragma ws grid(1) consumers(2)
    for (int i = 0; i < ROWS; i += ROWS) {
        ws_tile acc = ws_zeros(WS_F32, ROWS, COLS);
        ws_print("zeros", acc);
#pragma ws pipeline(2, 1)
        for (int k = 0; k < K; k += DEPTH) {
            ws_tile left = ws_load(a, i, k, ROWS, DEPTH), right = ws_load(b, 0, k, COLS, DEPTH);
            ws_print("left", left);
            ws_print("right", right);
            acc = ws_dot(left, ws_trans(right), acc);
            if (k >= DEPTH)
                ws_print("acc", acc);
        }
        ws_print("largest", ws_row_max(acc));
        ws_store(c, i, 0, acc);
    }
}

/* The products of a step are waited for behind the barrier of its print.  */
static void products(int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, ROWS, K), b = ws_tensor_2d(B, WS_F16, COLS, K);
    ws_tensor c = ws_tensor_2d(C, WS_F32, ROWS, COLS);

#pragma ws grid(1) consumers(2)
    for (int i = 0; i < ROWS; i += ROWS) {
        ws_tile acc = ws_zeros(WS_F32, ROWS, COLS);
#pragma ws pipeline(2)
        for (int k = 0; k < K; k += DEPTH) {
            acc = ws_dot(ws_load(a, i, k, ROWS, DEPTH), ws_trans(ws_load(b, 0, k, COLS, DEPTH)), acc);
            ws_print("acc", acc);
        }
        ws_store(c, i, 0, acc);
    }
}

/* In the first iterations s may be either of two tiles; of later ones it is the one that the branch chose.  */
static void chained(int n, const ws_bf16 *A, const ws_bf16 *B, ws_bf16 *O)
{
    ws_tensor a = ws_tensor_2d(A, WS_BF16, 64, 32), b = ws_tensor_2d(B, WS_BF16, n, 32);
    ws_tensor o = ws_tensor_2d(O, WS_BF16, 64, 32);

#pragma ws grid(1)
    for (int i = 0; i < 64; i += 64) {
        ws_tile acc = ws_zeros(WS_F32, 64, 32), q = ws_load(a, i, 0, 64, 32);
#pragma ws pipeline(3) schedule(coarse)
        for (int k = 0; k < n; k += 32) {
            ws_tile s = ws_dot(q, ws_trans(ws_load(b, k, 0, 32, 32)), ws_zeros(WS_F32, 64, 32));
            ws_tile c = ws_cast(s, WS_BF16);
            if (k == 0)
                s = ws_add(s, 1);
            acc = ws_sub(acc, s);
            ws_print("acc", ws_row_max(acc));
            ws_tile t = ws_dot(c, ws_load(b, k, 0, 32, 32), ws_zeros(WS_F32, 64, 32));
            acc = ws_dot(ws_cast(t, WS_BF16), ws_load(b, k, 0, 32, 32), acc);
        }
        ws_store(o, i, 0, ws_cast(acc, WS_BF16));
    }
}

static void tasks(int K, const ws_f16 *A, const unsigned char *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, ROWS, K), b = ws_tensor_2d(B, WS_U8, 64, K);
    ws_tensor c = ws_tensor_2d(C, WS_F32, ROWS, 64);

#pragma ws grid(1)
    for (int i = 0; i < ROWS; i += ROWS) {
        ws_tile acc = ws_zeros(WS_F32, ROWS, 64);
#pragma ws pipeline(2, 1)
        for (int k = 0; k < K; k += 64) {
            ws_tile left = ws_load(a, i, k, ROWS, 64), bytes = ws_load(b, 0, k, 64, 64), right;
            {
#pragma ws task(widen) ring(right, 2)
                right = ws_cast(ws_cast(bytes, WS_F32), WS_F16);
                ws_print("right", right);
            }
            {
#pragma ws task(multiply) groups(2)
                acc = ws_dot(left, ws_trans(right), acc);
                ws_print("left", left);
            }
        }
        ws_print("acc", acc);
        ws_store(c, i, 0, acc);
    }
}

static void blocks(const float *X, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, 4, 4 * WIDE), y = ws_tensor_2d(Y, WS_F32, 4, 4 * WIDE);

#pragma ws grid(1)
    for (int i = 0; i < 4; i += 4) {
        ws_tile t[4], sum = ws_zeros(WS_F32, 4, 1);
#pragma ws blocks
        for (int s = 0; s < 4; s++) {
            t[s] = ws_load(x, i, s * WIDE, 4, WIDE);
            ws_print("t", t[s]);
            sum = ws_add(sum, ws_row_sum(t[s]));
            ws_print("so far", sum);
        }
        ws_print("sum", sum);
#pragma ws blocks
        for (int s = 0; s < 4; s++)
            ws_store(y, i, s * WIDE, ws_add(t[s], sum));
    }
}

static void parts(int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, 64, K), b = ws_tensor_2d(B, WS_F16, 64, K);
    ws_tensor c = ws_tensor_2d(C, WS_F32, 64, 64);

#pragma ws grid(1)
    for (int i = 0; i < 64; i += 64) {
        ws_tile sum = ws_zeros(WS_F32, 64, 64);
#pragma ws parts
        for (int p = 0; p < 2; p++) {
            ws_tile part = ws_zeros(WS_F32, 64, 64);
#pragma ws pipeline(2)
            for (int k = p * K / 2; k < (p + 1) * K / 2; k += DEPTH)
                part = ws_dot(ws_load(a, i, k, 64, DEPTH), ws_trans(ws_load(b, 0, k, 64, DEPTH)), part);
            ws_print("part", ws_row_max(part));
            sum = ws_add(sum, part);
        }
        ws_print("sum", sum);
        ws_store(c, i, 0, sum);
    }
}

int main(int argc, char **argv)
{
    check_begin("print_rows", argc, argv);
    int K = 128;
    ws_f16 *A = check_random(WS_F16, (size_t)ROWS * K), *B = check_random(WS_F16, (size_t)64 * K);
    unsigned char *bytes = check_random(WS_U8, (size_t)64 * K);
    float *X = check_random(WS_F32, 16 * WIDE), *Y = check_output(WS_F32, 16 * WIDE);
    float *C = check_output(WS_F32, ROWS * COLS), *D = check_output(WS_F32, ROWS * 64),
          *E = check_output(WS_F32, 64 * 64);
    groups(2 * DEPTH, check_place(A), check_place(B), check_place(C));
    products(2 * DEPTH, check_place(A), check_place(B), check_place(C));
    ws_bf16 *F = check_range(WS_BF16, 64 * 32, -2, 2), *G = check_range(WS_BF16, 4 * 32 * 32, -2, 2);
    chained(4 * 32, check_place(F), check_place(G), check_place(check_output(WS_BF16, 64 * 32)));
    tasks(K, check_place(A), check_place(bytes), check_place(D));
    blocks(check_place(X), check_place(Y));
    parts(K, check_place(A), check_place(B), check_place(E));
    check_fetch();
    for (int r = 0; r < 4; r++)
        for (int s = 0; s < 4 * WIDE; s++) {
            double sum = 0;
            for (int k = 0; k < 4 * WIDE; k++)
                sum += X[r * 4 * WIDE + k];
            check_close(Y, r * 4 * WIDE + s, X[r * 4 * WIDE + s] + sum, 1e-4);
        }
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++) {
            double sum = 0, magnitude = 0;
            for (int k = 0; k < K; k++) {
                sum += (double)ws_f16_to(A[i * K + k]) * ws_f16_to(B[j * K + k]);
                magnitude += fabs((double)ws_f16_to(A[i * K + k]) * ws_f16_to(B[j * K + k]));
            }
            check_close(E, i * 64 + j, sum, check_dot_error(K, magnitude));
        }
    return check_end();
}
