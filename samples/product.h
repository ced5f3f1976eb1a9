/* SPDX-License-Identifier: MIT */
/*
 * product.h - matrix products to copy into a program: one loop nest for each kind, six tile shapes, and a choice among them.
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

#include <math.h>
#include <ws.h>

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
                            long j, int K, int turn_a, int turn_b, ws_dtype sum, ws_dtype out, product_finish finish,  \
                            int bm, int bn, int bk)                                                                    \
    {                                                                                                                  \
        ws_tile acc = ws_zeros(sum, bm, bn);                                                                           \
                                                                                                                       \
        PRODUCT_PRAGMA_(ws pipeline(__VA_ARGS__))                                                                      \
        for (int k = 0; k < K; k += bk)                                                                                \
            acc = ws_dot(product_left(a, turn_a, n, i, k, bm, bk), product_right(b, turn_b, n, j, k, bn, bk), acc);    \
        acc = product_finished(acc, finish, extra, extra2, i, j, bm, bn);                                              \
        ws_store_3d(c, n, i, j, ws_cast(acc, out));                                                                    \
    }
PRODUCT_TILE_(product_tile, auto)
PRODUCT_TILE_(product_tile_4, 4, 2)
PRODUCT_TILE_(product_tile_6, 6, 2)

/* All tiles.  Where cluster(rows, columns) joins blocks, those of one column of tiles load B together, those of one row A. */
#define PRODUCT_LOOPS_(name, tile, grid_clauses)                                                                       \
    static inline void name(ws_tensor a, ws_tensor b, ws_tensor c, ws_tensor extra, ws_tensor extra2, int batch,       \
                            int M, int N, int K, int turn_a, int turn_b, ws_dtype sum, ws_dtype out,                   \
                            product_finish finish, int bm, int bn, int bk)                                             \
    {                                                                                                                  \
        PRODUCT_PRAGMA_(ws grid(3) grid_clauses)                                                                       \
        for (int n = 0; n < batch; n++)                                                                                \
            for (int i = 0; i < M; i += bm)                                                                            \
                for (int j = 0; j < N; j += bn)                                                                        \
                    tile(a, b, c, extra, extra2, n, i, j, K, turn_a, turn_b, sum, out, finish, bm, bn, bk);            \
    }

/* The same at a step that may be shorter than a tile has columns: so many of its columns are copied in, multiplied and stored. */
#define PRODUCT_STEPS_(name, tile, grid_clauses)                                                                       \
    static inline void name(ws_tensor a, ws_tensor b, ws_tensor c, ws_tensor extra, ws_tensor extra2, int batch,       \
                            int M, int N, int K, int step, int turn_a, int turn_b, ws_dtype sum, ws_dtype out,         \
                            product_finish finish, int bm, int bn, int bk)                                             \
    {                                                                                                                  \
        PRODUCT_PRAGMA_(ws grid(3) grid_clauses)                                                                       \
        for (int n = 0; n < batch; n++)                                                                                \
            for (int i = 0; i < M; i += bm)                                                                            \
                for (int j = 0; j < N; j += step)                                                                      \
                    tile(a, b, ws_slice(c, 2, 0, j + step), extra, extra2, n, i, j, K, turn_a, turn_b, sum, out,       \
                         finish, bm, bn, bk);                                                                          \
    }

/* The same in equal shares of all columns, `across` of them: the first have eight more than the others.  In bands of rows of tiles
   the wide ones are shared out to all multiprocessors. */
