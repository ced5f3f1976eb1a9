/* SPDX-License-Identifier: MIT */
/*
 * product.h - matrix products to copy into a program: one loop nest for each kind, and kernels of the six tile shapes that
 * product_choose.h chooses among.
 *
 *   product          C[n] = finish(A[n] B[n]), for each matrix of a batch; product_2x1 and so on: with blocks that share loads
 *   product_light    the same, in blocks of which a multiprocessor holds two: for few iterations
 *   product_skinny   the same, for few rows; product_promoted: with sums of fp8 in f32
 *   product_tall     the same, for many rows, few columns and a short K: B stays in shared memory
 *   product_step_1x1 and so on: tiles that follow each other at any step not longer than they; product_rows_1x1: the same, each
 *                    of them divided between the groups of threads, for one round of tiles
 *   product_even_1x1: so many tiles side by side that share the columns as evenly as eights allow
 *   product_summed   the same, K divided into parts that blocks of a cluster add: for few tiles with a long K
 *   product_part     the same, with parts in memory that product_sum adds: for more of them than a cluster has blocks
 *   product_grouped  rows of A in groups, each with its own B; the groups' first rows lie in device memory
 *
 * The bodies are static inline functions that take tensors.  Tile shape, element types, orientation and what follows the
 * loop are constants of a call, so each call becomes a kernel of its own.  PRODUCT (name, ...) makes the kernels of one pair
 * of types, and a function that calls the one that product_choose names.
 */
#ifndef PRODUCT_H
#define PRODUCT_H

#include <ws.h>
#include "product_choose.h"

/* ---- the loops --------------------------------------------------------------------------------------------------- */

/* A is M x K in memory, or K x M when turned; B is N x K, or K x N when turned. */
static inline ws_tile product_left(ws_tensor a, int turned, long n, long i, long k, int bm, int bk)
{
    return turned ? ws_trans(ws_load_3d(a, n, k, i, bk, bm)) : ws_load_3d(a, n, i, k, bm, bk);
}

static inline ws_tile product_right(ws_tensor b, int turned, long n, long j, long k, int bn, int bk)
{
    return turned ? ws_load_3d(b, n, k, j, bk, bn) : ws_trans(ws_load_3d(b, n, j, k, bn, bk));
}

/* What follows the loop while the sums are in registers. */
typedef enum {
    FINISH_NONE,
    FINISH_BIAS_GELU,     /* gelu(x + bias), bias a row: extra, 1 x N */
    FINISH_SILU_RESIDUAL, /* silu(x) + what lies in extra, M x N */
    FINISH_SCALES,        /* x, times one number for each row and one for each column: extra, 1 x M, and extra2, 1 x N */
    FINISH_QUANTIZE       /* x times the one number in extra, before the cast to fp8 */
} product_finish;

static inline ws_tile product_finished(ws_tile x, product_finish finish, ws_tensor extra, ws_tensor extra2, long i, long j,
                                       int bm, int bn)
{
    switch (finish) {
    case FINISH_BIAS_GELU:
        x = ws_add(x, ws_load_row(extra, j, bn));
        return ws_mul(ws_mul(x, 0.5f), ws_add(ws_erf(ws_mul(x, 0.70710678f)), 1.0f));
    case FINISH_SILU_RESIDUAL:
        return ws_add(ws_mul(x, ws_sigmoid(x)), ws_cast(ws_load(extra, i, j, bm, bn), WS_F32));
    case FINISH_SCALES:
        return ws_mul(ws_mul(x, ws_load_col(extra, i, bm)), ws_load_row(extra2, j, bn));
    case FINISH_QUANTIZE:
        return ws_mul(x, ws_at_float(extra, 0));
    default:
        return x;
    }
}

#define PRODUCT_PRAGMA_(text) _Pragma(#text)

/* One tile of C.  pipeline(auto): groups of threads take whole tiles in turn where a group can hold one, so that one's epilogue
   runs under the other's products; else they divide its rows. */
#define PRODUCT_TILE_(name, ...)                                                                                       \
    static inline void name(ws_tensor a, ws_tensor b, ws_tensor c, ws_tensor extra, ws_tensor extra2, long n, long i,  \
                            long j, int K, int trans_a, int trans_b, ws_dtype sum, ws_dtype out, product_finish finish,  \
                            int bm, int bn, int bk)                                                                    \
    {                                                                                                                  \
        ws_tile acc = ws_zeros(sum, bm, bn);                                                                           \
                                                                                                                       \
        PRODUCT_PRAGMA_(ws pipeline(__VA_ARGS__))                                                                      \
        for (int k = 0; k < K; k += bk)                                                                                \
            acc = ws_dot(product_left(a, trans_a, n, i, k, bm, bk), product_right(b, trans_b, n, j, k, bn, bk), acc);    \
        acc = product_finished(acc, finish, extra, extra2, i, j, bm, bn);                                              \
        ws_store_3d(c, n, i, j, ws_cast(acc, out));                                                                    \
    }
