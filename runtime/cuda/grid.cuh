/* SPDX-License-Identifier: MIT */
/*
 * grid.cuh - the tile space of a kernel, and one CTA's walk over it.
 *
 * The last two dimensions are walked in a chosen order; dimensions before them change slowest.  grouped(g) takes about
 * g tiles of the row dimension at a time, rows fastest.  Concurrent CTAs then cover a square of the output and share
 * their reads in L2.  auto is grouped with the rows of such a square if both steps exceed 1, and else row order.
 */
#ifndef WS_CUDA_GRID_CUH
#define WS_CUDA_GRID_CUH

#include "ptx.cuh"
#include "trace.cuh"

namespace ws {

enum tile_order { order_auto, order_row, order_column, order_grouped };

/* Division of 0 <= x < 2^31 by `number`, as a multiplication: `factor` is 2^(31 + shift) / number, rounded up.  */
struct divisor {
    u32 factor, shift;

    void set(int number)
    {
        for (shift = 0; (1L << shift) < number; shift++)
            ;
        factor = (u32)(((1UL << (31 + shift)) + (unsigned long)number - 1) / (unsigned long)number);
    }

    WS_DEVICE int quotient(int x) const
    {
        return (int)((u64)(u32)x * factor >> (31 + shift));
    }
};

/* B: the cluster whose CTAs walk together (cluster.cuh), or void.  */
template <int N, typename B = void> struct grid {
    long low[N];
    long step[N];
    int count[N];
    int total;
    int group;             /* tiles of dimension N-2 in a band: 1 is row order, count[N-2] column order */
    divisor outer[N];      /* by count */
    divisor plane, band;   /* by the tiles of the last two dimensions, and of a band */
    divisor height, lower; /* by the rows of a band, and of the last band */
    u32 *tickets; /* of this launch under dynamic scheduling: the next tile, and the number of CTAs that have ended */
    int early;    /* only tiles wait for earlier grids (together.cuh) */

    /* Call it when counts and group are set, and no count is 0.  */
    void set_divisors()
    {
        for (int d = 0; d < N; d++)
            outer[d].set(count[d]);
        if (N < 2)
            return;
        const int rows = count[N > 1 ? N - 2 : 0], cols = count[N - 1];
        group = group < rows ? group : rows;
        plane.set(rows * cols);
        band.set(group * cols);
        height.set(group);
        lower.set((rows - 1) % group + 1);
    }
};

/* A walk that begins at the position of a clause (tiles_from).  */
template <int N> struct grid_from : grid<N> {
    int first; /* position of dimension 0 */
};

/* The compiler's constants for a dimension.  */
template <int N, typename B> static WS_DEVICE void know_step(grid<N, B> &g, int dim, long low, long step)
{
    g.low[dim] = low;
    g.step[dim] = step;
}

template <int N, typename B = void> struct tiles {
    static constexpr int dims = N;
    const grid<N> &space;
    int index, stride, walked;

    /* All tiles, distributed over the CTAs.  */
    explicit WS_DEVICE tiles(const grid<N> &g) : tiles(g, (int)blockIdx.x, (int)gridDim.x, 0)
    {
    }

    /* Every groups-th of this CTA's tiles.  */
    WS_DEVICE tiles(const grid<N> &g, int group, int groups)
        : tiles(g, (int)blockIdx.x + group * (int)gridDim.x, groups * (int)gridDim.x, 0)
    {
    }

    /* Each role begins here.  The code before, and the reads of the launch's parameters, overlap the previous kernel of
       the stream; reads of global memory wait for its end.  Then the next kernel may start in free places.  An earlier
       start would take places beside this kernel and leave others empty.  Without `followed` it starts after all CTAs
       of this kernel.  */
    WS_DEVICE tiles(const grid<N> &g, int first, int every, int before, bool followed = true)
        : space(g), index(first), stride(every), walked(before)
    {
        ptx::touch((u32)g.low[0]);
        ptx::touch((u32)g.total);
        ptx::touch(g.lower.shift);
        if (!g.early)
            ptx::grid_dependency_wait();
        if (followed)
            ptx::grid_dependents_launch();
        trace::did(trace::TILE, (u32)index);
    }

    WS_DEVICE bool more() const
    {
        return index < space.total;
    }

    WS_DEVICE void next()
    {
        index += stride;
        walked++;
        trace::did(trace::TILE, (u32)index);
    }

    /* Number of tiles before this one.  */
    WS_DEVICE int ordinal() const
    {
        return walked;
    }

    WS_DEVICE long at(int dim) const
    {
        return space.low[dim] + position(dim) * space.step[dim];
    }

    /* The position, in steps.  */
    WS_DEVICE int placed(int dim) const
    {
        return position(dim);
    }
    WS_DEVICE bool placed_inside() const
    {
        return true;
    }

    /* Computed on demand, since a group that skips a tile does not need it.  */
    WS_DEVICE int position(int dim) const
    {
        if constexpr (N == 1)
            return index;
        const int rows = space.count[N > 1 ? N - 2 : 0], cols = space.count[N - 1];
        int rest = index;
        if constexpr (N > 2) {
            int outside = space.plane.quotient(rest);
            rest -= outside * (rows * cols);
            for (int d = N - 3; d >= 0; d--) {
                const int above = d ? space.outer[d].quotient(outside) : 0;
                if (d == dim)
                    return outside - above * space.count[d];
                outside = above;
            }
        }
        const int band = space.band.quotient(rest), first = band * space.group;
        rest -= band * (space.group * cols);
        const bool whole = first + space.group <= rows;
        const int height = whole ? space.group : rows - first;
        const int col = (whole ? space.height : space.lower).quotient(rest);
        return dim == N - 1 ? col : first + rest - col * height;
    }
};

/* A walk that begins at a position of dimension 0 and wraps around.  */
template <typename W> struct tiles_from : W {
    using W::W;

    WS_DEVICE int placed(int dim) const
    {
        const int place = W::placed(dim);
        if (dim > 0)
            return place;
        const int turned = place + static_cast<const grid_from<W::dims> &>(this->space).first;
        return turned < this->space.count[0] ? turned : turned - this->space.count[0];
    }

    WS_DEVICE long at(int dim) const
    {
        return this->space.low[dim] + placed(dim) * this->space.step[dim];
    }
};

/* A load for a CTA's next tile, started before the work on this tile.  load(t) loads for the tile of the walk t.  */
template <typename W, typename F, typename T> struct prefetched_tiles {
    F load;
    T next;

    WS_DEVICE prefetched_tiles(const W &first, F f) : load(f)
    {
        if (first.more())
            next = load(first);
    }
    /* The load of this tile; starts the load of the next tile.  */
    WS_DEVICE T take(const W &t)
    {
        const T x = next;
        begin(t);
        return x;
    }
    /* The load of this tile, before the next one starts.  */
    WS_DEVICE T now() const
    {
        return next;
    }
    WS_DEVICE void begin(const W &t)
    {
        W behind = t;
        behind.next();
        if (behind.more())
            next = load(behind);
        trace::did(trace::TILE, (u32)t.index);
    }
};
template <typename W, typename F> static WS_DEVICE auto load_prefetched(const W &first, F load)
{
    return prefetched_tiles<W, F, decltype(load(first))>(first, load);
}
template <typename W, typename F> static WS_DEVICE auto load_once(const W &first, F load)
{
    return load(first);
}

/* The same for a loop: load(i) loads for counter i.  */
template <typename I, typename F, typename T> struct prefetched_iterations {
    F load;
    I end, step;
    T next;

    WS_DEVICE prefetched_iterations(I first, I last, I every, F f) : load(f), end(last), step(every)
    {
        if (first < end)
            next = load(first);
    }
    WS_DEVICE T take(I i)
    {
        const T now = next;
        if (i + step < end)
            next = load(i + step);
        return now;
    }
};
template <typename I, typename F> static WS_DEVICE auto load_prefetched(I first, I last, I every, F load)
{
    return prefetched_iterations<I, F, decltype(load(first))>(first, last, every, load);
}

} // namespace ws

#endif
