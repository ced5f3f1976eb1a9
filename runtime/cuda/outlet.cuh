/* SPDX-License-Identifier: MIT */
/*
 * outlet.cuh - tiles of an accumulator's layout out to global memory, and in, through a warp's own staging.
 *
 *   store(outlet, ...)  registers -> staging -> global, by the copy engine; atomic_add(outlet, ...) to what is there
 *   load(outlet, ...)   global -> staging -> registers, in whole lines
 *   store_wait<N>()     at most N copies out of this warp still read their staging
 */
#ifndef WS_CUDA_OUTLET_CUH
#define WS_CUDA_OUTLET_CUH

#include "memory.cuh"

namespace ws {

/* ---- store through the copy engine ------------------------------------------------------------------------------- */

/* Each warp of the group owns a quarter: buffers of 16 rows x 128 bytes, the part of an accumulator that it holds.  No
   barrier of the group is needed, and a buffer drains while the next one is filled.  */
template <typename T, int R, int BLOCKS> struct __align__(1024) output
{
    static constexpr int buffers = R * BLOCKS / 64 > 0 ? R * BLOCKS / 64 : 1;
    unsigned char bytes[4 * buffers * 2048];
};

/* A warp's end of it: the buffers in turn, from one store to the next, so that all copies but the oldest may still read
   theirs when one is filled.  */
template <typename T, int R, int BLOCKS> class outlet {
    u32 first, next;

  public:
    static constexpr int buffers = output<T, R, BLOCKS>::buffers;
    explicit WS_DEVICE outlet(output<T, R, BLOCKS> &o)
    {
        first = next = ptx::shared_address(o.bytes) + ptx::uniform(threadIdx.x / 32 % 4) * (buffers * 2048);
    }
    /* A buffer that nothing reads.  */
    WS_DEVICE u32 take()
    {
        if (ptx::lane() == 0)
            ptx::bulk_wait_read<buffers - 1>();
        __syncwarp();
        const u32 buffer = next;
        next = next == first + (buffers - 1) * 2048 ? first : next + 2048;
        return buffer;
    }
    /* The first COUNT, one behind the other.  */
    template <int COUNT> WS_DEVICE u32 take_together()
    {
        static_assert(COUNT <= buffers, "that many buffers");
        if (ptx::lane() == 0)
            ptx::bulk_wait_read<0>();
        __syncwarp();
        next = first + COUNT % buffers * 2048;
        return first;
    }
};

/* A box to coordinates of the whole tensor: over what is there, or added to it.  */
template <bool ADD, typename... I> static WS_DEVICE void engine_store_at(const CUtensorMap *m, u32 from, I... at)
{
    if constexpr (ADD)
        ptx::add_to_tensor(m, from, at...);
    else
        ptx::shared_to_tensor(m, from, at...);
}
template <bool ADD, typename T>
static WS_DEVICE void engine_store(const CUtensorMap *m, u32 from, const tensor<T, 2> &t, int row, int col)
{
    engine_store_at<ADD>(m, from, absolute(col, t.origin[1]), absolute(row, t.origin[0]));
}
template <bool ADD, typename T>
static WS_DEVICE void engine_store(const CUtensorMap *m, u32 from, const tensor<T, 3> &t, int x, int row, int col)
{
    engine_store_at<ADD>(m, from, absolute(col, t.origin[2]), absolute(row, t.origin[1]), absolute(x, t.origin[0]));
}
template <bool ADD, typename T>
static WS_DEVICE void engine_store(const CUtensorMap *m, u32 from, const tensor<T, 4> &t, int x, int y, int row,
                                   int col)
{
    engine_store_at<ADD>(m, from, absolute(col, t.origin[3]), absolute(row, t.origin[2]), absolute(y, t.origin[1]),
                         absolute(x, t.origin[0]));
}

/* How a tile's columns go out: in boxes of whole lines, or in one of half a line.  */
template <typename T, int C> struct boxes {
    static constexpr int bytes = C * (int)sizeof(T) == 64 ? 64 : 128, columns = bytes / (int)sizeof(T);
    static constexpr int whole = C / columns * columns; /* columns that fill boxes */
};

/* Where a byte of a buffer's row lies, swizzled within rows of BYTES.  */
template <int BYTES> static WS_DEVICE u32 in_buffer(u32 buffer, int row, int byte)
{
    const int chunk = BYTES == 128 ? row & 7 : row >> 1 & 3;
    return buffer + row * BYTES + ((byte & ~15) ^ chunk << 4) + (byte & 15);
}

/* This warp's 16 rows of BYTES into a buffer.  */
template <int BLOCK, int FIRST, int BYTES, typename T, int R, int C>
static WS_DEVICE void fill_buffer(u32 buffer, const tile<T, R, C, frag> &x)
{
    typedef spread<R, C, frag> S;
    constexpr int pairs = BYTES / (int)sizeof(T) / 8;
    const int lane = (int)ptx::lane();
    if constexpr (sizeof(T) == 2) {
#pragma unroll
        for (int j = 0; j < pairs && FIRST + j < S::pairs; j += 2) {
            const auto *w = &x.cell.v[S::index(2 * BLOCK, FIRST + j)];
            const u32 to = in_buffer<BYTES>(buffer, lane % 16, (j + lane / 16) * 16);
            if (FIRST + j + 1 < S::pairs)
                ptx::stmatrix_x4(to, w[0], w[1], w[2], w[3]);
            else
                ptx::stmatrix_x2(to, w[0], w[1]);
        }
    } else {
#pragma unroll
        for (int j = 0; j < pairs && FIRST + j < S::pairs; j++)
#pragma unroll
            for (int h = 0; h < 2; h++) {
                const u32 to = in_buffer<BYTES>(buffer, lane / 4 + 8 * h, (j * 8 + lane % 4 * 2) * (int)sizeof(T));
                vector<T, 1> y;
                y.pairs[0] = x.bits(2 * BLOCK + h, FIRST + j);
                y.store(reinterpret_cast<T *>(__cvta_shared_to_generic(to)));
            }
    }
}

/* Box after box.  */
template <bool ADD, int BLOCK, int FIRST, typename O, typename T, int R, int C, int N, typename... I>
static WS_DEVICE void store_boxes(O &o, const tensor<T, N> &t, const map &m, const tile<T, R, C, frag> &x, int row,
                                  int col, I... outer)
{
    typedef boxes<T, C> B;
    const int warp_row = BLOCK * 64 + (int)(threadIdx.x / 32 % 4) * 16;
    if (R % 64 == 0 || warp_row < R) {
        const u32 at = o.take();
        fill_buffer<BLOCK, FIRST, B::bytes>(at, x);
        ptx::fence_proxy_async();
        __syncwarp();
        if (ptx::lane() == 0) {
            engine_store<ADD>(B::bytes == 128 ? &m.store : &m.store_half, at, t, outer..., row + warp_row,
                              col + FIRST * 8);
            ptx::bulk_commit();
        }
    }
    if constexpr (FIRST * 8 + B::columns < B::whole)
        store_boxes<ADD, BLOCK, FIRST + B::columns / 8>(o, t, m, x, row, col, outer...);
    else if constexpr ((BLOCK + 1) * 64 < R)
        store_boxes<ADD, BLOCK + 1, 0>(o, t, m, x, row, col, outer...);
}

/* The engine faults where it is to write a box that begins at a coordinate below 0.  */
template <typename... I> static WS_DEVICE bool before_zero(I... at)
{
    return ((at < 0) || ...);
}

/* The same block read back in lines and written by this warp: 16 bytes a lane, four rows at a time.  */
template <int BLOCK, int FIRST, typename T, int R, int C>
static WS_DEVICE void drain_buffer(u32 buffer, const plane<T> &p, const tile<T, R, C, frag> &)
{
    constexpr int chunk = 16 / (int)sizeof(T);
    const int lane = (int)ptx::lane(), c = FIRST * 8 + lane % 8 * chunk;
    const int warp_row = BLOCK * 64 + (int)(threadIdx.x / 32 % 4) * 16;
    const bool whole = p.col_inside(c) && p.col_inside(c + chunk - 1) && c + chunk <= C;
    T *to = p.at(warp_row + lane / 8, c);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int row = lane / 8 + 4 * i;
        union {
            uint4 vector;
            T elements[chunk];
        } x;
        x.vector = ptx::load_shared_16(in_buffer<128>(buffer, row, lane % 8 * 16));
        if (p.row_inside(warp_row + row) && (R % 16 == 0 || warp_row + row < R)) {
            if (whole) {
                *reinterpret_cast<uint4 *>(to + 4 * i * p.stride) = x.vector;
            } else {
#pragma unroll
                for (int e = 0; e < chunk; e++)
                    if (p.col_inside(c + e) && c + e < C)
                        to[4 * i * p.stride + e] = x.elements[e];
            }
        }
    }
}

