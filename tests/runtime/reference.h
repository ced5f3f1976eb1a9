/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reference.h - what the runtime tests compare with: element types in double arithmetic, written from their definitions
 * and not from the library, and the way between tiles and arrays of double.
 */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ws.h>

/* A sanitizer ends the process where there is no memory.  */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#    define SANITIZED 1
#elif defined __has_feature
#    if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#        define SANITIZED 1
#    endif
#endif
#ifndef SANITIZED
#    define SANITIZED 0
#endif

#define INLINE       static inline __attribute__((unused))
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
#define MOST         65536 /* elements of the largest tile that the helpers take */

/* A floating format: precision in bits with the leading one, smallest and largest exponent, largest finite number.  */
struct format {
    int precision, smallest;
    double largest;
    int saturates;
};

INLINE struct format format_of(ws_dtype t)
{
    switch (t) {
    case WS_F16:
        return (struct format){11, -14, 65504, 0};
    case WS_BF16:
        return (struct format){8, -126, 0x1.fep127, 0};
    case WS_E4M3:
        return (struct format){4, -6, 448, 1};
    case WS_E5M2:
        return (struct format){3, -14, 57344, 1};
    default:
        return (struct format){24, -126, 0x1.fffffep127, 0};
    }
}

/* x as an element of type t holds it.  nearbyint rounds to nearest even.  */
INLINE double rounded(ws_dtype t, double x)
{
    if (t == WS_F64)
        return x;
    if (t == WS_I32 || t == WS_I8) {
        double low = t == WS_I8 ? -128 : -2147483648.0, high = t == WS_I8 ? 127 : 2147483647;
        return isnan(x) ? 0 : trunc(x) < low ? low : trunc(x) > high ? high : trunc(x) + 0.0;
    }
    struct format f = format_of(t);
    if (isnan(x) || x == 0)
        return x;
    if (isinf(x))
        return f.saturates ? copysign(f.largest, x) : x;
    int exponent = ilogb(x) < f.smallest ? f.smallest : ilogb(x);
    double result = ldexp(nearbyint(ldexp(x, -(exponent - f.precision + 1))), exponent - f.precision + 1);
    if (fabs(result) > f.largest)
        result = copysign(f.saturates ? f.largest : INFINITY, x);
    return result;
}

INLINE int bytes_of(ws_dtype t)
{
    return t == WS_F64 ? 8 : t == WS_F32 || t == WS_I32 ? 4 : t == WS_F16 || t == WS_BF16 ? 2 : 1;
}

/* The number that bits mean: sign, exponent, mantissa.  */
INLINE double decoded(uint32_t bits, int exponent_bits, int mantissa_bits, int has_infinity)
{
    int exponent = (int)(bits >> mantissa_bits) & ((1 << exponent_bits) - 1), bias = (1 << (exponent_bits - 1)) - 1;
    uint32_t mantissa = bits & ((1u << mantissa_bits) - 1);
    double sign = bits >> (exponent_bits + mantissa_bits) & 1 ? -1 : 1;
    int all_ones = exponent == (1 << exponent_bits) - 1;
    if (all_ones && has_infinity)
        return mantissa ? NAN : sign * INFINITY;
    if (all_ones && mantissa == (1u << mantissa_bits) - 1)
        return NAN;
    if (exponent == 0)
        return sign * ldexp(mantissa, 1 - bias - mantissa_bits);
    return sign * ldexp(mantissa + (double)(1u << mantissa_bits), exponent - bias - mantissa_bits);
}

INLINE double element(ws_dtype t, const void *array, long i)
{
    switch (t) {
    case WS_F32:
        return ((const float *)array)[i];
    case WS_F64:
        return ((const double *)array)[i];
    case WS_F16:
        return decoded(((const uint16_t *)array)[i], 5, 10, 1);
    case WS_BF16:
        return decoded(((const uint16_t *)array)[i], 8, 7, 1);
    case WS_E4M3:
        return decoded(((const uint8_t *)array)[i], 4, 3, 0);
    case WS_E5M2:
        return decoded(((const uint8_t *)array)[i], 5, 2, 1);
    case WS_I8:
        return ((const int8_t *)array)[i];
    default:
        return ((const int32_t *)array)[i];
    }
}

/* ---- tiles and arrays of double ---------------------------------------------------------------------------------- */

/* A tile of type t with these numbers, which must be f64-exact in it or are rounded by ws_cast.  */
INLINE ws_tile tile_of(ws_dtype t, int rows, int cols, const double *x)
{
    return ws_cast(ws_load(ws_tensor_2d(x, WS_F64, rows, cols), 0, 0, rows, cols), t);
}

/* The elements of a tile; of a mask 1 and 0.  */
INLINE void elements_of(ws_tile x, ws_dtype t, int rows, int cols, double *result)
{
    static _Thread_local double raw[MOST];
    assert_true((long)rows * cols <= MOST);
    ws_store(ws_tensor_2d((void *)raw, t, rows, cols), 0, 0, x);
    for (int i = 0; i < rows * cols; i++)
        result[i] = element(t, raw, i);
}

INLINE void mask_elements(ws_tile mask, int rows, int cols, double *result)
{
    elements_of(ws_select(mask, 1, 0), WS_F32, rows, cols, result);
}

INLINE void expect_number(double got, double expected, const char *what, int index)
{
    int same = isnan(expected) ? isnan(got) : got == expected && signbit(got) == signbit(expected);
    if (!same)
        fail_msg("%s, element %d: %.17g, expected %.17g", what, index, got, expected);
}

INLINE void expect_near(double got, double expected, double tolerance, const char *what, int index)
{
    int close = isnan(expected) ? isnan(got) : isinf(expected) ? got == expected : fabs(got - expected) <= tolerance;
    if (!close)
        fail_msg("%s, element %d: %.17g, expected %.17g within %g", what, index, got, expected, tolerance);
}

/* No operation so far was refused.  */
INLINE void expect_no_error(void)
{
    ws_status status = ws_last_error();
    if (status != WS_OK)
        fail_msg("error %d: %s", (int)status, ws_error_message());
}

/* The same numbers in every run.  */
INLINE double random_number(void)
{
    static _Thread_local uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(int64_t)state / 9223372036854775808.0;
}

#endif