static inline void product_even_1x1(ws_tensor a, ws_tensor b, ws_tensor c, ws_tensor extra, ws_tensor extra2, int batch, int M,
                                    int N, int K, int across, int turn_a, int turn_b, ws_dtype sum, ws_dtype out,
                                    product_finish finish, int bm, int bn, int bk)
{
    const int eights = (N + 7) / 8, narrow = eights / across, wider = eights % across;

    #pragma ws grid(3) order(grouped(16))
    for (int n = 0; n < batch; n++)
        for (int i = 0; i < M; i += bm)
            for (int t = 0; t < across; t++) {
                const int j = 8 * (t * narrow + (t < wider ? t : wider)), end = j + 8 * (narrow + (t < wider));
                product_tile(a, b, ws_slice(c, 2, 0, end), extra, extra2, n, i, j, K, turn_a, turn_b, sum, out, finish,
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
enum { PRODUCT_SHORT = 6, PRODUCT_SHORT_COLS = 192 };
static inline void product_short(ws_tensor a, ws_tensor b, ws_tensor c, ws_tensor extra, ws_tensor extra2, int batch, int M,
                                 int N, int K, int turn_a, int turn_b, ws_dtype sum, ws_dtype out, product_finish finish,
                                 int bm, int bn, int bk)
{
    #pragma ws grid(3) consumers(2, tiles)
    for (int n = 0; n < batch; n++)
        for (int i = 0; i < M; i += bm)
            for (int j = 0; j < N; j += bn) {
                ws_tile acc = ws_zeros(sum, bm, bn);

                #pragma ws pipeline(4, 2) pingpong
                for (int k = 0; k < K; k += bk)
                    acc = ws_dot(product_left(a, turn_a, n, i, k, bm, bk), product_right(b, turn_b, n, j, k, bn, bk), acc);
                acc = product_finished(acc, finish, extra, extra2, i, j, bm, bn);
                ws_store_3d(c, n, i, j, ws_cast(acc, out));
            }
}

/* For fp8, whose products the matrix units sum in about 13 bits: what four iterations give is added to a sum in f32. */
static inline void product_promoted(ws_tensor a, ws_tensor b, ws_tensor c, ws_tensor extra, ws_tensor extra2, int batch, int M,
                                    int N, int K, int turn_a, int turn_b, ws_dtype sum, ws_dtype out, product_finish finish,
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
                        part = ws_dot(product_left(a, turn_a, n, i, k, bm, bk), product_right(b, turn_b, n, j, k, bn, bk), part);
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
                                  int N, int K, int turn_a, int turn_b, ws_dtype sum, ws_dtype out, product_finish finish,
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
                    acc = ws_dot(ws_trans(product_right(b, turn_b, n, j, k, bn, bk)),
                                 ws_trans(product_left(a, turn_a, n, i, k, bm, bk)), acc);
                }
                ws_tile x = product_finished(ws_trans(acc), finish, extra, extra2, i, j, bm, bn);
                ws_store_3d(c, n, i, j, ws_cast(x, out));
            }
}

/* For many rows of A, where a tile has all columns and all of K: the next tile wants the same of B, which stays where it is. */
enum { PRODUCT_TALL_COLS = 256, PRODUCT_TALL_K = 256 };
static inline void product_tall(ws_tensor a, ws_tensor b, ws_tensor c, ws_tensor extra, ws_tensor extra2, int batch, int M, int N,
                                int K, int turn_a, int turn_b, ws_dtype sum, ws_dtype out, product_finish finish, int bm,
                                int bn, int bk)
{
    #pragma ws grid(3) order(column)
    for (int n = 0; n < batch; n++)
        for (int i = 0; i < M; i += bm)
            for (int j = 0; j < N; j += bn) {
                ws_tile acc = ws_zeros(sum, bm, bn);

                #pragma ws pipeline(auto)
                for (int k = 0; k < PRODUCT_TALL_K; k += bk)
                    acc = ws_dot(product_left(a, turn_a, n, i, k, bm, bk), product_right(b, turn_b, n, j, k, bn, bk), acc);
                acc = product_finished(acc, finish, extra, extra2, i, j, bm, bn);
                ws_store_3d(c, n, i, j, ws_cast(acc, out));
            }
}

/* Parts of the sum over k, which as many blocks compute side by side; each then has some columns of the sum. */
static inline void product_summed(ws_tensor a, ws_tensor b, ws_tensor c, ws_tensor extra, ws_tensor extra2, int batch,
                                  int M, int N, int K, int step, int turn_a, int turn_b, ws_dtype sum,
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
                        part = ws_dot(product_left(a, turn_a, n, i, k, bm, bk),
                                      product_right(b, turn_b, n, j, k, bn, bk), part);
                    x = ws_add(x, part);
                }
                x = product_finished(x, finish, extra, extra2, i, j, bm, bn);
                ws_store_3d(ws_slice(c, 2, 0, j + step), n, i, j, ws_cast(x, out));
            }
}
#define product_summed_4(...) product_summed(__VA_ARGS__, 4)
#define product_summed_8(...) product_summed(__VA_ARGS__, 8)

/* Part s of the sum over k goes to partial, which is batch x parts x M x N: plane s of matrix n. */
static inline void product_part_tile(ws_tensor a, ws_tensor b, ws_tensor partial, int plane, long i, long j, int K, int turn_a,
                                     int turn_b, ws_dtype sum, int parts, int bm, int bn, int bk)
{
    const int length = ((K + bk - 1) / bk + parts - 1) / parts * bk;
    const int n = plane / parts, s = plane % parts, first = s * length, last = first + length < K ? first + length : K;
    ws_tile acc = ws_zeros(sum, bm, bn);

    #pragma ws pipeline(auto)
    for (int k = first; k < last; k += bk)
        acc = ws_dot(product_left(a, turn_a, n, i, k, bm, bk), product_right(b, turn_b, n, j, k, bn, bk), acc);
    ws_store_4d(partial, n, s, i, j, acc);
}

