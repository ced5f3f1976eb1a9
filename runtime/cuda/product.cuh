/* SPDX-License-Identifier: MIT */
/*
 * product.cuh - synchronous products: of doubles, and of floats with all their bits.
 *
 *   dot(acc, a, b)        acc (M x N) += a (M x K) b (K x N), doubles
 *   dot_f32(acc, a, b)    the same for floats
 *
 * Each warp has 16 rows of every 64 of acc, in the layout of wgmma.  Instructions of a warp (mma.sync) add to them in
 * place.  Lane (g = lane / 4, q = lane % 4) needs M or N = g and K = q of an operand, one number of each 8 x 4:
 *
 *                 lines of the shared tile run along K      lines run along M or N
 *   line          g                                         q
 *   position      q, and 4 further for each 4 of K          g, and 8 further for each 8 of M or N
 *
 * The swizzle distributes eight lines over the banks, but adjacent lines swap adjacent chunks, and a lane needs both at
 * a time.  For doubles, a lane takes K in another order, which is the same for both operands.  For floats, lanes of odd
 * lines first read the elements that other lanes read last, half a line away.  These elements then change places in the
 * registers.  Floats along K are read by ldmatrix, without such conflicts.
 */
#ifndef WS_CUDA_PRODUCT_CUH
#define WS_CUDA_PRODUCT_CUH

#include "elementwise.cuh"

