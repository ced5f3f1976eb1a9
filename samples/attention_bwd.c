/* SPDX-License-Identifier: MIT */
/*
 * attention_bwd - the gradients of attention: from dO to dQ, dK and dV, causal or not.
 *
 *   P = exp(scale Q K^T - lse)      dV = P^T dO      dS = P * (dO V^T - delta)
 *   dQ = scale dS K                 dK = scale dS^T Q
 *
 * `lse`, the logarithm of each row's sum, is the forward kernel's; delta is the sum of dO * O along each row. One pass
 * makes all three, with five products for each block of scores: for a block of keys it goes through the queries, with
 * scores turned round so that P^T and dS^T are left operands as they come. dK and dV stay in registers. Every block of
 * keys has its share in dQ: the shares are added up in memory, as numbers of 32 bits and turned round as well, in no
 * particular order, so that the last bits of dQ may differ from run to run. A block of queries has its sums in one
 * piece.
 */
#include "check_attention.h"

enum { D = 128, KEYS = 128, QUERIES = 64, SECTION = 1 << 22 };
#define BLOCKS(L) (((L) + QUERIES - 1) / QUERIES)

/* delta, the logarithms to base 2 and negative, and zeros to add to.  */
static void prepare(int heads, int L, const ws_f16 *O, const ws_f16 *dO, const float *lse, float *delta, float *logs2,
                    float *turned)
{
    ws_tensor logs = ws_tensor_2d(lse, WS_F32, heads, L), powers = ws_tensor_2d(logs2, WS_F32, heads, L);
    ws_tensor o = ws_tensor_3d(O, WS_F16, heads, L, D), g = ws_tensor_3d(dO, WS_F16, heads, L, D);
    ws_tensor sums = ws_tensor_2d(delta, WS_F32, heads, L);
    ws_tensor dq = ws_tensor_4d(turned, WS_F32, heads, BLOCKS(L), D, QUERIES);

    #pragma ws grid(2)
    for (int h = 0; h < heads; h++)
        for (int i = 0; i < L; i += 32) {
            ws_tile to = ws_load_3d(o, h, i, 0, 32, D), tg = ws_load_3d(g, h, i, 0, 32, D);
            ws_store_col_2d(sums, h, i, ws_row_sum(ws_mul(ws_cast(to, WS_F32), ws_cast(tg, WS_F32))));
            ws_store_col_2d(powers, h, i, ws_mul(ws_load_col_2d(logs, h, i, 32), -1.44269504f));
            ws_store_4d(dq, h, i / QUERIES, 0, i % QUERIES, ws_zeros(WS_F32, D, 32));
        }
}

/* With `causal` the first keys have most to do: sections of heads, so many that their queries and sums stay in the L2
   cache, and in a section keys from the first to the last.  */
static void backward(int heads, int L, int causal, float scale, const ws_f16 *Q, const ws_f16 *K, const ws_f16 *V,
                     const ws_f16 *dO, const float *logs2, const float *delta, float *turned, ws_f16 *dK, ws_f16 *dV)
{
    ws_tensor q = ws_tensor_3d(Q, WS_F16, heads, L, D), k = ws_tensor_3d(K, WS_F16, heads, L, D);
    ws_tensor v = ws_tensor_3d(V, WS_F16, heads, L, D), g = ws_tensor_3d(dO, WS_F16, heads, L, D);
    ws_tensor dk = ws_tensor_3d(dK, WS_F16, heads, L, D), dv = ws_tensor_3d(dV, WS_F16, heads, L, D);
    ws_tensor logs = ws_tensor_2d(logs2, WS_F32, heads, L), sums = ws_tensor_2d(delta, WS_F32, heads, L);
    ws_tensor dq = ws_tensor_4d(turned, WS_F32, heads, BLOCKS(L), D, QUERIES);
    float power = scale * 1.44269504f;
    int section = causal && L < SECTION / D ? SECTION / D / L : 1;

    #pragma ws grid(3) registers(24, 240)
    for (int first = 0; first < heads; first += section)
        for (int j = 0; j < L; j += KEYS)
            for (int m = 0; m < section; m++) {
                int h = first + m;
                if (h >= heads)
                    continue;
                ws_tile tk = ws_load_3d(k, h, j, 0, KEYS, D), tv = ws_load_3d(v, h, j, 0, KEYS, D);
                ws_tile acc_k = ws_zeros(WS_F32, KEYS, D), acc_v = ws_zeros(WS_F32, KEYS, D);

                #pragma ws pipeline(2)
                for (int i = causal ? j : 0; i < L; i += QUERIES) {
                    ws_tile tq = ws_load_3d(q, h, i, 0, QUERIES, D), tg = ws_load_3d(g, h, i, 0, QUERIES, D);
                    ws_tile log = ws_load(logs, h, i, 1, QUERIES);
                    ws_tile s = ws_dot(tk, ws_trans(tq), ws_zeros(WS_F32, KEYS, QUERIES));
                    ws_tile t = ws_dot(tv, ws_trans(tg), ws_zeros(WS_F32, KEYS, QUERIES));
                    ws_tile row = ws_row_index(KEYS, 1), col = ws_col_index(1, QUERIES);
                    ws_tile seen = ws_and(ws_lt(col, L - i), ws_ge(col, ws_sub(row, causal ? i - j : L)));
                    ws_tile p = ws_select(seen, ws_exp2(ws_fma(s, power, log)), 0);
                    acc_v = ws_dot(ws_cast(p, WS_F16), tg, acc_v);
                    ws_tile sum = ws_load(sums, h, i, 1, QUERIES), ds = ws_cast(ws_mul(p, ws_sub(t, sum)), WS_F16);
                    ws_tile share = ws_dot(ws_trans(tk), ds, ws_zeros(WS_F32, D, QUERIES));
                    acc_k = ws_dot(ds, tq, acc_k);
                    ws_atomic_add_4d(dq, h, i / QUERIES, 0, 0, share);
                }
                ws_store_3d(dk, h, j, 0, ws_cast(ws_mul(acc_k, scale), WS_F16));
                ws_store_3d(dv, h, j, 0, ws_cast(acc_v, WS_F16));
            }
}