#define PRODUCT_PART_LOOPS_(name, grid_clauses)                                                                        \
    static inline void name(ws_tensor a, ws_tensor b, ws_tensor partial, int batch, int M, int N, int K, int turn_a,   \
                            int turn_b, ws_dtype sum, int parts, int bm, int bn, int bk)                               \
    {                                                                                                                  \
        PRODUCT_PRAGMA_(ws grid(3) grid_clauses)                                                                       \
        for (int plane = 0; plane < batch * parts; plane++)                                                            \
            for (int i = 0; i < M; i += bm)                                                                            \
                for (int j = 0; j < N; j += bn)                                                                        \
                    product_part_tile(a, b, partial, plane, i, j, K, turn_a, turn_b, sum, parts, bm, bn, bk);          \
    }
PRODUCT_PART_LOOPS_(product_part_1x1, )
PRODUCT_PART_LOOPS_(product_part_2x1, cluster(2, 1))

/* C = finish(the parts' sum).  partial is batch x parts x M x N.  What counts is how long memory takes to answer: all parts are
   under way at once, of two tiles in a multiprocessor. */
enum { PRODUCT_PARTS = 8 };
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

/* How many tiles a row of tiles has. */
typedef struct {
    int across;
    int more; /* so many pairs of rows, the first ones, have one more */
} product_division;

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

/* So many rows of tiles of at most `cols` columns are divided into as many tiles as make the fewest rounds of `sms` multiprocessors
   full: what counts is how many columns the one has that computes most.  Much narrower tiles take longer for each. */
static inline product_division product_grouped_divided(int tiles, int N, int cols, int sms)
{
    const int rows = tiles > 1 ? tiles : 1, fewest = N > cols ? (N + cols - 1) / cols : 1, most = fewest + 3;
    const long places = ((long)rows * fewest + sms - 1) / sms * sms;
    const product_division divided = {(int)(places / rows), (int)(places % rows / 2)};
    return divided.across < most ? divided : (product_division){most, 0};
}

/* ---- which tile -------------------------------------------------------------------------------------------------- */

/* Six tile shapes: 128x256, 128x208 (with 192 of its columns for few iterations, and where four blocks load shares of B, which are
   multiples of eight rows), 128x128, 64x128, 64x64, 64x32.  A form is one of them, alone or in a cluster of blocks that share what
   they load; DIVIDED: K may be divided, too; STEPPED: tiles may follow each other at a step that is shorter than they; ROWS: the
   same for one round of tiles; EVEN: so many tiles share the columns.  Sharing loads counts where rows of K do not fill lines of
   128 bytes, since their copies are bound by L2, and where A or B is small; a step or even shares where they make the last round
   of tiles full. */
#define PRODUCT_FORMS(form, ...)                    \
    form(STEPPED, 128, 208, 1, 1, 1, __VA_ARGS__)   \
    form(STEPPED, 128, 208, 1, 2, 1, __VA_ARGS__)   \
    form(EVEN, 128, 208, 1, 1, 1, __VA_ARGS__)      \
    form(STEPPED, 128, 256, 1, 1, 1, __VA_ARGS__)   \
    form(STEPPED, 128, 256, 1, 2, 1, __VA_ARGS__)   \
    form(STEPPED, 128, 256, 1, 1, 4, __VA_ARGS__)   \
    form(DIVIDED, 128, 128, 1, 1, 1, __VA_ARGS__)   \
    form(DIVIDED, 128, 128, 1, 2, 1, __VA_ARGS__)   \
    form(STEPPED, 128, 128, 1, 1, 1, __VA_ARGS__)   \
    form(STEPPED, 128, 128, 1, 1, 2, __VA_ARGS__)   \
    form(STEPPED, 128, 128, 1, 1, 4, __VA_ARGS__)   \
    form(STEPPED, 128, 128, 1, 2, 2, __VA_ARGS__)   \
    form(STEPPED, 128, 128, 1, 4, 1, __VA_ARGS__)   \
    form(STEPPED, 128, 128, 1, 2, 4, __VA_ARGS__)   \
    form(ROWS, 128, 208, 1, 2, 1, __VA_ARGS__)      \
    form(STEPPED, 128, 192, 1, 4, 1, __VA_ARGS__)   \
    form(ROWS, 128, 192, 1, 4, 1, __VA_ARGS__)      \
    form(ROWS, 128, 128, 1, 1, 1, __VA_ARGS__)      \
    form(ROWS, 128, 128, 1, 1, 2, __VA_ARGS__)      \
    form(ROWS, 128, 128, 1, 1, 4, __VA_ARGS__)      \
    form(ROWS, 128, 128, 1, 2, 1, __VA_ARGS__)      \
    form(ROWS, 128, 128, 1, 2, 2, __VA_ARGS__)      \
    form(ROWS, 128, 128, 1, 2, 4, __VA_ARGS__)      \
    form(ROWS, 128, 128, 1, 4, 1, __VA_ARGS__)      \
    form(DIVIDED, 64, 128, 2, 1, 1, __VA_ARGS__)    \
    form(WHOLE, 64, 128, 1, 2, 1, __VA_ARGS__)      \
    form(WHOLE, 64, 128, 1, 4, 1, __VA_ARGS__)      \
    form(STEPPED, 64, 128, 1, 4, 1, __VA_ARGS__)    \
    form(WHOLE, 64, 64, 2, 1, 1, __VA_ARGS__)

