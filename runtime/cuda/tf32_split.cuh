/* SPDX-License-Identifier: MIT */
/*
 * tf32_split.cuh - products of floats with all their bits, by wgmma.  Without it, each warp splits b itself.
 *
 *   dot_f32(acc, a, b, rest)         acc (M x N) += a (M x K) b (K x N), where a role has computed `rest` of b
 *                                    (one::tf32_residual)
 *   dot_f32(acc, a, b, rest, kept)   and `kept` (one::tf32_head), if the lines of b do not run along K
 *
 * A float is the sum of two tf32 numbers of 11 bits, possibly without its last bit.  For b in shared memory, the first
 * is b itself, since wgmma drops the last 13 bits; the second is `rest`.  Each thread splits its elements of a in
 * registers.  Three products, the smaller two first, are started for 32 of K together.  Their sums start at 0, so the
 * truncation is relative to these numbers and not to acc.
 *
 * A number that two parts cannot represent is NaN in `rest`, which shows in the sums.  The warp of these sums then
 * multiplies number by number.
 */
#ifndef WS_CUDA_TF32_SPLIT_CUH
#define WS_CUDA_TF32_SPLIT_CUH

#include "product.cuh"
#include "mma.cuh"

namespace ws {

#if WS_GPU_WGMMA
namespace at_once {

/* Columns whose sums a thread holds in addition to acc.  */
template <int M, int N> WS_CONSTANT int columns_beside()
{
    const int most = M / 64 * N <= 128 ? 128 : 64; /* half as many registers as acc */
    int pieces = 1;
    while (N % (8 * pieces) != 0 || N / pieces > most)
        pieces++;
    return N / pieces;
}

/* S times 8 of K of 64 rows, split.  */
template <int S> struct parts_of_a {
    u32 first[4 * S], second[4 * S];
    bool good; /* two parts represent each number */

    template <typename A> WS_DEVICE void read(const A &a, int row, int k)
    {
        u32 smallest = ~0u, largest = 0; /* twice their bits; 0 does not count as small */
#    pragma unroll
        for (int s = 0; s < S; s++) {
            u32 bits[4];
            a.read_a(bits, row, k + 8 * s);
#    pragma unroll
            for (int i = 0; i < 4; i++) {
                const two_parts x = split(bits[i]);
                smallest = ::min(smallest, 2 * bits[i] - 1);
                largest = ::max(largest, 2 * bits[i]);
                first[4 * s + i] = x.first;
                second[4 * s + i] = x.second;
            }
        }
        good = smallest >= 2 * __float_as_uint(one::tf32_residual::least) - 1 &&
               largest <= 2 * __float_as_uint(one::tf32_residual::most);
    }
};

typedef wgmma::operands<tf32, tf32> of_tf32;
typedef wgmma::majors<float, false, false> along_k;

/* Columns FROM on of the three products, from step STEP of K on.  */
template <int COLUMNS, int S, typename B>
static WS_DEVICE void start(float (&sum)[COLUMNS / 2], const parts_of_a<S> &x, const B &b, const B &rest, int from,
                            int step)
{
    typedef wgmma::product<COLUMNS> unit;
#    pragma unroll
    for (int kind = 0; kind < 3; kind++)
#    pragma unroll
        for (int s = 0; s < S; s++) {
            const u32 *a = (kind == 0 ? x.second : x.first) + 4 * s;
            unit::template registers<0, of_tf32, along_k>(sum, a[0], a[1], a[2], a[3],
                                                          (kind == 1 ? rest : b).at(from, step + s));
        }
}

/* Adds sums to acc.  Returns true if they have to be computed again, since two parts do not represent a number.  Then
   all sums of that column of b are NaN, so a thread checks one of its two sums in each column.  */
template <int COLUMNS, int M, int N>
static WS_DEVICE bool add_unless(tile<float, M, N, frag> &acc, const float (&sum)[COLUMNS / 2], bool good, int block,
                                 int piece)
{
    float nothing[4] = {0, 0, 0, 0}; /* 0 if all numbers are finite */
#    pragma unroll
    for (int i = 0; i < COLUMNS / 2; i++)
        if (i % 4 < 2)
            nothing[i / 4 % 2 * 2 + i % 2] = fmaf(sum[i], 0.0f, nothing[i / 4 % 2 * 2 + i % 2]);
    good = good && nothing[0] + nothing[1] + nothing[2] + nothing[3] == 0;
    const bool all_good = __all_sync(0xffffffffu, good);
    float *to = acc.cell.v + block * (N / 2) + piece * (COLUMNS / 2);
#    pragma unroll
    for (int i = 0; i < COLUMNS / 2; i++)
        to[i] = all_good ? to[i] + sum[i] : to[i];
    return !all_good;
}

template <int COLUMNS> struct by_pieces {
    static WS_CONSTANT int step(int eight)
    {
        return eight / (COLUMNS / 8);
    }
};

/* S times 8 of K from k on, for one block of 64 rows.  */
template <int BLOCK, int S, int M, int N, typename L, typename A, typename B, typename V>
static WS_DEVICE void step_of_parts(tile<float, M, N, frag> &acc, const L &left, const A &a, const B &b, const V &right,
                                    const V &rest, int k)
{
    constexpr int columns = columns_beside<M, N>();
    parts_of_a<S> x;
    u32 todo = 0;
    x.read(left, BLOCK * 64 + warp() * 16, k);
#    pragma unroll
    for (int piece = 0; piece < N / columns; piece++) {
        float sum[columns / 2];
#    pragma unroll
        for (int i = 0; i < columns / 2; i++)
            sum[i] = 0;
        wgmma::pin(sum);
        wgmma::pin(x.first);
        wgmma::pin(x.second);
        ptx::wgmma_fence();
        start<columns>(sum, x, right, rest, piece * columns, k / 8);
        ptx::wgmma_commit();
        ptx::wgmma_wait<0>();
        wgmma::pin(sum);
        todo |= (u32)add_unless<columns>(acc, sum, x.good, BLOCK, piece) << piece;
    }
    if (todo)
        by_numbers<BLOCK, 1, by_pieces<columns>>(acc, a, b, k, k + 8 * S, todo);
}

template <int BLOCK, int M, int N, typename A, typename B, typename V>
static WS_DEVICE void block_of_parts(tile<float, M, N, frag> &acc, const A &a, const B &b, const V &right,
                                     const V &rest)
{
    constexpr int K = A::cols, S = 4;
    const auto left = floats_of_a(a);
#    pragma unroll 1
    for (int k = 0; k + 8 * S <= K; k += 8 * S)
        step_of_parts<BLOCK, S>(acc, left, a, b, right, rest, k);
    if constexpr (K / 8 % S > 0)
        step_of_parts<BLOCK, K / 8 % S>(acc, left, a, b, right, rest, K / (8 * S) * (8 * S));
    if constexpr ((BLOCK + 1) * 64 < M)
        block_of_parts<BLOCK + 1>(acc, a, b, right, rest);
}

} // namespace at_once
#endif

template <int M, int N, typename A, typename B, typename V>
static WS_DEVICE void dot_f32(tile<float, M, N, frag> &acc, const A &a, const B &b, const V &rest, const V &kept)
{
#if WS_GPU_WGMMA
    if constexpr (M % 64 == 0 && N % 8 == 0 && A::cols % 8 == 0)
        return at_once::block_of_parts<0>(acc, a, b, wgmma::as_b(kept), wgmma::as_b(rest));
#endif
    dot_f32(acc, a, b);
}

template <int M, int N, typename A, typename B>
static WS_DEVICE void dot_f32(tile<float, M, N, frag> &acc, const A &a, const B &b, const B &rest)
{
    dot_f32(acc, a, b, rest, b);
}

} // namespace ws

#endif
