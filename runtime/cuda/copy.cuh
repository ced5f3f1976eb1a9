/* SPDX-License-Identifier: MIT */
/* copy.cuh - copy_in: loads a tile of global memory into a ring's slot, by TMA, or by one warp if TMA cannot.  */
#ifndef WS_CUDA_COPY_CUH
#define WS_CUDA_COPY_CUH

#include "tensor.cuh"

namespace ws {

/* Loads a box at coordinates of the whole tensor.  */
static WS_DEVICE void tma_load(u32 to, const CUtensorMap *m, u32 barrier, int row, int col)
{
    ptx::tensor_to_shared(to, m, barrier, col, row);
}
static WS_DEVICE void tma_load(u32 to, const CUtensorMap *m, u32 barrier, int row, int col, int x)
{
    ptx::tensor_to_shared(to, m, barrier, col, row, x);
}
static WS_DEVICE void tma_load(u32 to, const CUtensorMap *m, u32 barrier, int row, int col, int x, int y)
{
    ptx::tensor_to_shared(to, m, barrier, col, row, y, x);
}

/* One lane starts all boxes of the tile.  */
template <typename M, typename S, int R, int C, typename... I>
static WS_DEVICE void copy_boxes(u32 barrier, shared_tile<S, R, C> &s, const M &m, int row, int col, I... outer)
{
    constexpr int box = box_rows(R), lines = line_elements<S>, blocks = shared_tile<S, R, C>::blocks;
    static_assert(box == R || box * line_bytes<S> % 128 == 0, "TMA writes to multiples of 128 bytes");
    const u32 to = ptx::shared_address(s.bytes);
    ptx::mbarrier_expect_tx(barrier, (u32)(blocks * rows_brought<R>(m, row) * line_bytes<S>));
#pragma unroll
    for (int block = 0; block < blocks; block++)
#pragma unroll
        for (int r = 0; r < R; r += box)
            tma_load(to + block * block_bytes(R, line_bytes<S>) + r * line_bytes<S>, boxes_at(m, row), barrier, row + r,
                     col + block * lines, outer...);
}

/* Loads of a tile by one CTA.  With the class of cluster.cuh each CTA loads a share for all CTAs.  */
struct alone {
    static const bool counts_rows = false; /* rows are not counted if a warp may copy: this saves registers */

