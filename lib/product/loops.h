/* SPDX-License-Identifier: MIT */
/*
 * loops.h - the loop nests of matrix products.
 *
 * Each nest is a static inline function of a job, which is known at run time, and a tile, whose members are constants
 * of the call.  So each call becomes a kernel of its own.
 *
 *      product_whole_1x1  C[n] = finish(A[n] B[n]), for each matrix of a batch; _2x1, _4x1: clusters share loads of B
 *      product_light_*    the same in blocks of which a multiprocessor holds two: for few iterations
 *      product_short      the same for at most PRODUCT_SHORT_LINES lines of K
 *      product_skinny     the same for few rows; product_promoted: with sums of fp8 in f32
 *      product_tall       the same for many rows, few columns and a short K: B stays in shared memory
 *      product_step_1x1   tiles at any step not longer than they are; to _2x4: in clusters
 *      product_rows_1x1   the same, warp groups divide each tile: for one round of tiles
 *      product_even_1x1   tiles that share the columns as evenly as multiples of eight allow
 *      product_summed_4   K divided into parts that blocks of a cluster add: for few tiles with a long K
 *      product_part_1x1   the same with parts in memory that product_sum adds: for more parts than blocks of a cluster
 *      product_grouped    rows of A in groups, each with its own B; the groups' first rows lie in device memory
 */
#ifndef PRODUCT_LOOPS_H
#define PRODUCT_LOOPS_H

#include <ws.h>
#include "choose.h"

/* Elementwise operations after the loop, while the sums are in registers. */
typedef enum {
    FINISH_NONE,
    FINISH_BIAS_GELU, /* gelu(x + bias), bias a row: extra, 1 x N */
    FINISH_SILU_RESIDUAL, /* silu(x) + extra, M x N */
    FINISH_SCALES, /* x times a number for each row, extra, 1 x M, and one for each column, extra2, 1 x N */
    FINISH_QUANTIZE /* x times the one number in extra, before the cast to fp8 */
} product_finish;

typedef struct {
    ws_tensor a, b, c; /* of each matrix of the batch */
    ws_tensor extra, extra2; /* operands of the finish */
    ws_tensor partial; /* of product_part and product_sum: batch x parts x M x N sums */
    int batch, M, N, K;
    int step, across, parts; /* of product_choice, none of them 0 */
} product_job;

typedef struct {
    int rows, cols, depth; /* of C, and of K in an iteration */
    ws_dtype sum, out;
    int trans_a, trans_b; /* A is stored as K x M, B as K x N; else as M x K and N x K */
    product_finish finish;
} product_tile;

/* ---- one tile ---------------------------------------------------------------------------------------------------- */

static inline ws_tile product_left(product_job p, product_tile t, long n, long i, long k)
{
    return t.trans_a ? ws_trans(ws_load_3d(p.a, n, k, i, t.depth, t.rows)) : ws_load_3d(p.a, n, i, k, t.rows, t.depth);
}

static inline ws_tile product_right(product_job p, product_tile t, long n, long j, long k)
{
    return t.trans_b ? ws_load_3d(p.b, n, k, j, t.depth, t.cols) : ws_trans(ws_load_3d(p.b, n, j, k, t.cols, t.depth));
}

static inline ws_tile product_finished(product_job p, product_tile t, ws_tile x, long i, long j)
{
    switch (t.finish) {
    case FINISH_BIAS_GELU:
        x = ws_add(x, ws_load_row(p.extra, j, t.cols));
        return ws_mul(ws_mul(x, 0.5f), ws_add(ws_erf(ws_mul(x, 0.70710678f)), 1.0f));
    case FINISH_SILU_RESIDUAL:
        return ws_add(ws_mul(x, ws_sigmoid(x)), ws_cast(ws_load(p.extra, i, j, t.rows, t.cols), WS_F32));
    case FINISH_SCALES:
        return ws_mul(ws_mul(x, ws_load_col(p.extra, i, t.rows)), ws_load_row(p.extra2, j, t.cols));
    case FINISH_QUANTIZE:
        return ws_mul(x, ws_at_float(p.extra, 0));
    default:
        return x;
    }
}

