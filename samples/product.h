/* SPDX-License-Identifier: MIT */
/*
 * product.h - matrix products to copy into a program: one loop nest for each kind, six tile shapes, and a choice among them.
 *
 *   product          C[n] = finish(A[n] B[n]), for each matrix of a batch
 *   product_skinny   the same, for few rows; product_promoted: with sums of fp8 in f32
 *   product_part     the same, K divided into parts whose sums product_sum adds: for few tiles with a long K
 *   product_grouped  rows of A in groups, each with its own B; the groups' first rows lie in device memory
 *
 * The bodies are static inline functions that take tensors.  Tile shape, element types, orientation and what follows the
 * loop are constants of a call, so each call becomes a kernel of its own.  PRODUCT (name, ...) makes the kernels of one pair
 * of types, and a function that calls the one that product_choose names.
 */
#ifndef PRODUCT_H
#define PRODUCT_H

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

/* pipeline(auto): groups of threads take whole tiles in turn where a group can hold one, so that one's epilogue runs under the
   other's products; else they divide its rows. */
static inline void product(ws_tensor a, ws_tensor b, ws_tensor c, ws_tensor extra, ws_tensor extra2, int batch, int M, int N,
                           int K, int turn_a, int turn_b, ws_dtype sum, ws_dtype out, product_finish finish, int bm, int bn,
                           int bk)
{
    #pragma ws grid(3)
    for (int n = 0; n < batch; n++)
        for (int i = 0; i < M; i += bm)
            for (int j = 0; j < N; j += bn) {
                ws_tile acc = ws_zeros(sum, bm, bn);

                #pragma ws pipeline(auto)
                for (int k = 0; k < K; k += bk)
                    acc = ws_dot(product_left(a, turn_a, n, i, k, bm, bk), product_right(b, turn_b, n, j, k, bn, bk), acc);
                acc = product_finished(acc, finish, extra, extra2, i, j, bm, bn);
                ws_store_3d(c, n, i, j, ws_cast(acc, out));
            }
}

/* The same for at most PRODUCT_SHORT iterations of 128 bytes of k: the epilogue is as long as the loop above it, and a slot less
   leaves memory for the stores, so that its registers are free at once. */
enum { PRODUCT_SHORT = 6 };
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

/* For few rows of A: they are the columns of a product whose result is turned, so that no multiplication is wasted. */
static inline void product_skinny(ws_tensor a, ws_tensor b, ws_tensor c, ws_tensor extra, ws_tensor extra2, int batch, int M,
                                  int N, int K, int turn_a, int turn_b, ws_dtype sum, ws_dtype out, product_finish finish,
                                  int bm, int bn, int bk)
{
    #pragma ws grid(3)
    for (int n = 0; n < batch; n++)
        for (int j = 0; j < N; j += bn)
            for (int i = 0; i < M; i += bm) {
                ws_tile acc = ws_zeros(sum, bn, bm);

                #pragma ws pipeline(auto)
                for (int k = 0; k < K; k += bk)
                    acc = ws_dot(ws_trans(product_right(b, turn_b, n, j, k, bn, bk)),
                                 ws_trans(product_left(a, turn_a, n, i, k, bm, bk)), acc);
                ws_tile x = product_finished(ws_trans(acc), finish, extra, extra2, i, j, bm, bn);
                ws_store_3d(c, n, i, j, ws_cast(x, out));
            }
}

/* Part s of the sum over k goes to plane n * parts + s of partial, which is batch * parts x M x N. */
static inline void product_part(ws_tensor a, ws_tensor b, ws_tensor partial, int batch, int M, int N, int K, int turn_a,
                                int turn_b, ws_dtype sum, int parts, int bm, int bn, int bk)
{
    const int length = ((K + bk - 1) / bk + parts - 1) / parts * bk;

    #pragma ws grid(3)
    for (int plane = 0; plane < batch * parts; plane++)
        for (int i = 0; i < M; i += bm)
            for (int j = 0; j < N; j += bn) {
                const int n = plane / parts, first = plane % parts * length;
                const int last = first + length < K ? first + length : K;
                ws_tile acc = ws_zeros(sum, bm, bn);

                #pragma ws pipeline(auto)
                for (int k = first; k < last; k += bk)
                    acc = ws_dot(product_left(a, turn_a, n, i, k, bm, bk), product_right(b, turn_b, n, j, k, bn, bk), acc);
                ws_store_3d(partial, plane, i, j, acc);
            }
}

/* C = finish(the parts' sum).  partial is batch x parts x M x N: what lies beyond its last part is 0.  Four loads are under way
   at once; one after the other each would wait for the memory. */