/* Of product_light: rows, columns, lines, slots, and the cluster. */
#define PRODUCT_LIGHTS(form, ...)          \
    form(64, 128, 1, 4, 1, 1, __VA_ARGS__) \
    form(64, 64, 1, 6, 1, 1, __VA_ARGS__)  \
    form(64, 64, 1, 6, 4, 1, __VA_ARGS__)  \
    form(64, 32, 2, 4, 1, 1, __VA_ARGS__)

/* Of product_summed, at a step: rows, columns, lines, and parts that blocks of a cluster add. */
#define PRODUCT_SUMS(form, ...)       \
    form(64, 64, 2, 4, __VA_ARGS__)   \
    form(64, 64, 2, 8, __VA_ARGS__)   \
    form(64, 128, 1, 4, __VA_ARGS__)  \
    form(64, 128, 1, 8, __VA_ARGS__)  \
    form(128, 128, 1, 4, __VA_ARGS__)

typedef struct {
    int kind;
    int rows, cols;   /* of a tile */
    int lines;        /* of 128 bytes of k in an iteration */
    int down, across; /* blocks in a cluster: tiles of a column, of a row, */
    int summed;       /* or parts of one tile */
    int light;        /* a multiprocessor holds two blocks */
} product_form;

enum { PRODUCT_WHOLE, PRODUCT_DIVIDED, PRODUCT_EVEN, PRODUCT_STEPPED, PRODUCT_ROWS }; /* from STEPPED on: at a step */
#define PRODUCT_ROW_(kind, rows, cols, lines, down, across, ...) {PRODUCT_##kind, rows, cols, lines, down, across, 1, 0},
#define PRODUCT_LIGHT_ROW_(rows, cols, lines, slots, down, across, ...) {PRODUCT_WHOLE, rows, cols, lines, down, across, 1, 1},
#define PRODUCT_SUM_ROW_(rows, cols, lines, parts, ...)          {PRODUCT_STEPPED, rows, cols, lines, 1, 1, parts, 0},
static const product_form product_forms[] = {
    PRODUCT_FORMS(PRODUCT_ROW_, ) PRODUCT_LIGHTS(PRODUCT_LIGHT_ROW_, )
        PRODUCT_SUMS(PRODUCT_SUM_ROW_, ){PRODUCT_WHOLE, 16, 64, 2, 1, 1, 1, 0},
    {PRODUCT_WHOLE, 64, PRODUCT_TALL_COLS, 1, 1, 1, 1, 0}};
/* The last two: product_skinny and product_tall. */
enum { PRODUCT_TALL = sizeof product_forms / sizeof *product_forms - 1, PRODUCT_SKINNY = PRODUCT_TALL - 1 };

typedef struct {
    int form, parts, step; /* of the columns: 0 is all of a tile's */
    int across;            /* tiles that share the columns, where the form is EVEN; 0 is as few as can be */
} product_choice;

static inline long product_ceil(long x, long y)
{
    return (x + y - 1) / y;
}

/* Of two things that go on at once, how long both take: a little more than the longer one. */
static inline double product_both(double x, double y)
{
    double longer = x > y ? x : y, shorter = x > y ? y : x, part = longer > 0 ? shorter / longer : 0;
    return longer * (1 + part * part * part * part / 5);
}

/* Clocks of the kernel that adds the parts: a launch and an answer of memory, and bytes, most of them from L2. */
static inline double product_sum_clocks(long batch, long M, long N, int parts, int out_bytes)
{
    return 5500 + (double)(batch * M * N) * (parts * 4 + out_bytes) / 2800;
}

/* By how rows of K begin: with lines of 128 bytes, for large tiles and for others; in their middle; with sectors of 32 bytes;
   within these. */