PRODUCT_TILE_(product_tile, auto)
PRODUCT_TILE_(product_tile_4, 4, 2)
PRODUCT_TILE_(product_tile_6, 6, 2)

/* All tiles.  Where cluster(rows, columns) joins blocks, those of one column of tiles load B together, those of one row A. */
#define PRODUCT_LOOPS_(name, tile, grid_clauses)                                                                       \
    static inline void name(ws_tensor a, ws_tensor b, ws_tensor c, ws_tensor extra, ws_tensor extra2, int batch,       \
                            int M, int N, int K, int trans_a, int trans_b, ws_dtype sum, ws_dtype out,                   \
                            product_finish finish, int bm, int bn, int bk)                                             \
    {                                                                                                                  \
        PRODUCT_PRAGMA_(ws grid(3) grid_clauses)                                                                       \
        for (int n = 0; n < batch; n++)                                                                                \
            for (int i = 0; i < M; i += bm)                                                                            \
                for (int j = 0; j < N; j += bn)                                                                        \
                    tile(a, b, c, extra, extra2, n, i, j, K, trans_a, trans_b, sum, out, finish, bm, bn, bk);            \
    }

/* The same at a step that may be shorter than a tile has columns: so many of its columns are copied in, multiplied and stored. */
#define PRODUCT_STEPS_(name, tile, grid_clauses)                                                                       \
    static inline void name(ws_tensor a, ws_tensor b, ws_tensor c, ws_tensor extra, ws_tensor extra2, int batch,       \
                            int M, int N, int K, int step, int trans_a, int trans_b, ws_dtype sum, ws_dtype out,         \
                            product_finish finish, int bm, int bn, int bk)                                             \
    {                                                                                                                  \
        PRODUCT_PRAGMA_(ws grid(3) grid_clauses)                                                                       \
        for (int n = 0; n < batch; n++)                                                                                \
            for (int i = 0; i < M; i += bm)                                                                            \
                for (int j = 0; j < N; j += step)                                                                      \
                    tile(a, b, ws_slice(c, 2, 0, j + step), extra, extra2, n, i, j, K, trans_a, trans_b, sum, out,       \
                         finish, bm, bn, bk);                                                                          \
    }

/* The same in equal shares of all columns, `across` of them: the first have eight more than the others.  In bands of rows of tiles
   the wide ones are shared out to all multiprocessors. */
static inline void product_even_1x1(ws_tensor a, ws_tensor b, ws_tensor c, ws_tensor extra, ws_tensor extra2, int batch, int M,
                                    int N, int K, int across, int trans_a, int trans_b, ws_dtype sum, ws_dtype out,
                                    product_finish finish, int bm, int bn, int bk)
{
    const int eights = (N + 7) / 8, narrow = eights / across, wider = eights % across;

    #pragma ws grid(3) order(grouped(16))
    for (int n = 0; n < batch; n++)
        for (int i = 0; i < M; i += bm)
            for (int t = 0; t < across; t++) {
                const int j = 8 * (t * narrow + (t < wider ? t : wider)), end = j + 8 * (narrow + (t < wider));
                product_tile(a, b, ws_slice(c, 2, 0, end), extra, extra2, n, i, j, K, trans_a, trans_b, sum, out, finish,
                             bm, bn, bk);
            }
}

PRODUCT_LOOPS_(product, product_tile, )
PRODUCT_LOOPS_(product_2x1, product_tile, cluster(2, 1))
PRODUCT_LOOPS_(product_4x1, product_tile, cluster(4, 1))
#define product_1x1 product
PRODUCT_STEPS_(product_step_1x1, product_tile, )
PRODUCT_STEPS_(product_step_1x2, product_tile, cluster(1, 2))
PRODUCT_STEPS_(product_step_1x4, product_tile, cluster(1, 4))
PRODUCT_STEPS_(product_step_2x1, product_tile, cluster(2, 1))
PRODUCT_STEPS_(product_step_2x2, product_tile, cluster(2, 2))
PRODUCT_STEPS_(product_step_2x4, product_tile, cluster(2, 4))
PRODUCT_STEPS_(product_step_4x1, product_tile, cluster(4, 1))

