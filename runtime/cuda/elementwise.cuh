/* SPDX-License-Identifier: MIT */
/*
 * elementwise.cuh - elementwise operations on register tiles: broadcast and conversion; one.cuh has the operations.
 */
#ifndef WS_CUDA_ELEMENTWISE_CUH
#define WS_CUDA_ELEMENTWISE_CUH

#include "one.cuh"
#include "tile.cuh"

namespace ws {

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

/* Shape, layout and element type of a result: the broadcast of the operands.  The element type is that of the first
   tile other than (1,1).  A (1,1) tile may be a splat of a scalar, which converts.  Masks do not count.  */
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
    template <bool MINE, typename U> struct pick {
        typedef T type;
    };
    template <typename U> struct pick<false, U> {
        typedef U type;
    };
    typedef typename pick<mine, typename rest::element>::type element;
};
template <int R, int C, layout L, typename... Rest> struct joined<tile<bool, R, C, L>, Rest...> {
    typedef joined<Rest...> rest;
    static constexpr int rows = R > rest::rows ? R : rest::rows, cols = C > rest::cols ? C : rest::cols;
    static constexpr layout kind = L;
    static constexpr bool known = rest::known, firm = rest::firm;
    typedef typename rest::element element;
};

/* The operand's pair for a pair of the result, in compute type M; masks stay masks.  */
template <typename M, typename T, int R, int C, layout L>
static WS_DEVICE pair<M> operand(const tile<T, R, C, L> &x, int slot, int j)
{
    auto p = x.get(slot, j);
    return {to_math<M>::from(p.low), to_math<M>::from(p.high)};
}
template <typename M, int R, int C, layout L>
static WS_DEVICE pair<bool> operand(const tile<bool, R, C, L> &x, int slot, int j)
{
    return x.get(slot, j);
}
template <typename M, typename X, if_scalars<X> = 0> static WS_DEVICE pair<M> operand(X x, int, int)
{
    return {to_math<M>::from(x), to_math<M>::from(x)};
}

template <typename U, typename F, typename... X>
static WS_DEVICE tile<U, joined<X...>::rows, joined<X...>::cols, joined<X...>::kind> apply(F f, const X &...x)
{
    typedef joined<X...> J;
    typedef math_of<typename J::element> M;
    typedef spread<J::rows, J::cols, J::kind> S;
    tile<U, J::rows, J::cols, J::kind> y;
    WS_FOR_CELLS(S, slot, j)
    y.set(slot, j, f(operand<M>(x, slot, j).low...), f(operand<M>(x, slot, j).high...));
    return y;
}

/* A literal that f16 represents exactly.  */
template <int BITS> struct f16_literal {
    double number;
    WS_DEVICE operator double() const
    {
        return number;
    }
};
template <int BITS> static WS_DEVICE f16_literal<BITS> f16_exactly(double number)
{
    return {number};
}

/* Operations on two f16 numbers at a time.  f16 arithmetic gives the result of float arithmetic rounded to f16.  Sums
   and differences do, since floats have more than twice as many bits; products are exact in float.  */
template <typename F> struct in_pairs {
    static constexpr bool can = false;
};
#define WS_IN_PAIRS(name)                     \
    template <> struct in_pairs<one::name> {  \
        static constexpr bool can = true;     \
        static WS_DEVICE u32 of(u32 x, u32 y) \
        {                                     \
            return ptx::name##_f16x2(x, y);   \
        }                                     \
    };
WS_IN_PAIRS(add)
WS_IN_PAIRS(sub)
WS_IN_PAIRS(mul)
#undef WS_IN_PAIRS

template <typename X> struct has_pairs {
    static constexpr bool value = false;
};
template <int R, int C, layout L> struct has_pairs<tile<f16, R, C, L>> {
    static constexpr bool value = C > 1; /* a column has single numbers */
};
template <int BITS> struct has_pairs<f16_literal<BITS>> {
    static constexpr bool value = true;
};
template <int R, int C, layout L> static WS_DEVICE u32 pair_bits(const tile<f16, R, C, L> &x, int slot, int j)
{
    return x.bits(R == 1 ? 0 : slot, C == 1 ? 0 : j);
}
template <int BITS> static WS_DEVICE u32 pair_bits(f16_literal<BITS>, int, int)
{
    return BITS * 0x10001u;
}

