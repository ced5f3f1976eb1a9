/* SPDX-License-Identifier: MIT */
/*
 * box.cuh - a box of a tensor as a matrix: the elements of the box in order are rows, whose columns are the tensor's.
 *
 *      copy_in(ta, s.ta[slot], box<2, 8, 8>(x, b, h, w), x_map, 0, c)     one TMA box of rank 4: 128 rows
 *      store(y_out, box<2, 8, 8>(y, b, h, w), y_map, first_row, f, part)  16 rows are a TMA box, or threads store
 */
#ifndef WS_CUDA_BOX_CUH
#define WS_CUDA_BOX_CUH

#include "copy.cuh"
#include "output.cuh"

namespace ws {

/* `at`: the box's corner, in coordinates of the whole tensor.  */
template <typename T, int N, typename E> struct boxed {
    tensor<T, N> of;
    int at[N - 1];
};

template <int... E, typename T, int N, typename... I>
static WS_DEVICE boxed<T, N, extents<E...>> box(const tensor<T, N> &t, I... i)
{
    static_assert(sizeof...(E) == N - 1 && sizeof...(I) == N - 1, "place and extent in all dimensions but the last");
    return {t, {clamp(i)...}};
}

/* The rows of a box, relative to the first row of a tile.  */
template <typename T, int N, typename E> struct plane<T, boxed<T, N, E>> {
    boxed<T, N, E> of;
    int row, col, col_low, col_high;
    T *base; /* any address of the tensor */

    /* Coordinate `dim` of a row of the box.  */
    static WS_DEVICE int place(int r, int dim)
    {
        return E::place(r, dim);
    }
    WS_DEVICE bool row_inside(int r) const
    {
        bool inside = (u32)(row + r) < (u32)E::rows;
#pragma unroll
        for (int d = 0; d < N - 1; d++)
            inside = inside && (u32)of.at[d] + (u32)place(row + r, d) < (u32)of.of.high[d];
        return inside;
    }
    WS_DEVICE bool col_inside(int c) const
    {
        return inside(col + c, col_low, col_high);
    }
    WS_DEVICE T *at(int r, int c) const
    {
        T *p = base + col + c;
#pragma unroll
        for (int d = 0; d < N - 1; d++)
            p += (long)(of.at[d] + place(row + r, d)) * of.of.stride[d];
        return p;
    }
    WS_DEVICE T *below(T *, int r, int rows, int c) const
    {
        return at(r + rows, c);
    }
    WS_DEVICE bool aligned(int bytes) const
    {
        u64 all = (u64)(base + col);
#pragma unroll
        for (int d = 0; d < N - 1; d++)
            all |= (u64)(of.of.stride[d] * (long)sizeof(T));
        return (all & (u64)(bytes - 1)) == 0;
    }
    template <int RUN, int C> WS_DEVICE bool runs_whole() const
    {
        return C % RUN == 0 && (col >= col_low || (u32)(col_low - col) % RUN == 0) &&
               (col <= col_high - C || (u32)(col_high - col) % RUN == 0);
    }
};

template <typename T, int N, typename E, typename R, typename C>
static WS_DEVICE plane<T, boxed<T, N, E>> plane_at(const boxed<T, N, E> &b, R row, C col)
{
    return {b, clamp(row), clamp(col), b.of.low[N - 1], b.of.high[N - 1], b.of.base};
}

/* ---- in ---------------------------------------------------------------------------------------------------------- */

template <typename T, int N, typename E>
static WS_DEVICE void tma_load_box(u32 to, const CUtensorMap *m, u32 barrier, const boxed<T, N, E> &b, int col)
{
    if constexpr (N == 3)
        ptx::tensor_to_shared(to, m, barrier, col, b.at[1], b.at[0]);
    else
        ptx::tensor_to_shared(to, m, barrier, col, b.at[2], b.at[1], b.at[0]);
}

template <int D, bool TMA, typename S, int R, int C, typename T, int N, typename E>
static WS_DEVICE void copy_box(const producer<D, TMA> &ring, shared_tile<S, R, C> &s, const boxed<T, N, E> &b,
                               const map &m, double fill, int row, int col)
{
    constexpr int lines = line_elements<S>, blocks = shared_tile<S, R, C>::blocks;
    if (E::rows == R && (TMA || m.can_load) && row == 0 && fill == 0 && col * (int)sizeof(T) % 16 == 0) {
        if (!ring.issues() || !ptx::elect())
            return;
        const u32 to = ptx::shared_address(s.bytes);
        ptx::mbarrier_expect_tx(ring.barrier(), (u32)(blocks * R * line_bytes<S>));
#pragma unroll
        for (int block = 0; block < blocks; block++)
            tma_load_box(to + block * block_bytes(R, line_bytes<S>), &m.load, ring.barrier(), b, col + block * lines);
    } else if (ring.issues()) {
        copy_by_warp<true>(s, plane_at(b, row, col), fill);
    }
}

template <int D, bool TMA, typename S, int R, int C, typename T, int N, typename E, typename X, typename Y>
static WS_DEVICE void copy_in(producer<D, TMA> &ring, shared_tile<S, R, C> &s, const boxed<T, N, E> &b, const map &m,
                              X row, Y col)
{
    copy_box(ring, s, b, m, 0.0, clamp(row), clamp(col));
}
template <int D, bool TMA, typename S, int R, int C, typename T, int N, typename E, typename X, typename Y>
static WS_DEVICE void copy_in_or(double fill, producer<D, TMA> &ring, shared_tile<S, R, C> &s, const boxed<T, N, E> &b,
                                 const map &m, X row, Y col)
{
    copy_box(ring, s, b, m, fill, clamp(row), clamp(col));
}

template <int R, int C, layout L, typename T, int N, typename E, typename X, typename Y>
static WS_DEVICE tile<T, R, C, L> load_or(double fill, const boxed<T, N, E> &b, X row, Y col)
{
    return load_plane<R, C, L>(plane_at(b, row, col), fill);
}
template <int R, int C, layout L, typename T, int N, typename E, typename X, typename Y>
static WS_DEVICE tile<T, R, C, L> load(const boxed<T, N, E> &b, X row, Y col)
{
    return load_plane<R, C, L>(plane_at(b, row, col), 0.0);
}
/* Loads to registers without staging.  */
template <int R, int C, layout L, typename O, int SR, int B, typename T, int N, typename E, typename X, typename Y>
static WS_DEVICE tile<T, R, C, L> load(warp_output<O, SR, B> &, const boxed<T, N, E> &b, X row, Y col)
{
    return load_plane<R, C, L>(plane_at(b, row, col), 0.0);
}
template <int R, int C, layout L, typename O, int SR, int B, typename T, int N, typename E, typename X, typename Y>
static WS_DEVICE tile<T, R, C, L> load_or(double fill, warp_output<O, SR, B> &, const boxed<T, N, E> &b, X row, Y col)
{
    return load_plane<R, C, L>(plane_at(b, row, col), fill);
}

/* ---- out --------------------------------------------------------------------------------------------------------- */

template <typename T, int N, typename E, typename X, typename Y, int R, int C, layout L>
static WS_DEVICE void store(const boxed<T, N, E> &b, X row, Y col, const tile<T, R, C, L> &x)
{
    store_plane(plane_at(b, row, col), x);
}
template <typename T, int N, typename E, typename X, typename Y, int R, int C, layout L>
static WS_DEVICE void atomic_add(const boxed<T, N, E> &b, X row, Y col, const tile<T, R, C, L> &x)
{
    add_plane(plane_at(b, row, col), x);
}

/* Stores sixteen rows from a multiple of sixteen on, which are a box if E::splits.  */
template <bool ADD, typename T, int N, typename E>
static WS_DEVICE void engine_store_rows(const CUtensorMap *m, u32 from, const boxed<T, N, E> &b, int row, int col)
{
    if constexpr (N == 3)
        engine_store_at<ADD>(m, from, col, b.at[1] + E::place(row, 1), b.at[0] + E::place(row, 0));
    else
        engine_store_at<ADD>(m, from, col, b.at[2] + E::place(row, 2), b.at[1] + E::place(row, 1),
                             b.at[0] + E::place(row, 0));
}

/* As `leave` for a tensor, in output.cuh.  */
template <bool ADD, typename O, typename T, int N, typename E, int R, int C, int BOX, bool TURNED>
static WS_DEVICE void leave_box(O &o, const boxed<T, N, E> &b, const map &m, const staged<T, R, C, BOX, TURNED> &x,
                                int row, int col)
{
    typedef ws::boxes<T, C> B;
    typedef staged<T, R, C, BOX, TURNED> S;
    bool fits = !S::pairs && E::splits && m.can_store && col >= 0 && col * (int)sizeof(T) % 16 == 0 &&
                row % store_rows == 0 && row + R <= E::rows;
#pragma unroll
    for (int d = 0; d < N - 1; d++)
        fits = fits && b.at[d] >= 0;
    x.written();
    if (!fits)
        drain_boxes<ADD, S::pairs, S::begin, S::begin + S::count, T, R, C>(x.from, plane_at(b, row, col));
    if (ptx::lane() == 0) {
#pragma unroll
        for (int i = 0; i < S::count; i++) {
            const int at = (S::begin + i) / B::across * 64 + o.warp_row, c = (S::begin + i) % B::across * B::columns;
            if (fits && (R % 64 == 0 || at < R))
                engine_store_rows<ADD>(B::bytes == 128 ? &m.store : &m.store_half, x.from + i * 2048, b, row + at,
                                       col + c);
            ptx::bulk_commit();
        }
    }
    o.template advance<S::count>();
    trace::did(trace::STORE);
}

template <bool ADD, int BOX, typename O, typename T, int N, typename E, int R, int C>
static WS_DEVICE void leave_by_boxes(O &o, const boxed<T, N, E> &b, const map &m, const tile<T, R, C, frag> &x, int row,
                                     int col)
{
    store_wait<O::buffers - 1>();
    const auto box = stage<BOX>(o, x);
    fence();
    leave_box<ADD>(o, b, m, box, row, col);
    if constexpr (BOX + 1 < (R + 63) / 64 * boxes<T, C>::across)
        leave_by_boxes<ADD, BOX + 1>(o, b, m, x, row, col);
}
template <bool ADD, typename O, typename T, int N, typename E, int R, int C>
static WS_DEVICE void leave_box(O &o, const boxed<T, N, E> &b, const map &m, const tile<T, R, C, frag> &x, int row,
                                int col)
{
    leave_by_boxes<ADD, 0>(o, b, m, x, row, col);
}

template <typename T, int SR, int B, int N, typename E, typename ROW, typename COL, typename X>
static WS_DEVICE void store(warp_output<T, SR, B> &o, const boxed<T, N, E> &b, const map &m, ROW row, COL col,
                            const X &x)
{
    leave_box<false>(o, b, m, x, clamp(row), clamp(col));
}
template <typename T, int SR, int B, int N, typename E, typename ROW, typename COL, typename X>
static WS_DEVICE void atomic_add(warp_output<T, SR, B> &o, const boxed<T, N, E> &b, const map &m, ROW row, COL col,
                                 const X &x)
{
    leave_box<true>(o, b, m, x, clamp(row), clamp(col));
}

} // namespace ws

#endif