/* From column 8 * BEGIN on.  */
template <int BLOCK, int FIRST, int BEGIN, typename O, typename T, int R, int C>
static WS_DEVICE void store_lines(O &o, const plane<T> &p, const tile<T, R, C, frag> &x)
{
    constexpr int step = line_elements<T> / 8;
    const u32 buffer = o.take();
    fill_buffer<BLOCK, FIRST, 128>(buffer, x);
    __syncwarp();
    drain_buffer<BLOCK, FIRST>(buffer, p, x);
    if constexpr (FIRST * 8 + line_elements<T> < C)
        store_lines<BLOCK, FIRST + step, BEGIN>(o, p, x);
    else if constexpr ((BLOCK + 1) * 64 < R)
        store_lines<BLOCK + 1, BEGIN, BEGIN>(o, p, x);
}

/* ---- load through the staging ------------------------------------------------------------------------------------ */

/* This warp's 16 rows of a box, element by element: for edges.  */
template <typename B, typename T>
static WS_DEVICE void copy_to_buffer(u32 buffer, const plane<T> &p, int warp_row, int col, T outside)
{
#pragma unroll 1
    for (int i = (int)ptx::lane(); i < 16 * B::columns; i += 32) {
        const int row = i / B::columns, c = i % B::columns;
        const bool inside = p.row_inside(warp_row + row) && p.col_inside(col + c);
        const u32 to = in_buffer<B::bytes>(buffer, row, c * (int)sizeof(T));
        *reinterpret_cast<T *>(__cvta_shared_to_generic(to)) = inside ? *p.at(warp_row + row, col + c) : outside;
    }
}

