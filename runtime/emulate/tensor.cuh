/* SPDX-License-Identifier: MIT */
/*
 * tensor.cuh - tensors and slices in global memory, tiles in shared memory and views of them, direct loads and stores.
 *
 * A shared tile has the size that it has on the GPU, but is a plain row-major array.
 */
#ifndef WS_EMULATE_TENSOR_CUH
#define WS_EMULATE_TENSOR_CUH

#include "emulate.h"
#include "tile.cuh"

namespace ws {

/* ---- global memory ----------------------------------------------------------------------------------------------- */

/* `base` is coordinate 0 of every dimension of the whole tensor.  A slice sets `origin`, the whole tensor's coordinate
   of the slice's coordinate 0.  A slice narrows [low, high), which is in coordinates of the whole tensor.  */
template <typename T, int N> struct tensor {
    T *base;
    long stride[N];
    static constexpr int rank = N;
    long origin[N], low[N], high[N];
    bool sliced;
};

/* The emulation does not distinguish scalar and vectorized versions.  */
template <typename... X> static inline bool in_vectors(const X &...)
{
    return true;
}
template <typename... X> static inline void know_vectors(X &...)
{
}

template <int... E> struct extents {
};

/* A box of a tensor, whose elements are the rows of a matrix.  */
template <typename T, int N> struct boxed {
    static constexpr int rank = 2;
    tensor<T, N> of;
    ws_emulate_box box;
    bool sliced;
};

template <int... E, typename T, int N, typename... I> WS_DEVICE boxed<T, N> box(const tensor<T, N> &t, I... i)
{
    static_assert(sizeof...(E) == N - 1 && sizeof...(I) == N - 1, "place and extent in all dimensions but the last");
    return {t, {N - 1, {E...}, {(long)i...}}, t.sliced};
}

template <int DIM, typename T, int N> WS_DEVICE tensor<T, N> slice(tensor<T, N> t, long begin, long end)
{
    ws_emulate_slice(&t.origin[DIM], &t.low[DIM], &t.high[DIM], begin, end);
    t.sliced = true;
    return t;
}

template <typename T> WS_DEVICE T scalar_at(const tensor<T, 1> &t, long i)
{
    const long x = t.origin[0] + ws_emulate_near(i);
    if (x < t.low[0] || x >= t.high[0])
        return T{};
    ws_emulate_touched(ws_sched_current(), WS_EMULATE_LOAD, t.base + x, sizeof(T));
    return t.base[x];
}

template <typename T> WS_DEVICE long at(const tensor<T, 1> &t, long i)
{
    return (long)number<T>::widen(scalar_at(t, i));
}

template <typename T> WS_DEVICE double at_float(const tensor<T, 1> &t, long i)
{
    return (double)number<T>::widen(scalar_at(t, i));
}

/* For a tensor that the kernel does not write.  */
template <typename T> WS_DEVICE long fixed_at(const tensor<T, 1> &t, long i)
{
    return at(t, i);
}

template <typename T> WS_DEVICE double fixed_at_float(const tensor<T, 1> &t, long i)
{
    return at_float(t, i);
}

template <typename T> WS_DEVICE auto fixed_element(const tensor<T, 1> &t, long i)
{
    return number<T>::widen(scalar_at(t, i));
}

template <typename T, typename I, int R, int C, layout L>
WS_DEVICE tile<T, R, C, L> load_at(const tensor<T, 1> &t, const tile<I, R, C, L> &index)
{
    tile<T, R, C, L> y;
    index.check("reads");
    for (int i = 0; i < R * C; i++)
        y.at[i] = scalar_at(t, index.at[i]);
    return y;
}

/* The rows and columns of an R x C tile that lie inside the tensor, and their place in memory.  A row of a vector is a
   patch without row dimension.  A column of a vector has adjacent rows.  */
template <typename T> struct patch {
    T *base; /* address of the tile's element (0, 0), inside or not */
    long row_stride;
    int row_first, row_last, col_first, col_last;

    bool is_whole(int rows, int cols) const
    {
        return row_first == 0 && row_last == rows && col_first == 0 && col_last == cols;
    }
    T *line(int r) const
    {
        return base + r * row_stride + col_first;
    }
    int line_length() const
    {
        return col_last - col_first;
    }
};

/* row_dim or col_dim is -1 if a vector has no such dimension.  */
template <typename T, int N>
WS_DEVICE patch<T> patch_of(const tensor<T, N> &t, const long *at, int row_dim, int col_dim, int rows, int cols)
{
    const ws_emulate_window window = {N, t.stride, t.origin, t.low, t.high};
    const ws_emulate_patch p = ws_emulate_patch_of(&window, at, row_dim, col_dim, rows, cols);
    return patch<T>{t.base + p.offset, p.row_stride, p.row_first, p.row_last, p.col_first, p.col_last};
}

template <int R, int C, typename T, int N> WS_DEVICE patch<T> tile_patch(const tensor<T, N> &t, const long *at)
{
    if constexpr (N == 1)
        return C == 1 ? patch_of(t, at, 0, -1, R, C) : patch_of(t, at, -1, 0, R, C);
    else
        return patch_of(t, at, N - 2, N - 1, R, C);
}

template <typename V, typename U, int R, int C, layout L>
WS_DEVICE auto patch_for(const V &t, const long *at, const tile<U, R, C, L> &)
{
    return tile_patch<R, C>(t, at);
}

/* The same for a tile of a box, in parts.  */
template <typename T, int N> struct box_patch {
    boxed<T, N> of;
    long row, col;
    int rows, cols;

    template <typename F> void each(F f) const
    {
        const ws_emulate_window window = {N, of.of.stride, of.of.origin, of.of.low, of.of.high};
        for (int first = 0, count; first < rows; first += count) {
            const ws_emulate_patch p = ws_emulate_box_patch(&window, &of.box, row, col, rows, cols, first, &count);
            f(patch<T>{of.of.base + p.offset, p.row_stride, p.row_first, p.row_last, p.col_first, p.col_last}, first,
              count);
        }
    }
    bool is_whole(int, int) const
    {
        bool whole = true;
        each([&](const patch<T> &p, int, int count) { whole = whole && p.is_whole(count, cols); });
        return whole;
    }
};

template <typename T, int N>
WS_DEVICE box_patch<T, N> patch_of(const boxed<T, N> &t, const long *at, int, int, int rows, int cols)
{
    return {t, at[0], at[1], rows, cols};
}
template <int R, int C, typename T, int N> WS_DEVICE box_patch<T, N> tile_patch(const boxed<T, N> &t, const long *at)
{
    return {t, at[0], at[1], R, C};
}

/* Rows of `to` are `cols` elements apart.  */
template <typename T> WS_DEVICE void fetch(const patch<T> &p, T *to, int rows, int cols, T fill)
{
    ws_sched *s = ws_sched_current();
    if (!p.is_whole(rows, cols))
        for (int i = 0; i < rows * cols; i++)
            to[i] = fill;
    for (int r = p.row_first; r < p.row_last; r++) {
        ws_emulate_touched(s, WS_EMULATE_LOAD, p.line(r), p.line_length() * sizeof(T));
        memcpy(to + r * cols + p.col_first, p.line(r), p.line_length() * sizeof(T));
    }
}

template <typename T, int N> WS_DEVICE void fetch(const box_patch<T, N> &b, T *to, int, int cols, T fill)
{
    b.each([&](const patch<T> &p, int first, int count) { fetch(p, to + first * cols, count, cols, fill); });
}

template <typename T> WS_DEVICE void touch(const patch<T> &p, ws_emulate_touch kind)
{
    ws_sched *s = ws_sched_current();
    for (int r = p.row_first; r < p.row_last; r++)
        ws_emulate_touched(s, kind, p.line(r), p.line_length() * sizeof(T));
}

template <typename T, int N> WS_DEVICE void touch(const box_patch<T, N> &b, ws_emulate_touch kind)
{
    b.each([&](const patch<T> &p, int, int) { touch(p, kind); });
}

/* Rows of `from` are `pitch` elements apart.  */
template <typename T> WS_DEVICE void deliver(const patch<T> &p, const T *from, int pitch)
{
    for (int r = p.row_first; r < p.row_last; r++)
        memcpy(p.line(r), from + r * pitch + p.col_first, p.line_length() * sizeof(T));
}

template <typename T, int N> WS_DEVICE void deliver(const box_patch<T, N> &b, const T *from, int pitch)
{
    b.each([&](const patch<T> &p, int first, int) { deliver(p, from + first * pitch, pitch); });
}

/* ---- coordinates, and a tile as the last argument ---------------------------------------------------------------- */

inline void coordinates(long *)
{
}
template <typename... Rest> WS_DEVICE void coordinates(long *at, long first, Rest... rest)
{
    *at = first;
    coordinates(at + 1, rest...);
}

template <typename X, if_tile<X> = 0> WS_DEVICE const X &coordinates_and_tile(long *, const X &x)
{
    return x;
}
template <typename... Rest> WS_DEVICE const auto &coordinates_and_tile(long *at, long first, const Rest &...rest)
{
    *at = first;
    return coordinates_and_tile(at + 1, rest...);
}

/* ---- direct loads ------------------------------------------------------------------------------------------------ */

template <typename T, int R, int C, layout L, typename P, typename F>
WS_DEVICE tile<T, R, C, L> fetch_tile(const P &p, F fill)
{
    tile<T, R, C, L> y;
    ws_sched_point(ws_sched_current());
    fetch(p, y.at, R, C, element_of<T>(fill));
    ws_sched_work("read", sizeof y.at);
    return y;
}

/* Tensors only: a table (table.cuh) has no rank.  */
template <int R, int C, layout L, typename F, template <typename, int> class V, typename T, int N, int = V<T, N>::rank,
          typename... I>
WS_DEVICE tile<T, R, C, L> load_or(F fill, const V<T, N> &t, I... i)
{
    static_assert(sizeof...(I) == V<T, N>::rank, "one coordinate for each dimension");
    long at[sizeof...(I)];
    coordinates(at, (long)i...);
    return fetch_tile<T, R, C, L>(tile_patch<R, C>(t, at), fill);
}

template <int R, int C, layout L, template <typename, int> class V, typename T, int N, int = V<T, N>::rank,
          typename... I>
WS_DEVICE tile<T, R, C, L> load(const V<T, N> &t, I... i)
{
    return load_or<R, C, L>(0, t, i...);
}

template <int C, layout L, typename F, typename T, int N, typename... I>
WS_DEVICE tile<T, 1, C, L> load_row_or(F fill, const tensor<T, N> &t, I... i)
{
    static_assert(sizeof...(I) == N, "one coordinate for each dimension");
    long at[N];
    coordinates(at, (long)i...);
    return fetch_tile<T, 1, C, L>(patch_of(t, at, -1, N - 1, 1, C), fill);
}

template <int C, layout L, typename T, int N, typename... I>
WS_DEVICE tile<T, 1, C, L> load_row(const tensor<T, N> &t, I... i)
{
    return load_row_or<C, L>(0, t, i...);
}

template <int R, layout L, typename F, typename T, int N, typename... I>
WS_DEVICE tile<T, R, 1, L> load_col_or(F fill, const tensor<T, N> &t, I... i)
{
    static_assert(sizeof...(I) == N, "one coordinate for each dimension");
    long at[N];
    coordinates(at, (long)i...);
    return fetch_tile<T, R, 1, L>(patch_of(t, at, N - 1, -1, R, 1), fill);
}

template <int R, layout L, typename T, int N, typename... I>
WS_DEVICE tile<T, R, 1, L> load_col(const tensor<T, N> &t, I... i)
{
    return load_col_or<R, L>(0, t, i...);
}

/* Loads of a loop in which only one coordinate varies.  */
template <int R, layout L, typename X> struct held_column {
    const X &t;
    long row;

    auto at(long n) const
    {
        return load_col<R, L>(t, n, row);
    }
};
template <int R, layout L, typename X> WS_DEVICE held_column<R, L, X> hold_column(const X &t, long row)
{
    return {t, row};
}

template <typename X> struct held_elements {
    const X &t;

    auto at(long i) const
    {
        return fixed_element(t, i);
    }
};
template <typename X> WS_DEVICE held_elements<X> hold_elements(const X &t)
{
    return {t};
}

/* ---- direct stores ----------------------------------------------------------------------------------------------- */

template <typename P, typename T, int R, int C, layout L>
WS_DEVICE void deliver_tile(const P &p, const tile<T, R, C, L> &x)
{
    x.check("reads");
    ws_sched_point(ws_sched_current());
    touch(p, WS_EMULATE_STORE);
    deliver(p, x.at, C);
    ws_sched_work("write", sizeof x.at);
}

template <template <typename, int> class V, typename T, int N, typename... Rest>
WS_DEVICE void store(const V<T, N> &t, const Rest &...rest)
{
    static_assert(sizeof...(Rest) == V<T, N>::rank + 1, "one coordinate for each dimension, then the tile");
    long at[V<T, N>::rank];
    const auto &x = coordinates_and_tile(at, rest...);
    deliver_tile(patch_for(t, at, x), x);
}

template <typename T, int N, typename... Rest> WS_DEVICE void store_row(const tensor<T, N> &t, const Rest &...rest)
{
    static_assert(sizeof...(Rest) == N + 1, "one coordinate for each dimension, then the tile");
    long at[N];
    const auto &x = coordinates_and_tile(at, rest...);
    deliver_tile(patch_of(t, at, -1, N - 1, 1, x.cols), x);
}

template <typename T, int N, typename... Rest> WS_DEVICE void store_col(const tensor<T, N> &t, const Rest &...rest)
{
    static_assert(sizeof...(Rest) == N + 1, "one coordinate for each dimension, then the tile");
    long at[N];
    const auto &x = coordinates_and_tile(at, rest...);
    deliver_tile(patch_of(t, at, N - 1, -1, x.rows, 1), x);
}

inline void add_atomically(float *to, float x)
{
    ws_atomic_add_f32_(to, x);
}
inline void add_atomically(double *to, double x)
{
    ws_atomic_add_f64_(to, x);
}
inline void add_atomically(int *to, int x)
{
    __atomic_fetch_add((uint32_t *)(void *)to, (uint32_t)x, __ATOMIC_RELAXED);
}

inline void add_atomically(long *to, long x)
{
    __atomic_fetch_add((uint64_t *)(void *)to, (uint64_t)x, __ATOMIC_RELAXED);
}

/* Rows of `from` are `pitch` elements apart.  */
template <typename T> WS_DEVICE void add_patch(const patch<T> &p, const T *from, int pitch)
{
    for (int r = p.row_first; r < p.row_last; r++)
        for (int c = 0; c < p.line_length(); c++)
            add_atomically(p.line(r) + c, from[r * pitch + p.col_first + c]);
}

template <typename T, int N> WS_DEVICE void add_patch(const box_patch<T, N> &b, const T *from, int pitch)
{
    b.each([&](const patch<T> &p, int first, int) { add_patch(p, from + first * pitch, pitch); });
}

template <typename P, typename T, int R, int C, layout L> WS_DEVICE void add_tile(const P &p, const tile<T, R, C, L> &x)
{
    x.check("reads");
    ws_sched_point(ws_sched_current());
    touch(p, WS_EMULATE_ADD);
    add_patch(p, x.at, C);
}

template <template <typename, int> class V, typename T, int N, typename... Rest>
WS_DEVICE void atomic_add(const V<T, N> &t, const Rest &...rest)
{
    static_assert(sizeof...(Rest) == V<T, N>::rank + 1, "one coordinate for each dimension, then the tile");
    long at[V<T, N>::rank];
    const auto &x = coordinates_and_tile(at, rest...);
    add_tile(patch_for(t, at, x), x);
}

/* Calls `to` for elements of a vector by their indices; indices out of bounds are skipped.  */
template <typename T, typename I, int R, int C, layout L, typename F>
WS_DEVICE void each_index(ws_emulate_touch kind, const tensor<T, 1> &t, const tile<I, R, C, L> &index,
                          const tile<T, R, C, L> &x, F to)
{
    ws_sched *s = ws_sched_current();
    index.check("reads");
    x.check("reads");
    ws_sched_point(s);
    for (int i = 0; i < R * C; i++) {
        const long at = t.origin[0] + ws_emulate_near(index.at[i]);
        if (at < t.low[0] || at >= t.high[0])
            continue;
        ws_emulate_touched(s, kind, t.base + at, sizeof(T));
        to(t.base + at, x.at[i]);
    }
}

template <typename T, typename I, int R, int C, layout L>
WS_DEVICE void store_at(const tensor<T, 1> &t, const tile<I, R, C, L> &index, const tile<T, R, C, L> &x)
{
    ws_emulate_once(ws_sched_current(), index.at, sizeof(I), R * C, t.low[0] - t.origin[0], t.high[0] - t.origin[0]);
    each_index(WS_EMULATE_STORE, t, index, x, [](T *to, T from) { *to = from; });
    ws_sched_work("write", sizeof x.at);
}

template <typename T, typename I, int R, int C, layout L>
WS_DEVICE void atomic_add_at(const tensor<T, 1> &t, const tile<I, R, C, L> &index, const tile<T, R, C, L> &x)
{
    each_index(WS_EMULATE_ADD, t, index, x, [](T *to, T from) { add_atomically(to, from); });
}

/* ---- shared memory ----------------------------------------------------------------------------------------------- */

constexpr int round_up(int x, int multiple)
{
    return (x + multiple - 1) / multiple * multiple;
}

/* A tile in shared memory as a row-major array.  */
template <typename T, int R, int C> struct tile_in_memory {
    T *elements()
    {
        return reinterpret_cast<T *>(this);
    }
    const T *elements() const
    {
        return reinterpret_cast<const T *>(this);
    }
    ws_sched_range range() const
    {
        return {(void *)this, R * C * sizeof(T)};
    }
};
template <typename T, int LINE> struct lined;
template <typename T, int R, int C> struct alignas(1024) shared_tile : tile_in_memory<T, R, C> {
    static constexpr int blocks = round_up(C * (int)sizeof(T), 128) / 128;
    unsigned char bytes[blocks * round_up(R, 8) * 128];
};
template <typename T, int LINE, int R, int C>
struct alignas(LINE < 32 ? 128 : 1024) shared_tile<lined<T, LINE>, R, C> : tile_in_memory<T, R, C> {
    static_assert(C * (int)sizeof(T) <= LINE, "a line holds a row");
    unsigned char bytes[(LINE > 128 ? R : round_up(R, 8)) * LINE];
};

/* Element (r, c) is base[r * row_stride + c * col_stride]; one of the strides is 1.  */
template <typename T, int R, int C> struct shared_view {
    typedef T element;
    static constexpr int rows = R, cols = C;
    const T *base;
    long row_stride, col_stride;

    T at(int r, int c) const
    {
        return base[r * row_stride + c * col_stride];
    }
    ws_sched_range range() const
    {
        return {base, ((R - 1) * row_stride + (C - 1) * col_stride + 1) * sizeof(T)};
    }
};

template <typename T, int R, int C> WS_DEVICE shared_view<T, R, C> view(const tile_in_memory<T, R, C> &s)
{
    return {s.elements(), C, 1};
}

template <int R, int C, typename T, int SR, int SC>
WS_DEVICE shared_view<T, R, C> window(const tile_in_memory<T, SR, SC> &s, int row, int col)
{
    return {s.elements() + (long)row * SC + col, SC, 1};
}

template <int R, typename T, int SR, int SC>
WS_DEVICE shared_view<T, R, SC> view(const tile_in_memory<T, SR, SC> &s, int row)
{
    return window<R, SC>(s, row, 0);
}

template <typename T, int R, int C> WS_DEVICE shared_view<T, C, R> trans(shared_view<T, R, C> v)
{
    return {v.base, v.col_stride, v.row_stride};
}

template <layout L, typename T, int R, int C> WS_DEVICE tile<T, R, C, L> read(shared_view<T, R, C> v)
{
    tile<T, R, C, L> y;
    ws_sched *s = ws_sched_current();
    ws_sched_point(s);
    ws_sched_read(s, v.range());
    for (int r = 0; r < R; r++)
        for (int c = 0; c < C; c++)
            y.at[r * C + c] = v.at(r, c);
    return y;
}

/* Loads of a loop that lie some rows further in each iteration.  The first load of a run loads the rows of all.  */
template <typename T, int R, int C, layout L, int SPAN> struct row_window {
    tile<T, R + SPAN - 1, C, L> held;

    template <typename F, template <typename, int> class V, int N, int = V<T, N>::rank, typename... I>
    tile<T, R, C, L> take(bool is_first, int below, F fill, const V<T, N> &t, I... i)
    {
        static_assert(sizeof...(I) == V<T, N>::rank, "one coordinate for each dimension");
        tile<T, R, C, L> y;
        long at[sizeof...(I)];
        coordinates(at, (long)i...);
        at[sizeof...(I) - 2] -= below;
        if (is_first)
            held = fetch_tile<T, R + SPAN - 1, C, L>(tile_patch<R + SPAN - 1, C>(t, at), fill);
        memcpy(y.at, held.at + below * C, sizeof y.at);
        return y;
    }
};

/* A tile that all tiles of a block use, in shared memory.  */
template <typename T, int R, int C, layout L> struct alignas(16) cached_tile {
    typedef tile<T, R, C, L> whole;
    unsigned char bytes[sizeof(T) * R * C];

    void keep(const tile<T, R, C, L> &x)
    {
        ws_sched *s = ws_sched_current();
        x.check("reads");
        ws_sched_point(s);
        ws_sched_write_apart(s, {bytes, sizeof bytes});
        memcpy(bytes, x.at, sizeof bytes);
    }
    tile<T, R, C, L> take() const
    {
        tile<T, R, C, L> y;
        ws_sched *s = ws_sched_current();
        ws_sched_point(s);
        ws_sched_read_apart(s, {bytes, sizeof bytes});
        memcpy(y.at, bytes, sizeof bytes);
        return y;
    }
};

/* A load into such memory.  On a GPU the copy ends at an unknown time before the first read.  */
template <int R, int C, layout L, typename T, typename F, typename X, typename... I>
void bring_or(cached_tile<T, R, C, L> &to, F fill, const X &t, I... at)
{
    to.keep(load_or<R, C, L>(fill, t, at...));
}
template <int R, int C, layout L, typename T, typename X, typename... I>
void bring(cached_tile<T, R, C, L> &to, const X &t, I... at)
{
    to.keep(load<R, C, L>(t, at...));
}

/* Writes a tile to an operand storage of this group.  The caller emits barriers and the fence.  */
template <typename T, int R, int C, layout L>
WS_DEVICE shared_view<T, R, C> stage(tile_in_memory<T, R, C> &to, const tile<T, R, C, L> &x)
{
    ws_sched *s = ws_sched_current();
    x.check("reads");
    ws_sched_point(s);
    ws_sched_write(s, to.range());
    memcpy(to.elements(), x.at, sizeof x.at);
    ws_sched_work("stage", sizeof x.at);
    return view(to);
}

template <typename T, int R, int C>
WS_DEVICE shared_view<T, R, C> stage(tile_in_memory<T, R, C> &to, shared_view<T, R, C> v)
{
    return stage(to, read<lines>(v));
}

/* Writes the transpose of v.  */
template <typename T, int R, int C> WS_DEVICE void transpose(tile_in_memory<T, C, R> &to, shared_view<T, R, C> v)
{
    stage(to, read<lines>(trans(v)));
}

/* ---- lines of numbers -------------------------------------------------------------------------------------------- */

struct prints {
    ws_emulate_launch *launch;
};

inline void end_prints(const prints &, const char *)
{
}

template <typename T> auto line_number(T x)
{
    if constexpr (std::is_floating_point<T>::value)
        return x != x ? (double)NAN : (double)x; /* the sign of a NaN has no meaning */
    else
        return (long)x;
}

/* `format` has a conversion for each number of `at`, and one for the value.  */
template <layout L, typename V, typename... I>
std::enable_if_t<std::is_arithmetic<V>::value> print_each(const prints &p, const char *format, bool holds, V value,
                                                          I... at)
{
    if (holds && ws_emulate_next_line(p.launch))
        printf(format, line_number(at)..., line_number(value));
}

template <layout L, typename T, int R, int C, layout M, typename... I>
void print_each(const prints &p, const char *format, const tile<bool, R, C, M> &holds, const tile<T, R, C, M> &value,
                const I &...at)
{
    holds.check("reads");
    value.check("reads");
    for (int i = 0; i < R * C; i++)
        print_each<L>(p, format, (bool)holds.at[i], number<T>::widen(value.at[i]), at.at[i]...);
}

} // namespace ws

#endif
