/* SPDX-License-Identifier: MIT */
/*
 * tile.cuh - register tiles of a warp group: layouts and constructors.
 *
 * A layout says which elements of an R x C tile each of the 128 threads holds:
 *   frag   the accumulator layout of wgmma, in blocks of 64 rows.  Warp w holds rows 16w to 16w+15 of each block; a
 *          thread holds rows lane/4 and lane/4+8, two columns at 2*(lane%4) of every eight.  Rows are padded to 64,
 *          columns to 8.
 *   lines  warp w holds rows w, w+4, ...; lanes run along the columns, a vector of up to 8 elements each.
 *   lines_2, lines_4, ... lines_32
 *          as lines, with that many rows side by side in a warp: for tiles that are too narrow for 32 lanes.
 *   strips, strips_2, ... strips_8
 *          as lines, with consecutive rows in a thread: for loads that lie a row apart (window.cuh).
 *   wide   all 128 threads run along the columns, a vector of up to 8 elements each, and hold all rows there.
 *   wide_2, wide_4, wide_8
 *          as wide, with the threads of that many groups.  These groups are all groups of the CTA.
 *   narrow(lines), ...
 *          as lines, with vectors of two columns: for rows that cannot be loaded as vectors.
 * A thread holds `slots` rows, and in each row the same `pairs` pairs of adjacent columns.  An (R,1) tile holds one
 * number for each slot, a (1,C) tile one row of pairs, and a (1,1) tile one number.  All copies of an element are
 * equal.  Constants index all register arrays: every loop here is unrolled.
 */
#ifndef WS_CUDA_TILE_CUH
#define WS_CUDA_TILE_CUH

#include "tensor.cuh"