namespace ws {

namespace at_once {

template <typename X> static WS_DEVICE X load(u32 address)
{
    return *reinterpret_cast<const X *>(__cvta_shared_to_generic(address));
}

template <typename X> static WS_DEVICE void exchange(bool really, X &x, X &y)
{
    const X z = really ? y : x;
    y = really ? x : y;
    x = z;
}

static WS_DEVICE int warp()
{
    return (int)(threadIdx.x / 32 % 4);
}

/* Address of a window's first line in its first 128-byte block.  */
template <typename V> static WS_DEVICE u32 corner(const V &v)
{
    const u32 byte = (u32)v.col * sizeof(typename V::element);
    return v.base + byte / 128 * block_bytes(V::storage_rows) + (u32)v.row * 128;
}

/* ---- doubles ----------------------------------------------------------------------------------------------------- */

/* 16 of M or N by 16 of K: [8 of M or N][4 of K].  */
typedef double doubles[2][4];

/* Each instruction multiplies 4 of 16 numbers of K, in any order that both operands share.  A lane has two chunks of 16
   bytes, and each instruction gets one number of a chunk.  Chunks 0 2 5 7 are the first chunks of four lanes, and 1 3 4
   6 the second.  If lines run along K, a quarter of a warp (two lines) reads chunks of eight places, since no two of 0
   2 5 7 are adjacent.  If lines run across K, half a warp (two places of four lines) does, since no two are 4 apart. */
static WS_DEVICE u32 chunk_of_lane(u32 which)
{
    const u32 q = ptx::lane() % 4;
    return (2 * q + q / 2) ^ which;
}

template <typename V> struct doubles_along_k {
    static constexpr int across = V::rows, depth = V::cols;
    u32 at[2];

    explicit WS_DEVICE doubles_along_k(const V &v)
    {
        const u32 g = ptx::lane() / 4;
#pragma unroll
        for (u32 i = 0; i < 2; i++)
            at[i] = corner(v) + g * 128 + (chunk_of_lane(i) ^ g) * 16;
    }
    /* BOTH: also the second 8.  */
    template <bool BOTH> WS_DEVICE void read(doubles &x, int mn, int k) const
    {
        const u32 offset = (u32)mn * 128 + (u32)(k / 16) * block_bytes(V::storage_rows);
#pragma unroll
        for (int e = 0; e < 1 + BOTH; e++)
#pragma unroll
            for (int i = 0; i < 2; i++) {
                const double2 two = ptx::load_shared_f64x2(at[i] + offset + e * 1024);
                x[e][2 * i] = two.x;
                x[e][2 * i + 1] = two.y;
            }
    }
};

template <typename V> struct doubles_across_k {
    static constexpr int across = V::cols, depth = V::rows;
    u32 at[2][4];

    explicit WS_DEVICE doubles_across_k(const V &v)
    {
        const u32 g = ptx::lane() / 4;
#pragma unroll
        for (u32 e = 0; e < 2; e++)
#pragma unroll
            for (u32 i = 0; i < 4; i++) {
                const u32 line = 2 * chunk_of_lane(i / 2) + i % 2;
                at[e][i] = corner(v) + line * 128 + ((g / 2 + 4 * e) ^ line % 8) * 16 + g % 2 * 8;
            }
    }
    template <bool BOTH> WS_DEVICE void read(doubles &x, int mn, int k) const
    {
        const u32 offset = (u32)(mn / 16) * block_bytes(V::storage_rows) + (u32)k * 128;
#pragma unroll
        for (int e = 0; e < 1 + BOTH; e++)
#pragma unroll
            for (int i = 0; i < 4; i++)
                x[e][i] = ptx::load_shared_f64(at[e][i] + offset);
    }
};

template <typename T, int R, int C, int S>
static WS_DEVICE doubles_along_k<shared_view<T, R, C, S>> doubles_of_a(const shared_view<T, R, C, S> &v)
{
    return doubles_along_k<shared_view<T, R, C, S>>(v);
}
template <typename V> static WS_DEVICE doubles_across_k<V> doubles_of_a(const transposed_view<V> &v)
{
    return doubles_across_k<V>(v.of);
}
template <typename T, int R, int C, int S>
static WS_DEVICE doubles_across_k<shared_view<T, R, C, S>> doubles_of_b(const shared_view<T, R, C, S> &v)
{
    return doubles_across_k<shared_view<T, R, C, S>>(v);
}
template <typename V> static WS_DEVICE doubles_along_k<V> doubles_of_b(const transposed_view<V> &v)
{
    return doubles_along_k<V>(v.of);
}

/* The four numbers of a thread in 16 x 8 of an accumulator of N columns.  */
template <int N, typename T> static WS_DEVICE T *sums_at(T *v, int block, int eight)
{
    return v + 4 * (block * (round_up(N, 8) / 8) + eight);
}

/* 16 of K for all of acc.  The operands of the next columns are loaded while these instructions run.  */
template <int M, int N, typename A, typename B>
static WS_DEVICE void step_of_16(tile<double, M, N, frag> &acc, const A &a, const B &b, int k)
{
    constexpr int blocks = M / 64, pieces = (N + 15) / 16;
    doubles x[blocks], y[2];
    b.template read<(N >= 16)>(y[0], 0, k);
#pragma unroll
    for (int block = 0; block < blocks; block++)
        a.template read<true>(x[block], block * 64 + warp() * 16, k);
#pragma unroll
    for (int piece = 0; piece < pieces; piece++) {
        if (piece + 2 < pieces || (piece + 1 < pieces && N % 16 == 0))
            b.template read<true>(y[(piece + 1) % 2], piece * 16 + 16, k);
        else if (piece + 1 < pieces)
            b.template read<false>(y[(piece + 1) % 2], piece * 16 + 16, k);
#pragma unroll
        for (int e = 0; e < 2 && piece * 16 + e * 8 < N; e++)
#pragma unroll
            for (int block = 0; block < blocks; block++)
                ptx::mma_f64_k16(sums_at<N>(acc.cell.v, block, piece * 2 + e), x[block], y[piece % 2][e]);
    }
}

/* 4 of K in any position.  */
template <int M, int N, typename A, typename B>
static WS_DEVICE void step_of_4(tile<double, M, N, frag> &acc, const A &a, const B &b, int k)
{
    const int g = (int)ptx::lane() / 4, q = (int)ptx::lane() % 4;
#pragma unroll
    for (int block = 0; block < M / 64; block++) {
        const int row = block * 64 + warp() * 16 + g;
        const double low = a.at(row, k + q), high = a.at(row + 8, k + q);
#pragma unroll
        for (int eight = 0; eight < N / 8; eight++)
            ptx::mma_f64_k4(sums_at<N>(acc.cell.v, block, eight), low, high, b.at(k + q, eight * 8 + g));
    }
}

/* ---- floats ------------------------------------------------------------------------------------------------------ */

/* A float as the sum of two tf32 numbers of 11 bits, possibly without its last bit.  A product of two floats is the
   product of the first parts plus two products of relative size 2^-11.  The omitted and truncated rest is at most 2^-21
   of it.  */
struct two_parts {
    u32 first, second;
};

/* The smallest magnitude except 0, as twice the bits of the float.  */
struct least {
    u32 twice;