/* For one round of tiles, where no group's epilogue is under another's products: each does half of it. */
PRODUCT_STEPS_(product_rows_1x1, product_tile, consumers(2, rows))
PRODUCT_STEPS_(product_rows_1x2, product_tile, cluster(1, 2) consumers(2, rows))
PRODUCT_STEPS_(product_rows_1x4, product_tile, cluster(1, 4) consumers(2, rows))
PRODUCT_STEPS_(product_rows_2x1, product_tile, cluster(2, 1) consumers(2, rows))
PRODUCT_STEPS_(product_rows_2x2, product_tile, cluster(2, 2) consumers(2, rows))
PRODUCT_STEPS_(product_rows_2x4, product_tile, cluster(2, 4) consumers(2, rows))
PRODUCT_STEPS_(product_rows_4x1, product_tile, cluster(4, 1) consumers(2, rows))

/* With one group of threads, and few slots, so that a multiprocessor has room for two blocks, and for the next kernel's while one
   of this one's ends. */
PRODUCT_LOOPS_(product_light_4_1x1, product_tile_4, consumers(1))
PRODUCT_LOOPS_(product_light_6_1x1, product_tile_6, consumers(1))
PRODUCT_LOOPS_(product_light_6_4x1, product_tile_6, cluster(4, 1) consumers(1))

/* The same for at most PRODUCT_SHORT iterations of 128 bytes of k: the epilogue is as long as the loop above it, and a slot less
   leaves memory for the stores, so that its registers are free at once. */
static inline void product_short(ws_tensor a, ws_tensor b, ws_tensor c, ws_tensor extra, ws_tensor extra2, int batch, int M,
                                 int N, int K, int trans_a, int trans_b, ws_dtype sum, ws_dtype out, product_finish finish,
                                 int bm, int bn, int bk)
{
    #pragma ws grid(3) consumers(2, tiles)
    for (int n = 0; n < batch; n++)
        for (int i = 0; i < M; i += bm)
            for (int j = 0; j < N; j += bn) {
                ws_tile acc = ws_zeros(sum, bm, bn);

                #pragma ws pipeline(4, 2) pingpong
                for (int k = 0; k < K; k += bk)
                    acc = ws_dot(product_left(a, trans_a, n, i, k, bm, bk), product_right(b, trans_b, n, j, k, bn, bk), acc);
                acc = product_finished(acc, finish, extra, extra2, i, j, bm, bn);
                ws_store_3d(c, n, i, j, ws_cast(acc, out));
            }
}

/* For fp8, whose products the tensor cores sum in about 13 bits: what four iterations give is added to a sum in f32. */
static inline void product_promoted(ws_tensor a, ws_tensor b, ws_tensor c, ws_tensor extra, ws_tensor extra2, int batch, int M,
                                    int N, int K, int trans_a, int trans_b, ws_dtype sum, ws_dtype out, product_finish finish,
                                    int bm, int bn, int bk)
{
    #pragma ws grid(3)
    for (int n = 0; n < batch; n++)
        for (int i = 0; i < M; i += bm)
            for (int j = 0; j < N; j += bn) {
                ws_tile acc = ws_zeros(sum, bm, bn);
                for (int first = 0; first < K; first += 4 * bk) {
                    ws_tile part = ws_zeros(sum, bm, bn);

                    #pragma ws pipeline(auto)
                    for (int k = first; k < first + 4 * bk; k += bk)
                        part = ws_dot(product_left(a, trans_a, n, i, k, bm, bk), product_right(b, trans_b, n, j, k, bn, bk), part);
                    acc = ws_add(acc, part);
                }
                acc = product_finished(acc, finish, extra, extra2, i, j, bm, bn);
                ws_store_3d(c, n, i, j, ws_cast(acc, out));
            }
}

/* For few rows of A: they are the columns of a product whose result is turned, so that no multiplication is wasted.  Memory is
   what counts, and answers faster when tiles that run together do not all read at the same k: each begins one block
   further.  And more in flight than it can serve only makes some tiles wait for others. */