static inline void product_sum(ws_tensor partial, ws_tensor c, ws_tensor extra, ws_tensor extra2, int batch, int M, int N,
                               int parts, ws_dtype sum, ws_dtype out, product_finish finish)
{
    enum { BM = 8, BN = 128 };

    #pragma ws grid(3)
    for (int n = 0; n < batch; n++)
        for (int i = 0; i < M; i += BM)
            for (int j = 0; j < N; j += BN) {
                ws_tile x = ws_zeros(sum, BM, BN);
                for (int s = 0; s < parts; s += 4) {
                    ws_tile first = ws_add(ws_load_4d(partial, n, s, i, j, BM, BN), ws_load_4d(partial, n, s + 1, i, j, BM, BN));
                    ws_tile second =
                        ws_add(ws_load_4d(partial, n, s + 2, i, j, BM, BN), ws_load_4d(partial, n, s + 3, i, j, BM, BN));
                    x = ws_add(x, ws_add(first, second));
                }
                x = product_finished(x, finish, extra, extra2, i, j, BM, BN);
                ws_store_3d(c, n, i, j, ws_cast(x, out));
            }
}

/* Group g has the rows first[g] to first[g + 1] of A and of C, and B[g].  `tiles` is at least the groups' row tiles together:
   total rows / bm + groups always is. */
static inline void product_grouped(ws_tensor a, ws_tensor b, ws_tensor c, ws_tensor first, int groups, int tiles, int N, int K,
                                   ws_dtype sum, ws_dtype out, int bm, int bn, int bk)
{
    #pragma ws grid(2) order(grouped(16))
    for (int t = 0; t < tiles; t++)
        for (int j = 0; j < N; j += bn) {
            long g = 0, before = 0, begin = ws_at(first, 0), end = ws_at(first, 1);
            while (g < groups && t >= before + (end - begin + bm - 1) / bm) {
                before += (end - begin + bm - 1) / bm;
                g++;
                begin = end;
                end = ws_at(first, g < groups ? g + 1 : groups);
            }
            if (g == groups)
                continue;
            const long i = (t - before) * bm;
            ws_tensor result = ws_slice(c, 0, begin, end); /* a group's last tile is not to write the next one's rows */
            ws_tile acc = ws_zeros(sum, bm, bn);

            #pragma ws pipeline(auto)
            for (int k = 0; k < K; k += bk)
                acc = ws_dot(ws_load(a, begin + i, k, bm, bk), ws_trans(ws_load_3d(b, g, j, k, bn, bk)), acc);
            ws_store(result, i, j, ws_cast(acc, out));
        }
}
/* ---- which tile -------------------------------------------------------------------------------------------------- */

enum { PRODUCT_MIDDLE = 1, PRODUCT_SMALL = 5, PRODUCT_TILES, PRODUCT_SKINNY = PRODUCT_TILES };
static const int product_rows[] = {128, 128, 128, 64, 64, 64, 16}; /* the last: product_skinny */
static const int product_cols[] = {192, 128, 256, 256, 128, 64, 64};
static const int product_lines[] = {1, 1, 1, 1, 2, 2, 1}; /* of 128 bytes of k in an iteration */

