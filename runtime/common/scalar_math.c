/* SPDX-License-Identifier: MIT */
/*
 * scalar_math.c - the functions of scalar.h that a compiler's options could change, compiled once.
 *
 * Compiled with -ffp-contract=off and without -ffast-math.  Each is the C library's function of the compute type, which is
 * within 1 ulp for those that are not exact; rsqrt and sigmoid are spelled out, an operation at a time.
 */
#include "scalar.h"

#define BOTH(name, f32_expression, f64_expression) \
    float ws_f32_##name(float x)                   \
    {                                              \
        return f32_expression;                     \
    }                                              \
    double ws_f64_##name(double x)                 \
    {                                              \
        return f64_expression;                     \
    }

BOTH(rint, rintf(x), rint(x))
BOTH(floor, floorf(x), floor(x))
BOTH(exp, expf(x), exp(x))
BOTH(exp2, exp2f(x), exp2(x))
BOTH(log, logf(x), log(x))
BOTH(log2, log2f(x), log2(x))
BOTH(sqrt, sqrtf(x), sqrt(x))
BOTH(rsqrt, 1.0f / sqrtf(x), 1.0 / sqrt(x))
BOTH(tanh, tanhf(x), tanh(x))
BOTH(erf, erff(x), erf(x))
BOTH(sigmoid, 1.0f / (1.0f + expf(-x)), 1.0 / (1.0 + exp(-x)))
