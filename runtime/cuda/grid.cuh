/* SPDX-License-Identifier: MIT */
/*
 * grid.cuh - the tile space of a kernel, and one CTA's walk over it.
 *
 * The last two dimensions are walked in an order; those before them are slowest.  grouped(g) takes g tiles of the row
 * dimension at a time, rows fastest, so that the CTAs that run together cover a square of the output and share what they read
 * in L2.  auto is grouped with about 2048 rows where both steps are tiles (larger than 1), else row by row.
 */
#ifndef WS_CUDA_GRID_CUH
#define WS_CUDA_GRID_CUH

#include "ptx.cuh"

namespace ws {

enum tile_order { order_auto, order_row, order_column, order_grouped };

template <int N> struct grid {
    long low[N];
    long step[N];
    int count[N];
    int total;
    int group; /* tiles of dimension N-2 in a group: 1 is row order, count[N-2] column order */
};

template <int N> struct tiles {
    const grid<N> &space;
    int index, stride, walked;
    int position[N];

    /* All tiles, shared out among the CTAs.  */
    explicit WS_DEVICE tiles(const grid<N> &g) : space(g), index((int)blockIdx.x), stride((int)gridDim.x), walked(0)
    {
        locate();
    }

    /* Of this CTA's tiles, every groups-th.  */
    WS_DEVICE tiles(const grid<N> &g, int group, int groups)
        : space(g), index((int)blockIdx.x + group * (int)gridDim.x), stride(groups * (int)gridDim.x), walked(0)
    {
        locate();
    }

    WS_DEVICE bool more() const
    {
        return index < space.total;
    }

    WS_DEVICE void next()
    {
        index += stride;
        walked++;
        locate();
    }

    /* How many tiles came before this one.  */
    WS_DEVICE int ordinal() const
    {
        return walked;
    }

    WS_DEVICE long at(int dim) const
    {
        return space.low[dim] + position[dim] * space.step[dim];
    }

    WS_DEVICE void locate()
    {
        int rest = index;
        if constexpr (N == 1) {
            position[0] = rest;
        } else {
            const int rows = space.count[N - 2], cols = space.count[N - 1];
            int plane = rows * cols;
            if (N > 2) {
                int outer = rest / plane;
                rest -= outer * plane;
#pragma unroll
                for (int d = N - 3; d >= 0; d--) {
                    position[d] = d ? outer % space.count[d] : outer;
                    outer /= d ? space.count[d] : 1;
                }
            }
            int band = space.group * cols, first = rest / band * space.group;
            int size = rows - first < space.group ? rows - first : space.group;
            rest %= band;
            position[N - 1] = rest / size;
            position[N - 2] = first + rest % size;
        }
    }
};

} // namespace ws

#endif