enum { PRODUCT_LARGE, PRODUCT_LINES, PRODUCT_HALVES, PRODUCT_SECTORS, PRODUCT_INSIDE };
static inline int product_begins(long row_bytes, int large)
{
    return row_bytes % 128 == 0  ? (large ? PRODUCT_LARGE : PRODUCT_LINES)
           : row_bytes % 64 == 0 ? PRODUCT_HALVES
           : row_bytes % 32 == 0 ? PRODUCT_SECTORS
                                 : PRODUCT_INSIDE;
}

/* Tiles that are computed at once, in clusters of so many: a cluster lies within a group of multiprocessors, which are not all
   multiples of four. */
static inline long product_places(int together, int sms)
{
    const long clusters = (sms - (together > 2 ? sms / 11 : 0)) / together;
    return (clusters > 1 ? clusters : 1) * together;
}

/* The first form has a kernel for few iterations, whose tiles are not sliced. */
static inline int product_is_short(product_choice choice, long row_bytes)
{
    return choice.form == 0 && choice.step == PRODUCT_SHORT_COLS && row_bytes <= PRODUCT_SHORT * 128;
}

/* How many tiles stand side by side, and how many columns a tile has, the widest of those that share them evenly. */
static inline int product_across(product_choice choice, long N)
{
    const product_form f = product_forms[choice.form];
    const int least = (int)product_ceil(N, choice.step ? choice.step : f.cols);
    return f.kind == PRODUCT_EVEN && choice.across > least ? choice.across : least;
}

static inline int product_cols(product_choice choice, long N)
{
    const product_form f = product_forms[choice.form];
    return f.kind == PRODUCT_EVEN ? (int)product_ceil(N, 8L * product_across(choice, N)) * 8 : choice.step ? choice.step : f.cols;
}

/* Of a tile's columns those that are multiplied, by eights or sixteens and more than half of what it could have.  Of even shares the
   multiprocessor counts that has most: one with so many rounds has about as many wide tiles as the others. */
static inline double product_multiplied(product_choice choice, long N, long rounds)
{
    const product_form f = product_forms[choice.form];
    const int by = f.cols > 208 ? 16 : 8, least = f.cols / 2 + by, cols = product_cols(choice, N);
    if (f.kind == PRODUCT_EVEN)
        return (double)product_ceil(product_ceil(rounds * N, product_across(choice, N)), 8) * 8 / (double)rounds;
    return cols == f.cols ? cols : cols < least ? least : (double)product_ceil(cols, by) * by;
}

