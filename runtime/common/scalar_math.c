/* SPDX-License-Identifier: MIT */
/*
 * scalar_math.c - functions of scalar.h whose results compiler options could change, compiled once.
 *
 * Compiled with -ffp-contract=off and without -ffast-math.  maths.def defines each function.
 */
#include "scalar.h"

#define MATHS(NAME, name, f32, f64, gpu_f32, gpu_f64, least, most) \
    float ws_f32_##name(float x)                                   \
    {                                                              \
        return f32;                                                \
    }                                                              \
    double ws_f64_##name(double x)                                 \
    {                                                              \
        return f64;                                                \
    }
#define MATHS_OF_TWO(NAME, name, f32, f64, gpu_f32, gpu_f64) \
    float ws_f32_##name(float x, float y)                    \
    {                                                        \
        return f32;                                          \
    }                                                        \
    double ws_f64_##name(double x, double y)                 \
    {                                                        \
        return f64;                                          \
    }
#include "maths.def"
