/* SPDX-License-Identifier: MIT */
/*
 * warp_products.cuh - products by instructions of a warp (mma.sync), for GPUs without wgmma.
 *
 * An accumulator has the layout of wgmma: of each 64 rows a warp has 16, to which one instruction adds 8 columns.  So
 * no tile, reduction or store depends on the unit.  Operands come by ldmatrix out of the same swizzled lines:
 *
 *                    lines run along                     one step of K         one matrix of 8 lines has
 *      along_k       K: a view as a, a trans view as b   32 bytes of a line    16 bytes of K for 8 of M or N
 *      across_k      M or N, elements of 16 bits         16 lines              8 of M or N for 8 of K, transposed
 *
 * All element types share these steps: 16 elements of 16 bits, 8 of tf32, 32 bytes.  Columns of b pass by sixteen at a
 * time.  Each is multiplied with all blocks of 64 rows, so that a group of 128 rows reads half as much of b as two of
 * 64.  Operands of the next instructions are loaded before the present ones are issued.
 *
 * Products are done on return: commit and wait have nothing to do.
 */
#ifndef WS_CUDA_MMA_WARP_PRODUCTS_CUH
#define WS_CUDA_MMA_WARP_PRODUCTS_CUH

#include "../elementwise.cuh"

namespace ws {

namespace warp_products {

static WS_DEVICE int warp()
{
    return (int)(threadIdx.x / 32 % 4);
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

/* Pieces of 16 lines (`across`) by 32 bytes (`along`).  A window begins at a multiple of 32 bytes.  */
template <typename V> struct pieces {
    u32 at;    /* this lane's line of the first piece, in the window's first block of 128 bytes */
    int first; /* the window's first piece in a line */

    /* line, chunk: of this lane, below 16 lines and 2 chunks of 16 bytes.  */
    WS_DEVICE pieces(const V &v, int line, int chunk)
    {
        const int byte = v.col * (int)sizeof(typename V::element), row = v.row + line;
        at = v.base + (u32)(byte / 128) * block_bytes(V::storage_rows) + (u32)row * 128 + (u32)(chunk ^ row % 8) * 16;
        first = byte % 128 / 32;
    }
    WS_DEVICE u32 address(int across, int along) const
    {
        const u32 piece = (u32)(first + along);
        return (at ^ piece % 4 * 32) + piece / 4 * block_bytes(V::storage_rows) + (u32)across * 2048;
    }
};

/* A lane's line of 16, if pairs of 8 lines come first, or pairs of chunks do; and its chunk.  */
static WS_DEVICE int line_first()
{
    return (int)(ptx::lane() % 16);
}
static WS_DEVICE int chunk_second()
{
    return (int)(ptx::lane() / 16);
}
static WS_DEVICE int line_second()
{
    return (int)(ptx::lane() % 8 + ptx::lane() / 16 * 8);
}
static WS_DEVICE int chunk_first()
{
    return (int)(ptx::lane() / 8 % 2);
}

/* Fragments of a: rows g and g + 8 of the first half of K, then of the second.  */
template <typename V> struct left_along_k {
    pieces<V> p;
    explicit WS_DEVICE left_along_k(const V &v) : p(v, warp() * 16 + line_first(), chunk_second())
    {
    }
    WS_DEVICE void load(u32 (&r)[4], int block, int step) const
    {
        ptx::ldmatrix_x4(p.address(block * 4, step), r[0], r[1], r[2], r[3]);
    }
};
template <typename V> struct left_across_k {
    static_assert(sizeof(typename V::element) == 2, "only 16-bit operands may lie across K");
    pieces<V> p;
    explicit WS_DEVICE left_across_k(const V &v) : p(v, line_second(), warp() * 2 + chunk_first())
    {
    }
    WS_DEVICE void load(u32 (&r)[4], int block, int step) const
    {
        ptx::ldmatrix_x4_trans(p.address(step, block * 4), r[0], r[1], r[2], r[3]);
    }
};

/* Fragments of 16 columns of b: of the first eight both halves of K, then of the others.  */
template <typename V> struct right_along_k {
    pieces<V> p;
    explicit WS_DEVICE right_along_k(const V &v) : p(v, line_second(), chunk_first())
    {
    }
    WS_DEVICE void load(u32 (&r)[4], int piece, int step) const
    {
        ptx::ldmatrix_x4(p.address(piece, step), r[0], r[1], r[2], r[3]);
    }
    /* The first eight columns alone: of the lanes, ldmatrix takes the first half's addresses.  */
    WS_DEVICE void load_eight(u32 (&r)[4], int piece, int step) const
    {
        ptx::ldmatrix_x2(p.address(piece, step), r[0], r[1]);
    }
};
template <typename V> struct right_across_k {
    static_assert(sizeof(typename V::element) == 2, "only 16-bit operands may lie across K");
    pieces<V> p;
    explicit WS_DEVICE right_across_k(const V &v) : p(v, line_first(), chunk_second())
    {
    }
    /* The second eight columns lie in the same line.  */
    WS_DEVICE void load(u32 (&r)[4], int piece, int step) const
    {
        ptx::ldmatrix_x4_trans(p.address(step, piece), r[0], r[1], r[2], r[3]);
    }
    WS_DEVICE void load_eight(u32 (&r)[4], int piece, int step) const
    {
        load(r, piece, step);
    }
};

template <typename T, int R, int C, int S>
static WS_DEVICE left_along_k<shared_view<T, R, C, S>> as_a(shared_view<T, R, C, S> v)
{
    return left_along_k<shared_view<T, R, C, S>>(v);
}
template <typename V> static WS_DEVICE left_across_k<V> as_a(transposed_view<V> v)
{
    return left_across_k<V>(v.of);
}
template <typename T, int R, int C, int S>
static WS_DEVICE right_across_k<shared_view<T, R, C, S>> as_b(shared_view<T, R, C, S> v)
{
    return right_across_k<shared_view<T, R, C, S>>(v);
}
template <typename V> static WS_DEVICE right_along_k<V> as_b(transposed_view<V> v)
{
    return right_along_k<V>(v.of);
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

/* An interleaved element has its original type.  */
template <typename T> struct plain {
    typedef T type;
};
template <typename T> struct plain<interleaved<T>> {
    typedef T type;
};

/* Adds to 16 x 8 sums.  */
template <typename A, typename B> struct product;
#define WS_WARP_PRODUCT(A, B, SUM, constraint, shape, types)                                                 \
    template <> struct product<A, B> {                                                                       \
        static WS_DEVICE void add(SUM &d0, SUM &d1, SUM &d2, SUM &d3, const u32 (&a)[4], u32 b0, u32 b1)     \
        {                                                                                                    \
            asm volatile("mma.sync.aligned." shape ".row.col." types " {%0, %1, %2, %3}, {%4, %5, %6, %7}, " \
                         "{%8, %9}, {%0, %1, %2, %3};"                                                       \
                         : "+" constraint(d0), "+" constraint(d1), "+" constraint(d2), "+" constraint(d3)    \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));                    \
        }                                                                                                    \
    };
WS_WARP_PRODUCT(f16, f16, float, "f", "m16n8k16", "f32.f16.f16.f32")
WS_WARP_PRODUCT(bf16, bf16, float, "f", "m16n8k16", "f32.bf16.bf16.f32")
WS_WARP_PRODUCT(tf32, tf32, float, "f", "m16n8k8", "f32.tf32.tf32.f32")
WS_WARP_PRODUCT(e4m3, e4m3, float, "f", "m16n8k32", "f32.e4m3.e4m3.f32")
WS_WARP_PRODUCT(e4m3, e5m2, float, "f", "m16n8k32", "f32.e4m3.e5m2.f32")
WS_WARP_PRODUCT(e5m2, e4m3, float, "f", "m16n8k32", "f32.e5m2.e4m3.f32")
WS_WARP_PRODUCT(e5m2, e5m2, float, "f", "m16n8k32", "f32.e5m2.e5m2.f32")
WS_WARP_PRODUCT(signed char, signed char, int, "r", "m16n8k32", "s32.s8.s8.s32")
#undef WS_WARP_PRODUCT

/* ---- all of a product -------------------------------------------------------------------------------------------- */

/* Sixteen of W columns, or the last eight.  */
template <int W, typename B> static WS_DEVICE void load_b(u32 (&r)[4], const B &b, int piece, int step)
{
    if (W % 16 == 0 || piece < W / 16)
        b.load(r, piece, step);
    else
        b.load_eight(r, piece, step);
}

/* The first W columns of a tile of N.  load_a(registers, block, step) gives the left operand.  With setmaxnreg,
   registers for two turns suffice.  Otherwise a second warp of the scheduler multiplies during the loads.  */
template <typename P, int M, int N, int W, int STEPS, typename D, typename LOAD, typename B>
static WS_DEVICE void products(D &d, const LOAD &load_a, const B &b)
{
    constexpr int blocks = (M + 63) / 64, pieces = (W + 15) / 16, ahead = WS_GPU_SETMAXNREG;
    u32 left[1 + ahead][blocks][4], right[1 + ahead][4];
    __syncwarp(); /* threads leave the wait for a slot one by one, and a warp's instructions need all of them */
    if (ahead)
        load_b<W>(right[0], b, 0, 0);
#pragma unroll
    for (int block = 0; block < blocks && ahead; block++)
        load_a(left[0][block], block, 0);
#pragma unroll
    for (int step = 0; step < STEPS; step++)
#pragma unroll
        for (int piece = 0; piece < pieces; piece++) {
            const int turn = step * pieces + piece, next = turn + ahead, next_step = step + ahead;
            if (next < STEPS * pieces)
                load_b<W>(right[next % (1 + ahead)], b, next % pieces, next / pieces);
            if (piece == (ahead ? pieces - 1 : 0) && next_step < STEPS)
#pragma unroll
                for (int block = 0; block < blocks; block++)
                    load_a(left[next_step % (1 + ahead)][block], block, next_step);
#pragma unroll
            for (int block = 0; block < blocks; block++) {
                const int o = block * (round_up(N, 8) / 2) + piece * 8;
                const u32 *y = right[turn % (1 + ahead)];
                const u32(&x)[4] = left[step % (1 + ahead)][block];
                P::add(d[o], d[o + 1], d[o + 2], d[o + 3], x, y[0], y[1]);
                if (piece * 16 + 8 < W)
                    P::add(d[o + 4], d[o + 5], d[o + 6], d[o + 7], x, y[2], y[3]);
            }
        }
}

/* ---- the unit of mma.cuh ----------------------------------------------------------------------------------------- */

WS_CONSTANT int width_step(int n, bool)
{
    return n > 208 ? 16 : 8;
}

template <int M, int N, int W, typename D, typename A, typename B>
static WS_DEVICE void multiply(D &d, const A &a, const B &b)
{
    typedef product<typename plain<typename A::element>::type, typename plain<typename B::element>::type> P;
    const auto left = as_a(a);
    products<P, M, N, W, A::cols *(int)sizeof(typename A::element) / 32>(
        d, [&](u32(&r)[4], int block, int step) { left.load(r, block, step); }, as_b(b));
}
template <int M, int N, typename D, typename T, int K, typename B>
static WS_DEVICE void multiply_registers(D &d, const tile<T, M, K, frag> &a, const B &b)
{
    constexpr int steps = K * (int)sizeof(T) / 32;
    typedef product<T, typename plain<typename B::element>::type> P;
    products<P, M, N, N, steps>(
        d,
        [&](u32(&r)[4], int block, int step) {
#pragma unroll
            for (int i = 0; i < 4; i++)
                r[i] = a.cell.v[(block * steps + step) * 4 + i];
        },
        as_b(b));
}
template <int M, int N, typename D, typename A, typename B>
static WS_DEVICE void multiply_both(D &x, D &y, const A &a, const B &b, const B &c)
{
    multiply<M, N, N>(x, a, b);
    multiply<M, N, N>(y, a, c);
}
template <int M, int N, typename D, typename T, int K, typename B>
static WS_DEVICE void multiply_both_registers(D &x, D &y, const tile<T, M, K, frag> &a, const B &b, const B &c)
{
    multiply_registers<M, N>(x, a, b);
    multiply_registers<M, N>(y, a, c);
}

static WS_DEVICE void commit()
{
}
static WS_DEVICE void commit_nothing()
{
}
template <int N> static WS_DEVICE void wait()
{
}
template <typename D> static WS_DEVICE void pin(D &)
{
}
template <typename X> static WS_DEVICE void depend(X)
{
}

} // namespace warp_products

namespace unit = warp_products;

} // namespace ws

#endif
