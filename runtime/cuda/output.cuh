/* SPDX-License-Identifier: MIT */
/*
 * output.cuh - accumulator tiles to and from global memory, through staging memory of each warp.
 *
 *      store_wait<N>()               at most N copies out of this warp still read their staging
 *      box = stage(warp_output, x)   registers -> staging, into a buffer that no copy out reads
 *      fence()                       makes each lane's part visible to TMA
 *      store(warp_output, ..., box)  staging -> global, by TMA; atomic_add(warp_output, ..., box) adds
 *      load(warp_output, ...)        global -> staging -> registers, in whole lines
 */
#ifndef WS_CUDA_OUTPUT_CUH
#define WS_CUDA_OUTPUT_CUH

#include "memory.cuh"

namespace ws {

/* ---- store through TMA ------------------------------------------------------------------------------------------- */

/* Each warp of the group owns a quarter: buffers of 16 rows x 128 bytes, its part of an accumulator.  No barrier of the
   group is needed, and a buffer drains while the next one is filled.  */
template <typename T, int R, int BLOCKS> struct __align__(1024) output
{
    static constexpr int buffers = R * BLOCKS / 64 > 0 ? R * BLOCKS / 64 : 1;
    unsigned char bytes[4 * buffers * 2048];
};

/* One warp's access to the staging.  Each store takes the next buffer and counts as one copy for store_wait, even if
   TMA has no part in it.  A buffer is free if all but the newest buffers - 1 copies have been read.  */
template <typename T, int R, int BLOCKS> class warp_output {
    u32 first, next;

  public:
    static constexpr int buffers = output<T, R, BLOCKS>::buffers;
    const int warp_row; /* the first of this warp's rows of each 64 */
    explicit WS_DEVICE warp_output(output<T, R, BLOCKS> &o) : warp_row((int)ptx::uniform(threadIdx.x / 32 % 4) * 16)
    {
        first = next = ptx::shared_address(o.bytes) + warp_row * (buffers * 128);
    }
    /* The next buffer; for several buffers the first one, since they are contiguous.  */
    template <int COUNT> WS_DEVICE u32 here()
    {
        static_assert(COUNT <= buffers, "that many buffers");
        return COUNT == 1 ? next : first;
    }
    template <int COUNT> WS_DEVICE void advance()
    {
        if (COUNT == 1)
            next = next == first + (buffers - 1) * 2048 ? first : next + 2048;
        else
            next = first + COUNT % buffers * 2048;
    }
};

/* Returns when at most N copies out of this warp still read shared memory.  */
template <int N> static WS_DEVICE void store_wait()
{
    const u32 since = trace::now();
    ptx::bulk_wait_read<N>(); /* lane 0 has started all copies */
    __syncwarp();
    trace::waited(trace::STORE_WAIT, N, since);
}

/* Stores a box at coordinates of the whole tensor, or adds it.  */
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

/* The same for a box of whole lines of 32-bit elements, by the map whose innermost dimension is a line.  */
template <bool ADD, typename T>
static WS_DEVICE void engine_store_lines(const CUtensorMap *m, u32 from, const tensor<T, 2> &, int row, int line)
{
    engine_store_at<ADD>(m, from, 0, line, row);
}
template <bool ADD, typename T>
static WS_DEVICE void engine_store_lines(const CUtensorMap *m, u32 from, const tensor<T, 3> &, int x, int row, int line)
{
    engine_store_at<ADD>(m, from, 0, line, row, x);
}
template <bool ADD, typename T>
static WS_DEVICE void engine_store_lines(const CUtensorMap *m, u32 from, const tensor<T, 4> &, int x, int y, int row,
                                         int line)
{
    engine_store_at<ADD>(m, from, 0, line, row, y, x);
}

/* Boxes of a tile's columns: whole lines, or one box of half a line.  */
template <typename T, int C> struct boxes {
    static constexpr int bytes = C * (int)sizeof(T) == 64 ? 64 : 128, columns = bytes / (int)sizeof(T);
    static constexpr int across = C / columns;
    static constexpr bool whole = C % columns == 0;
};

/* A staged box of the tile, or (-1) all boxes; `from` is this warp's part.  If all rows have two lines of 32-bit
   elements, the two lines of a row are adjacent, and one copy takes both.  */
template <typename T, int R, int C, int BOX, bool TURNED = false> struct staged {
    static constexpr int begin = BOX < 0 ? 0 : BOX, count = BOX < 0 ? (R + 63) / 64 * boxes<T, C>::across : 1;
    static constexpr bool pairs = BOX < 0 && sizeof(T) == 4 && C == 64 && R % 64 == 0;
    u32 from;

    /* Barrier after the writes: of this warp, or of the group if all warps have written.  */
    static WS_DEVICE void written()
    {
        if constexpr (TURNED)
            group_barrier();
        else
            __syncwarp();
    }
};

/* This warp's first row in a box.  */
template <typename T, int C> static WS_DEVICE int box_row(int box)
{
    return box / boxes<T, C>::across * 64 + (int)(threadIdx.x / 32 % 4) * 16;
}

/* Address of a byte of a buffer's row, swizzled within rows of BYTES.  */
template <int BYTES> static WS_DEVICE u32 in_buffer(u32 buffer, int row, int byte)
{
    const int chunk = BYTES == 128 ? row & 7 : row >> 1 & 3;
    return buffer + row * BYTES + ((byte & ~15) ^ chunk << 4) + (byte & 15);
}

/* For 32-bit elements of a pair of columns.  Adjacent rows of a half warp would write the same banks, since the swizzle
   swaps the halves of four lanes' writes.  Therefore half of the rows write the columns FAR away first.  */
template <int BLOCK, int FIRST, int FAR, typename T, int R, int C>
static WS_DEVICE void fill_crosswise(u32 at, int j, int h, bool far_first, const tile<T, R, C, frag> &x)
{
    constexpr u32 distance = FAR * 8 * (int)sizeof(T);
    const auto near = x.bits(2 * BLOCK + h, FIRST + j), far = x.bits(2 * BLOCK + h, FIRST + j + FAR);
    vector<T, 1> y;
    y.pairs[0] = far_first ? far : near;
    y.store(reinterpret_cast<T *>(__cvta_shared_to_generic(far_first ? at ^ distance : at)));
    y.pairs[0] = far_first ? near : far;
    y.store(reinterpret_cast<T *>(__cvta_shared_to_generic(far_first ? at : at ^ distance)));
}

/* Writes this warp's 16 rows of BYTES to a buffer.  Swizzled addresses of columns differ by an exclusive or.  Addresses
   of rows 8 apart differ by a sum.  */
template <int BLOCK, int FIRST, int BYTES, typename T, int R, int C>
static WS_DEVICE void fill_buffer(u32 buffer, const tile<T, R, C, frag> &x)
{
    typedef spread<R, C, frag> S;
    constexpr int pairs = BYTES / (int)sizeof(T) / 8;
    const int lane = (int)ptx::lane();
    if constexpr (sizeof(T) == 2) {
        const u32 at = in_buffer<BYTES>(buffer, lane % 16, lane / 16 * 16);
#pragma unroll
        for (int j = 0; j < pairs && FIRST + j < S::pairs; j += 2) {
            const auto *w = &x.cell.v[S::index(2 * BLOCK, FIRST + j)];
            if (FIRST + j + 1 < S::pairs)
                ptx::stmatrix_x4(at ^ j * 16, w[0], w[1], w[2], w[3]);
            else
                ptx::stmatrix_x2(at ^ j * 16, w[0], w[1]);
        }
    } else {
        const u32 at = in_buffer<BYTES>(buffer, lane / 4, lane % 4 * 2 * (int)sizeof(T));
        constexpr int far = BYTES == 128 ? 2 : 1;
#pragma unroll
        for (int j = 0; j < pairs && FIRST + j < S::pairs; j++)
#pragma unroll
            for (int h = 0; h < 2; h++) {
                const u32 to = (at ^ j * 8 * (int)sizeof(T)) + h * 8 * BYTES;
                if constexpr (sizeof(T) == 4 && FIRST + pairs <= S::pairs) {
                    if (!(j & far))
                        fill_crosswise<BLOCK, FIRST, far>(to, j, h, lane & (BYTES == 128 ? 4 : 8), x);
                } else {
                    vector<T, 1> y;
                    y.pairs[0] = x.bits(2 * BLOCK + h, FIRST + j);
                    y.store(reinterpret_cast<T *>(__cvta_shared_to_generic(to)));
                }
            }
    }
}

/* Writes both lines of each row; rows of a half warp lie in different banks.  */
template <int BLOCK, typename T, int R, int C>
static WS_DEVICE void fill_pairs(u32 buffer, const tile<T, R, C, frag> &x)
{
    const int lane = (int)ptx::lane();
    const u32 even = in_buffer<128>(buffer, lane / 4 * 2, lane % 4 * 2 * (int)sizeof(T)), odd = (even ^ 16) + 128;
#pragma unroll
    for (int j = 0; j < C / 8; j++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            vector<T, 1> y;
            y.pairs[0] = x.bits(2 * BLOCK + h, j);
            y.store(reinterpret_cast<T *>(__cvta_shared_to_generic(((j < 4 ? even : odd) ^ j % 4 * 32) + h * 2048)));
        }
    if constexpr ((BLOCK + 1) * 64 < R)
        fill_pairs<BLOCK + 1>(buffer + 4096, x);
}

template <int BOX, int END, typename T, int R, int C>
static WS_DEVICE void fill_boxes(u32 buffer, const tile<T, R, C, frag> &x)
{
    typedef boxes<T, C> B;
    if (R % 64 == 0 || box_row<T, C>(BOX) < R)
        fill_buffer<BOX / B::across, BOX % B::across * B::columns / 8, B::bytes>(buffer, x);
    if constexpr (BOX + 1 < END)
        fill_boxes<BOX + 1, END>(buffer + 2048, x);
}

template <int BOX, typename T, int SR, int BLOCKS, int R, int C>
static WS_DEVICE staged<T, R, C, BOX> stage(warp_output<T, SR, BLOCKS> &o, const tile<T, R, C, frag> &x)
{
    typedef staged<T, R, C, BOX> S;
    static_assert(R % store_rows == 0 && boxes<T, C>::whole && sizeof(T) <= 4, "whole boxes");
    const S y = {o.template here<S::count>()};
    if constexpr (S::pairs)
        fill_pairs<0>(y.from, x);
    else
        fill_boxes<S::begin, S::begin + S::count>(y.from, x);
    return y;
}
template <typename T, int SR, int BLOCKS, int R, int C>
static WS_DEVICE staged<T, R, C, -1> stage(warp_output<T, SR, BLOCKS> &o, const tile<T, R, C, frag> &x)
{
    return stage<-1>(o, x);
}

/* An R x C tile whose transpose is in registers: a warp has all rows of 16 columns of each 64.  */
template <typename T, int R, int C> struct transposed_tile {
    tile<T, C, R, frag> across;
};
template <typename T, int R, int C> static WS_DEVICE transposed_tile<T, C, R> transposed(const tile<T, R, C, frag> &x)
{
    return {x};
}

/* Writes this warp's part of a box, two by two matrices at a time, to the buffers of the warps that store these
   rows.  */
template <int BOX, int END, int BUFFERS, typename T, int R, int C>
static WS_DEVICE void fill_boxes_across(u32 first, const transposed_tile<T, R, C> &x)
{
    typedef spread<C, R, frag> S;
    typedef boxes<T, C> B;
    constexpr int block = BOX % B::across, row = BOX / B::across * 64, rows = R - row < 64 ? R - row : 64;
    const int lane = (int)ptx::lane(), warp = (int)(threadIdx.x / 32 % 4);
    const u32 at = in_buffer<128>(first, lane / 16 * 8 + lane % 8, warp * 32 + lane / 8 % 2 * 16);
#pragma unroll
    for (int other = 0; other < rows / 16; other++) {
        const auto *w = &x.across.cell.v[S::index(2 * block, row / 8 + 2 * other)];
        ptx::stmatrix_x4_trans(at + other * BUFFERS * 2048, w[0], w[1], w[2], w[3]);
    }
    if constexpr (BOX + 1 < END)
        fill_boxes_across<BOX + 1, END, BUFFERS>(first + 2048, x);
}

/* Each warp has waited for its own buffers, and a barrier makes all of them free.  Another barrier follows the writes,
   before any copy out starts.  */
template <int BOX, typename T, int SR, int BLOCKS, int R, int C>
static WS_DEVICE staged<T, R, C, BOX, true> stage(warp_output<T, SR, BLOCKS> &o, const transposed_tile<T, R, C> &x)
{
    typedef staged<T, R, C, BOX, true> S;
    typedef warp_output<T, SR, BLOCKS> O;
    static_assert(R % 16 == 0 && C % 64 == 0 && sizeof(T) == 2, "whole lines of whole matrices");
    const S y = {o.template here<S::count>()};
    group_barrier();
    fill_boxes_across<S::begin, S::begin + S::count, O::buffers>(y.from - o.warp_row * (O::buffers * 128), x);
    return y;
}
template <typename T, int SR, int BLOCKS, int R, int C>
static WS_DEVICE staged<T, R, C, -1, true> stage(warp_output<T, SR, BLOCKS> &o, const transposed_tile<T, R, C> &x)
{
    return stage<-1>(o, x);
}

/* True if a coordinate is below 0: TMA faults on a store of such a box.  */
template <typename... I> static WS_DEVICE bool before_zero(I... at)
{
    return ((at < 0) || ...);
}

/* This warp reads a buffer in lines and stores it, 16 bytes in a lane.  A row has STEP lines, and this is line
   `line`.  */
template <typename B, int STEP, typename T, typename W>
static WS_DEVICE void drain_lines(u32 buffer, int line, const plane<T, W> &p, int warp_row, int col)
{
    constexpr int chunk = 16 / (int)sizeof(T), lanes = B::bytes / 16, rows = 32 / lanes;
    const int lane = (int)ptx::lane(), c = col + lane % lanes * chunk;
    const bool whole = p.col_inside(c) && p.col_inside(c + chunk - 1);
    T *to = p.at(warp_row + lane / lanes, c);
#pragma unroll
    for (int i = 0; i < 16 / rows; i++) {
        const int row = lane / lanes + rows * i;
        union {
            uint4 vector;
            T elements[chunk];
        } x;
        x.vector = ptx::load_shared_16(in_buffer<B::bytes>(buffer, row * STEP + line, lane % lanes * 16));
        if (p.row_inside(warp_row + row)) {
            if (whole) {
                *reinterpret_cast<uint4 *>(p.below(to, warp_row + lane / lanes, rows * i, c)) = x.vector;
            } else {
#pragma unroll
                for (int e = 0; e < chunk; e++)
                    if (p.col_inside(c + e))
                        p.below(to, warp_row + lane / lanes, rows * i, c)[e] = x.elements[e];
            }
        }
    }
}

/* The same element by element; adjacent lanes store adjacent elements.  */
template <bool ADD, typename B, int STEP, typename T, typename W>
static WS_DEVICE void drain_elements(u32 buffer, int line, const plane<T, W> &p, int warp_row, int col)
{
#pragma unroll 4
    for (int i = (int)ptx::lane(); i < 16 * B::columns; i += 32) {
        const int row = i / B::columns, c = i % B::columns;
        const u32 from = in_buffer<B::bytes>(buffer, row * STEP + line, c * (int)sizeof(T));
        const T x = *reinterpret_cast<const T *>(__cvta_shared_to_generic(from));
        if (p.row_inside(warp_row + row) && p.col_inside(col + c)) {
            if constexpr (ADD)
                atomicAdd(p.at(warp_row + row, col + c), x);
            else
                *p.at(warp_row + row, col + c) = x;
        }
    }
}

template <bool ADD, bool PAIRS, int BOX, int END, typename T, int R, int C, typename W>
static WS_DEVICE void drain_boxes(u32 buffer, const plane<T, W> &p)
{
    typedef boxes<T, C> B;
    constexpr int step = PAIRS ? 2 : 1, line = PAIRS ? BOX % 2 : 0, col = BOX % B::across * B::columns;
    const int row = box_row<T, C>(BOX);
    if (R % 64 == 0 || row < R) {
        if (!ADD && p.aligned(16))
            drain_lines<B, step>(buffer - line * 2048, line, p, row, col);
        else
            drain_elements<ADD, B, step>(buffer - line * 2048, line, p, row, col);
    }
    if constexpr (BOX + 1 < END)
        drain_boxes<ADD, PAIRS, BOX + 1, END, T, R, C>(buffer + 2048, p);
}

/* TMA stores whole boxes only, so that no element outside of the tile is written.  This warp reads other boxes back and
   stores them, and store_wait counts an empty copy.  */
template <bool ADD, int SLICED, typename O, typename T, int R, int C, int BOX, bool TURNED, int N, typename... I>
static WS_DEVICE void leave(O &o, const tensor<T, N> &t, int whole, const map &m, const staged<T, R, C, BOX, TURNED> &x,
                            int row, int col, I... outer)
{
    typedef boxes<T, C> B;
    typedef staged<T, R, C, BOX, TURNED> S;
    const int first = absolute(col, t.origin[N - 1]);
    const bool fits =
        S::pairs ? m.can_store_pairs && first % 32 == 0 && !SLICED : m.can_store && first * (int)sizeof(T) % 16 == 0;
    x.written();
    if (fits && !before_zero(row, col, outer...) &&
        (!SLICED || contained<R, C, SLICED, N>(plane_at(t, outer..., row, col), whole))) {
        if (ptx::lane() == 0) {
#pragma unroll
            for (int i = 0; i < S::count; i++) {
                const int at = (S::begin + i) / B::across * 64 + o.warp_row,
                          c = (S::begin + i) % B::across * B::columns;
                if constexpr (S::pairs) {
                    if (c == 0)
                        engine_store_lines<ADD>(&m.store_pairs, x.from + i * 2048, t, outer..., row + at, col / 32);
                } else if (R % 64 == 0 || at < R) {
                    engine_store<ADD>(B::bytes == 128 ? &m.store : &m.store_half, x.from + i * 2048, t, outer...,
                                      row + at, col + c);
                }
                ptx::bulk_commit();
            }
        }
    } else {
        const plane<T> p = plane_at(t, outer..., row, col);
        if (!SLICED || (p.row < p.row_high && p.col < p.col_high)) /* a tile longer than its step has boxes beyond it */
            drain_boxes<ADD, S::pairs, S::begin, S::begin + S::count, T, R, C>(x.from, p);
        if (ptx::lane() == 0)
#pragma unroll
            for (int i = 0; i < S::count; i++)
                ptx::bulk_commit();
    }
    o.template advance<S::count>();
    trace::did(trace::STORE);
}

/* ---- load through the staging ------------------------------------------------------------------------------------ */

/* Copies this warp's 16 rows of a box, element by element: for edges.  */
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

/* The inverse of fill_buffer.  */
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

/* Loads boxes from global memory through registers and a buffer to the accumulator layout.  LANES lanes load a row, 16
   bytes each.  */
template <typename T, int R, int C> struct box_loader {
    typedef boxes<T, C> B;
    static constexpr int across = C / B::columns, count = R / 64 * across;
    static constexpr int lanes = B::bytes / 16, rows = 32 / lanes, pieces = 16 / rows;
    static_assert(R % 64 == 0 && B::whole && sizeof(T) <= 4, "whole boxes");

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
    /* Starts all loads before the first wait.  */
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
    /* Passes one box through a buffer, which is free again afterwards.  */
    template <int BOX> WS_DEVICE void pass(u32 buffer, tile<T, R, C, frag> &y) const
    {
        const int lane = (int)ptx::lane();
        if (whole)
#pragma unroll
            for (int i = 0; i < pieces; i++)
                ptx::store_shared_16(in_buffer<B::bytes>(buffer, lane / lanes + rows * i, lane % lanes * 16),
                                     x[BOX][i]);
        else
            copy_to_buffer<B>(buffer, p, warp_row(BOX), BOX % across * B::columns, outside);
        __syncwarp();
        empty_buffer<BOX / across, BOX % across * B::columns / 8, B::bytes>(buffer, y);
        __syncwarp();
        if constexpr (BOX + 1 < count)
            pass<BOX + 1>(buffer, y);
    }
};

template <int R, int C, typename O, typename T>
static WS_DEVICE tile<T, R, C, frag> load_boxes(O &o, const plane<T> &p, double fill)
{
    tile<T, R, C, frag> y;
    box_loader<T, R, C> loader(p, fill);
    loader.start();
    loader.template pass<0>(o.template here<1>(), y);
    define(y);
    return y;
}

template <int R, int C, layout L, typename E, int SR, int B, typename T, int N, typename... I>
static WS_DEVICE tile<T, R, C, L> load(warp_output<E, SR, B> &o, const tensor<T, N> &t, I... at)
{
    return load_boxes<R, C>(o, plane_at(t, at...), 0.0);
}
template <int R, int C, layout L, typename E, int SR, int B, typename T, int N, typename... I>
static WS_DEVICE tile<T, R, C, L> load_or(double fill, warp_output<E, SR, B> &o, const tensor<T, N> &t, I... at)
{
    return load_boxes<R, C>(o, plane_at(t, at...), fill);
}

/* ---- store: all steps -------------------------------------------------------------------------------------------- */

template <bool ADD, int SLICED, int BOX, typename O, typename T, int R, int C, int N, typename... I>
static WS_DEVICE void leave_by_boxes(O &o, const tensor<T, N> &t, int whole, const map &m, const tile<T, R, C, frag> &x,
                                     int row, int col, I... outer)
{
    store_wait<O::buffers - 1>();
    const auto box = stage<BOX>(o, x);
    fence();
    leave<ADD, SLICED>(o, t, whole, m, box, row, col, outer...);
    if constexpr (BOX + 1 < (R + 63) / 64 * boxes<T, C>::across)
        leave_by_boxes<ADD, SLICED, BOX + 1>(o, t, whole, m, x, row, col, outer...);
}

/* A tile that was not staged: box by box, or from registers if it has no boxes.  */
template <bool ADD, int SLICED, typename O, typename T, int R, int C, layout L, int N, typename... I>
static WS_DEVICE void leave(O &o, const tensor<T, N> &t, int whole, const map &m, const tile<T, R, C, L> &x, int row,
                            int col, I... outer)
{
    if constexpr (L == frag && sizeof(T) <= 4 && R % store_rows == 0 && boxes<T, C>::whole)
        leave_by_boxes<ADD, SLICED, 0>(o, t, whole, m, x, row, col, outer...);
    else if constexpr (ADD)
        add_plane(plane_at(t, outer..., row, col), x);
    else
        store_plane(plane_at(t, outer..., row, col), x);
}

/* x is a tile, or the result of stage.  */
template <typename T, int SR, int B, typename TENSOR, typename ROW, typename COL, typename X>
static WS_DEVICE void store(warp_output<T, SR, B> &o, const TENSOR &t, const map &m, ROW row, COL col, const X &x)
{
    leave<false, sliced<TENSOR>>(o, t, whole_edges(t), m, x, clamp(row), clamp(col));
}
template <typename T, int SR, int B, typename TENSOR, typename I, typename ROW, typename COL, typename X>
static WS_DEVICE void store(warp_output<T, SR, B> &o, const TENSOR &t, const map &m, I i, ROW row, COL col, const X &x)
{
    leave<false, sliced<TENSOR>>(o, t, whole_edges(t), m, x, clamp(row), clamp(col), clamp(i));
}
template <typename T, int SR, int B, typename TENSOR, typename I, typename J, typename ROW, typename COL, typename X>
static WS_DEVICE void store(warp_output<T, SR, B> &o, const TENSOR &t, const map &m, I i, J j, ROW row, COL col,
                            const X &x)
{
    leave<false, sliced<TENSOR>>(o, t, whole_edges(t), m, x, clamp(row), clamp(col), clamp(i), clamp(j));
}

template <typename T, int SR, int B, typename TENSOR, typename ROW, typename COL, typename X>
static WS_DEVICE void atomic_add(warp_output<T, SR, B> &o, const TENSOR &t, const map &m, ROW row, COL col, const X &x)
{
    leave<true, sliced<TENSOR>>(o, t, whole_edges(t), m, x, clamp(row), clamp(col));
}
template <typename T, int SR, int B, typename TENSOR, typename I, typename ROW, typename COL, typename X>
static WS_DEVICE void atomic_add(warp_output<T, SR, B> &o, const TENSOR &t, const map &m, I i, ROW row, COL col,
                                 const X &x)
{
    leave<true, sliced<TENSOR>>(o, t, whole_edges(t), m, x, clamp(row), clamp(col), clamp(i));
}
template <typename T, int SR, int B, typename TENSOR, typename I, typename J, typename ROW, typename COL, typename X>
static WS_DEVICE void atomic_add(warp_output<T, SR, B> &o, const TENSOR &t, const map &m, I i, J j, ROW row, COL col,
                                 const X &x)
{
    leave<true, sliced<TENSOR>>(o, t, whole_edges(t), m, x, clamp(row), clamp(col), clamp(i), clamp(j));
}

} // namespace ws

#endif
