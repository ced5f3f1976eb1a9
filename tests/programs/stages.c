/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chains of one, three and four products in two, three and four stages, for as many iterations as stages and for fewer:
   small integers, whose sums are exact; and one of three stages that stores in between. */
#include "test.h"

enum { D = 32, ROWS = 96, MOST = 200 };

#define CLAMP(x) ws_cast(ws_min(ws_max(x, -2), 2), WS_F16)
#define EMPTY    ws_zeros(WS_F32, 64, D)
#define TENSORS                                                                        \
    ws_tensor q = ws_tensor_2d(Q, WS_F16, ROWS, D), k = ws_tensor_2d(K, WS_F16, S, D); \
    ws_tensor v = ws_tensor_2d(V, WS_F16, S, D), out = ws_tensor_2d(O, WS_F32, ROWS, D)

/* The largest of each row of Q K^T, under the product of the next block. */
static void one(int S, const ws_f16 *Q, const ws_f16 *K, const ws_f16 *V, float *O)
{
    TENSORS;
    (void)v;
#pragma ws grid(1)
    for (int i = 0; i < ROWS; i += 64) {
        ws_tile tq = ws_load(q, i, 0, 64, D), best = ws_full(WS_F32, 64, 1, -100);
#pragma ws pipeline(2) schedule(coarse)
        for (int j = 0; j < S; j += D) {
            ws_tile s = ws_dot(tq, ws_trans(ws_load(k, j, 0, D, D)), EMPTY);
            best = ws_max(best, ws_row_max(ws_select(ws_lt(ws_add(ws_col_index(1, D), j), S), s, -100)));
        }
        ws_store(out, i, 0, ws_add(EMPTY, best));
    }
}

static void three(int S, const ws_f16 *Q, const ws_f16 *K, const ws_f16 *V, float *O)
{
    TENSORS;
#pragma ws grid(1)
    for (int i = 0; i < ROWS; i += 64) {
        ws_tile tq = ws_load(q, i, 0, 64, D), o = EMPTY;
#pragma ws pipeline(3) schedule(coarse)
        for (int j = 0; j < S; j += D) {
            ws_tile tv = ws_load(v, j, 0, D, D);
            ws_tile s = CLAMP(ws_dot(tq, ws_trans(ws_load(k, j, 0, D, D)), EMPTY));
            ws_tile t = CLAMP(ws_dot(s, tv, EMPTY));
            o = ws_dot(t, ws_trans(tv), o);
        }
        ws_store(out, i, 0, o);
    }
}

static void four(int S, const ws_f16 *Q, const ws_f16 *K, const ws_f16 *V, float *O)
{
    TENSORS;
#pragma ws grid(1)
    for (int i = 0; i < ROWS; i += 64) {
        ws_tile tq = ws_load(q, i, 0, 64, D), o = EMPTY, seen = ws_zeros(WS_F32, 64, 1);
#pragma ws pipeline(6) schedule(coarse)
        for (int j = 0; j < S; j += D) {
            ws_tile tk = ws_load(k, j, 0, D, D), tv = ws_load(v, j, 0, D, D);
            ws_tile s = CLAMP(ws_dot(tq, ws_trans(tk), EMPTY));
            ws_tile t = CLAMP(ws_dot(s, tv, EMPTY));
            ws_tile u = ws_min(ws_max(ws_sub(ws_dot(t, tk, EMPTY), seen), -2), 2);
            seen = ws_row_max(u);
            o = ws_dot(ws_cast(u, WS_F16), ws_trans(tv), o);
        }
        ws_store(out, i, 0, o);
    }
}