    WS_DEVICE least() : twice(0xfe000000u)
    {
    }
    WS_DEVICE void take(u32 bits)
    {
        twice = ::min(twice, 2 * bits - 1);
    }
    WS_DEVICE float magnitude() const
    {
        return __uint_as_float(twice / 2);
    }
};

static WS_DEVICE two_parts split(u32 bits)
{
    const u32 first = (bits + 0x1000) & ~0x1fffu;
    return {first, __float_as_uint(__uint_as_float(bits) - __uint_as_float(first))};
}

/* [4 of K]; for A the two 8 of M come first.  Numbers beyond K are 0.  */
template <typename V> struct floats_along_k {
    static constexpr int across = V::rows, depth = V::cols;
    u32 base, row, chunk, swizzle; /* the lane's address for ldmatrix */

    /* Matrices of 8 lines with 4 numbers each.  For A two of them are one below the other.  */
    explicit WS_DEVICE floats_along_k(const V &v, bool below)
        : base(corner(v)), row(ptx::lane() % 8 + (below ? ptx::lane() / 8 % 2 * 8 : 0)),
          chunk(below ? ptx::lane() / 16 : ptx::lane() / 8), swizzle(ptx::lane() % 8)
    {
    }
    /* Address of one of UNIT lines; lines beyond the last are replaced.  */
    template <int UNIT> WS_DEVICE u32 address(int mn, int k) const
    {
        const u32 line = (u32)mn + row;
        const u32 there = across % UNIT == 0 || line < round_up(across, 8) ? line : line % 8;
        const u32 place = ((u32)k % 32 / 4 + chunk) ^ swizzle;
        return base + (u32)(k / 32) * block_bytes(V::storage_rows) + there * 128 + place * 16;
    }
    WS_DEVICE void read_a(u32 (&x)[4], int m, int k) const
    {
        ptx::ldmatrix_x4(address<64>(m, k), x[0], x[1], x[2], x[3]);
    }
    static constexpr bool exchanges = false;

    /* 16 columns, S times 8 of K.  */
    template <typename W, int S> WS_DEVICE void read_b(u32 (&x)[2][S][2], int step, int k) const
    {
#pragma unroll
        for (int t = 0; t < 2; t++) {
            const int n = 8 * W::eight(step, t);
            if constexpr (S % 2 == 0) {
#pragma unroll
                for (int s = 0; s < S; s += 2)
                    ptx::ldmatrix_x4(address<16>(n, k + 8 * s), x[t][s][0], x[t][s][1], x[t][s + 1][0], x[t][s + 1][1]);
            } else {
#pragma unroll
                for (int s = 0; s < S; s++)
                    ptx::ldmatrix_x2(address<16>(n, k + 8 * s), x[t][s][0], x[t][s][1]);
            }
        }
    }
};

template <typename V> struct floats_across_k {
    static constexpr int across = V::cols, depth = V::rows;
    u32 base, line, place, within;
    bool odd;

    explicit WS_DEVICE floats_across_k(const V &v, bool)
        : base(corner(v)), line(ptx::lane() % 4), place(ptx::lane() % 4 ^ ptx::lane() / 16),
          within(ptx::lane() / 4 % 4 * 4), odd(ptx::lane() % 2)
    {
    }
    WS_DEVICE u32 number(int mn, int k, bool away) const
    {
        const u32 chunk = (u32)mn % 32 / 4 ^ place ^ (u32)k % 8 ^ (away ? 4u : 0u);
        return load<u32>(base + (u32)(mn / 32) * block_bytes(V::storage_rows) + ((u32)k + line) * 128 + chunk * 16 +
                         within);
    }
    WS_DEVICE void read_a(u32 (&x)[4], int m, int k) const
    {
        const int there = m < across ? m : 0;
#pragma unroll
        for (int i = 0; i < 4; i++)
            x[i] = number(there + i % 2 * 8, k + i / 2 * 4, false);
    }
    static constexpr bool exchanges = true;

    template <typename W, int S> WS_DEVICE void read_b(u32 (&x)[2][S][2], int step, int k) const
    {
        constexpr bool apart = W::eight(0, 1) == 2;
#pragma unroll
        for (int s = 0; s < S; s++)
#pragma unroll
            for (int i = 0; i < 2; i++) {
#pragma unroll
                for (int t = 0; t < 2; t++)
                    x[t][s][i] = number(8 * W::eight(step, t), k + 8 * s + 4 * i, apart && odd);
                if constexpr (apart)
                    exchange(odd, x[0][s][i], x[1][s][i]);
            }
    }
};

template <typename T, int R, int C, int S>
static WS_DEVICE floats_along_k<shared_view<T, R, C, S>> floats_of_a(const shared_view<T, R, C, S> &v)
{
    return floats_along_k<shared_view<T, R, C, S>>(v, true);
}
template <typename V> static WS_DEVICE floats_across_k<V> floats_of_a(const transposed_view<V> &v)
{
    return floats_across_k<V>(v.of, true);
}
template <typename T, int R, int C, int S>
static WS_DEVICE floats_across_k<shared_view<T, R, C, S>> floats_of_b(const shared_view<T, R, C, S> &v)
{
    return floats_across_k<shared_view<T, R, C, S>>(v, false);
}
template <typename V> static WS_DEVICE floats_along_k<V> floats_of_b(const transposed_view<V> &v)
{
    return floats_along_k<V>(v.of, false);
}

/* `bits`, or 0 beyond K.  */
template <int K> static WS_DEVICE u32 present(u32 bits, int k)
{
    return K % 8 == 0 || k < K ? bits : 0;
}

/* A step has 16 columns, as two times 8.  They are adjacent, or 16 apart if lines run across K; then they swap places
   in the registers.  */
template <int N, bool APART> struct sixteens {
    static constexpr int eights = (N + 7) / 8, count = (eights + 1) / 2;

    /* The t-th 8 columns of a step; the step of 8 columns.  */
    static WS_CONSTANT int eight(int step, int t)
    {
        return APART ? step / 2 * 4 + step % 2 + 2 * t : 2 * step + t;
    }
    static WS_CONSTANT int step(int eight)
    {
        return APART ? eight / 4 * 2 + eight % 2 : eight / 2;
    }
};

/* 16 columns of B for S times 8 of K, and their sums for G blocks of 64 rows.  */
template <int S> struct factors_of_b {
    u32 bits[2][S][2];
};
template <int G> struct sums_of_16 {
    float sum[G][2][4];
    float smallest; /* the smallest number of B */
};

template <int G, int S, int K>
static WS_DEVICE void multiply(sums_of_16<G> &sums, const two_parts (&x)[G][S][4], factors_of_b<S> b, int k)
{
    const int q = (int)ptx::lane() % 4;
    least of_b;
#pragma unroll
    for (int i = 0; i < G * 8; i++)
        sums.sum[i / 8][i / 4 % 2][i % 4] = 0;
#pragma unroll
    for (int s = 0; s < S; s++) {
        two_parts y[2][2];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const u32 bits = present<K>(b.bits[i / 2][s][i % 2], k + 8 * s + i % 2 * 4 + q);
            of_b.take(bits);
            y[i / 2][i % 2] = split(bits);
        }
        /* Instructions that add to one sum are not adjacent; larger products come last.  */
#pragma unroll
        for (int i = 0; i < 6 * G; i++) {
            const int kind = i / 2 / G, block = i / 2 % G, t = i % 2;
            const two_parts *p = x[block][s], *r = y[t];
            if (kind == 0)
                ptx::mma_tf32(sums.sum[block][t], p[0].second, p[1].second, p[2].second, p[3].second, r[0].first,
                              r[1].first);
            else
                ptx::mma_tf32(sums.sum[block][t], p[0].first, p[1].first, p[2].first, p[3].first,
                              kind == 1 ? r[0].second : r[0].first, kind == 1 ? r[1].second : r[1].first);
        }
    }
    sums.smallest = of_b.magnitude();
}

/* Adds sums to acc.  Returns true, for all lanes, if the sums have to be computed again.  That is so if a number is too
   small for a second part of enough bits, or if a sum is not finite.  */
template <int FIRST, int G, typename W, int M, int N>
static WS_DEVICE bool add_unless(tile<float, M, N, frag> &acc, const sums_of_16<G> &sums, float smallest_of_a, int step)
{
    float nothing = 0; /* 0 if all numbers are finite */
#pragma unroll
    for (int block = 0; block < G; block++)
#pragma unroll
        for (int t = 0; t < 2 && W::eight(step, t) < W::eights; t++)
#pragma unroll
            for (int i = 0; i < 4; i++)
                nothing = fmaf(sums.sum[block][t][i], 0.0f, nothing);
    const bool good = nothing == 0 && sums.smallest >= 0x1p-100f && smallest_of_a * sums.smallest >= 0x1p-100f;
    const bool all_good = __all_sync(0xffffffffu, good);
#pragma unroll
    for (int block = 0; block < G; block++)
#pragma unroll
        for (int t = 0; t < 2 && W::eight(step, t) < W::eights; t++)
#pragma unroll
            for (int i = 0; i < 4; i++) {
                float &sum = sums_at<N>(acc.cell.v, FIRST + block, W::eight(step, t))[i];
                sum = all_good ? sum + sums.sum[block][t][i] : sum;
            }
    return !all_good;
}

/* S times 8 of K from k on, for G blocks of 64 rows from FIRST on and all columns.  Sums start at 0, so the truncation
   is relative to this step's numbers and not to acc.  The products of one step overlap the next step's loads and the
   last step's checks.  Returns a mask of the steps that have to be computed again.  */
template <int FIRST, int G, int S, int K, typename W, int M, int N, typename A, typename B>
static WS_DEVICE u32 step_of_floats(tile<float, M, N, frag> &acc, const A &a, const B &b, int k)
{
    const int q = (int)ptx::lane() % 4;
    two_parts x[G][S][4];
    factors_of_b<S> next;
    sums_of_16<G> sums[2];
    least of_a;
    u32 left = 0;
    b.template read_b<W>(next.bits, 0, k);
#pragma unroll
    for (int block = 0; block < G; block++)
#pragma unroll
        for (int s = 0; s < S; s++) {
            u32 bits[4];
            a.read_a(bits, (FIRST + block) * 64 + warp() * 16, k + 8 * s);
#pragma unroll
            for (int i = 0; i < 4; i++) {
                bits[i] = present<K>(bits[i], k + 8 * s + i / 2 * 4 + q);
                of_a.take(bits[i]);
                x[block][s][i] = split(bits[i]);
            }
        }
    const float smallest = of_a.magnitude() >= 0x1p-100f ? of_a.magnitude() : 0;
#pragma unroll
    for (int step = 0; step < W::count; step++) {
        const factors_of_b<S> now = next;
        if (step + 1 < W::count)
            b.template read_b<W>(next.bits, step + 1, k);
        multiply<G, S, K>(sums[step % 2], x, now, k);
        if (step > 0)
            left |= (u32)add_unless<FIRST, G, W>(acc, sums[(step + 1) % 2], smallest, step - 1) << (step - 1);
    }
    left |= (u32)add_unless<FIRST, G, W>(acc, sums[(W::count + 1) % 2], smallest, W::count - 1) << (W::count - 1);
    return left;
}

/* The same, number by number, for the steps of the mask.  */
template <int FIRST, int G, typename W, int M, int N, typename A, typename B>
static WS_DEVICE void by_numbers(tile<float, M, N, frag> &acc, const A &a, const B &b, int k, int end, u32 which)
{
    typedef spread<M, N, frag> S;
#pragma unroll 1
    for (; k < end; k++) {
#pragma unroll
        for (int slot = 2 * FIRST; slot < 2 * (FIRST + G) && slot < S::slots; slot++) {
            int row = S::row(slot);
            float x = row < M ? widen(a.at(row, k)) : 0.0f;
            WS_FOR_PAIRS(S, j)
            if (which >> W::step(j) & 1) {
                int col = S::col(j);
                pair<float> sum = acc.get(slot, j);
                sum.low = fmaf(x, col < N ? widen(b.at(k, col)) : 0.0f, sum.low);
                sum.high = fmaf(x, col + 1 < N ? widen(b.at(k, col + 1)) : 0.0f, sum.high);
                acc.set(slot, j, sum.low, sum.high);
            }
        }
    }
}
/* All columns as one step.  */
struct one_step {
    static WS_CONSTANT int step(int)
    {
        return 0;
    }
};

/* Blocks of 64 rows; two at a time if the tile is narrow.  Then the parts of B serve both, as registers allow.  */
template <int FIRST, int M, int N, typename A, typename B>
static WS_DEVICE void floats(tile<float, M, N, frag> &acc, const A &a, const B &b)
{
    constexpr int K = A::cols, blocks = (M + 63) / 64, G = FIRST + 1 < blocks && N <= 64 ? 2 : 1;
    constexpr int most = G == 1 ? 4 : 2, eights = (K + 7) / 8, S = eights < most ? eights : most;
    const auto left = floats_of_a(a);
    const auto right = floats_of_b(b);
    typedef sixteens<N, decltype(right)::exchanges && N % 32 == 0> W;
    static_assert(W::count <= 32, "a bit for each");
#pragma unroll 1
    for (int k = 0; k + 8 * S <= round_up(K, 8); k += 8 * S)
        if (const u32 which = step_of_floats<FIRST, G, S, K, W>(acc, left, right, k))
            by_numbers<FIRST, G, W>(acc, a, b, k, k + 8 * S < K ? k + 8 * S : K, which);
    constexpr int rest = eights % S;
    if constexpr (rest > 0)
        if (const u32 which = step_of_floats<FIRST, G, rest, K, W>(acc, left, right, (eights - rest) * 8))
            by_numbers<FIRST, G, W>(acc, a, b, (eights - rest) * 8, K, which);
    if constexpr (FIRST + G < blocks)
        floats<FIRST + G>(acc, a, b);
}

} // namespace at_once

