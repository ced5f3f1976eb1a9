/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops over 1, 2, 3, 4 and 8 devices: what one loop stores, the next one loads from all; tensors whose bases a grid
   chooses, of one to three dimensions, pipelined, shared in a cluster, with a fill, loaded directly. */
#include "test.h"

enum { MOST = 8, ROWS = 40, COLS = 72, BANDS = 3 };

/* S[r] = X[r] + r, then Y[r] is what neighbours have, weighed. */
static void neighbours(int n, const float *const X[], float *const S[], float *const Y[])
{
    #pragma ws devices(n)
    for (int r = 0; r < n; r++) {
        ws_tensor x = ws_tensor_2d(X[r], WS_F32, ROWS, COLS), s = ws_tensor_2d(S[r], WS_F32, ROWS, COLS);
        #pragma ws grid(1)
        for (int i = 0; i < ROWS; i += 16) {
            #pragma ws pipeline(2)
            for (int j = 0; j < COLS; j += 32)
                ws_store(s, i, j, ws_add(ws_load(x, i, j, 16, 32), r));
        }
    }
    #pragma ws devices(n)
    for (long r = 0; r < n; r++)
        #pragma ws grid(2)
        for (int i = 0; i < ROWS; i += 16)
            for (int j = 0; j < COLS; j += 32) {
                ws_tile sum = ws_zeros(WS_F32, 16, 32);
                #pragma ws pipeline(3)
                for (int p = 0; p < n; p++) {
                    ws_tensor s = ws_tensor_2d(S[(r + p) % n], WS_F32, ROWS, COLS);
                    sum = ws_fma(ws_load_or(s, i - 1, j, 16, 32, -2.0), p + 1, sum);
                }
                ws_store(ws_tensor_2d(Y[r], WS_F32, ROWS, COLS), i, j, sum);
            }
}

/* Vectors and bands: of three dimensions, at an index with something added; a constant pointer; direct loads. */
static void vectors(int n, const float *const V[], const float *const X[], float *const Y[])
{
    #pragma ws devices(n)
    for (int r = 0; r < n; r++) {
        #pragma ws grid(1)
        for (int j = 0; j < COLS; j += 32)
            for (int p = 0; p + 1 < n; p++) {
                ws_tensor v = ws_tensor_1d(V[p + 1], WS_F32, COLS), first = ws_tensor_1d(V[0], WS_F32, COLS);
                ws_tensor x = ws_tensor_3d(X[p], WS_F32, BANDS, ROWS / BANDS, COLS);
                ws_tensor y = ws_tensor_3d(Y[r], WS_F32, n, ROWS, COLS);
                ws_tile t = ws_add(ws_load_3d(x, r % BANDS, 3, j, 16, 32), ws_load_row(v, j, 32));
                t = ws_add(t, ws_load_col(v, 1, 16));
                ws_store_3d(y, p, r, j, ws_add(t, ws_load_row(first, j, 32)));
            }
    }
}

/* All of C[r] = X[r] (all W)^T; two blocks share what they load of the others. */
static void products(int n, const ws_f16 *const X[], const ws_f16 *const W[], float *const C[])
{
    #pragma ws devices(n)
    for (int r = 0; r < n; r++) {
        ws_tensor x = ws_tensor_2d(X[r], WS_F16, 136, COLS), c = ws_tensor_3d(C[r], WS_F32, n, 136, 32);
        #pragma ws grid(2) cluster(2)
        for (int i = 0; i < 136; i += 64)
            for (int p = 0; p < n; p++) {
                ws_tensor w = ws_tensor_2d(W[p], WS_F16, 32, COLS);
                ws_tile acc = ws_zeros(WS_F32, 64, 32);
                #pragma ws pipeline(3)
                for (int k = 0; k < COLS; k += 32)
                    acc = ws_dot(ws_load(x, i, k, 64, 32), ws_trans(ws_load(w, 0, k, 32, 32)), acc);
                ws_store_3d(c, p, i, 0, acc);
            }
    }
}

