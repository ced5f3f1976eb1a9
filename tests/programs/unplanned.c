/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What users write and no plan names: options in a struct of structs that helpers hand on by value, a product stored
   with its transpose, three products in one loop, the four largest of each row, mean and variance with a number that a
   loop carries. */
#include "test.h"

/* ---- options handed on ------------------------------------------------------------------------------------------- */

typedef struct {
    const ws_f16 *base;
    long rows, cols;
} matrix;

typedef struct {
    float alpha, beta;
    _Bool relu;
    struct {
        int low, high;
    } clamp;
} options;

static inline ws_tensor view(matrix m)
{
    return ws_tensor_2d(m.base, WS_F16, m.rows, m.cols);
}

static inline ws_tile clamped(ws_tile x, options o)
{
    return ws_min(ws_max(x, o.clamp.low), o.clamp.high);
}

static inline ws_tile finished(ws_tile x, ws_tile old, options o)
{
    ws_tile r = ws_fma(x, o.alpha, ws_mul(old, o.beta));
    if (o.relu)
        r = ws_max(r, 0.0);
    return clamped(r, o);
}

static inline ws_tile step(ws_tensor a, ws_tensor b, long i, long j, long k, ws_tile acc)
{
    return ws_dot(ws_load(a, i, k, 128, 32), ws_load(b, k, j, 32, 96), acc);
}

static void product(matrix A, matrix B, float *C, options o)
{
    ws_tensor a = view(A), b = view(B), c = ws_tensor_2d(C, WS_F32, A.rows, B.cols);

#pragma ws grid(2) order(column)
    for (long i = 0; i < A.rows; i += 128)
        for (long j = 0; j < B.cols; j += 96) {
            ws_tile acc = ws_zeros(WS_F32, 128, 96);
#pragma ws pipeline(3)
            for (long k = 0; k < A.cols; k += 32)
                acc = step(a, b, i, j, k, acc);
            ws_store(c, i, j, finished(acc, ws_load(c, i, j, 128, 96), o));
        }
}

static void check_product(int relu)
{
    int M = 200, N = 120, K = 80;
    ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)K * N);
    float *C = check_random(WS_F32, (size_t)M * N), *before = check_random(WS_F32, (size_t)M * N);
    memcpy(before, C, sizeof(float) * (size_t)(M * N));
    options o = {1.5f, 0.5f, relu, {-1, 2}};
    product((matrix){check_place(A), M, K}, (matrix){check_place(B), K, N}, check_place(C), o);
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            double magnitude, x = 1.5 * test_dot(rows_of(A, K), rows_of(B, N), i, j, 0, K, &magnitude);
            x += 0.5 * before[i * N + j];
            if (relu)
                x = fmax(x, 0);
            check_close(C, (size_t)(i * N + j), fmin(fmax(x, -1), 2), 2 * check_dot_error(K, magnitude) + 1e-6);
        }
}

/* ---- a product and its transpose --------------------------------------------------------------------------------- */

/* C = A A^T: tiles below the diagonal are stored twice. */
static void symmetric(int N, int K, const ws_f16 *A, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, N, K), c = ws_tensor_2d(C, WS_F32, N, N);

#pragma ws grid(2)
    for (int i = 0; i < N; i += 64)
        for (int j = 0; j < N; j += 64) {
            if (j > i)
                continue;
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
#pragma ws pipeline(2)
            for (int k = 0; k < K; k += 32)
                acc = ws_dot(ws_load(a, i, k, 64, 32), ws_trans(ws_load(a, j, k, 64, 32)), acc);
            ws_store(c, i, j, acc);
            if (i != j)
                ws_store(c, j, i, ws_trans(acc));
        }
}

static void check_symmetric(void)
{
    int N = 190, K = 70;
    ws_f16 *A = check_random(WS_F16, (size_t)N * K);
    float *C = check_output(WS_F32, (size_t)N * N);
    symmetric(N, K, check_place(A), check_place(C));
    check_fetch();
    test_product(rows_of(C, N), rows_of(A, K), columns_of(A, K), N, N, K);
}

/* ---- three products in one loop ---------------------------------------------------------------------------------- */

/* O = sum over blocks k of (G_k * U_k) D_k, where G and U are what has been summed so far. */
static void running_gate(int M, int K, const ws_f16 *A, const ws_f16 *B, const ws_f16 *C, const ws_f16 *D, float *O)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, 64, K), c = ws_tensor_2d(C, WS_F16, 64, K),
              d = ws_tensor_2d(D, WS_F16, K, 64), o = ws_tensor_2d(O, WS_F32, M, 64);

#pragma ws grid(1)
    for (int i = 0; i < M; i += 64) {
        ws_tile g = ws_zeros(WS_F32, 64, 64), u = ws_zeros(WS_F32, 64, 64), sum = ws_zeros(WS_F32, 64, 64);
#pragma ws pipeline(2, 1)
        for (int k = 0; k < K; k += 64) {
            ws_tile x = ws_load(a, i, k, 64, 64);
            g = ws_dot(x, ws_trans(ws_load(b, 0, k, 64, 64)), g);
            u = ws_dot(x, ws_trans(ws_load(c, 0, k, 64, 64)), u);
            sum = ws_dot(ws_cast(ws_mul(g, u), WS_F16), ws_load(d, k, 0, 64, 64), ws_mul(sum, 0.5f));
        }
        ws_store(o, i, 0, sum);
    }
}