static inline void product_skinny(ws_tensor a, ws_tensor b, ws_tensor c, ws_tensor extra, ws_tensor extra2, int batch, int M,
                                  int N, int K, int trans_a, int trans_b, ws_dtype sum, ws_dtype out, product_finish finish,
                                  int bm, int bn, int bk)
{
    #pragma ws grid(3)
    for (int n = 0; n < batch; n++)
        for (int j = 0; j < N; j += bn)
            for (int i = 0; i < M; i += bm) {
                const int blocks = (K + bk - 1) / bk, end = blocks * bk, first = j / bn % (blocks > 0 ? blocks : 1) * bk;
                ws_tile acc = ws_zeros(sum, bn, bm);

                #pragma ws pipeline(5, 2)
                for (int from = 0; from < K; from += bk) {
                    const int k = from + first < end ? from + first : from + first - end;
                    acc = ws_dot(ws_trans(product_right(b, trans_b, n, j, k, bn, bk)),
                                 ws_trans(product_left(a, trans_a, n, i, k, bm, bk)), acc);
                }
                ws_tile x = product_finished(ws_trans(acc), finish, extra, extra2, i, j, bm, bn);
                ws_store_3d(c, n, i, j, ws_cast(x, out));
            }
}

/* For many rows of A, where a tile has all columns and all of K: the next tile wants the same of B, which stays where it is. */
static inline void product_tall(ws_tensor a, ws_tensor b, ws_tensor c, ws_tensor extra, ws_tensor extra2, int batch, int M, int N,
                                int K, int trans_a, int trans_b, ws_dtype sum, ws_dtype out, product_finish finish, int bm,
                                int bn, int bk)
{
    (void)K; /* at most PRODUCT_TALL_K */
#pragma ws grid(3) order(column)
    for (int n = 0; n < batch; n++)
        for (int i = 0; i < M; i += bm)
            for (int j = 0; j < N; j += bn) {
                ws_tile acc = ws_zeros(sum, bm, bn);

                #pragma ws pipeline(auto)
                for (int k = 0; k < PRODUCT_TALL_K; k += bk)
                    acc = ws_dot(product_left(a, trans_a, n, i, k, bm, bk), product_right(b, trans_b, n, j, k, bn, bk), acc);
                acc = product_finished(acc, finish, extra, extra2, i, j, bm, bn);
                ws_store_3d(c, n, i, j, ws_cast(acc, out));
            }
}

/* Parts of the sum over k, which as many blocks compute side by side; each then has some columns of the sum. */
static inline void product_summed(ws_tensor a, ws_tensor b, ws_tensor c, ws_tensor extra, ws_tensor extra2, int batch,
                                  int M, int N, int K, int step, int trans_a, int trans_b, ws_dtype sum,
                                  ws_dtype out, product_finish finish, int bm, int bn, int bk, int parts)
{
    #pragma ws grid(3)
    for (int n = 0; n < batch; n++)
        for (int i = 0; i < M; i += bm)
            for (int j = 0; j < N; j += step) {
                const int length = ((K + bk - 1) / bk + parts - 1) / parts * bk;
                ws_tile x = ws_zeros(sum, bm, bn);

                #pragma ws parts
                for (int s = 0; s < parts; s++) {
                    const int first = s * length, last = first + length < K ? first + length : K;
                    ws_tile part = ws_zeros(sum, bm, bn);

                    #pragma ws pipeline(auto)
                    for (int k = first; k < last; k += bk)
                        part = ws_dot(product_left(a, trans_a, n, i, k, bm, bk),
                                      product_right(b, trans_b, n, j, k, bn, bk), part);
                    x = ws_add(x, part);
                }
                x = product_finished(x, finish, extra, extra2, i, j, bm, bn);
                ws_store_3d(ws_slice(c, 2, 0, j + step), n, i, j, ws_cast(x, out));
            }
}
#define product_summed_4(...) product_summed(__VA_ARGS__, 4)
#define product_summed_8(...) product_summed(__VA_ARGS__, 8)

/* Part s of the sum over k goes to partial, which is batch x parts x M x N: plane s of matrix n. */
static inline void product_part_tile(ws_tensor a, ws_tensor b, ws_tensor partial, int plane, long i, long j, int K, int trans_a,
                                     int trans_b, ws_dtype sum, int parts, int bm, int bn, int bk)
{
    const int length = ((K + bk - 1) / bk + parts - 1) / parts * bk;
    const int n = plane / parts, s = plane % parts, first = s * length, last = first + length < K ? first + length : K;
    ws_tile acc = ws_zeros(sum, bm, bn);

    #pragma ws pipeline(auto)
    for (int k = first; k < last; k += bk)
        acc = ws_dot(product_left(a, trans_a, n, i, k, bm, bk), product_right(b, trans_b, n, j, k, bn, bk), acc);
    ws_store_4d(partial, n, s, i, j, acc);
}