static double stored(float *const X[], int n, int p, long i, long j)
{
    return i < 0 || i >= ROWS || j >= COLS ? -2 : X[p % n][i * COLS + j] + p % n;
}

static void check_neighbours(int n)
{
    float *X[MOST], *Y[MOST], *x[MOST], *s[MOST], *y[MOST];
    for (int r = 0; r < n; r++) {
        X[r] = check_random(WS_F32, ROWS * COLS);
        Y[r] = check_output(WS_F32, ROWS * COLS);
        x[r] = check_place_on(r, X[r]);
        s[r] = check_place_on(r, check_output(WS_F32, ROWS * COLS));
        y[r] = check_place_on(r, Y[r]);
    }
    neighbours(n, (const float *const *)x, s, y);
    check_fetch();
    for (int r = 0; r < n; r++)
        for (long i = 0; i < ROWS; i++)
            for (long j = 0; j < COLS; j++) {
                double sum = 0, magnitude = 0;
                for (int p = 0; p < n; p++) {
                    double one = (p + 1) * stored(X, n, r + p, i - 1, j);
                    sum += one;
                    magnitude += fabs(one);
                }
                check_close(Y[r], i * COLS + j, sum, n * 0x1p-22 * magnitude);
            }
    check_next();
}

static void check_vectors(int n)
{
    float *V[MOST], *X[MOST], *Y[MOST], *v[MOST], *x[MOST], *y[MOST];
    for (int r = 0; r < n; r++) {
        V[r] = check_random(WS_F32, COLS);
        X[r] = check_random(WS_F32, ROWS * COLS);
        Y[r] = check_output(WS_F32, (size_t)n * ROWS * COLS);
        v[r] = check_place_on(r, V[r]);
        x[r] = check_place_on(r, X[r]);
        y[r] = check_place_on(r, Y[r]);
    }
    vectors(n, (const float *const *)v, (const float *const *)x, y);
    check_fetch();
    for (int r = 0; r < n; r++)
        for (int p = 0; p + 1 < n; p++)
            for (long i = 0; i < 16; i++)
                for (long j = 0; j < COLS; j++) {
                    long row = i + 3;
                    double t = row < ROWS / BANDS ? X[p][(r % BANDS * (ROWS / BANDS) + row) * COLS + j] : 0;
                    t += (double)V[p + 1][j] + V[p + 1][1 + i] + V[0][j];
                    check_close(Y[r], ((long)p * ROWS + r + i) * COLS + j, t, 0x1p-20);
                }
    check_next();
}

static void check_products(int n)
{
    ws_f16 *X[MOST], *W[MOST], *x[MOST], *w[MOST];
    float *C[MOST], *c[MOST];
    for (int r = 0; r < n; r++) {
        X[r] = check_random(WS_F16, 136 * COLS);
        W[r] = check_random(WS_F16, 32 * COLS);
        C[r] = check_output(WS_F32, (size_t)n * 136 * 32);
        x[r] = check_place_on(r, X[r]);
        w[r] = check_place_on(r, W[r]);
        c[r] = check_place_on(r, C[r]);
    }
    products(n, (const ws_f16 *const *)x, (const ws_f16 *const *)w, c);
    check_fetch();
    for (int r = 0; r < n; r++)
        for (int p = 0; p < n; p++)
            for (long i = 0; i < 136; i++)
                for (long j = 0; j < 32; j++) {
                    double magnitude;
                    double sum = test_dot(rows_of(X[r], COLS), columns_of(W[p], COLS), i, j, 0, COLS, &magnitude);
                    check_close(C[r], ((long)p * 136 + i) * 32 + j, sum, check_dot_error(COLS, magnitude));
                }
    check_next();
}

int main(int argc, char **argv)
{
    static const int numbers[] = {1, 2, 3, 4, 8};
    check_begin("devices", argc, argv);
    for (int i = 0; i < 5; i++) {
        check_neighbours(numbers[i]);
        check_vectors(numbers[i]);
        if (numbers[i] < 4)
            check_products(numbers[i]);
    }
    check_true(ws_devices() >= 1, "there is no device");
    return check_end();
}