static inline void product_store(product_job p, product_tile t, ws_tile x, long n, long i, long j)
{
    ws_store_3d(p.c, n, i, j, ws_cast(product_finished(p, t, x, i, j), t.out));
}

/* C without the columns from `end` on. */
static inline product_job product_until(product_job p, long end)
{
    p.c = ws_slice(p.c, 2, 0, end);
    return p;
}

#define PRODUCT_PRAGMA_(text) _Pragma(#text)

/* One tile of C.  A clause of a pragma is no expression, so each set of clauses needs a function. */
#define PRODUCT_TILE_(name, clauses)                                                                          \
    static inline void name(product_job p, product_tile t, long n, long i, long j)                            \
    {                                                                                                         \
        ws_tile acc = ws_zeros(t.sum, t.rows, t.cols);                                                        \
                                                                                                              \
        PRODUCT_PRAGMA_(ws clauses)                                                                           \
        for (int k = 0; k < p.K; k += t.depth)                                                                \
            acc = ws_dot(product_left(p, t, n, i, k), product_right(p, t, n, j, k), acc);                     \
        product_store(p, t, acc, n, i, j);                                                                    \
    }

/* Warp groups take whole tiles in turn if one group can hold a tile, so that one group's epilogue overlaps the other's
   products.  Otherwise they divide the tile's rows. */
PRODUCT_TILE_(product_tile_auto, pipeline(auto))
PRODUCT_TILE_(product_tile_4, pipeline(4, 2))
PRODUCT_TILE_(product_tile_6, pipeline(6, 2))
/* The epilogue is as long as the loop.  One slot less leaves memory for staged stores, which free the registers at
   once. */
PRODUCT_TILE_(product_tile_short, pipeline(4, 2) pingpong)

/* ---- all tiles --------------------------------------------------------------------------------------------------- */

/* With cluster(rows, columns), blocks of one column of tiles load B together, and blocks of one row load A together.
   cluster(1) prevents clusters: choose.h compares them, not the compiler. */
#define PRODUCT_WHOLE_(name, tile, clauses)                                                                   \
    static inline void name(product_job p, product_tile t)                                                    \
    {                                                                                                         \
        PRODUCT_PRAGMA_(ws grid(3) clauses)                                                                   \
        for (int n = 0; n < p.batch; n++)                                                                     \
            for (int i = 0; i < p.M; i += t.rows)                                                             \
                for (int j = 0; j < p.N; j += t.cols)                                                         \
                    tile(p, t, n, i, j);                                                                      \
    }

/* At a step that may be shorter than a tile: only the step's columns are copied, multiplied and stored. */
#define PRODUCT_STEP_(name, clauses)                                                                          \
    static inline void name(product_job p, product_tile t)                                                    \
    {                                                                                                         \
        PRODUCT_PRAGMA_(ws grid(3) clauses)                                                                   \
        for (int n = 0; n < p.batch; n++)                                                                     \
            for (int i = 0; i < p.M; i += t.rows)                                                             \
                for (int j = 0; j < p.N; j += p.step)                                                         \
                    product_tile_auto(product_until(p, j + p.step), t, n, i, j);                              \
    }

PRODUCT_WHOLE_(product_whole_1x1, product_tile_auto, cluster(1))
PRODUCT_WHOLE_(product_whole_2x1, product_tile_auto, cluster(2, 1))
PRODUCT_WHOLE_(product_whole_4x1, product_tile_auto, cluster(4, 1))
PRODUCT_WHOLE_(product_short, product_tile_short, consumers(2, tiles))
PRODUCT_STEP_(product_step_1x1, cluster(1))
PRODUCT_STEP_(product_step_1x2, cluster(1, 2))
PRODUCT_STEP_(product_step_1x4, cluster(1, 4))
PRODUCT_STEP_(product_step_2x1, cluster(2, 1))
PRODUCT_STEP_(product_step_2x2, cluster(2, 2))
PRODUCT_STEP_(product_step_2x4, cluster(2, 4))
PRODUCT_STEP_(product_step_4x1, cluster(4, 1))

