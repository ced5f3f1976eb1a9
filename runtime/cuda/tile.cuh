/* SPDX-License-Identifier: MIT */
/*
 * tile.cuh - register tiles of a warp group, and everything that happens to one element after another.
 *
 * How a tile is spread over the 128 threads:
 *   frag   the tensor core's accumulators: blocks of 64 rows; warp w holds rows 16w to 16w+15 of each, a thread rows
 *          lane/4 and lane/4+8, two columns at 2*(lane%4) of every eight.  Rows are padded to 64, columns to 8.
 *   lines  warp w holds rows w, w+4, ...; lanes run along the columns, a vector of up to 8 elements each.
 *   lines_2, lines_4, ... lines_32
 *          the same with that many rows side by side in a warp, for tiles that are too narrow for 32 lanes.
 *   strips, strips_2, ... strips_8
 *          the same, but a thread's rows follow each other: for loads that lie a row apart (window.cuh).
 *   wide   all 128 threads run along the columns, a vector of up to 8 elements each, and hold all rows there.
 *   wide_2, wide_4, wide_8
 *          the same with the threads of so many groups, which are a team then: all of the CTA.
 * All say it in the same words: a thread has `slots` rows, and in each of them the same `pairs` pairs of neighbouring
 * columns.  (R,1) keeps one number a slot, (1,C) one row of pairs, (1,1) one number; whoever has a copy has the same
 * one. All register arrays are indexed by constants: every loop here is unrolled.
 */
#ifndef WS_CUDA_TILE_CUH
#define WS_CUDA_TILE_CUH

#include "tensor.cuh"