/* Clocks that a product takes in one form, roughly: what the multiprocessor with most tiles needs, and the memory. */
static inline double product_clocks(product_choice choice, long batch, long M, long N, long K, int bytes, int out_bytes, int sms)
{
    /* For a row of 128 bytes of k to arrive in a multiprocessor, and to be asked for: rows that begin in the middle of a line are
       two requests, and of a sector, two of these. */
    static const double arrives[] = {1.02, 1.38, 1.90, 1.61, 2.03}, asks[] = {1.53, 1.77, 1.97, 2.49, 4.46};
    const product_form f = product_forms[choice.form];
    const int step = product_cols(choice, N), wide = f.cols > 208, brief = product_is_short(choice, K * bytes);
    const int sharing = f.down * f.across, together = sharing * f.summed, stored = choice.parts > 1 ? 4 : out_bytes;
    const long blocks = product_ceil(product_ceil(K * bytes, 128 * f.lines), choice.parts * f.summed);
    const long rows = product_ceil(M, f.rows), cols = product_across(choice, N);
    const long down = product_ceil(rows, f.down) * f.down, across = product_ceil(cols, f.across) * f.across;
    const long planes = batch * choice.parts * f.summed, tiles = planes * down * across;
    const long places = product_places(together, sms), rounds = product_ceil(tiles, places);
    /* Only rows that there are arrive: those of a whole tile in most blocks, on average fewer. */
    const double a_most = (double)(M < f.rows ? M : f.rows), b_most = (double)(N < step ? N : step);
    const double a_rows = (double)M / (double)rows, b_rows = (double)N / (double)cols;
    /* A multiprocessor asks for a row at a time; that others ask, too, matters less. */
    const double busy = tiles < places ? pow((double)(planes * rows * cols) / sms, 0.285) : 1;
    const int large = f.rows * f.cols >= 128 * 128, begins = product_begins(K * bytes, large);
    /* The matrix units, and where blocks that share wait for each other; what arrives in a multiprocessor; what is asked for. */
    const double width = product_multiplied(choice, N, rounds);
    const double waits = sharing == 2 ? (large && K * bytes % 128 == 0 ? 1.104 : 1) : sharing > 2 ? 1.107 : 1;
    const double shares = sharing == 2 ? 0.94 : sharing == 4 ? 0.76 : sharing == 8 ? 0.55 : 1;
    /* Long work draws so much power that the multiprocessors' clock falls, by a quarter; L2 has its own. */
    const double slower = (double)(batch * M) * (double)N * (double)(K * bytes) > 8e10 ? 0.776 : 1;
    double block = product_both(waits * f.rows * width / 32.0 * (wide ? 1.118 : 1), (a_most + b_most) * arrives[begins]);
    block = f.lines * product_both(block, (a_rows / f.across + b_rows / f.down) * asks[begins] * shares * busy * slower);
    /* What ends within 128 bytes of columns does not leave by the engine, and a part of that nothing runs under; still less where
       widths differ.  What is left of 208 columns behind three strips of 64 leaves from registers, which takes long. */
    const int even = f.kind == PRODUCT_EVEN, cut = even || (f.kind == PRODUCT_STEPPED && step % 64);
    const int rest = f.kind >= PRODUCT_EVEN && f.cols == 208 && step > 192;
    const double least = 158 + 108 * f.lines + (together > 1 ? 55 : 0);
    const double lone = (block > least ? block : least) * (double)blocks + (even ? 5 : cut * 1.5) * f.rows;
    /* Blocks that add parts send each other all but their share of them. */
    const double sent = f.rows * f.cols * 4.0 * (f.summed - 1) / f.summed / 19.3;
    const double spare = brief ? 0 : f.cols - step, sliced = f.kind >= PRODUCT_EVEN && !brief ? 5.7 + cut * 3.8 + rest * 25 : 0;
    const double after = (f.kind == PRODUCT_ROWS ? 0.5 : 1) * f.rows * ((step + 4.0 * spare) * stored * 0.0074 + sliced) + sent;
    double clocks;
    if (f.light) { /* two at a time, which share the multiprocessor */
        const double pairs = (double)product_ceil(rounds, 2) * (least * (double)blocks + after);
        clocks = block * (double)(blocks * rounds) + after;
        clocks = pairs > clocks ? pairs : clocks;
    } else if ((f.summed > 1 || wide) && rounds > 1) { /* nothing runs under the epilogue, or the next tile's copies */
        clocks = (double)rounds * (lone + after * (wide ? 0.83 : 1));
    } else {
        clocks = (double)rounds * (rest ? product_both(lone, after) : lone > after ? lone : (lone + after) / 2) + after;
    }
    /* What several blocks ask for at once comes from memory once, but not for nothing. */
    const double a_asked = across > f.across ? 1.15 : 1, b_asked = down > f.down ? 1.15 : 1;
    const double moved = (double)batch * (((double)M * a_asked + (double)N * b_asked) * (double)K * bytes +
                                          (double)M * (double)N * stored * choice.parts);
    clocks = product_both(clocks, moved / (K * bytes % 128 == 0 ? 3980 : 4650));
    clocks += choice.form == PRODUCT_SKINNY ? 0 : f.light ? 2205 : 2571;
    /* Until all blocks of a cluster have their places; through many rounds they wait for each other, too. */
    const int quick = !f.light && f.summed == 1 && rounds <= 2;
    clocks += together > 2 ? (quick ? 300 : 943) : together > 1 ? (quick ? 1000 : 2013) : 0;
    clocks += f.kind == PRODUCT_ROWS ? 800 : 0;
    return choice.parts > 1 ? 1.1 * clocks + product_sum_clocks(batch, M, N, choice.parts, out_bytes) : clocks;
}

/* B fills its tile by three quarters at least, and each multiprocessor has some tiles to keep it for. */
static inline int product_is_tall(long batch, long M, long N, long K, int sms)
{
    return N <= PRODUCT_TALL_COLS && N > PRODUCT_TALL_COLS * 3 / 4 && K <= PRODUCT_TALL_K && K > PRODUCT_TALL_K * 3 / 4 &&
           batch < 8 && M >= 8L * product_forms[PRODUCT_TALL].rows * sms;
}

/* The step with which tiles of a form make so many rounds; 0 if they have not enough columns. */
static inline int product_step(product_form f, long batch, long M, long N, long rounds, int sms)
{
    const int together = f.down * f.across * f.summed;
    long across = rounds * product_places(together, sms) / (product_ceil(product_ceil(M, f.rows), f.down) * f.down * batch * f.summed);
    across = across > f.across ? across / f.across * f.across : across;
    if (across < 1 || across * f.cols < N)
        return 0;
    return (int)product_ceil(product_ceil(N, across), 8) * 8;
}

