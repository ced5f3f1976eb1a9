/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tiles and numbers that helpers hand back through pointers and in structs, arrays of tiles, a member that counts the
   loop, a nested function: local objects whose address goes nowhere else are variables, with and without
   optimization. */
#include "test.h"

enum { M = 128, N = 96, K = 80, BLOCK = 16 };

typedef struct {
    ws_tensor a, b;
} operands;

static operands views(const ws_f16 *A, const ws_f16 *B)
{
    operands o;
    o.a = ws_tensor_2d(A, WS_F16, M, K);
    o.b = ws_tensor_2d(B, WS_F16, K, N);
    return o;
}

/* ---- through pointers -------------------------------------------------------------------------------------------- */

static void step(const operands *o, int i, int j, int *k, ws_tile *acc)
{
    *acc = ws_dot(ws_load(o->a, i, *k, 64, BLOCK), ws_load(o->b, *k, j, BLOCK, 32), *acc);
    *k += BLOCK;
}

static inline void halve(ws_tile *x)
{
    *x = ws_mul(*x, 0.5f);
}

static inline void split(ws_tile x, ws_tile *low, ws_tile *high)
{
    *low = ws_min(x, 0.0f);
    *high = ws_max(x, 0.0f);
    halve(high);
}

/* C = what is below 0 of A B, and half of what is above. */
static void by_pointer(const ws_f16 *A, const ws_f16 *B, float *C)
{
    operands o = views(A, B);
    ws_tensor c = ws_tensor_2d(C, WS_F32, M, N);

#pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 32) {
            ws_tile acc = ws_zeros(WS_F32, 64, 32), low, high;
            int at = 0;
#pragma ws pipeline(2)
            for (int n = 0; n < K / BLOCK; n++)
                step(&o, i, j, &at, &acc);
            split(acc, &low, &high);
            ws_store(c, i, j, ws_add(low, high));
        }
}

/* ---- in structs and arrays --------------------------------------------------------------------------------------- */

typedef struct {
    struct {
        ws_tile x[2];
        int k;
    } part;
    float scale;
} state;

static state next(operands o, int i, int j, state s)
{
    ws_tile a = ws_load(o.a, i, s.part.k, 64, BLOCK);
    s.part.x[0] = ws_dot(a, ws_load(o.b, s.part.k, j, BLOCK, 16), s.part.x[0]);
    s.part.x[1] = ws_dot(a, ws_load(o.b, s.part.k, j + 16, BLOCK, 16), s.part.x[1]);
    return s;
}

static ws_tile scaled(ws_tile x, float scale)
{
    return ws_select(ws_gt(x, 0.0f), ws_mul(x, scale), x);
}

/* The same. */
static void by_struct(const ws_f16 *A, const ws_f16 *B, float *C)
{
    operands o = views(A, B);
    ws_tensor c = ws_tensor_2d(C, WS_F32, M, N);

#pragma ws grid(2) consumers(1)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 32) {
            state s = {{{ws_zeros(WS_F32, 64, 16), ws_zeros(WS_F32, 64, 16)}, 0}, 0.5f};
#pragma ws pipeline(3)
            for (s.part.k = 0; s.part.k < K; s.part.k += BLOCK)
                s = next(o, i, j, s);
            const state last = s;
            ws_tile left, *result = &left;
            *result = scaled(last.part.x[0], last.scale);
            ws_store(c, i, j, left);
            ws_store(c, i, j + 16, scaled(last.part.x[1], last.scale));
        }
}

/* ---- sums that take turns ---------------------------------------------------------------------------------------- */

static inline void swap(ws_tile *x, ws_tile *y)
{
    ws_tile t = *x;
    *x = *y;
    *y = t;
}

enum { ROUNDS = 5 };

/* E = what is added in even and in odd rounds, and the sum that came last times a number that the loop counts.  Three
   carried values of one name begin alike. */
static void in_turns(const float *X, float *E)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, ROUNDS, 64), e = ws_tensor_2d(E, WS_F32, 3, 64);

#pragma ws grid(1)
    for (int j = 0; j < 64; j += 32) {
        struct {
            ws_tile sums[3];
            int weight;
        } s = {{ws_zeros(WS_F32, 1, 32), ws_zeros(WS_F32, 1, 32), ws_zeros(WS_F32, 1, 32)}, 0};
        int odd = 0;
#pragma ws pipeline(2)
        for (int k = 0; k < ROUNDS; k++) {
            ws_tile v = ws_load(x, k, j, 1, 32);
            if (odd ^= 1) {
                s.sums[0] = ws_add(s.sums[0], v);
            } else {
                swap(&s.sums[0], &s.sums[1]);
                s.sums[1] = ws_sub(s.sums[1], v);
            }
            s.sums[2] = s.sums[1];
            s.weight += k;
        }
        ws_store(e, 0, j, s.sums[0]);
        ws_store(e, 1, j, s.sums[1]);
        ws_store(e, 2, j, ws_mul(s.sums[2], (float)s.weight));
    }
}

static void check_turns(void)
{
    float *X = check_random(WS_F32, ROUNDS * 64), *E = check_output(WS_F32, 3 * 64);
    in_turns(check_place(X), check_place(E));
    check_fetch();
    for (long j = 0; j < 64; j++) {
        double p = 0, q = 0;
        for (long k = 0; k < ROUNDS; k++) {
            double t = p;
            p = k % 2 ? q : p + X[k * 64 + j];
            q = k % 2 ? t - X[k * 64 + j] : q;
        }
        check_close(E, (size_t)j, p, 1e-5);
        check_close(E, (size_t)(64 + j), q, 1e-5);
        check_close(E, (size_t)(128 + j), q * (ROUNDS * (ROUNDS - 1) / 2), 1e-4);
    }
}

int main(int argc, char **argv)
{
    check_begin("handed_back", argc, argv);
    check_turns();
    ws_f16 *A = check_random(WS_F16, M * K), *B = check_random(WS_F16, K * N);
    float *C = check_output(WS_F32, M * N), *D = check_output(WS_F32, M * N);
    by_pointer(check_place(A), check_place(B), check_place(C));
    by_struct(check_place(A), check_place(B), check_place(D));
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            double magnitude, x = test_dot(rows_of(A, K), rows_of(B, N), i, j, 0, K, &magnitude);
            double wanted = x > 0 ? 0.5 * x : x, error = check_dot_error(K, magnitude);
            check_close(C, (size_t)(i * N + j), wanted, error);
            check_close(D, (size_t)(i * N + j), wanted, error);
        }
    return check_end();
}