    template <typename M, typename S, typename... I>
    static WS_DEVICE void boxes(u32 barrier, S &s, const M &m, int row, int col, I... outer)
    {
        copy_boxes(barrier, s, m, row, col, outer...);
    }
    static WS_DEVICE void copied(u32)
    {
    }
};

/* For a slice, or a tensor that is read with a fill: TMA loads the part inside, at its position in the whole tensor. */
template <typename WAY, typename M, typename S, typename T>
static WS_DEVICE void boxes_of(u32 barrier, S &s, const tensor<T, 2> &t, const M &m, int row, int col)
{
    WAY::boxes(barrier, s, m, absolute(row, t.origin[0]), absolute(col, t.origin[1]));
}
template <typename WAY, typename M, typename S, typename T>
static WS_DEVICE void boxes_of(u32 barrier, S &s, const tensor<T, 3> &t, const M &m, int row, int col, int x)
{
    WAY::boxes(barrier, s, m, absolute(row, t.origin[1]), absolute(col, t.origin[2]), absolute(x, t.origin[0]));
}
template <typename WAY, typename M, typename S, typename T>
static WS_DEVICE void boxes_of(u32 barrier, S &s, const tensor<T, 4> &t, const M &m, int row, int col, int x, int y)
{
    WAY::boxes(barrier, s, m, absolute(row, t.origin[2]), absolute(col, t.origin[3]), absolute(x, t.origin[0]),
               absolute(y, t.origin[1]));
}

/* The slower path: this warp copies.  The producer has few registers, and each tile shape has one copy of this code
   beside the fast path.  Pairs of columns of at least 4 bytes pass no registers.  */
template <typename S, typename T, int R, int C, typename W>
static WS_DEVICE void copy_pairs(shared_tile<S, R, C> &s, const plane<T, W> &p)
{
    constexpr int bytes = sizeof(T) <= 4 ? 4 : 8, step = bytes / (int)sizeof(T);
    const auto v = view(s);
#pragma unroll 1
    for (int r = 0; r < R; r++) {
        const int end = p.row_inside(r) ? p.col_high - p.col : 0;
#pragma unroll 1
        for (int c = (int)ptx::lane() * step; c < C; c += 32 * step) {
            const int left = end > c ? ::min(end - c, step) * (int)sizeof(T) : 0; /* end may be far below */
            ptx::async_copy<bytes>(v.address(r, c), left > 0 ? p.at(r, c) : p.base, (u32)left);
        }
    }
    ptx::async_copy_wait();
}

/* Tiles at an edge of a slice, or of a tensor that is read with a fill.  All chunks of 16 bytes or fewer are in flight
   at once.  */
/* Sixteen bytes of the element x.  */
template <typename T> static WS_DEVICE uint4 many_of(T x)
{
    if constexpr (sizeof(T) == 8) {
        const u64 bits = reinterpret_cast<const u64 &>(x);
        return {(u32)bits, (u32)(bits >> 32), (u32)bits, (u32)(bits >> 32)};
    } else {
        const u32 bits = sizeof(T) == 4   ? reinterpret_cast<const u32 &>(x)
                         : sizeof(T) == 2 ? reinterpret_cast<const unsigned short &>(x) * 0x10001u
                                          : reinterpret_cast<const unsigned char &>(x) * 0x1010101u;
        return {bits, bits, bits, bits};
    }
}
template <int BYTES> static WS_DEVICE void fill_chunk(u32 to, uint4 x)
{
    if constexpr (BYTES == 16)
        ptx::store_shared_16(to, x);
    else
        ptx::store_shared_4(to, x.x);
    if constexpr (BYTES == 8)
        ptx::store_shared_4(to + 4, x.y);
}

/* Lanes copy adjacent chunks of a row.  If a row has fewer chunks than a warp has lanes, lanes copy several rows.  */
template <int BYTES, typename T, int C> struct chunks {
    static constexpr int step = BYTES / (int)sizeof(T), across = (C + step - 1) / step;
    static constexpr int lanes = across > 16 ? 32 : across > 8 ? 16 : across > 4 ? 8 : across > 2 ? 4 : across;
    static constexpr int rows = 32 / lanes;
};

/* The tile's first column is not before the tensor's, so a chunk misses the elements behind the row's end only.  */
template <int BYTES, typename S, typename T, int R, int C, typename W>
static WS_DEVICE void copy_chunks(shared_tile<S, R, C> &s, const plane<T, W> &p, double fill)
{
    typedef chunks<BYTES, T, C> in;
    const auto v = view(s);
    const T outside = fill == 0 ? T{} : number<T>::narrow(convert<T>()(fill));
    const int first_row = (int)ptx::lane() / in::lanes, first = (int)ptx::lane() % in::lanes * in::step;
#pragma unroll 1
    for (int r = first_row; r < R; r += in::rows) {
        const int end = p.row_inside(r) ? p.col_high - p.col : 0;
#pragma unroll 1
        for (int c = first; c < C; c += in::lanes * in::step) {
            const int left = end > c ? ::min(end - c, in::step) * (int)sizeof(T) : 0; /* end may be far below */
            if (fill != 0 && left == 0)
                fill_chunk<BYTES>(v.address(r, c), many_of(outside));
            else
                ptx::async_copy<BYTES>(v.address(r, c), left > 0 ? p.at(r, c) : p.base, (u32)left);
        }
    }
    ptx::async_copy_wait();
    const int width = p.col_high - p.col;
    if (fill == 0 || width <= 0 || width >= C || width % in::step == 0)
        return;
    const int c = width / in::step * in::step; /* a chunk with a missing part: the lane that copied it fills that
                                                  part */
    if (first != c % (in::lanes * in::step))
        return;
#pragma unroll 1
    for (int r = first_row; r < R; r += in::rows)
#pragma unroll 1
        for (int e = width; e < c + in::step && p.row_inside(r); e++)
            v.set(r, e, S(outside));
}

template <typename S, typename T, int R, int C, typename W>
static WS_DEVICE void copy_elements(shared_tile<S, R, C> &s, const plane<T, W> &p, double fill)
{
    const T outside = fill == 0 ? T{} : number<T>::narrow(convert<T>()(fill)); /* no register for 0 */
    const auto v = view(s);
#pragma unroll 1
    for (int r = 0; r < R; r++) {
        const int lane = (int)ptx::lane();
        const T *from = p.at(r, lane);
        const bool row_inside = p.row_inside(r);
#pragma unroll 1
        for (int c = lane; c < C; c += 64, from += 64) {
            T x[2];
#pragma unroll
            for (int e = 0; e < 2; e++)
                x[e] = row_inside && p.col_inside(c + 32 * e) && c + 32 * e < C ? from[32 * e] : outside;
#pragma unroll
            for (int e = 0; e < 2; e++)
                if (c + 32 * e < C)
                    v.set(r, c + 32 * e, S(x[e]));
        }
    }
}

/* EDGES: also called for tiles at edges of tensors that TMA can load.  */
template <bool EDGES, typename S, typename T, int R, int C, typename W>
static WS_DEVICE void copy_by_warp(shared_tile<S, R, C> &s, const plane<T, W> &p, double fill)
{
    bool done = false;
    if constexpr (same_type<typename element_in<S>::type, T>) {
        constexpr int small = sizeof(T) <= 4 ? 4 : 8, line = line_bytes<S>;
        const bool begins = p.col >= p.col_low;
        if (EDGES && line % 16 == 0 && begins && p.aligned(16)) {
            copy_chunks<line % 16 ? small : 16>(s, p, fill);
            done = true;
        } else if (EDGES && line % small == 0 && fill != 0 && begins && p.aligned(small)) {
            copy_chunks<small>(s, p, fill);
            done = true;
        } else if (fill == 0 && begins && p.aligned(small)) {
            copy_pairs(s, p);
            done = true;
        }
    }
    if (!done)
        copy_elements(s, p, fill);
    ptx::fence_proxy_async();
    __syncwarp();
}

/* For the last tile of a tensor that is read with a fill: true if TMA loads all rows of the tensor.  */
template <int R, int C, typename M, typename T> static WS_DEVICE bool is_last(const M &, const plane<T> &)
{
    return false;
}
template <int R, int C, typename T> static WS_DEVICE bool is_last(const filled_map &m, const plane<T> &p)
{
    return p.row == m.edge_first && p.row_high - m.edge_first == m.edge_rows && p.row >= p.row_low &&
           p.col >= p.col_low && p.col <= p.col_high - C && p.col * (int)sizeof(T) % 16 == 0;
}

/* Fills rows from `first` on.  They are contiguous in each block of the tile.  */
template <typename T, typename S, int R, int C>
static WS_DEVICE void fill_rows(shared_tile<S, R, C> &s, int first, double fill)
{
    constexpr int across = line_bytes<S> / 16;
    const uint4 outside = many_of(number<T>::narrow(convert<T>()(fill)));
#pragma unroll
    for (int block = 0; block < shared_tile<S, R, C>::blocks; block++) {
        const u32 from = ptx::shared_address(s.bytes) + block * block_bytes(R, line_bytes<S>);
#pragma unroll 4
        for (int r = first + (int)ptx::lane() / across; r < R; r += 32 / across)
            ptx::store_shared_16(from + r * line_bytes<S> + ptx::lane() % across * 16, outside);
    }
    ptx::fence_proxy_async();
    __syncwarp();
}

/* SLICED: dimensions in which the tensor is a slice, or `sliced_anywhere` for a fill.  The common path is short and
   contiguous, since a delay of the producer delays all.  TMA faults on a box whose first column is not at a multiple of
   16 bytes.  */
template <typename WAY, int SLICED, int D, bool TMA, typename S, typename T, typename M, int R, int C, int N,
          typename... I>
static WS_DEVICE void copy_in_plane(const producer<D, TMA> &ring, shared_tile<S, R, C> &s, const tensor<T, N> &t,
                                    const M &m, double fill, int row, int col, I... outer)
{
    const bool can_load = TMA || m.can_load;
    if (!SLICED && can_load && col * (int)sizeof(T) % 16 == 0) {
        if (!ring.issues() || !ptx::elect())
            return;
        if constexpr (TMA || WAY::counts_rows)
            WAY::boxes(ring.barrier(), s, m, row, col, outer...);
        else
            WAY::boxes(ring.barrier(), s, whole_boxes_of<R>(m), row, col, outer...);
        return;
    }
    const bool within = SLICED && can_load && absolute(col, t.origin[N - 1]) * (int)sizeof(T) % 16 == 0 &&
                        contained<R, C, SLICED, N>(plane_at(t, outer..., row, col));
    constexpr bool plain = same_type<typename element_in<S>::type, T> && line_bytes<S> % 16 == 0;
    const bool last = plain && !within && can_load && is_last<R, C>(m, plane_at(t, outer..., row, col));
    if (within || last) {
        if constexpr (plain)
            if (last && ring.issues())
                fill_rows<T>(s, rows_brought<R>(m, plane_at(t, outer..., row, col).row), fill);
        if (ring.issues() && ptx::elect())
            boxes_of<WAY>(ring.barrier(), s, t, m, row, col, outer...);
    } else if (ring.issues()) {
        copy_by_warp<SLICED != 0>(s, plane_at(t, outer..., row, col), fill);
        WAY::copied(ring.barrier());
    }
}

template <int D, bool TMA, typename S, int R, int C, typename T, typename M, typename X, typename Y>
static WS_DEVICE void copy_in(producer<D, TMA> &ring, shared_tile<S, R, C> &s, const T &t, const M &m, X row, Y col)
{
    copy_in_plane<alone, sliced<T>>(ring, s, t, m, 0.0, clamp(row), clamp(col));
}
template <int D, bool TMA, typename S, int R, int C, typename T, typename M, typename W, typename X, typename Y>
static WS_DEVICE void copy_in(producer<D, TMA> &ring, shared_tile<S, R, C> &s, const T &t, const M &m, W w, X row,
                              Y col)
{
    copy_in_plane<alone, sliced<T>>(ring, s, t, m, 0.0, clamp(row), clamp(col), clamp(w));
}
template <int D, bool TMA, typename S, int R, int C, typename T, typename M, typename V, typename W, typename X,
          typename Y>
static WS_DEVICE void copy_in(producer<D, TMA> &ring, shared_tile<S, R, C> &s, const T &t, const M &m, V v, W w, X row,
                              Y col)
{
    copy_in_plane<alone, sliced<T>>(ring, s, t, m, 0.0, clamp(row), clamp(col), clamp(v), clamp(w));
}

/* ---- a tile in pieces -------------------------------------------------------------------------------------------- */

static WS_DEVICE int trips(long low, long high, int step)
{
    return low < high ? (int)((high - low + step - 1) / step) : 0;
}

/* Pieces of a tile for use after a loop, one every few iterations.  TMA works in order, so a whole tile would delay the
   loop's own loads.  */
template <int PIECES> struct pace {
    int every, wait, piece;

    explicit WS_DEVICE pace(int trips) : every(::max(trips / (PIECES + 1), 1)), wait(every), piece(0)
    {
    }
    WS_DEVICE bool due()
    {
        if (piece == PIECES || --wait > 0)
            return false;
        wait = every;
        return true;
    }
};

/* Loads one line of columns of all rows.  */
template <typename M, typename S, int R, int C, typename... I>
static WS_DEVICE void copy_line(int line, u32 barrier, shared_tile<S, R, C> &s, const M &m, int row, int col,
                                I... outer)
{
    constexpr int box = box_rows(R);
    const u32 to = ptx::shared_address(s.bytes) + line * block_bytes(R, line_bytes<S>);
    ptx::mbarrier_expect_tx(barrier, (u32)(rows_brought<R>(m, row) * line_bytes<S>));
#pragma unroll
    for (int r = 0; r < R; r += box)
        tma_load(to + r * line_bytes<S>, boxes_at(m, row), barrier, row + r, col + line * line_elements<S>, outer...);
}

/* Without TMA the first piece is the whole tile.  */
template <int D, bool TMA, typename S, typename T, typename M, int R, int C, int N, typename... I>
static WS_DEVICE void copy_piece(int piece, const producer<D, TMA> &ring, shared_tile<S, R, C> &s,
                                 const tensor<T, N> &t, const M &m, int row, int col, I... outer)
{
    if ((TMA || m.can_load) && col * (int)sizeof(T) % 16 == 0) {
        if (!ring.issues() || !ptx::elect())
            return;
        if constexpr (TMA)
            copy_line(piece, ring.barrier(), s, m, row, col, outer...);
        else
            copy_line(piece, ring.barrier(), s, whole_boxes_of<R>(m), row, col, outer...);
    } else if (!piece && ring.issues()) {
        copy_by_warp<false>(s, plane_at(t, outer..., row, col), 0.0);
    }
}
template <int D, bool TMA, typename S, typename T, typename M, typename X, typename Y>
static WS_DEVICE void copy_piece_at(int piece, producer<D, TMA> &ring, S &s, const T &t, const M &m, X row, Y col)
{
    copy_piece(piece, ring, s, t, m, clamp(row), clamp(col));
}
template <int D, bool TMA, typename S, typename T, typename M, typename W, typename X, typename Y>
static WS_DEVICE void copy_piece_at(int piece, producer<D, TMA> &ring, S &s, const T &t, const M &m, W w, X row, Y col)
{
    copy_piece(piece, ring, s, t, m, clamp(row), clamp(col), clamp(w));
}
template <int D, bool TMA, typename S, typename T, typename M, typename V, typename W, typename X, typename Y>
static WS_DEVICE void copy_piece_at(int piece, producer<D, TMA> &ring, S &s, const T &t, const M &m, V v, W w, X row,
                                    Y col)
{
    copy_piece(piece, ring, s, t, m, clamp(row), clamp(col), clamp(v), clamp(w));
}

template <int PIECES, int D, bool TMA, typename S, typename T, typename M, typename... I>
static WS_DEVICE void bring_piece(pace<PIECES> &p, producer<D, TMA> &ring, S (&slots)[D], const T &t, const M &m,
                                  I... i)
{
    if (!p.piece)
        ring.put();
    copy_piece_at(p.piece, ring, slots[ring.here.slot], t, m, i...);
    p.piece++;
}
/* In an iteration of the loop.  */
template <int PIECES, int D, bool TMA, typename S, typename T, typename M, typename... I>
static WS_DEVICE void bring(pace<PIECES> &p, producer<D, TMA> &ring, S (&slots)[D], const T &t, const M &m, I... i)
{
    if (p.due())
        bring_piece(p, ring, slots, t, m, i...);
}
/* After the loop; completes the put.  */
template <int PIECES, int D, bool TMA, typename S, typename T, typename M, typename... I>
static WS_DEVICE void bring_rest(pace<PIECES> &p, producer<D, TMA> &ring, S (&slots)[D], const T &t, const M &m, I... i)
{
#pragma unroll 1
    while (p.piece < PIECES)
        bring_piece(p, ring, slots, t, m, i...);
    ring.put_done();
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* TMA fills with 0 only.  */
template <int D, bool TMA, typename S, int R, int C, typename T, typename M, typename X, typename Y>
static WS_DEVICE void copy_in_or(double fill, producer<D, TMA> &ring, shared_tile<S, R, C> &s, const T &t, const M &m,
                                 X row, Y col)
{
    copy_in_plane<alone, sliced_anywhere>(ring, s, t, m, fill, clamp(row), clamp(col));
}
template <int D, bool TMA, typename S, int R, int C, typename T, typename M, typename W, typename X, typename Y>
static WS_DEVICE void copy_in_or(double fill, producer<D, TMA> &ring, shared_tile<S, R, C> &s, const T &t, const M &m,
                                 W w, X row, Y col)
{
    copy_in_plane<alone, sliced_anywhere>(ring, s, t, m, fill, clamp(row), clamp(col), clamp(w));
}
template <int D, bool TMA, typename S, int R, int C, typename T, typename M, typename V, typename W, typename X,
          typename Y>
static WS_DEVICE void copy_in_or(double fill, producer<D, TMA> &ring, shared_tile<S, R, C> &s, const T &t, const M &m,
                                 V v, W w, X row, Y col)
{
    copy_in_plane<alone, sliced_anywhere>(ring, s, t, m, fill, clamp(row), clamp(col), clamp(v), clamp(w));
}

} // namespace ws

#endif