#define PRODUCT_PART_LOOPS_(name, grid_clauses)                                                                        \
    static inline void name(ws_tensor a, ws_tensor b, ws_tensor partial, int batch, int M, int N, int K, int trans_a,   \
                            int trans_b, ws_dtype sum, int parts, int bm, int bn, int bk)                               \
    {                                                                                                                  \
        PRODUCT_PRAGMA_(ws grid(3) grid_clauses)                                                                       \
        for (int plane = 0; plane < batch * parts; plane++)                                                            \
            for (int i = 0; i < M; i += bm)                                                                            \
                for (int j = 0; j < N; j += bn)                                                                        \
                    product_part_tile(a, b, partial, plane, i, j, K, trans_a, trans_b, sum, parts, bm, bn, bk);          \
    }
PRODUCT_PART_LOOPS_(product_part_1x1, )
PRODUCT_PART_LOOPS_(product_part_2x1, cluster(2, 1))

/* C = finish(the parts' sum).  partial is batch x parts x M x N.  What counts is how long memory takes to answer: all parts are
   under way at once, of two tiles in a multiprocessor. */
static inline void product_sum(ws_tensor partial, ws_tensor c, ws_tensor extra, ws_tensor extra2, int batch, int M, int N,
                               int parts, ws_dtype sum, ws_dtype out, product_finish finish)
{
    enum { BM = 64, BN = 32 };

    #pragma ws grid(3) consumers(1)
    for (int n = 0; n < batch; n++)
        for (int i = 0; i < M; i += BM)
            for (int j = 0; j < N; j += BN) {
                ws_tile x = ws_zeros(sum, BM, BN);

                #pragma ws pipeline(8)
                for (int s = 0; s < parts; s++)
                    x = ws_add(x, ws_load_4d(partial, n, s, i, j, BM, BN));
                x = product_finished(x, finish, extra, extra2, i, j, BM, BN);
                ws_store_3d(c, n, i, j, ws_cast(x, out));
            }
}

/* Group g has the rows first[g] to first[g + 1] of A and of C, and B[g].  `tiles` is at least the groups' row tiles together:
   total rows / bm + groups always is, and who knows fewer says so; those that there are not come last. */
typedef struct {
    int group, begin, end; /* its rows */
    int i;                 /* the tile's first among them, not below end - begin if there is no such tile */
} product_place;

/* The t-th row of tiles.  No load waits for another, for nothing else hides what comes before a tile's first copy. */
static inline product_place product_row_of_tiles(ws_tensor first, int groups, int t, int bm)
{
    product_place at = {0, 0, 0, 0};
    int passed = 0;
    for (int g = 0; g < groups; g++) {
        const int begin = (int)ws_at(first, g), end = (int)ws_at(first, g + 1);
        if (t >= passed)
            at = (product_place){g, begin, end, (t - passed) * bm};
        passed += (end - begin + bm - 1) / bm;
    }
    return at;
}

/* A group's last tile is not to write the next one's rows, nor a tile the next one's columns. */
static inline void product_grouped_tile(ws_tensor a, ws_tensor b, ws_tensor c, product_place at, int j, int next, int K,
                                        ws_dtype sum, ws_dtype out, int bm, int bn, int bk)
{
    ws_tile acc = ws_zeros(sum, bm, bn);

    #pragma ws pipeline(auto)
    for (int k = 0; k < K; k += bk)
        acc = ws_dot(ws_load(a, at.begin + at.i, k, bm, bk), ws_trans(ws_load_3d(b, at.group, j, k, bn, bk)), acc);
    ws_store(ws_slice(ws_slice(c, 0, at.begin, at.end), 1, 0, next), at.i, j, ws_cast(acc, out));
}

static inline int product_less(int x, int y)
{
    return x < y ? x : y;
}

/* Where a column of tiles begins: `wide` of `across` in turn, from one on, have eight columns more than `least` eights. */
static inline int product_share(int column, int turn, int across, int least, int wide)
{
    const int left = wide > turn ? wide - turn : 0, behind = column + turn > across ? column + turn - across : 0;
    return 8 * (column * least + product_less(left, column) + product_less(behind, wide));
}

/* A row's tiles share its columns equally, to eight, and none has more than bn: so no round of tiles has a narrow one that others
   wait for.  The wide ones begin elsewhere every four rows, since a multiprocessor's tiles may all stand in the same columns.  Two
   rows of tiles go together, so that both find in L2 what one of them reads. */
