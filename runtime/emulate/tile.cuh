/* SPDX-License-Identifier: MIT */
/*
 * tile.cuh - register tiles of a warp group as plain arrays, and elementwise operations on them.
 *
 * Layouts are names only.  A tile knows whether products on it are in flight; an access during that time is reported.
 */
#ifndef WS_EMULATE_TILE_CUH
#define WS_EMULATE_TILE_CUH

#include "element.cuh"
#include "scheduler.h"
#include <stdio.h>
#include <string.h>

namespace ws {

enum layout {
    frag,
    lines,
    lines_2,
    lines_4,
    lines_8,
    lines_16,
    lines_32,
    wide,
    wide_2,
    wide_4,
    wide_8,
    strips,
    strips_2,
    strips_4,
    strips_8
};
constexpr layout narrow(layout l)
{
    return l;
}

template <typename T, int R, int C, layout L> struct tile {
    typedef T element;
    static constexpr int rows = R, cols = C;
    static constexpr layout kind = L;
    ws_sched_accumulator state;
    T at[R * C];

    tile() : state{0, 0}
    {
    }
    tile(const tile &x) : state{0, 0}
    {
        x.check("reads");
        memcpy(at, x.at, sizeof at);
    }
    tile &operator=(const tile &x)
    {
        check("overwrites");
        x.check("reads");
        memmove(at, x.at, sizeof at);
        return *this;
    }
    ~tile()
    {
        check("drops");
    }
    void check(const char *how) const
    {
        if (state.in_flight | state.unnamed)
            ws_sched_touched(ws_sched_current(), &state, how);
    }
};

/* ---- constructors ------------------------------------------------------------------------------------------------ */

template <typename T, int R, int C, layout L, typename X> WS_DEVICE tile<T, R, C, L> full(X value)
{
    tile<T, R, C, L> y;
    const T x = element_of<T>(value);
    for (int i = 0; i < R * C; i++)
        y.at[i] = x;
    return y;
}
template <typename T, int R, int C, layout L, typename X> WS_DEVICE tile<T, R, C, L> full_now(X value)
{
    return full<T, R, C, L>(value);
}

template <typename T, layout L, typename X> WS_DEVICE tile<T, 1, 1, L> splat(X value)
{
    return full<T, 1, 1, L>(value);
}

template <int R, int C, layout L> WS_DEVICE tile<int, R, C, L> row_index(int offset = 0)
{
    tile<int, R, C, L> y;
    for (int r = 0; r < R; r++)
        for (int c = 0; c < C; c++)
            y.at[r * C + c] = r + offset;
    return y;
}

template <int R, int C, layout L> WS_DEVICE tile<int, R, C, L> col_index(int offset = 0)
{
    tile<int, R, C, L> y;
    for (int r = 0; r < R; r++)
        for (int c = 0; c < C; c++)
            y.at[r * C + c] = c + offset;
    return y;
}

template <int C, typename T, int R, int WHOLE, layout L>
WS_DEVICE tile<T, R, C, L> columns(const tile<T, R, WHOLE, L> &x, int first)
{
    tile<T, R, C, L> y;
    x.check("reads");
    for (int r = 0; r < R; r++)
        memcpy(y.at + r * C, x.at + r * WHOLE + first, C * sizeof(T));
    return y;
}

/* ---- the common type of the operands of an elementwise operation ------------------------------------------------- */

template <typename X> struct is_tile {
    static constexpr bool value = false;
};
template <typename T, int R, int C, layout L> struct is_tile<tile<T, R, C, L>> {
    static constexpr bool value = true;
};
template <bool YES> struct only_if;
template <> struct only_if<true> {
    typedef int type;
};
template <typename... X> using if_tile = typename only_if<(is_tile<X>::value || ...)>::type;
template <typename... X> using if_scalars = typename only_if<!(is_tile<X>::value || ...)>::type;
template <bool FIRST, typename T, typename U> struct either {
    typedef T type;
};
template <typename T, typename U> struct either<false, T, U> {
    typedef U type;
};

/* Shape, layout and element type of a result.  The element type is that of the first tile other than (1,1).  A (1,1)
   tile may be a splat of a scalar, which converts.  Masks do not count.  */
template <typename... X> struct joined;
template <> struct joined<> {
    static constexpr int rows = 1, cols = 1;
    static constexpr layout kind = frag;
    static constexpr bool known = false, firm = false;
    typedef float element;
};
template <typename X, typename... Rest> struct joined<X, Rest...> : joined<Rest...> {
};
template <typename T, int R, int C, layout L, typename... Rest> struct joined<tile<T, R, C, L>, Rest...> {
    typedef joined<Rest...> rest;
    static_assert(R == 1 || rest::rows == 1 || R == rest::rows, "rows do not broadcast");
    static_assert(C == 1 || rest::cols == 1 || C == rest::cols, "columns do not broadcast");
    static constexpr int rows = R > rest::rows ? R : rest::rows, cols = C > rest::cols ? C : rest::cols;
    static constexpr layout kind = L;
    static constexpr bool mine = R * C > 1 || !rest::firm;
    static constexpr bool known = true, firm = R * C > 1 || rest::firm;
    typedef typename either<mine, T, typename rest::element>::type element;
};
template <int R, int C, layout L, typename... Rest> struct joined<tile<bool, R, C, L>, Rest...> {
    typedef joined<Rest...> rest;
    static constexpr int rows = R > rest::rows ? R : rest::rows, cols = C > rest::cols ? C : rest::cols;
    static constexpr layout kind = L;
    static constexpr bool known = rest::known, firm = rest::firm;
    typedef typename rest::element element;
};

/* The operand's element for an element of the result, in compute type M; masks stay masks.  */
template <typename M, typename T, int R, int C, layout L> WS_DEVICE M operand(const tile<T, R, C, L> &x, int r, int c)
{
    return to_math<M>::from(number<T>::widen(x.at[(R == 1 ? 0 : r) * C + (C == 1 ? 0 : c)]));
}
template <typename M, int R, int C, layout L> WS_DEVICE bool operand(const tile<bool, R, C, L> &x, int r, int c)
{
    return x.at[(R == 1 ? 0 : r) * C + (C == 1 ? 0 : c)];
}
template <typename M, typename X, if_scalars<X> = 0> WS_DEVICE M operand(X x, int, int)
{
    return to_math<M>::from(x);
}

template <typename T, int R, int C, layout L> WS_DEVICE void check_operand(const tile<T, R, C, L> &x)
{
    x.check("reads");
}
template <typename X, if_scalars<X> = 0> WS_DEVICE void check_operand(X)
{
}

template <typename U, typename F, typename... X>
WS_DEVICE tile<U, joined<X...>::rows, joined<X...>::cols, joined<X...>::kind> apply(const X &...x)
{
    typedef joined<X...> J;
    typedef math_of<typename J::element> M;
    tile<U, J::rows, J::cols, J::kind> y;
    (check_operand(x), ...);
    for (int r = 0; r < J::rows; r++)
        for (int c = 0; c < J::cols; c++)
            y.at[r * J::cols + c] = number<U>::narrow(F::apply(operand<M>(x, r, c)...));
    ws_sched_work(one::kind_of<F>, J::rows * J::cols);
    return y;
}

/* ---- elementwise ------------------------------------------------------------------------------------------------- */

#define WS_EMULATE_UNARY(name)                                            \
    template <typename X, if_tile<X> = 0> WS_DEVICE auto name(const X &x) \
    {                                                                     \
        return apply<typename X::element, one::name>(x);                  \
    }
#define WS_EMULATE_BINARY(name)                                                                      \
    template <typename X, typename Y, if_tile<X, Y> = 0> WS_DEVICE auto name(const X &x, const Y &y) \
    {                                                                                                \
        return apply<typename joined<X, Y>::element, one::name>(x, y);                               \
    }
#define WS_EMULATE_COMPARE(name)                                                                     \
    template <typename X, typename Y, if_tile<X, Y> = 0> WS_DEVICE auto name(const X &x, const Y &y) \
    {                                                                                                \
        return apply<bool, one::name>(x, y);                                                         \
    }
template <int BITS> WS_DEVICE double f16_exactly(double number)
{
    return number;
}
WS_EMULATE_BINARY(add)
WS_EMULATE_BINARY(sub)
WS_EMULATE_BINARY(mul)
template <typename X, typename Y> WS_DEVICE X rescale(const X &x, const Y &y)
{
    return mul(x, y);
}
WS_EMULATE_BINARY(div)
#define BITS(NAME, name) WS_EMULATE_BINARY(name)
WS_BITS_(BITS)
#undef BITS
WS_EMULATE_BINARY(max)
WS_EMULATE_BINARY(min)
WS_EMULATE_COMPARE(lt)
WS_EMULATE_COMPARE(le)
WS_EMULATE_COMPARE(gt)
WS_EMULATE_COMPARE(ge)
WS_EMULATE_COMPARE(eq)
WS_EMULATE_COMPARE(ne)
WS_EMULATE_COMPARE(mask_and)
WS_EMULATE_COMPARE(mask_or)
WS_EMULATE_UNARY(mask_not)
WS_EMULATE_UNARY(neg)
WS_EMULATE_UNARY(abs)
WS_EMULATE_UNARY(tf32_head)
WS_EMULATE_UNARY(tf32_residual)
#define MATHS(NAME, name, ...)        WS_EMULATE_UNARY(name)
#define MATHS_OF_TWO(NAME, name, ...) WS_EMULATE_BINARY(name)
#include "../common/maths.def"
#undef WS_EMULATE_UNARY
#undef WS_EMULATE_BINARY
#undef WS_EMULATE_COMPARE

/* Exact here; the GPU's result has fewer correct bits.  */
template <typename X, if_tile<X> = 0> WS_DEVICE auto exp_fast(const X &x)
{
    return exp(x);
}

template <typename X, typename Y> WS_DEVICE auto div_fast(const X &x, const Y &y)
{
    return div(x, y);
}

template <typename M, typename X, typename Y> WS_DEVICE auto select(const M &mask, const X &x, const Y &y)
{
    return apply<typename joined<X, Y>::element, one::select>(mask, x, y);
}
template <typename M, typename F, typename Y> WS_DEVICE auto select_some(const M &mask, F f, const Y &y)
{
    return select(mask, f(), y);
}

template <typename X, typename Y, typename Z, if_tile<X, Y, Z> = 0>
WS_DEVICE auto fma(const X &x, const Y &y, const Z &z)
{
    return apply<typename joined<X, Y, Z>::element, one::fma>(x, y, z);
}

/* Two C scalars of one type.  */
template <typename X, if_scalars<X> = 0> WS_DEVICE X min(X x, X y)
{
    return y < x ? y : x;
}
template <typename X, if_scalars<X> = 0> WS_DEVICE X max(X x, X y)
{
    return x < y ? y : x;
}

template <typename U, typename T, int R, int C, layout L> WS_DEVICE tile<U, R, C, L> cast(const tile<T, R, C, L> &x)
{
    tile<U, R, C, L> y;
    x.check("reads");
    for (int i = 0; i < R * C; i++)
        y.at[i] = converter<U, T>::from(x.at[i]);
    ws_sched_work("cast", R * C);
    return y;
}

template <typename U, typename X, if_scalars<X> = 0> WS_DEVICE U bitcast(X x)
{
    static_assert(sizeof(U) == sizeof(X), "as many bits");
    U y;
    __builtin_memcpy(&y, &x, sizeof y);
    return y;
}
template <typename U, typename T, int R, int C, layout L> WS_DEVICE tile<U, R, C, L> bitcast(const tile<T, R, C, L> &x)
{
    tile<U, R, C, L> y;
    x.check("reads");
    for (int i = 0; i < R * C; i++)
        y.at[i] = bitcast<U>(x.at[i]);
    ws_sched_work("bitcast", R * C);
    return y;
}
template <typename U, int LESS, int SHIFT = 0, int R, int C, layout L>
WS_DEVICE tile<U, R, C, L> cast_less(const tile<unsigned char, R, C, L> &x)
{
    return sub(cast<U>(ushr(x, SHIFT)), (double)LESS);
}

/* Scratch memory for exchanges of register tiles.  A tile has one owner here, so nothing passes through it.  The
   scheduler checks that no one else uses it.  */
template <int BYTES> struct alignas(16) scratch {
    unsigned char bytes[BYTES];

    void exchange()
    {
        ws_sched_exchange(ws_sched_current(), {bytes, BYTES});
    }
};

/* On the GPU the staging of a store makes this transpose.  */
template <typename T, int R, int C, layout L> WS_DEVICE tile<T, C, R, L> transposed(const tile<T, R, C, L> &x)
{
    tile<T, C, R, L> y;
    x.check("reads");
    for (int r = 0; r < R; r++)
        for (int c = 0; c < C; c++)
            y.at[c * R + r] = x.at[r * C + c];
    ws_sched_work("shared", R * C);
    return y;
}

template <typename T, int R, int C, layout L, int BYTES>
WS_DEVICE tile<T, C, R, L> trans(const tile<T, R, C, L> &x, scratch<BYTES> &s)
{
    s.exchange();
    return transposed(x);
}

/* ---- along rows and columns -------------------------------------------------------------------------------------- */

/* A tile in the compute type, so that intermediate results of a line are not rounded.  */
template <typename T, int R, int C, layout L> struct widened {
    math_of<T> at[R * C];
    explicit widened(const tile<T, R, C, L> &x)
    {
        x.check("reads");
        for (int i = 0; i < R * C; i++)
            at[i] = number<T>::widen(x.at[i]);
    }
};

template <typename F, typename U, typename T, int R, int C, layout L>
WS_DEVICE tile<U, R, 1, L> reduce_rows(const tile<T, R, C, L> &x)
{
    const widened<T, R, C, L> w(x);
    tile<U, R, 1, L> y;
    for (int r = 0; r < R; r++)
        y.at[r] = number<U>::narrow(F::apply(C, w.at + r * C, 1));
    ws_sched_work("reduce", R * C);
    return y;
}

template <typename F, typename T, int R, int C, layout L>
WS_DEVICE tile<T, 1, C, L> reduce_columns(const tile<T, R, C, L> &x)
{
    const widened<T, R, C, L> w(x);
    tile<T, 1, C, L> y;
    for (int c = 0; c < C; c++)
        y.at[c] = number<T>::narrow(F::apply(R, w.at + c, C));
    ws_sched_work("reduce", R * C);
    return y;
}

#define WS_EMULATE_ROW(name, how)                                                                \
    template <typename T, int R, int C, layout L> WS_DEVICE auto name(const tile<T, R, C, L> &x) \
    {                                                                                            \
        return reduce_rows<one::along::how, T>(x);                                               \
    }                                                                                            \
    template <typename T, int R, int C, layout L, int BYTES>                                     \
    WS_DEVICE auto name(const tile<T, R, C, L> &x, scratch<BYTES> &s)                            \
    {                                                                                            \
        if (C > 1)                                                                               \
            s.exchange();                                                                        \
        return reduce_rows<one::along::how, T>(x);                                               \
    }
#define WS_EMULATE_COLUMN(name, how)                                  \
    template <typename T, int R, int C, layout L, int BYTES>          \
    WS_DEVICE auto name(const tile<T, R, C, L> &x, scratch<BYTES> &s) \
    {                                                                 \
        if (R > 1)                                                    \
            s.exchange();                                             \
        return reduce_columns<one::along::how>(x);                    \
    }
WS_EMULATE_ROW(row_sum, sum)
WS_EMULATE_ROW(row_part, sum) /* one thread has the whole row here, so its share is the whole sum */
template <typename T, int R, int C, layout L>
WS_DEVICE auto row_part_at(const tile<T, R, C, L> &x, const tile<int, R, 1, L> &column, long first)
{
    return row_part(select(eq(add(col_index<1, C, L>(), (int)first), column), x, 0.0f));
}
template <typename T, int R, layout L> WS_DEVICE tile<T, R, 1, L> row_total(const tile<T, R, 1, L> &x)
{
    return x;
}
template <typename T, int R, layout L, int BYTES>
WS_DEVICE tile<T, R, 1, L> row_total(const tile<T, R, 1, L> &x, scratch<BYTES> &s)
{
    s.exchange();
    return x;
}
WS_EMULATE_ROW(row_max, max)
WS_EMULATE_ROW(row_min, min)
WS_EMULATE_COLUMN(col_sum, sum)
WS_EMULATE_COLUMN(col_max, max)
WS_EMULATE_COLUMN(col_min, min)
#undef WS_EMULATE_ROW
#undef WS_EMULATE_COLUMN

template <int COUNTS, int R, int C, layout L, int BYTES>
WS_DEVICE tile<int, 1, COUNTS, L> histogram(const tile<int, R, C, L> &x, scratch<BYTES> &s)
{
    s.exchange();
    tile<int, 1, COUNTS, L> y;
    for (int i = 0; i < COUNTS; i++)
        y.at[i] = 0;
    for (int i = 0; i < R * C; i++)
        if (x.at[i] >= 0 && x.at[i] < COUNTS)
            y.at[x.at[i]]++;
    ws_sched_work("reduce", R * C);
    return y;
}

template <typename T, int R, int C, layout L> WS_DEVICE tile<int, R, 1, L> row_argmax(const tile<T, R, C, L> &x)
{
    return reduce_rows<one::along::argmax, int>(x);
}
template <typename T, int R, int C, layout L, int BYTES>
WS_DEVICE tile<int, R, 1, L> row_argmax(const tile<T, R, C, L> &x, scratch<BYTES> &s)
{
    s.exchange();
    return reduce_rows<one::along::argmax, int>(x);
}

template <typename T, int R, int C, layout L>
WS_DEVICE tile<int, R, 1, L> row_first(const tile<T, R, C, L> &x, const tile<T, R, 1, L> &number)
{
    return row_argmax(select(eq(x, number), full<int, R, C, L>(1), full<int, R, C, L>(0)));
}
template <typename T, int R, int C, layout L, int BYTES>
WS_DEVICE tile<int, R, 1, L> row_first(const tile<T, R, C, L> &x, const tile<T, R, 1, L> &number, scratch<BYTES> &s)
{
    s.exchange();
    return row_first(x, number);
}

template <typename T, int R, int C, layout L, int BYTES>
WS_DEVICE tile<T, R, C, L> row_cumsum(const tile<T, R, C, L> &x, scratch<BYTES> &s)
{
    s.exchange();
    widened<T, R, C, L> w(x);
    tile<T, R, C, L> y;
    math_of<T> sums[C];
    for (int r = 0; r < R; r++) {
        one::cumulate(C, w.at + r * C, sums, 1);
        for (int c = 0; c < C; c++)
            y.at[r * C + c] = number<T>::narrow(sums[c]);
    }
    return y;
}

template <typename T, int R, int C, layout L, int BYTES>
WS_DEVICE tile<T, R, C, L> col_cumsum(const tile<T, R, C, L> &x, scratch<BYTES> &s)
{
    s.exchange();
    widened<T, R, C, L> w(x), sums(x);
    tile<T, R, C, L> y;
    for (int c = 0; c < C; c++)
        one::cumulate(R, w.at + c, sums.at + c, C);
    for (int i = 0; i < R * C; i++)
        y.at[i] = number<T>::narrow(sums.at[i]);
    return y;
}

/* ---- printing ---------------------------------------------------------------------------------------------------- */

/* As ws_print of the sequential library.  `format` has a %ld for each number of `at`.  */
template <typename T, typename... I> void print_head(FILE *out, const char *format, int rows, int columns, I... at)
{
    if constexpr (sizeof...(I) > 0)
        fprintf(out, format, (long)at...);
    else
        fprintf(out, "%s", format);
    fprintf(out, ": %s (%d,%d)\n", number<T>::name, rows, columns);
}

template <typename T, int R, int C, layout L> void print_elements(FILE *out, const tile<T, R, C, L> &x)
{
    for (int r = 0; r < R; r++) {
        fprintf(out, " ");
        for (int c = 0; c < C; c++) {
            double value = (double)number<T>::widen(x.at[r * C + c]);
            if constexpr (std::is_same<T, long>::value)
                fprintf(out, " %ld", x.at[r * C + c]);
            else if (value != value)
                fprintf(out, " nan");
            else
                fprintf(out, sizeof(T) == 8 ? " %.17g" : " %.9g", value);
        }
        fprintf(out, "\n");
    }
}

template <typename T, int R, int C, layout L, typename... I>
WS_DEVICE void print(const char *format, const tile<T, R, C, L> &x, I... at)
{
    x.check("reads");
    flockfile(stdout);
    print_head<T>(stdout, format, R, C, at...);
    print_elements(stdout, x);
    funlockfile(stdout);
}

} // namespace ws

#endif
