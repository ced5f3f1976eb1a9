/* SPDX-License-Identifier: MIT */
/*
 * wgmma.cuh - matrix products: descriptors of operands in shared memory, and groups of products in flight.
 *
 *      mma(acc, a, b)     starts acc (M x N) += a (M x K) b (K x N)
 *      mma(x, y, a, b, c) starts x += a b and y += a c, if c directly follows b in memory
 *      commit()           closes a group of the products started so far; commit_nothing() closes an empty group
 *      wait<N>(acc...)    returns when at most N groups are in flight
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

} // namespace wgmma

/* ---- calls of the emitted code ----------------------------------------------------------------------------------- */

/* Checks the shapes M x K and K x N against those of wgmma.  */
template <int M, int N, typename A, typename B> static WS_DEVICE void check_shapes()
{
    static_assert(N % 8 == 0, "a product has a multiple of 8 columns");
    static_assert(A::rows == M && B::cols == N && A::cols == B::rows, "shapes of a product");
    static_assert(A::cols * (int)sizeof(typename A::element) % 32 == 0,
                  "the depth of a product is a multiple of 32 bytes");
    static_assert(!same_type<typename A::element, float> && !same_type<typename B::element, float>,
                  "the unit drops bits of f32: what it reads is rounded before, to tf32");
}
template <int M, int N, typename T, int K, typename B> static WS_DEVICE void check_register_shapes()
{
    constexpr int bytes = K * (int)sizeof(T);
    static_assert(N % 8 == 0 && bytes % 32 == 0, "the depth of a product is a multiple of 32 bytes");
    static_assert(same_type<typename B::element, T> ? sizeof(T) == 2 : sizeof(T) == 1,
                  "bytes in registers and what they are multiplied with are interleaved warp_uniform");
    static_assert(B::cols == N && B::rows == K, "shapes of a product");
}

template <typename C, int M, int N, typename A, typename B>
static WS_DEVICE void mma(tile<C, M, N, frag> &acc, const A &a, const B &b)
{
    check_shapes<M, N, A, B>();
    wgmma::pin(acc.cell.v);
    ptx::wgmma_fence();
    wgmma::blocks<0, M, N, A::cols *(int)sizeof(typename A::element) / 32>(acc.cell.v, wgmma::as_a(a), wgmma::as_b(b));
}

template <int M, int N, typename T, int K, typename B>
static WS_DEVICE void mma(tile<float, M, N, frag> &acc, tile<T, M, K, frag> a, const B &b)
{
    check_register_shapes<M, N, T, K, B>();
    wgmma::pin(acc.cell.v);
    wgmma::pin(a.cell.v);
    ptx::wgmma_fence();
    wgmma::blocks_registers<0, M, N, K *(int)sizeof(T) / 32>(acc.cell.v, a, wgmma::as_b(b));
}

/* Selects the first W columns.  */
template <int W> struct width_of {
};
template <int W, typename C, int M, int N, typename A, typename B>
static WS_DEVICE void mma(tile<C, M, N, frag> &acc, const A &a, const B &b, width_of<W>)
{
    check_shapes<M, N, A, B>();
    wgmma::pin(acc.cell.v);
    ptx::wgmma_fence();
    wgmma::blocks<0, M, N, A::cols *(int)sizeof(typename A::element) / 32, W>(acc.cell.v, wgmma::as_a(a),
                                                                              wgmma::as_b(b));
}

/* The next smaller width.  Widths are multiples of 8.  Very wide tiles have multiples of 16, since twice as many
   versions make ptxas spill in producers.  Integer instructions have multiples of 16, too.  */
WS_CONSTANT int next_width(int width, int n, bool integers)
{
    return width - (n > 208 || integers ? 16 : 8);
}

/* Calls `loop` with the least width that has `columns` columns and is more than half of N.  */
template <typename C, int N, int W = N, typename F> static WS_DEVICE void with_width(int columns, const F &loop)
{
    constexpr int next = next_width(W, N, same_type<C, int>);
    if constexpr (next > N / 2)
        if (columns <= next) {
            with_width<C, N, next>(columns, loop);
            return;
        }
    loop(width_of<W>());
}

