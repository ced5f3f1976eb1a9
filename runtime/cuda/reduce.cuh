/* SPDX-License-Identifier: MIT */
/*
 * reduce.cuh - combinations of a tile's elements: reductions and running sums.
 *
 * Along a row a thread combines its own pairs, and then the lanes of the row exchange their results.  In a wide layout
 * the warps exchange them through scratch memory (4 * R numbers of the compute type).  Along a column all warps do so
 * (4 * C).  Running sums pass through scratch completely (R * C).  Every use of scratch begins with a barrier of the
 * group, so that all uses share one scratch.
 */
#ifndef WS_CUDA_REDUCE_CUH
#define WS_CUDA_REDUCE_CUH

#include "memory.cuh"

namespace ws {

/* The neutral element: -0 for a sum, NaN for max and min.  Any number wins over NaN.  */
template <typename F, typename M> struct neutral;
template <> struct neutral<one::add, float> {
    static WS_DEVICE float value()
    {
        return -0.0f;
    }
};
template <> struct neutral<one::add, double> {
    static WS_DEVICE double value()
    {
        return -0.0;
    }
};
template <> struct neutral<one::add, int> {
    static WS_DEVICE int value()
    {
        return 0;
    }
};
template <typename F> struct neutral<F, float> {
    static WS_DEVICE float value()
    {
        return __uint_as_float(0x7fffffffu);
    }
};
template <typename F> struct neutral<F, double> {
    static WS_DEVICE double value()
    {
        return __longlong_as_double(0x7fffffffffffffffLL);
    }
};
template <> struct neutral<one::add, long> {
    static WS_DEVICE long value()
    {
        return 0;
    }
};
template <> struct neutral<one::maximum, long> {
    static WS_DEVICE long value()
    {
        return -0x7fffffffffffffffL - 1;
    }
};
template <> struct neutral<one::minimum, long> {
    static WS_DEVICE long value()
    {
        return 0x7fffffffffffffffL;
    }
};
template <> struct neutral<one::maximum, int> {
    static WS_DEVICE int value()
    {
        return -2147483647 - 1;
    }
};
template <> struct neutral<one::minimum, int> {
    static WS_DEVICE int value()
    {
        return 2147483647;
    }
};

/* Lanes whose numbers differ in these bits hold the same row, or the same column.  */
template <layout L> struct sharing { /* in a wide layout all warps share a row */
    static constexpr int together = is_wide<L> ? 1 : L % 128;
    static constexpr int row_first = 1, row_last = 16 / together, col_first = 32 / together, col_last = 16;
};
template <> struct sharing<frag> {
    static constexpr int row_first = 1, row_last = 2, col_first = 4, col_last = 16;
};

template <int FIRST, int LAST, typename F, typename M> static WS_DEVICE M across(F f, M x)
{
#pragma unroll
    for (int bit = FIRST; bit <= LAST; bit *= 2)
        x = f(x, __shfl_xor_sync(0xffffffffu, x, bit));
    return x;
}

/* ---- along rows -------------------------------------------------------------------------------------------------- */

/* Combines the shares of all warps of a wide layout by f, in the same order in all threads.  All lanes of a warp know
   its share.  */
template <layout L, typename F, typename M, int R, int BYTES>
static WS_DEVICE void meet(F f, M (&x)[R], scratch<BYTES> &s)
{
    constexpr int warps = group_warps<L>;
    static_assert(BYTES >= warps * R * (int)sizeof(M), "scratch of a wide row's reduction: a number of each warp");
    M *partial = reinterpret_cast<M *>(s.bytes);
    meet_group<L>();
    if (ptx::lane() == 0)
#pragma unroll
        for (int r = 0; r < R; r++)
            partial[r * warps + warp_of_group<L>()] = x[r];
    meet_group<L>();
#pragma unroll
    for (int r = 0; r < R; r++)
        if (warps == 4)
            x[r] = f(f(partial[r * 4], partial[r * 4 + 1]), f(partial[r * 4 + 2], partial[r * 4 + 3]));
        else
            x[r] = across<1, warps / 2>(f, partial[r * warps + (int)ptx::lane() % warps]);
}

/* The combination of this thread's elements of a row, in the compute type: only the result of a whole row is rounded to
   T.  */
template <typename F, typename T, int R, int C, layout L>
static WS_DEVICE math_of<T> share_of_row(F f, const tile<T, R, C, L> &x, int slot)
{
    typedef spread<R, C, L> S;
    typedef math_of<T> M;
    M low = neutral<F, M>::value(), high = low;
    WS_FOR_PAIRS(S, j)
    {
        pair<M> p = x.get(slot, j);
        low = f(low, has_col<S, C>(j, 0) ? p.low : neutral<F, M>::value());
        high = f(high, has_col<S, C>(j, 1) ? p.high : neutral<F, M>::value());
    }
    return f(low, high);
}
template <typename F, typename T, int R, int C, layout L>
static WS_DEVICE tile<T, R, 1, L> row_reduce(F f, const tile<T, R, C, L> &x)
{
    if constexpr (C == 1) {
        return x;
    } else {
        typedef spread<R, C, L> S;
        tile<T, R, 1, L> y;
        WS_FOR_SLOTS(S, slot)
        {
            auto all = across<sharing<L>::row_first, sharing<L>::row_last>(f, share_of_row(f, x, slot));
            y.set(slot, 0, all, all);
        }
        return y;
    }
}
template <typename F, typename T, int R, int C, layout L, int BYTES>
static WS_DEVICE tile<T, R, 1, L> row_reduce(F f, const tile<T, R, C, L> &x, scratch<BYTES> &s)
{
    if constexpr (C == 1) {
        return x;
    } else {
        math_of<T> all[R];
        tile<T, R, 1, L> y;
#pragma unroll
        for (int r = 0; r < R; r++)
            all[r] = across<1, 16>(f, share_of_row(f, x, r));
        meet<L>(f, all, s);
#pragma unroll
        for (int r = 0; r < R; r++)
            y.set(r, 0, all[r], all[r]);
        return y;
    }
}
template <typename X, if_tile<X> = 0> static WS_DEVICE auto row_sum(const X &x)
{
    return row_reduce(one::add(), x);
}
template <typename X, int B> static WS_DEVICE auto row_sum(const X &x, scratch<B> &s)
{
    return row_reduce(one::add(), x, s);
}
template <typename X, int B> static WS_DEVICE auto row_max(const X &x, scratch<B> &s)
{
    return row_reduce(one::maximum(), x, s);
}
template <typename X, int B> static WS_DEVICE auto row_min(const X &x, scratch<B> &s)
{
    return row_reduce(one::minimum(), x, s);
}
/* Shares of a sum that a loop accumulates in the compute type, and the sum after the loop.  */
template <typename T, int R, int C, layout L> static WS_DEVICE tile<T, R, 1, L> row_part(const tile<T, R, C, L> &x)
{
    static_assert(C > 1 && sizeof(T) == sizeof(math_of<T>),
                  "a share that would be rounded, or every thread has the whole");
    typedef spread<R, C, L> S;
    tile<T, R, 1, L> y;
    WS_FOR_SLOTS(S, slot)
    {
        auto share = share_of_row(one::add(), x, slot);
        y.set(slot, 0, share, share);
    }
    return y;
}
/* Distance of a thread's element k of a row from its first: bits of k are bits of the distance.  */
template <typename S> WS_CONSTANT int element_behind(int k)
{
    return S::behind(k / 2) + k % 2;
}
/* The element of a row at distance `behind` from the thread's first; 0 if another thread has it.  Costs one comparison
   for each bit of k, and one selection for each element.  */
template <typename T, int R, int C, layout L>
static WS_DEVICE math_of<T> element_at(const tile<T, R, C, L> &x, int slot, u32 behind)
{
    typedef spread<R, C, L> S;
    constexpr int count = 2 * S::pairs;
    math_of<T> element[count];
    WS_FOR_PAIRS(S, j)
    {
        const pair<math_of<T>> p = x.get(slot, j);
        element[2 * j] = p.low;
        element[2 * j + 1] = p.high;
    }
    u32 bits = 0;
#pragma unroll
    for (int bit = 1; bit < count; bit *= 2) {
        const u32 mask = (u32)element_behind<S>(bit);
        const bool second = (behind & mask) != 0;
        bits |= mask;
#pragma unroll
        for (int k = 0; k + bit < count; k += 2 * bit)
            element[k] = second ? element[k + bit] : element[k];
    }
    return behind & ~bits ? 0 : element[0];
}
/* Each thread's share of a row's element in one column, of the columns from `first` on.  */
template <typename T, int R, int C, layout L>
static WS_DEVICE tile<T, R, 1, L> row_part_at(const tile<T, R, C, L> &x, const tile<int, R, 1, L> &column, long first)
{
    typedef spread<R, C, L> S;
    tile<T, R, 1, L> y;
    WS_FOR_SLOTS(S, slot)
    {
        const u32 at = (u32)column.get(slot, 0).low - (u32)first;
        math_of<T> element = 0;
        if (warp_uniform(at < (u32)C))
            element = at < (u32)C ? element_at(x, slot, at - (u32)S::col(0)) : 0;
        y.set(slot, 0, element, element);
    }
    return y;
}

template <typename T, int R, layout L> static WS_DEVICE tile<T, R, 1, L> row_total(const tile<T, R, 1, L> &x)
{
    typedef spread<R, 1, L> S;
    tile<T, R, 1, L> y;
    WS_FOR_SLOTS(S, slot)
    {
        auto all = across<sharing<L>::row_first, sharing<L>::row_last>(one::add(), x.get(slot, 0).low);
        y.set(slot, 0, all, all);
    }
    return y;
}

template <typename T, int R, layout L, int BYTES>
static WS_DEVICE tile<T, R, 1, L> row_total(const tile<T, R, 1, L> &x, scratch<BYTES> &s)
{
    math_of<T> all[R];
    tile<T, R, 1, L> y;
#pragma unroll
    for (int r = 0; r < R; r++)
        all[r] = across<1, 16>(one::add(), x.get(r, 0).low);
    meet<L>(one::add(), all, s);
#pragma unroll
    for (int r = 0; r < R; r++)
        y.set(r, 0, all[r], all[r]);
    return y;
}

/* Floats from +0 up are ordered as their bits are as integers, and one instruction compares three integers.  So the
   bits of a row's maximum are its largest bits, unless no number is positive or one is NaN.  Negative floats have the
   opposite order: if all are negative, the maximum has the smallest bits.  */
struct largest_bits {
    static constexpr int neutral = -2147483647 - 1;
    WS_DEVICE int operator()(int x, int y, int z) const
    {
        return ptx::largest(x, y, z);
    }
    WS_DEVICE int operator()(int x, int y) const
    {
        return ptx::largest(x, y, y);
    }
};
struct smallest_bits {
    static constexpr int neutral = -1;
    WS_DEVICE int operator()(int x, int y, int z) const
    {
        return (int)ptx::smallest((u32)x, (u32)y, (u32)z);
    }
    WS_DEVICE int operator()(int x, int y) const
    {
        return (int)ptx::smallest((u32)x, (u32)y, (u32)y);
    }
};

/* The bits that F selects in a row.  */
template <typename F, int R, int C, layout L>
static WS_DEVICE int bits_of_row(F f, const tile<float, R, C, L> &x, int slot)
{
    typedef spread<R, C, L> S;
    int share[2] = {F::neutral, F::neutral};
    WS_FOR_PAIRS(S, j)
    {
        pair<float> p = x.get(slot, j);
        share[j % 2] = f(share[j % 2], has_col<S, C>(j, 0) ? __float_as_int(p.low) : F::neutral,
                         has_col<S, C>(j, 1) ? __float_as_int(p.high) : F::neutral);
    }
    return across<sharing<L>::row_first, sharing<L>::row_last>(f, f(share[0], share[1]));
}
template <typename T, int R, int C, layout L> static WS_DEVICE tile<T, R, 1, L> row_max(const tile<T, R, C, L> &x)
{
    return row_reduce(one::maximum(), x);
}
/* For rows of the warp whose largest bits do not decide.  */
template <int R, int C, layout L>
static WS_DEVICE void row_max_again(tile<float, R, 1, L> &y, const tile<float, R, C, L> &x)
{
    typedef spread<R, C, L> S;
    bool told = S::pairs > 2;
    WS_FOR_SLOTS(S, slot)
    {
        const int bits = __float_as_int(y.get(slot, 0).low), negative = bits_of_row(smallest_bits(), x, slot);
        const int all = bits < 0 ? negative : bits;
        told = told && ((u32)all & 0x7fffffffu) <= 0x7f800000u;
        y.set(slot, 0, __int_as_float(all), __int_as_float(all));
    }
    if (!__all_sync(0xffffffffu, told))
        y = row_reduce(one::maximum(), x);
}
template <int R, int C, layout L> static WS_DEVICE tile<float, R, 1, L> row_max(const tile<float, R, C, L> &x)
{
    typedef spread<R, C, L> S;
    tile<float, R, 1, L> y;
    bool told = S::pairs > 2;
    WS_FOR_SLOTS(S, slot)
    {
        const int all = bits_of_row(largest_bits(), x, slot);
        told = told && (u32)all <= 0x7f800000u;
        y.set(slot, 0, __int_as_float(all), __int_as_float(all));
    }
    if (!__all_sync(0xffffffffu, told))
        row_max_again(y, x);
    return y;
}
template <typename X, if_tile<X> = 0> static WS_DEVICE auto row_min(const X &x)
{
    return row_reduce(one::minimum(), x);
}

/* x y, where y is mostly 1: a running maximum shrinks x only if a larger number comes.  A thread whose factor is 1
   skips the instructions by a predicate.  A branch would keep ptxas from interleaving them with others.  */
template <typename X, typename Y> static WS_DEVICE X rescale(const X &x, const Y &y)
{
    typedef typename X::where S;
    X z = x;
    WS_FOR_SLOTS(S, slot)
    {
        const float factor = y.get(slot, 0).low;
        WS_FOR_PAIRS(S, j)
        {
            pair<float> p = z.get(slot, j);
            ptx::multiply_unless_one(p.low, p.high, factor);
            z.set(slot, j, p.low, p.high);
        }
    }
    return z;
}

/* A candidate for the maximum.  NaN is smaller than any number.  The first of equals wins.  */
template <typename M> struct hit {
    M value;
    int index;
    WS_DEVICE void update(M v, int i)
    {
        bool larger = v > value || (value != value && v == v);
        if (larger || (v == value && i < index)) {
            value = v;
            index = i;
        }
    }
};

/* This thread's first column that holds the value.  */
constexpr int no_column = 0x7fffffff;
template <typename M, typename T, int R, int C, layout L>
static WS_DEVICE int column_of(M value, const tile<T, R, C, L> &x, int slot)
{
    typedef spread<R, C, L> S;
    int index = no_column;
#pragma unroll
    for (int j = S::pairs - 1; j >= 0; j--) {
        const pair<M> p = x.get(slot, j);
        if (has_col<S, C>(j, 1) && p.high == value)
            index = S::behind(j) + 1;
        if (has_col<S, C>(j, 0) && p.low == value)
            index = S::behind(j);
    }
    return index == no_column ? no_column : index + S::col(0);
}

/* NaN is smaller than any number.  A row of NaN has no column of a number, and the first column is the result.  */
static WS_DEVICE int column_or_first(int index)
{
    return index == no_column ? 0 : index;
}

template <typename T, int R, int C, layout L>
static WS_DEVICE tile<int, R, 1, L> row_first(const tile<T, R, C, L> &x, const tile<T, R, 1, L> &number)
{
    typedef spread<R, C, L> S;
    tile<int, R, 1, L> y;
    WS_FOR_SLOTS(S, slot)
    {
        int index = C == 1 ? 0 : column_of(number.get(slot, 0).low, x, slot);
        if (C > 1)
            index = across<sharing<L>::row_first, sharing<L>::row_last>(one::minimum(), index);
        index = column_or_first(index);
        y.set(slot, 0, index, index);
    }
    return y;
}
template <typename T, int R, int C, layout L, int BYTES>
static WS_DEVICE tile<int, R, 1, L> row_first(const tile<T, R, C, L> &x, const tile<T, R, 1, L> &number,
                                              scratch<BYTES> &s)
{
    int index[R];
    tile<int, R, 1, L> y;
#pragma unroll
    for (int r = 0; r < R; r++)
        index[r] = across<1, 16>(one::minimum(), column_of(number.get(r, 0).low, x, r));
    meet<L>(one::minimum(), index, s);
#pragma unroll
    for (int r = 0; r < R; r++)
        y.set(r, 0, column_or_first(index[r]), column_or_first(index[r]));
    return y;
}

template <typename T, int R, int C, layout L> static WS_DEVICE tile<int, R, 1, L> row_argmax(const tile<T, R, C, L> &x)
{
    return row_first(x, row_max(x));
}
template <typename T, int R, int C, layout L, int BYTES>
static WS_DEVICE tile<int, R, 1, L> row_argmax(const tile<T, R, C, L> &x, scratch<BYTES> &s)
{
    typedef hit<math_of<T>> H;
    constexpr int warps = group_warps<L>;
    static_assert(BYTES >= warps * R * (int)sizeof(H), "scratch of a wide row's argmax: a candidate of each warp");
    H *partial = reinterpret_cast<H *>(s.bytes);
    tile<int, R, 1, L> y;
    meet_group<L>();
#pragma unroll
    for (int r = 0; r < R; r++) {
        const auto value = across<1, 16>(one::maximum(), share_of_row(one::maximum(), x, r));
        const int index = across<1, 16>(one::minimum(), column_of(value, x, r));
        if (ptx::lane() == 0)
            partial[r * warps + warp_of_group<L>()] = {value, index};
    }
    meet_group<L>();
#pragma unroll
    for (int r = 0; r < R; r++) {
        H best = partial[r * warps];
#pragma unroll
        for (int warp = 1; warp < warps; warp++)
            best.update(partial[r * warps + warp].value, partial[r * warps + warp].index);
        const int index = column_or_first(best.index);
        y.set(r, 0, index, index);
    }
    return y;
}

/* The counts of 0 to COUNTS - 1 among the elements.  If several threads hold an element, one of them counts it.  */
template <int COUNTS, int R, int C, layout L, int BYTES>
static WS_DEVICE tile<int, 1, COUNTS, L> histogram(const tile<int, R, C, L> &x, scratch<BYTES> &s)
{
    typedef spread<R, C, L> S;
    typedef spread<1, COUNTS, L> TO;
    static_assert(BYTES >= COUNTS * (int)sizeof(int), "scratch of a histogram: a count for each number");
    int *counts = reinterpret_cast<int *>(s.bytes);
    tile<int, 1, COUNTS, L> y;
    group_barrier();
    for (int i = (int)threadIdx.x % 128; i < COUNTS; i += 128)
        counts[i] = 0;
    group_barrier();
    if ((R > 1 && C > 1) || S::speaks())
        WS_FOR_CELLS(S, slot, j)
        {
            const pair<int> p = x.get(slot, j);
            if (has_row<S, R>(slot) && has_col<S, C>(j, 0) && (u32)p.low < (u32)COUNTS)
                atomicAdd(counts + p.low, 1);
            if (C > 1 && has_row<S, R>(slot) && has_col<S, C>(j, 1) && (u32)p.high < (u32)COUNTS)
                atomicAdd(counts + p.high, 1);
        }
    group_barrier();
    WS_FOR_PAIRS(TO, j)
    {
        const int c = TO::col(j);
        y.set(0, j, c < COUNTS ? counts[c] : 0, c + 1 < COUNTS ? counts[c + 1] : 0);
    }
    return y;
}

/* ---- along columns ----------------------------------------------------------------------------------------------- */

template <typename F, typename T, int R, int C, layout L, int BYTES>
static WS_DEVICE tile<T, 1, C, L> col_reduce(F f, const tile<T, R, C, L> &x, scratch<BYTES> &s)
{
    if constexpr (R == 1) {
        return x;
    } else {
        typedef spread<R, C, L> S;
        typedef math_of<T> M;
        static_assert(BYTES >= 4 * C * (int)sizeof(M), "scratch of a column reduction: 4 * C numbers");
        M *partial = reinterpret_cast<M *>(s.bytes);
        M *mine = partial + threadIdx.x / 32 % 4 * C;
        tile<T, 1, C, L> y;
        group_barrier();
        WS_FOR_PAIRS(S, j)
        {
            M low = neutral<F, M>::value(), high = low;
            WS_FOR_SLOTS(S, slot)
            {
                pair<M> p = x.get(slot, j);
                bool row = has_row<S, R>(slot);
                low = f(low, row ? p.low : neutral<F, M>::value());
                high = f(high, row ? p.high : neutral<F, M>::value());
            }
            low = across<sharing<L>::col_first, sharing<L>::col_last>(f, low);
            high = across<sharing<L>::col_first, sharing<L>::col_last>(f, high);
            bool speaks = ptx::lane() < (C == 1 ? 1 : sharing<L>::col_first);
            if (speaks && has_col<S, C>(j, 0))
                mine[S::col(j)] = low;
            if (C > 1 && speaks && has_col<S, C>(j, 1))
                mine[S::col(j) + 1] = high;
        }
        group_barrier();
        WS_FOR_PAIRS(S, j)
        {
            int c = S::col(j), d = C > 1 && has_col<S, C>(j, 1) ? c + 1 : c;
            if (!has_col<S, C>(j, 0))
                c = d = 0;
            M low = f(f(partial[c], partial[C + c]), f(partial[2 * C + c], partial[3 * C + c]));
            M high = f(f(partial[d], partial[C + d]), f(partial[2 * C + d], partial[3 * C + d]));
            y.set(0, j, low, high);
        }
        return y;
    }
}
template <typename X, int B> static WS_DEVICE auto col_sum(const X &x, scratch<B> &s)
{
    return col_reduce(one::add(), x, s);
}
template <typename X, int B> static WS_DEVICE auto col_max(const X &x, scratch<B> &s)
{
    return col_reduce(one::maximum(), x, s);
}
template <typename X, int B> static WS_DEVICE auto col_min(const X &x, scratch<B> &s)
{
    return col_reduce(one::minimum(), x, s);
}

/* ---- through scratch memory -------------------------------------------------------------------------------------- */

/* An R x C matrix whose rows are rotated by their number, so that walks along columns and along rows use all banks.  */
template <typename M, int R, int C> struct skewed {
    M *base;
    WS_DEVICE M &at(int r, int c) const
    {
        return base[r * C + (c + r) % C];
    }
};

template <typename M, typename T, int R, int C, layout L>
static WS_DEVICE void spill(const skewed<M, R, C> &to, const tile<T, R, C, L> &x)
{
    typedef spread<R, C, L> S;
    WS_FOR_CELLS(S, slot, j)
    {
        int r = S::row(slot), c = S::col(j);
        pair<math_of<T>> p = x.get(slot, j);
        if (has_row<S, R>(slot) && has_col<S, C>(j, 0))
            to.at(r, c) = p.low;
        if (C > 1 && has_row<S, R>(slot) && has_col<S, C>(j, 1))
            to.at(r, c + 1) = p.high;
    }
}

/* Running sums along rows (BY_ROW) or columns, one line in a thread.  */
template <bool BY_ROW, typename T, int R, int C, layout L, int BYTES>
static WS_DEVICE tile<T, R, C, L> cumulate(const tile<T, R, C, L> &x, scratch<BYTES> &s)
{
    typedef spread<R, C, L> S;
    typedef math_of<T> M;
    static_assert(BYTES >= R * C * (int)sizeof(M), "scratch of a running sum: R * C numbers");
    const skewed<M, R, C> all{reinterpret_cast<M *>(s.bytes)};
    constexpr int count = BY_ROW ? R : C, length = BY_ROW ? C : R;
    tile<T, R, C, L> y;
    group_barrier();
    spill(all, x);
    group_barrier();
    for (int line = (int)threadIdx.x % 128; line < count; line += 128) {
        M sum = BY_ROW ? all.at(line, 0) : all.at(0, line);
#pragma unroll 4
        for (int i = 1; i < length; i++) {
            M &next = BY_ROW ? all.at(line, i) : all.at(i, line);
            sum = one::add()(sum, next);
            next = sum;
        }
    }
    group_barrier();
    WS_FOR_CELLS(S, slot, j)
    {
        int r = has_row<S, R>(slot) ? S::row(slot) : 0, c = has_col<S, C>(j, 0) ? S::col(j) : 0;
        y.set(slot, j, all.at(r, c), all.at(r, C > 1 && has_col<S, C>(j, 1) ? c + 1 : c));
    }
    return y;
}
template <typename X, int B> static WS_DEVICE X row_cumsum(const X &x, scratch<B> &s)
{
    return cumulate<true>(x, s);
}
template <typename X, int B> static WS_DEVICE X col_cumsum(const X &x, scratch<B> &s)
{
    return cumulate<false>(x, s);
}

} // namespace ws

#endif