static void finish(int heads, int L, float scale, const float *turned, ws_f16 *dQ)
{
    ws_tensor sums = ws_tensor_4d(turned, WS_F32, heads, BLOCKS(L), D, QUERIES);
    ws_tensor dq = ws_tensor_3d(dQ, WS_F16, heads, L, D);

    #pragma ws grid(2)
    for (int h = 0; h < heads; h++)
        for (int i = 0; i < L; i += 32) {
            ws_tile sum = ws_load_4d(sums, h, i / QUERIES, 0, i % QUERIES, D, 32);
            ws_store_3d(dq, h, i, 0, ws_cast(ws_mul(ws_trans(sum), scale), WS_F16));
        }
}

/* `room` is for D + 2 numbers a row, of rows that fill blocks.  */
void attention_bwd(int heads, int L, int causal, float scale, const ws_f16 *Q, const ws_f16 *K, const ws_f16 *V,
                   const ws_f16 *O, const ws_f16 *dO, const float *lse, float *room, ws_f16 *dQ, ws_f16 *dK,
                   ws_f16 *dV)
{
    float *delta = room + (long)heads * BLOCKS(L) * QUERIES * D, *logs2 = delta + (long)heads * L;
    prepare(heads, L, O, dO, lse, delta, logs2, room);
    backward(heads, L, causal, scale, Q, K, V, dO, logs2, delta, room, dK, dV);
    finish(heads, L, scale, room, dQ);
}

/* ---- the same in double ------------------------------------------------------------------------------------------ */

typedef struct {
    double *q, *k, *v;
    double *size_q, *size_k, *size_v; /* sums of magnitudes, for the tolerance */
} gradients;

static void add(double *to, double *size, long row, double factor, check_rows from, long r)
{
    for (int c = 0; c < D; c++) {
        double x = factor * check_row_at(from, r, c);
        to[row * D + c] += x;
        size[row * D + c] += fabs(x);
    }
}

static void check_all(const void *base, long start, const double *wanted, const double *size, long count)
{
    for (long n = 0; n < count; n++)
        check_close(base, (size_t)(start + n), wanted[n], 0x1p-9 * size[n] + 1e-3);
}

int main(int argc, char **argv)
{
    check_begin("attention_bwd", argc, argv);
    long heads = check_size(1, 2), L = check_size(2, 200), size = L * D;
    float scale = 1 / sqrtf(D);
    double *p = calloc((size_t)L, sizeof *p), *sums = calloc((size_t)(6 * size), sizeof *sums);
    gradients d = {sums, sums + size, sums + 2 * size, sums + 3 * size, sums + 4 * size, sums + 5 * size};

    for (int causal = 0; causal < 2; causal++) {
        size_t count = (size_t)(heads * size);
        ws_f16 *Q = check_range(WS_F16, count, -2, 2), *K = check_range(WS_F16, count, -2, 2);
        ws_f16 *V = check_random(WS_F16, count), *dO = check_random(WS_F16, count), *O = check_output(WS_F16, count);
        ws_f16 *dQ = check_output(WS_F16, count), *dK = check_output(WS_F16, count), *dV = check_output(WS_F16, count);
        float *lse = check_output(WS_F32, (size_t)(heads * L));
        float *room = check_output(WS_F32, (size_t)(heads * BLOCKS(L) * QUERIES * (D + 2)));
        for (long h = 0; h < heads; h++)
            for (long r = 0; r < L; r++) {
                check_rows q = {Q, h * size, D}, k = {K, h * size, D}, v = {V, h * size, D};
                long last = causal ? r + 1 : L;
                lse[h * L + r] = (float)check_probabilities(p, q, r, k, 0, last, D, scale, 0);
                for (int c = 0; c < D; c++) {
                    double o = 0;
                    for (long j = 0; j < last; j++)
                        o += p[j] * check_row_at(v, j, c);
                    O[h * size + r * D + c] = ws_f16_from((float)o);
                }
            }

        attention_bwd((int)heads, (int)L, causal, scale, check_place(Q), check_place(K), check_place(V), check_place(O),
                      check_place(dO), check_place(lse), check_place(room), check_place(dQ), check_place(dK),
                      check_place(dV));
        check_fetch();
        for (long h = 0; h < heads; h++) {
            check_rows q = {Q, h * size, D}, k = {K, h * size, D}, v = {V, h * size, D}, g = {dO, h * size, D};
            check_rows o = {O, h * size, D};
            memset(sums, 0, sizeof *sums * (size_t)(6 * size));
            for (long r = 0; r < L; r++) {
                long last = causal ? r + 1 : L;
                double along = check_row_dot(g, r, o, r, D);
                check_probabilities(p, q, r, k, 0, last, D, scale, 0);
                for (long j = 0; j < last; j++) {
                    double s = scale * p[j] * (check_row_dot(g, r, v, j, D) - along);
                    add(d.v, d.size_v, j, p[j], g, r);
                    add(d.k, d.size_k, j, s, q, r);
                    add(d.q, d.size_q, r, s, k, j);
                }
            }
            check_all(dQ, h * size, d.q, d.size_q, size);
            check_all(dK, h * size, d.k, d.size_k, size);
            check_all(dV, h * size, d.v, d.size_v, size);
        }
        check_next();
    }
    free(p);
    free(sums);
    return check_end();
}
