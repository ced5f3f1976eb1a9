/* SPDX-License-Identifier: MIT */
/*
 * table.cuh - tensors of one shape from an array of pointers, on any device.  The first coordinate selects the pointer.
 *
 *   table<f16, 3> x          x.at(w): a tensor<f16, 2>
 *   maps<edge_map> x_map     the tensor map of each
 */
#ifndef WS_CUDA_TABLE_CUH
#define WS_CUDA_TABLE_CUH

#include "cluster.cuh"
#include "memory.cuh"
#include "output.cuh"

namespace ws {

constexpr int most_pointers = 8;

/* An index outside the array selects the nearest pointer, since no other can be dereferenced.  */
template <typename I> static WS_DEVICE int nearest_of(I i, int count)
{
    const int x = clamp(i);
    return x < 0 ? 0 : x < count ? x : count - 1;
}

template <typename T, int N> struct table {
    tensor<T, N - 1> shape;
    T *bases[most_pointers];
    int count;

    template <typename I> WS_DEVICE tensor<T, N - 1> at(I i) const
    {
        tensor<T, N - 1> t = shape;
        t.base = bases[nearest_of(i, count)];
        return t;
    }
};

template <typename M> struct maps {
    M of[most_pointers];
    int count;
    bool can_load;

    template <typename I> WS_DEVICE const M &at(I i) const
    {
        return of[nearest_of(i, count)];
    }
};

template <typename M> static WS_DEVICE void prefetch(const maps<M> &m)
{
    for (int i = 0; i < m.count; i++)
        prefetch(m.of[i]);
}

/* ---- copies into slots ------------------------------------------------------------------------------------------- */

template <int D, bool TMA, typename S, int R, int C, typename T, typename M, typename W, typename X, typename Y>
static WS_DEVICE void copy_in(producer<D, TMA> &ring, shared_tile<S, R, C> &s, const table<T, 3> &t, const maps<M> &m,
                              W w, X row, Y col)
{
    copy_in(ring, s, t.at(w), m.at(w), row, col);
}
template <int D, bool TMA, typename S, int R, int C, typename T, typename M, typename V, typename W, typename X,
          typename Y>
static WS_DEVICE void copy_in(producer<D, TMA> &ring, shared_tile<S, R, C> &s, const table<T, 4> &t, const maps<M> &m,
                              V v, W w, X row, Y col)
{
    copy_in(ring, s, t.at(v), m.at(v), w, row, col);
}
template <int D, bool TMA, typename S, int R, int C, typename T, typename M, typename W, typename X, typename Y>
static WS_DEVICE void copy_in_or(double fill, producer<D, TMA> &ring, shared_tile<S, R, C> &s, const table<T, 3> &t,
                                 const maps<M> &m, W w, X row, Y col)
{
    copy_in_or(fill, ring, s, t.at(w), m.at(w), row, col);
}
template <int D, bool TMA, typename S, int R, int C, typename T, typename M, typename V, typename W, typename X,
          typename Y>
static WS_DEVICE void copy_in_or(double fill, producer<D, TMA> &ring, shared_tile<S, R, C> &s, const table<T, 4> &t,
                                 const maps<M> &m, V v, W w, X row, Y col)
{
    copy_in_or(fill, ring, s, t.at(v), m.at(v), w, row, col);
}
template <typename B, along A, int D, bool TMA, typename S, int R, int C, typename T, typename M, typename W,
          typename X, typename Y>
static WS_DEVICE void copy_share(producer<D, TMA> &ring, shared_tile<S, R, C> &s, const table<T, 3> &t,
                                 const maps<M> &m, W w, X row, Y col)
{
    copy_share<B, A>(ring, s, t.at(w), m.at(w), row, col);
}
template <typename B, along A, int D, bool TMA, typename S, int R, int C, typename T, typename M, typename V,
          typename W, typename X, typename Y>
static WS_DEVICE void copy_share(producer<D, TMA> &ring, shared_tile<S, R, C> &s, const table<T, 4> &t,
                                 const maps<M> &m, V v, W w, X row, Y col)
{
    copy_share<B, A>(ring, s, t.at(v), m.at(v), w, row, col);
}
template <typename B, along A, int D, bool TMA, typename S, int R, int C, typename T, typename M, typename W,
          typename X, typename Y>
static WS_DEVICE void copy_share_or(double fill, producer<D, TMA> &ring, shared_tile<S, R, C> &s, const table<T, 3> &t,
                                    const maps<M> &m, W w, X row, Y col)
{
    copy_share_or<B, A>(fill, ring, s, t.at(w), m.at(w), row, col);
}
template <typename B, along A, int D, bool TMA, typename S, int R, int C, typename T, typename M, typename V,
          typename W, typename X, typename Y>
static WS_DEVICE void copy_share_or(double fill, producer<D, TMA> &ring, shared_tile<S, R, C> &s, const table<T, 4> &t,
                                    const maps<M> &m, V v, W w, X row, Y col)
{
    copy_share_or<B, A>(fill, ring, s, t.at(v), m.at(v), w, row, col);
}

/* ---- loads to registers ------------------------------------------------------------------------------------------ */

template <int R, int C, layout L, typename T, int N, typename X, typename... I>
static WS_DEVICE tile<T, R, C, L> load_or(double fill, const table<T, N> &t, X x, I... at)
{
    return load_or<R, C, L>(fill, t.at(x), at...);
}
template <int R, int C, layout L, typename T, int N, typename X, typename... I>
static WS_DEVICE tile<T, R, C, L> load(const table<T, N> &t, X x, I... at)
{
    return load<R, C, L>(t.at(x), at...);
}
template <int R, int C, layout L, typename E, int SR, int B, typename T, int N, typename X, typename... I>
static WS_DEVICE tile<T, R, C, L> load_or(double fill, warp_output<E, SR, B> &o, const table<T, N> &t, X x, I... at)
{
    return load_or<R, C, L>(fill, o, t.at(x), at...);
}
template <int R, int C, layout L, typename E, int SR, int B, typename T, int N, typename X, typename... I>
static WS_DEVICE tile<T, R, C, L> load(warp_output<E, SR, B> &o, const table<T, N> &t, X x, I... at)
{
    return load<R, C, L>(o, t.at(x), at...);
}
template <int C, layout L, typename T, int N, typename X, typename... I>
static WS_DEVICE tile<T, 1, C, L> load_row_or(double fill, const table<T, N> &t, X x, I... at)
{
    return load_row_or<C, L>(fill, t.at(x), at...);
}
template <int C, layout L, typename T, int N, typename X, typename... I>
static WS_DEVICE tile<T, 1, C, L> load_row(const table<T, N> &t, X x, I... at)
{
    return load_row<C, L>(t.at(x), at...);
}
template <int R, layout L, typename T, int N, typename X, typename... I>
static WS_DEVICE tile<T, R, 1, L> load_col_or(double fill, const table<T, N> &t, X x, I... at)
{
    return load_col_or<R, L>(fill, t.at(x), at...);
}
template <int R, layout L, typename T, int N, typename X, typename... I>
static WS_DEVICE tile<T, R, 1, L> load_col(const table<T, N> &t, X x, I... at)
{
    return load_col<R, L>(t.at(x), at...);
}

} // namespace ws

#endif
