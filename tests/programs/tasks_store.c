/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tasks that store what the groups that multiply compute: behind the loop, in it, of two groups, what is rounded before
   and what is computed in the task; beside a task that prepares; and what no product makes. */
#include "test.h"

#define TENSORS                                                                                               \
    ws_tensor x = ws_tensor_2d(X, WS_F16, M, K), w = ws_tensor_2d(W, WS_F16, N, K);                           \
    ws_tensor s = ws_tensor_1d(S, WS_F32, N), z = ws_tensor_2d(Z, WS_F32, M, N);                              \
    ws_tensor y = ws_tensor_2d(Y, WS_F32, M, N);                                                              \
    (void)s, (void)z, (void)y

/* The sum of the loop, of two groups. */
static void behind(int M, int N, int K, const void *X, const void *W, const void *S, void *Z, void *Y)
{
    TENSORS;
    #pragma ws grid(2)
    for (int i = 0; i < M; i += 128)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 128, 64);
            #pragma ws pipeline(3, 2)
            for (int k = 0; k < K; k += 64) {
                ws_tile a = ws_load(x, i, k, 128, 64);
                {
                    #pragma ws task(multiply) groups(2)
                    acc = ws_dot(a, ws_trans(ws_load(w, j, k, 64, 64)), acc);
                }
            }
            {
                #pragma ws task(out)
                ws_store(z, i, j, acc);
            }
        }
}

/* Rounded by the groups, scaled by the two that store; and another tensor that the first store. */
static void scaled(int M, int N, int K, const void *X, const void *W, const void *S, void *Z, void *Y)
{
    TENSORS;
    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
            #pragma ws pipeline(2)
            for (int k = 0; k < K; k += 64)
                acc = ws_dot(ws_load(x, i, k, 64, 64), ws_trans(ws_load(w, j, k, 64, 64)), acc);
            ws_tile h = ws_mul(acc, 0.5);
            {
                #pragma ws task(out) groups(2) ring(h, 2)
                ws_store(z, i, j, ws_mul(h, ws_load_row(s, j, 64)));
            }
            ws_store(y, i, j, acc);
        }
}

/* Wide: the sums leave in pieces, through a ring of three. */
static void wide(int M, int N, int K, const void *X, const void *W, const void *S, void *Z, void *Y)
{
    TENSORS;
    #pragma ws grid(2)
    for (int i = 0; i < M; i += 128)
        for (int j = 0; j < N; j += 96) {
            ws_tile acc = ws_zeros(WS_F32, 128, 96);
            #pragma ws pipeline(2)
            for (int k = 0; k < K; k += 64) {
                ws_tile b = ws_load(w, j, k, 96, 64), half;
                {
                    #pragma ws task(halve) groups(2) registers(56)
                    half = ws_mul(b, 0.5);
                }
                acc = ws_dot(ws_load(x, i, k, 128, 64), ws_trans(half), acc);
            }
            {
                #pragma ws task(out) ring(acc, 3)
                ws_store(z, i, j, ws_add(acc, 1.0));
            }
        }
}

/* In the loop: sums as they grow, each over the last. */
static void growing(int M, int N, int K, const void *X, const void *W, const void *S, void *Z, void *Y)
{
    TENSORS;
    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
            #pragma ws pipeline(2)
            for (int k = 0; k < K; k += 64) {
                acc = ws_dot(ws_load(x, i, k, 64, 64), ws_trans(ws_load(w, j, k, 64, 64)), acc);
                {
                    #pragma ws task(out) ring(acc, 2)
                    ws_store(z, i, j, acc);
                }
            }
            ws_store(y, i, j, acc);
        }
}

/* What a task adds up in a loop of its own, beside the products of others: in lanes, not in fragments. */
static void alone(int M, int N, int K, const void *X, const void *W, const void *S, void *Z, void *Y)
{
    TENSORS;
    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 56) {
            ws_tile acc = ws_zeros(WS_F32, 64, 56);
            ws_tile t = ws_add(ws_zeros(WS_F32, 64, 56), ws_mul(ws_load_row(s, j, 56), 0.0f));
            for (int n = 0; n < 3; n++)
                t = ws_fma(t, 1.5f, 1.0f);
            #pragma ws pipeline(2)
            for (int k = 0; k < K; k += 64)
                acc = ws_dot(ws_load(x, i, k, 64, 64), ws_trans(ws_load(w, j, k, 56, 64)), acc);
            {
                #pragma ws task(out)
                ws_store(z, i, j, t);
            }
            ws_store(y, i, j, acc);
        }
}

typedef struct {
    void (*run)(int, int, int, const void *, const void *, const void *, void *, void *);
    double factor, added;
    int scales, stores_all, also;
} Case;

int main(int argc, char **argv)
{
    static const Case cases[] = {
        {behind, 1, 0, 0, 1, 0}, {scaled, 0.5, 0, 1, 1, 1}, {wide, 0.5, 1, 0, 1, 0}, {growing, 1, 0, 0, 0, 1},
        {alone, 0, 4.75, 0, 1, 1}};
    check_begin("tasks_store", argc, argv);
    int M = 144, N = 80, K = 192;
    for (size_t t = 0; t < 2 * sizeof cases / sizeof *cases; t++) {
        const Case *c = &cases[t / 2];
        int depth = t % 2 ? 0 : K; /* and loops that make no step */
        void *X = check_random(WS_F16, (size_t)M * K), *W = check_random(WS_F16, (size_t)K * N);
        void *S = check_random(WS_F32, (size_t)N);
        void *Z = check_output(WS_F32, (size_t)M * N), *Y = check_output(WS_F32, (size_t)M * N);
        for (long i = 0; i < N; i++)
            ((float *)S)[i] = i % 3 ? 0.5f : 2.0f;
        c->run(M, N, depth, check_place(X), check_place(W), check_place(S), check_place(Z), check_place(Y));
        check_fetch();
        for (long i = 0; i < M; i++)
            for (long j = 0; j < N; j++) {
                double sum = 0, magnitude = 0;
                for (long k = 0; k < depth; k++) {
                    double product = check_at(X, (size_t)(i * depth + k)) * check_at(W, (size_t)(j * depth + k));
                    sum += product;
                    magnitude += fabs(product);
                }
                double scale = c->factor * (c->scales ? ((float *)S)[j] : 1);
                if (depth || c->stores_all)
                    check_close(Z, (size_t)(i * N + j), sum * scale + c->added, check_dot_error(K, magnitude * 2 + 1));
                if (c->also)
                    check_close(Y, (size_t)(i * N + j), sum, check_dot_error(K, magnitude));
            }
        check_next();
    }
    return check_end();
}