/* ---- calls of the emitted code ----------------------------------------------------------------------------------- */

template <int M, int N, typename A, typename B>
static WS_DEVICE void dot(tile<double, M, N, frag> &acc, const A &a, const B &b)
{
    constexpr int K = A::cols;
    static_assert(A::rows == M && B::cols == N && B::rows == K, "shapes of a product");
    static_assert(M % 64 == 0 && N % 8 == 0 && K % 4 == 0, "sizes that the tensor core has");
    __syncwarp(); /* threads leave the wait for a slot one by one */
    if constexpr (K % 16 == 0) {
        const auto left = at_once::doubles_of_a(a);
        const auto right = at_once::doubles_of_b(b);
#pragma unroll 1
        for (int k = 0; k < K; k += 16)
            at_once::step_of_16(acc, left, right, k);
    } else {
#pragma unroll 1
        for (int k = 0; k < K; k += 4)
            at_once::step_of_4(acc, a, b, k);
    }
}

/* A product with few rows or columns would waste most of the tensor core's work.  */
template <int M, int N, typename A, typename B>
static WS_DEVICE void dot_f32(tile<float, M, N, frag> &acc, const A &a, const B &b)
{
    if constexpr (M < 16 || N < 8) {
        at_once::by_numbers<0, (M + 63) / 64, at_once::one_step>(acc, a, b, 0, A::cols, 1);
    } else {
        __syncwarp();
        at_once::floats<0>(acc, a, b);
    }
}

} // namespace ws

#endif
