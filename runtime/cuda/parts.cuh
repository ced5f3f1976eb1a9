/* SPDX-License-Identifier: MIT */
/*
 * parts.cuh - a tile as partial sums of several CTAs of a cluster: each CTA gets the total of some columns.
 *
 *   part_sum<cluster<1, 4>> sum_parts(s.sum_parts[group]);     once, at a role's start
 *   sum = sum_parts(sum_parts, part, 0)                        columns [32 s, 32 s + 32) of 0 + part of CTA 0 + part of
 *                                                              CTA 1 ...
 *   sum = sum_parts<8>(sum_parts, part, 0)                     8 columns for each of the first CTAs
 *
 * Each thread sends its elements of another CTA's columns to the thread of its own number there.  It stores the
 * elements that it keeps, and adds all parts in the order of the CTAs.  As in a ring, full counts received bytes, and
 * empty counts the warps of all CTAs that have read the last exchange.  No fence is needed: the stores themselves
 * complete on the barrier.
 */
#ifndef WS_CUDA_PARTS_CUH
#define WS_CUDA_PARTS_CUH

#include "cluster.cuh"
#include "elementwise.cuh"

namespace ws {

/* Received words of one group, by sender.  Rows are padded as accumulators are.  */
template <typename T, int P, int R, int C> struct alignas(16) parts {
    static_assert(sizeof(T) == 4 && C % (8 * P) == 0, "words, and each CTA gets a multiple of eight columns");
    static constexpr int words = (R + 63) / 64 * 64 * (C / P);
    u32 from[P][words];
    u64 full, empty;

    WS_DEVICE void init(const char *)
    {
        ptx::mbarrier_init(ptx::shared_address(&full), 1);
        ptx::mbarrier_init(ptx::shared_address(&empty), 4 * P);
    }
};

static WS_DEVICE u32 word_of(float x)
{
    return __float_as_uint(x);
}
static WS_DEVICE u32 word_of(int x)
{
    return (u32)x;
}
static WS_DEVICE void of_word(float &x, u32 word)
{
    x = __uint_as_float(word);
}
static WS_DEVICE void of_word(int &x, u32 word)
{
    x = (int)word;
}

/* A group's access to the sums.  B: the cluster, whose CTAs along y hold the parts.  */
template <typename B> struct part_sum {
    u32 from, full, empty; /* addresses */
    u32 parity;

    template <typename T, int P, int R, int C>
    explicit WS_DEVICE part_sum(parts<T, P, R, C> &s)
        : from(ptx::shared_address(s.from)), full(ptx::shared_address(&s.full)), empty(ptx::shared_address(&s.empty)),
          parity(0)
    {
        static_assert(P == B::y, "the parts are those of a cluster's CTAs along y");
    }

    /* Waits until the other CTAs have read this CTA's words.  */
    WS_DEVICE ~part_sum()
    {
        ptx::mbarrier_wait(empty, parity ^ 1);
    }

    static WS_DEVICE u32 in(u32 address, int other)
    {
        return ptx::address_in(address, (u32)B::template member<along_y>(other));
    }
};

/* In the accumulator layout a thread has the same columns of every eight, so one CTA's columns are a range of its
   registers. The thread of the same number reads them.  A CTA's own columns need no barrier, since a thread reads its
   own writes.  */
template <int HOLDERS, typename B, typename T, int R, int C>
static WS_DEVICE void send(const part_sum<B> &s, const tile<T, R, C, frag> &x)
{
    typedef spread<R, C, frag> S;
    constexpr int each = S::pairs / HOLDERS, cells = S::slots / 2 * each;
    const int place = B::template place<along_y>();
    const u32 mine = s.from + ((u32)place * cells * 128 + threadIdx.x % 128) * 16;
#pragma unroll
    for (int other = 0; other < HOLDERS; other++) {
        const u32 there = s.in(mine, other), barrier = s.in(s.full, other);
#pragma unroll
        for (int cell = 0; cell < cells; cell++) {
            const int block = cell / each * 2, j = other * each + cell % each;
            const auto upper = x.get(block, j), lower = x.get(block + 1, j);
            const uint4 words = {word_of(upper.low), word_of(upper.high), word_of(lower.low), word_of(lower.high)};
            if (other == place)
                ptx::store_shared_16(mine + cell * 2048, words);
            else
                ptx::store_there(there + cell * 2048, barrier, words);
        }
    }
}
/* In other layouts pairs go to their positions in rows, including pairs that stay, since other threads may read
   them.  */
template <int HOLDERS, typename B, typename T, int R, int C, layout L>
static WS_DEVICE void send(const part_sum<B> &s, const tile<T, R, C, L> &x)
{
    typedef spread<R, C, L> S;
    constexpr int share = C / HOLDERS;
    const u32 mine = s.from + (u32)B::template place<along_y>() * sizeof(T) * parts<T, B::y, R, share * B::y>::words;
    WS_FOR_CELLS(S, slot, j)
    {
        const int row = S::row(slot), col = S::col(j);
        if (row < R && col < C) {
            const auto p = x.get(slot, j);
            const int other = col / share;
            ptx::store_there(s.in(mine + (row * share + col % share) * 4, other), s.in(s.full, other),
                             uint2{word_of(p.low), word_of(p.high)});
        }
    }
}

/* Adds the part of one CTA.  */
template <typename T, int R, int C> static WS_DEVICE void add_part(tile<T, R, C, frag> &y, u32 from)
{
    typedef spread<R, C, frag> S;
#pragma unroll
    for (int cell = 0; cell < S::slots / 2 * S::pairs; cell++) {
        const int block = cell / S::pairs * 2, j = cell % S::pairs;
        const uint4 words = ptx::load_shared_16(from + (cell * 128 + threadIdx.x % 128) * 16);
        const auto upper = y.get(block, j), lower = y.get(block + 1, j);
        T p[4];
        of_word(p[0], words.x), of_word(p[1], words.y), of_word(p[2], words.z), of_word(p[3], words.w);
        const one::add plus;
        y.set(block, j, plus(upper.low, p[0]), plus(upper.high, p[1]));
        y.set(block + 1, j, plus(lower.low, p[2]), plus(lower.high, p[3]));
    }
}
template <typename T, int R, int C, layout L> static WS_DEVICE void add_part(tile<T, R, C, L> &y, u32 from)
{
    typedef spread<R, C, L> S;
    WS_FOR_CELLS(S, slot, j)
    {
        const int row = S::row(slot), col = S::col(j);
        if (row < R && col < C) {
            const uint2 words = ptx::load_shared_8(from + (row * C + col) * 4);
            const auto sum = y.get(slot, j);
            T p[2];
            of_word(p[0], words.x), of_word(p[1], words.y);
            y.set(slot, j, one::add()(sum.low, p[0]), one::add()(sum.high, p[1]));
        }
    }
}

/* The bytes that a group receives.  */
template <typename T, int P, int R, int C, layout L> WS_CONSTANT int part_bytes()
{
    return L == frag ? (P - 1) * parts<T, P, R, C>::words * 4 : R * C * 4;
}

/* Columns of a share, for C columns; SHARE is 0 for one share for each CTA.  */
template <typename B, int C, int SHARE> WS_CONSTANT int share_of()
{
    return SHARE ? SHARE : C / B::y;
}

/* If a CTA has no share, the result is `first`.  */
template <int SHARE = 0, typename B, typename T, int R, int C, layout L>
static WS_DEVICE tile<T, R, share_of<B, C, SHARE>(), L> sum_parts(part_sum<B> &s, const tile<T, R, C, L> &x,
                                                                  double first)
{
    constexpr int share = share_of<B, C, SHARE>(), holders = C / share;
    typedef parts<T, B::y, R, share * B::y> memory;
    const bool holds = holders == B::y || B::template place<along_y>() < holders;
    ptx::mbarrier_wait(s.empty, s.parity ^ 1); /* in the first round nothing was sent before */
    if (holds && group_leader()) {
        ptx::mbarrier_expect_tx(s.full, part_bytes<T, B::y, R, share * B::y, L>());
        ptx::mbarrier_arrive(s.full);
    }
    send<holders>(s, x);
    tile<T, R, share, L> y = full<T, R, share, L>((T)first);
    if (holds) {
        ptx::mbarrier_wait(s.full, s.parity);
#pragma unroll
        for (int part = 0; part < B::y; part++)
            add_part(y, s.from + part * sizeof(T) * memory::words);
    }
    __syncwarp();
    if (ptx::lane() < B::y)
        ptx::mbarrier_arrive_there(s.in(s.empty, (int)ptx::lane()));
    s.parity ^= 1;
    return y;
}

} // namespace ws

#endif
