/* SPDX-License-Identifier: MIT */
/*
 * grid.cuh - the tile space of a kernel, and one CTA's walk over it.
 *
 * The last two dimensions are walked in an order; those before them are slowest.  grouped(g) takes g tiles of the row
 * dimension at a time, rows fastest: row order is g = 1, column order g = all.
 */
#ifndef WS_EMULATE_GRID_CUH
#define WS_EMULATE_GRID_CUH

#include "aref.cuh"

namespace ws {

enum tile_order { order_auto, order_row, order_column, order_grouped };

template <int N> struct grid {
    long low[N];
    long step[N];
    long count[N];
    long total;
    long group; /* tiles of dimension N-2 that are walked together */
};

template <int N> struct tiles {
    const grid<N> &space;
    long index, stride, walked;
    long position[N];

    /* All tiles, shared out among the CTAs.  */
    explicit tiles(const grid<N> &g) : tiles(g, 0, 1)
    {
    }
    /* Of this CTA's tiles, every groups-th.  */
    tiles(const grid<N> &g, int group, int groups)
        : space(g), index(this_cta().cta + (long)group * this_cta().ctas), stride((long)groups * this_cta().ctas),
          walked(0), position{}
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
    void locate()
    {
        ws_sched_iteration(ws_sched_current(), more() ? index : -1);
        if (!more())
            return;
        long rest = index;
        if constexpr (N == 1) {
            position[0] = rest;
        } else {
            const long rows = space.count[N - 2], cols = space.count[N - 1];
            long outer = rest / (rows * cols);
            for (int d = N - 3; d >= 0; d--) {
                position[d] = outer % space.count[d];
                outer /= space.count[d];
            }
            rest %= rows * cols;
            const long band = space.group * cols, first = rest / band * space.group;
            const long height = min(space.group, rows - first);
            position[N - 1] = rest % band / height;
            position[N - 2] = first + rest % band % height;
        }
    }
};

} // namespace ws

#endif