static inline void product_grouped(ws_tensor a, ws_tensor b, ws_tensor c, ws_tensor first, int groups, int tiles, int N, int K,
                                   product_division divided, ws_dtype sum, ws_dtype out, int bm, int bn, int bk)
{
    const int few = divided.across, many = few + 1, eights = (N + 7) / 8;
    const int more = product_less(divided.more, tiles / 2), behind = 2 * many * more;

    #pragma ws grid(1)
    for (int tile = 0; tile < behind + few * (tiles - 2 * more); tile++) {
        const int longer = tile < behind, across = few + longer, from = longer ? tile : tile - behind;
        const int pair = from / (2 * across), inside = from % (2 * across), row = 2 * (longer ? pair : more + pair);
        const int alone = row + 1 == tiles, t = row + (alone ? 0 : inside % 2), column = alone ? inside : inside / 2;
        const product_place at = product_row_of_tiles(first, groups, t, bm);
        if (at.i >= at.end - at.begin)
            continue;
        const int least = longer ? eights / many : eights / few, wide = eights - least * across;
        const int turn = product_less(t / 4 % 16, across - 1), j = product_share(column, turn, across, least, wide);
        const int next = product_share(column + 1, turn, across, least, wide);
        product_grouped_tile(a, b, c, at, j, next, K, sum, out, bm, bn, bk);
    }
}

/* ---- a call, and the kernels of one pair of types ---------------------------------------------------------------- */

typedef struct {
    int batch, M, N, K;
    long lda, ldb, ldc;     /* elements from one row to the next; the matrices of a batch follow each other */
    const void *A, *B;
    void *C;
    const void *extra, *extra2; /* what the finish wants */
    void *partial;          /* room for parts x batch x M x N sums of 4 bytes, where K is divided */
} product_call;

typedef void product_kernel_(const product_call *p, product_choice choice);

static inline ws_tensor product_matrix(const void *base, ws_dtype type, int batch, long rows, long cols, long ld)
{
    return ws_tensor_strided(base, type, 3, ((long[]){batch, rows, cols}), ((long[]){rows * ld, ld, 1}));
}

static inline ws_tensor product_extra(const product_call *p, product_finish finish, int second)
{
    switch (finish) {
    case FINISH_SILU_RESIDUAL:
        return ws_tensor_2d(p->extra, WS_F16, p->M, p->N);
    case FINISH_SCALES:
        return second ? ws_tensor_1d(p->extra2, WS_F32, p->N) : ws_tensor_1d(p->extra, WS_F32, p->M);
    case FINISH_QUANTIZE:
        return ws_tensor_1d(p->extra, WS_F32, 1);
    case FINISH_BIAS_GELU:
        return ws_tensor_1d(p->extra, WS_F32, p->N);
    default:
        return ws_tensor_1d(p->C, WS_F32, 0);
    }
}

#define PRODUCT_BEGIN_(name, a_type, b_type, trans_a, trans_b)                                                           \
    static void name(const product_call *p, product_choice choice)                                                     \
    {                                                                                                                  \
        const int batch = p->batch, M = p->M, N = p->N, K = p->K;                                                      \
        ws_tensor a = product_matrix(p->A, a_type, batch, trans_a ? K : M, trans_a ? M : K, p->lda);                     \
        ws_tensor b = product_matrix(p->B, b_type, batch, trans_b ? K : N, trans_b ? N : K, p->ldb);

/* Elements of k in 128 bytes. */
#define PRODUCT_DEPTH_(type) ((type) == WS_F32 ? 32 : (type) == WS_F16 || (type) == WS_BF16 ? 64 : 128)

#define PRODUCT_WHOLE_(name, loops, a_type, b_type, sum, out, trans_a, trans_b, finish, bm, bn, lines)                   \
    PRODUCT_BEGIN_(name, a_type, b_type, trans_a, trans_b)                                                               \
        ws_tensor c = product_matrix(p->C, out, batch, M, N, p->ldc);                                                  \
        ws_tensor extra = product_extra(p, finish, 0), extra2 = product_extra(p, finish, 1);                           \
        (void)choice;                                                                                                  \
        loops(a, b, c, extra, extra2, batch, M, N, K, trans_a, trans_b, sum, out, finish, bm, bn,                        \
              lines * PRODUCT_DEPTH_(a_type));                                                                         \
    }

