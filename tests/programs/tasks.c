/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tasks: blocks whose role, groups, registers and rings the source says.  One that prepares an operand, one that
   prepares both, one for each, a chain of two, one in a helper and under a condition, one that prepares what the groups
   add to their sums; one in a loop of two stages; and tasks of several groups, each of which has its rows. */
#include "test.h"

#define TENSORS                                                                                  \
    ws_tensor x = ws_tensor_2d(X, WS_F16, M, K), w = ws_tensor_2d(W, WS_I8, N, K);               \
    ws_tensor s = ws_tensor_2d(S, WS_F32, (K + 63) / 64, N), z = ws_tensor_2d(Z, WS_F32, M, N);  \
    (void)x, (void)w, (void)s

static void scaled(int M, int N, int K, const void *X, const void *W, const void *S, void *Z)
{
    TENSORS;
    #pragma ws grid(2)
    for (int i = 0; i < M; i += 128)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 128, 64);
            #pragma ws pipeline(3, 2) ring(a, 4)
            for (int k = 0; k < K; k += 64) {
                ws_tile a = ws_load(x, i, k, 128, 64), q = ws_load(w, j, k, 64, 64), b;
                {
                    #pragma ws task(scale) groups(1) registers(96) ring(b, 2) ring(q, 1)
                    b = ws_cast(ws_mul(ws_cast(q, WS_F32), ws_load_col_2d(s, k / 64, j, 64)), WS_F16);
                }
                {
                    #pragma ws task(multiply) groups(2)
                    acc = ws_dot(a, ws_trans(b), acc);
                }
            }
            ws_store(z, i, j, acc);
        }
}

/* Two operands of one task, in slots of their own. */
static void both(int M, int N, int K, const void *X, const void *W, const void *S, void *Z)
{
    TENSORS;
    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
            #pragma ws pipeline(auto)
            for (int k = 0; k < K; k += 64) {
                ws_tile a, b;
                {
                    #pragma ws task(prepare) ring(a, 3) ring(b, 1)
                    a = ws_neg(ws_load(x, i, k, 64, 64));
                    b = ws_trans(ws_cast(ws_load(w, j, k, 64, 64), WS_F16));
                }
                acc = ws_dot(a, b, acc);
            }
            ws_store(z, i, j, ws_neg(acc));
        }
}

/* A task for each operand. */
static void each(int M, int N, int K, const void *X, const void *W, const void *S, void *Z)
{
    TENSORS;
    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
            #pragma ws pipeline(2)
            for (int k = 0; k < K; k += 32) {
                ws_tile a, b;
                {
                    #pragma ws task(left) registers(64)
                    a = ws_neg(ws_load(x, i, k, 64, 32));
                }
                {
                    #pragma ws task(right)
                    b = ws_neg(ws_cast(ws_load(w, j, k, 64, 32), WS_F16));
                }
                acc = ws_dot(a, ws_trans(b), acc);
            }
            ws_store(z, i, j, acc);
        }
}

/* What one task makes goes into another, and both to the groups. */
static void chain(int M, int N, int K, const void *X, const void *W, const void *S, void *Z)
{
    TENSORS;
    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
            #pragma ws pipeline(2)
            for (int k = 0; k < K; k += 64) {
                ws_tile h, b, a = ws_load(x, i, k, 64, 64);
                {
                    #pragma ws task(convert) ring(h, 2)
                    h = ws_cast(ws_load(w, j, k, 64, 64), WS_F16);
                }
                {
                    #pragma ws task(halve) ring(b, 3)
                    b = ws_mul(h, 0.5);
                }
                acc = ws_dot(a, ws_trans(b), ws_dot(a, ws_trans(ws_mul(h, 0.5)), acc));
            }
            ws_store(z, i, j, acc);
        }
}

static ws_tile converted(ws_tile q, int odd)
{
    ws_tile h;
    {
        #pragma ws task(convert) ring(h, 2)
        if (odd)
            h = ws_cast(q, WS_F16);
        else
            h = ws_neg(ws_cast(q, WS_F16));
    }
    return h;
}

/* In a helper, of which an arm makes the tile. */
static void helper(int M, int N, int K, const void *X, const void *W, const void *S, void *Z)
{
    TENSORS;
    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
            #pragma ws pipeline(2)
            for (int k = 0; k < K; k += 64) {
                ws_tile b = converted(ws_load(w, j, k, 64, 64), k / 64 % 2);
                acc = ws_dot(ws_load(x, i, k, 64, 64), ws_trans(b), acc);
            }
            ws_store(z, i, j, acc);
        }
}

/* No operand: two groups add their rows of it to their sums. */
static void added(int M, int N, int K, const void *X, const void *W, const void *S, void *Z)
{
    TENSORS;
    #pragma ws grid(2)
    for (int i = 0; i < M; i += 128)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 128, 64), sums = ws_zeros(WS_F32, 128, 1);
            #pragma ws pipeline(2)
            for (int k = 0; k < K; k += 64) {
                ws_tile a = ws_load(x, i, k, 128, 64), half, b = ws_cast(ws_load(w, j, k, 64, 64), WS_F16);
                {
                    #pragma ws task(weigh)
                    half = ws_mul(ws_cast(a, WS_F32), 0.25);
                }
                {
                    #pragma ws task(multiply)
                    acc = ws_dot(a, ws_trans(b), acc);
                    sums = ws_add(sums, ws_row_sum(half));
                }
            }
            ws_store(z, i, j, ws_add(acc, sums));
        }
}

