/* SPDX-License-Identifier: MIT */
/*
 * table.cuh - tensors of one shape from an array of pointers, on any device.  The first coordinate selects the pointer.
 */
#ifndef WS_EMULATE_TABLE_CUH
#define WS_EMULATE_TABLE_CUH

#include "aref.cuh"

namespace ws {

constexpr int most_pointers = 8;

/* Reports an index outside the array.  A GPU takes the nearest pointer instead.  */
inline long pointer_of(long i, long count)
{
    if (i < 0 || i >= count)
        ws_sched_fail(ws_sched_current(), "pointer %ld of an array of %ld is loaded from", i, count);
    return i;
}

template <typename T, int N> struct table {
    tensor<T, N - 1> shape;
    T *bases[most_pointers];
    long count;

    tensor<T, N - 1> at(long i) const
    {
        tensor<T, N - 1> t = shape;
        t.base = bases[pointer_of(i, count)];
        return t;
    }
};

template <typename M> struct maps {
    M of[most_pointers];
    long count;
    bool usable;

    const M &at(long i) const
    {
        return of[pointer_of(i, count)];
    }
};

template <typename M> inline void prefetch(const maps<M> &)
{
}

template <typename F, int D, bool TMA, typename S, typename T, typename M, int R, int C, int N, typename... I>
WS_DEVICE void copy_in_or(F fill, producer<D, TMA> &p, tile_in_memory<S, R, C> &to, const table<T, N> &t,
                          const maps<M> &m, long w, I... i)
{
    copy_in_or(fill, p, to, t.at(w), m.at(w), i...);
}
template <int D, bool TMA, typename S, typename T, typename M, int R, int C, int N, typename... I>
WS_DEVICE void copy_in(producer<D, TMA> &p, tile_in_memory<S, R, C> &to, const table<T, N> &t, const maps<M> &m, long w,
                       I... i)
{
    copy_in(p, to, t.at(w), m.at(w), i...);
}
template <typename B, along A, typename F, int D, bool TMA, typename S, typename T, typename M, int R, int C, int N,
          typename... I>
WS_DEVICE void copy_share_or(F fill, producer<D, TMA> &p, tile_in_memory<S, R, C> &to, const table<T, N> &t,
                             const maps<M> &m, long w, I... i)
{
    copy_share_or<B, A>(fill, p, to, t.at(w), m.at(w), i...);
}
template <typename B, along A, int D, bool TMA, typename S, typename T, typename M, int R, int C, int N, typename... I>
WS_DEVICE void copy_share(producer<D, TMA> &p, tile_in_memory<S, R, C> &to, const table<T, N> &t, const maps<M> &m,
                          long w, I... i)
{
    copy_share<B, A>(p, to, t.at(w), m.at(w), i...);
}

template <int R, int C, layout L, typename F, typename T, int N, typename... I>
WS_DEVICE tile<T, R, C, L> load_or(F fill, const table<T, N> &t, long w, I... i)
{
    return load_or<R, C, L>(fill, t.at(w), i...);
}
template <int R, int C, layout L, typename T, int N, typename... I>
WS_DEVICE tile<T, R, C, L> load(const table<T, N> &t, long w, I... i)
{
    return load<R, C, L>(t.at(w), i...);
}
template <int C, layout L, typename F, typename T, int N, typename... I>
WS_DEVICE tile<T, 1, C, L> load_row_or(F fill, const table<T, N> &t, long w, I... i)
{
    return load_row_or<C, L>(fill, t.at(w), i...);
}
template <int C, layout L, typename T, int N, typename... I>
WS_DEVICE tile<T, 1, C, L> load_row(const table<T, N> &t, long w, I... i)
{
    return load_row<C, L>(t.at(w), i...);
}
template <int R, layout L, typename F, typename T, int N, typename... I>
WS_DEVICE tile<T, R, 1, L> load_col_or(F fill, const table<T, N> &t, long w, I... i)
{
    return load_col_or<R, L>(fill, t.at(w), i...);
}
template <int R, layout L, typename T, int N, typename... I>
WS_DEVICE tile<T, R, 1, L> load_col(const table<T, N> &t, long w, I... i)
{
    return load_col<R, L>(t.at(w), i...);
}

} // namespace ws

#endif
