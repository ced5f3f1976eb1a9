/* SPDX-License-Identifier: MIT */
/*
 * element.cuh - element types: their storage and their compute types.
 *
 * f16, bf16, e4m3, e5m2 and float compute in float and round once.  Integers compute in int, and long in long; both
 * wrap. double computes in double.  Register tiles keep two adjacent elements of a row together (a pair).  A pair of
 * 16-bit types is one 32-bit register, as the tensor core reads it; a pair of 8-bit types is one 16-bit register.
 */
#ifndef WS_CUDA_ELEMENT_CUH
#define WS_CUDA_ELEMENT_CUH

#include "ptx_number.cuh"

namespace ws {

struct f16 {
    unsigned short bits;
};
struct bf16 {
    unsigned short bits;
};
struct e4m3 {
    unsigned char bits;
};
struct e5m2 {
    unsigned char bits;
};

/* A float rounded to tf32, as the tensor core reads it; in shared memory only.  */
struct tf32 {
    float x;
    tf32() = default;
    explicit WS_DEVICE tf32(float value) : x(ptx::round_tf32(value))
    {
    }
};

template <typename X, typename Y> constexpr bool same_type = false;
template <typename X> constexpr bool same_type<X, X> = true;

template <typename M> struct pair {
    M low, high;
};

/* ---- conversions to the stored types ----------------------------------------------------------------------------- */

/* 32 bits with one 16-bit element, or 16 bits with two 8-bit elements.  */
static WS_DEVICE float widen(f16 x)
{
    return ptx::f16_to_f32(x.bits);
}
static WS_DEVICE float widen(bf16 x)
{
    return ptx::bf16_to_f32(x.bits);
}
static WS_DEVICE float widen(e4m3 x)
{
    return ptx::f16_to_f32((unsigned short)ptx::unpack_e4m3(x.bits));
}
static WS_DEVICE float widen(e5m2 x)
{
    return ptx::f16_to_f32((unsigned short)ptx::unpack_e5m2(x.bits));
}
static WS_DEVICE float widen(float x)
{
    return x;
}
static WS_DEVICE double widen(double x)
{
    return x;
}
static WS_DEVICE int widen(int x)
{
    return x;
}
static WS_DEVICE long widen(long x)
{
    return x;
}
static WS_DEVICE int widen(signed char x)
{
    return x;
}
static WS_DEVICE int widen(unsigned char x)
{
    return x;
}
static WS_DEVICE int widen(short x)
{
    return x;
}
static WS_DEVICE bool widen(bool x)
{
    return x;
}

template <typename T> struct number;

template <typename T, typename M> struct plain_number {
    typedef M math;
    struct word {
        M low, high;
    };
    static WS_DEVICE word pack(M low, M high)
    {
        return word{low, high};
    }
    static WS_DEVICE pair<M> unpack(word x)
    {
        return pair<M>{x.low, x.high};
    }
    static WS_DEVICE T narrow(M x)
    {
        return (T)x;
    }
};
template <> struct number<float> : plain_number<float, float> {
};
template <> struct number<double> : plain_number<double, double> {
};
template <> struct number<int> : plain_number<int, int> {
};
template <> struct number<long> : plain_number<long, long> {
};
template <> struct number<bool> : plain_number<bool, bool> {
};

template <> struct number<f16> {
    typedef float math;
    typedef u32 word;
    static WS_DEVICE word pack(float low, float high)
    {
        return ptx::pack_f16(low, high);
    }
    static WS_DEVICE pair<float> unpack(word x)
    {
        return pair<float>{ptx::f16_to_f32((unsigned short)x), ptx::f16_to_f32((unsigned short)(x >> 16))};
    }
    static WS_DEVICE f16 narrow(float x)
    {
        return f16{(unsigned short)ptx::pack_f16(x, 0)};
    }
};
template <> struct number<bf16> {
    typedef float math;
    typedef u32 word;
    static WS_DEVICE word pack(float low, float high)
    {
        return ptx::pack_bf16(low, high);
    }
    static WS_DEVICE pair<float> unpack(word x)
    {
        return pair<float>{__uint_as_float(x << 16), __uint_as_float(x & 0xffff0000u)};
    }
    static WS_DEVICE bf16 narrow(float x)
    {
        return bf16{(unsigned short)ptx::pack_bf16(x, 0)};
    }
};
template <> struct number<e4m3> {
    typedef float math;
    typedef unsigned short word;
    static WS_DEVICE word pack(float low, float high)
    {
        return ptx::pack_e4m3(low, high);
    }
    static WS_DEVICE pair<float> unpack(word x)
    {
        return number<f16>::unpack(ptx::unpack_e4m3(x));
    }
    static WS_DEVICE e4m3 narrow(float x)
    {
        return e4m3{(unsigned char)ptx::pack_e4m3(x, 0)};
    }
};
template <> struct number<e5m2> {
    typedef float math;
    typedef unsigned short word;
    static WS_DEVICE word pack(float low, float high)
    {
        return ptx::pack_e5m2(low, high);
    }
    static WS_DEVICE pair<float> unpack(word x)
    {
        return number<f16>::unpack(ptx::unpack_e5m2(x));
    }
    static WS_DEVICE e5m2 narrow(float x)
    {
        return e5m2{(unsigned char)ptx::pack_e5m2(x, 0)};
    }
};
template <> struct number<signed char> {
    typedef int math;
    typedef unsigned short word;
    static WS_DEVICE word pack(int low, int high)
    {
        return (word)((low & 0xff) | (high << 8));
    }
    static WS_DEVICE pair<int> unpack(word x)
    {
        return pair<int>{(signed char)x, (signed char)(x >> 8)};
    }
    static WS_DEVICE signed char narrow(int x)
    {
        return (signed char)x;
    }
};

template <> struct number<unsigned char> {
    typedef int math;
    typedef unsigned short word;
    static WS_DEVICE word pack(int low, int high)
    {
        return (word)((low & 0xff) | (high << 8));
    }
    static WS_DEVICE pair<int> unpack(word x)
    {
        return pair<int>{x & 0xff, x >> 8};
    }
    static WS_DEVICE unsigned char narrow(int x)
    {
        return (unsigned char)x;
    }
};
template <> struct number<short> {
    typedef int math;
    typedef u32 word;
    static WS_DEVICE word pack(int low, int high)
    {
        return __byte_perm((u32)low, (u32)high, 0x5410);
    }
    static WS_DEVICE pair<int> unpack(word x)
    {
        return pair<int>{(short)x, (int)x >> 16};
    }
    static WS_DEVICE short narrow(int x)
    {
        return (short)x;
    }
};

template <typename T> using math_of = typename number<T>::math;

/* The value after a round trip through the stored type.  */
template <typename T> static WS_DEVICE math_of<T> rounded(math_of<T> x)
{
    return widen(number<T>::narrow(x));
}

/* ---- between compute types --------------------------------------------------------------------------------------- */

/* Converts a scalar operand, a fill or a cast's source to the compute type of T.  The only rounding to T comes later.
   A conversion from double therefore rounds to odd.  */
static WS_DEVICE float odd_float(double x)
{
    float toward_zero = __double2float_rz(x);
    u32 bits = __float_as_uint(toward_zero);
    return (double)toward_zero == x || x != x ? toward_zero : __uint_as_float(bits | 1);
}

/* The same for a long, for all types of fewer bits than double.  */
static WS_DEVICE double odd_double(long x)
{
    const double toward_zero = __ll2double_rz(x);
    const bool exact = __double2ll_rz(toward_zero) == x;
    return exact ? toward_zero : __longlong_as_double(__double_as_longlong(toward_zero) | 1);
}

template <typename M> struct to_math;
template <> struct to_math<float> {
    static WS_DEVICE float from(float x)
    {
        return x;
    }
    static WS_DEVICE float from(double x)
    {
        return (float)x;
    }
    template <typename I> static WS_DEVICE float from(I x)
    {
        return (float)x;
    }
};
template <> struct to_math<double> {
    template <typename X> static WS_DEVICE double from(X x)
    {
        return (double)x;
    }
};
template <> struct to_math<int> {
    static WS_DEVICE int from(float x)
    {
        return ptx::f32_to_s32(x);
    }
    static WS_DEVICE int from(double x)
    {
        return x != x ? 0 : __double2int_rz(x);
    }
    template <typename I> static WS_DEVICE int from(I x)
    {
        return (int)(u32)(u64)x;
    }
};
template <> struct to_math<long> {
    static WS_DEVICE long from(float x)
    {
        return x != x ? 0 : (long)__float2ll_rz(x);
    }
    static WS_DEVICE long from(double x)
    {
        return x != x ? 0 : (long)__double2ll_rz(x);
    }
    template <typename I> static WS_DEVICE long from(I x)
    {
        return (long)x;
    }
};
template <> struct to_math<bool> {
    template <typename X> static WS_DEVICE bool from(X x)
    {
        return x != 0;
    }
};

/* One element of a cast from compute type M to element type U, in U's compute type.  */
template <typename U> struct convert {
    template <typename M> WS_DEVICE math_of<U> operator()(M x) const
    {
        return to_math<math_of<U>>::from(x);
    }
};
template <typename U> struct convert_narrow {
    WS_DEVICE float operator()(float x) const
    {
        return x;
    }
    WS_DEVICE float operator()(double x) const
    {
        return odd_float(x);
    }
    WS_DEVICE float operator()(int x) const
    {
        float toward_zero = __int2float_rz(x);
        return __float2int_rz(toward_zero) == x ? toward_zero : __uint_as_float(__float_as_uint(toward_zero) | 1);
    }
    WS_DEVICE float operator()(long x) const
    {
        return odd_float(odd_double(x));
    }
};
template <> struct convert<f16> : convert_narrow<f16> {
};
template <> struct convert<bf16> : convert_narrow<bf16> {
};
template <> struct convert<e4m3> : convert_narrow<e4m3> {
};
template <> struct convert<e5m2> : convert_narrow<e5m2> {
};
template <typename U, int LEAST, int MOST> struct convert_small {
    WS_DEVICE int operator()(float x) const
    {
        int y = ptx::f32_to_s32(x); /* NaN gives 0, unlike the conversion to 8 bits */
        return y < LEAST ? LEAST : y > MOST ? MOST : y;
    }
    WS_DEVICE int operator()(double x) const
    {
        int y = x != x ? 0 : __double2int_rz(x);
        return y < LEAST ? LEAST : y > MOST ? MOST : y;
    }
    WS_DEVICE int operator()(int x) const
    {
        return (U)x;
    }
    WS_DEVICE int operator()(long x) const
    {
        return (U)x;
    }
};
template <> struct convert<signed char> : convert_small<signed char, -128, 127> {
};
template <> struct convert<unsigned char> : convert_small<unsigned char, 0, 255> {
};
template <> struct convert<short> : convert_small<short, -32768, 32767> {
};

} // namespace ws

#endif
