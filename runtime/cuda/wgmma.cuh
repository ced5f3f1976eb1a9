/* SPDX-License-Identifier: MIT */
/*
 * wgmma.cuh - products of a warp group in flight, for sm_90a: descriptors of operands, and the instructions.
 *
 * An operand is K-major if the lines of its shared tile run along K: a view as a, or a trans view as b.  Otherwise it
 * is MN-major, which wgmma supports for 16-bit types.  With the 128-byte swizzle, in a tile of S rows:
 *
 *                  one step of K (32 bytes)                 leading offset       stride offset
 *      K-major     +32 bytes, then the next block (S*128)   unused               1024: the next 8 rows of M or N
 *      MN-major    +16 rows (2048 bytes)                    S*128: 64 more of N  1024: the next 8 of K
 */
#ifndef WS_CUDA_WGMMA_CUH
#define WS_CUDA_WGMMA_CUH

#include "elementwise.cuh"

namespace ws {

namespace wgmma {

/* Depth of one instruction, accumulator and element types, as in its name.  An interleaved element has its original
   type.  */
template <typename A, typename B> struct operands;
template <typename T> struct plain {
    typedef T type;
};
template <typename T> struct plain<interleaved<T>> {
    typedef T type;
};
#define WS_OPERANDS(A, B, text)              \
    template <> struct operands<A, B> {      \
        static constexpr char name[] = text; \
    };
WS_OPERANDS(f16, f16, "k16.f32.f16.f16")
WS_OPERANDS(bf16, bf16, "k16.f32.bf16.bf16")
WS_OPERANDS(tf32, tf32, "k8.f32.tf32.tf32")
WS_OPERANDS(e4m3, e4m3, "k32.f32.e4m3.e4m3")
WS_OPERANDS(e4m3, e5m2, "k32.f32.e4m3.e5m2")
WS_OPERANDS(e5m2, e4m3, "k32.f32.e5m2.e4m3")
WS_OPERANDS(e5m2, e5m2, "k32.f32.e5m2.e5m2")
WS_OPERANDS(signed char, signed char, "k32.s32.s8.s8")
#undef WS_OPERANDS

/* The last immediates, for 16-bit types only: they tell which operands are MN-major.  */
template <typename T, bool A, bool B> struct majors {
    static_assert(sizeof(T) == 2 || (!A && !B), "only 16-bit operands may be MN-major");
    static constexpr char both[] = "";
    static constexpr char second[] = "";
};
#define WS_MAJORS(T, A, B, text, text_of_second)         \
    template <> struct majors<T, A, B> {                 \
        static constexpr char both[] = text;             \
        static constexpr char second[] = text_of_second; \
    };
#define WS_MAJORS_OF(T)                         \
    WS_MAJORS(T, false, false, ", 0, 0", ", 0") \
    WS_MAJORS(T, false, true, ", 0, 1", ", 1")  \
    WS_MAJORS(T, true, false, ", 1, 0", ", 0")  \
    WS_MAJORS(T, true, true, ", 1, 1", ", 1")
WS_MAJORS_OF(f16)
WS_MAJORS_OF(bf16)
#undef WS_MAJORS_OF
#undef WS_MAJORS

template <int N> struct product;
#include "wgmma_shapes.cuh"

/* Offsets and address count 16 bytes; bit 30 of the upper word selects the 128-byte swizzle.  Shared memory has less
   than 2^18 bytes, so no sum of addresses overflows the 14 bits.  */
static WS_DEVICE u32 descriptor_low(u32 address, u32 leading)
{
    return (address >> 4 & 0x3fff) | (leading >> 4) << 16;
}
static WS_DEVICE u64 descriptor(u32 low, u32 offset)
{
    return (u64)(low + (offset >> 4)) | (u64)(1024 >> 4 | 1u << 30) << 32;
}

/* An operand with an MN extent of 64 (a) or N (b), for each step of 32 bytes of K.  */
template <typename V> struct k_major {
    typedef typename V::element element;
    typedef V view_type;
    static constexpr bool transposed = false;
    static constexpr int depth = V::cols;
    V view;
    u32 low;

    explicit WS_DEVICE k_major(V v) : view(v)
    {
        u32 byte = (u32)v.col * sizeof(element);
        low = descriptor_low(v.base + byte / 128 * block_bytes(V::storage_rows) + byte % 128 + (u32)v.row * 128, 16);
    }
    /* mn: offset along M or N; step: along K.  */
    WS_DEVICE u64 at(int mn, int step) const
    {
        return descriptor(low, mn * 128 + step / 4 * block_bytes(V::storage_rows) + step % 4 * 32);
    }
};
template <typename V> struct mn_major {
    typedef typename V::element element;
    typedef V view_type;
    static constexpr bool transposed = true;
    static constexpr int depth = V::rows;
    V view;
    u32 low;

    explicit WS_DEVICE mn_major(V v) : view(v)
    {
        u32 block = (u32)v.col * sizeof(element) / 128;
        low = descriptor_low(v.base + block * block_bytes(V::storage_rows) + (u32)v.row * 128,
                             block_bytes(V::storage_rows));
    }
    WS_DEVICE u64 at(int mn, int step) const
    {
        return descriptor(low, mn / 64 * block_bytes(V::storage_rows) + step * 2048);
    }
};

template <typename T, int R, int C, int S>
static WS_DEVICE k_major<shared_view<T, R, C, S>> as_a(shared_view<T, R, C, S> v)
{
    return k_major<shared_view<T, R, C, S>>(v);
}
template <typename V> static WS_DEVICE mn_major<V> as_a(transposed_view<V> v)
{
    return mn_major<V>(v.of);
}
template <typename T, int R, int C, int S>
static WS_DEVICE mn_major<shared_view<T, R, C, S>> as_b(shared_view<T, R, C, S> v)
{
    return mn_major<shared_view<T, R, C, S>>(v);
}
template <typename V> static WS_DEVICE k_major<V> as_b(transposed_view<V> v)
{
    return k_major<V>(v.of);
}

/* Columns of one instruction, if n columns are left.  Integer instructions have 8, 24 or a multiple of 16 columns.  */
WS_CONSTANT int instruction_columns(int n, bool integers)
{
    return n >= 256 ? 256 : !integers || n % 16 == 0 || n == 8 || n == 24 ? n : n - 8;
}

/* Columns FROM to N of the 64-row block at register O of d.  */
template <int O, int FROM, int N, int STEPS, typename D, typename A, typename B>
static WS_DEVICE void rows_64(D &d, const A &a, int row, const B &b)
{
    constexpr bool integers = same_type<typename A::element, signed char>;
    constexpr int columns = instruction_columns(N - FROM, integers);
    typedef operands<typename A::element, typename B::element> kind;
    typedef majors<typename A::element, A::transposed, B::transposed> major;
#pragma unroll
    for (int step = 0; step < STEPS; step++) {
        if constexpr (integers)
            product<columns>::template integers<O, kind>(d, a.at(row, step), b.at(FROM, step));
        else
            product<columns>::template shared<O, kind, major>(d, a.at(row, step), b.at(FROM, step));
    }
    if constexpr (FROM + columns < N)
        rows_64<O + columns / 2, FROM + columns, N, STEPS>(d, a, row, b);
}

/* The same with a in registers, from word W on.  */
template <typename T, int O, int W, int FROM, int N, int STEPS, typename D, int WORDS, typename B>
static WS_DEVICE void rows_64_registers(D &d, const u32 (&a)[WORDS], const B &b)
{
    constexpr int columns = instruction_columns(N - FROM, false);
    typedef operands<T, typename plain<typename B::element>::type> kind;
    typedef majors<T, false, B::transposed> major;
#pragma unroll
    for (int step = 0; step < STEPS; step++)
        product<columns>::template registers<O, kind, major>(
            d, a[W + 4 * step], a[W + 4 * step + 1], a[W + 4 * step + 2], a[W + 4 * step + 3], b.at(FROM, step));
    if constexpr (FROM + columns < N)
        rows_64_registers<T, O + columns / 2, W, FROM + columns, N, STEPS>(d, a, b);
}

/* All blocks of 64 rows of an accumulator of N columns, of which W are computed.  */
template <int BLOCK, int M, int N, int STEPS, int W = N, typename D, typename A, typename B>
static WS_DEVICE void blocks(D &d, const A &a, const B &b)
{
    rows_64<BLOCK * round_up(N, 8) / 2, 0, W, STEPS>(d, a, BLOCK * 64, b);
    if constexpr ((BLOCK + 1) * 64 < M)
        blocks<BLOCK + 1, M, N, STEPS, W>(d, a, b);
}
template <int BLOCK, int M, int N, int STEPS, typename D, typename T, int K, typename B>
static WS_DEVICE void blocks_registers(D &d, const tile<T, M, K, frag> &a, const B &b)
{
    rows_64_registers<T, BLOCK * round_up(N, 8) / 2, BLOCK * STEPS * 4, 0, N, STEPS>(d, a.cell.v, b);
    if constexpr ((BLOCK + 1) * 64 < M)
        blocks_registers<BLOCK + 1, M, N, STEPS>(d, a, b);
}

/* Two accumulators of N columns as the registers of one of 2 N columns: in each block of 64 rows first x, then y.  */
template <int N, typename T, int SIZE> struct side_by_side {
    static constexpr int block = N / 2;
    T (&x)[SIZE];
    T (&y)[SIZE];

    WS_DEVICE T &operator[](int i) const
    {
        const int at = i / (2 * block) * block + i % block;
        return i / block % 2 ? y[at] : x[at];
    }
};

/* True if the next tile in memory continues this tile's columns.  */
template <typename B> WS_CONSTANT bool goes_on()
{
    const int line = 128 / (int)sizeof(typename B::element);
    return B::transposed ? B::view_type::cols % line == 0 : B::view_type::cols <= line;
}

template <typename D> struct array_of;
template <typename T, int N> struct array_of<T[N]> {
    typedef T element;
    static constexpr int count = N;
};

/* Keeps the compiler from moving definitions of these registers down, or their uses up, past this point.  Stands after
   waits and before fences.  ptxas adds a fence of its own (C7519) if an accumulator or an operand is defined between
   the fence and the product.  */
template <int N> static WS_DEVICE void pin(float (&d)[N])
{
#pragma unroll
    for (int i = 0; i < N; i++)
        asm volatile("" : "+f"(d[i])::"memory");
}
template <int N> static WS_DEVICE void pin(int (&d)[N])
{
#pragma unroll
    for (int i = 0; i < N; i++)
        asm volatile("" : "+r"(d[i])::"memory");
}
template <int N> static WS_DEVICE void pin(u32 (&d)[N])
{
#pragma unroll
    for (int i = 0; i < N; i++)
        asm volatile("" : "+r"(d[i])::"memory");
}

/* ---- the unit of mma.cuh ----------------------------------------------------------------------------------------- */

/* Widths are multiples of 8.  Very wide tiles have multiples of 16, since twice as many versions make ptxas spill in
   producers.  Integer instructions have multiples of 16, too.  */
WS_CONSTANT int width_step(int n, bool integers)
{
    return n > 208 || integers ? 16 : 8;
}

/* The first W of N columns.  */
template <int M, int N, int W, typename D, typename A, typename B>
static WS_DEVICE void multiply(D &d, const A &a, const B &b)
{
    pin(d);
    ptx::wgmma_fence();
    blocks<0, M, N, A::cols *(int)sizeof(typename A::element) / 32, W>(d, as_a(a), as_b(b));
}
template <int M, int N, typename D, typename T, int K, typename B>
static WS_DEVICE void multiply_registers(D &d, tile<T, M, K, frag> a, const B &b)
{
    pin(d);
    pin(a.cell.v);
    ptx::wgmma_fence();
    blocks_registers<0, M, N, K *(int)sizeof(T) / 32>(d, a, as_b(b));
}

/* Two tiles of N columns by one instruction: c directly follows b in memory.  */
template <int M, int N, typename D, typename A, typename B>
static WS_DEVICE void multiply_both(D &x, D &y, const A &a, const B &b, const B &)
{
    auto right = as_b(b);
    static_assert(2 * N <= 256 && goes_on<decltype(right)>(), "one instruction for two tiles");
    side_by_side<N, typename array_of<D>::element, array_of<D>::count> both{x, y};
    pin(x);
    pin(y);
    ptx::wgmma_fence();
    blocks<0, M, 2 * N, A::cols *(int)sizeof(typename A::element) / 32>(both, as_a(a), right);
}
template <int M, int N, typename D, typename T, int K, typename B>
static WS_DEVICE void multiply_both_registers(D &x, D &y, tile<T, M, K, frag> a, const B &b, const B &)
{
    auto right = as_b(b);
    static_assert(2 * N <= 256 && goes_on<decltype(right)>(), "one instruction for two tiles");
    side_by_side<N, typename array_of<D>::element, array_of<D>::count> both{x, y};
    pin(x);
    pin(y);
    pin(a.cell.v);
    ptx::wgmma_fence();
    blocks_registers<0, M, 2 * N, K *(int)sizeof(T) / 32>(both, a, right);
}

static WS_DEVICE void commit()
{
    ptx::wgmma_commit();
}

/* An empty group.  ptxas closes a group with an empty product, which needs a fence, too.  */
static WS_DEVICE void commit_nothing()
{
    ptx::wgmma_fence();
    ptx::wgmma_commit();
}
template <int N> static WS_DEVICE void wait()
{
    ptx::wgmma_wait<N>();
}
template <typename X> static WS_DEVICE void depend(X x)
{
    ptx::depend(x);
}

} // namespace wgmma

namespace unit = wgmma;

} // namespace ws

#endif
