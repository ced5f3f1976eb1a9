/* SPDX-License-Identifier: MIT */
/*
 * ported.c - the five functions of PORTING.md: as they are, on one core, and under the pragmas.
 *
 * Each is there twice: this file includes itself, the second time without the pragmas.
 */
#ifdef KERNEL

KERNEL(layer)(int B, int T, int C, int OC, const float *inp, const float *weight, const float *bias, float *out)
{
    WS(grid(3) tile(1, 64, 64))
    for (int b = 0; b < B; b++)
        for (int t = 0; t < T; t++)
            for (int o = 0; o < OC; o++) {
                float val = (bias != NULL) ? bias[o] : 0.0f;
                WS(pipeline(auto) tile(32) reduction(+ : val))
                for (int i = 0; i < C; i++)
                    val += inp[(b * T + t) * C + i] * weight[o * C + i];
                out[(b * T + t) * OC + o] = val;
            }
}

KERNEL(table)(int B, int T, int C, int V, const int *inp, const float *wte, const float *wpe, float *out)
{
    WS(grid(2) extent(wte : V * C))
    for (int b = 0; b < B; b++)
        for (int t = 0; t < T; t++) {
            const float *row = wte + inp[b * T + t] * C;
            WS(pipeline(auto))
            for (int i = 0; i < C; i++)
                out[(b * T + t) * C + i] = row[i] + wpe[t * C + i];
        }
}

KERNEL(sparse)(int n, int nnz, const int *row, const int *col, const double *val, const double *x, double *y)
{
    WS(grid(1) extent(col : nnz, val : nnz, x : n))
    for (int i = 0; i < n; i++) {
        double s = 0;
        WS(pipeline(auto) reduction(+ : s))
        for (int k = row[i]; k < row[i + 1]; k++)
            s += val[k] * x[col[k]];
        y[i] = s;
    }
}

KERNEL(convolution)(int B, int C, int H, int W, int K, const float *knl, const float *src, float *dst)
{
    WS(grid(3))
    for (int b = 0; b < B * C; b++)
        for (int oy = 0; oy < H; oy++)
            for (int ox = 0; ox < W; ox++) {
                float sum = 0;
                for (int ky = 0; ky < K; ky++) {
                    int y = oy + ky - K / 2;
                    if (y < 0 || y >= H)
                        continue;
                    for (int kx = 0; kx < K; kx++) {
                        int x = ox + kx - K / 2;
                        if (x < 0 || x >= W)
                            continue;
                        sum += knl[(b % C * K + ky) * K + kx] * src[(b * H + y) * W + x];
                    }
                }
                dst[(b * H + oy) * W + ox] = sum;
            }
}

KERNEL(heat)(int steps, int n, float *a, float *b)
{
    WS(data copy(a [0:n * n]) create(b [0:n * n]))
    for (int t = 0; t < steps; t++) {
        WS(grid(2))
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                b[i * n + j] = 0.25f * (a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] + a[i * n + j + 1]);
        WS(grid(2))
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                a[i * n + j] = b[i * n + j];
    }
}

#else
#    include <math.h>
#    include <stdio.h>
#    include <stdlib.h>
#    include <string.h>
#    include <time.h>
#    include <ws.h>

#    define TEXT(...)    #    __VA_ARGS__
#    define WS(...)      _Pragma(TEXT(ws __VA_ARGS__))
#    define KERNEL(name) static void name
#    include "ported.c"
#    undef WS
#    undef KERNEL
#    define WS(...)
#    define KERNEL(name) static void name##_plain
#    include "ported.c"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static float *floats(size_t count)
{
    float *x = malloc(count * sizeof *x);
    for (size_t i = 0; x && i < count; i++)
        x[i] = (float)(i * 7919 % 1000) * 0.001f - 0.5f;
    return x;
}

static void *on_device(const void *host, size_t bytes)
{
    void *device = ws_alloc(bytes);
    ws_or_die(device ? WS_OK : ws_last_error());
    ws_or_die(ws_copy(device, host, bytes));
    return device;
}

static double difference; /* of a function that changes what it reads, from one call before those that are timed */

/* The fastest of ten, and the difference from the plain loops. */
#    define MEASURE(what, call, plain, got, want, count)                                                \
        do {                                                                                            \
            double best = 1e9, begin = now(), alone;                                                    \
            plain;                                                                                      \
            alone = now() - begin;                                                                      \
            for (int i = 0; i < 10; i++) {                                                              \
                begin = now();                                                                          \
                call;                                                                                   \
                ws_or_die(ws_sync());                                                                   \
                best = now() - begin < best ? now() - begin : best;                                     \
            }                                                                                           \
            double largest = 0, worst = 0;                                                              \
            if (got) {                                                                                  \
                void *copy = malloc((count) * sizeof *want);                                            \
                ws_or_die(ws_copy(copy, got, (count) * sizeof *want));                                  \
                for (size_t i = 0; i < (size_t)(count); i++) {                                          \
                    largest = fmax(largest, fabs((double)want[i]));                                     \
                    worst = fmax(worst, fabs((double)want[i] - (double)((__typeof__(want))copy)[i]));   \
                }                                                                                       \
                free(copy);                                                                             \
            }                                                                                           \
            printf("| %s | %.3f | %.3f | %.0f | %.0e |\n", what, alone * 1e3, best * 1e3, alone / best, \
                   got ? worst / largest : difference);                                                 \
        } while (0)

