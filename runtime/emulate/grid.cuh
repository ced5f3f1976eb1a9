/* SPDX-License-Identifier: MIT */
/*
 * grid.cuh - the tile space of a kernel, and one CTA's walk over it.
 *
 * The last two dimensions are walked in a chosen order; dimensions before them change slowest.  grouped(g) takes g
 * tiles of the row dimension at a time, rows fastest.  Row order is g = 1, column order g = all.
 */
#ifndef WS_EMULATE_GRID_CUH
#define WS_EMULATE_GRID_CUH

#include "aref.cuh"

namespace ws {

enum tile_order { order_auto, order_row, order_column, order_grouped };

template <int N, typename B = alone> struct grid : ws_emulate_grid {
    static_assert(N <= 4, "a grid has at most four dimensions");
};

/* A walk that begins at the position of a clause.  */
template <int N> struct grid_from : grid<N> {
};

/* The compiler's constants for a dimension.  */
template <int N, typename B> static inline void know_step(grid<N, B> &g, int dim, long low, long step)
{
    g.low[dim] = low;
    g.step[dim] = step;
}

template <int N, typename B = alone> struct tiles {
    const grid<N, B> &space;
    long index, stride, walked;
    long position[N];
    bool here;

    /* All tiles, distributed over the CTAs.  */
    explicit tiles(const grid<N, B> &g) : tiles(g, 0, 1)
    {
    }
    /* Every groups-th of this CTA's tiles.  */
    tiles(const grid<N, B> &g, int group, int groups)
        : space(g), index(this_cta().cta / B::size + (long)group * (this_cta().ctas / B::size)),
          stride((long)groups * (this_cta().ctas / B::size)), walked(0), position{}, here(false)
    {
        locate();
    }
    bool more() const
    {
        return index < space.total;
    }
    void next()
    {
        index += stride;
        walked++;
        locate();
    }
    int ordinal() const
    {
        return (int)walked;
    }
    long at(int dim) const
    {
        return space.low[dim] + position[dim] * space.step[dim];
    }
    /* As at(); for a tile beyond the grid the last tile's coordinate.  */
    long nearest(int dim) const
    {
        return space.low[dim] + ws_emulate_nearest(&space, dim, position[dim]) * space.step[dim];
    }
    /* True if the grid has this CTA's tile.  */
    bool inside() const
    {
        return here;
    }
    void locate()
    {
        const int block = ws_sched_block(ws_sched_current());
        ws_sched_iteration(ws_sched_current(), more() ? ws_emulate_tile(&space, index, block) : -1);
        if (more())
            here = ws_emulate_locate(&space, index, block, position);
    }
};

/* ---- prefetched loads -------------------------------------------------------------------------------------------- */

/* As on the GPU.  A report about the load of the next tile names that tile.  */
template <typename W, typename F, typename T> struct prefetched_tiles {
    F load;
    T next;

    prefetched_tiles(const W &first, F f) : load(f), next()
    {
        if (first.more())
            next = load(first);
    }
    T take(W &t)
    {
        const T x = next;
        begin(t);
        return x;
    }
    T now() const
    {
        return next;
    }
    void begin(W &t)
    {
        W behind = t;
        behind.next();
        if (behind.more())
            next = load(behind);
        t.locate();
    }
};
template <typename W, typename F> auto load_prefetched(const W &first, F load)
{
    return prefetched_tiles<W, F, decltype(load(first))>(first, load);
}
template <typename W, typename F> auto load_once(const W &first, F load)
{
    return load(first);
}

/* The same in shared memory with N slots in turn: N - 1 tiles are prefetched.  */
template <typename K, int N, typename W, typename F> struct brought {
    K (&slots)[N];
    F bring;
    int turn;

    brought(K (&to)[N], const W &first, F f) : slots(to), bring(f), turn(0)
    {
        W ahead = first;
        for (int i = 0; i < N - 1; i++) {
            if (i)
                ahead.next();
            if (ahead.more())
                bring(ahead, slots[i]);
        }
    }
    typename K::whole take(W &t)
    {
        const K &now = slots[turn];
        W behind = t;
        for (int i = 0; i < N - 1; i++)
            behind.next();
        if (behind.more())
            bring(behind, slots[turn == 0 ? N - 1 : turn - 1]);
        turn = turn == N - 1 ? 0 : turn + 1;
        t.locate();
        return now.take();
    }
};
template <typename K, int N, typename W, typename F> auto bring_prefetched(K (&to)[N], const W &first, F bring)
{
    return brought<K, N, W, F>(to, first, bring);
}

/* The same for a loop: load(i) loads for counter i.  */
template <typename I, typename F, typename T> struct prefetched_iterations {
    F load;
    I end, step;
    T next;

    prefetched_iterations(I first, I last, I every, F f) : load(f), end(last), step(every), next()
    {
        if (first < end)
            next = load(first);
    }
    T take(I i)
    {
        const T now = next;
        if (i + step < end)
            next = load(i + step);
        return now;
    }
};
template <typename I, typename F> auto load_prefetched(I first, I last, I every, F load)
{
    return prefetched_iterations<I, F, decltype(load(first))>(first, last, every, load);
}

/* ---- dynamic scheduling ------------------------------------------------------------------------------------------ */

/* Dynamic scheduling may give any tile to any CTA.  The emulation distributes tiles round-robin.  */
struct tile_scheduler {
    uint64_t unused[10];

    void init(const char *, int)
    {
    }
};

template <int N> struct scheduling_tiles : tiles<N> {
    scheduling_tiles(const grid<N> &g, tile_scheduler &) : tiles<N>(g)
    {
    }
};

template <int N> struct dynamic_tiles : tiles<N> {
    dynamic_tiles(const grid<N> &g, tile_scheduler &) : tiles<N>(g)
    {
    }
};

/* ---- walks that begin at a position ------------------------------------------------------------------------------ */

/* locate() implements it.  */
template <typename W> struct tiles_from : W {
    using W::W;
};

} // namespace ws

#endif