/* Each iteration adds what its second product makes to memory. */
static void stored(int S, const ws_f16 *Q, const ws_f16 *K, const ws_f16 *V, float *O)
{
    TENSORS;
#pragma ws grid(1)
    for (int i = 0; i < ROWS; i += 64) {
        ws_tile tq = ws_load(q, i, 0, 64, D), o = EMPTY;
        ws_store(out, i, 0, EMPTY);
#pragma ws pipeline(3) schedule(coarse)
        for (int j = 0; j < S; j += D) {
            ws_tile tv = ws_load(v, j, 0, D, D);
            ws_tile s = CLAMP(ws_dot(tq, ws_trans(ws_load(k, j, 0, D, D)), EMPTY));
            ws_tile m = ws_dot(s, tv, EMPTY);
            ws_store(out, i, 0, ws_add(ws_load(out, i, 0, 64, D), m));
            o = ws_dot(CLAMP(m), ws_trans(tv), o);
        }
        ws_store(out, i, 0, ws_add(ws_load(out, i, 0, 64, D), o));
    }
}

static ws_f16 *integers(size_t count)
{
    ws_f16 *x = check_random(WS_F16, count);
    for (size_t i = 0; i < count; i++)
        x[i] = ws_f16_from((float)lrint(2 * ws_f16_to(x[i])));
    return x;
}

static double at(const ws_f16 *X, long i, long k)
{
    return ws_f16_to(X[i * D + k]);
}

/* y = clamp(x tile) or, turned, of its transpose; what lies behind S is 0. */
static void multiply(const double *x, const ws_f16 *X, long j, long S, int turned, int clamps, double *y)
{
    for (long c = 0; c < D; c++) {
        double sum = 0;
        for (long n = 0; n < D; n++)
            sum += j + (turned ? c : n) < S ? x[n] * (turned ? at(X, j + c, n) : at(X, j + n, c)) : 0;
        y[c] = clamps ? fmin(fmax(sum, -2), 2) : sum;
    }
}

static void row(int chain, long i, long S, const ws_f16 *Q, const ws_f16 *K, const ws_f16 *V, double *o)
{
    double x[D], s[D], t[D], u[D], best = -100, seen = 0;
    for (long c = 0; c < D; c++)
        x[c] = at(Q, i, c), o[c] = 0;
    for (long j = 0; j < S; j += D) {
        multiply(x, K, j, S, 1, chain > 1, s);
        for (long c = 0; c < D && j + c < S; c++)
            best = fmax(best, s[c]);
        multiply(s, V, j, S, 0, 0, t);
        int last = chain == 3 || chain == 5;
        for (long c = 0; c < D; c++) {
            o[c] += chain == 5 ? t[c] : 0;
            t[c] = fmin(fmax(t[c], -2), 2);
        }
        multiply(t, last ? V : K, j, S, last, 0, u);
        double most = -100;
        for (long c = 0; c < D && chain == 4; c++)
            u[c] = fmin(fmax(u[c] - seen, -2), 2), most = fmax(most, u[c]);
        seen = most;
        multiply(u, V, j, S, 1, 0, t);
        for (long c = 0; c < D; c++)
            o[c] += last ? u[c] : t[c];
    }
    for (long c = 0; c < D && chain == 1; c++)
        o[c] = best;
}

int main(int argc, char **argv)
{
    typedef void kernel(int, const ws_f16 *, const ws_f16 *, const ws_f16 *, float *);
    static kernel *const kernels[] = {one, three, four, stored};
    static const int chains[] = {1, 3, 4, 5}, lengths[] = {0, 20, 64, 96, 128, 160, 192, MOST};
    check_begin("stages", argc, argv);
    for (int n = 0; n < 32; n++) {
        int S = lengths[n / 4];
        ws_f16 *Q = integers(ROWS * D), *K = integers(MOST * D), *V = integers(MOST * D);
        float *O = check_output(WS_F32, ROWS * D);
        kernels[n % 4](S, check_place(Q), check_place(K), check_place(V), check_place(O));
        check_fetch();
        for (long i = 0; i < ROWS; i++) {
            double o[D];
            row(chains[n % 4], i, S, Q, K, V, o);
            for (long c = 0; c < D; c++)
                check_close(O, i * D + c, o[c], 0);
        }
        check_next();
    }
    return check_end();
}
