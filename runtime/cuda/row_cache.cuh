/* SPDX-License-Identifier: MIT */
/*
 * row_cache.cuh - tiles in shared memory instead of registers: tiles for all tiles of a block, and prefetched tiles.
 *
 *   s.g_cached.keep(load_row<8192, wide>(g, 0))                     before the first tile
 *   s.g_cached.take()                                               in each tile
 *
 *   auto next = bring_prefetched(s.x_cached, tiles,
 *                                [&](const auto &t, auto &to) { bring<1, 8192, wide>(to, x, t.at(0), 0); })
 *   next.take(t)                                                    in each tile
 *
 * The last call returns the load that was started during the previous tile, and starts the load of a later tile.
 */
#ifndef WS_ROW_CACHE_CUH
#define WS_ROW_CACHE_CUH

#include "memory.cuh"

namespace ws {

/* Each thread reads its own writes, so no barrier is needed; 16 bytes of all threads are contiguous.  */
template <typename T, int R, int C, layout L> struct alignas(16) cached_tile {
    typedef tile<T, R, C, L> whole;
    static constexpr int words = sizeof(whole) / 16;
    static_assert(words * 16 == sizeof(whole), "16 bytes at a time");
    static constexpr int threads = group_threads<L>;
    uint4 share[words][threads];

    /* The word that begins with a thread's element 2 j of a row.  */
    static WS_DEVICE int word_of(int slot, int j)
    {
        return (slot * spread<R, C, L>::pairs + j) * 2 * (int)sizeof(T) / 16;
    }

    WS_DEVICE void keep(const whole &x)
    {
        uint4 word[words];
        memcpy(word, &x, sizeof x);
#pragma unroll
        for (int i = 0; i < words; i++)
            share[i][threadIdx.x % threads] = word[i];
    }
    WS_DEVICE whole take() const
    {
        uint4 word[words];
        whole x;
#pragma unroll
        for (int i = 0; i < words; i++)
            word[i] = share[i][threadIdx.x % threads];
        memcpy(&x, word, sizeof x);
        return x;
    }
};

/* Loads into such memory, without a register for 16 bytes that lie wholly inside or outside of a tensor.  The data are
   there after async_copy_wait().  */
template <int R, int C, layout L, typename T, typename X, typename... I>
static WS_DEVICE void bring_or(cached_tile<T, R, C, L> &to, double fill, const X &t, I... at)
{
    typedef spread<R, C, L> S;
    constexpr int run = runs<S>::pairs;
    typedef vector<T, run> piece;
    static_assert(piece::piece == 16 && S::whole_rows && S::whole_cols, "16 bytes at a time");
    const auto p = plane_at(known(t), at...);
    const bool whole = p.aligned(16) & p.template runs_whole<2 * run, C>();
    piece outside;
    outside.fill(outside_of<T>(fill));
    if (whole) {
        WS_FOR_RUNS(S, slot, j, run)
        {
            const int r = S::row(slot), c = S::col(j);
            const bool inside = p.row_inside(r) && p.col_inside(c);
            const T *from = p.at(r, c);
#pragma unroll
            for (int i = 0; i < piece::pieces; i++) {
                uint4 other;
                memcpy(&other, &outside.whole[i], 16);
                ptx::async_copy_if(inside,
                                   ptx::shared_address(&to.share[to.word_of(slot, j) + i][threadIdx.x % to.threads]),
                                   from + i * (16 / (int)sizeof(T)), other);
            }
        }
    } else {
        WS_FOR_RUNS(S, slot, j, run)
        {
            const int r = S::row(slot), c = S::col(j);
            piece x = outside;
#pragma unroll
            for (int e = 0; e < 2 * run; e++)
                if (p.row_inside(r) && p.col_inside(c + e))
                    x.v[e] = *p.at(r, c + e);
#pragma unroll
            for (int i = 0; i < piece::pieces; i++)
                memcpy(&to.share[to.word_of(slot, j) + i][threadIdx.x % to.threads], &x.whole[i], 16);
        }
    }
}
template <int R, int C, layout L, typename T, typename X, typename... I>
static WS_DEVICE void bring(cached_tile<T, R, C, L> &to, const X &t, I... at)
{
    bring_or<R, C, L>(to, 0.0, t, at...);
}

/* Slots in turn: bring(t, to) starts the load for the tile of the walk t.  All slots but one are prefetched.  */
template <typename K, int N, typename W, typename F> struct brought {
    K (&slots)[N];
    F bring;
    int turn;

    WS_DEVICE brought(K (&to)[N], const W &first, F f) : slots(to), bring(f), turn(0)
    {
        W ahead = first;
#pragma unroll
        for (int i = 0; i < N - 1; i++) {
            if (i)
                ahead.next();
            begin(ahead, slots[i]);
        }
    }
    /* Starts a group of copies, which is empty after the last tile, so that the number of later groups is constant.  */
    WS_DEVICE void begin(const W &t, K &to)
    {
        if (t.more())
            bring(t, to);
        ptx::async_copy_commit();
    }
    /* The load of this tile; starts the load of a later one.  */
    WS_DEVICE typename K::whole take(const W &t)
    {
        const K &now = slots[turn];
        ptx::async_copy_wait_but<N - 2>();
        W behind = t;
#pragma unroll
        for (int i = 0; i < N - 1; i++)
            behind.next();
        begin(behind, slots[turn == 0 ? N - 1 : turn - 1]);
        turn = turn == N - 1 ? 0 : turn + 1;
        trace::did(trace::TILE, (u32)t.index);
        return now.take();
    }
};
template <typename K, int N, typename W, typename F>
static WS_DEVICE auto bring_prefetched(K (&to)[N], const W &first, F bring)
{
    return brought<K, N, W, F>(to, first, bring);
}

} // namespace ws

#endif