/* Weights of the second product, one iteration late. */
static void second(int M, int N, int K, const void *X, const void *W, const void *S, void *Z)
{
    TENSORS;
    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64), q = ws_load(x, i, 0, 64, 64);
            #pragma ws pipeline(2) schedule(coarse)
            for (int k = 0; k < K; k += 64) {
                ws_tile b, t = ws_load(x, i, k, 64, 64);
                {
                    #pragma ws task(convert)
                    b = ws_cast(ws_load(w, j, k, 64, 64), WS_F16);
                }
                ws_tile p = ws_dot(t, ws_trans(q), ws_zeros(WS_F32, 64, 64));
                acc = ws_dot(ws_cast(ws_mul(p, 0.125), WS_F16), ws_trans(b), acc);
            }
            ws_store(z, i, j, acc);
        }
}

/* Two groups convert, each its rows; two weigh theirs, and know which they have. */
static void grouped(int M, int N, int K, const void *X, const void *W, const void *S, void *Z)
{
    TENSORS;
    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64), sums = ws_zeros(WS_F32, 64, 64);
            #pragma ws pipeline(2)
            for (int k = 0; k < K; k += 64) {
                ws_tile a = ws_load(x, i, k, 64, 64), b, half;
                {
                    #pragma ws task(convert) groups(2) ring(b, 3) registers(56)
                    b = ws_cast(ws_load(w, j, k, 64, 64), WS_F16);
                }
                {
                    #pragma ws task(weigh) groups(2) registers(56)
                    half = ws_select(ws_ge(ws_row_index(64, 1), 0), ws_mul(ws_cast(a, WS_F32), 0.25), 7);
                }
                acc = ws_dot(a, ws_trans(b), acc);
                sums = ws_add(sums, half);
            }
            ws_store(z, i, j, ws_add(acc, ws_row_sum(sums)));
        }
}

typedef struct {
    void (*run)(int, int, int, const void *, const void *, const void *, void *);
    int scaled, turns, adds, second;
} Case;

static double first_product(const void *X, int M, int K, long i, long k)
{
    double sum = 0;
    long row = i / 64 * 64 + k % 64;
    for (long l = 0; l < 64 && row < M; l++)
        sum += check_at(X, (size_t)(i * K + k / 64 * 64 + l)) * check_at(X, (size_t)(row * K + l));
    return sum;
}

static double expected(const Case *c, const void *X, const void *W, const float *S, int M, int N, int K, long i, long j,
                       double *magnitude)
{
    double sum = 0;
    *magnitude = 0;
    for (long k = 0; k < K; k++) {
        double a = check_at(X, (size_t)(i * K + k)), b = check_at(W, (size_t)(j * K + k));
        a = c->second ? first_product(X, M, K, i, k) * 0.125 : a;
        b *= (c->scaled ? S[k / 64 * N + j] : 1) * (c->turns && k / 64 % 2 == 0 ? -1 : 1);
        sum += a * b + (c->adds ? 0.25 * a : 0);
        *magnitude += fabs(a * b) + (c->adds ? fabs(a) : 0);
    }
    return sum;
}

int main(int argc, char **argv)
{
    static const Case cases[] = {{scaled, 1, 0, 0, 0}, {both, 0, 0, 0, 0},   {each, 0, 0, 0, 0}, {chain, 0, 0, 0, 0},
                                 {helper, 0, 1, 0, 0}, {added, 0, 0, 1, 0}, {second, 0, 0, 0, 1},
                                 {grouped, 0, 0, 1, 0}};
    check_begin("tasks", argc, argv);
    int M = 144, N = 80, K = 192;
    for (size_t t = 0; t < 2 * sizeof cases / sizeof *cases; t++) {
        const Case *c = &cases[t / 2];
        int depth = t % 2 ? 0 : K; /* and loops that make no step */
        if (c->second && !depth)
            continue;
        void *X = check_random(WS_F16, (size_t)M * K), *W = check_random(WS_I8, (size_t)K * N);
        void *S = check_random(WS_F32, (size_t)4 * N), *Z = check_output(WS_F32, (size_t)M * N);
        for (long i = 0; i < 4 * N; i++)
            ((float *)S)[i] = i % 3 ? 0.5f : 2.0f;
        c->run(M, N, depth, check_place(X), check_place(W), check_place(S), check_place(Z));
        check_fetch();
        for (long i = 0; i < M; i++)
            for (long j = 0; j < N; j++) {
                double magnitude, sum = expected(c, X, W, S, M, N, depth, i, j, &magnitude);
                check_close(Z, (size_t)(i * N + j), sum,
                            check_dot_error(K, magnitude) + (c->second ? magnitude / 256 : 0));
            }
        check_next();
    }
    return check_end();
}