/* Is there the same form for one round of tiles? */
static inline int product_in_rows(product_form f)
{
    for (int form = 0; form < PRODUCT_SKINNY; form++) {
        const product_form g = product_forms[form];
        if (g.kind == PRODUCT_ROWS && g.rows == f.rows && g.cols == f.cols && g.down == f.down && g.across == f.across)
            return f.summed == 1;
    }
    return 0;
}

typedef struct {
    product_choice choice;
    double clocks;
} product_best;

static inline void product_try(product_best *best, product_choice choice, long batch, long M, long N, long K, int bytes,
                               int out_bytes, int sms)
{
    const double clocks = product_clocks(choice, batch, M, N, K, bytes, out_bytes, sms);
    if (clocks < best->clocks)
        *best = (product_best){choice, clocks};
}

/* The best form, with the number of parts of K or a step, on `sms` multiprocessors; for few rows PRODUCT_SKINNY, for most
   PRODUCT_TALL. */
static inline product_choice product_choose(long batch, long M, long N, long K, int bytes, int out_bytes, int sms)
{
    product_best best = {{0, 1, 0}, 1e300};
    if (product_is_tall(batch, M, N, K, sms))
        return (product_choice){PRODUCT_TALL, 1, 0};
    for (int form = 0; form <= PRODUCT_SKINNY; form++) {
        const product_form f = product_forms[form];
        const long down = product_ceil(M, f.rows), across = product_ceil(N, f.cols), tiles = batch * f.summed * down * across;
        const long places = product_places(f.down * f.across * f.summed, sms), least = product_ceil(tiles, places);
        /* Nothing runs under the adding of parts, or under ROWS' epilogues; and blocks that have no tile still wait for others. */
        const int once = f.summed > 1 || f.kind == PRODUCT_ROWS, turns = f.kind == PRODUCT_STEPPED && product_in_rows(f);
        if ((form == PRODUCT_SKINNY && M > 16) || down < f.down || across < f.across || (once && least > 1))
            continue;
        if (f.kind != PRODUCT_EVEN && (!turns || least > 1))
            product_try(&best, (product_choice){form, 1, 0}, batch, M, N, K, bytes, out_bytes, sms);
        if (form == 0)
            product_try(&best, (product_choice){form, 1, PRODUCT_SHORT_COLS}, batch, M, N, K, bytes, out_bytes, sms);
        const int divided = f.kind == PRODUCT_DIVIDED ? PRODUCT_PARTS : 0;
        for (int parts = 2; parts <= divided && parts * 512 <= K * bytes && parts * tiles <= places; parts++)
            product_try(&best, (product_choice){form, parts, 0}, batch, M, N, K, bytes, out_bytes, sms);
        for (long rounds = least; f.kind >= PRODUCT_STEPPED && rounds < least + (once ? 1 : 3); rounds++) {
            int step = product_step(f, batch, M, N, rounds, sms);
            if (!step || (turns && rounds == 1))
                continue;
            step = f.kind == PRODUCT_ROWS && 2 * step < f.cols ? f.cols / 2 : step;
            product_try(&best, (product_choice){form, 1, step}, batch, M, N, K, bytes, out_bytes, sms);
            if ((step + 63) / 64 * 64 < f.cols)
                product_try(&best, (product_choice){form, 1, (step + 63) / 64 * 64}, batch, M, N, K, bytes, out_bytes, sms);
        }
        /* Where there are many rounds a tile more in a row may make some less. */
        for (int n = (int)across; least >= 8 && n < across + 6 && f.summed == 1; n++) {
            if (f.kind == PRODUCT_EVEN)
                product_try(&best, (product_choice){form, 1, 0, n}, batch, M, N, K, bytes, out_bytes, sms);
            else if (f.kind == PRODUCT_STEPPED)
                product_try(&best, (product_choice){form, 1, (int)product_ceil(N, 8L * n) * 8}, batch, M, N, K, bytes, out_bytes, sms);
        }
    }
    return best.choice;
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

#define PRODUCT_BEGIN_(name, a_type, b_type, turn_a, turn_b)                                                           \
    static void name(const product_call *p, product_choice choice)                                                     \
    {                                                                                                                  \
        const int batch = p->batch, M = p->M, N = p->N, K = p->K;                                                      \
        ws_tensor a = product_matrix(p->A, a_type, batch, turn_a ? K : M, turn_a ? M : K, p->lda);                     \
        ws_tensor b = product_matrix(p->B, b_type, batch, turn_b ? K : N, turn_b ? N : K, p->ldb);

/* Elements of k in 128 bytes. */
#define PRODUCT_DEPTH_(type) ((type) == WS_F32 ? 32 : (type) == WS_F16 || (type) == WS_BF16 ? 64 : 128)

#define PRODUCT_WHOLE_(name, loops, a_type, b_type, sum, out, turn_a, turn_b, finish, bm, bn, lines)                   \
    PRODUCT_BEGIN_(name, a_type, b_type, turn_a, turn_b)                                                               \
        ws_tensor c = product_matrix(p->C, out, batch, M, N, p->ldc);                                                  \
        ws_tensor extra = product_extra(p, finish, 0), extra2 = product_extra(p, finish, 1);                           \
        (void)choice;                                                                                                  \
        loops(a, b, c, extra, extra2, batch, M, N, K, turn_a, turn_b, sum, out, finish, bm, bn,                        \
              lines * PRODUCT_DEPTH_(a_type));                                                                         \
    }

#define PRODUCT_STEPPED_(name, loops, a_type, b_type, sum, out, turn_a, turn_b, finish, bm, bn, lines)                 \
    PRODUCT_BEGIN_(name, a_type, b_type, turn_a, turn_b)                                                               \
        ws_tensor c = product_matrix(p->C, out, batch, M, N, p->ldc);                                                  \
        ws_tensor extra = product_extra(p, finish, 0), extra2 = product_extra(p, finish, 1);                           \
        const int step = choice.step ? choice.step : bn;                                                               \
        loops(a, b, c, extra, extra2, batch, M, N, K, step, turn_a, turn_b, sum, out, finish, bm, bn,                  \
              lines * PRODUCT_DEPTH_(a_type));                                                                         \
    }

