/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A loop over products whose mask matters from one iteration on: two loops, which end anywhere, and sums that leave
   I32. */
#include "test.h"

enum { S = 64, D = 64 };

#define BLOCK(j)                                                                                      \
    ws_tile s = ws_dot(tq, ws_trans(ws_load(k, j, 0, S, D)), ws_zeros(WS_F32, S, S));                 \
    ws_tile row = ws_row_index(S, 1), col = ws_col_index(1, S);                                       \
    ws_tile seen = ws_and(ws_lt(col, N - (j)), ws_le(col, ws_add(row, bounded ? far + i - (j) : M))); \
    s = ws_select(seen, s, 1);                                                                        \
    sum = ws_add(sum, ws_row_sum(s));                                                                 \
    acc = ws_dot(ws_cast(s, WS_F16), ws_load(v, j, 0, S, D), acc)

static void below(int M, int N, int first, int last, int bounded, int far, const ws_f16 *Q, const ws_f16 *K,
                  const ws_f16 *V, float *O, float *R)
{
    ws_tensor q = ws_tensor_2d(Q, WS_F16, M, D), k = ws_tensor_2d(K, WS_F16, N, D), v = ws_tensor_2d(V, WS_F16, N, D);
    ws_tensor o = ws_tensor_2d(O, WS_F32, M, D), r = ws_tensor_1d(R, WS_F32, M);

#pragma ws grid(1)
    for (int i = 0; i < M; i += S) {
        ws_tile tq = ws_load(q, i, 0, S, D), acc = ws_zeros(WS_F32, S, D), sum = ws_zeros(WS_F32, S, 1);
#pragma ws pipeline(2)
        for (int j = first; j < last; j += S) {
            BLOCK(j);
        }
        ws_store(o, i, 0, acc);
        ws_store_col(r, i, sum);
    }
}

static void up_to(int M, int N, int first, int last, int bounded, int far, const ws_f16 *Q, const ws_f16 *K,
                  const ws_f16 *V, float *O, float *R)
{
    ws_tensor q = ws_tensor_2d(Q, WS_F16, M, D), k = ws_tensor_2d(K, WS_F16, N, D), v = ws_tensor_2d(V, WS_F16, N, D);
    ws_tensor o = ws_tensor_2d(O, WS_F32, M, D), r = ws_tensor_1d(R, WS_F32, M);

#pragma ws grid(1)
    for (int i = 0; i < M; i += S) {
        ws_tile tq = ws_load(q, i, 0, S, D), acc = ws_zeros(WS_F32, S, D), sum = ws_zeros(WS_F32, S, 1);
#pragma ws pipeline(2)
        for (long j = first; j <= last - 1; j += S) {
            BLOCK((int)j);
        }
        ws_store(o, i, 0, acc);
        ws_store_col(r, i, sum);
    }
}

/* A row's scores are small whole numbers, so are the sums: of column c of V, of the scores themselves for c = D.  */
static double wanted(const int *w, int M, const ws_f16 *Q, const ws_f16 *K, const ws_f16 *V, long i, long c)
{
    double sum = 0;
    for (long j = w[1]; j < w[2]; j += S)
        for (long n = 0; n < S; n++) {
            int bound = w[3] ? (int)((unsigned)w[4] + (unsigned)(i - i % S) - (unsigned)j) : M;
            int seen = j + n < w[0] && n <= (int)((unsigned)(i % S) + (unsigned)bound);
            double s = 0;
            for (long d = 0; d < D && seen; d++)
                s += ws_f16_to(Q[i * D + d]) * ws_f16_to(K[(j + n) * D + d]);
            sum += (seen ? s : 1) * (c == D ? 1 : j + n < w[0] ? ws_f16_to(V[(j + n) * D + c]) : 0);
        }
    return sum;
}

static ws_f16 *numbers(long count, int most)
{
    ws_f16 *x = check_random(WS_F16, (size_t)count);
    for (long i = 0; i < count; i++)
        x[i] = ws_f16_from((float)((int)(i * 7919 % (2 * most + 1)) - most));
    return x;
}

int main(int argc, char **argv)
{
    check_begin("edge_of_loop", argc, argv);
    const int work[][5] = {{256, 0, 256, 1, 0},    {256, 0, 256, 0, 0},         {230, 0, 230, 1, 0},
                           {230, 64, 200, 1, 40},  {40, 0, 40, 1, 0},           {256, 0, 0, 1, 0},
                           {256, 128, 64, 1, 0},   {256, 0, 256, 1, -1000},     {191, 0, 191, 0, 0},
                           {191, 0, 192, 1, 127},  {191, 0, 192, 1, 128},       {230, 0, 256, 1, 90},
                           {230, 0, 320, 1, 1000}, {256, 0, 256, 1, 2147483500}};
    int M = 100;

    for (int k = 0; k < 2 * (int)(sizeof work / sizeof *work); k++) {
        const int *w = work[k / 2], N = w[0];
        ws_f16 *Q = numbers((long)M * D, 1), *K = numbers((long)N * D, 2), *V = numbers((long)N * D, 1);
        float *O = check_output(WS_F32, (size_t)M * D), *R = check_output(WS_F32, (size_t)M);
        (k % 2 ? up_to : below)(M, N, w[1], w[2], w[3], w[4], check_place(Q), check_place(K), check_place(V),
                                check_place(O), check_place(R));
        check_fetch();
        for (long i = 0; i < M; i++) {
            check_equal(R, i, (float)wanted(w, M, Q, K, V, i, D));
            for (long c = 0; c < D; c++)
                check_equal(O, i * D + c, (float)wanted(w, M, Q, K, V, i, c));
        }
        check_next();
    }
    return check_end();
}