int main(void)
{
    puts("| function | one core, gcc -O3, ms | GPU, ms | times | largest difference |\n|---|---|---|---|---|");
    {
        int B = 2, T = 512, C = 768, OC = 768;
        float *inp = floats((size_t)B * T * C), *weight = floats((size_t)OC * C), *bias = floats(OC);
        float *out = floats((size_t)B * T * OC), *d = on_device(inp, (size_t)B * T * C * 4);
        float *dw = on_device(weight, (size_t)OC * C * 4), *db = on_device(bias, (size_t)OC * 4);
        float *dout = on_device(out, (size_t)B * T * OC * 4);
        MEASURE("a layer's product, 1024 x 768 x 768", layer(B, T, C, OC, d, dw, db, dout),
                layer_plain(B, T, C, OC, inp, weight, bias, out), dout, out, (size_t)B * T * OC);
    }
    {
        int B = 16, T = 1024, C = 768, V = 50000;
        int *inp = malloc((size_t)B * T * sizeof *inp);
        for (int i = 0; i < B * T; i++)
            inp[i] = (int)(i * 7919L % V);
        float *wte = floats((size_t)V * C), *wpe = floats((size_t)T * C), *out = floats((size_t)B * T * C);
        int *dinp = on_device(inp, (size_t)B * T * 4);
        float *dwte = on_device(wte, (size_t)V * C * 4), *dwpe = on_device(wpe, (size_t)T * C * 4);
        float *dout = on_device(out, (size_t)B * T * C * 4);
        MEASURE("rows of a table, 16 x 1024 x 768", table(B, T, C, V, dinp, dwte, dwpe, dout),
                table_plain(B, T, C, V, inp, wte, wpe, out), dout, out, (size_t)B * T * C);
    }
    {
        int n = 1 << 19, each = 32, nnz = n * each;
        int *row = malloc((size_t)(n + 1) * 4), *col = malloc((size_t)nnz * 4);
        double *val = malloc((size_t)nnz * 8), *x = malloc((size_t)n * 8), *y = malloc((size_t)n * 8);
        for (int i = 0; i <= n; i++)
            row[i] = i * each;
        for (int k = 0; k < nnz; k++) {
            col[k] = (int)((k / each + k % each * 37L) % n);
            val[k] = k % 17 - 8;
        }
        for (int i = 0; i < n; i++)
            x[i] = i % 11 - 5;
        memset(y, 0, (size_t)n * 8);
        int *drow = on_device(row, (size_t)(n + 1) * 4), *dcol = on_device(col, (size_t)nnz * 4);
        double *dval = on_device(val, (size_t)nnz * 8), *dx = on_device(x, (size_t)n * 8);
        double *dy = on_device(y, (size_t)n * 8);
        MEASURE("a sparse matrix times a vector, 2^19 rows of 32", sparse(n, nnz, drow, dcol, dval, dx, dy),
                sparse_plain(n, nnz, row, col, val, x, y), dy, y, (size_t)n);
    }
    {
        int B = 8, C = 64, H = 112, W = 112, K = 3;
        float *knl = floats((size_t)C * K * K), *src = floats((size_t)B * C * H * W),
              *dst = floats((size_t)B * C * H * W);
        float *dknl = on_device(knl, (size_t)C * K * K * 4), *dsrc = on_device(src, (size_t)B * C * H * W * 4);
        float *ddst = on_device(dst, (size_t)B * C * H * W * 4);
        MEASURE("a convolution with padding, 512 x 112 x 112", convolution(B, C, H, W, K, dknl, dsrc, ddst),
                convolution_plain(B, C, H, W, K, knl, src, dst), ddst, dst, (size_t)B * C * H * W);
    }
    {
        int n = 4096, steps = 50;
        float *a = floats((size_t)n * n), *b = floats((size_t)n * n), *a_ = floats((size_t)n * n),
              *b_ = floats((size_t)n * n);
        heat(steps, n, a, b);
        heat_plain(steps, n, a_, b_);
        double largest = 0;
        for (size_t i = 0; i < (size_t)n * n; i++) {
            largest = fmax(largest, fabs((double)a_[i]));
            difference = fmax(difference, fabs((double)a_[i] - (double)a[i]));
        }
        difference /= largest;
        MEASURE("50 steps of a stencil, 4096 x 4096, host arrays", heat(steps, n, a, b), heat_plain(steps, n, a_, b_),
                (float *)NULL, a_, 1);
    }
    return 0;
}
#endif