#define PRODUCT_EVEN_(name, loops, a_type, b_type, sum, out, turn_a, turn_b, finish, bm, bn, lines)                    \
    PRODUCT_BEGIN_(name, a_type, b_type, turn_a, turn_b)                                                               \
        ws_tensor c = product_matrix(p->C, out, batch, M, N, p->ldc);                                                  \
        ws_tensor extra = product_extra(p, finish, 0), extra2 = product_extra(p, finish, 1);                           \
        const int across = product_across(choice, N);                                                                  \
        loops(a, b, c, extra, extra2, batch, M, N, K, across, turn_a, turn_b, sum, out, finish, bm, bn,                \
              lines * PRODUCT_DEPTH_(a_type));                                                                         \
    }

#define PRODUCT_PART_WHOLE_(...)
#define PRODUCT_PART_STEPPED_(...)
#define PRODUCT_PART_ROWS_(...)
#define PRODUCT_PART_EVEN_(...)
#define PRODUCT_PART_DIVIDED_(name, loops, a_type, b_type, sum, out, turn_a, turn_b, finish, bm, bn, lines)            \
    PRODUCT_BEGIN_(name, a_type, b_type, turn_a, turn_b)                                                               \
        const int parts = choice.parts;                                                                                \
        ws_tensor partial = ws_tensor_4d(p->partial, sum, batch, parts, M, N);                                         \
        loops(a, b, partial, batch, M, N, K, turn_a, turn_b, sum, parts, bm, bn, lines * PRODUCT_DEPTH_(a_type));      \
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
#define PRODUCT_ONE(name, loops, a_type, b_type, sum, out, turn_a, turn_b, finish, bm, bn)                             \
    PRODUCT_WHOLE_(name##_whole, loops, a_type, b_type, sum, out, turn_a, turn_b, finish, bm, bn, 1)                   \
    void name(const product_call *p, product_choice choice)                                                            \
    {                                                                                                                  \
        name##_whole(p, choice);                                                                                       \
    }

/* All: name (call, choice). */
#define PRODUCT(name, a_type, b_type, sum, out, turn_a, turn_b, finish)                                        \
    PRODUCT_FORMS(PRODUCT_KERNELS_, name, a_type, b_type, sum, out, turn_a, turn_b, finish)                    \
    PRODUCT_LIGHTS(PRODUCT_LIGHT_, name, a_type, b_type, sum, out, turn_a, turn_b, finish)                     \
    PRODUCT_SUMS(PRODUCT_SUMMED_, name, a_type, b_type, sum, out, turn_a, turn_b, finish)                      \
    PRODUCT_WHOLE_(name##_short, product_short, a_type, b_type, sum, out, turn_a, turn_b, finish, 128, PRODUCT_SHORT_COLS, 1) \
    PRODUCT_WHOLE_(name##_tall, product_tall, a_type, b_type, sum, out, turn_a, turn_b, finish, 64, 256, 1)    \
    PRODUCT_WHOLE_(name##_skinny, product_skinny, a_type, b_type, sum, out, turn_a, turn_b, finish, 16, 64, 4) \
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