static void check_running_gate(void)
{
    enum { ROWS = 100, DEPTH = 160 };
    int M = ROWS, K = DEPTH;
    ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)64 * K);
    ws_f16 *C = check_random(WS_F16, (size_t)64 * K), *D = check_random(WS_F16, (size_t)K * 64);
    float *O = check_output(WS_F32, (size_t)M * 64);
    running_gate(M, K, check_place(A), check_place(B), check_place(C), check_place(D), check_place(O));
    check_fetch();
    for (long i = 0; i < M; i++) {
        double sum[64] = {0}, error[64] = {0};
        for (long k = 0; k < K; k += 64) {
            double p[64], off[64], magnitude, other;
            for (long n = 0; n < 64; n++) {
                long last = k + 64 < K ? k + 64 : K;
                double g = test_dot(rows_of(A, K), columns_of(B, K), i, n, 0, last, &magnitude);
                double u = test_dot(rows_of(A, K), columns_of(C, K), i, n, 0, last, &other);
                p[n] = g * u;
                off[n] = fabs(p[n]) * check_roundoff(WS_F16) + check_smallest(WS_F16) +
                         fabs(u) * check_dot_error(last, magnitude) + fabs(g) * check_dot_error(last, other);
            }
            for (long j = 0; j < 64; j++) {
                sum[j] *= 0.5;
                error[j] *= 0.5;
                for (long n = 0; n < 64 && k + n < K; n++) {
                    double w = check_at(D, (size_t)((k + n) * 64 + j));
                    sum[j] += p[n] * w;
                    error[j] += off[n] * fabs(w) + fabs(p[n] * w) * 1e-5;
                }
            }
        }
        for (long j = 0; j < 64; j++)
            check_close(O, (size_t)(i * 64 + j), sum[j], error[j] + 1e-6);
    }
}

/* ---- the largest of each row ------------------------------------------------------------------------------------- */

enum { LARGEST = 4 };

static void largest(int M, int N, const float *X, float *V, int *P)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), v = ws_tensor_2d(V, WS_F32, LARGEST, M),
              p = ws_tensor_2d(P, WS_I32, LARGEST, M);

#pragma ws grid(1)
    for (int i = 0; i < M; i += 16) {
        ws_tile left = ws_load_or(x, i, 0, 16, 128, -INFINITY);
        for (int t = 0; t < LARGEST; t++) {
            ws_tile at = ws_row_argmax(left);
            ws_store_col_2d(v, t, i, ws_row_max(left));
            ws_store_col_2d(p, t, i, at);
            left = ws_select(ws_eq(ws_col_index(16, 128), at), -INFINITY, left);
        }
    }
}

static void check_largest(void)
{
    int M = 50, N = 100;
    float *X = check_random(WS_F32, (size_t)M * N), *V = check_output(WS_F32, (size_t)LARGEST * M);
    int *P = check_output(WS_I32, (size_t)LARGEST * M);
    largest(M, N, check_place(X), check_place(V), check_place(P));
    check_fetch();
    for (long i = 0; i < M; i++) {
        _Bool taken[128] = {0};
        for (long t = 0; t < LARGEST; t++) {
            long best = -1;
            for (long j = 0; j < N; j++)
                if (!taken[j] && (best < 0 || X[i * N + j] > X[i * N + best]))
                    best = j;
            taken[best] = 1;
            check_close(V, (size_t)(t * M + i), X[i * N + best], 0);
            check_close(P, (size_t)(t * M + i), (double)best, 0);
        }
    }
}

/* ---- mean and variance ------------------------------------------------------------------------------------------- */

static void moments(int M, int N, const ws_f16 *X, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F16, M, N), y = ws_tensor_2d(Y, WS_F32, M, 2);

#pragma ws grid(1)
    for (int i = 0; i < M; i += 64) {
        ws_tile mean = ws_zeros(WS_F32, 64, 1), squares = ws_zeros(WS_F32, 64, 1);
        float seen = 0;
#pragma ws pipeline(3)
        for (int j = 0; j + 32 <= N; j += 32) {
            ws_tile v = ws_cast(ws_load(x, i, j, 64, 32), WS_F32);
            ws_tile here = ws_mul(ws_row_sum(v), 1.0f / 32), off = ws_sub(here, mean), apart = ws_sub(v, here);
            const float all = seen + 32;
            squares =
                ws_add(ws_add(squares, ws_row_sum(ws_mul(apart, apart))), ws_mul(ws_mul(off, off), seen * 32 / all));
            mean = ws_fma(off, 32 / all, mean);
            seen = all;
        }
        ws_store(y, i, 0, mean);
        ws_store(y, i, 1, ws_div(squares, seen > 0 ? seen : 1));
    }
}

static void check_moments(int N)
{
    int M = 100;
    ws_f16 *X = check_random(WS_F16, (size_t)(M * N) + 1);
    float *Y = check_output(WS_F32, (size_t)M * 2);
    moments(M, N, check_place(X), check_place(Y));
    check_fetch();
    for (long i = 0; i < M; i++) {
        long n = N / 32 * 32;
        double sum = 0, squares = 0;
        for (long j = 0; j < n; j++)
            sum += check_at(X, (size_t)(i * N + j));
        for (long j = 0; j < n; j++)
            squares += pow(check_at(X, (size_t)(i * N + j)) - sum / n, 2);
        check_close(Y, (size_t)(2 * i), n ? sum / n : 0, 1e-5);
        check_close(Y, (size_t)(2 * i + 1), n ? squares / n : 0, 1e-5);
    }
}

int main(int argc, char **argv)
{
    check_begin("unplanned", argc, argv);
    check_product(0);
    check_product(1);
    check_symmetric();
    check_running_gate();
    check_largest();
    check_moments(256);
    check_moments(31);
    return check_end();
}