#define PRODUCT_STEPPED_(name, loops, a_type, b_type, sum, out, trans_a, trans_b, finish, bm, bn, lines)                 \
    PRODUCT_BEGIN_(name, a_type, b_type, trans_a, trans_b)                                                               \
        ws_tensor c = product_matrix(p->C, out, batch, M, N, p->ldc);                                                  \
        ws_tensor extra = product_extra(p, finish, 0), extra2 = product_extra(p, finish, 1);                           \
        const int step = choice.step ? choice.step : bn;                                                               \
        loops(a, b, c, extra, extra2, batch, M, N, K, step, trans_a, trans_b, sum, out, finish, bm, bn,                  \
              lines * PRODUCT_DEPTH_(a_type));                                                                         \
    }

#define PRODUCT_EVEN_(name, loops, a_type, b_type, sum, out, trans_a, trans_b, finish, bm, bn, lines)                    \
    PRODUCT_BEGIN_(name, a_type, b_type, trans_a, trans_b)                                                               \
        ws_tensor c = product_matrix(p->C, out, batch, M, N, p->ldc);                                                  \
        ws_tensor extra = product_extra(p, finish, 0), extra2 = product_extra(p, finish, 1);                           \
        const int across = product_across(choice, N);                                                                  \
        loops(a, b, c, extra, extra2, batch, M, N, K, across, trans_a, trans_b, sum, out, finish, bm, bn,                \
              lines * PRODUCT_DEPTH_(a_type));                                                                         \
    }

#define PRODUCT_PART_WHOLE_(...)
#define PRODUCT_PART_STEPPED_(...)
#define PRODUCT_PART_ROWS_(...)
#define PRODUCT_PART_EVEN_(...)
#define PRODUCT_PART_DIVIDED_(name, loops, a_type, b_type, sum, out, trans_a, trans_b, finish, bm, bn, lines)            \
    PRODUCT_BEGIN_(name, a_type, b_type, trans_a, trans_b)                                                               \
        const int parts = choice.parts;                                                                                \
        ws_tensor partial = ws_tensor_4d(p->partial, sum, batch, parts, M, N);                                         \
        loops(a, b, partial, batch, M, N, K, trans_a, trans_b, sum, parts, bm, bn, lines * PRODUCT_DEPTH_(a_type));      \
    }

/* The kernel, or both, of one form. */
#define PRODUCT_NAME_(name, kind, rows, cols, down, across) name##_##rows##x##cols##_##kind##_##down##x##across
#define PRODUCT_KERNELS_(kind, rows, cols, lines, down, across, name, ...)                                               \
    PRODUCT_KERNEL_##kind##_(PRODUCT_NAME_(name, kind, rows, cols, down, across), down##x##across, __VA_ARGS__, rows, cols, lines) \
    PRODUCT_PART_##kind##_(PRODUCT_NAME_(name##_part, kind, rows, cols, down, across), product_part_##down##x##across,   \
                           __VA_ARGS__, rows, cols, lines)