/* Operations on four bytes at a time with one number.  */
template <typename F> struct of_four {
    static constexpr bool can = false;
};
template <> struct of_four<one::bit_and> {
    static constexpr bool can = true;
    static WS_DEVICE u32 of(u32 four, int y)
    {
        return four & (u32)(y & 0xff) * 0x01010101u;
    }
};
template <> struct of_four<one::ushr> {
    static constexpr bool can = true;
    static WS_DEVICE u32 of(u32 four, int y)
    {
        const int by = y & 31;
        return four >> by & (0xffu >> by) * 0x01010101u;
    }
};
template <> struct of_four<one::shr> : of_four<one::ushr> {
};
template <typename X> struct has_bytes {
    static constexpr bool value = false;
};
template <int R, int C, layout L> struct has_bytes<tile<unsigned char, R, C, L>> {
    static constexpr bool value = C > 1;
};

template <typename F, typename X, typename Y> static WS_DEVICE auto combine(F f, const X &x, const Y &y)
{
    typedef joined<X, Y> J;
    if constexpr (of_four<F>::can && has_bytes<X>::value && same_type<Y, int>) {
        X z = x;
#pragma unroll
        for (int i = 0; i < (int)(sizeof z.cell.v / sizeof z.cell.v[0]); i++)
            z.cell.v[i] = of_four<F>::of(z.cell.v[i], y);
        return z;
    } else if constexpr (in_pairs<F>::can && has_pairs<X>::value && has_pairs<Y>::value) {
        typedef spread<J::rows, J::cols, J::kind> S;
        tile<f16, J::rows, J::cols, J::kind> z;
        WS_FOR_CELLS(S, slot, j)
        z.set_bits(slot, j, in_pairs<F>::of(pair_bits(x, slot, j), pair_bits(y, slot, j)));
        return z;
    } else {
        return apply<typename J::element>(f, x, y);
    }
}
template <typename F, typename X> static WS_DEVICE auto change(F f, const X &x)
{
    if constexpr (same_type<F, one::floor> && has_pairs<X>::value) {
        typedef typename X::where S;
        X y;
        WS_FOR_CELLS(S, slot, j)
        y.set_bits(slot, j, ptx::floor_f16x2(x.bits(slot, j)));
        return y;
    } else {
        return apply<typename X::element>(f, x);
    }
}

#define WS_UNARY(name)                                                           \
    template <typename X, if_tile<X> = 0> static WS_DEVICE auto name(const X &x) \
    {                                                                            \
        return change(one::name(), x);                                           \
    }
#define WS_BINARY(name, how)                                                                                \
    template <typename X, typename Y, if_tile<X, Y> = 0> static WS_DEVICE auto name(const X &x, const Y &y) \
    {                                                                                                       \
        return combine(one::how(), x, y);                                                                   \
    }
#define WS_COMPARE(name)                                                                                    \
    template <typename X, typename Y, if_tile<X, Y> = 0> static WS_DEVICE auto name(const X &x, const Y &y) \
    {                                                                                                       \
        return apply<bool>(one::name(), x, y);                                                              \
    }
WS_BINARY(add, add)
WS_BINARY(sub, sub)
WS_BINARY(mul, mul)
WS_BINARY(bit_and, bit_and)
WS_BINARY(bit_or, bit_or)
WS_BINARY(bit_xor, bit_xor)
WS_BINARY(shl, shl)
WS_BINARY(shr, shr)
WS_BINARY(ushr, ushr)
WS_BINARY(max, maximum)
WS_BINARY(min, minimum)
WS_COMPARE(lt)
WS_COMPARE(le)
WS_COMPARE(gt)
WS_COMPARE(ge)
WS_COMPARE(eq)
WS_COMPARE(ne)
WS_COMPARE(mask_and)
WS_COMPARE(mask_or)
WS_UNARY(neg)
WS_UNARY(abs)
WS_UNARY(tf32_head)
WS_UNARY(tf32_residual)
WS_UNARY(exp_fast)
#define MATHS(NAME, name, ...)        WS_UNARY(name)
#define MATHS_OF_TWO(NAME, name, ...) WS_BINARY(name, name)
#include "../common/maths.def"
#undef WS_UNARY
#undef WS_BINARY
#undef WS_COMPARE

