/* SPDX-License-Identifier: MIT */
/*
 * tensor.cuh - memory: tensors and slices in global memory, tensor maps, swizzled tiles in shared memory and views of
 * them.
 *
 * A shared tile is blocks of rows x 128 bytes, each with TMA's 128-byte swizzle: the 16-byte chunk c of row r
 * lies at chunk c ^ (r & 7).  Whole blocks are always copied; columns beyond the tile are never looked at.  Short rows
 * that no product reads have lines of 64 bytes, chunk c at c ^ (r / 2 & 3), or of 32, chunk c at c ^ (r / 4 & 1).
 */
#ifndef WS_CUDA_TENSOR_CUH
#define WS_CUDA_TENSOR_CUH

#include "aref.cuh"
#include "element.cuh"
#include "ptx_copy.cuh"

namespace ws {

/* ---- global memory ----------------------------------------------------------------------------------------------- */

/* `base` is coordinate 0 of every dimension of the whole tensor.  A slice moves `origin` (the whole's coordinate where
   its own count begins) and narrows [low, high), in coordinates of the whole.  */
template <typename T, int N> struct tensor {
    T *base;
    long stride[N];
    int origin[N], low[N], high[N];
};
/* What a slice gives: its type says in which dimensions (a bit for each) boxes may reach over its edges into the rest
   of the tensor.  */
template <typename T, int N, int DIMS> struct part : tensor<T, N> {
    int whole; /* dimensions in which it ends where the tensor does, which the engine knows */
};
template <typename T, int N> static WS_DEVICE int whole_edges(const tensor<T, N> &)
{
    return 0;
}
template <typename T, int N, int DIMS> static WS_DEVICE int whole_edges(const part<T, N, DIMS> &t)
{
    return t.whole;
}
template <typename X> constexpr int sliced = 0;
template <typename T, int N, int DIMS> constexpr int sliced<part<T, N, DIMS>> = DIMS;
constexpr int sliced_anywhere = -1;

/* A coordinate of the language is 64 bits wide; what does not fit 31 lies outside every tensor.  */
static WS_DEVICE int clamp(int x)
{
    return x;
}
static WS_DEVICE int clamp(long x)
{
    return x < -0x40000000L ? -0x40000000 : x > 0x7fffffffL ? 0x7fffffff : (int)x;
}
template <typename I> static WS_DEVICE int clamp(I x)
{
    return clamp((long)x);
}

/* In the whole tensor.  */
static WS_DEVICE int absolute(int x, int origin)
{
    return x > 0x7fffffff - origin ? 0x7fffffff : x + origin;
}

template <int DIM, int DIMS, typename T, int N, typename I, typename J>
static WS_DEVICE part<T, N, DIMS | 1 << DIM> slice_of(const tensor<T, N> &of, int whole, I begin, J end)
{
    part<T, N, DIMS | 1 << DIM> t{of, whole};
    int from = absolute(clamp(begin), t.origin[DIM]), to = absolute(clamp(end), t.origin[DIM]);
    if (to < t.high[DIM])
        t.whole &= ~(1 << DIM);
    t.low[DIM] = ::max(t.low[DIM], from);
    t.high[DIM] = ::max(::min(t.high[DIM], to), t.low[DIM]);
    t.origin[DIM] = from;
    return t;
}
template <int DIM, typename T, int N, typename I, typename J>
static WS_DEVICE part<T, N, 1 << DIM> slice(const tensor<T, N> &of, I begin, J end)
{
    return slice_of<DIM, 0>(of, ~0, begin, end);
}
template <int DIM, typename T, int N, int DIMS, typename I, typename J>
static WS_DEVICE part<T, N, DIMS | 1 << DIM> slice(const part<T, N, DIMS> &of, I begin, J end)
{
    return slice_of<DIM, DIMS>(static_cast<const tensor<T, N> &>(of), of.whole, begin, end);
}

static WS_DEVICE bool inside(int x, int low, int high)
{
    return (u32)(x - low) < (u32)(high - low);
}

template <typename T, typename I> static WS_DEVICE T scalar_at(const tensor<T, 1> &t, I i)
{
    int x = absolute(clamp(i), t.origin[0]);
    return inside(x, t.low[0], t.high[0]) ? t.base[x] : T{};
}

template <typename T, typename I> static WS_DEVICE long at(const tensor<T, 1> &t, I i)
{
    return (long)widen(scalar_at(t, i));
}

template <typename T, typename I> static WS_DEVICE double at_float(const tensor<T, 1> &t, I i)
{
    return (double)widen(scalar_at(t, i));
}

/* The same of a tensor that the kernel does not write.  All of one begins at 0.  */
template <typename T, typename I> static WS_DEVICE T fixed_scalar_at(const tensor<T, 1> &t, I i, int origin, int low)
{
    int x = absolute(clamp(i), origin);
    return inside(x, low, t.high[0]) ? ptx::load_fixed(t.base + x) : T{};
}

template <typename X, typename I> static WS_DEVICE long fixed_at(const X &t, I i)
{
    return (long)widen(sliced<X> ? fixed_scalar_at(t, i, t.origin[0], t.low[0]) : fixed_scalar_at(t, i, 0, 0));
}

template <typename X, typename I> static WS_DEVICE double fixed_at_float(const X &t, I i)
{
    return (double)widen(sliced<X> ? fixed_scalar_at(t, i, t.origin[0], t.low[0]) : fixed_scalar_at(t, i, 0, 0));
}

/* An element of either, in the compute type.  */
template <typename X, typename I> static WS_DEVICE auto fixed_element(const X &t, I i)
{
    return widen(sliced<X> ? fixed_scalar_at(t, i, t.origin[0], t.low[0]) : fixed_scalar_at(t, i, 0, 0));
}

/* A tensor, or a slice of one.  */
template <typename X> struct tensor_of;
template <typename T, int N> struct tensor_of<tensor<T, N>> {
    typedef T element;
};
template <typename T, int N, int DIMS> struct tensor_of<part<T, N, DIMS>> {
    typedef T element;
};
template <typename X> using element_of = typename tensor_of<X>::element;

/* All of a tensor begins at 0 in each dimension: the compiler is to know.  */
template <typename T, int N> static WS_DEVICE tensor<T, N> known(const tensor<T, N> &t)
{
    tensor<T, N> all = t;
#pragma unroll
    for (int i = 0; i < N; i++)
        all.origin[i] = all.low[i] = 0;
    return all;
}
template <typename T, int N, int DIMS> static WS_DEVICE const part<T, N, DIMS> &known(const part<T, N, DIMS> &t)
{
    return t;
}

/* Of a launch: do rows begin and end with eight elements, and in memory with 16 bytes?  */
template <typename T, int N> static inline bool rows_in_vectors(const tensor<T, N> &t)
{
    u64 places = (u64)t.base;
    for (int i = 0; i < N - 1; i++)
        places |= (u64)t.stride[i] * sizeof(T);
    return ((places & 15) | (u64)(t.high[N - 1] & 7)) == 0;
}
template <typename... X> static inline bool in_vectors(const X &...all)
{
    return (rows_in_vectors(all) & ...);
}

/* Then the compiler is to know.  Of a copy, whose members it follows.  */
template <typename T, int N> static WS_DEVICE void know_rows(tensor<T, N> &t)
{
    __builtin_assume(((u64)t.base & 15) == 0);
#pragma unroll
    for (int i = 0; i < N - 1; i++)
        __builtin_assume(((u64)t.stride[i] * sizeof(T) & 15) == 0);
    __builtin_assume((t.high[N - 1] & 7) == 0);
    t = known(t);
}
template <typename... X> static WS_DEVICE void know_vectors(X &...all)
{
    (know_rows(all), ...);
}

/* The two innermost dimensions at fixed outer coordinates, seen from a tile's first element.  A vector is a plane of
   one row or of one column.  Of a box: box.cuh.  */
template <typename T, typename B = void> struct plane {
    T *base;
    long stride;  /* from row to row */
    int row, col; /* of the tile, in the whole */
    int row_low, row_high, col_low, col_high;
    u32 steps; /* low bits of all that is added to make a row's address: the same for all tiles of a tensor */

    WS_DEVICE bool row_inside(int r) const
    {
        return inside(row + r, row_low, row_high);
    }
    WS_DEVICE bool col_inside(int c) const
    {
        return inside(col + c, col_low, col_high);
    }
    WS_DEVICE T *at(int r, int c) const
    {
        return base + (row + r) * stride + col + c;
    }
    /* So many rows below an element's address, which at(r, c) gave.  */
    WS_DEVICE T *below(T *from, int, int rows, int) const
    {
        return from + rows * stride;
    }
    /* May rows be read and written as vectors of `bytes` that begin at a multiple of them from the tile's first
       column? */
    WS_DEVICE bool aligned(int bytes) const
    {
        return ((steps | (u32)stride * (u32)sizeof(T) | (u32)col * (u32)sizeof(T)) & (u32)(bytes - 1)) == 0;
    }
    /* Does each run of N columns, of those that begin at a multiple of N in a tile of C, lie inside or outside as a
       whole? */
    template <int N, int C> WS_DEVICE bool runs_whole() const
    {
        const bool left = (col >= col_low) | ((u32)(col_low - col) % N == 0);
        const bool right = (col <= col_high - C) | ((u32)(col_high - col) % N == 0);
        return C % N == 0 && (left & right);
    }
};

template <typename T, int N> static WS_DEVICE void fix(plane<T> &p, const tensor<T, N> &t, int dim, int coordinate)
{
    int x = absolute(coordinate, t.origin[dim]);
    p.base += x * t.stride[dim];
    p.steps |= (u32)t.stride[dim] * (u32)sizeof(T);
    if (!inside(x, t.low[dim], t.high[dim]))
        p.row_high = p.row_low;
}

template <typename T, int N> static WS_DEVICE plane<T> innermost(const tensor<T, N> &t, int row, int col)
{
    return plane<T>{t.base,
                    t.stride[N - 2],
                    absolute(row, t.origin[N - 2]),
                    absolute(col, t.origin[N - 1]),
                    t.low[N - 2],
                    t.high[N - 2],
                    t.low[N - 1],
                    t.high[N - 1],
                    (u32)(u64)t.base};
}

template <typename T, typename R, typename C> static WS_DEVICE plane<T> plane_at(const tensor<T, 2> &t, R row, C col)
{
    return innermost(t, clamp(row), clamp(col));
}

template <typename T, typename X, typename R, typename C>
static WS_DEVICE plane<T> plane_at(const tensor<T, 3> &t, X x, R row, C col)
{
    plane<T> p = innermost(t, clamp(row), clamp(col));
    fix(p, t, 0, clamp(x));
    return p;
}

template <typename T, typename X, typename Y, typename R, typename C>
static WS_DEVICE plane<T> plane_at(const tensor<T, 4> &t, X x, Y y, R row, C col)
{
    plane<T> p = innermost(t, clamp(row), clamp(col));
    fix(p, t, 0, clamp(x));
    fix(p, t, 1, clamp(y));
    return p;
}

/* Does an R x C tile at this place end within the edges of a slice in DIMS of N dimensions?  The engine knows the
   tensor's own edges.  Where an outer coordinate is outside, the plane is empty.  */
template <int R, int C, int DIMS, int N, typename T> static WS_DEVICE bool contained(const plane<T> &p, int whole = 0)
{
    constexpr bool outer = (DIMS & ((1 << (N - 2)) - 1)) != 0;
    bool rows = p.row >= p.row_low && ((!outer && whole >> (N - 2) & 1) || p.row <= p.row_high - R);
    bool cols = p.col >= p.col_low && ((!outer && whole >> (N - 1) & 1) || p.col <= p.col_high - C);
    return ((!outer && !(DIMS >> (N - 2) & 1)) || rows) && ((!outer && !(DIMS >> (N - 1) & 1)) || cols);
}

/* (1,C) of a vector, or of a row of a matrix.  */
template <typename T, typename C> static WS_DEVICE plane<T> row_at(const tensor<T, 1> &t, C col)
{
    return plane<T>{t.base, 0, 0, absolute(clamp(col), t.origin[0]), 0, 1, t.low[0], t.high[0], (u32)(u64)t.base};
}
template <typename T, typename X, typename C> static WS_DEVICE plane<T> row_at(const tensor<T, 2> &t, X x, C col)
{
    plane<T> p = row_at(tensor<T, 1>{t.base, {1}, {t.origin[1]}, {t.low[1]}, {t.high[1]}}, col);
    fix(p, t, 0, clamp(x));
    return p;
}

/* (R,1) of the same.  */
template <typename T, typename R> static WS_DEVICE plane<T> col_at(const tensor<T, 1> &t, R row)
{
    return plane<T>{t.base, 1, absolute(clamp(row), t.origin[0]), 0, t.low[0], t.high[0], 0, 1, (u32)(u64)t.base};
}
template <typename T, typename X, typename R> static WS_DEVICE plane<T> col_at(const tensor<T, 2> &t, X x, R row)
{
    plane<T> p = col_at(tensor<T, 1>{t.base, {1}, {t.origin[1]}, {t.low[1]}, {t.high[1]}}, row);
    fix(p, t, 0, clamp(x));
    return p;
}

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

/* The extents of a box in all dimensions but the last.  Sixteen of its rows, from a multiple of sixteen on, may be a
   box themselves, with extents of_rows.  */
template <int... E> struct extents {
    static constexpr int count = sizeof...(E), rows = (E * ...);

    static WS_CONSTANT int extent(int dim)
    {
        constexpr int all[] = {E...};
        return all[dim];
    }
    /* The coordinate of a row, from the box's corner on.  */
    static WS_CONSTANT int place(int row, int dim)
    {
        int inner = 1;
        for (int d = dim + 1; d < count; d++)
            inner *= extent(d);
        return dim ? row / inner % extent(dim) : row / inner;
    }
    static WS_CONSTANT int of_rows(int dim)
    {
        int inner = 1;
        for (int d = dim + 1; d < count; d++)
            inner *= extent(d);
        const int left = inner >= 16 ? 1 : 16 / inner;
        return left < extent(dim) ? left : extent(dim);
    }
    static constexpr bool is_box()
    {
        int all = 1, inner = 1;
        bool divides = true;
        for (int d = count - 1; d >= 0; inner *= extent(d), d--) {
            all *= of_rows(d);
            divides = divides && (inner >= 16 || 16 % inner == 0) && extent(d) % of_rows(d) == 0;
        }
        return divides && all == 16;
    }
    static constexpr bool splits = is_box();
};

/* ---- tensor maps ------------------------------------------------------------------------------------------------- */

/* Rows of a box for tiles of this many rows: a divisor, so that several boxes fill the tile exactly, and where it can
   be one of whole swizzle periods.  */
WS_CONSTANT int box_rows(int rows)
{
    if (rows <= 256)
        return rows;
    int n = 2;
    while (rows % n != 0 || rows / n > 256 || (rows % 8 == 0 && rows / n % 8 != 0))
        n++;
    return rows / n;
}
static_assert(box_rows(256) == 256 && box_rows(520) == 104 && box_rows(260) == 130 && box_rows(257) == 1,
              "boxes of one size");

/* Rows that one warp of an accumulator's layout holds together, and stores on its own.  */
constexpr int store_rows = 16;

struct map {
    CUtensorMap load;              /* boxes of box_rows(rows) rows */
    CUtensorMap store, store_half; /* boxes of store_rows rows and 128 or 64 bytes, if the tensor is stored */
    CUtensorMap store_pairs;       /* of store_rows rows and two lines, if 32-bit numbers fill lines */
    bool can_load, can_store, can_store_pairs;
};

/* Of a tensor that is only read, and whose rows beyond the last reach nothing that is seen: the engine takes three
   times as long over a row that is not there as over one that it brings, so from row edge_first on it is asked for
   edge_rows, all that are left.  */
constexpr int no_edge = 0x7fffffff;

struct edge_map {
    CUtensorMap load, edge;
    int edge_first, edge_rows;
    bool can_load;
};

/* The same of a tensor that is read with a fill: what the last tile's boxes leave of the slot is written besides.  */
struct filled_map : edge_map {};

/* Of tiles that follow each other at a step which is not longer than they: rows beyond it reach nothing that is seen,
   either. `rows` are brought, or those that one of several blocks brings; from row edge_first on edge_rows, as
   above. */
struct step_map : edge_map {
    int rows;
};

/* Of R rows from there on: those that boxes bring, and whose boxes.  */
template <int R> static WS_DEVICE int rows_brought(const map &, int)
{
    return R;
}
template <int R> static WS_DEVICE int rows_brought(const edge_map &m, int row)
{
    return row >= m.edge_first ? m.edge_rows : R;
}
template <int R> static WS_DEVICE int rows_brought(const step_map &m, int row)
{
    return row >= m.edge_first ? m.edge_rows : m.rows;
}
static WS_DEVICE const CUtensorMap *boxes_at(const map &m, int)
{
    return &m.load;
}
static WS_DEVICE const CUtensorMap *boxes_at(const edge_map &m, int row)
{
    return row >= m.edge_first ? &m.edge : &m.load;
}

/* Boxes of all rows, of a map that has others as well.  */
struct whole_boxes {
    const CUtensorMap *load;
    int rows;
};
template <int R> static WS_DEVICE whole_boxes whole_boxes_of(const edge_map &m)
{
    return {&m.load, R};
}
template <int R> static WS_DEVICE whole_boxes whole_boxes_of(const map &m)
{
    return {&m.load, R};
}
template <int R> static WS_DEVICE whole_boxes whole_boxes_of(const step_map &m)
{
    return {&m.load, m.rows};
}
template <int R> static WS_DEVICE int rows_brought(const whole_boxes &m, int)
{
    return m.rows;
}
static WS_DEVICE const CUtensorMap *boxes_at(const whole_boxes &m, int)
{
    return m.load;
}

/* Of the R rows that one of several blocks brings at most: how many lie between its first and the next one's.  */
template <int R, typename M> static WS_DEVICE int rows_apart(const M &)
{
    return R;
}
template <int R> static WS_DEVICE int rows_apart(const step_map &m)
{
    return m.rows;
}

/* TMA reads a map the first time that it is used; one thread has it read before.  */
static WS_DEVICE void prefetch(const map &m)
{
    if (m.can_load)
        ptx::prefetch_tensormap(&m.load);
    if (m.can_store) {
        ptx::prefetch_tensormap(&m.store);
        ptx::prefetch_tensormap(&m.store_half);
    }
    if (m.can_store_pairs)
        ptx::prefetch_tensormap(&m.store_pairs);
}

static WS_DEVICE void prefetch(const edge_map &m)
{
    if (m.can_load)
        ptx::prefetch_tensormap(&m.load);
    if (m.edge_first != no_edge)
        ptx::prefetch_tensormap(&m.edge);
}

/* Do all of these tensors lie so that TMA can bring their tiles?  */
template <typename... M> static WS_DEVICE bool by_tma(const M &...maps)
{
    return (... && maps.can_load);
}

/* ---- shared memory ----------------------------------------------------------------------------------------------- */

WS_CONSTANT int round_up(int x, int multiple)
{
    return (x + multiple - 1) / multiple * multiple;
}

/* The element of a tile in lines of LINE bytes, 64 or 32, which hold its rows, as many as its only row has, or one
   element's, of a column: threads alone read it.  */
template <typename T, int LINE> struct lined {
    T x;
    lined() = default;
    explicit WS_DEVICE lined(T value) : x(value)
    {
    }
};
template <typename S> constexpr int line_bytes = 128;
template <typename T, int LINE> constexpr int line_bytes<lined<T, LINE>> = LINE;
template <typename S> struct element_in {
    typedef S type;
};
template <typename T, int LINE> struct element_in<lined<T, LINE>> {
    typedef T type;
};

/* Bytes of a block of lines, and elements of a line.  */
WS_CONSTANT int block_bytes(int rows, int line = 128)
{
    return (line > 128 ? rows : round_up(rows, 8)) * line;
}
template <typename T> constexpr int line_elements = line_bytes<T> / (int)sizeof(T);

/* Of a slot: a period of the swizzle, which a column has none of.  */
template <typename T> constexpr int shared_align = line_bytes<T> < 32 ? 128 : 1024;

template <typename T, int R, int C> struct __align__(shared_align<T>) shared_tile
{
    static constexpr int blocks = (C + line_elements<T> - 1) / line_elements<T>;
    unsigned char bytes[blocks * block_bytes(R, line_bytes<T>)];
};

template <int BYTES> struct __align__(16) scratch
{
    unsigned char bytes[BYTES];
};

/* The element of a tile whose columns stand, sixteen by sixteen, as a fragment's bytes do in a left operand's
   registers: there a lane's four neighbours are two columns and the two that are eight further.  */
template <typename T> struct interleaved {
    T x;
};

/* An R x C window of a shared tile whose blocks have S rows.  */
template <typename T, int R, int C, int S> struct shared_view {
    typedef typename element_in<T>::type element;
    static constexpr int rows = R, cols = C, storage_rows = S;
    u32 base; /* of the shared tile */
    int row, col;

    /* The swizzle takes bits of the address from the eighth on, as many as a line has chunks.  */
    WS_DEVICE u32 address(int r, int c) const
    {
        constexpr int length = line_bytes<T>, chunks = length > 128 || length < 16 ? 1 : length / 16;
        int line = row + r, byte = (col + c) * (int)sizeof(T), turn = line / (8 / chunks) & (chunks - 1);
        return base + byte / length * block_bytes(S, length) + line * length + ((byte % length) ^ (turn << 4));
    }
    WS_DEVICE element at(int r, int c) const
    {
        return *reinterpret_cast<const element *>(__cvta_shared_to_generic(address(r, c)));
    }
    WS_DEVICE void set(int r, int c, T x) const
    {
        *reinterpret_cast<T *>(__cvta_shared_to_generic(address(r, c))) = x;
    }
};

/* The same with rows and columns exchanged: C x R.  */
template <typename V> struct transposed_view {
    typedef typename V::element element;
    static constexpr int rows = V::cols, cols = V::rows;
    V of;

    WS_DEVICE element at(int r, int c) const
    {
        return of.at(c, r);
    }
};

template <typename T, int R, int C> static WS_DEVICE shared_view<T, R, C, R> view(const shared_tile<T, R, C> &s)
{
    return {ptx::shared_address(s.bytes), 0, 0};
}

template <int R, int C, typename T, int SR, int SC>
static WS_DEVICE shared_view<T, R, C, SR> window(const shared_tile<T, SR, SC> &s, int row, int col)
{
    return {ptx::shared_address(s.bytes), row, col};
}

template <typename T, int R, int C, int S>
static WS_DEVICE transposed_view<shared_view<T, R, C, S>> trans(shared_view<T, R, C, S> v)
{
    return {v};
}
template <typename V> static WS_DEVICE V trans(transposed_view<V> v)
{
    return v.of;
}

} // namespace ws

#endif