/* A loop of such products that continues acc.  The accumulator is defined here, once for all widths.  */
template <typename C, int M, int N, typename F>
static WS_DEVICE void narrowed(tile<C, M, N, frag> &acc, int columns, const F &loop)
{
    wgmma::pin(acc.cell.v);
    with_width<C, N>(columns, loop);
}

/* The same with two widths: half of N if that is sufficient, or else N.  */
template <typename C, int M, int N, typename F>
static WS_DEVICE void halved(tile<C, M, N, frag> &acc, int columns, const F &loop)
{
    constexpr int half = N / 32 * 16;
    wgmma::pin(acc.cell.v);
    if (warp_uniform(columns <= half))
        loop(width_of<half>());
    else
        loop(width_of<N>());
}

/* x += a b and y += a c as one product of twice the width: c directly follows b in memory.  */
template <typename C, int M, int N, typename A, typename B>
static WS_DEVICE void mma(tile<C, M, N, frag> &x, tile<C, M, N, frag> &y, const A &a, const B &b, const B &)
{
    check_shapes<M, N, A, B>();
    auto right = wgmma::as_b(b);
    static_assert(2 * N <= 256 && wgmma::goes_on<decltype(right)>(), "one instruction for two tiles");
    wgmma::side_by_side<N, C, sizeof(x.cell.v) / sizeof(C)> both{x.cell.v, y.cell.v};
    wgmma::pin(x.cell.v);
    wgmma::pin(y.cell.v);
    ptx::wgmma_fence();
    wgmma::blocks<0, M, 2 * N, A::cols *(int)sizeof(typename A::element) / 32>(both, wgmma::as_a(a), right);
}

template <int M, int N, typename T, int K, typename B>
static WS_DEVICE void mma(tile<float, M, N, frag> &x, tile<float, M, N, frag> &y, tile<T, M, K, frag> a, const B &b,
                          const B &)
{
    check_register_shapes<M, N, T, K, B>();
    auto right = wgmma::as_b(b);
    static_assert(2 * N <= 256 && wgmma::goes_on<decltype(right)>(), "one instruction for two tiles");
    wgmma::side_by_side<N, float, sizeof(x.cell.v) / sizeof(float)> both{x.cell.v, y.cell.v};
    wgmma::pin(x.cell.v);
    wgmma::pin(y.cell.v);
    wgmma::pin(a.cell.v);
    ptx::wgmma_fence();
    wgmma::blocks_registers<0, M, 2 * N, K *(int)sizeof(T) / 32>(both, a, right);
}

/* A constant accumulator that is defined before other products start.  Otherwise ptxas waits for these before it writes
   the registers (C7517).  */
template <typename T, int R, int C, layout L, typename X> static WS_DEVICE tile<T, R, C, L> full_now(X value)
{
    auto y = full<T, R, C, L>(value);
    wgmma::pin(y.cell.v);
    return y;
}

static WS_DEVICE void commit()
{
    ptx::wgmma_commit();
    trace::did(trace::COMMIT);
}

/* An empty group.  ptxas closes a group with an empty product, which needs a fence, too.  */
static WS_DEVICE void commit_nothing()
{
    ptx::wgmma_fence();
    ptx::wgmma_commit();
    trace::did(trace::COMMIT);
}

template <int N, typename... ACC> static WS_DEVICE void wait(ACC &...acc)
{
    const u32 since = trace::now();
    ptx::wgmma_wait<N>();
    (wgmma::pin(acc.cell.v), ...);
    trace::waited(trace::WAIT, N, since);
}

/* Keeps the computation of these tiles before the next wait, above which ptxas could move the wait.  Predicated
   instructions that depend on the tiles and never execute stand between.  Meant for (R,1) tiles.  */
template <typename T, int R, layout L> static WS_DEVICE void computed(const tile<T, R, 1, L> &x)
{
#pragma unroll
    for (int i = 0; i < (int)(sizeof x.cell.v / sizeof *x.cell.v); i++)
        ptx::depend(x.cell.v[i]);
}
template <typename X, typename... MORE> static WS_DEVICE void computed(const X &x, const MORE &...more)
{
    computed(x);
    (computed(more), ...);
}

} // namespace ws

#endif