namespace ws {

/* Members lines to lines_32 and strips to strips_8 say how many rows a warp holds side by side.  */
enum layout : int {
    frag = 0,
    lines = 1,
    lines_2 = 2,
    lines_4 = 4,
    lines_8 = 8,
    lines_16 = 16,
    lines_32 = 32,
    wide = 64,
    wide_2 = 64 + 2,
    wide_4 = 64 + 4,
    wide_8 = 64 + 8,
    strips = 128 + 1,
    strips_2 = 128 + 2,
    strips_4 = 128 + 4,
    strips_8 = 128 + 8
};

/* The layout with vectors of two columns, for rows that cannot be loaded as vectors.  Loads of single elements are fast
   if the lanes of a warp load adjacent elements.  */
WS_CONSTANT layout narrow(layout l)
{
    return (layout)(l + 256);
}
WS_CONSTANT bool is_narrow(layout l)
{
    return l >= 256;
}

/* Number of groups whose threads share rows; 0 for layouts other than wide.  */
WS_CONSTANT int wide_groups(layout l)
{
    return l % 256 == wide ? 1 : l % 256 > wide && l % 256 < strips ? l % 256 - wide : 0;
}
template <layout L> constexpr bool is_wide = wide_groups(L) > 0;
template <layout L> constexpr int group_threads = 128 * (is_wide<L> ? wide_groups(L) : 1);
template <layout L> constexpr int group_warps = group_threads<L> / 32;

/* The position of this warp in the groups that share a tile, and a barrier of these groups.  */
template <layout L> static WS_DEVICE int warp_of_group()
{
    return (int)(threadIdx.x / 32 % group_warps<L>);
}
template <layout L> static WS_DEVICE void meet_group()
{
    ptx::barrier_sync(1 + threadIdx.x / group_threads<L>, group_threads<L>);
}

/* ---- layouts ----------------------------------------------------------------------------------------------------- */

/* Adjacent columns of a lane, if `lanes` lanes share a row of `cols` columns.  */
WS_CONSTANT int vector_columns(int cols, int lanes, bool narrow)
{
    return narrow ? 2 : cols >= 8 * lanes ? 8 : cols >= 4 * lanes ? 4 : 2;
}

template <int R, int C, layout L> struct spread_lines {
    static constexpr int together = L % 128, lanes = 32 / together; /* rows in a warp; lanes of a row */
    static constexpr bool in_strips = L % 256 >= strips;
    static constexpr int slots = R == 1 ? 1 : (R + 4 * together - 1) / (4 * together);
    static constexpr int vector = vector_columns(C, lanes, is_narrow(L));
    static constexpr int vectors = (C + lanes * vector - 1) / (lanes * vector);
    static constexpr int pairs = C == 1 ? 1 : vectors * vector / 2;
    static constexpr bool whole_rows = R == 1 || R % (4 * together) == 0;
    static constexpr bool whole_cols = C == 1 || C % (lanes * vector) == 0;
    static WS_CONSTANT int index(int slot, int j)
    {
        return slot * pairs + j;
    }
    static WS_DEVICE int row(int slot)
    {
        const int warp = (int)(threadIdx.x / 32 % 4), side = (int)ptx::lane() / lanes;
        return R == 1 ? 0 : in_strips ? (warp * together + side) * slots + slot : (slot * 4 + warp) * together + side;
    }
    static WS_DEVICE int col(int j)
    {
        return C == 1 ? 0 : (j / (vector / 2) * lanes + (int)ptx::lane() % lanes) * vector + j % (vector / 2) * 2;
    }
    /* Distance of pair j from the thread's first column: a constant.  */
    static WS_CONSTANT int behind(int j)
    {
        return j / (vector / 2) * lanes * vector + j % (vector / 2) * 2;
    }
    static WS_DEVICE int warp_of(int r, int)
    {
        return (in_strips ? r / slots : r) / together % 4;
    }
    static WS_DEVICE int slot_of(int r)
    {
        return R == 1 ? 0 : in_strips ? r % slots : r / (4 * together);
    }
    static WS_DEVICE int lane_of(int r, int c)
    {
        return (in_strips ? r / slots : r) % together * lanes + c / vector % lanes;
    }
    static WS_DEVICE int pair_of(int c)
    {
        return C == 1 ? 0 : c / (lanes * vector) * (vector / 2) + c % vector / 2;
    }
    static WS_DEVICE bool speaks()
    {
        return (R > 1 || threadIdx.x % 128 < lanes) && (C > 1 || ptx::lane() % lanes == 0);
    }
};

template <int R, int C, layout L> struct spread_wide {
    static constexpr int lanes = group_threads<L>; /* of a row */
    static constexpr int slots = R;
    static constexpr int vector = vector_columns(C, lanes, is_narrow(L));
    static constexpr int vectors = (C + lanes * vector - 1) / (lanes * vector);
    static constexpr int pairs = C == 1 ? 1 : vectors * vector / 2;
    static constexpr bool whole_rows = true, whole_cols = C == 1 || C % (lanes * vector) == 0;
    static WS_CONSTANT int index(int slot, int j)
    {
        return slot * pairs + j;
    }
    static WS_DEVICE int row(int slot)
    {
        return slot;
    }
    static WS_DEVICE int col(int j)
    {
        return C == 1 ? 0 : (j / (vector / 2) * lanes + (int)(threadIdx.x % lanes)) * vector + j % (vector / 2) * 2;
    }
    static WS_CONSTANT int behind(int j)
    {
        return j / (vector / 2) * lanes * vector + j % (vector / 2) * 2;
    }
    static WS_DEVICE int warp_of(int, int c)
    {
        return c / vector % lanes / 32;
    }
    static WS_DEVICE int slot_of(int r)
    {
        return r;
    }
    static WS_DEVICE int lane_of(int, int c)
    {
        return c / vector % 32;
    }
    static WS_DEVICE int pair_of(int c)
    {
        return C == 1 ? 0 : c / (lanes * vector) * (vector / 2) + c % vector / 2;
    }
    static WS_DEVICE bool speaks()
    {
        return C > 1 || threadIdx.x % lanes == 0;
    }
};

template <int R, int C, layout L, bool WIDE = is_wide<L>> struct spread : spread_lines<R, C, L> {
};
template <int R, int C, layout L> struct spread<R, C, L, true> : spread_wide<R, C, L> {
};

template <int R, int C> struct spread<R, C, frag, false> {
    static constexpr int slots = R == 1 ? 1 : (R + 63) / 64 * 2;
    static constexpr int pairs = C == 1 ? 1 : (C + 7) / 8;
    static constexpr bool whole_rows = R == 1 || R % 64 == 0, whole_cols = C == 1 || C % 8 == 0;
    /* Register of a pair: in an accumulator the two rows of a block alternate.  */
    static WS_CONSTANT int index(int slot, int j)
    {
        return R == 1 ? j : (slot / 2 * pairs + j) * 2 + slot % 2;
    }
    static WS_DEVICE int row(int slot)
    {
        return R == 1 ? 0 : slot / 2 * 64 + (int)(threadIdx.x / 32 % 4) * 16 + slot % 2 * 8 + (int)ptx::lane() / 4;
    }
    static WS_DEVICE int col(int j)
    {
        return C == 1 ? 0 : j * 8 + (int)(ptx::lane() % 4) * 2;
    }
    static WS_CONSTANT int behind(int j)
    {
        return j * 8;
    }
    /* The warp, slot, lane and pair register that hold row r and column c.  */
    static WS_DEVICE int warp_of(int r, int)
    {
        return r % 64 / 16;
    }
    static WS_DEVICE int slot_of(int r)
    {
        return R == 1 ? 0 : r / 64 * 2 + r % 16 / 8;
    }
    static WS_DEVICE int lane_of(int r, int c)
    {
        return r % 8 * 4 + c % 8 / 2;
    }
    static WS_DEVICE int pair_of(int c)
    {
        return c / 8;
    }
    /* True in one of the threads that hold copies of a broadcast tile's element.  */
    static WS_DEVICE bool speaks()
    {
        return (R > 1 || threadIdx.x % 128 < 4) && (C > 1 || ptx::lane() % 4 == 0);
    }
};

template <typename S, int R> static WS_DEVICE bool has_row(int slot)
{
    return S::whole_rows || S::row(slot) < R;
}
template <typename S, int C> static WS_DEVICE bool has_col(int j, int second = 0)
{
    return S::whole_cols || S::col(j) + second < C;
}

/* ---- register tiles ---------------------------------------------------------------------------------------------- */

/* N pairs, or N single numbers in the compute type.  */
template <typename T, int N, bool SINGLE> struct cells {
    typedef typename number<T>::word word;
    T v[2 * N];
    WS_DEVICE word bits(int i) const
    {
        return word{v[2 * i], v[2 * i + 1]};
    }
    WS_DEVICE void set_bits(int i, word x)
    {
        v[2 * i] = x.low;
        v[2 * i + 1] = x.high;
    }
    WS_DEVICE pair<T> get(int i) const
    {
        return {v[2 * i], v[2 * i + 1]};
    }
    WS_DEVICE void set(int i, T low, T high)
    {
        v[2 * i] = low;
        v[2 * i + 1] = high;
    }
};
template <typename T, int N> struct packed_cells {
    typedef typename number<T>::word word;
    word v[N];
    WS_DEVICE word bits(int i) const
    {
        return v[i];
    }
    WS_DEVICE void set_bits(int i, word x)
    {
        v[i] = x;
    }
    WS_DEVICE pair<math_of<T>> get(int i) const
    {
        return number<T>::unpack(v[i]);
    }
    WS_DEVICE void set(int i, math_of<T> low, math_of<T> high)
    {
        v[i] = number<T>::pack(low, high);
    }
};
template <int N> struct cells<f16, N, false> : packed_cells<f16, N> {
};
template <int N> struct cells<bf16, N, false> : packed_cells<bf16, N> {
};
/* A register holds two pairs.  In a fragment, these pairs are columns 8 apart of one row, so that four registers are 32
   columns of wgmma's left operand.  */
template <typename T, int N> struct byte_cells {
    typedef typename number<T>::word word;
    u32 v[N / 4 * 2 + (N % 4 < 2 ? N % 4 : 2)];
    WS_DEVICE word bits(int i) const
    {
        return (word)(v[i / 4 * 2 + i % 2] >> i % 4 / 2 * 16);
    }
    WS_DEVICE void set_bits(int i, word x)
    {
        u32 &both = v[i / 4 * 2 + i % 2];
        both = i % 4 / 2 ? (both & 0xffff) | (u32)x << 16 : (both & 0xffff0000u) | x;
    }
    WS_DEVICE pair<math_of<T>> get(int i) const
    {
        return number<T>::unpack(bits(i));
    }
    WS_DEVICE void set(int i, math_of<T> low, math_of<T> high)
    {
        set_bits(i, number<T>::pack(low, high));
    }
};
template <int N> struct cells<e4m3, N, false> : byte_cells<e4m3, N> {
};
template <int N> struct cells<e5m2, N, false> : byte_cells<e5m2, N> {
};
template <int N> struct cells<signed char, N, false> : byte_cells<signed char, N> {
};
template <int N> struct cells<unsigned char, N, false> : byte_cells<unsigned char, N> {
};
template <int N> struct cells<short, N, false> : packed_cells<short, N> {
};
template <typename T, int N> struct single_cells {
    math_of<T> v[N];
    WS_DEVICE pair<math_of<T>> get(int i) const
    {
        return {v[i], v[i]};
    }
    WS_DEVICE void set(int i, math_of<T> x, math_of<T>)
    {
        v[i] = rounded<T>(x);
    }
};
template <int N> struct cells<float, N, true> : single_cells<float, N> {
};
template <int N> struct cells<double, N, true> : single_cells<double, N> {
};
template <int N> struct cells<int, N, true> : single_cells<int, N> {
};
template <int N> struct cells<long, N, true> : single_cells<long, N> {
};
template <int N> struct cells<bool, N, true> : single_cells<bool, N> {
};
template <int N> struct cells<f16, N, true> : single_cells<f16, N> {
};
template <int N> struct cells<bf16, N, true> : single_cells<bf16, N> {
};
template <int N> struct cells<e4m3, N, true> : single_cells<e4m3, N> {
};
template <int N> struct cells<e5m2, N, true> : single_cells<e5m2, N> {
};
template <int N> struct cells<signed char, N, true> : single_cells<signed char, N> {
};
template <int N> struct cells<unsigned char, N, true> : single_cells<unsigned char, N> {
};
template <int N> struct cells<short, N, true> : single_cells<short, N> {
};

template <typename T, int R, int C, layout L> struct tile {
    typedef T element;
    typedef math_of<T> math;
    typedef spread<R, C, L> where;
    static constexpr int rows = R, cols = C;
    static constexpr layout kind = L;
    cells<T, where::slots * where::pairs, C == 1> cell;

    WS_DEVICE pair<math> get(int slot, int j) const
    {
        return cell.get(where::index(R == 1 ? 0 : slot, C == 1 ? 0 : j));
    }
    WS_DEVICE void set(int slot, int j, math low, math high)
    {
        cell.set(where::index(slot, j), low, high);
    }
    /* A pair in its stored form; not for (R,1).  */
    WS_DEVICE auto bits(int slot, int j) const
    {
        return cell.bits(where::index(slot, j));
    }
    template <typename W> WS_DEVICE void set_bits(int slot, int j, W x)
    {
        cell.set_bits(where::index(slot, j), x);
    }
};

/* Loops over the slots and pairs of this thread; S is the tile's spread.  */
#define WS_FOR_SLOTS(S, slot)    _Pragma("unroll") for (int slot = 0; slot < S::slots; slot++)
#define WS_FOR_PAIRS(S, j)       _Pragma("unroll") for (int j = 0; j < S::pairs; j++)
#define WS_FOR_CELLS(S, slot, j) WS_FOR_SLOTS(S, slot) WS_FOR_PAIRS(S, j)

/* ---- constructors ------------------------------------------------------------------------------------------------ */

template <typename T, int R, int C, layout L, typename X> static WS_DEVICE tile<T, R, C, L> full(X value)
{
    typedef spread<R, C, L> S;
    tile<T, R, C, L> y;
    const math_of<T> x = convert<T>()(value);
    WS_FOR_CELLS(S, slot, j)
    y.set(slot, j, x, x);
    return y;
}

template <typename T, layout L, typename X> static WS_DEVICE tile<T, 1, 1, L> splat(X value)
{
    return full<T, 1, 1, L>(value);
}

template <int R, int C, layout L> static WS_DEVICE tile<int, R, C, L> row_index(int offset = 0)
{
    typedef spread<R, C, L> S;
    tile<int, R, C, L> y;
    WS_FOR_CELLS(S, slot, j)
    y.set(slot, j, S::row(slot) + offset, S::row(slot) + offset);
    return y;
}

/* any_number hides the first column's alignment.  Otherwise ptxas computes the other columns by an OR, and adds an
   offset to each of them.  */
template <int R, int C, layout L> static WS_DEVICE tile<int, R, C, L> col_index(int offset = 0)
{
    typedef spread<R, C, L> S;
    tile<int, R, C, L> y;
    const int first = ptx::any_number(S::col(0));
    WS_FOR_CELLS(S, slot, j)
    {
        const int apart = S::behind(j);
        y.set(slot, j, first + apart + offset, first + apart + 1 + offset);
    }
    return y;
}

/* Column `which` of a row.  Four adjacent lanes hold two columns each of every eight.  */
template <int C, typename T, int WHOLE, typename std::enable_if<C == 1, int>::type = 0>
static WS_DEVICE tile<T, 1, 1, frag> columns(const tile<T, 1, WHOLE, frag> &x, int which)
{
    math_of<T> number = 0;
#pragma unroll
    for (int j = 0; j < spread<1, WHOLE, frag>::pairs; j++) {
        const auto pair = x.get(0, j);
        number = which / 8 == j ? which % 2 ? pair.high : pair.low : number;
    }
    tile<T, 1, 1, frag> y;
    number = __shfl_sync(0xffffffffu, number, which % 8 / 2);
    y.set(0, 0, number, number);
    return y;
}

/* C columns from `first` on.  `first` is a multiple of 8 and a constant after unrolling, so no register moves.  */
template <int C, typename T, int R, int WHOLE>
static WS_DEVICE tile<T, R, C, frag> columns(const tile<T, R, WHOLE, frag> &x, int first)
{
    typedef spread<R, C, frag> S;
    tile<T, R, C, frag> y;
    WS_FOR_CELLS(S, slot, j)
    {
        if constexpr (same_type<T, bool>) {
            pair<bool> p = x.get(slot, first / 8 + j);
            y.set(slot, j, p.low, p.high);
        } else {
            y.set_bits(slot, j, x.bits(slot, first / 8 + j));
        }
    }
    return y;
}

} // namespace ws

#endif