/* Many numbers divided by one, whose reciprocal and the reciprocal's error are computed once.  A quotient with an error
   below one ulp is corrected by the remainder; it is then correctly rounded (Markstein).  All intermediate results have
   to be normal numbers.  */
struct row_divisor {
    float d, reciprocal, rest;

    explicit WS_DEVICE row_divisor(float x) : d(x), reciprocal(1.0f / x), rest(-fmaf(reciprocal, x, -1.0f) * reciprocal)
    {
    }
    WS_DEVICE bool easy() const
    {
        return d >= 0x1p-20f && d <= 0x1p20f;
    }
    static WS_DEVICE bool easy(float x)
    {
        return fabsf(x) <= 0x1p100f && (fabsf(x) >= 0x1p-100f || x == 0);
    }
    WS_DEVICE float of(float x) const
    {
        const float q = fmaf(x, reciprocal, x * rest);
        return fmaf(-fmaf(q, d, -x), reciprocal, q);
    }
};

/* True if all of a thread's numbers of a row are in the range for that.  Costs two instructions for each number, unless
   one is 0.  */
template <typename T, int R, int C, layout L> static WS_DEVICE bool easily_divided(const tile<T, R, C, L> &x, int slot)
{
    typedef spread<R, C, L> S;
    float most = 0, least = 1;
    WS_FOR_PAIRS(S, j)
    {
        const pair<float> p = x.get(slot, j);
        most = fmaxf(most, fmaxf(fabsf(p.low), fabsf(p.high)));
        least = fminf(least, fminf(fabsf(p.low), fabsf(p.high)));
    }
    bool easy = most <= 0x1p100f;
    if (easy && least < 0x1p-100f) {
        WS_FOR_PAIRS(S, j)
        {
            const pair<float> p = x.get(slot, j);
            easy &= row_divisor::easy(p.low) & row_divisor::easy(p.high);
        }
    }
    return easy;
}

/* The check comes first, so that a quotient can take its number's register.  */
template <typename T, int R, int C, layout L, typename Y>
static WS_DEVICE tile<T, R, C, L> div_rows(const tile<T, R, C, L> &x, const Y &y)
{
    typedef spread<R, C, L> S;
    tile<T, R, C, L> z;
    WS_FOR_SLOTS(S, slot)
    {
        const row_divisor d(operand<float>(y, slot, 0).low);
        if (d.easy() && easily_divided(x, slot)) {
            WS_FOR_PAIRS(S, j)
            {
                const pair<float> p = x.get(slot, j);
                z.set(slot, j, d.of(p.low), d.of(p.high));
            }
        } else {
            WS_FOR_PAIRS(S, j)
            {
                const pair<float> p = x.get(slot, j);
                z.set(slot, j, p.low / d.d, p.high / d.d);
            }
        }
    }
    return z;
}

template <typename M> constexpr bool is_float = false;
template <> constexpr bool is_float<float> = true;

/* True if y is one number for each row of x, or for all of x.  */
template <typename X, typename Y> struct divides_rows {
    static constexpr bool value = false;
};
template <typename T, int R, int C, layout L, typename U, int YR>
struct divides_rows<tile<T, R, C, L>, tile<U, YR, 1, L>> {
    static constexpr bool value = C > 1 && YR <= R &&is_float<math_of<T>>;
};

template <typename X, typename Y, if_tile<X, Y> = 0> static WS_DEVICE auto div(const X &x, const Y &y)
{
    if constexpr (divides_rows<X, Y>::value)
        return div_rows(x, y);
    else
        return apply<typename joined<X, Y>::element>(one::div(), x, y);
}