/* For one round of tiles, in which no epilogue overlaps another group's products: each group does half of it. */
PRODUCT_STEP_(product_rows_1x1, cluster(1) consumers(2, rows))
PRODUCT_STEP_(product_rows_1x2, cluster(1, 2) consumers(2, rows))
PRODUCT_STEP_(product_rows_1x4, cluster(1, 4) consumers(2, rows))
PRODUCT_STEP_(product_rows_2x1, cluster(2, 1) consumers(2, rows))
PRODUCT_STEP_(product_rows_2x2, cluster(2, 2) consumers(2, rows))
PRODUCT_STEP_(product_rows_2x4, cluster(2, 4) consumers(2, rows))
PRODUCT_STEP_(product_rows_4x1, cluster(4, 1) consumers(2, rows))

/* With one warp group and few slots, so that a multiprocessor has room for two blocks.  The second may be a block of
   the next kernel. */
PRODUCT_WHOLE_(product_light_4_1x1, product_tile_4, consumers(1))
PRODUCT_WHOLE_(product_light_6_1x1, product_tile_6, consumers(1))
PRODUCT_WHOLE_(product_light_6_4x1, product_tile_6, cluster(4, 1) consumers(1))

/* `across` equal shares of all columns: the first ones have eight more than the others.  Bands of rows of tiles
   distribute the wide tiles over all multiprocessors. */
static inline void product_even_1x1(product_job p, product_tile t)
{
    const int eights = (p.N + 7) / 8, narrow = eights / p.across, wider = eights % p.across;

    #pragma ws grid(3) cluster(1) order(grouped(16))
    for (int n = 0; n < p.batch; n++)
        for (int i = 0; i < p.M; i += t.rows)
            for (int s = 0; s < p.across; s++) {
                const int j = 8 * (s * narrow + (s < wider ? s : wider)), end = j + 8 * (narrow + (s < wider));
                product_tile_auto(product_until(p, end), t, n, i, j);
            }
}

/* For fp8, whose products the tensor cores sum in about 13 bits: the sum of four iterations is added to a sum in
   f32. */
static inline void product_promoted(product_job p, product_tile t)
{
    #pragma ws grid(3) cluster(1)
    for (int n = 0; n < p.batch; n++)
        for (int i = 0; i < p.M; i += t.rows)
            for (int j = 0; j < p.N; j += t.cols) {
                ws_tile acc = ws_zeros(t.sum, t.rows, t.cols);
                for (int first = 0; first < p.K; first += 4 * t.depth) {
                    ws_tile part = ws_zeros(t.sum, t.rows, t.cols);

                    #pragma ws pipeline(auto)
                    for (int k = first; k < first + 4 * t.depth; k += t.depth)
                        part = ws_dot(product_left(p, t, n, i, k), product_right(p, t, n, j, k), part);
                    acc = ws_add(acc, part);
                }
                product_store(p, t, acc, n, i, j);
            }
}

/* For few rows of A, which become the columns of a transposed product, so that no multiplication is wasted.  Memory is
   the bound.  It answers faster if concurrent tiles do not read at the same k, so each tile begins one block further.
   More slots than memory can serve make some tiles wait for others. */
static inline void product_skinny(product_job p, product_tile t)
{
    #pragma ws grid(3)
    for (int n = 0; n < p.batch; n++)
        for (int j = 0; j < p.N; j += t.cols)
            for (int i = 0; i < p.M; i += t.rows) {
                const int blocks = (p.K + t.depth - 1) / t.depth, end = blocks * t.depth;
                const int first = j / t.cols % (blocks > 0 ? blocks : 1) * t.depth;
                ws_tile acc = ws_zeros(t.sum, t.cols, t.rows);

                #pragma ws pipeline(5, 2)
                for (int from = 0; from < p.K; from += t.depth) {
                    const int k = from + first < end ? from + first : from + first - end;
                    acc = ws_dot(ws_trans(product_right(p, t, n, j, k)), ws_trans(product_left(p, t, n, i, k)), acc);
                }
                product_store(p, t, ws_trans(acc), n, i, j);
            }
}

/* For many rows of A, if a tile has all columns and all of K, at most PRODUCT_TALL_K.  The next tile needs the same
   part of B, which stays in its slot. */
