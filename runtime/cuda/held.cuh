/* SPDX-License-Identifier: MIT */
/*
 * held.cuh - loads of a loop from one tensor, with all loop-invariant values in registers.
 *
 *   const auto held = hold_column<64, frag>(t, row);     before the loop
 *   held.at(n)                                           load_col<64, frag>(t, n, row)
 *
 * ptxas recomputes an address from the launch's parameters at each use, by a long chain of dependent instructions.  The
 * cost is measured in bench/notes/prepared-operands.md.
 */
#ifndef WS_HELD_CUH
#define WS_HELD_CUH

namespace ws {

/* The same number, which ptxas cannot recompute: each thread shuffles from itself.  All threads of a warp must call
   it.  */
static WS_DEVICE u32 held(u32 x)
{
    return __shfl_sync(0xffffffffu, x, (int)ptx::lane());
}
static WS_DEVICE u64 held(u64 x)
{
    return (u64)held((u32)(x >> 32)) << 32 | held((u32)x);
}

/* Column n of a matrix, R rows from `row` on, for any n.  The kernel does not write the matrix.  */
template <typename X, typename T, int R, layout L> struct held_column {
    typedef spread<R, 1, L> S;
    const X &t;
    const T *first; /* of column 0 */
    long stride;
    u32 rows, cols; /* mask of the thread's rows that lie inside; number of columns */
    static_assert(S::slots <= 32, "a bit for each row");

    template <typename I> WS_DEVICE held_column(const X &x, I row) : t(x), rows(0)
    {
        const plane<T> p = col_at(tensor<T, 1>{x.base, {1}, {x.origin[1]}, {x.low[1]}, {x.high[1]}}, row);
        WS_FOR_SLOTS(S, slot) rows |= p.row_inside(S::row(slot)) ? 1u << slot : 0;
        rows = held(rows);
        cols = held((u32)(x.high[0] - (sliced<X> ? x.low[0] : 0)));
        stride = (long)held((u64)x.stride[0]);
        first = reinterpret_cast<const T *>(held((u64)p.at(0, 0)));
    }
    template <typename I> WS_DEVICE tile<T, R, 1, L> at(I n) const
    {
        tile<T, R, 1, L> y;
        const int x = sliced<X> ? absolute(clamp(n), t.origin[0]) : clamp(n);
        const u32 inside = (u32)(x - (sliced<X> ? t.low[0] : 0)) < cols ? rows : 0;
        const T *from = first + x * stride;
        WS_FOR_SLOTS(S, slot)
        {
            math_of<T> number = widen(inside >> slot & 1 ? ptx::load_fixed(from + S::row(slot)) : T{});
            y.set(slot, 0, number, number);
        }
        return y;
    }
};

template <int R, layout L, typename X, typename I> static WS_DEVICE auto hold_column(const X &t, I row)
{
    return held_column<X, typename std::remove_pointer<decltype(t.base)>::type, R, L>(t, row);
}

/* Element i of a vector, in the compute type, for any i.  */
template <typename X, typename T> struct held_elements {
    const X &t;
    const T *base;
    u32 count;

    WS_DEVICE held_elements(const X &x)
        : t(x), base(reinterpret_cast<const T *>(held((u64)x.base))),
          count(held((u32)(x.high[0] - (sliced<X> ? x.low[0] : 0))))
    {
    }
    template <typename I> WS_DEVICE auto at(I i) const
    {
        const int x = sliced<X> ? absolute(clamp(i), t.origin[0]) : clamp(i);
        return widen((u32)(x - (sliced<X> ? t.low[0] : 0)) < count ? ptx::load_fixed(base + x) : T{});
    }
};

template <typename X> static WS_DEVICE auto hold_elements(const X &t)
{
    return held_elements<X, typename std::remove_pointer<decltype(t.base)>::type>(t);
}

} // namespace ws

#endif