/* As accurate as two products, if the divisor is in range (lowering/machine/fast-math.c).  */
template <typename T, int R, int C, layout L, typename Y>
static WS_DEVICE tile<T, R, C, L> div_fast(const tile<T, R, C, L> &x, const Y &y)
{
    typedef spread<R, C, L> S;
    static_assert(!is_tile<Y>::value || divides_rows<tile<T, R, C, L>, Y>::value, "many numbers divided by one");
    tile<T, R, C, L> z;
    WS_FOR_SLOTS(S, slot)
    {
        const row_divisor d(operand<float>(y, slot, 0).low);
        if (d.easy())
            WS_FOR_PAIRS(S, j)
            {
                const pair<float> p = x.get(slot, j);
                z.set(slot, j, p.low * d.reciprocal, p.high * d.reciprocal);
            }
        else
            WS_FOR_PAIRS(S, j)
            {
                const pair<float> p = x.get(slot, j);
                z.set(slot, j, p.low / d.d, p.high / d.d);
            }
    }
    return z;
}

template <int R, int C, layout L> static WS_DEVICE auto mask_not(const tile<bool, R, C, L> &x)
{
    return apply<bool>(one::mask_not(), x);
}

template <int R, int C, layout L, typename X, typename Y>
static WS_DEVICE auto select(const tile<bool, R, C, L> &mask, const X &x, const Y &y)
{
    return apply<typename joined<X, Y>::element>(one::select(), mask, x, y);
}

/* Calls f only if a row of the warp selects its result; the branch is uniform, since f synchronizes lanes.  */
template <int R, layout L, typename F, typename Y>
static WS_DEVICE auto select_some(const tile<bool, R, 1, L> &mask, F f, const Y &y)
{
    typedef spread<R, 1, L> S;
    decltype(select(mask, f(), y)) z = y;
    bool some = false;
    WS_FOR_SLOTS(S, slot)
    some = some || mask.get(slot, 0).low;
    if (__any_sync(0xffffffffu, some))
        z = select(mask, f(), y);
    return z;
}

template <typename X, typename Y, typename Z, if_tile<X, Y, Z> = 0>
static WS_DEVICE auto fma(const X &x, const Y &y, const Z &z)
{
    return apply<typename joined<X, Y, Z>::element>(one::fma(), x, y, z);
}

/* Converts bytes to floating-point numbers without the slow conversion unit.  A byte, with an inverted sign bit if it
   is signed, becomes the last byte of a number with known other bytes; a subtraction removes these.  Exact.  */
template <typename U> struct of_bytes {
    static constexpr bool fast = false;
};
template <> struct of_bytes<f16> {
    static constexpr bool fast = true;
    template <bool SIGN> static WS_DEVICE u32 word(u32 turned, int half)
    {
        return ptx::sub_f16x2(__byte_perm(turned, 0x64646464, half ? 0x4342 : 0x4140),
                              SIGN ? 0x64806480 : 0x64006400); /* 1024 + byte */
    }
};
template <> struct of_bytes<float> {
    static constexpr bool fast = true;
    template <bool SIGN> static WS_DEVICE number<float>::word word(u32 turned, int half)
    {
        const u32 first = half ? 0x7652 : 0x7650; /* 2^23 + byte */
        const float rest = SIGN ? 8388736.0f : 8388608.0f;
        return {__uint_as_float(__byte_perm(turned, 0x4b000000, first)) - rest,
                __uint_as_float(__byte_perm(turned, 0x4b000000, first + 1)) - rest};
    }
};
template <> struct of_bytes<bf16> {
    static constexpr bool fast = true;
    template <bool SIGN> static WS_DEVICE u32 word(u32 turned, int half)
    {
        const auto both = of_bytes<float>::word<SIGN>(turned, half);
        return ptx::pack_bf16(both.low, both.high);
    }
};

template <typename U, typename T, int R, int C, layout L>
static WS_DEVICE tile<U, R, C, L> cast(const tile<T, R, C, L> &x)
{
    constexpr bool sign = same_type<T, signed char>;
    if constexpr ((sign || same_type<T, unsigned char>)&&of_bytes<U>::fast && C > 1) {
        tile<U, R, C, L> y;
#pragma unroll
        for (int i = 0; i < spread<R, C, L>::slots * spread<R, C, L>::pairs; i++)
            y.cell.set_bits(
                i, of_bytes<U>::template word<sign>(x.cell.v[i / 4 * 2 + i % 2] ^ (sign ? 0x80808080 : 0), i % 4 / 2));
        return y;
    }
    if constexpr (is_wide<L> && C > 1 && sizeof(U) == 4 && (same_type<T, f16> || same_type<T, bf16>)) {
        /* Converts at each use.  Otherwise ptxas keeps the converted numbers, in twice the registers.  */
        tile<T, R, C, L> anew = x;
#pragma unroll
        for (int i = 0; i < spread<R, C, L>::slots * spread<R, C, L>::pairs; i++)
            ptx::hide(anew.cell.v[i]);
        return apply<U>(convert<U>(), anew);
    }
    return apply<U>(convert<U>(), x);
}

