/* SPDX-License-Identifier: MIT */
/*
 * memory.cuh - tiles between registers, global memory and shared memory.
 *
 *   load      global -> registers            store, atomic_add   registers -> global
 *   read      shared -> registers            stage               registers or shared -> an operand in shared memory
 */
#ifndef WS_CUDA_MEMORY_CUH
#define WS_CUDA_MEMORY_CUH

#include "mma.cuh"

namespace ws {

/* ---- vectors of elements ----------------------------------------------------------------------------------------- */

/* Floats and integers keep their kind of register.  A product in flight forbids a copy of its accumulator to another
   register.  */
template <typename T, int BYTES> struct piece_of;
template <typename T> struct piece_of<T, 16> {
    typedef uint4 type;
};
template <typename T> struct piece_of<T, 8> {
    typedef uint2 type;
};
template <typename T> struct piece_of<T, 4> {
    typedef u32 type;
};
template <typename T> struct piece_of<T, 2> {
    typedef unsigned short type;
};
template <> struct piece_of<float, 16> {
    typedef float4 type;
};
template <> struct piece_of<float, 8> {
    typedef float2 type;
};
template <> struct piece_of<double, 16> {
    typedef double2 type;
};

/* PAIRS pairs of consecutive elements, moved in pieces of at most 16 bytes.  */
template <typename T, int PAIRS> struct vector {
    typedef typename number<T>::word word;
    static constexpr int bytes = PAIRS * 2 * (int)sizeof(T);
    static constexpr int piece = bytes >= 16 ? 16 : bytes, pieces = bytes / piece;
    typedef typename piece_of<T, piece>::type piece_type;
    static_assert(sizeof(word) == 2 * sizeof(T), "a pair is as large as two elements");

    union {
        T v[2 * PAIRS];
        word pairs[PAIRS];
        piece_type whole[pieces];
    };

    WS_DEVICE void fill(T x)
    {
#pragma unroll
        for (int i = 0; i < 2 * PAIRS; i++)
            v[i] = x;
    }
    WS_DEVICE void load(const T *from)
    {
#pragma unroll
        for (int i = 0; i < pieces; i++)
            whole[i] = reinterpret_cast<const piece_type *>(from)[i];
    }
    WS_DEVICE void load_if(bool condition, const T *from)
    {
#pragma unroll
        for (int i = 0; i < pieces; i++)
            ptx::load_if(condition, whole[i], reinterpret_cast<const piece_type *>(from) + i);
    }
    WS_DEVICE void store_if(bool condition, T *to) const
    {
#pragma unroll
        for (int i = 0; i < pieces; i++)
            ptx::store_if(condition, reinterpret_cast<piece_type *>(to) + i, whole[i]);
    }
    WS_DEVICE void store(T *to) const
    {
#pragma unroll
        for (int i = 0; i < pieces; i++)
            reinterpret_cast<piece_type *>(to)[i] = whole[i];
    }
};

/* Number of pairs that are contiguous in memory: one in a fragment, a vector in lines.  */
template <typename S> struct runs {
    static constexpr int pairs = S::vector / 2;
};
template <int R, int C> struct runs<spread<R, C, frag, false>> {
    static constexpr int pairs = 1;
};

#define WS_FOR_RUNS(S, slot, j, run) WS_FOR_SLOTS(S, slot) _Pragma("unroll") for (int j = 0; j < S::pairs; j += run)

/* ---- load: global memory to registers ---------------------------------------------------------------------------- */

template <int RUN, typename T, int R, int C, layout L>
static WS_DEVICE void set_run(tile<T, R, C, L> &y, int slot, int j, const vector<T, RUN> &x)
{
#pragma unroll
    for (int e = 0; e < RUN; e++)
        y.set_bits(slot, j + e, x.pairs[e]);
}

template <int RUN, typename T, int R, int C, layout L>
static WS_DEVICE vector<T, RUN> get_run(const tile<T, R, C, L> &x, int slot, int j)
{
    vector<T, RUN> y;
#pragma unroll
    for (int e = 0; e < RUN; e++)
        y.pairs[e] = x.bits(slot, j + e);
    return y;
}

/* Adds -0 to all numbers, by an instruction that always executes.  An accumulator made by conditional loads alone makes
   ptxas serialize its products (C7515).  The addition waits for the load, so rows without products are left out.  */
template <typename X> static WS_DEVICE void define(X &)
{
}
template <int R, int C> static WS_DEVICE void define(tile<float, R, C, frag> &x)
{
    constexpr int numbers = R < 64 ? 0 : sizeof(x.cell.v) / sizeof(float);
#pragma unroll
    for (int i = 0; i < numbers; i++)
        asm volatile("add.f32 %0, %0, 0f80000000;" : "+f"(x.cell.v[i]));
}

/* The element for out-of-bounds coordinates.  If the fill is a float, constant folding needs no double.  */
template <typename T> static WS_DEVICE T outside_of(double fill)
{
    if constexpr (same_type<math_of<T>, float>) {
        const float same = (float)fill;
        return number<T>::narrow((double)same == fill ? same : convert<T>()(fill));
    } else {
        return number<T>::narrow(convert<T>()(fill));
    }
}

template <int R, int C, layout L, typename T, typename W>
static WS_DEVICE tile<T, R, C, L> load_plane(const plane<T, W> &p, double fill)
{
    typedef spread<R, C, L> S;
    tile<T, R, C, L> y;
    const T outside = outside_of<T>(fill);
    if constexpr (C == 1) {
        WS_FOR_SLOTS(S, slot)
        {
            int r = S::row(slot);
            math_of<T> x = widen(p.row_inside(r) && p.col_inside(0) ? *p.at(r, 0) : outside);
            y.set(slot, 0, x, x);
        }
    } else {
        constexpr int run = runs<S>::pairs;
        typedef vector<T, run> piece;
        const bool whole = p.aligned(piece::piece) & p.template runs_whole<2 * run, C>();
        /* All loads are independent, so that all are in flight at once.  A row that lies inside is checked once; a
           check of each piece costs three instructions.  */
        if (R == 1 && L == frag && same_type<W, void> && S::whole_cols && whole && p.row_inside(0) && p.col_inside(0) &&
            p.col_inside(C - 1)) {
            WS_FOR_RUNS(S, slot, j, run)
            {
                piece x;
                x.load(p.at(S::row(slot), S::col(j)));
                set_run<run>(y, slot, j, x);
            }
        } else if (whole) {
            WS_FOR_RUNS(S, slot, j, run)
            {
                int r = S::row(slot), c = S::col(j);
                piece x;
                x.fill(outside);
                const bool inside =
                    p.row_inside(r) && has_row<S, R>(slot) && p.col_inside(c) && (S::whole_cols || c < C);
                if constexpr (L != frag)
                    x.load_if(inside, p.at(r, S::col(0)) + S::behind(j)); /* one address for a row */
                else if (inside)
                    x.load(p.at(r, c));
                set_run<run>(y, slot, j, x);
            }
        } else {
            WS_FOR_RUNS(S, slot, j, run)
            {
                int r = S::row(slot), c = S::col(j);
                piece x;
                x.fill(outside);
#pragma unroll
                for (int e = 0; e < 2 * run; e++)
                    if (p.row_inside(r) && has_row<S, R>(slot) && p.col_inside(c + e) && c + e < C)
                        x.v[e] = *p.at(r, c + e);
                set_run<run>(y, slot, j, x);
            }
        }
        define(y);
    }
    return y;
}

template <int R, int C, layout L, typename X, typename... I>
static WS_DEVICE tile<element_of<X>, R, C, L> load_or(double fill, const X &t, I... at)
{
    return load_plane<R, C, L>(plane_at(known(t), at...), fill);
}
template <int R, int C, layout L, typename X, typename... I>
static WS_DEVICE tile<element_of<X>, R, C, L> load(const X &t, I... at)
{
    return load_plane<R, C, L>(plane_at(known(t), at...), 0.0);
}
template <int C, layout L, typename X, typename... I>
static WS_DEVICE tile<element_of<X>, 1, C, L> load_row_or(double fill, const X &t, I... at)
{
    return load_plane<1, C, L>(row_at(known(t), at...), fill);
}
template <int C, layout L, typename X, typename... I>
static WS_DEVICE tile<element_of<X>, 1, C, L> load_row(const X &t, I... at)
{
    return load_plane<1, C, L>(row_at(known(t), at...), 0.0);
}
template <int R, layout L, typename X, typename... I>
static WS_DEVICE tile<element_of<X>, R, 1, L> load_col_or(double fill, const X &t, I... at)
{
    return load_plane<R, 1, L>(col_at(known(t), at...), fill);
}
template <int R, layout L, typename X, typename... I>
static WS_DEVICE tile<element_of<X>, R, 1, L> load_col(const X &t, I... at)
{
    return load_plane<R, 1, L>(col_at(known(t), at...), 0.0);
}

/* ---- store: registers to global memory --------------------------------------------------------------------------- */

/* Transposes 4 x 4 words among the lanes of a quad: word i of lane q becomes word q of lane i.  */
static WS_DEVICE void turn_over(u32 (&w)[4])
{
    const u32 lane = ptx::lane();
#pragma unroll
    for (int bit = 1; bit < 4; bit *= 2) {
        const bool high = (lane & (u32)bit) != 0;
#pragma unroll
        for (int k = 0; k < 2; k++) {
            const int low = bit == 1 ? 2 * k : k;
            const u32 got = __shfl_xor_sync(0xffffffffu, high ? w[low] : w[low + bit], bit);
            (high ? w[low] : w[low + bit]) = got;
        }
    }
}

/* The lanes of a quad hold eight columns of four rows.  After a transposition each lane has 16 bytes of one row.  */
template <typename T, int R, int C, typename W>
static WS_DEVICE void store_quads(const plane<T, W> &p, const tile<T, R, C, frag> &x)
{
    typedef spread<R, C, frag> S;
#pragma unroll
    for (int first = 0; first < S::slots; first += 4)
#pragma unroll
        for (int j = 0; j < C / 8; j++) {
            u32 w[4];
#pragma unroll
            for (int i = 0; i < 4; i++)
                w[i] = x.cell.v[S::index(first + i, j)];
            turn_over(w);
            const int r = S::row(first + (int)(ptx::lane() % 4));
            if (p.row_inside(r) && p.col_inside(8 * j))
                *reinterpret_cast<uint4 *>(p.at(r, 8 * j)) = uint4{w[0], w[1], w[2], w[3]};
        }
}

template <typename T, int R, int C, layout L, typename W>
static WS_DEVICE void store_plane(const plane<T, W> &p, const tile<T, R, C, L> &x)
{
    typedef spread<R, C, L> S;
    if ((R == 1 || C == 1) && !S::speaks())
        return;
    if (L == frag && p.col >= p.col_high) /* a subtile of a tile longer than its step, wholly beyond it */
        return;
    if constexpr (L == frag && sizeof(T) == 2 && R % 128 == 0 && C % 8 == 0)
        if (p.aligned(16) && p.template runs_whole<8, C>()) {
            store_quads(p, x);
            return;
        }
    if constexpr (C == 1) {
        WS_FOR_SLOTS(S, slot)
        {
            int r = S::row(slot);
            if (has_row<S, R>(slot) && p.row_inside(r) && p.col_inside(0))
                *p.at(r, 0) = number<T>::narrow(x.get(slot, 0).low);
        }
    } else {
        constexpr int run = runs<S>::pairs;
        typedef vector<T, run> piece;
        if (p.aligned(piece::piece) && p.template runs_whole<2 * run, C>()) {
            WS_FOR_RUNS(S, slot, j, run)
            {
                int r = S::row(slot), c = S::col(j);
                const bool inside =
                    p.row_inside(r) && has_row<S, R>(slot) && p.col_inside(c) && (S::whole_cols || c < C);
                if constexpr (L != frag)
                    get_run<run>(x, slot, j).store_if(inside, p.at(r, S::col(0)) + S::behind(j));
                else if (inside)
                    get_run<run>(x, slot, j).store(p.at(r, c));
            }
        } else {
            WS_FOR_RUNS(S, slot, j, run)
            {
                int r = S::row(slot), c = S::col(j);
                const piece y = get_run<run>(x, slot, j);
#pragma unroll
                for (int e = 0; e < 2 * run; e++)
                    if (p.row_inside(r) && has_row<S, R>(slot) && p.col_inside(c + e) && c + e < C)
                        *p.at(r, c + e) = y.v[e];
            }
        }
    }
}

/* The tile is the last argument, after the coordinates.  */
template <typename T, typename X, typename Y, int R, int C, layout L>
static WS_DEVICE void store(const tensor<T, 2> &t, X row, Y col, const tile<T, R, C, L> &x)
{
    store_plane(plane_at(t, row, col), x);
}
template <typename T, typename W, typename X, typename Y, int R, int C, layout L>
static WS_DEVICE void store(const tensor<T, 3> &t, W w, X row, Y col, const tile<T, R, C, L> &x)
{
    store_plane(plane_at(t, w, row, col), x);
}
template <typename T, typename V, typename W, typename X, typename Y, int R, int C, layout L>
static WS_DEVICE void store(const tensor<T, 4> &t, V v, W w, X row, Y col, const tile<T, R, C, L> &x)
{
    store_plane(plane_at(t, v, w, row, col), x);
}
template <typename T, typename Y, int C, layout L>
static WS_DEVICE void store_row(const tensor<T, 1> &t, Y col, const tile<T, 1, C, L> &x)
{
    store_plane(row_at(t, col), x);
}
template <typename T, typename W, typename Y, int C, layout L>
static WS_DEVICE void store_row(const tensor<T, 2> &t, W w, Y col, const tile<T, 1, C, L> &x)
{
    store_plane(row_at(t, w, col), x);
}
template <typename T, typename X, int R, layout L>
static WS_DEVICE void store_col(const tensor<T, 1> &t, X row, const tile<T, R, 1, L> &x)
{
    store_plane(col_at(t, row), x);
}
template <typename T, typename W, typename X, int R, layout L>
static WS_DEVICE void store_col(const tensor<T, 2> &t, W w, X row, const tile<T, R, 1, L> &x)
{
    store_plane(col_at(t, w, row), x);
}

template <typename T, layout L> constexpr bool adds_fours = false;
template <layout L> constexpr bool adds_fours<float, L> = L != frag;

/* Adds four adjacent elements at a time; each run of four lies either inside or outside.  */
template <int R, int C, layout L, typename W>
static WS_DEVICE void add_fours(const plane<float, W> &p, const tile<float, R, C, L> &x)
{
    typedef spread<R, C, L> S;
    WS_FOR_RUNS(S, slot, j, 2)
    {
        int r = S::row(slot), c = S::col(j);
        if (p.row_inside(r) && has_row<S, R>(slot) && p.col_inside(c) && c < C)
            ptx::add_four(p.at(r, c), x.get(slot, j).low, x.get(slot, j).high, x.get(slot, j + 1).low,
                          x.get(slot, j + 1).high);
    }
}

template <typename T, int R, int C, layout L, typename W>
static WS_DEVICE void add_plane(const plane<T, W> &p, const tile<T, R, C, L> &x)
{
    typedef spread<R, C, L> S;
    if ((R == 1 || C == 1) && !S::speaks())
        return;
    if constexpr (adds_fours<T, L> && C % 4 == 0 && runs<S>::pairs % 2 == 0)
        if (p.aligned(16) && p.template runs_whole<4, C>()) {
            add_fours(p, x);
            return;
        }
    WS_FOR_CELLS(S, slot, j)
    {
        int r = S::row(slot), c = S::col(j);
        if (!p.row_inside(r) || !has_row<S, R>(slot))
            continue;
        if (p.col_inside(c) && c < C)
            atomicAdd(p.at(r, c), x.get(slot, j).low);
        if (C > 1 && p.col_inside(c + 1) && c + 1 < C)
            atomicAdd(p.at(r, c + 1), x.get(slot, j).high);
    }
}
template <typename T, typename X, typename Y, int R, int C, layout L>
static WS_DEVICE void atomic_add(const tensor<T, 2> &t, X row, Y col, const tile<T, R, C, L> &x)
{
    add_plane(plane_at(t, row, col), x);
}
template <typename T, typename W, typename X, typename Y, int R, int C, layout L>
static WS_DEVICE void atomic_add(const tensor<T, 3> &t, W w, X row, Y col, const tile<T, R, C, L> &x)
{
    add_plane(plane_at(t, w, row, col), x);
}
template <typename T, typename V, typename W, typename X, typename Y, int R, int C, layout L>
static WS_DEVICE void atomic_add(const tensor<T, 4> &t, V v, W w, X row, Y col, const tile<T, R, C, L> &x)
{
    add_plane(plane_at(t, v, w, row, col), x);
}

/* ---- elements of a vector by their indices ----------------------------------------------------------------------- */

template <typename T, typename I> static WS_DEVICE T *element_to(const tensor<T, 1> &t, I index)
{
    const int x = absolute(clamp(index), t.origin[0]);
    return inside(x, t.low[0], t.high[0]) ? t.base + x : nullptr;
}

template <typename T, typename I, int R, int C, layout L, typename F>
static WS_DEVICE void each_index(const tensor<T, 1> &t, const tile<I, R, C, L> &index, const tile<T, R, C, L> &x, F to)
{
    typedef spread<R, C, L> S;
    if ((R == 1 || C == 1) && !S::speaks())
        return;
    WS_FOR_CELLS(S, slot, j)
    {
        const int c = S::col(j);
        const auto at = index.get(slot, j);
        const auto from = x.get(slot, j);
        if (!has_row<S, R>(slot))
            continue;
        T *const low = C == 1 || c < C ? element_to(t, at.low) : nullptr;
        T *const high = C > 1 && c + 1 < C ? element_to(t, at.high) : nullptr;
        if (low)
            to(low, from.low);
        if (high)
            to(high, from.high);
    }
}

template <typename T, typename I, int R, int C, layout L>
static WS_DEVICE void store_at(const tensor<T, 1> &t, const tile<I, R, C, L> &index, const tile<T, R, C, L> &x)
{
    each_index(t, index, x, [](T *to, auto from) { *to = number<T>::narrow(from); });
}

template <typename T> static WS_DEVICE void add_in_memory(T *to, T x)
{
    if constexpr (same_type<T, long>)
        atomicAdd((unsigned long long *)to, (unsigned long long)x);
    else
        atomicAdd(to, x);
}

/* The address of four adjacent columns' elements if their indices are consecutive and aligned to 16 bytes; else
   nullptr.  */
template <typename I> static WS_DEVICE float *four_to(const tensor<float, 1> &t, pair<I> at, pair<I> more)
{
    const u64 first = (u64)(long)at.low;
    const bool follow = (u64)(long)at.high == first + 1 && (u64)(long)more.low == first + 2;
    float *const to = element_to(t, at.low);
    const bool whole = follow && (u64)(long)more.high == first + 3 && to && element_to(t, more.high);
    return whole && (u64)to % 16 == 0 ? to : nullptr;
}

template <typename I> static WS_DEVICE void add_pair_at(const tensor<float, 1> &t, pair<I> at, pair<float> x)
{
    float *const low = element_to(t, at.low), *const high = element_to(t, at.high);
    if (low)
        atomicAdd(low, x.low);
    if (high)
        atomicAdd(high, x.high);
}

/* Adds rows by their indices, four elements by one instruction.  */
template <typename I, int R, int C, layout L>
static WS_DEVICE void add_fours_at(const tensor<float, 1> &t, const tile<I, R, C, L> &index,
                                   const tile<float, R, C, L> &x)
{
    typedef spread<R, C, L> S;
    if (R == 1 && !S::speaks())
        return;
    WS_FOR_RUNS(S, slot, j, 2)
    {
        if (!has_row<S, R>(slot) || S::col(j) >= C)
            continue;
        const pair<I> at = index.get(slot, j), more = index.get(slot, j + 1);
        const pair<float> y = x.get(slot, j), z = x.get(slot, j + 1);
        float *const to = four_to(t, at, more);
        if (to) {
            ptx::add_four(to, y.low, y.high, z.low, z.high);
        } else {
            add_pair_at(t, at, y);
            add_pair_at(t, more, z);
        }
    }
}

template <typename T, typename I, int R, int C, layout L>
static WS_DEVICE void atomic_add_at(const tensor<T, 1> &t, const tile<I, R, C, L> &index, const tile<T, R, C, L> &x)
{
    constexpr bool fours = same_type<T, float> && C % 4 == 0 && runs<spread<R, C, L>>::pairs % 2 == 0;
    if constexpr (fours)
        add_fours_at(t, index, x);
    else
        each_index(t, index, x, [](T *to, auto from) { add_in_memory(to, from); });
}

/* ---- read: shared memory to registers ---------------------------------------------------------------------------- */

/* True if eight rows can be read as matrices of 8 x 8.  */
template <typename V>
static constexpr bool by_matrices = sizeof(typename V::element) == 2 && V::rows % 64 == 0 && V::cols % 16 == 0;

/* For bytes, in chunks of 16.  Rows 8 apart have the same swizzle, so one address serves four pairs.  */
template <typename V>
static constexpr bool by_chunks = sizeof(typename V::element) == 1 && V::rows % 64 == 0 && V::cols % 16 == 0;

template <typename E, int R, int C, int S_>
static WS_DEVICE tile<typename element_in<E>::type, R, C, frag> read_chunks(const shared_view<E, R, C, S_> &v)
{
    typedef spread<R, C, frag> S;
    tile<typename element_in<E>::type, R, C, frag> y;
#pragma unroll
    for (int slot = 0; slot < S::slots; slot += 2)
#pragma unroll
        for (int j = 0; j < S::pairs; j += 2) {
            const u32 at = v.address(S::row(slot), S::col(j));
#pragma unroll
            for (int n = 0; n < 4; n++)
                y.set_bits(slot + n / 2, j + n % 2,
                           *reinterpret_cast<const unsigned short *>(
                               __cvta_shared_to_generic(at + n / 2 * 8 * line_bytes<E> + n % 2 * 8)));
        }
    return y;
}

template <layout L, typename E, int R, int C, int S_>
static WS_DEVICE tile<typename element_in<E>::type, R, C, L> read(const shared_view<E, R, C, S_> &v)
{
    typedef typename element_in<E>::type T;
    typedef spread<R, C, L> S;
    tile<T, R, C, L> y;
    if constexpr (L == frag && by_chunks<shared_view<E, R, C, S_>>) {
        if (v.col % 16 == 0)
            return read_chunks(v);
    }
    if constexpr (L == frag && by_matrices<shared_view<E, R, C, S_>>) {
        if (v.col * sizeof(T) % 16 == 0) {
#pragma unroll
            for (int b = 0; b < R / 64; b++)
#pragma unroll
                for (int j = 0; j < S::pairs; j += 2) {
                    u32 *w = &y.cell.v[S::index(2 * b, j)];
                    int row = b * 64 + (int)(threadIdx.x / 32 % 4) * 16 + (int)(ptx::lane() % 16);
                    ptx::ldmatrix_x4(v.address(row, j * 8 + (int)(ptx::lane() / 16) * 8), w[0], w[1], w[2], w[3]);
                }
            return y;
        }
    }
    if constexpr (C == 1) {
        WS_FOR_SLOTS(S, slot)
        {
            math_of<T> x = widen(has_row<S, R>(slot) ? v.at(S::row(slot), 0) : T{});
            y.set(slot, 0, x, x);
        }
    } else {
        constexpr int run = runs<S>::pairs;
        typedef vector<T, run> piece;
        constexpr int step = piece::piece / (int)sizeof(T);
        const bool aligned = v.col * (int)sizeof(T) % piece::piece == 0;
        WS_FOR_SLOTS(S, slot)
        {
            int r = S::row(slot);
            bool row_inside = has_row<S, R>(slot);
#pragma unroll
            for (int j = 0; j < S::pairs; j += run) {
                int c = S::col(j);
                piece x{};
                if (aligned && row_inside && (S::whole_cols || c + 2 * run <= C)) {
#pragma unroll
                    for (int i = 0; i < piece::pieces; i++)
                        x.whole[i] = *reinterpret_cast<const typename piece::piece_type *>(
                            __cvta_shared_to_generic(v.address(r, c + i * step)));
                } else if (row_inside) {
#pragma unroll
                    for (int e = 0; e < 2 * run; e++)
                        if (c + e < C)
                            x.v[e] = v.at(r, c + e);
                }
#pragma unroll
                for (int e = 0; e < run; e++)
                    y.set_bits(slot, j + e, x.pairs[e]);
            }
        }
    }
    return y;
}

template <layout L, typename V>
static WS_DEVICE tile<typename V::element, V::cols, V::rows, L> read(const transposed_view<V> &v)
{
    constexpr int R = V::cols, C = V::rows;
    typedef spread<R, C, L> S;
    tile<typename V::element, R, C, L> y;
    WS_FOR_CELLS(S, slot, j)
    {
        int r = S::row(slot), c = S::col(j);
        bool row_inside = has_row<S, R>(slot);
        typename V::element low{}, high{};
        if (row_inside && c < C)
            low = v.at(r, c);
        if (row_inside && c + 1 < C)
            high = v.at(r, c + 1);
        y.set(slot, j, widen(low), widen(high));
    }
    return y;
}

/* ---- stage: an operand in shared memory -------------------------------------------------------------------------- */

template <typename M, typename T, int R, int C, int S_, layout L>
static WS_DEVICE void write_shared(const shared_view<M, R, C, S_> &v, const tile<T, R, C, L> &x)
{
    typedef spread<R, C, L> S;
    if constexpr (L == frag && by_matrices<shared_view<M, R, C, S_>>) {
#pragma unroll
        for (int b = 0; b < R / 64; b++)
#pragma unroll
            for (int j = 0; j < S::pairs; j += 2) {
                const u32 *w = &x.cell.v[S::index(2 * b, j)];
                int row = b * 64 + (int)(threadIdx.x / 32 % 4) * 16 + (int)(ptx::lane() % 16);
                ptx::stmatrix_x4(v.address(row, j * 8 + (int)(ptx::lane() / 16) * 8), w[0], w[1], w[2], w[3]);
            }
    } else if constexpr (L != frag && R > 1 && S::whole_rows && S::whole_cols && same_type<M, T> && C > 1) {
        constexpr int run = runs<S>::pairs;
        typedef vector<T, run> piece;
        constexpr int step = piece::piece / (int)sizeof(T);
        WS_FOR_RUNS(S, slot, j, run)
        {
            const piece y = get_run<run>(x, slot, j);
#pragma unroll
            for (int i = 0; i < piece::pieces; i++)
                *reinterpret_cast<typename piece::piece_type *>(
                    __cvta_shared_to_generic(v.address(S::row(slot), S::col(j) + i * step))) = y.whole[i];
        }
    } else {
        WS_FOR_CELLS(S, slot, j)
        {
            int r = S::row(slot), c = S::col(j);
            if (!has_row<S, R>(slot) || ((R == 1 || C == 1) && !S::speaks()))
                continue;
            pair<math_of<T>> p = x.get(slot, j);
            if (c < C)
                v.set(r, c, M(number<T>::narrow(p.low)));
            if (c + 1 < C)
                v.set(r, c + 1, M(number<T>::narrow(p.high)));
        }
    }
}

/* Makes this thread's writes to shared memory visible to TMA and the tensor cores.  */
static WS_DEVICE void fence()
{
    ptx::fence_proxy_async();
}

/* Each thread writes its part.  The caller emits barriers before and after, and the fence.  M is T, or tf32.  */
template <typename M, typename T, int R, int C, layout L>
static WS_DEVICE shared_view<M, R, C, R> stage(shared_tile<M, R, C> &to, const tile<T, R, C, L> &x)
{
    write_shared(view(to), x);
    return view(to);
}

template <typename M, int R, int C, typename V>
static WS_DEVICE shared_view<M, R, C, R> stage_view(shared_tile<M, R, C> &to, const V &from)
{
    static_assert(V::rows == R && V::cols == C, "shapes of stage");
    const shared_view<M, R, C, R> v = view(to);
#pragma unroll 4
    for (int i = (int)threadIdx.x % 128; i < R * C; i += 128)
        v.set(i / C, i % C, M(from.at(i / C, i % C)));
    return v;
}
template <typename M, typename T, int R, int C, int S>
static WS_DEVICE shared_view<M, R, C, R> stage(shared_tile<M, R, C> &to, const shared_view<T, R, C, S> &from)
{
    return stage_view(to, from);
}
template <typename M, int R, int C, typename V>
static WS_DEVICE shared_view<M, R, C, R> stage(shared_tile<M, R, C> &to, const transposed_view<V> &from)
{
    return stage_view(to, from);
}

/* Writes a group's rows of a tile that several groups put.  */
template <typename M, typename T, int R, int C, int PART, layout L>
static WS_DEVICE void put_rows(shared_tile<M, R, C> &to, const tile<T, PART, C, L> &x, long first_row)
{
    write_shared(window<PART, C>(to, (int)first_row, 0), x);
}

/* ---- gather: an operand of which each group has some rows -------------------------------------------------------- */

template <int N, int FIRST> static WS_DEVICE void sync(role_barrier<N, FIRST> &groups, int)
{
    groups.all();
}

/* The caller emits barriers and the fence.  */
template <typename T, int R, int C, int PART, layout L>
static WS_DEVICE shared_view<T, R, C, R> gather(shared_tile<T, R, C> (&to)[1], const tile<T, PART, C, L> &x,
                                                long first_row)
{
    write_shared(window<PART, C>(to[0], (int)first_row, 0), x);
    return view(to[0]);
}

/* Two slots that take turns.  */
template <typename T, int R, int C, int PART, layout L>
static WS_DEVICE shared_view<T, R, C, R> gather(shared_tile<T, R, C> (&to)[2], int &turn, const tile<T, PART, C, L> &x,
                                                long first_row)
{
    shared_tile<T, R, C> &here = to[turn];
    turn ^= 1;
    write_shared(window<PART, C>(here, (int)first_row, 0), x);
    return view(here);
}

} // namespace ws

#endif