#define PRODUCT_KERNEL_WHOLE_(name, cluster, ...) PRODUCT_WHOLE_(name, product_##cluster, __VA_ARGS__)
#define PRODUCT_KERNEL_DIVIDED_(name, cluster, ...) PRODUCT_WHOLE_(name, product_##cluster, __VA_ARGS__)
#define PRODUCT_KERNEL_STEPPED_(name, cluster, ...) PRODUCT_STEPPED_(name, product_step_##cluster, __VA_ARGS__)
#define PRODUCT_KERNEL_ROWS_(name, cluster, ...)    PRODUCT_STEPPED_(name, product_rows_##cluster, __VA_ARGS__)
#define PRODUCT_KERNEL_EVEN_(name, cluster, ...) PRODUCT_EVEN_(name, product_even_##cluster, __VA_ARGS__)
#define PRODUCT_PLACE_(kind, rows, cols, lines, down, across, name) PRODUCT_NAME_(name, kind, rows, cols, down, across),
#define PRODUCT_LIGHT_NAME_(name, rows, cols, lines, slots, down, across) name##_##rows##x##cols##_light_##down##x##across
#define PRODUCT_LIGHT_(rows, cols, lines, slots, down, across, name, ...)                 \
    PRODUCT_WHOLE_(PRODUCT_LIGHT_NAME_(name, rows, cols, lines, slots, down, across), \
                   product_light_##slots##_##down##x##across, __VA_ARGS__, rows, cols, lines)
#define PRODUCT_LIGHT_PLACE_(rows, cols, lines, slots, down, across, name) \
    PRODUCT_LIGHT_NAME_(name, rows, cols, lines, slots, down, across),
#define PRODUCT_SUMMED_(rows, cols, lines, parts, name, ...) \
    PRODUCT_STEPPED_(name##_##rows##x##cols##_by_##parts, product_summed_##parts, __VA_ARGS__, rows, cols, lines)
#define PRODUCT_SUMMED_PLACE_(rows, cols, lines, parts, name) name##_##rows##x##cols##_by_##parts,
#define PRODUCT_PART_PLACE_WHOLE_(name) 0,
#define PRODUCT_PART_PLACE_STEPPED_(name) 0,
#define PRODUCT_PART_PLACE_ROWS_(name) 0,
#define PRODUCT_PART_PLACE_EVEN_(name) 0,
#define PRODUCT_PART_PLACE_DIVIDED_(name) name,
#define PRODUCT_PART_PLACE_(kind, rows, cols, lines, down, across, name) \
    PRODUCT_PART_PLACE_##kind##_(PRODUCT_NAME_(name##_part, kind, rows, cols, down, across))

#define PRODUCT_SUM_(name, sum, out, finish)                                                                           \
    static void name(const product_call *p, product_choice choice)                                                     \
    {                                                                                                                  \
        const int batch = p->batch, M = p->M, N = p->N, parts = choice.parts;                                          \
        ws_tensor partial = ws_tensor_4d(p->partial, sum, batch, parts, M, N);                                         \
        ws_tensor c = product_matrix(p->C, out, batch, M, N, p->ldc);                                                  \
        ws_tensor extra = product_extra(p, finish, 0), extra2 = product_extra(p, finish, 1);                           \
        product_sum(partial, c, extra, extra2, batch, M, N, parts, sum, out, finish);                                  \
    }

/* One kernel, of product or product_promoted: name (call, choice), which does not look at the choice. */
#define PRODUCT_ONE(name, loops, a_type, b_type, sum, out, trans_a, trans_b, finish, bm, bn)                             \
    PRODUCT_WHOLE_(name##_whole, loops, a_type, b_type, sum, out, trans_a, trans_b, finish, bm, bn, 1)                   \
    void name(const product_call *p, product_choice choice)                                                            \
    {                                                                                                                  \
        name##_whole(p, choice);                                                                                       \
    }

/* All: name (call, choice). */
#define PRODUCT(name, a_type, b_type, sum, out, trans_a, trans_b, finish)                                        \
    PRODUCT_FORMS(PRODUCT_KERNELS_, name, a_type, b_type, sum, out, trans_a, trans_b, finish)                    \
    PRODUCT_LIGHTS(PRODUCT_LIGHT_, name, a_type, b_type, sum, out, trans_a, trans_b, finish)                     \
    PRODUCT_SUMS(PRODUCT_SUMMED_, name, a_type, b_type, sum, out, trans_a, trans_b, finish)                      \
    PRODUCT_WHOLE_(name##_short, product_short, a_type, b_type, sum, out, trans_a, trans_b, finish, 128, PRODUCT_SHORT_COLS, 1) \
    PRODUCT_WHOLE_(name##_tall, product_tall, a_type, b_type, sum, out, trans_a, trans_b, finish, 64, 256, 1)    \
    PRODUCT_WHOLE_(name##_skinny, product_skinny, a_type, b_type, sum, out, trans_a, trans_b, finish, 16, 64, 4) \
    PRODUCT_SUM_(name##_sum, sum, out, finish)                                                                 \
    void name(const product_call *p, product_choice choice)                                                    \
    {                                                                                                          \
        static product_kernel_ *const whole[] = {                                                              \
            PRODUCT_FORMS(PRODUCT_PLACE_, name) PRODUCT_LIGHTS(PRODUCT_LIGHT_PLACE_, name)                     \
                PRODUCT_SUMS(PRODUCT_SUMMED_PLACE_, name) name##_skinny, name##_tall};                         \
        static product_kernel_ *const part[] = {PRODUCT_FORMS(PRODUCT_PART_PLACE_, name) 0};                   \
        if (choice.parts > 1) {                                                                                \
            part[choice.form](p, choice);                                                                      \
            name##_sum(p, choice);                                                                             \
        } else if (product_is_short(choice, p->K * 128L / PRODUCT_DEPTH_(a_type))) { \
            name##_short(p, choice);                                                                           \
        } else {                                                                                               \
            whole[choice.form](p, choice);                                                                     \
        }                                                                                                      \
    }

#endif