template <typename U, typename X, if_scalars<X> = 0> static WS_HOST WS_DEVICE U bitcast(X x)
{
    static_assert(sizeof(U) == sizeof(X), "as many bits");
    U y;
    memcpy(&y, &x, sizeof y);
    return y;
}
template <typename U> struct as_bits {
    template <typename M> WS_DEVICE U operator()(M x) const
    {
        return bitcast<U>(x);
    }
};
template <typename U, typename T, int R, int C, layout L>
static WS_DEVICE tile<U, R, C, L> bitcast(const tile<T, R, C, L> &x)
{
    return apply<U>(as_bits<U>(), x);
}

/* The f16 bits of an integer from 1 to 2047.  */
WS_CONSTANT u32 f16_of(int x)
{
    int exponent = 0;
    while (x >> (exponent + 1))
        exponent++;
    return (u32)(15 + exponent) << 10 | (((u32)x << (10 - exponent)) & 0x3ff);
}

/* The leading bytes of numbers from 1024 on, in a register.  ptxas would use a known value as the immediate operand,
   and move each instruction's byte selector to a register first.  */
static WS_DEVICE u32 thousand()
{
    return 0x64646464 | ptx::multiprocessor() >> 31;
}

/* Bytes, or their high bits, as f16 numbers minus 0 to 511.  The subtraction is part of the conversion.  Shifted bits
   stay in place and count as a multiple.  Exact.  */
template <typename U, int LESS, int SHIFT = 0, int R, int C, layout L>
static WS_DEVICE tile<U, R, C, L> cast_less(const tile<unsigned char, R, C, L> &x)
{
    static_assert(same_type<U, f16> && C > 1 && LESS >= 0 && LESS < 512, "1024 + LESS is a number of f16");
    tile<U, R, C, L> y;
#pragma unroll
    for (int i = 0; i < spread<R, C, L>::slots * spread<R, C, L>::pairs; i++) {
        const u32 four = x.cell.v[i / 4 * 2 + i % 2] & (0xff >> SHIFT << SHIFT) * 0x01010101u;
        const u32 two = __byte_perm(four, thousand(), i % 4 / 2 ? 0x4342 : 0x4140);
        constexpr u32 less = f16_of((1024 >> SHIFT) + LESS), part = (u32)(15 - SHIFT) << 10;
        y.cell.set_bits(i, SHIFT ? ptx::fma_f16x2(two, part * 0x10001u, (less | 0x8000) * 0x10001u)
                                 : ptx::sub_f16x2(two, less * 0x10001u));
    }
    return y;
}

/* Elements by their indices.  Indices of padding are looked up, too; they are in bounds.  */
template <typename T> T element_type_of(const tensor<T, 1> &);

template <typename X, typename I, int R, int C, layout L>
static WS_DEVICE auto load_at(const X &t, const tile<I, R, C, L> &index)
{
    typedef spread<R, C, L> S;
    tile<decltype(element_type_of(t)), R, C, L> y;
    WS_FOR_CELLS(S, slot, j)
    {
        const pair<I> at = index.get(slot, j);
        y.set(slot, j, fixed_element(t, at.low), fixed_element(t, at.high));
    }
    return y;
}

/* Scalars of one type; launchers use them, too.  */
template <typename X, if_scalars<X> = 0> static WS_HOST WS_DEVICE X min(X x, X y)
{
    return x < y ? x : y;
}
template <typename X, if_scalars<X> = 0> static WS_HOST WS_DEVICE X max(X x, X y)
{
    return x > y ? x : y;
}

} // namespace ws

#endif