/* The other way round: as fill_buffer has written it.  */
template <int BLOCK, int FIRST, int BYTES, typename T, int R, int C>
static WS_DEVICE void empty_buffer(u32 buffer, tile<T, R, C, frag> &y)
{
    typedef spread<R, C, frag> S;
    const int lane = (int)ptx::lane();
#pragma unroll
    for (int j = 0; j < BYTES / (int)sizeof(T) / 8; j += sizeof(T) == 2 ? 2 : 1) {
        if constexpr (sizeof(T) == 2) {
            u32 *w = &y.cell.v[S::index(2 * BLOCK, FIRST + j)];
            ptx::ldmatrix_x4(in_buffer<BYTES>(buffer, lane % 16, (j + lane / 16) * 16), w[0], w[1], w[2], w[3]);
        } else {
#pragma unroll
            for (int h = 0; h < 2; h++) {
                const u32 from = in_buffer<BYTES>(buffer, lane / 4 + 8 * h, (j * 8 + lane % 4 * 2) * (int)sizeof(T));
                vector<T, 1> x;
                x.load(reinterpret_cast<const T *>(__cvta_shared_to_generic(from)));
                y.set_bits(2 * BLOCK + h, FIRST + j, x.pairs[0]);
            }
        }
    }
}

/* Boxes pass from global memory through registers, 16 bytes a lane of LANES for each row, and a buffer to registers.  */
template <typename T, int R, int C> struct box_loader {
    typedef boxes<T, C> B;
    static constexpr int across = C / B::columns, count = R / 64 * across;
    static constexpr int lanes = B::bytes / 16, rows = 32 / lanes, pieces = 16 / rows;
    static_assert(R % 64 == 0 && B::whole == C && sizeof(T) <= 4, "whole boxes");

    const plane<T> &p;
    T outside;
    bool fills, whole;
    uint4 x[count][pieces];

    WS_DEVICE box_loader(const plane<T> &plane, double fill) : p(plane)
    {
        outside = number<T>::narrow(convert<T>()(fill));
        fills = fill != 0;
        whole = p.aligned(16) && p.template runs_whole<16 / (int)sizeof(T), C>();
    }
    static WS_DEVICE int warp_row(int box)
    {
        return box / across * 64 + (int)(threadIdx.x / 32 % 4) * 16;
    }
    /* All loads are under way before the first is waited for.  */
    WS_DEVICE void start()
    {
        const int lane = (int)ptx::lane();
#pragma unroll
        for (int b = 0; b < count; b++)
#pragma unroll
            for (int i = 0; i < pieces; i++) {
                const int row = warp_row(b) + lane / lanes + rows * i;
                const int c = b % across * B::columns + lane % lanes * (16 / (int)sizeof(T));
                vector<T, 8 / (int)sizeof(T)> y;
                y.fill(outside);
                x[b][i] = fills ? reinterpret_cast<uint4 &>(y.v) : uint4{0, 0, 0, 0};
                ptx::load_if(whole && p.row_inside(row) && p.col_inside(c), x[b][i], p.at(row, c));
            }
    }
    template <int BOX, typename O> WS_DEVICE void pass(O &o, tile<T, R, C, frag> &y) const
    {
        const int lane = (int)ptx::lane();
        const u32 buffer = o.take();
        if (whole)
#pragma unroll
            for (int i = 0; i < pieces; i++)
                ptx::store_shared_16(in_buffer<B::bytes>(buffer, lane / lanes + rows * i, lane % lanes * 16),
                                     x[BOX][i]);
        else
            copy_to_buffer<B>(buffer, p, warp_row(BOX), BOX % across * B::columns, outside);
        __syncwarp();
        empty_buffer<BOX / across, BOX % across * B::columns / 8, B::bytes>(buffer, y);
        if constexpr (BOX + 1 < count)
            pass<BOX + 1>(o, y);
    }
};

