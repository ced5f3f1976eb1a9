/* SPDX-License-Identifier: MIT */
/*
 * scalar.h - every operation on one element.  C11 and C++17.
 *
 * The sequential library and the CPU emulation compute with these functions only, so their results are bitwise equal.
 * Functions that a compiler could approximate (exp, erf, rsqrt ...) are compiled once, in scalar_math.c.  Compile files
 * that include this header with -ffp-contract=off and without -ffast-math.
 *
 *      f32 f64 i32 i64   the compute types: f32 for tiles of f32, f16, bf16, e4m3, e5m2; each result is rounded once to
 *                    the tile's own type.  i32 and i64 wrap.
 *      ws_f32_add    name of an operation: compute type, then the text of ops.def
 *      ws_f16_from_f64, ws_f32_from_f16   conversions between stored bits and compute types
 *
 * Conversions go through double, which holds all types but i64 exactly, so that a conversion rounds once.  An i64 is
 * rounded to odd in between.
 */
#ifndef WS_SCALAR_H
#define WS_SCALAR_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- bits -------------------------------------------------------------------------------------------------------- */

static inline uint32_t ws_bits_of_f32(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float ws_f32_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t ws_bits_of_f64(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double ws_f64_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* |x| as exponent and mantissa bits of a smaller binary format, rounded to nearest even, including subnormals.  A value
   that is too large carries into exponents beyond the format; the caller compares.  x is not NaN.  */
static inline uint64_t ws_round_magnitude(double x, int exponent_bits, int mantissa_bits)
{
    uint64_t bits = ws_bits_of_f64(x) & 0x7fffffffffffffffu;
    int exponent = (int)(bits >> 52) - 1023 + (1 << (exponent_bits - 1)) - 1;
    uint64_t mantissa = (bits & 0xfffffffffffffu) | (UINT64_C(1) << 52);
    int shift = 52 - mantissa_bits;
    if (exponent < 1) {
        shift += 1 - exponent;
        exponent = 1;
    }
    if (shift > 54)
        return 0; /* below half of the smallest number, as are all subnormals of double */
    uint64_t quotient = mantissa >> shift;
    uint64_t rest = mantissa & ((UINT64_C(1) << shift) - 1), half = UINT64_C(1) << (shift - 1);
    quotient += rest > half || (rest == half && (quotient & 1));
    return ((uint64_t)(exponent - 1) << mantissa_bits) + quotient; /* the leading 1 increments the exponent */
}

/* ---- stored types ------------------------------------------------------------------------------------------------ */

/* A NaN becomes the NaN of the tensor cores' conversions: all ones, positive.  */
static inline uint16_t ws_f16_from_f64(double x)
{
    if (x != x)
        return 0x7fff;
    uint64_t magnitude = ws_round_magnitude(x, 5, 10);
    return (uint16_t)((signbit(x) ? 0x8000 : 0) | (magnitude < 0x7c00 ? magnitude : 0x7c00));
}

static inline uint16_t ws_bf16_from_f64(double x)
{
    if (x != x)
        return 0x7fff;
    uint64_t magnitude = ws_round_magnitude(x, 8, 7);
    return (uint16_t)((signbit(x) ? 0x8000 : 0) | (magnitude < 0x7f80 ? magnitude : 0x7f80));
}

/* Saturates to 448, also for infinity.  */
static inline uint8_t ws_e4m3_from_f64(double x)
{
    if (x != x)
        return 0x7f;
    uint64_t magnitude = ws_round_magnitude(x, 4, 3);
    return (uint8_t)((signbit(x) ? 0x80 : 0) | (magnitude < 0x7e ? magnitude : 0x7e));
}

/* Saturates to 57344, also for infinity.  */
static inline uint8_t ws_e5m2_from_f64(double x)
{
    if (x != x)
        return 0x7f;
    uint64_t magnitude = ws_round_magnitude(x, 5, 2);
    return (uint8_t)((signbit(x) ? 0x80 : 0) | (magnitude < 0x7b ? magnitude : 0x7b));
}

/* The same from f32, without a branch.  `shift` is the number of lost mantissa bits.  `bias` is the difference of the
   exponents' biases, and `least` the smallest normal number, both as bits of f32.  The last bit of `ruler` has the
   weight of the small format's last bit, so the sum of a subnormal number and `ruler` is rounded correctly.  */
static inline uint32_t ws_round_f32_(float x, int shift, uint32_t bias, uint32_t least, float ruler, uint32_t most,
                                     uint32_t nan, int sign_bit)
{
    uint32_t bits = ws_bits_of_f32(x), magnitude = bits & 0x7fffffffu, sign = bits >> 31 << sign_bit;
    uint32_t normal = (magnitude - bias + ((UINT32_C(1) << (shift - 1)) - 1) + (magnitude >> shift & 1)) >> shift;
    uint32_t subnormal = ws_bits_of_f32(ws_f32_of_bits(magnitude) + ruler) - ws_bits_of_f32(ruler);
    uint32_t rounded = magnitude < least ? subnormal : normal;
    rounded = rounded < most ? rounded : most;
    return magnitude > 0x7f800000u ? nan : sign | rounded;
}

static inline uint16_t ws_f16_from_f32(float x)
{
    return (uint16_t)ws_round_f32_(x, 13, 0x38000000u, 0x38800000u, 0.5f, 0x7c00, 0x7fff, 15);
}

static inline uint16_t ws_bf16_from_f32(float x)
{
    return (uint16_t)ws_round_f32_(x, 16, 0, 0, 0, 0x7f80, 0x7fff, 15);
}

static inline uint8_t ws_e4m3_from_f32(float x)
{
    return (uint8_t)ws_round_f32_(x, 20, 0x3c000000u, 0x3c800000u, 0x1p14f, 0x7e, 0x7f, 7);
}

static inline uint8_t ws_e5m2_from_f32(float x)
{
    return (uint8_t)ws_round_f32_(x, 21, 0x38000000u, 0x38800000u, 0x1p7f, 0x7b, 0x7f, 7);
}

static inline float ws_f32_from_f16(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, magnitude = h & 0x7fff;
    uint32_t normal = magnitude < 0x7c00 ? (magnitude << 13) + 0x38000000u : (magnitude << 13) | 0x7f800000u;
    uint32_t subnormal = ws_bits_of_f32((float)(int32_t)magnitude * 0x1p-24f);
    return ws_f32_of_bits(sign | (magnitude < 0x400 ? subnormal : normal));
}

static inline float ws_f32_from_bf16(uint16_t h)
{
    return ws_f32_of_bits((uint32_t)h << 16);
}

/* No infinities; all ones is NaN.  */
static inline float ws_f32_from_e4m3(uint8_t h)
{
    uint32_t sign = (uint32_t)(h & 0x80) << 24, magnitude = h & 0x7f;
    uint32_t normal = magnitude < 0x7f ? (magnitude << 20) + 0x3c000000u : 0x7fffffffu;
    uint32_t subnormal = ws_bits_of_f32((float)(int32_t)magnitude * 0x1p-9f);
    return ws_f32_of_bits(sign | (magnitude < 0x08 ? subnormal : normal));
}

/* The upper half of an f16.  */
static inline float ws_f32_from_e5m2(uint8_t h)
{
    return ws_f32_from_f16((uint16_t)(h << 8));
}

/* An operand of ws_dot: keeps 10 bits of the mantissa.  */
static inline float ws_f32_to_tf32(float x)
{
    uint32_t bits = ws_bits_of_f32(x);
    if ((bits & 0x7f800000u) == 0x7f800000u)
        return x;
    return ws_f32_of_bits((bits + 0xfff + ((bits >> 13) & 1)) & ~UINT32_C(0x1fff));
}

/* Truncates and saturates; NaN gives 0.  */
static inline int32_t ws_i32_from_f64(double x)
{
    return x != x ? 0 : x <= -2147483648.0 ? INT32_MIN : x >= 2147483647.0 ? INT32_MAX : (int32_t)x;
}

static inline int8_t ws_i8_from_f64(double x)
{
    return (int8_t)(x != x ? 0 : x <= -128.0 ? -128 : x >= 127.0 ? 127 : (int)x);
}

static inline uint8_t ws_u8_from_f64(double x)
{
    return (uint8_t)(x != x ? 0 : x <= 0 ? 0 : x >= 255.0 ? 255 : (int)x);
}

static inline int16_t ws_i16_from_f64(double x)
{
    return (int16_t)(x != x ? 0 : x <= -32768.0 ? -32768 : x >= 32767.0 ? 32767 : (int)x);
}

static inline int64_t ws_i64_from_f64(double x)
{
    return x != x ? 0 : x <= -0x1p63 ? INT64_MIN : x >= 0x1p63 ? INT64_MAX : (int64_t)x;
}

/* x rounded to odd, so that a second rounding to fewer bits gives the correctly rounded result.  */
static inline double ws_f64_odd_from_i64(int64_t x)
{
    uint64_t size = x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
    if (size >> 53) {
        const int lost = 11 - __builtin_clzll(size);
        const uint64_t rest = size & ((UINT64_C(1) << lost) - 1);
        size = (size - rest) | (rest ? UINT64_C(1) << lost : 0);
    }
    return x < 0 ? -(double)size : (double)size;
}

/* Integers wrap into smaller ones.  */
static inline int32_t ws_i32_from_long(long x)
{
    return (int32_t)(uint32_t)(unsigned long)x;
}

static inline int8_t ws_i8_from_i32(int32_t x)
{
    return (int8_t)(uint8_t)(uint32_t)x;
}

static inline uint8_t ws_u8_from_i32(int32_t x)
{
    return (uint8_t)(uint32_t)x;
}

static inline int16_t ws_i16_from_i32(int32_t x)
{
    return (int16_t)(uint16_t)(uint32_t)x;
}

/* ---- two operands, and three ------------------------------------------------------------------------------------- */

/* A number wins over a NaN; +0 is larger than -0.  */
#define WS_SCALAR_FLOAT_(type, name, fused)                        \
    static inline type ws_##name##_add(type x, type y)             \
    {                                                              \
        return x + y;                                              \
    }                                                              \
    static inline type ws_##name##_sub(type x, type y)             \
    {                                                              \
        return x - y;                                              \
    }                                                              \
    static inline type ws_##name##_mul(type x, type y)             \
    {                                                              \
        return x * y;                                              \
    }                                                              \
    static inline type ws_##name##_div(type x, type y)             \
    {                                                              \
        return x / y;                                              \
    }                                                              \
    static inline type ws_##name##_max(type x, type y)             \
    {                                                              \
        return x > y || y != y || (x == y && !signbit(x)) ? x : y; \
    }                                                              \
    static inline type ws_##name##_min(type x, type y)             \
    {                                                              \
        return x < y || y != y || (x == y && signbit(x)) ? x : y;  \
    }                                                              \
    static inline type ws_##name##_fma(type x, type y, type z)     \
    {                                                              \
        return fused(x, y, z);                                     \
    }                                                              \
    static inline type ws_##name##_neg(type x)                     \
    {                                                              \
        return -x;                                                 \
    }

WS_SCALAR_FLOAT_(float, f32, fmaf)
WS_SCALAR_FLOAT_(double, f64, fma)

/* Operations on the bits of two I32 or I64.  */
#define WS_BITS_(X)     \
    X(BIT_AND, bit_and) \
    X(BIT_OR, bit_or)   \
    X(BIT_XOR, bit_xor) \
    X(SHL, shl)         \
    X(SHR, shr)         \
    X(USHR, ushr)

#define WS_SCALAR_WRAP_(type, bits, name, operation, operator) \
    static inline type ws_##name##_##operation(type x, type y) \
    {                                                          \
        return (type)((bits)x operator(bits) y);               \
    }

/* Shifts are by y modulo the size; a division truncates, and x / 0 is 0.  */
#define WS_SCALAR_INTEGER_(type, bits, name, size)                \
    WS_SCALAR_WRAP_(type, bits, name, add, +)                     \
    WS_SCALAR_WRAP_(type, bits, name, sub, -)                     \
    WS_SCALAR_WRAP_(type, bits, name, mul, *)                     \
    WS_SCALAR_WRAP_(type, bits, name, bit_and, &)                 \
    WS_SCALAR_WRAP_(type, bits, name, bit_or, |)                  \
    WS_SCALAR_WRAP_(type, bits, name, bit_xor, ^)                 \
    static inline type ws_##name##_shl(type x, type y)            \
    {                                                             \
        return (type)((bits)x << (y & (size - 1)));               \
    }                                                             \
    static inline type ws_##name##_shr(type x, type y)            \
    {                                                             \
        return x >> (y & (size - 1));                             \
    }                                                             \
    static inline type ws_##name##_ushr(type x, type y)           \
    {                                                             \
        return (type)((bits)x >> (y & (size - 1)));               \
    }                                                             \
    static inline type ws_##name##_neg(type x)                    \
    {                                                             \
        return (type) - (bits)x;                                  \
    }                                                             \
    static inline type ws_##name##_abs(type x)                    \
    {                                                             \
        return x < 0 ? ws_##name##_neg(x) : x;                    \
    }                                                             \
    static inline type ws_##name##_div(type x, type y)            \
    {                                                             \
        return y == 0 ? 0 : y == -1 ? ws_##name##_neg(x) : x / y; \
    }                                                             \
    static inline type ws_##name##_max(type x, type y)            \
    {                                                             \
        return x > y ? x : y;                                     \
    }                                                             \
    static inline type ws_##name##_min(type x, type y)            \
    {                                                             \
        return x < y ? x : y;                                     \
    }                                                             \
    static inline type ws_##name##_fma(type x, type y, type z)    \
    {                                                             \
        return ws_##name##_add(ws_##name##_mul(x, y), z);         \
    }

WS_SCALAR_INTEGER_(int32_t, uint32_t, i32, 32)
WS_SCALAR_INTEGER_(int64_t, uint64_t, i64, 64)

#define WS_SCALAR_COMPARE_(type, name)               \
    static inline int ws_##name##_lt(type x, type y) \
    {                                                \
        return x < y;                                \
    }                                                \
    static inline int ws_##name##_le(type x, type y) \
    {                                                \
        return x <= y;                               \
    }                                                \
    static inline int ws_##name##_gt(type x, type y) \
    {                                                \
        return x > y;                                \
    }                                                \
    static inline int ws_##name##_ge(type x, type y) \
    {                                                \
        return x >= y;                               \
    }                                                \
    static inline int ws_##name##_eq(type x, type y) \
    {                                                \
        return x == y;                               \
    }                                                \
    static inline int ws_##name##_ne(type x, type y) \
    {                                                \
        return x != y;                               \
    }

WS_SCALAR_COMPARE_(float, f32)
WS_SCALAR_COMPARE_(double, f64)
WS_SCALAR_COMPARE_(int32_t, i32)
WS_SCALAR_COMPARE_(int64_t, i64)

/* ---- one operand ------------------------------------------------------------------------------------------------- */

static inline float ws_f32_abs(float x)
{
    return fabsf(x);
}

static inline double ws_f64_abs(double x)
{
    return fabs(x);
}

/* The tf32 head of x: x as the tensor core reads it, without the last 13 bits.  */
static inline float ws_f32_kept(float x)
{
    return ws_f32_of_bits(ws_bits_of_f32(x) & ~0x1fffu);
}

/* The tf32 residual of x: the difference of x and its head, rounded to tf32.  NaN if x is no number, is too small for a
   residual of enough bits, or may give infinite products.  */
__attribute__((unused)) static inline float ws_f32_rest(float x)
{
    const uint32_t rest = (ws_bits_of_f32(x - ws_f32_kept(x)) + 0x1000) & ~0x1fffu;
    const int fits = x == 0 || (fabsf(x) >= 0x1p-50f && fabsf(x) <= 0x1p60f);
    return ws_f32_of_bits(fits ? rest : 0x7fffffff);
}

/* In scalar_math.c.  */
#define MATHS(NAME, name, ...)    \
    float ws_f32_##name(float x); \
    double ws_f64_##name(double x);
#define MATHS_OF_TWO(NAME, name, ...)      \
    float ws_f32_##name(float x, float y); \
    double ws_f64_##name(double x, double y);
#include "maths.def"
#undef MATHS

/* ---- along a row or a column ------------------------------------------------------------------------------------- */

/* n >= 1 elements, `stride` apart, in ascending order, starting from the first.  */
#define WS_SCALAR_REDUCE_(type, name)                                                                  \
    static inline type ws_##name##_reduce_sum(int n, const type *x, long stride)                       \
    {                                                                                                  \
        type result = x[0];                                                                            \
        for (int i = 1; i < n; i++)                                                                    \
            result = ws_##name##_add(result, x[i * stride]);                                           \
        return result;                                                                                 \
    }                                                                                                  \
    static inline type ws_##name##_reduce_max(int n, const type *x, long stride)                       \
    {                                                                                                  \
        type result = x[0];                                                                            \
        for (int i = 1; i < n; i++)                                                                    \
            result = ws_##name##_max(result, x[i * stride]);                                           \
        return result;                                                                                 \
    }                                                                                                  \
    static inline type ws_##name##_reduce_min(int n, const type *x, long stride)                       \
    {                                                                                                  \
        type result = x[0];                                                                            \
        for (int i = 1; i < n; i++)                                                                    \
            result = ws_##name##_min(result, x[i * stride]);                                           \
        return result;                                                                                 \
    }                                                                                                  \
    /* Of the largest element; NaN is smaller than any number.  */                                     \
    static inline int32_t ws_##name##_reduce_argmax(int n, const type *x, long stride)                 \
    {                                                                                                  \
        int32_t best = 0;                                                                              \
        for (int i = 1; i < n; i++)                                                                    \
            if (x[i * stride] > x[best * stride] ||                                                    \
                (x[best * stride] != x[best * stride] && x[i * stride] == x[i * stride]))              \
                best = i;                                                                              \
        return best;                                                                                   \
    }                                                                                                  \
    /* Running sums; each is rounded to the tile's type where it is stored, the sum itself is not.  */ \
    static inline void ws_##name##_cumulate(int n, const type *x, type *result, long stride)           \
    {                                                                                                  \
        type sum = x[0];                                                                               \
        result[0] = sum;                                                                               \
        for (int i = 1; i < n; i++) {                                                                  \
            sum = ws_##name##_add(sum, x[i * stride]);                                                 \
            result[i * stride] = sum;                                                                  \
        }                                                                                              \
    }

WS_SCALAR_REDUCE_(float, f32)
WS_SCALAR_REDUCE_(double, f64)
WS_SCALAR_REDUCE_(int32_t, i32)
WS_SCALAR_REDUCE_(int64_t, i64)

/* product.c: acc (rows x cols) += a (rows x depth) b (depth x cols), all dense row-major f32.  Each element of acc adds
   one product after the other, with k ascending, and rounds each product and each sum.  */
void ws_f32_product(int rows, int cols, int depth, const float *a, const float *b, float *acc);
/* The same in f64; a product and its addition are rounded once.  */
void ws_f64_product(int rows, int cols, int depth, const double *a, const double *b, double *acc);

/* ---- additions to memory ----------------------------------------------------------------------------------------- */

/* Atomic: other threads may add to the same element.  */
static inline void ws_atomic_add_f32_(float *to, float x)
{
    uint32_t *word = (uint32_t *)(void *)to, seen = __atomic_load_n(word, __ATOMIC_RELAXED), sum;
    do
        sum = ws_bits_of_f32(ws_f32_add(ws_f32_of_bits(seen), x));
    while (!__atomic_compare_exchange_n(word, &seen, sum, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

static inline void ws_atomic_add_f64_(double *to, double x)
{
    uint64_t *word = (uint64_t *)(void *)to, seen = __atomic_load_n(word, __ATOMIC_RELAXED), sum;
    do
        sum = ws_bits_of_f64(ws_f64_of_bits(seen) + x);
    while (!__atomic_compare_exchange_n(word, &seen, sum, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

#ifdef __cplusplus
}
#endif
#endif