namespace ws {

/* Of lines and strips: how many rows a warp holds at a time.  */
enum layout {
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

/* Groups whose threads share rows, 0: no layout of that kind.  */
WS_CONSTANT int wide_groups(layout l)
{
    return l == wide ? 1 : l > wide && l < strips ? l - wide : 0;
}
template <layout L> constexpr bool is_wide = wide_groups(L) > 0;
template <layout L> constexpr int group_threads = 128 * (is_wide<L> ? wide_groups(L) : 1);
template <layout L> constexpr int group_warps = group_threads<L> / 32;

/* Of those that have a tile.  */
template <layout L> static WS_DEVICE int warp_of_group()
{
    return (int)(threadIdx.x / 32 % group_warps<L>);
}
template <layout L> static WS_DEVICE void meet_group()
{
    ptx::barrier_sync(1 + threadIdx.x / group_threads<L>, group_threads<L>);
}

/* ---- who holds what ---------------------------------------------------------------------------------------------- */

/* Columns that a lane holds side by side, where so many lanes share a row.  */
WS_CONSTANT int vector_columns(int cols, int lanes)
{
    return cols >= 8 * lanes ? 8 : cols >= 4 * lanes ? 4 : 2;
}

template <int R, int C, layout L> struct spread {
    static constexpr int together = L % 128, lanes = 32 / together; /* rows in a warp; lanes of each */
    static constexpr bool in_strips = L >= strips;
    static constexpr int slots = R == 1 ? 1 : (R + 4 * together - 1) / (4 * together);
    static constexpr int vector = vector_columns(C, lanes);
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
    /* How far behind a thread's first column that is: a constant.  */
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

template <int R, int C, int GROUPS> struct spread_wide {
    static constexpr int lanes = 128 * GROUPS; /* of a row */
    static constexpr int slots = R;
    static constexpr int vector = vector_columns(C, lanes);
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

template <int R, int C> struct spread<R, C, wide> : spread_wide<R, C, 1> {
};
template <int R, int C> struct spread<R, C, wide_2> : spread_wide<R, C, 2> {
};
template <int R, int C> struct spread<R, C, wide_4> : spread_wide<R, C, 4> {
};
template <int R, int C> struct spread<R, C, wide_8> : spread_wide<R, C, 8> {
};

template <int R, int C> struct spread<R, C, frag> {
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
    /* Whose warp, which slot; which lane of eight rows, which pair.  */
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
    /* Of the threads that hold copies of a broadcast tile's element, does this one speak?  */
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

/* N pairs, or N single numbers kept in the compute type.  */
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
/* Two pairs a register: of a fragment those of one row in neighbouring eights, so that four registers are what the
   tensor core takes for 32 columns of a left operand.  */
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
    /* A pair as it is stored; not for (R,1).  */
    WS_DEVICE auto bits(int slot, int j) const
    {
        return cell.bits(where::index(slot, j));
    }
    template <typename W> WS_DEVICE void set_bits(int slot, int j, W x)
    {
        cell.set_bits(where::index(slot, j), x);
    }
};

/* For each pair that this thread holds of an R x C tile.  */
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

/* The first column is not known to be a multiple of anything: what is added to all of them is added to it once.  Else
   the others are made from it by an OR, which comes between.  */
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

/* Any column of a row.  Four neighbouring lanes have two columns each of every eight.  */
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

/* C columns from `first` on, a multiple of 8 that is a constant once loops are unrolled: no register moves.  */
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

/* ---- elementwise ------------------------------------------------------------------------------------------------- */

template <typename X> struct is_tile {
    static constexpr bool value = false;
};
template <typename T, int R, int C, layout L> struct is_tile<tile<T, R, C, L>> {
    static constexpr bool value = true;
};
template <bool YES> struct only_if;
template <> struct only_if<true> {
    typedef int type;
};
template <typename... X> using if_tile = typename only_if<(is_tile<X>::value || ...)>::type;
template <typename... X> using if_scalars = typename only_if<!(is_tile<X>::value || ...)>::type;

/* Shape, layout and element type of a result: broadcast of the operands; the type is that of the first tile that is no
   (1,1), since those stand for scalars and convert.  Masks do not count.  */
template <typename... X> struct joined;
template <> struct joined<> {
    static constexpr int rows = 1, cols = 1;
    static constexpr layout kind = frag;
    static constexpr bool known = false, firm = false;
    typedef float element;
};
template <typename X, typename... Rest> struct joined<X, Rest...> : joined<Rest...> {
};
template <typename T, int R, int C, layout L, typename... Rest> struct joined<tile<T, R, C, L>, Rest...> {
    typedef joined<Rest...> rest;
    static_assert(R == 1 || rest::rows == 1 || R == rest::rows, "rows do not broadcast");
    static_assert(C == 1 || rest::cols == 1 || C == rest::cols, "columns do not broadcast");
    static constexpr int rows = R > rest::rows ? R : rest::rows, cols = C > rest::cols ? C : rest::cols;
    static constexpr layout kind = L;
    static constexpr bool mine = R * C > 1 || !rest::firm;
    static constexpr bool known = true, firm = R * C > 1 || rest::firm;
    template <bool MINE, typename U> struct pick {
        typedef T type;
    };
    template <typename U> struct pick<false, U> {
        typedef U type;
    };
    typedef typename pick<mine, typename rest::element>::type element;
};
template <int R, int C, layout L, typename... Rest> struct joined<tile<bool, R, C, L>, Rest...> {
    typedef joined<Rest...> rest;
    static constexpr int rows = R > rest::rows ? R : rest::rows, cols = C > rest::cols ? C : rest::cols;
    static constexpr layout kind = L;
    static constexpr bool known = rest::known, firm = rest::firm;
    typedef typename rest::element element;
};

/* An operand's pair at a place of the result, in compute type M; masks stay masks.  */
template <typename M, typename T, int R, int C, layout L>
static WS_DEVICE pair<M> operand(const tile<T, R, C, L> &x, int slot, int j)
{
    auto p = x.get(slot, j);
    return {to_math<M>::from(p.low), to_math<M>::from(p.high)};
}
template <typename M, int R, int C, layout L>
static WS_DEVICE pair<bool> operand(const tile<bool, R, C, L> &x, int slot, int j)
{
    return x.get(slot, j);
}
template <typename M, typename X, if_scalars<X> = 0> static WS_DEVICE pair<M> operand(X x, int, int)
{
    return {to_math<M>::from(x), to_math<M>::from(x)};
}

template <typename U, typename F, typename... X>
static WS_DEVICE tile<U, joined<X...>::rows, joined<X...>::cols, joined<X...>::kind> apply(F f, const X &...x)
{
    typedef joined<X...> J;
    typedef math_of<typename J::element> M;
    typedef spread<J::rows, J::cols, J::kind> S;
    tile<U, J::rows, J::cols, J::kind> y;
    WS_FOR_CELLS(S, slot, j)
    y.set(slot, j, f(operand<M>(x, slot, j).low...), f(operand<M>(x, slot, j).high...));
    return y;
}

namespace one { /* what happens to one element */

#define WS_ONE_BINARY(name, on_float, on_double, on_int, on_long) \
    struct name {                                                 \
        WS_DEVICE float operator()(float x, float y) const        \
        {                                                         \
            return on_float;                                      \
        }                                                         \
        WS_DEVICE double operator()(double x, double y) const     \
        {                                                         \
            return on_double;                                     \
        }                                                         \
        WS_DEVICE int operator()(int x, int y) const              \
        {                                                         \
            return on_int;                                        \
        }                                                         \
        WS_DEVICE long operator()(long x, long y) const           \
        {                                                         \
            return on_long;                                       \
        }                                                         \
    };
WS_ONE_BINARY(add, x + y, x + y, (int)((u32)x + (u32)y), (long)((u64)x + (u64)y))
WS_ONE_BINARY(sub, x - y, x - y, (int)((u32)x - (u32)y), (long)((u64)x - (u64)y))
WS_ONE_BINARY(mul, x *y, x *y, (int)((u32)x *(u32)y), (long)((u64)x *(u64)y))
WS_ONE_BINARY(div, x / y, x / y,
              y == 0    ? 0
              : y == -1 ? (int)(0u - (u32)x)
                        : x / y,
              y == 0    ? 0
              : y == -1 ? (long)(0ul - (u64)x)
                        : x / y)
WS_ONE_BINARY(maximum, fmaxf(x, y), fmax(x, y), ptx::larger(x, y), x > y ? x : y)
WS_ONE_BINARY(minimum, fminf(x, y), fmin(x, y), ptx::smaller(x, y), x < y ? x : y)
#undef WS_ONE_BINARY

/* Of the bits of two I32 or I64.  */
#define WS_ONE_BITS(name, on_int, on_long)              \
    struct name {                                       \
        WS_DEVICE int operator()(int x, int y) const    \
        {                                               \
            return on_int;                              \
        }                                               \
        WS_DEVICE long operator()(long x, long y) const \
        {                                               \
            return on_long;                             \
        }                                               \
    };
WS_ONE_BITS(bit_and, x &y, x &y)
WS_ONE_BITS(bit_or, x | y, x | y)
WS_ONE_BITS(bit_xor, x ^ y, x ^ y)
WS_ONE_BITS(shl, (int)((u32)x << (y & 31)), (long)((u64)x << (y & 63)))
WS_ONE_BITS(shr, x >> (y & 31), x >> (y & 63))
WS_ONE_BITS(ushr, (int)((u32)x >> (y & 31)), (long)((u64)x >> (y & 63)))
#undef WS_ONE_BITS

#define WS_ONE_COMPARE(name, operator_)                                 \
    struct name {                                                       \
        template <typename M> WS_DEVICE bool operator()(M x, M y) const \
        {                                                               \
            return x operator_ y;                                       \
        }                                                               \
    };
WS_ONE_COMPARE(lt, <)
WS_ONE_COMPARE(le, <=)
WS_ONE_COMPARE(gt, >)
WS_ONE_COMPARE(ge, >=)
WS_ONE_COMPARE(eq, ==)
WS_ONE_COMPARE(ne, !=)
WS_ONE_COMPARE(mask_and, &&)
WS_ONE_COMPARE(mask_or, ||)
#undef WS_ONE_COMPARE

struct mask_not {
    WS_DEVICE bool operator()(bool x) const
    {
        return !x;
    }
};
struct select {
    template <typename M> WS_DEVICE M operator()(bool mask, M x, M y) const
    {
        return mask ? x : y;
    }
};
struct fma {
    WS_DEVICE float operator()(float x, float y, float z) const
    {
        return fmaf(x, y, z);
    }
    WS_DEVICE double operator()(double x, double y, double z) const
    {
        return ::fma(x, y, z);
    }
    WS_DEVICE int operator()(int x, int y, int z) const
    {
        return (int)((u32)x * (u32)y + (u32)z);
    }
    WS_DEVICE long operator()(long x, long y, long z) const
    {
        return (long)((u64)x * (u64)y + (u64)z);
    }
};
struct neg {
    WS_DEVICE float operator()(float x) const
    {
        return -x;
    }
    WS_DEVICE double operator()(double x) const
    {
        return -x;
    }
    WS_DEVICE int operator()(int x) const
    {
        return (int)(0u - (u32)x);
    }
    WS_DEVICE long operator()(long x) const
    {
        return (long)(0ul - (u64)x);
    }
};
struct abs {
    WS_DEVICE float operator()(float x) const
    {
        return fabsf(x);
    }
    WS_DEVICE double operator()(double x) const
    {
        return ::fabs(x);
    }
    WS_DEVICE int operator()(int x) const
    {
        return x < 0 ? (int)(0u - (u32)x) : x;
    }
    WS_DEVICE long operator()(long x) const
    {
        return x < 0 ? (long)(0ul - (u64)x) : x;
    }
};

/* x as the tensor core reads it, without its last 13 bits.  */
struct kept {
    WS_DEVICE float operator()(float x) const
    {
        return __uint_as_float(__float_as_uint(x) & ~0x1fffu);
    }
};
/* What is left of x where the tensor core drops its last 13 bits, rounded to tf32; NaN where x is no number, so small
   that what is left has too few bits, or so large that products may be infinite.  */
struct rest {
    static constexpr float least = 0x1p-50f, most = 0x1p60f;
    WS_DEVICE float operator()(float x) const
    {
        const u32 bits = __float_as_uint(x);
        const u32 left = (__float_as_uint(x - __uint_as_float(bits & ~0x1fffu)) + 0x1000) & ~0x1fffu;
        const float size = fabsf(x);
        return (size >= least && size <= most) || x == 0 ? __uint_as_float(left) : __uint_as_float(0x7fffffffu);
    }
};

/* 1 / (1 + e^-x) without the ways of a division: its divisor is at least 1.  The correction of the approximate
   reciprocal is left out where the divisor is infinite.  */
static WS_DEVICE float logistic(float x)
{
    const float divisor = 1.0f + expf(-x), y = ptx::reciprocal_approx(divisor), rest = fmaf(-divisor, y, 1.0f);
    return fabsf(rest) < 1 ? fmaf(y, rest, y) : y;
}

#define MATHS(NAME, name, f32, f64, gpu_f32, gpu_f64, least, most) \
    struct name {                                                  \
        WS_DEVICE float operator()(float x) const                  \
        {                                                          \
            return gpu_f32;                                        \
        }                                                          \
        WS_DEVICE double operator()(double x) const                \
        {                                                          \
            return gpu_f64;                                        \
        }                                                          \
    };
#define MATHS_OF_TWO(NAME, name, f32, f64, gpu_f32, gpu_f64)  \
    struct name {                                             \
        WS_DEVICE float operator()(float x, float y) const    \
        {                                                     \
            return gpu_f32;                                   \
        }                                                     \
        WS_DEVICE double operator()(double x, double y) const \
        {                                                     \
            return gpu_f64;                                   \
        }                                                     \
    };
#include "../common/maths.def"

/* e^x with a relative error of |x| 2^-24 or so (lowering/machine/rounded.c).  */
struct exp_rounded {
    WS_DEVICE float operator()(float x) const
    {
        return ptx::exp2_approx(x * 1.44269504f);
    }
};

} // namespace one

/* A literal that f16 holds exactly.  */
template <int BITS> struct f16_literal {
    double number;
    WS_DEVICE operator double() const
    {
        return number;
    }
};
template <int BITS> static WS_DEVICE f16_literal<BITS> f16_exactly(double number)
{
    return {number};
}

/* Two numbers of f16 at a time.  A sum or difference of floats that is rounded to f16 is the one that f16 rounds once,
   since floats have more than twice as many bits and two; products are exact.  */
template <typename F> struct in_pairs {
    static constexpr bool can = false;
};
#define WS_IN_PAIRS(name)                     \
    template <> struct in_pairs<one::name> {  \
        static constexpr bool can = true;     \
        static WS_DEVICE u32 of(u32 x, u32 y) \
        {                                     \
            return ptx::name##_f16x2(x, y);   \
        }                                     \
    };
WS_IN_PAIRS(add)
WS_IN_PAIRS(sub)
WS_IN_PAIRS(mul)
#undef WS_IN_PAIRS

template <typename X> struct has_pairs {
    static constexpr bool value = false;
};
template <int R, int C, layout L> struct has_pairs<tile<f16, R, C, L>> {
    static constexpr bool value = true;
};
template <int BITS> struct has_pairs<f16_literal<BITS>> {
    static constexpr bool value = true;
};
template <int R, int C, layout L> static WS_DEVICE u32 pair_bits(const tile<f16, R, C, L> &x, int slot, int j)
{
    return x.bits(R == 1 ? 0 : slot, C == 1 ? 0 : j);
}
template <int BITS> static WS_DEVICE u32 pair_bits(f16_literal<BITS>, int, int)
{
    return BITS * 0x10001u;
}

/* Four bytes at a time, by one number.  */
template <typename F> struct of_four {
    static constexpr bool can = false;
};
template <> struct of_four<one::bit_and> {
    static constexpr bool can = true;
    static WS_DEVICE u32 of(u32 four, int y)
    {
        return four & (u32)(y & 0xff) * 0x01010101u;
    }
};
template <> struct of_four<one::ushr> {
    static constexpr bool can = true;
    static WS_DEVICE u32 of(u32 four, int y)
    {
        const int by = y & 31;
        return four >> by & (0xffu >> by) * 0x01010101u;
    }
};
template <> struct of_four<one::shr> : of_four<one::ushr> {
};
template <typename X> struct has_bytes {
    static constexpr bool value = false;
};
template <int R, int C, layout L> struct has_bytes<tile<unsigned char, R, C, L>> {
    static constexpr bool value = C > 1;
};

template <typename F, typename X, typename Y> static WS_DEVICE auto combine(F f, const X &x, const Y &y)
{
    typedef joined<X, Y> J;
    if constexpr (of_four<F>::can && has_bytes<X>::value && same_type<Y, int>) {
        X z = x;
#pragma unroll
        for (int i = 0; i < (int)(sizeof z.cell.v / sizeof z.cell.v[0]); i++)
            z.cell.v[i] = of_four<F>::of(z.cell.v[i], y);
        return z;
    } else if constexpr (in_pairs<F>::can && has_pairs<X>::value && has_pairs<Y>::value) {
        typedef spread<J::rows, J::cols, J::kind> S;
        tile<f16, J::rows, J::cols, J::kind> z;
        WS_FOR_CELLS(S, slot, j)
        z.set_bits(slot, j, in_pairs<F>::of(pair_bits(x, slot, j), pair_bits(y, slot, j)));
        return z;
    } else {
        return apply<typename J::element>(f, x, y);
    }
}
template <typename F, typename X> static WS_DEVICE auto change(F f, const X &x)
{
    if constexpr (same_type<F, one::floor> && has_pairs<X>::value) {
        typedef typename X::where S;
        X y;
        WS_FOR_CELLS(S, slot, j)
        y.set_bits(slot, j, ptx::floor_f16x2(x.bits(slot, j)));
        return y;
    } else {
        return apply<typename X::element>(f, x);
    }
}

#define WS_UNARY(name)                                                           \
    template <typename X, if_tile<X> = 0> static WS_DEVICE auto name(const X &x) \
    {                                                                            \
        return change(one::name(), x);                                           \
    }
#define WS_BINARY(name, how)                                                                                \
    template <typename X, typename Y, if_tile<X, Y> = 0> static WS_DEVICE auto name(const X &x, const Y &y) \
    {                                                                                                       \
        return combine(one::how(), x, y);                                                                   \
    }
#define WS_COMPARE(name)                                                                                    \
    template <typename X, typename Y, if_tile<X, Y> = 0> static WS_DEVICE auto name(const X &x, const Y &y) \
    {                                                                                                       \
        return apply<bool>(one::name(), x, y);                                                              \
    }
WS_BINARY(add, add)
WS_BINARY(sub, sub)
WS_BINARY(mul, mul)
WS_BINARY(bit_and, bit_and)
WS_BINARY(bit_or, bit_or)
WS_BINARY(bit_xor, bit_xor)
WS_BINARY(shl, shl)
WS_BINARY(shr, shr)
WS_BINARY(ushr, ushr)
WS_BINARY(max, maximum)
WS_BINARY(min, minimum)
WS_COMPARE(lt)
WS_COMPARE(le)
WS_COMPARE(gt)
WS_COMPARE(ge)
WS_COMPARE(eq)
WS_COMPARE(ne)
WS_COMPARE(mask_and)
WS_COMPARE(mask_or)
WS_UNARY(neg)
WS_UNARY(abs)
WS_UNARY(kept)
WS_UNARY(rest)
WS_UNARY(exp_rounded)
#define MATHS(NAME, name, ...)        WS_UNARY(name)
#define MATHS_OF_TWO(NAME, name, ...) WS_BINARY(name, name)
#include "../common/maths.def"
#undef WS_UNARY
#undef WS_BINARY
#undef WS_COMPARE

/* Many numbers divided by one: its reciprocal is taken once, and what that lacks.  A quotient that is less than its
   last place off is corrected by the remainder, and then correctly rounded (Markstein), as long as nothing on the way
   leaves the range of normal numbers.  */
struct row_divisor {
    float d, reciprocal, rest;

    explicit WS_DEVICE row_divisor(float x) : d(x), reciprocal(1.0f / x), rest(-fmaf(reciprocal, x, -1.0f) * reciprocal)
    {
    }
    WS_DEVICE bool easy() const
    {
        return d >= 0x1p-20f && d <= 0x1p20f;
    }
    static WS_DEVICE bool easy(float x)
    {
        return fabsf(x) <= 0x1p100f && (fabsf(x) >= 0x1p-100f || x == 0);
    }
    WS_DEVICE float of(float x) const
    {
        const float q = fmaf(x, reciprocal, x * rest);
        return fmaf(-fmaf(q, d, -x), reciprocal, q);
    }
};

/* Are all of a thread's numbers of a row such that a quotient is easy?  Where none is 0, two instructions each say.  */
template <typename T, int R, int C, layout L> static WS_DEVICE bool easily_divided(const tile<T, R, C, L> &x, int slot)
{
    typedef spread<R, C, L> S;
    float most = 0, least = 1;
    WS_FOR_PAIRS(S, j)
    {
        const pair<float> p = x.get(slot, j);
        most = fmaxf(most, fmaxf(fabsf(p.low), fabsf(p.high)));
        least = fminf(least, fminf(fabsf(p.low), fabsf(p.high)));
    }
    bool easy = most <= 0x1p100f;
    if (easy && least < 0x1p-100f) {
        WS_FOR_PAIRS(S, j)
        {
            const pair<float> p = x.get(slot, j);
            easy &= row_divisor::easy(p.low) & row_divisor::easy(p.high);
        }
    }
    return easy;
}

/* Asked first, so that a number's register may be its quotient's.  */
template <typename T, int R, int C, layout L, typename Y>
static WS_DEVICE tile<T, R, C, L> div_rows(const tile<T, R, C, L> &x, const Y &y)
{
    typedef spread<R, C, L> S;
    tile<T, R, C, L> z;
    WS_FOR_SLOTS(S, slot)
    {
        const row_divisor d(operand<float>(y, slot, 0).low);
        if (d.easy() && easily_divided(x, slot)) {
            WS_FOR_PAIRS(S, j)
            {
                const pair<float> p = x.get(slot, j);
                z.set(slot, j, d.of(p.low), d.of(p.high));
            }
        } else {
            WS_FOR_PAIRS(S, j)
            {
                const pair<float> p = x.get(slot, j);
                z.set(slot, j, p.low / d.d, p.high / d.d);
            }
        }
    }
    return z;
}

template <typename M> constexpr bool is_float = false;
template <> constexpr bool is_float<float> = true;

/* Is y one number for each row of x, or for all of it?  */
template <typename X, typename Y> struct divides_rows {
    static constexpr bool value = false;
};
template <typename T, int R, int C, layout L, typename U, int YR>
struct divides_rows<tile<T, R, C, L>, tile<U, YR, 1, L>> {
    static constexpr bool value = C > 1 && YR <= R &&is_float<math_of<T>>;
};

template <typename X, typename Y, if_tile<X, Y> = 0> static WS_DEVICE auto div(const X &x, const Y &y)
{
    if constexpr (divides_rows<X, Y>::value)
        return div_rows(x, y);
    else
        return apply<typename joined<X, Y>::element>(one::div(), x, y);
}

/* As near as two products are, where the divisor is easy (lowering/machine/rounded.c).  */
template <typename T, int R, int C, layout L, typename Y>
static WS_DEVICE tile<T, R, C, L> div_rounded(const tile<T, R, C, L> &x, const Y &y)
{
    typedef spread<R, C, L> S;
    static_assert(divides_rows<tile<T, R, C, L>, Y>::value, "many numbers divided by one");
    tile<T, R, C, L> z;
    WS_FOR_SLOTS(S, slot)
    {
        const row_divisor d(operand<float>(y, slot, 0).low);
        if (d.easy())
            WS_FOR_PAIRS(S, j)
            {
                const pair<float> p = x.get(slot, j);
                z.set(slot, j, p.low * d.reciprocal, p.high * d.reciprocal);
            }
        else
            WS_FOR_PAIRS(S, j)
            {
                const pair<float> p = x.get(slot, j);
                z.set(slot, j, p.low / d.d, p.high / d.d);
            }
    }
    return z;
}

template <int R, int C, layout L> static WS_DEVICE auto mask_not(const tile<bool, R, C, L> &x)
{
    return apply<bool>(one::mask_not(), x);
}

template <int R, int C, layout L, typename X, typename Y>
static WS_DEVICE auto select(const tile<bool, R, C, L> &mask, const X &x, const Y &y)
{
    return apply<typename joined<X, Y>::element>(one::select(), mask, x, y);
}

/* Where no row of the warp takes what F makes, nobody makes it: F's lanes meet, and all go the same way.  */
template <int R, layout L, typename F, typename Y>
static WS_DEVICE auto select_some(const tile<bool, R, 1, L> &mask, F f, const Y &y)
{
    typedef spread<R, 1, L> S;
    decltype(select(mask, f(), y)) z = y;
    bool some = false;
    WS_FOR_SLOTS(S, slot)
    some = some || mask.get(slot, 0).low;
    if (__any_sync(0xffffffffu, some))
        z = select(mask, f(), y);
    return z;
}

template <typename X, typename Y, typename Z, if_tile<X, Y, Z> = 0>
static WS_DEVICE auto fma(const X &x, const Y &y, const Z &z)
{
    return apply<typename joined<X, Y, Z>::element>(one::fma(), x, y, z);
}

/* Bytes become floating numbers without the slow unit for conversions: a byte, with its sign turned if it has one, is
   the last one of a number of which the rest is known, and is subtracted.  Exact.  */
template <typename U> struct of_bytes {
    static constexpr bool fast = false;
};
template <> struct of_bytes<f16> {
    static constexpr bool fast = true;
    template <bool SIGN> static WS_DEVICE u32 word(u32 turned, int half)
    {
        return ptx::sub_f16x2(__byte_perm(turned, 0x64646464, half ? 0x4342 : 0x4140),
                              SIGN ? 0x64806480 : 0x64006400); /* 1024 + byte */
    }
};
template <> struct of_bytes<float> {
    static constexpr bool fast = true;
    template <bool SIGN> static WS_DEVICE number<float>::word word(u32 turned, int half)
    {
        const u32 first = half ? 0x7652 : 0x7650; /* 2^23 + byte */
        const float rest = SIGN ? 8388736.0f : 8388608.0f;
        return {__uint_as_float(__byte_perm(turned, 0x4b000000, first)) - rest,
                __uint_as_float(__byte_perm(turned, 0x4b000000, first + 1)) - rest};
    }
};
template <> struct of_bytes<bf16> {
    static constexpr bool fast = true;
    template <bool SIGN> static WS_DEVICE u32 word(u32 turned, int half)
    {
        const auto both = of_bytes<float>::word<SIGN>(turned, half);
        return ptx::pack_bf16(both.low, both.high);
    }
};

template <typename U, typename T, int R, int C, layout L>
static WS_DEVICE tile<U, R, C, L> cast(const tile<T, R, C, L> &x)
{
    constexpr bool sign = same_type<T, signed char>;
    if constexpr ((sign || same_type<T, unsigned char>)&&of_bytes<U>::fast && C > 1) {
        tile<U, R, C, L> y;
#pragma unroll
        for (int i = 0; i < spread<R, C, L>::slots * spread<R, C, L>::pairs; i++)
            y.cell.set_bits(
                i, of_bytes<U>::template word<sign>(x.cell.v[i / 4 * 2 + i % 2] ^ (sign ? 0x80808080 : 0), i % 4 / 2));
        return y;
    }
    if constexpr (is_wide<L> && C > 1 && sizeof(U) == 4 && (same_type<T, f16> || same_type<T, bf16>)) {
        /* Converted where it is wanted: else the assembler keeps what it has converted, in twice the registers.  */
        tile<T, R, C, L> anew = x;
#pragma unroll
        for (int i = 0; i < spread<R, C, L>::slots * spread<R, C, L>::pairs; i++)
            ptx::hide(anew.cell.v[i]);
        return apply<U>(convert<U>(), anew);
    }
    return apply<U>(convert<U>(), x);
}

/* The bits of a whole number from 1 to 2047.  */
WS_CONSTANT u32 f16_of(int x)
{
    int exponent = 0;
    while (x >> (exponent + 1))
        exponent++;
    return (u32)(15 + exponent) << 10 | (((u32)x << (10 - exponent)) & 0x3ff);
}

/* The first bytes of 1024 and more, in a register: where ptxas knows them it takes them for the immediate number, and
   each instruction's choice of bytes is moved to a register first.  */
static WS_DEVICE u32 thousand()
{
    return 0x64646464 | ptx::multiprocessor() >> 31;
}

/* Bytes, their high bits alone, as numbers of f16, less 0 to 511.  That is in what is subtracted anyway; shifted bits
   stay where they are, and are a multiple.  Exact.  */
template <typename U, int LESS, int SHIFT = 0, int R, int C, layout L>
static WS_DEVICE tile<U, R, C, L> cast_less(const tile<unsigned char, R, C, L> &x)
{
    static_assert(same_type<U, f16> && C > 1 && LESS >= 0 && LESS < 512, "1024 + LESS is a number of f16");
    tile<U, R, C, L> y;
#pragma unroll
    for (int i = 0; i < spread<R, C, L>::slots * spread<R, C, L>::pairs; i++) {
        const u32 four = x.cell.v[i / 4 * 2 + i % 2] & (0xff >> SHIFT << SHIFT) * 0x01010101u;
        const u32 two = __byte_perm(four, thousand(), i % 4 / 2 ? 0x4342 : 0x4140);
        constexpr u32 less = f16_of((1024 >> SHIFT) + LESS), part = (u32)(15 - SHIFT) << 10;
        y.cell.set_bits(i, SHIFT ? ptx::fma_f16x2(two, part * 0x10001u, (less | 0x8000) * 0x10001u)
                                 : ptx::sub_f16x2(two, less * 0x10001u));
    }
    return y;
}

/* Elements by their indices; those of padding are looked up like others, and are not outside the tensor either.  */
template <typename T> T element_type_of(const tensor<T, 1> &);

template <typename X, typename I, int R, int C, layout L>
static WS_DEVICE auto load_at(const X &t, const tile<I, R, C, L> &index)
{
    typedef spread<R, C, L> S;
    tile<decltype(element_type_of(t)), R, C, L> y;
    WS_FOR_CELLS(S, slot, j)
    {
        const pair<I> at = index.get(slot, j);
        y.set(slot, j, fixed_element(t, at.low), fixed_element(t, at.high));
    }
    return y;
}

/* Scalars of one type; launchers compute with them, too.  */
template <typename X, if_scalars<X> = 0> static WS_HOST WS_DEVICE X min(X x, X y)
{
    return x < y ? x : y;
}
template <typename X, if_scalars<X> = 0> static WS_HOST WS_DEVICE X max(X x, X y)
{
    return x > y ? x : y;
}

} // namespace ws

#endif