static inline void product_tall(product_job p, product_tile t)
{
    #pragma ws grid(3) order(column)
    for (int n = 0; n < p.batch; n++)
        for (int i = 0; i < p.M; i += t.rows)
            for (int j = 0; j < p.N; j += t.cols) {
                ws_tile acc = ws_zeros(t.sum, t.rows, t.cols);

                #pragma ws pipeline(auto)
                for (int k = 0; k < PRODUCT_TALL_K; k += t.depth)
                    acc = ws_dot(product_left(p, t, n, i, k), product_right(p, t, n, j, k), acc);
                product_store(p, t, acc, n, i, j);
            }
}

/* ---- K in parts -------------------------------------------------------------------------------------------------- */

/* Elements of K in a part: whole iterations.  The last part may be shorter. */
static inline int product_part_length(product_job p, product_tile t, int parts)
{
    return ((p.K + t.depth - 1) / t.depth + parts - 1) / parts * t.depth;
}

static inline ws_tile product_part_of(product_job p, product_tile t, int length, int part, long n, long i, long j)
{
    const int first = part * length, last = first + length < p.K ? first + length : p.K;
    ws_tile sum = ws_zeros(t.sum, t.rows, t.cols);

    #pragma ws pipeline(auto)
    for (int k = first; k < last; k += t.depth)
        sum = ws_dot(product_left(p, t, n, i, k), product_right(p, t, n, j, k), sum);
    return sum;
}

/* `count` blocks of a cluster compute the parts; each then has some columns of the sum. */
#define PRODUCT_SUMMED_(name, count)                                                                          \
    static inline void name(product_job p, product_tile t)                                                    \
    {                                                                                                         \
        PRODUCT_PRAGMA_(ws grid(3))                                                                           \
        for (int n = 0; n < p.batch; n++)                                                                     \
            for (int i = 0; i < p.M; i += t.rows)                                                             \
                for (int j = 0; j < p.N; j += p.step) {                                                       \
                    const int length = product_part_length(p, t, count);                                      \
                    ws_tile x = ws_zeros(t.sum, t.rows, t.cols);                                              \
                                                                                                              \
                    PRODUCT_PRAGMA_(ws parts)                                                                 \
                    for (int s = 0; s < count; s++)                                                           \
                        x = ws_add(x, product_part_of(p, t, length, s, n, i, j));                              \
                    product_store(product_until(p, j + p.step), t, x, n, i, j);                               \
                }                                                                                             \
    }
PRODUCT_SUMMED_(product_summed_4, 4)
PRODUCT_SUMMED_(product_summed_8, 8)

/* Part s of the sum over k goes to plane s of matrix n. */
#define PRODUCT_PART_(name, clauses)                                                                          \
    static inline void name(product_job p, product_tile t)                                                    \
    {                                                                                                         \
        PRODUCT_PRAGMA_(ws grid(3) clauses)                                                                   \
        for (int plane = 0; plane < p.batch * p.parts; plane++)                                               \
            for (int i = 0; i < p.M; i += t.rows)                                                             \
                for (int j = 0; j < p.N; j += t.cols) {                                                       \
                    const int length = product_part_length(p, t, p.parts);                                    \
                    const int n = plane / p.parts, s = plane % p.parts;                                       \
                    ws_store_4d(p.partial, n, s, i, j, product_part_of(p, t, length, s, n, i, j));                 \
                }                                                                                             \
    }
PRODUCT_PART_(product_part_1x1, cluster(1))
PRODUCT_PART_(product_part_2x1, cluster(2, 1))

/* C = finish(the parts' sum).  The latency of memory is the bound: loads of all parts, of two tiles in a
   multiprocessor, are in flight at once. */
static inline void product_sum(product_job p, product_tile t)
{
    #pragma ws grid(3) consumers(1)
    for (int n = 0; n < p.batch; n++)
        for (int i = 0; i < p.M; i += t.rows)
            for (int j = 0; j < p.N; j += t.cols) {
                ws_tile x = ws_zeros(t.sum, t.rows, t.cols);

                #pragma ws pipeline(8)
                for (int s = 0; s < p.parts; s++)
                    x = ws_add(x, ws_load_4d(p.partial, n, s, i, j, t.rows, t.cols));
                product_store(p, t, x, n, i, j);
            }
}