typedef struct {
    int tile, parts; /* K is divided for PRODUCT_MIDDLE and PRODUCT_SMALL alone */
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

/* Clocks that a product takes with one choice, roughly: what the multiprocessor with most tiles needs, and the memory. */
static inline double product_clocks(product_choice choice, long batch, long M, long N, long K, int bytes, int out_bytes, int sms)
{
    const double start = 3000, again = 6000, l2 = 4200; /* clocks; bytes a clock */
    const long rows = product_rows[choice.tile], cols = product_cols[choice.tile], lines = product_lines[choice.tile];
    const long blocks = product_ceil(product_ceil(K * bytes, 128 * lines), choice.parts);
    const long tiles = batch * choice.parts * product_ceil(M, rows) * product_ceil(N, cols);
    const int whole = K * bytes % 128 == 0, stored = choice.parts > 1 ? 4 : out_bytes;
    /* An iteration: the matrix units, a line of 128 bytes from L2 every two clocks, and what it takes to say so.  Rows that
       do not exist are not free. */
    const long copied = rows + cols + (M < rows ? rows - M : 0) / 2 + (N < cols ? cols - N : 0) / 2;
    const double line = whole ? 2.03 : 2.6 + (tiles < sms ? (double)tiles / sms : 1);
    double block = product_both(rows * cols / 32.0 * lines, copied * lines * line);
    block = block > 420 ? block : choice.tile == PRODUCT_SKINNY ? 300 : 420;
    double loop = block * blocks, after = 500 + rows * cols * stored / 16.0;
    double each = loop > (loop + after) / 2 ? loop : (loop + after) / 2;
    if (rows * cols > 128 * 200) /* more than a group holds: nothing runs under the epilogue */
        each = 1.05 * loop + after;
    double clocks = product_ceil(tiles, sms) * each + after;
    double bytes_moved = batch * ((double)(M + N) * K * bytes + (double)M * N * out_bytes);
    clocks = start + product_both(clocks, bytes_moved / (whole ? 2400 : 2000));
    if (choice.parts > 1)
        clocks += again + (double)batch * M * N * (choice.parts * 8 + out_bytes) / l2;
    return clocks;
}

/* The best of the six tiles, and the number of parts of K, on `sms` multiprocessors; for few rows, PRODUCT_SKINNY. */
static inline product_choice product_choose(long batch, long M, long N, long K, int bytes, int out_bytes, int sms)
{
    product_choice best = {0, 1};
    double least = product_clocks(best, batch, M, N, K, bytes, out_bytes, sms);
    for (int parts = 1; parts == 1 || (parts <= 16 && parts * 1024 <= K * bytes); parts++)
        for (int tile = 0; tile <= PRODUCT_SKINNY; tile++) {
            product_choice choice = {tile, parts};
            if ((parts > 1 && tile != PRODUCT_MIDDLE && tile != PRODUCT_SMALL) || (tile == PRODUCT_SKINNY && M > 16))
                continue;
            double clocks = product_clocks(choice, batch, M, N, K, bytes, out_bytes, sms);
            if (clocks < least) {
                least = clocks;
                best = choice;
            }
        }
    return best;
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
    static void name(const product_call *p, int parts)                                                                 \
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
        (void)parts;                                                                                                   \
        loops(a, b, c, extra, extra2, batch, M, N, K, turn_a, turn_b, sum, out, finish, bm, bn,                        \
              lines * PRODUCT_DEPTH_(a_type));                                                                         \
    }

#define PRODUCT_PART_(name, a_type, b_type, sum, turn_a, turn_b, bm, bn, lines)                                        \
    PRODUCT_BEGIN_(name, a_type, b_type, turn_a, turn_b)                                                               \
        ws_tensor partial = ws_tensor_3d(p->partial, sum, batch * parts, M, N);                                        \
        product_part(a, b, partial, batch, M, N, K, turn_a, turn_b, sum, parts, bm, bn,                                \
                     lines * PRODUCT_DEPTH_(a_type));                                                                  \
    }

#define PRODUCT_SUM_(name, sum, out, finish)                                                                           \
    static void name(const product_call *p, int parts)                                                                 \
    {                                                                                                                  \
        const int batch = p->batch, M = p->M, N = p->N;                                                                \
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
        name##_whole(p, choice.parts);                                                                                 \
    }

/* All: name (call, choice). */
#define PRODUCT(name, a_type, b_type, sum, out, turn_a, turn_b, finish)                                                \
    PRODUCT_WHOLE_(name##_0, product, a_type, b_type, sum, out, turn_a, turn_b, finish, 128, 192, 1)                   \
    PRODUCT_WHOLE_(name##_1, product, a_type, b_type, sum, out, turn_a, turn_b, finish, 128, 128, 1)                   \
    PRODUCT_WHOLE_(name##_2, product, a_type, b_type, sum, out, turn_a, turn_b, finish, 128, 256, 1)                   \
    PRODUCT_WHOLE_(name##_3, product, a_type, b_type, sum, out, turn_a, turn_b, finish, 64, 256, 1)                    \
    PRODUCT_WHOLE_(name##_4, product, a_type, b_type, sum, out, turn_a, turn_b, finish, 64, 128, 2)                    \
    PRODUCT_WHOLE_(name##_5, product, a_type, b_type, sum, out, turn_a, turn_b, finish, 64, 64, 2)                     \
    PRODUCT_WHOLE_(name##_short, product_short, a_type, b_type, sum, out, turn_a, turn_b, finish, 128, 192, 1)         \
    PRODUCT_WHOLE_(name##_6, product_skinny, a_type, b_type, sum, out, turn_a, turn_b, finish, 16, 64, 1)              \
    PRODUCT_PART_(name##_part_1, a_type, b_type, sum, turn_a, turn_b, 128, 128, 1)                                     \
    PRODUCT_PART_(name##_part_5, a_type, b_type, sum, turn_a, turn_b, 64, 64, 2)                                       \
    PRODUCT_SUM_(name##_sum, sum, out, finish)                                                                         \
    void name(const product_call *p, product_choice choice)                                                            \
    {                                                                                                                  \
        static void (*const whole[])(const product_call *, int) = {name##_0, name##_1, name##_2, name##_3,             \
                                                                   name##_4, name##_5, name##_6};                      \
        if (choice.parts == 1 && choice.tile == 0 && p->K <= PRODUCT_SHORT * PRODUCT_DEPTH_(a_type)) { \
            name##_short(p, 1);                                                                                        \
        } else if (choice.parts == 1) {                                                                                \
            whole[choice.tile](p, 1);                                                                                  \
        } else {                                                                                                       \
            (choice.tile == PRODUCT_SMALL ? name##_part_5 : name##_part_1)(p, choice.parts);                           \
            name##_sum(p, choice.parts);                                                                               \
        }                                                                                                              \
    }

#endif