template <int R, int C, typename O, typename T>
static WS_DEVICE tile<T, R, C, frag> load_boxes(O &o, const plane<T> &p, double fill)
{
    tile<T, R, C, frag> y;
    box_loader<T, R, C> loader(p, fill);
    loader.start();
    loader.template pass<0>(o, y);
    define(y);
    return y;
}

template <int R, int C, layout L, typename E, int SR, int B, typename T, int N, typename... I>
static WS_DEVICE tile<T, R, C, L> load(outlet<E, SR, B> &o, const tensor<T, N> &t, I... at)
{
    return load_boxes<R, C>(o, plane_at(t, at...), 0.0);
}
template <int R, int C, layout L, typename E, int SR, int B, typename T, int N, typename... I>
static WS_DEVICE tile<T, R, C, L> load_or(double fill, outlet<E, SR, B> &o, const tensor<T, N> &t, I... at)
{
    return load_boxes<R, C>(o, plane_at(t, at...), fill);
}

/* ---- store: all ways --------------------------------------------------------------------------------------------- */

/* Whole blocks of lines go out by the copy engine, in boxes that end with the tile, so that no neighbour's elements are
   written; columns that fill no block, and tiles that the engine cannot write, go out in lines; what has no 16-byte
   alignment goes straight from the registers.  */
template <int SLICED, typename O, typename T, int R, int C, layout L, int N, typename... I>
static WS_DEVICE void store_plane_staged(O &o, const tensor<T, N> &t, const map &m, const tile<T, R, C, L> &x, int row,
                                         int col, I... outer)
{
    const plane<T> p = plane_at(t, outer..., row, col);
    if constexpr (L == frag && sizeof(T) <= 4 && R > 1 && C > 1) {
        constexpr int whole = boxes<T, C>::whole;
        if constexpr (R % store_rows == 0 && whole > 0) {
            if (m.can_store && !before_zero(row, col, outer...) && p.col * (int)sizeof(T) % 16 == 0 &&
                (!SLICED || contained<R, C, SLICED, N>(p))) {
                store_boxes<false, 0, 0>(o, t, m, x, row, col, outer...);
                if constexpr (whole < C)
                    store_lines<0, whole / 8, whole / 8>(o, p, x);
                return;
            }
        }
        if (p.aligned(16)) {
            store_lines<0, 0, 0>(o, p, x);
            return;
        }
    }
    store_plane(p, x);
}

template <typename T, int SR, int B, typename TENSOR, typename X, typename Y, int R, int C, layout L>
static WS_DEVICE void store(outlet<T, SR, B> &o, const TENSOR &t, const map &m, X row, Y col, const tile<T, R, C, L> &x)
{
    store_plane_staged<sliced<TENSOR>>(o, t, m, x, clamp(row), clamp(col));
}
template <typename T, int SR, int B, typename TENSOR, typename W, typename X, typename Y, int R, int C, layout L>
static WS_DEVICE void store(outlet<T, SR, B> &o, const TENSOR &t, const map &m, W w, X row, Y col,
                            const tile<T, R, C, L> &x)
{
    store_plane_staged<sliced<TENSOR>>(o, t, m, x, clamp(row), clamp(col), clamp(w));
}
template <typename T, int SR, int B, typename TENSOR, typename V, typename W, typename X, typename Y, int R, int C,
          layout L>
