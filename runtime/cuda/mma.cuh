/* SPDX-License-Identifier: MIT */
/*
 * mma.cuh - the emitted code's matrix products.
 *
 *      mma(acc, a, b)     starts acc (M x N) += a (M x K) b (K x N)
 *      mma(x, y, a, b, c) starts x += a b and y += a c, if c directly follows b in memory
 *      commit()           closes a group of the products started so far; commit_nothing() closes an empty group
 *      wait<N>(acc...)    returns when at most N groups are in flight
 *
 * The GPU decides which file has the namespace `unit`: wgmma.cuh, where products are in flight until a wait, or
 * mma/warp_products.cuh, where they are done on return.
 */
#ifndef WS_CUDA_MMA_CUH
#define WS_CUDA_MMA_CUH

#include "elementwise.cuh"
#if WS_GPU_WGMMA
#    include "wgmma.cuh"
#else
#    include "mma/warp_products.cuh"
#endif

namespace ws {

/* Checks the shapes M x K and K x N against those of the instructions.  */
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
    unit::multiply<M, N, N>(acc.cell.v, a, b);
}

template <int M, int N, typename T, int K, typename B>
static WS_DEVICE void mma(tile<float, M, N, frag> &acc, tile<T, M, K, frag> a, const B &b)
{
    check_register_shapes<M, N, T, K, B>();
    unit::multiply_registers<M, N>(acc.cell.v, a, b);
}

/* Selects the first W columns.  */
template <int W> struct width_of {
};
template <int W, typename C, int M, int N, typename A, typename B>
static WS_DEVICE void mma(tile<C, M, N, frag> &acc, const A &a, const B &b, width_of<W>)
{
    check_shapes<M, N, A, B>();
    unit::multiply<M, N, W>(acc.cell.v, a, b);
}

/* Calls `loop` with the least width that has `columns` columns and is more than half of N.  */
template <typename C, int N, int W = N, typename F> static WS_DEVICE void with_width(int columns, const F &loop)
{
    constexpr int next = W - unit::width_step(N, same_type<C, int>);
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
    unit::pin(acc.cell.v);
    with_width<C, N>(columns, loop);
}

/* The same with two widths: half of N if that is sufficient, or else N.  */
template <typename C, int M, int N, typename F>
static WS_DEVICE void halved(tile<C, M, N, frag> &acc, int columns, const F &loop)
{
    constexpr int half = N / 32 * 16;
    unit::pin(acc.cell.v);
    if (warp_uniform(columns <= half))
        loop(width_of<half>());
    else
        loop(width_of<N>());
}

/* x += a b and y += a c: c directly follows b in memory.  */
template <typename C, int M, int N, typename A, typename B>
static WS_DEVICE void mma(tile<C, M, N, frag> &x, tile<C, M, N, frag> &y, const A &a, const B &b, const B &c)
{
    check_shapes<M, N, A, B>();
    unit::multiply_both<M, N>(x.cell.v, y.cell.v, a, b, c);
}

template <int M, int N, typename T, int K, typename B>
static WS_DEVICE void mma(tile<float, M, N, frag> &x, tile<float, M, N, frag> &y, tile<T, M, K, frag> a, const B &b,
                          const B &c)
{
    check_register_shapes<M, N, T, K, B>();
    unit::multiply_both_registers<M, N>(x.cell.v, y.cell.v, a, b, c);
}

/* A constant accumulator that is defined before other products start.  Otherwise ptxas waits for these before it writes
   the registers (C7517).  */
template <typename T, int R, int C, layout L, typename X> static WS_DEVICE tile<T, R, C, L> full_now(X value)
{
    auto y = full<T, R, C, L>(value);
    unit::pin(y.cell.v);
    return y;
}

static WS_DEVICE void commit()
{
    unit::commit();
    trace::did(trace::COMMIT);
}

static WS_DEVICE void commit_nothing()
{
    unit::commit_nothing();
    trace::did(trace::COMMIT);
}

template <int N, typename... ACC> static WS_DEVICE void wait(ACC &...acc)
{
    const u32 since = trace::now();
    unit::wait<N>();
    (unit::pin(acc.cell.v), ...);
    trace::waited(trace::WAIT, N, since);
}

/* Keeps the computation of these tiles before the next wait, above which ptxas could move the wait.  Predicated
   instructions that depend on the tiles and never execute stand between.  Meant for (R,1) tiles.  */
template <typename T, int R, layout L> static WS_DEVICE void computed(const tile<T, R, 1, L> &x)
{
#pragma unroll
    for (int i = 0; i < (int)(sizeof x.cell.v / sizeof *x.cell.v); i++)
        unit::depend(x.cell.v[i]);
}
template <typename X, typename... MORE> static WS_DEVICE void computed(const X &x, const MORE &...more)
{
    computed(x);
    (computed(more), ...);
}

} // namespace ws

#endif
