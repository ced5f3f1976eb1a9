/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tasks whose rings carry columns and rows, in slots without gaps: probabilities beside the factors that their sums
   shrink by, with a running maximum and a sum that the groups which multiply see once, behind the loop; columns of
   halves, bytes and numbers of columns, a row, and a tile of few columns. */
#include "test.h"

enum { ROWS = 128, COLS = 64, CHUNK = 64 };

/* Z = softmax (X) W, and the logarithm of what was divided by. */
static void probabilities(int M, int N, int K, const void *X, const void *W, void *Z, void *L)
{
    ws_tensor x = ws_tensor_2d(X, WS_F16, M, K), w = ws_tensor_2d(W, WS_F16, K, N), z = ws_tensor_2d(Z, WS_F32, M, N);
    ws_tensor l = ws_tensor_1d(L, WS_F32, M);
#pragma ws grid(2)
    for (int i = 0; i < M; i += ROWS)
        for (int j = 0; j < N; j += COLS) {
            ws_tile acc = ws_zeros(WS_F32, ROWS, COLS);
            ws_tile top = ws_full(WS_F32, ROWS, 1, -1e30), sum = ws_zeros(WS_F32, ROWS, 1);
#pragma ws pipeline(3)
            for (int k = 0; k < K; k += CHUNK) {
                ws_tile p, shrink;
                {
#pragma ws task(probabilities) groups(2) registers(104)
                    ws_tile s = ws_cast(ws_load_or(x, i, k, ROWS, CHUNK, -INFINITY), WS_F32);
                    ws_tile now = ws_max(top, ws_row_max(s)), e = ws_exp(ws_sub(s, now));
                    shrink = ws_exp(ws_sub(top, now));
                    sum = ws_fma(sum, shrink, ws_row_sum(e));
                    p = ws_cast(e, WS_F16);
                    top = now;
                }
                {
#pragma ws task(multiply) groups(2)
                    acc = ws_dot(p, ws_load(w, k, j, CHUNK, COLS), ws_mul(acc, shrink));
                }
            }
            ws_store(z, i, j, ws_div(acc, sum));
            if (j == 0)
                ws_store_col(l, i, ws_add(top, ws_log(sum)));
        }
}

/* Rings apart, one of a slot; one group of each. */
static void apart(int M, int N, int K, const void *X, const void *W, void *Z, void *L)
{
    ws_tensor x = ws_tensor_2d(X, WS_F16, M, K), w = ws_tensor_2d(W, WS_F16, K, N), z = ws_tensor_2d(Z, WS_F32, M, N);
    ws_tensor l = ws_tensor_1d(L, WS_F32, M);
#pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += COLS) {
            ws_tile acc = ws_zeros(WS_F32, 64, COLS), most = ws_full(WS_F32, 64, 1, -1e30);
#pragma ws pipeline(2)
            for (int k = 0; k < K; k += CHUNK) {
                ws_tile a = ws_load(x, i, k, 64, CHUNK), few = ws_load(x, i, k, 64, 8);
                ws_tile half, weight, where, share;
                {
#pragma ws task(columns) ring(half, 1) ring(share, 3)
                    ws_tile s = ws_cast(ws_load_or(x, i, k, 64, CHUNK, -5), WS_F32), big = ws_row_max(s);
                    half = ws_cast(ws_mul(big, 0.5), WS_F16);
                    where = ws_row_argmax(s);
                    share = ws_cast(ws_add(where, -32), WS_I8);
                    most = ws_max(most, big);
                }
                {
#pragma ws task(rows) ring(weight, 2)
                    weight = ws_col_max(ws_cast(ws_load_or(w, k, j, CHUNK, COLS, -5), WS_F32));
                    few = ws_mul(few, 2);
                }
                acc = ws_dot(a, ws_load(w, k, j, CHUNK, COLS), acc);
                acc = ws_add(acc, ws_mul(ws_add(ws_cast(half, WS_F32), ws_cast(where, WS_F32)), weight));
                acc = ws_add(acc, ws_add(ws_cast(share, WS_F32), ws_row_sum(ws_cast(few, WS_F32))));
            }
            ws_store(z, i, j, acc);
            if (j == 0)
                ws_store_col(l, i, most);
        }
}

typedef void Kernel(int, int, int, const void *, const void *, void *, void *);

static double softmax(const void *X, const void *W, long N, long K, long i, long j, double *log)
{
    double sum = 0, y = 0;
    for (long k = 0; k < K; k++)
        sum += exp(check_at(X, (size_t)(i * K + k)));
    for (long k = 0; k < K; k++)
        y += exp(check_at(X, (size_t)(i * K + k))) / sum * check_at(W, (size_t)(k * N + j));
    *log = sum > 0 ? log10(sum) / log10(exp(1)) : 0;
    return y;
}

static double inside(const void *X, long rows, long cols, long r, long c, double fill)
{
    return r < rows && c < cols ? check_at(X, (size_t)(r * cols + c)) : fill;
}

static double weighed(const void *X, const void *W, long M, long N, long K, long i, long j, double *most)
{
    double y = 0;
    *most = -1e30;
    for (long k = 0; k < K; k += CHUNK) {
        double big = -1e30, weight = -1e30;
        long where = 0;
        for (long c = k; c < k + CHUNK; c++) {
            double a = inside(X, M, K, i, c, -5), b = inside(W, K, N, c, j, -5), x = c < K ? a : 0;
            if (a > big)
                where = c - k;
            big = a > big ? a : big;
            weight = b > weight ? b : weight;
            y += x * b + (c - k < 8 ? 2 * x : 0);
        }
        y += (big * 0.5 + (double)where) * weight + (double)where - 32;
        *most = big > *most ? big : *most;
    }
    return y;
}

int main(int argc, char **argv)
{
    static Kernel *const kernels[] = {probabilities, apart};
    check_begin("tasks_rows", argc, argv);
    const int M = 144, N = 80, K = 200;
    for (int t = 0; t < 2; t++) {
        void *X = check_range(WS_F16, (size_t)M * K, -4, 4), *W = check_random(WS_F16, (size_t)K * N);
        void *Z = check_output(WS_F32, (size_t)M * N), *L = check_output(WS_F32, M);
        kernels[t](M, N, K, check_place(X), check_place(W), check_place(Z), check_place(L));
        check_fetch();
        for (long i = 0; i < M; i++)
            for (long j = 0; j < N; j++) {
                double last, y = t ? weighed(X, W, M, N, K, i, j, &last) : softmax(X, W, N, K, i, j, &last);
                check_close(Z, (size_t)(i * N + j), y, 0x1p-9 * (t ? 200 : 2));
                if (j == 0)
                    check_close(L, (size_t)i, last, 1e-4);
            }
        check_next();
    }
    return check_end();
}
