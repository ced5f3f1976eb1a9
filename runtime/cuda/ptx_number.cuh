/* SPDX-License-Identifier: MIT */
/*
 * ptx_number.cuh - arithmetic instructions: max and min, pairs of 16-bit numbers, conversions, approximations.
 */
#ifndef WS_CUDA_PTX_NUMBER_CUH
#define WS_CUDA_PTX_NUMBER_CUH

#include "ptx.cuh"

namespace ws {
namespace ptx {

/* max and min of integers, as unsigned numbers.  ptxas of CUDA 13.0 joins two max.s32 to one VIMNMX3 and drops the
   negation of an operand.  max (-x, max (-y, z)) becomes max (-x, max (y, z)).  An exclusive or on each operand
   prevents that.  */
static WS_DEVICE int larger(int x, int y)
{
    int z;
    asm("{ .reg .u32 a, b; xor.b32 a, %1, 0x80000000; xor.b32 b, %2, 0x80000000; max.u32 a, a, b; xor.b32 %0, a, "
        "0x80000000; }"
        : "=r"(z)
        : "r"(x), "r"(y));
    return z;
}
/* The largest of three in one instruction: only for numbers that no integer arithmetic has negated.  */
static WS_DEVICE int largest(int x, int y, int z)
{
    return __vimax3_s32(x, y, z);
}
static WS_DEVICE u32 smallest(u32 x, u32 y, u32 z)
{
    return __vimin3_u32(x, y, z);
}
static WS_DEVICE int smaller(int x, int y)
{
    int z;
    asm("{ .reg .u32 a, b; xor.b32 a, %1, 0x80000000; xor.b32 b, %2, 0x80000000; min.u32 a, a, b; xor.b32 %0, a, "
        "0x80000000; }"
        : "=r"(z)
        : "r"(x), "r"(y));
    return z;
}

/* For two numbers of 16 bits each; the first is in the low half.  */
#define WS_OF_TWO(name, what)                                \
    static WS_DEVICE u32 name(u32 x, u32 y)                  \
    {                                                        \
        u32 z;                                               \
        asm(what " %0, %1, %2;" : "=r"(z) : "r"(x), "r"(y)); \
        return z;                                            \
    }
WS_OF_TWO(add_f16x2, "add.rn.f16x2")
WS_OF_TWO(sub_f16x2, "sub.rn.f16x2")
WS_OF_TWO(mul_f16x2, "mul.rn.f16x2")
WS_OF_TWO(one_if_larger_f16x2, "set.gt.f16x2.f16x2")
WS_OF_TWO(ones_if_less_f16x2, "set.lt.u32.f16x2")
#undef WS_OF_TWO

static WS_DEVICE u32 fma_f16x2(u32 x, u32 y, u32 z)
{
    u32 w;
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(w) : "r"(x), "r"(y), "r"(z));
    return w;
}

/* Adding |x| to 1024 rounds a smaller number to an integer, since f16 numbers there are 1 apart.  The result is the
   floor or the floor plus one.  Other numbers are integers, infinite or NaN.  */
static WS_DEVICE u32 floor_f16x2(u32 x)
{
    const u32 size = x & 0x7fff7fffu, all = 0x64006400u;
    const u32 whole = sub_f16x2(add_f16x2(size, all), all) | (x & 0x80008000u);
    const u32 floor = sub_f16x2(whole, one_if_larger_f16x2(whole, x));
    const u32 small = ones_if_less_f16x2(size, all);
    return (floor & small) | (x & ~small);
}

static WS_DEVICE u32 pack_f16(float low, float high)
{
    u32 x;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(x) : "f"(high), "f"(low));
    return x;
}

static WS_DEVICE u32 pack_bf16(float low, float high)
{
    u32 x;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(x) : "f"(high), "f"(low));
    return x;
}

static WS_DEVICE unsigned short pack_e4m3(float low, float high)
{
    unsigned short x;
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(x) : "f"(high), "f"(low));
    return x;
}

static WS_DEVICE unsigned short pack_e5m2(float low, float high)
{
    unsigned short x;
    asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(x) : "f"(high), "f"(low));
    return x;
}

/* Two 8-bit numbers as a pair of f16.  */
static WS_DEVICE u32 unpack_e4m3(unsigned short x)
{
    u32 y;
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(y) : "h"(x));
    return y;
}

static WS_DEVICE u32 unpack_e5m2(unsigned short x)
{
    u32 y;
    asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(y) : "h"(x));
    return y;
}

static WS_DEVICE float f16_to_f32(unsigned short x)
{
    float y;
    asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x));
    return y;
}

static WS_DEVICE float bf16_to_f32(u32 x)
{
    return __uint_as_float(x << 16);
}

/* To the 10 bits of mantissa that the tensor core reads.  */
static WS_DEVICE float round_tf32(float x)
{
    u32 y;
    asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(y) : "f"(x));
    return __uint_as_float(y);
}

/* Returns x, whose value is hidden from the compiler.  */
static WS_DEVICE int any_number(int x)
{
    asm("" : "+r"(x));
    return x;
}
static WS_DEVICE float exp2_approx(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/* Within 1 ulp; a subnormal result becomes 0.  */
static WS_DEVICE float reciprocal_approx(float x)
{
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
static WS_DEVICE float rsqrt_approx(float x)
{
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/* Truncates and saturates; NaN gives 0.  */
static WS_DEVICE int f32_to_s32(float x)
{
    int y;
    asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(y) : "f"(x));
    return y;
}

} // namespace ptx
} // namespace ws

#endif
