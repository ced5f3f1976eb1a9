/* SPDX-License-Identifier: MIT */
/*
 * grid.cuh - the tile space of a kernel, and one CTA's walk over it.
 *
 * The last two dimensions are walked in an order; those before them are slowest.  grouped(g) takes about g tiles of the
 * row dimension at a time, rows fastest, so that the CTAs that run together cover a square of the output and share what
 * they read in L2.  auto is grouped, with such a square's rows, where both steps are tiles (larger than 1), else
 * row by row.
 */
#ifndef WS_CUDA_GRID_CUH
#define WS_CUDA_GRID_CUH

#include "ptx.cuh"
#include "trace.cuh"

namespace ws {

enum tile_order { order_auto, order_row, order_column, order_grouped };

/* Division of 0 <= x < 2^31 by one number, as a multiplication: `factor` is 2^(31 + shift) / number, rounded up.  */
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

/* B: the cluster in which CTAs walk (cluster.cuh), if they do.  */
template <int N, typename B = void> struct grid {
    long low[N];
    long step[N];
    int count[N];
    int total;
    int group;             /* tiles of dimension N-2 in a band: 1 is row order, count[N-2] column order */
    divisor outer[N];      /* by count */
    divisor plane, band;   /* by the tiles of the last two dimensions, of a whole band */
    divisor height, lower; /* by the rows of a band, of the last one */
    u32 *tickets; /* of this launch, where tiles are scheduled dynamically: the next one, and how many CTAs ended */
    int early;    /* nothing is waited for but by tiles (together.cuh) */

    /* When counts and group are known, and none is 0.  */
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

/* Whose walk begins where a clause says (tiles_from).  */
template <int N> struct grid_from : grid<N> {
    int first; /* position of dimension 0 */
};

/* What the compiler says of a dimension, in numbers.  */
template <int N, typename B> static WS_DEVICE void know_step(grid<N, B> &g, int dim, long low, long step)
{
    g.low[dim] = low;
    g.step[dim] = step;
}

template <int N, typename B = void> struct tiles {
    static constexpr int dims = N;
    const grid<N> &space;
    int index, stride, walked;

    /* All tiles, shared out among the CTAs.  */
    explicit WS_DEVICE tiles(const grid<N> &g) : tiles(g, (int)blockIdx.x, (int)gridDim.x, 0)
    {
    }

    /* Of this CTA's tiles, every groups-th.  */
    WS_DEVICE tiles(const grid<N> &g, int group, int groups)
        : tiles(g, (int)blockIdx.x + group * (int)gridDim.x, groups * (int)gridDim.x, 0)
    {
    }

    /* Here every role begins.  What comes before, and what the launch says of the tiles, runs while the kernel before
       this one in the stream still may; what is in global memory, after that one's end.  Then the next one may come to
       where there is room: earlier, it would take places beside this one and leave others empty.  Without `followed` it
       comes when all CTAs of this one have ended. */
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

    /* How many tiles came before this one.  */
    WS_DEVICE int ordinal() const
    {
        return walked;
    }

    WS_DEVICE long at(int dim) const
    {
        return space.low[dim] + position(dim) * space.step[dim];
    }

    /* Counted in steps.  */
    WS_DEVICE int placed(int dim) const
    {
        return position(dim);
    }
    WS_DEVICE bool placed_inside() const
    {
        return true;
    }

    /* Computed where it is asked for: a group that passes over a tile does not ask.  */
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

/* A walk that begins at a position of dimension 0, and goes round.  */
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

/* A load that is made for a CTA's next tile before the work on this one: load(t) makes it for where a walk stands. */
template <typename W, typename F, typename T> struct prefetched_tiles {
    F load;
    T next;

    WS_DEVICE prefetched_tiles(const W &first, F f) : load(f)
    {
        if (first.more())
            next = load(first);
    }
    /* Of this tile; that of the next one is under way.  */
    WS_DEVICE T take(const W &t)
    {
        const T x = next;
        begin(t);
        return x;
    }
    /* Of this tile, before the next one's begins.  */
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

/* The same for a loop: load(i) makes it for where the counter stands.  */
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
