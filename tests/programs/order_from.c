/* SPDX-License-Identifier: GPL-3.0-or-later */
/* order(from(x)): the walk over the tiles begins at a place that is known when the kernel is launched, and goes round.
   The results are those of any other order: grids of one to four loops, groups that divide rows or take tiles in turn,
   tiles that go to whoever wants one, tiles of a choice, and rows of other devices, behind which tiles wait. */
#include "test.h"

enum { MOST = 8, PLACES = 7 };
static const int places[PLACES] = {0, 64, 65, 199, 300, -1, -70000};

#define PRAGMA(text) _Pragma(#text)
#define PRODUCT(NAME, GRID, PIPELINE)                                                                                  \
    static void NAME(int M, int N, int K, int first, const ws_f16 *A, const ws_f16 *B, float *C)                       \
    {                                                                                                                  \
        ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N);                                \
        ws_tensor c = ws_tensor_2d(C, WS_F32, M, N);                                                                   \
        PRAGMA(GRID)                                                                                                   \
        for (int i = 0; i < M; i += 64)                                                                                \
            for (int j = 0; j < N; j += 64) {                                                                          \
                ws_tile acc = ws_zeros(WS_F32, 64, 64);                                                                \
                PRAGMA(PIPELINE)                                                                                       \
                for (int k = 0; k < K; k += 32)                                                                        \
                    acc = ws_dot(ws_load(a, i, k, 64, 32), ws_load(b, k, j, 32, 64), acc);                             \
                ws_store(c, i, j, acc);                                                                                \
            }                                                                                                          \
    }
PRODUCT(as_it_comes, ws grid(2) order(from(first)), ws pipeline(auto))
PRODUCT(grouped, ws grid(2) persistent order(grouped(2), from(first + 64)), ws pipeline(3, 2))
PRODUCT(columns, ws grid(2) order(from(first - M), column) consumers(2, tiles), ws pipeline(3, 2) pingpong)

static void along(int n, int from, const float *X, float *Y)
{
    const int W = ws_choice(32, 64);
    ws_tensor x = ws_tensor_1d(X, WS_F32, n), y = ws_tensor_1d(Y, WS_F32, n);
    #pragma ws grid(1) order(from(3 * (from % 7) / 2))
    for (int i = 0; i < n; i += W)
        ws_store_row(y, i, ws_mul(ws_load_row(x, i, W), 3));
}

/* Lengths differ, so tiles go to whoever wants one. */
static void triangle(long from, const float *X, float *Y)
{
    ws_tensor x = ws_tensor_4d(X, WS_F32, 3, 2, 5, 96), y = ws_tensor_4d(Y, WS_F32, 3, 2, 5, 32);
    #pragma ws grid(4) order(row, from(from))
    for (int a = 2; a >= 0; a--)
        for (int b = 0; b < 2; b++)
            for (int i = 0; i < 5; i += 2)
                for (int j = 0; j < 32; j += 32) {
                    ws_tile sum = ws_zeros(WS_F32, 2, 32);
                    #pragma ws pipeline(2)
                    for (int k = 0; k <= a; k++)
                        sum = ws_add(sum, ws_load_4d(x, a, b, i, j + 32 * k, 2, 32));
                    ws_store_4d(y, a, b, i, j, sum);
                }
}

/* All of A[r] is gathered, own rows first, and twice of it made, own rows first. */
static void gathered(int n, int rows, int cols, const float *const X[], float *const A[], float *const Y[])
{
    #pragma ws devices(n)
    for (int r = 0; r < n; r++) {
        #pragma ws together
        ws_tensor all = ws_tensor_2d(A[r], WS_F32, n * rows, cols), y = ws_tensor_2d(Y[r], WS_F32, n * rows, cols);
        #pragma ws grid(2) order(from(r)) share(4)
        for (int p = 0; p < n; p++)
            for (int i = 0; i < rows; i += 16) {
                ws_tensor x = ws_tensor_2d(X[p], WS_F32, rows, cols);
                #pragma ws pipeline(2)
                for (int j = 0; j < cols; j += 32)
                    ws_store(all, p * rows + i, j, ws_load(x, i, j, 16, 32));
            }
        #pragma ws grid(1) order(from(r * rows))
        for (int i = 0; i < n * rows; i += 16) {
            #pragma ws pipeline(2)
            for (int j = 0; j < cols; j += 32)
                ws_store(y, i, j, ws_mul(ws_load(all, i, j, 16, 32), 2));
        }
    }
}

static void check_products(int M, int N, int K)
{
    ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)K * N);
    for (int f = 0; f < 3; f++)
        for (int p = 0; p < PLACES; p++) {
            float *C = check_output(WS_F32, (size_t)M * N);
            (f == 0 ? as_it_comes : f == 1 ? grouped : columns)(M, N, K, places[p], check_place(A), check_place(B),
                                                                check_place(C));
            check_fetch();
            test_product(rows_of(C, N), rows_of(A, K), rows_of(B, N), M, N, K);
        }
    check_next();
}

static void check_small(void)
{
    float *X = check_random(WS_F32, 2880), *Y = check_output(WS_F32, 1000), *Z = check_output(WS_F32, 960);
    for (int p = 0; p < PLACES; p++) {
        along(1000, places[p], check_place(X), check_place(Y));
        triangle(places[p], check_place(X), check_place(Z));
        check_fetch();
        for (int i = 0; i < 1000; i++)
            check_close(Y, i, 3 * X[i], 0);
        for (int i = 0; i < 960; i++) {
            const int a = i / 320, row = i / 32;
            float sum = 0;
            for (int k = 0; k <= a; k++)
                sum += X[row * 96 + 32 * k + i % 32];
            check_close(Z, i, sum, 0);
        }
    }
    check_next();
}

static void check_gathered(int n, int rows, int cols)
{
    float *X[MOST], *A[MOST], *Y[MOST], *x[MOST], *a[MOST], *y[MOST];
    const int part = rows * cols;
    for (int r = 0; r < n; r++) {
        X[r] = check_random(WS_F32, part);
        A[r] = check_output(WS_F32, (size_t)n * part);
        Y[r] = check_output(WS_F32, (size_t)n * part);
        x[r] = check_place_on(r, X[r]);
        a[r] = check_place_on(r, A[r]);
        y[r] = check_place_on(r, Y[r]);
    }
    gathered(n, rows, cols, (const float *const *)x, a, y);
    check_fetch();
    for (int r = 0; r < n; r++)
        for (int i = 0; i < n * part; i++)
            check_close(Y[r], i, 2 * X[i / part][i % part], 0);
    check_next();
}

int main(int argc, char **argv)
{
    static const int devices[] = {1, 2, 3, 4, 8};
    check_begin("order_from", argc, argv);
    check_products(200, 136, 72);
    check_small();
    for (int i = 0; i < 5; i++)
        check_gathered(devices[i], 48, 72);
    return check_end();
}
