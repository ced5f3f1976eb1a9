/* SPDX-License-Identifier: MIT */
/*
 * cluster.cuh - CTAs of a cluster that share the tiles that they load.
 *
 *      cluster<2, 1>             x: CTAs at adjacent rows of the grid; y: at adjacent columns, numbered first
 *      cluster<1, 8, meeting>    CTAs that share rows, and synchronize for each row
 *      sharer<D, TMA>            a producer that ends when no release is in flight
 *      copy_share<B, along_x>    each CTA along x loads an equal share of the tile's rows and writes it to all of them
 *      consumer<D, B, along_x>   releases a slot to all CTAs that write into it
 *      tiles<N, B>               the CTAs of a cluster walk together; a tile beyond the grid is not inside
 *
 * Every CTA along the shared direction makes the same puts.  Its full barrier expects the bytes of the whole tile, from
 * any CTA.  These bytes arrive only after all CTAs have put, since a put waits until the groups of all CTAs have
 * released the slot.  An arrival at another CTA's barrier has the required release semantics in its default form.  With
 * .release.cluster ptxas would put a fence of the whole GPU before each arrival.
 */
#ifndef WS_CUDA_CLUSTER_CUH
#define WS_CUDA_CLUSTER_CUH

#include "copy.cuh"
#include "grid.cuh"

