/* SPDX-License-Identifier: MIT */
/*
 * one.cuh - operations on one element: arithmetic, comparisons, <math.h>.
 */
#ifndef WS_CUDA_ONE_CUH
#define WS_CUDA_ONE_CUH

#include "element.cuh"

namespace ws {

namespace one { /* operations on one element */

#define WS_ONE_BINARY(name, on_float, on_double, on_int, on_long) \
    struct name {                                                 \
        WS_DEVICE float operator()(float x, float y) const        \
        {                                                         \
            return on_float;                                      \
        }                                                         \
        WS_DEVICE double operator()(double x, double y) const     \
        {                                                         \
            return on_double;                                     \
        }                                                         \
        WS_DEVICE int operator()(int x, int y) const              \
        {                                                         \
            return on_int;                                        \
        }                                                         \
        WS_DEVICE long operator()(long x, long y) const           \
        {                                                         \
            return on_long;                                       \
        }                                                         \
    };
WS_ONE_BINARY(add, x + y, x + y, (int)((u32)x + (u32)y), (long)((u64)x + (u64)y))
WS_ONE_BINARY(sub, x - y, x - y, (int)((u32)x - (u32)y), (long)((u64)x - (u64)y))
WS_ONE_BINARY(mul, x *y, x *y, (int)((u32)x *(u32)y), (long)((u64)x *(u64)y))
WS_ONE_BINARY(div, x / y, x / y,
              y == 0    ? 0
              : y == -1 ? (int)(0u - (u32)x)
                        : x / y,
              y == 0    ? 0
              : y == -1 ? (long)(0ul - (u64)x)
                        : x / y)
WS_ONE_BINARY(maximum, fmaxf(x, y), fmax(x, y), ptx::larger(x, y), x > y ? x : y)
WS_ONE_BINARY(minimum, fminf(x, y), fmin(x, y), ptx::smaller(x, y), x < y ? x : y)
#undef WS_ONE_BINARY

/* Operations on the bits of two I32 or I64.  */
#define WS_ONE_BITS(name, on_int, on_long)              \
    struct name {                                       \
        WS_DEVICE int operator()(int x, int y) const    \
        {                                               \
            return on_int;                              \
        }                                               \
        WS_DEVICE long operator()(long x, long y) const \
        {                                               \
            return on_long;                             \
        }                                               \
    };
WS_ONE_BITS(bit_and, x &y, x &y)
WS_ONE_BITS(bit_or, x | y, x | y)
WS_ONE_BITS(bit_xor, x ^ y, x ^ y)
WS_ONE_BITS(shl, (int)((u32)x << (y & 31)), (long)((u64)x << (y & 63)))
WS_ONE_BITS(shr, x >> (y & 31), x >> (y & 63))
WS_ONE_BITS(ushr, (int)((u32)x >> (y & 31)), (long)((u64)x >> (y & 63)))
#undef WS_ONE_BITS

#define WS_ONE_COMPARE(name, operator_)                                 \
    struct name {                                                       \
        template <typename M> WS_DEVICE bool operator()(M x, M y) const \
        {                                                               \
            return x operator_ y;                                       \
        }                                                               \
    };
WS_ONE_COMPARE(lt, <)
WS_ONE_COMPARE(le, <=)
WS_ONE_COMPARE(gt, >)
WS_ONE_COMPARE(ge, >=)
WS_ONE_COMPARE(eq, ==)
WS_ONE_COMPARE(ne, !=)
WS_ONE_COMPARE(mask_and, &&)
WS_ONE_COMPARE(mask_or, ||)
#undef WS_ONE_COMPARE

struct mask_not {
    WS_DEVICE bool operator()(bool x) const
    {
        return !x;
    }
};
struct select {
    template <typename M> WS_DEVICE M operator()(bool mask, M x, M y) const
    {
        return mask ? x : y;
    }
};
struct fma {
    WS_DEVICE float operator()(float x, float y, float z) const
    {
        return fmaf(x, y, z);
    }
    WS_DEVICE double operator()(double x, double y, double z) const
    {
        return ::fma(x, y, z);
    }
    WS_DEVICE int operator()(int x, int y, int z) const
    {
        return (int)((u32)x * (u32)y + (u32)z);
    }
    WS_DEVICE long operator()(long x, long y, long z) const
    {
        return (long)((u64)x * (u64)y + (u64)z);
    }
};
struct neg {
    WS_DEVICE float operator()(float x) const
    {
        return -x;
    }
    WS_DEVICE double operator()(double x) const
    {
        return -x;
    }
    WS_DEVICE int operator()(int x) const
    {
        return (int)(0u - (u32)x);
    }
    WS_DEVICE long operator()(long x) const
    {
        return (long)(0ul - (u64)x);
    }
};
struct abs {
    WS_DEVICE float operator()(float x) const
    {
        return fabsf(x);
    }
    WS_DEVICE double operator()(double x) const
    {
        return ::fabs(x);
    }
    WS_DEVICE int operator()(int x) const
    {
        return x < 0 ? (int)(0u - (u32)x) : x;
    }
    WS_DEVICE long operator()(long x) const
    {
        return x < 0 ? (long)(0ul - (u64)x) : x;
    }
};

/* The tf32 head of x: x as the tensor core reads it, without the last 13 bits.  */
struct tf32_head {
    WS_DEVICE float operator()(float x) const
    {
        return __uint_as_float(__float_as_uint(x) & ~0x1fffu);
    }
};
/* The tf32 residual of x: the difference of x and its head, rounded to tf32.  NaN if x is no number, is too small for a
   residual of enough bits, or may give infinite products.  */
struct tf32_residual {
    static constexpr float least = 0x1p-50f, most = 0x1p60f;
    WS_DEVICE float operator()(float x) const
    {
        const u32 bits = __float_as_uint(x);
        const u32 left = (__float_as_uint(x - __uint_as_float(bits & ~0x1fffu)) + 0x1000) & ~0x1fffu;
        const float size = fabsf(x);
        return (size >= least && size <= most) || x == 0 ? __uint_as_float(left) : __uint_as_float(0x7fffffffu);
    }
};

/* 1 / (1 + e^-x) without the branches of a division, since its divisor is at least 1.  An infinite divisor skips the
   correction of the approximate reciprocal.  */
static WS_DEVICE float logistic(float x)
{
    const float divisor = 1.0f + expf(-x), y = ptx::reciprocal_approx(divisor), rest = fmaf(-divisor, y, 1.0f);
    return fabsf(rest) < 1 ? fmaf(y, rest, y) : y;
}

#define MATHS(NAME, name, f32, f64, gpu_f32, gpu_f64, least, most) \
    struct name {                                                  \
        WS_DEVICE float operator()(float x) const                  \
        {                                                          \
            return gpu_f32;                                        \
        }                                                          \
        WS_DEVICE double operator()(double x) const                \
        {                                                          \
            return gpu_f64;                                        \
        }                                                          \
    };
#define MATHS_OF_TWO(NAME, name, f32, f64, gpu_f32, gpu_f64)  \
    struct name {                                             \
        WS_DEVICE float operator()(float x, float y) const    \
        {                                                     \
            return gpu_f32;                                   \
        }                                                     \
        WS_DEVICE double operator()(double x, double y) const \
        {                                                     \
            return gpu_f64;                                   \
        }                                                     \
    };
#include "../common/maths.def"

/* e^x with a relative error of about |x| 2^-24 (lowering/machine/fast-math.c).  */
struct exp_fast {
    WS_DEVICE float operator()(float x) const
    {
        return ptx::exp2_approx(x * 1.44269504f);
    }
};

} // namespace one

} // namespace ws

#endif
