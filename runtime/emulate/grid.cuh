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

template <int N> struct grid : ws_emulate_grid {
    static_assert(N <= 4, "a grid has at most four dimensions");
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
        ws_emulate_locate(&space, index, position);
    }
};

} // namespace ws

#endif