/* ---- groups of rows ---------------------------------------------------------------------------------------------- */

/* Group g has the rows first[g] to first[g + 1] of A and of C, and B[g]. */
typedef struct {
    int group, begin, end; /* its rows */
    int i; /* first row of the tile among them; at least end - begin if there is no such tile */
} product_place;

/* Row of tiles number `row`.  No load depends on another, since nothing else hides the latency before a tile's first
   copy. */
static inline product_place product_row_of_tiles(ws_tensor first, int groups, int row, int rows)
{
    product_place at = {0, 0, 0, 0};
    int passed = 0;
    for (int g = 0; g < groups; g++) {
        const int begin = (int)ws_at(first, g), end = (int)ws_at(first, g + 1);
        if (row >= passed)
            at = (product_place){g, begin, end, (row - passed) * rows};
        passed += (end - begin + rows - 1) / rows;
    }
    return at;
}

/* A group's last tile must not store rows of the next group, and a tile no columns of the next tile. */
static inline void product_grouped_tile(product_job p, product_tile t, product_place at, int j, int next)
{
    ws_tile acc = ws_zeros(t.sum, t.rows, t.cols);

    #pragma ws pipeline(auto)
    for (int k = 0; k < p.K; k += t.depth)
        acc = ws_dot(ws_load(p.a, at.begin + at.i, k, t.rows, t.depth),
                     ws_trans(ws_load_3d(p.b, at.group, j, k, t.cols, t.depth)), acc);
    ws_store(ws_slice(ws_slice(p.c, 0, at.begin, at.end), 1, 0, next), at.i, j, ws_cast(acc, t.out));
}

static inline int product_less(int x, int y)
{
    return x < y ? x : y;
}

/* The first column of a column of tiles.  `wide` of `across` tiles, from number `turn` on, have eight columns more than
   the others, which have 8 * `least` columns. */
static inline int product_share(int column, int turn, int across, int least, int wide)
{
    const int left = wide > turn ? wide - turn : 0, behind = column + turn > across ? column + turn - across : 0;
    return 8 * (column * least + product_less(left, column) + product_less(behind, wide));
}

/* A and C have the rows of all groups (p.M); B[g] is one of p.batch matrices.  `tiles` is at least the number of rows
   of tiles of all groups: M / t.rows + batch always suffices.  A caller that knows a smaller bound passes it.  Rows
   beyond the actual ones come last.

   A row's tiles share its columns equally, in multiples of eight, and none has more than t.cols.  So no round has a
   narrow tile that waits for the others.  The position of the wide tiles changes every four rows, since all tiles of a
   multiprocessor may have the same columns.  Two rows of tiles go together, so that both find in L2 the part of B that
   one of them reads. */
static inline void product_grouped(product_job p, product_tile t, ws_tensor first, int tiles, product_division divided)
{
    const int few = divided.across, many = few + 1, eights = (p.N + 7) / 8;
    const int more = product_less(divided.more, tiles / 2), behind = 2 * many * more;

    #pragma ws grid(1)
    for (int tile = 0; tile < behind + few * (tiles - 2 * more); tile++) {
        const int longer = tile < behind, across = few + longer, from = longer ? tile : tile - behind;
        const int pair = from / (2 * across), inside = from % (2 * across), row = 2 * (longer ? pair : more + pair);
        const int alone = row + 1 == tiles, own = row + (alone ? 0 : inside % 2), column = alone ? inside : inside / 2;
        const product_place at = product_row_of_tiles(first, p.batch, own, t.rows);
        if (at.i >= at.end - at.begin)
            continue;
        const int least = longer ? eights / many : eights / few, wide = eights - least * across;
        const int turn = product_less(own / 4 % 16, across - 1), j = product_share(column, turn, across, least, wide);
        const int next = product_share(column + 1, turn, across, least, wide);
        product_grouped_tile(p, t, at, j, next);
    }
}

#endif