static WS_DEVICE void store(outlet<T, SR, B> &o, const TENSOR &t, const map &m, V v, W w, X row, Y col,
                            const tile<T, R, C, L> &x)
{
    store_plane_staged<sliced<TENSOR>>(o, t, m, x, clamp(row), clamp(col), clamp(v), clamp(w));
}

/* All boxes of a tile into buffers one behind the other.  */
template <int BLOCK, int FIRST, typename T, int R, int C>
static WS_DEVICE void fill_boxes(u32 buffer, const tile<T, R, C, frag> &x)
{
    typedef boxes<T, C> B;
    fill_buffer<BLOCK, FIRST, B::bytes>(buffer, x);
    if constexpr (FIRST * 8 + B::columns < C)
        fill_boxes<BLOCK, FIRST + B::columns / 8>(buffer + 2048, x);
    else if constexpr ((BLOCK + 1) * 64 < R)
        fill_boxes<BLOCK + 1, 0>(buffer + 2048, x);
}

/* Additions that the engine makes, with one fence for all boxes where there is a buffer for each.  */
template <typename O, typename T, int R, int C, int N, typename... I>
static WS_DEVICE void add_boxes(O &o, const tensor<T, N> &t, const map &m, const tile<T, R, C, frag> &x, int row,
                                int col, I... outer)
{
    typedef boxes<T, C> B;
    constexpr int across = C / B::columns, count = (R + 63) / 64 * across;
    if constexpr (R % 64 || count > O::buffers) {
        store_boxes<true, 0, 0>(o, t, m, x, row, col, outer...);
    } else {
        const u32 from = o.template take_together<count>();
        fill_boxes<0, 0>(from, x);
        ptx::fence_proxy_async();
        __syncwarp();
        if (ptx::lane() == 0) {
            const int warp_row = row + (int)(threadIdx.x / 32 % 4) * 16;
#pragma unroll
            for (int i = 0; i < count; i++) {
                engine_store<true>(B::bytes == 128 ? &m.store : &m.store_half, from + i * 2048, t, outer...,
                                   warp_row + i / across * 64, col + i % across * B::columns);
                ptx::bulk_commit();
            }
        }
    }
}

/* The engine adds where all of the tile goes by boxes, else each thread its own elements.  */
template <int SLICED, typename O, typename T, int R, int C, layout L, int N, typename... I>
static WS_DEVICE void add_plane_staged(O &o, const tensor<T, N> &t, const map &m, const tile<T, R, C, L> &x, int row,
                                       int col, I... outer)
{
    const plane<T> p = plane_at(t, outer..., row, col);
    if constexpr (L == frag && R % store_rows == 0 && boxes<T, C>::whole == C) {
        if (m.can_store && !before_zero(row, col, outer...) && p.col * (int)sizeof(T) % 16 == 0 &&
            (!SLICED || contained<R, C, SLICED, N>(p))) {
            add_boxes(o, t, m, x, row, col, outer...);
            return;
        }
    }
    add_plane(p, x);
}

template <typename T, int SR, int B, typename TENSOR, typename X, typename Y, int R, int C, layout L>
static WS_DEVICE void atomic_add(outlet<T, SR, B> &o, const TENSOR &t, const map &m, X row, Y col,
                                 const tile<T, R, C, L> &x)
{
    add_plane_staged<sliced<TENSOR>>(o, t, m, x, clamp(row), clamp(col));
}
template <typename T, int SR, int B, typename TENSOR, typename W, typename X, typename Y, int R, int C, layout L>
static WS_DEVICE void atomic_add(outlet<T, SR, B> &o, const TENSOR &t, const map &m, W w, X row, Y col,
                                 const tile<T, R, C, L> &x)
{
    add_plane_staged<sliced<TENSOR>>(o, t, m, x, clamp(row), clamp(col), clamp(w));
}
template <typename T, int SR, int B, typename TENSOR, typename V, typename W, typename X, typename Y, int R, int C,
          layout L>
static WS_DEVICE void atomic_add(outlet<T, SR, B> &o, const TENSOR &t, const map &m, V v, W w, X row, Y col,
                                 const tile<T, R, C, L> &x)
{
    add_plane_staged<sliced<TENSOR>>(o, t, m, x, clamp(row), clamp(col), clamp(v), clamp(w));
}

/* At most N copies out of this warp still read shared memory.  */
template <int N> static WS_DEVICE void store_wait()
{
    if (ptx::lane() == 0)
        ptx::bulk_wait_read<N>();
    __syncwarp();
}

} // namespace ws

#endif
