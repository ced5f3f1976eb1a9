/* SPDX-License-Identifier: MIT */
/*
 * tensor.cuh - tensors and slices in global memory, tensor maps, swizzled tiles in shared memory and views of them.
 *
 * A shared tile consists of blocks of rows x 128 bytes in TMA's 128-byte swizzle.  The 16-byte chunk c of row r lies at
 * chunk c ^ (r & 7).  TMA copies whole blocks, and no thread reads columns beyond the tile.  Short rows that no product
 * reads have lines of 64 or 32 bytes.  Chunk c lies at c ^ (r / 2 & 3) in lines of 64 bytes, and at c ^ (r / 4 & 1) in
 * lines of 32 bytes.
 */
#ifndef WS_CUDA_TENSOR_CUH
#define WS_CUDA_TENSOR_CUH

#include "aref.cuh"
#include "element.cuh"
#include "ptx_copy.cuh"

namespace ws {

/* ---- global memory ----------------------------------------------------------------------------------------------- */

/* `base` is coordinate 0 of every dimension of the whole tensor.  A slice sets `origin`, the whole tensor's coordinate
   of the slice's coordinate 0.  A slice narrows [low, high), which is in coordinates of the whole tensor.  */
template <typename T, int N> struct tensor {
    T *base;
    long stride[N];
    int origin[N], low[N], high[N];
};
/* A slice.  Bit d of DIMS is set if TMA boxes may reach over the slice's edges in dimension d into the rest of the
   tensor.  */
template <typename T, int N, int DIMS> struct part : tensor<T, N> {
    int whole; /* dimensions in which the slice ends at the tensor's end, where TMA bounds the box */
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

/* Coordinates of the language have 64 bits.  Values that do not fit 31 bits lie outside every tensor.  */
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

/* The coordinate in the whole tensor of a slice's coordinate x.  */
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

/* As scalar_at, of a tensor that the kernel does not write.  `origin` and `low` of a whole tensor are 0.  */
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

/* An element of a tensor or slice that the kernel does not write, in the compute type.  */
template <typename X, typename I> static WS_DEVICE auto fixed_element(const X &t, I i)
{
    return widen(sliced<X> ? fixed_scalar_at(t, i, t.origin[0], t.low[0]) : fixed_scalar_at(t, i, 0, 0));
}

/* The element type of a tensor or a slice.  */
template <typename X> struct tensor_of;
template <typename T, int N> struct tensor_of<tensor<T, N>> {
    typedef T element;
};
template <typename T, int N, int DIMS> struct tensor_of<part<T, N, DIMS>> {
    typedef T element;
};
template <typename X> using element_of = typename tensor_of<X>::element;

/* Sets `origin` and `low` of a whole tensor to the constant 0, for the compiler.  */
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

/* On the host: true if rows begin and end at multiples of eight elements, and in memory at multiples of 16 bytes.  */
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

/* Tells the compiler the result of rows_in_vectors.  `t` is a copy, whose members carry the assumption.  */
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

/* The two innermost dimensions at fixed outer coordinates, relative to a tile's first element.  A vector is a plane of
   one row or of one column.  The specialization for boxes is in box.cuh.  */
template <typename T, typename B = void> struct plane {
    T *base;
    long stride;  /* elements between rows */
    int row, col; /* of the tile, in the whole tensor */
    int row_low, row_high, col_low, col_high;
    u32 steps; /* OR of all addends of a row's address; the same for all tiles of a tensor */

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
    /* The address `rows` rows below `from`, which at(r, c) returned.  */
    WS_DEVICE T *below(T *from, int, int rows, int) const
    {
        return from + rows * stride;
    }
    /* True if rows can be read and written as vectors of `bytes` bytes, aligned to their size, from the tile's first
       column on.  */
    WS_DEVICE bool aligned(int bytes) const
    {
        return ((steps | (u32)stride * (u32)sizeof(T) | (u32)col * (u32)sizeof(T)) & (u32)(bytes - 1)) == 0;
    }
    /* True if each aligned run of N columns of a tile of C columns lies either inside or outside the tensor.  */
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

/* True if an R x C tile at this place ends within the edges of a slice in DIMS of N dimensions.  TMA checks the
   tensor's own edges.  If an outer coordinate is outside, the plane is empty.  */
template <int R, int C, int DIMS, int N, typename T> static WS_DEVICE bool contained(const plane<T> &p, int whole = 0)
{
    constexpr bool outer = (DIMS & ((1 << (N - 2)) - 1)) != 0;
    bool rows = p.row >= p.row_low && ((!outer && whole >> (N - 2) & 1) || p.row <= p.row_high - R);
    bool cols = p.col >= p.col_low && ((!outer && whole >> (N - 1) & 1) || p.col <= p.col_high - C);
    return ((!outer && !(DIMS >> (N - 2) & 1)) || rows) && ((!outer && !(DIMS >> (N - 1) & 1)) || cols);
}

/* The plane of a (1,C) tile of a vector, or of a row of a matrix.  */
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

/* The plane of an (R,1) tile of a vector, or of a row of a matrix.  */
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

/* The extents of a box in all dimensions but the last.  If `splits`, each aligned run of sixteen rows is a box of
   extents of_rows.  */
template <int... E> struct extents {
    static constexpr int count = sizeof...(E), rows = (E * ...);

    static WS_CONSTANT int extent(int dim)
    {
        constexpr int all[] = {E...};
        return all[dim];
    }
    /* Coordinate `dim` of a row, relative to the box's corner.  */
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

/* Rows of a TMA box for tiles of `rows` rows: a divisor of at most 256, so that boxes of one size fill the tile.  The
   divisor is a multiple of the swizzle's 8 rows if `rows` is one.  */
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

/* Rows that one warp of the accumulator layout holds together, and stores by a box of its own.  */
constexpr int store_rows = 16;

struct map {
    CUtensorMap load;              /* boxes of box_rows(rows) rows */
    CUtensorMap store, store_half; /* boxes of store_rows rows and 128 or 64 bytes, if the tensor is stored */
    CUtensorMap store_pairs;       /* boxes of store_rows rows and two lines, if 32-bit elements fill lines */
    bool can_load, can_store, can_store_pairs;
};

/* Boxes of a tensor that is only read, and whose out-of-bounds rows cannot influence a store.  TMA needs longer for a
   row out of bounds than for a row in bounds (bench/notes/edges.md).  From row edge_first on, boxes have edge_rows
   rows: all rows that are left.  */
constexpr int no_edge = 0x7fffffff;

struct edge_map {
    CUtensorMap load, edge;
    int edge_first, edge_rows;
    bool can_load;
};

/* As edge_map, of a tensor that is loaded with a fill.  Threads write the rest of the last tile's slot.  */
struct filled_map : edge_map {};

/* Boxes of tiles whose step is at most their length.  Rows beyond the step cannot influence a store.  A box has `rows`
   rows, or the rows that one of several blocks loads; from row edge_first on, edge_rows.  */
struct step_map : edge_map {
    int rows;
};

/* The number of rows, of R from `row` on, that boxes load, and the tensor map of these boxes.  */
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

/* The boxes of all rows, of a map that has edge boxes as well.  */
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

/* Distance in rows between the parts of a tile that two adjacent blocks load.  R is the most that one block loads.  */
template <int R, typename M> static WS_DEVICE int rows_apart(const M &)
{
    return R;
}
template <int R> static WS_DEVICE int rows_apart(const step_map &m)
{
    return m.rows;
}

/* TMA fetches a tensor map at its first use.  One thread fetches it earlier.  */
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

/* True if TMA can load the tiles of all these tensors.  */
template <typename... M> static WS_DEVICE bool by_tma(const M &...maps)
{
    return (... && maps.can_load);
}

/* ---- shared memory ----------------------------------------------------------------------------------------------- */

WS_CONSTANT int round_up(int x, int multiple)
{
    return (x + multiple - 1) / multiple * multiple;
}

/* The element of a tile in lines of LINE bytes.  LINE is 64 or 32 and holds a row, is the length of a tile's only row,
   or is one element of a column.  Threads alone read these tiles.  */
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

/* Alignment of a slot: a period of the swizzle.  A column has no swizzle.  */
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

/* The element of a left operand's tile whose columns are permuted within each sixteen, as a fragment's bytes are in
   registers.  The four adjacent bytes of a lane are two columns and the two columns 8 further.  */
template <typename T> struct interleaved {
    T x;
};

/* An R x C window of a shared tile whose blocks have S rows.  */
template <typename T, int R, int C, int S> struct shared_view {
    typedef typename element_in<T>::type element;
    static constexpr int rows = R, cols = C, storage_rows = S;
    u32 base; /* address of the shared tile */
    int row, col;

    /* The swizzle takes address bits from the eighth on.  Their number is log2 of a line's chunks.  */
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

/* The transposed view: C x R.  */
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
