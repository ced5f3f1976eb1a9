/* SPDX-License-Identifier: MIT */
/*
 * matrix.cuh - the tensor core: a product reads its operands when it happens, which is after its start.
 *
 * Operands become dense f32 (tf32 for float).  One function for all CPU targets multiplies them: it sums each element
 * over ascending k and rounds each product and sum.
 */
#ifndef WS_EMULATE_MATRIX_CUH
#define WS_EMULATE_MATRIX_CUH

#include "tensor.cuh"
#include <type_traits>

namespace ws {

template <typename T> inline float factor(T x)
{
    return number<T>::widen(x);
}
inline float factor(float x)
{
    return ws_f32_to_tf32(x);
}

template <typename A, typename B, int M, int N, int K>
WS_DEVICE void multiply(float *acc, shared_view<A, M, K> a, shared_view<B, K, N> b)
{
    float x[M * K], y[K * N];
    for (int r = 0; r < M; r++)
        for (int k = 0; k < K; k++)
            x[r * K + k] = factor(a.at(r, k));
    for (int k = 0; k < K; k++)
        for (int c = 0; c < N; c++)
            y[k * N + c] = factor(b.at(k, c));
    ws_f32_product(M, N, K, x, y, acc);
}

template <int M, int N, int K>
WS_DEVICE void multiply(int *acc, shared_view<signed char, M, K> a, shared_view<signed char, K, N> b)
{
    signed char y[K * N];
    for (int k = 0; k < K; k++)
        for (int c = 0; c < N; c++)
            y[k * N + c] = b.at(k, c);
    for (int r = 0; r < M; r++)
        for (int k = 0; k < K; k++)
            for (int c = 0; c < N; c++)
                acc[r * N + c] = ws_i32_add(acc[r * N + c], a.at(r, k) * y[k * N + c]);
}

/* The kind of machine descriptions for products of these operands.  */
template <typename T> constexpr const char *product_kind()
{
    return sizeof(T) == 2 ? "mma_f16" : sizeof(T) == 4 ? "mma_tf32" : std::is_integral<T>::value ? "mma_i8" : "mma_f8";
}

/* The value of columns that no instruction has computed: a value that no program takes for a result.  */
inline float uncomputed(float)
{
    return NAN;
}
inline int uncomputed(int)
{
    return 0x5a5a5a5a;
}

template <typename P, typename A, typename B, int M, int N, int K> struct product_step {
    P *acc;
    shared_view<A, M, K> a;
    shared_view<B, K, N> b;
    int columns; /* computed by the instruction */

    static void run(void *args, void *held)
    {
        product_step *step = (product_step *)args;
        if (held) /* from registers */
            step->a = {(const A *)held, K, 1};
        multiply(step->acc, step->a, step->b);
        for (int r = 0; r < M; r++)
            for (int c = step->columns; c < N; c++)
                step->acc[r * N + c] = uncomputed(P());
    }
};

/* Without wgmma a product is done when its call returns.  */
template <typename X> WS_DEVICE void end_product(X &acc)
{
#if WS_GPU_WGMMA
    (void)acc;
#else
    ws_sched *s = ws_sched_current();
    ws_sched_commit(s);
    ws_sched_wait(s, 0);
    ws_sched_name(s, &acc.state);
#endif
}

template <typename P, int M, int N, layout L, typename A, typename B, int K>
WS_DEVICE void mma(tile<P, M, N, L> &acc, shared_view<A, M, K> a, shared_view<B, K, N> b, int columns = N)
{
    typedef product_step<P, A, B, M, N, K> step;
    step what = {acc.at, a, b, columns};
    ws_sched_next(product_kind<A>(), (double)M * columns * K);
    ws_sched_product(ws_sched_current(), &acc.state, a.range(), b.range(), step::run, &what, sizeof what, nullptr, 0);
    end_product(acc);
}

template <typename P, int M, int N, layout L, typename A, layout LA, typename B, int K>
WS_DEVICE void mma(tile<P, M, N, L> &acc, const tile<A, M, K, LA> &a, shared_view<B, K, N> b)
{
    typedef product_step<P, A, B, M, N, K> step;
    step what = {acc.at, {nullptr, 0, 0}, b, N};
    a.check("reads");
    ws_sched_next(product_kind<A>(), (double)M * N * K);
    ws_sched_product(ws_sched_current(), &acc.state, {nullptr, 0}, b.range(), step::run, &what, sizeof what, a.at,
                     sizeof a.at);
    end_product(acc);
}

/* Calls a loop of products with the least sufficient width for `columns` columns.  Widths are multiples of 8, or of 16
   for tiles wider than 208, and exceed half of N.  Integer products of the GPU have multiples of 16; no store may read
   the additional columns.  */
template <typename P, int M, int N, layout L, typename F>
WS_DEVICE void narrowed(tile<P, M, N, L> &, int columns, const F &loop)
{
    const int step = N > 208 ? 16 : 8;
    int width = N;
    while (width - step > N / 2 && width - step >= columns)
        width -= step;
    loop(width);
}

/* The same with two widths: half of N if that is sufficient, or else N.  */
template <typename P, int M, int N, layout L, typename F>
WS_DEVICE void halved(tile<P, M, N, L> &, int columns, const F &loop)
{
    const int half = N / 32 * 16;
    loop(columns <= half ? half : N);
}

/* One instruction for two products: c lies directly behind b.  */
template <typename P, int M, int N, layout L, typename A, typename T, int K>
WS_DEVICE void mma(tile<P, M, N, L> &x, tile<P, M, N, L> &y, const A &a, shared_view<T, K, N> b, shared_view<T, K, N> c)
{
    const size_t bytes = b.row_stride == 1 ? sizeof(shared_tile<T, N, K>) : sizeof(shared_tile<T, K, N>);
    if ((const char *)c.base != (const char *)b.base + bytes)
        ws_sched_fail(ws_sched_current(), "two right operands of one instruction do not lie behind each other");
    mma(x, a, b);
    mma(y, a, c);
}

inline void commit()
{
    ws_sched_commit(ws_sched_current());
}
inline void commit_nothing()
{
    commit();
}

template <int N, typename... X> WS_DEVICE void wait(X &...acc)
{
    ws_sched *s = ws_sched_current();
    ws_sched_wait(s, N);
    (ws_sched_name(s, &acc.state), ...);
}

/* The tiles have to be computed before the next wait.  In the emulation they always are.  */
template <typename... X> WS_DEVICE void computed(const X &...x)
{
    (x.check("reads"), ...);
}

/* Synchronous products.  */
inline void product_of(int rows, int cols, int depth, const float *a, const float *b, float *acc)
{
    ws_f32_product(rows, cols, depth, a, b, acc);
}
inline void product_of(int rows, int cols, int depth, const double *a, const double *b, double *acc)
{
    ws_f64_product(rows, cols, depth, a, b, acc);
}

template <typename T, int M, int N, int K, layout L>
WS_DEVICE void dot(tile<T, M, N, L> &acc, shared_view<T, M, K> a, shared_view<T, K, N> b)
{
    T x[M * K], y[K * N];
    ws_sched *s = ws_sched_current();
    acc.check("writes");
    ws_sched_point(s);
    ws_sched_read(s, a.range());
    ws_sched_read(s, b.range());
    for (int r = 0; r < M; r++)
        for (int k = 0; k < K; k++)
            x[r * K + k] = a.at(r, k);
    for (int k = 0; k < K; k++)
        for (int c = 0; c < N; c++)
            y[k * N + c] = b.at(k, c);
    product_of(M, N, K, x, y, acc.at);
    ws_sched_work(sizeof(T) == 8 ? "mma_f64" : "mma_tf32", (sizeof(T) == 8 ? 1.0 : 3.0) * M * N * K);
}

template <int M, int N, int K, layout L>
WS_DEVICE void dot_f32(tile<float, M, N, L> &acc, shared_view<float, M, K> a, shared_view<float, K, N> b)
{
    dot(acc, a, b);
}

/* A prepared part of b has no effect here; its values are compared with those of b.  */
template <int K, int N>
WS_DEVICE void check_part(shared_view<float, K, N> part, shared_view<float, K, N> b, float of(float), const char *what)
{
    ws_sched *s = ws_sched_current();
    ws_sched_read(s, part.range());
    for (int k = 0; k < K; k++)
        for (int c = 0; c < N; c++)
            if (ws_bits_of_f32(part.at(k, c)) != ws_bits_of_f32(of(b.at(k, c))))
                ws_sched_fail(s, "what tf32 %s of a product's right operand is another tile's", what);
}
template <int M, int N, int K, layout L>
WS_DEVICE void dot_f32(tile<float, M, N, L> &acc, shared_view<float, M, K> a, shared_view<float, K, N> b,
                       shared_view<float, K, N> rest)
{
    check_part(rest, b, ws_f32_rest, "drops");
    dot(acc, a, b);
}
template <int M, int N, int K, layout L>
WS_DEVICE void dot_f32(tile<float, M, N, L> &acc, shared_view<float, M, K> a, shared_view<float, K, N> b,
                       shared_view<float, K, N> rest, shared_view<float, K, N> kept)
{
    check_part(kept, b, ws_f32_kept, "keeps");
    dot_f32(acc, a, b, rest);
}

} // namespace ws

#endif