namespace ws {

enum cluster_work { share_loads, meeting };

template <int X, int Y, cluster_work WORK = share_loads> struct cluster {
    static_assert(X * Y == 1 || WS_GPU_CLUSTER_BLOCKS > 1, "this GPU has no clusters");
    static constexpr int x = X, y = Y, size = X * Y;
    static_assert(size > 1 && size <= 16, "a cluster has two to sixteen CTAs");

    static WS_DEVICE int rank()
    {
        return (int)ptx::cluster_rank();
    }

    static WS_CONSTANT int count(along a)
    {
        return a == along_x ? X : a == along_y ? Y : a == along_x_and_y ? X + Y - 1 : size;
    }

    /* This CTA's position among the CTAs along a direction.  */
    template <along A> static WS_DEVICE int place()
    {
        static_assert(A != along_x_and_y, "a tile is shared along one direction, or by all");
        return A == along_x ? rank() / Y : A == along_y ? rank() % Y : rank();
    }

    /* The n-th CTA along a direction.  */
    template <along A> static WS_DEVICE int member(int n)
    {
        const int row = rank() / Y, column = rank() % Y;
        if (A == along_all)
            return n;
        if (A == along_y)
            return row * Y + n;
        if (A == along_x || n < X)
            return n * Y + column;
        const int other = n - X;
        return row * Y + other + (other >= column);
    }

    template <along A> static WS_DEVICE unsigned short mask()
    {
        u32 every = 0;
#pragma unroll
        for (int n = 0; n < (A == along_all ? size : A == along_x ? X : Y); n++)
            every |= 1u << (A == along_x ? n * Y : n);
        return (unsigned short)(every << (A == along_x ? rank() % Y : A == along_y ? rank() / Y * Y : 0));
    }
};

/* ---- from start to end ------------------------------------------------------------------------------------------- */

/* Before a CTA arrives at another's barriers or writes to its memory, that CTA has initialised and fenced its
   barriers.  */
template <typename B> static WS_DEVICE void start()
{
    trace::begin();
    ptx::fence_mbarrier_init();
    ptx::cluster_arrive();
    ptx::cluster_wait();
    trace::did(trace::START);
}

/* No CTA ends while another may still arrive at its barriers.  The destructors of sharer and part_sum have waited for
   that, when the wait is short, so no barrier is needed here.  */
template <typename B> static WS_DEVICE void finish()
{
}

/* ---- rings ------------------------------------------------------------------------------------------------------- */

/* The producer of a ring that CTAs share.  The role ends when all CTAs have released each slot.  Then no arrival is in
   flight, and this CTA's copies to the others have landed.  */
template <int D, bool TMA = false> struct sharer : producer<D, TMA> {
    explicit WS_DEVICE sharer(ring<D> &r) : producer<D, TMA>(r)
    {
    }
    WS_DEVICE ~sharer()
    {
        static_assert(D <= 32, "a lane for each slot");
        const int slot = (int)ptx::lane();
        if (slot < D)
            ptx::mbarrier_wait(this->empty + 8 * slot, this->here.parity ^ (u32)(slot < this->here.slot));
    }
};

template <int D, int X, int Y, along A> struct consumer<D, cluster<X, Y>, A> : consumer<D> {
    typedef cluster<X, Y> blocks;
    u32 there; /* the empty barriers of this lane's CTA */

    explicit WS_DEVICE consumer(ring<D> &r)
        : consumer<D>(r),
          there(ptx::address_in(this->empty, (u32)blocks::template member<A>((int)ptx::lane() % blocks::count(A))))
    {
    }

    template <int LAG> WS_DEVICE void consumed()
    {
#pragma unroll 1
        while (this->held > LAG) {
            ptx::end_reads();
            __syncwarp();
            if (ptx::lane() < blocks::count(A))
                ptx::mbarrier_arrive_there(there + 8 * this->free);
            this->free = this->free + 1 == D ? 0 : this->free + 1;
            this->held--;
            trace::did(trace::CONSUMED, this->full);
        }
    }
};

/* ---- copies to all CTAs ------------------------------------------------------------------------------------------ */

static WS_DEVICE void tma_share(u32 to, const CUtensorMap *m, u32 barrier, unsigned short mask, int row, int col)
{
    ptx::tensor_to_all(to, m, barrier, mask, col, row);
}
static WS_DEVICE void tma_share(u32 to, const CUtensorMap *m, u32 barrier, unsigned short mask, int row, int col, int x)
{
    ptx::tensor_to_all(to, m, barrier, mask, col, row, x);
}
static WS_DEVICE void tma_share(u32 to, const CUtensorMap *m, u32 barrier, unsigned short mask, int row, int col, int x,
                                int y)
{
    ptx::tensor_to_all(to, m, barrier, mask, col, row, y, x);
}

/* One lane starts the boxes of this CTA's rows, and expects the bytes of all CTAs.  */
template <typename B, along A, typename M, typename S, int R, int C, typename... I>
static WS_DEVICE void share_boxes(u32 barrier, shared_tile<S, R, C> &s, const M &m, int row, int col, I... outer)
{
    constexpr int count = B::count(A), rows = R / count, box = box_rows(rows), lines = line_elements<S>;
    static_assert(R % (8 * count) == 0, "a share is whole periods of the swizzle");
    const int apart = rows_apart<rows>(m), first = B::template place<A>() * apart;
    const unsigned short mask = B::template mask<A>();
    const u32 to = ptx::shared_address(s.bytes) + first * line_bytes<S>;
    int brought = 0;
#pragma unroll
    for (int n = 0; n < count; n++)
        brought += rows_brought<rows>(m, row + n * apart);
    ptx::mbarrier_expect_tx(barrier, (u32)(shared_tile<S, R, C>::blocks * brought * line_bytes<S>));
#pragma unroll
    for (int block = 0; block < shared_tile<S, R, C>::blocks; block++)
#pragma unroll
        for (int r = 0; r < rows; r += box)
            tma_share(to + block * block_bytes(R, line_bytes<S>) + r * line_bytes<S>, boxes_at(m, row + first), barrier,
                      mask, row + first + r, col + block * lines, outer...);
}

/* Without TMA, each CTA's warp copies the whole tile for itself.  Tensor and coordinates are equal in all CTAs, so all
   of them take this path.  A slot must still be full only when all CTAs have put.  Otherwise a CTA could release slots
   for a round that another has not begun.  Therefore each CTA sends the others a byte count without data.  */
template <typename B, along A> static WS_DEVICE void tell(u32 barrier)
{
    constexpr int count = B::count(A);
    const int other = (int)ptx::lane();
    if (other == 0)
        ptx::mbarrier_expect_tx(barrier, count - 1);
    if (other < count && other != B::template place<A>())
        ptx::mbarrier_complete_tx_there(ptx::address_in(barrier, (u32)B::template member<A>(other)), 1);
}

/* Loads of a tile for all CTAs along A.  */
template <typename B, along A> struct among {
    static const bool counts_rows = true;

    template <typename M, typename S, typename... I>
    static WS_DEVICE void boxes(u32 barrier, S &s, const M &m, int row, int col, I... outer)
    {
        share_boxes<B, A>(barrier, s, m, row, col, outer...);
    }
    static WS_DEVICE void copied(u32 barrier)
    {
        tell<B, A>(barrier);
    }
};

template <typename B, along A, int D, bool TMA, typename S, int R, int C, typename T, typename M, typename X,
          typename Y>
static WS_DEVICE void copy_share(producer<D, TMA> &ring, shared_tile<S, R, C> &s, const T &t, const M &m, X row, Y col)
{
    copy_in_plane<among<B, A>, sliced<T>>(ring, s, t, m, 0.0, clamp(row), clamp(col));
}
template <typename B, along A, int D, bool TMA, typename S, int R, int C, typename T, typename M, typename W,
          typename X, typename Y>
static WS_DEVICE void copy_share(producer<D, TMA> &ring, shared_tile<S, R, C> &s, const T &t, const M &m, W w, X row,
                                 Y col)
{
    copy_in_plane<among<B, A>, sliced<T>>(ring, s, t, m, 0.0, clamp(row), clamp(col), clamp(w));
}
template <typename B, along A, int D, bool TMA, typename S, int R, int C, typename T, typename M, typename V,
          typename W, typename X, typename Y>
static WS_DEVICE void copy_share(producer<D, TMA> &ring, shared_tile<S, R, C> &s, const T &t, const M &m, V v, W w,
                                 X row, Y col)
{
    copy_in_plane<among<B, A>, sliced<T>>(ring, s, t, m, 0.0, clamp(row), clamp(col), clamp(v), clamp(w));
}
template <typename B, along A, int D, bool TMA, typename S, int R, int C, typename T, typename M, typename X,
          typename Y>
static WS_DEVICE void copy_share_or(double fill, producer<D, TMA> &ring, shared_tile<S, R, C> &s, const T &t,
                                    const M &m, X row, Y col)
{
    copy_in_plane<among<B, A>, sliced_anywhere>(ring, s, t, m, fill, clamp(row), clamp(col));
}
template <typename B, along A, int D, bool TMA, typename S, int R, int C, typename T, typename M, typename W,
          typename X, typename Y>
static WS_DEVICE void copy_share_or(double fill, producer<D, TMA> &ring, shared_tile<S, R, C> &s, const T &t,
                                    const M &m, W w, X row, Y col)
{
    copy_in_plane<among<B, A>, sliced_anywhere>(ring, s, t, m, fill, clamp(row), clamp(col), clamp(w));
}
template <typename B, along A, int D, bool TMA, typename S, int R, int C, typename T, typename M, typename V,
          typename W, typename X, typename Y>
static WS_DEVICE void copy_share_or(double fill, producer<D, TMA> &ring, shared_tile<S, R, C> &s, const T &t,
                                    const M &m, V v, W w, X row, Y col)
{
    copy_in_plane<among<B, A>, sliced_anywhere>(ring, s, t, m, fill, clamp(row), clamp(col), clamp(v), clamp(w));
}

/* ---- the grid ---------------------------------------------------------------------------------------------------- */

/* Counts are counts of clusters in the last two dimensions; `tiles` counts tiles.  */
template <int N, int X, int Y, cluster_work W> struct grid<N, cluster<X, Y, W>> : grid<N> {
    static_assert(N > 1 || Y == 1, "a grid of one dimension has clusters along that one");
    int tiles[N];

    static WS_CONSTANT int side(int dim)
    {
        return N == 1 || dim == N - 2 ? X : dim == N - 1 ? Y : 1;
    }
};

template <int N, int X, int Y, cluster_work W> struct tiles<N, cluster<X, Y, W>> : tiles<N> {
    typedef cluster<X, Y, W> blocks;
    const grid<N, blocks> &whole;

    /* `meeting` grids do not let the next kernel start early, since its clusters would take free places one at a time.
       Measured in bench/notes/rows.md, "An early start of the next kernel's clusters".  */
    explicit WS_DEVICE tiles(const grid<N, blocks> &g)
        : tiles<N>(g, (int)blockIdx.x / blocks::size, (int)gridDim.x / blocks::size, 0, W != meeting), whole(g)
    {
    }

    WS_DEVICE int place(int dim) const
    {
        const int mine = dim == N - 1 && N > 1    ? blocks::template place<along_y>()
                         : N == 1 || dim == N - 2 ? blocks::template place<along_x>()
                                                  : 0;
        return this->position(dim) * whole.side(dim) + mine;
    }

    WS_DEVICE long at(int dim) const
    {
        return whole.low[dim] + place(dim) * whole.step[dim];
    }

    WS_DEVICE int placed(int dim) const
    {
        return place(dim);
    }
    WS_DEVICE bool placed_inside() const
    {
        return inside();
    }

    /* As at(); for a tile beyond the grid the last tile's coordinate, for programs that need one.  */
    WS_DEVICE long nearest(int dim) const
    {
        return whole.low[dim] + ::min(place(dim), whole.tiles[dim] - 1) * whole.step[dim];
    }

    /* True if the grid has this CTA's tile.  */
    WS_DEVICE bool inside() const
    {
        return place(N - 1) < whole.tiles[N - 1] &&
               (N == 1 || place(N > 1 ? N - 2 : 0) < whole.tiles[N > 1 ? N - 2 : 0]);
    }
};

} // namespace ws

#endif
