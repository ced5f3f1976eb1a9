/* SPDX-License-Identifier: MIT */
/*
 * convert.c - rows of elements between the stored types and the compute types.
 */
#include "tile.h"
#include "wide.h"

#include <string.h>

int ws_dtype_bytes(int dtype)
{
    static const unsigned char bytes[] = {4, 8, 2, 2, 1, 1, 1, 4, 1, 2, 8, 1};
    return dtype >= 0 && dtype <= WS_RULE_MASK ? bytes[dtype] : 4;
}

ws_compute ws_compute_of(int dtype)
{
    return dtype == WS_RULE_F64                          ? WS_COMPUTE_F64
           : dtype == WS_RULE_I64                        ? WS_COMPUTE_I64
           : dtype >= WS_RULE_I8 && dtype < WS_RULE_MASK ? WS_COMPUTE_I32
                                                         : WS_COMPUTE_F32;
}

int ws_compute_bytes(ws_compute compute)
{
    return compute == WS_COMPUTE_F64 || compute == WS_COMPUTE_I64 ? 8 : 4;
}

int ws_is_computed(int dtype)
{
    return dtype == WS_RULE_F32 || dtype == WS_RULE_F64 || dtype == WS_RULE_I32 || dtype == WS_RULE_I64;
}

/* One loop for each pair of types; `x` is the element.  */
#define CONVERT(from_type, to_type, expression) \
    do {                                        \
        const from_type *source = from;         \
        to_type *restrict target = to;          \
        for (int i = 0; i < n; i++) {           \
            from_type x = source[i];            \
            target[i] = (expression);           \
        }                                       \
    } while (0)

/* From the types that compute in f32.  */
WS_WIDE static void read_f32(int dtype, int n, const void *from, void *to)
{
    switch (dtype) {
    case WS_RULE_F16:
        CONVERT(uint16_t, float, ws_f32_from_f16(x));
        break;
    case WS_RULE_BF16:
        CONVERT(uint16_t, float, ws_f32_from_bf16(x));
        break;
    case WS_RULE_E4M3:
        CONVERT(uint8_t, float, ws_f32_from_e4m3(x));
        break;
    case WS_RULE_E5M2:
        CONVERT(uint8_t, float, ws_f32_from_e5m2(x));
        break;
    default:
        memcpy(to, from, (size_t)n * sizeof(float));
    }
}

/* From every type.  */
WS_WIDE static void read_f64(int dtype, int n, const void *from, void *to)
{
    switch (dtype) {
    case WS_RULE_F32:
        CONVERT(float, double, (double)x);
        break;
    case WS_RULE_F64:
        memcpy(to, from, (size_t)n * sizeof(double));
        break;
    case WS_RULE_F16:
        CONVERT(uint16_t, double, (double)ws_f32_from_f16(x));
        break;
    case WS_RULE_BF16:
        CONVERT(uint16_t, double, (double)ws_f32_from_bf16(x));
        break;
    case WS_RULE_E4M3:
        CONVERT(uint8_t, double, (double)ws_f32_from_e4m3(x));
        break;
    case WS_RULE_E5M2:
        CONVERT(uint8_t, double, (double)ws_f32_from_e5m2(x));
        break;
    case WS_RULE_I8:
        CONVERT(int8_t, double, (double)x);
        break;
    case WS_RULE_U8:
        CONVERT(uint8_t, double, (double)x);
        break;
    case WS_RULE_I16:
        CONVERT(int16_t, double, (double)x);
        break;
    case WS_RULE_I64: /* rounded */
        CONVERT(int64_t, double, (double)x);
        break;
    default:
        CONVERT(int32_t, double, (double)x);
    }
}

/* From the integers.  */
static void read_i64(int dtype, int n, const void *from, void *to)
{
    switch (dtype) {
    case WS_RULE_I8:
        CONVERT(int8_t, int64_t, x);
        break;
    case WS_RULE_U8:
        CONVERT(uint8_t, int64_t, x);
        break;
    case WS_RULE_I16:
        CONVERT(int16_t, int64_t, x);
        break;
    case WS_RULE_I32:
        CONVERT(int32_t, int64_t, x);
        break;
    default:
        memcpy(to, from, (size_t)n * sizeof(int64_t));
    }
}

void ws_row_read(int dtype, ws_compute compute, int n, const void *from, void *to)
{
    if (compute == WS_COMPUTE_F32)
        read_f32(dtype, n, from, to);
    else if (compute == WS_COMPUTE_F64)
        read_f64(dtype, n, from, to);
    else if (compute == WS_COMPUTE_I64)
        read_i64(dtype, n, from, to);
    else if (dtype == WS_RULE_I8)
        CONVERT(int8_t, int32_t, x);
    else if (dtype == WS_RULE_U8)
        CONVERT(uint8_t, int32_t, x);
    else if (dtype == WS_RULE_I16)
        CONVERT(int16_t, int32_t, x);
    else
        memcpy(to, from, (size_t)n * sizeof(int32_t));
}

/* To the types that compute in f32.  */
WS_WIDE static void write_f32(int dtype, int n, const void *from, void *to)
{
    switch (dtype) {
    case WS_RULE_F16:
        CONVERT(float, uint16_t, ws_f16_from_f32(x));
        break;
    case WS_RULE_BF16:
        CONVERT(float, uint16_t, ws_bf16_from_f32(x));
        break;
    case WS_RULE_E4M3:
        CONVERT(float, uint8_t, ws_e4m3_from_f32(x));
        break;
    case WS_RULE_E5M2:
        CONVERT(float, uint8_t, ws_e5m2_from_f32(x));
        break;
    default:
        memcpy(to, from, (size_t)n * sizeof(float));
    }
}

/* To every type.  */
WS_WIDE static void write_f64(int dtype, int n, const void *from, void *to)
{
    switch (dtype) {
    case WS_RULE_F32:
        CONVERT(double, float, (float)x);
        break;
    case WS_RULE_F64:
        memcpy(to, from, (size_t)n * sizeof(double));
        break;
    case WS_RULE_F16:
        CONVERT(double, uint16_t, ws_f16_from_f64(x));
        break;
    case WS_RULE_BF16:
        CONVERT(double, uint16_t, ws_bf16_from_f64(x));
        break;
    case WS_RULE_E4M3:
        CONVERT(double, uint8_t, ws_e4m3_from_f64(x));
        break;
    case WS_RULE_E5M2:
        CONVERT(double, uint8_t, ws_e5m2_from_f64(x));
        break;
    case WS_RULE_I8:
        CONVERT(double, int8_t, ws_i8_from_f64(x));
        break;
    case WS_RULE_U8:
        CONVERT(double, uint8_t, ws_u8_from_f64(x));
        break;
    case WS_RULE_I16:
        CONVERT(double, int16_t, ws_i16_from_f64(x));
        break;
    case WS_RULE_I64:
        CONVERT(double, int64_t, ws_i64_from_f64(x));
        break;
    default:
        CONVERT(double, int32_t, ws_i32_from_f64(x));
    }
}

/* To every type.  */
static void write_i64(int dtype, int n, const void *from, void *to)
{
    switch (dtype) {
    case WS_RULE_F32:
        CONVERT(int64_t, float, (float)x);
        break;
    case WS_RULE_F64:
        CONVERT(int64_t, double, (double)x);
        break;
    case WS_RULE_F16:
        CONVERT(int64_t, uint16_t, ws_f16_from_f64(ws_f64_odd_from_i64(x)));
        break;
    case WS_RULE_BF16:
        CONVERT(int64_t, uint16_t, ws_bf16_from_f64(ws_f64_odd_from_i64(x)));
        break;
    case WS_RULE_E4M3:
        CONVERT(int64_t, uint8_t, ws_e4m3_from_f64(ws_f64_odd_from_i64(x)));
        break;
    case WS_RULE_E5M2:
        CONVERT(int64_t, uint8_t, ws_e5m2_from_f64(ws_f64_odd_from_i64(x)));
        break;
    case WS_RULE_I8:
        CONVERT(int64_t, int8_t, ws_i8_from_i32(ws_i32_from_long(x)));
        break;
    case WS_RULE_U8:
        CONVERT(int64_t, uint8_t, ws_u8_from_i32(ws_i32_from_long(x)));
        break;
    case WS_RULE_I16:
        CONVERT(int64_t, int16_t, ws_i16_from_i32(ws_i32_from_long(x)));
        break;
    case WS_RULE_I32:
        CONVERT(int64_t, int32_t, ws_i32_from_long(x));
        break;
    default:
        memcpy(to, from, (size_t)n * sizeof(int64_t));
    }
}

void ws_row_write(int dtype, ws_compute compute, int n, const void *from, void *to)
{
    if (compute == WS_COMPUTE_F32)
        write_f32(dtype, n, from, to);
    else if (compute == WS_COMPUTE_F64)
        write_f64(dtype, n, from, to);
    else if (compute == WS_COMPUTE_I64)
        write_i64(dtype, n, from, to);
    else if (dtype == WS_RULE_I8)
        CONVERT(int32_t, int8_t, ws_i8_from_i32(x));
    else if (dtype == WS_RULE_U8)
        CONVERT(int32_t, uint8_t, ws_u8_from_i32(x));
    else if (dtype == WS_RULE_I16)
        CONVERT(int32_t, int16_t, ws_i16_from_i32(x));
    else
        memcpy(to, from, (size_t)n * sizeof(int32_t));
}

void ws_number_write(ws_compute compute, const struct ws_tile_ *splat, void *to)
{
    int integer = splat->dtype == WS_RULE_I32;
    if (compute == WS_COMPUTE_F32) {
        float x = integer ? (float)splat->integer : (float)splat->number;
        memcpy(to, &x, sizeof x);
    } else if (compute == WS_COMPUTE_F64) {
        double x = integer ? (double)splat->integer : splat->number;
        memcpy(to, &x, sizeof x);
    } else if (compute == WS_COMPUTE_I64) {
        int64_t x = integer ? splat->integer : ws_i64_from_f64(splat->number);
        memcpy(to, &x, sizeof x);
    } else {
        int32_t x = integer ? ws_i32_from_long(splat->integer) : ws_i32_from_f64(splat->number);
        memcpy(to, &x, sizeof x);
    }
}

/* Copies the first element to all n.  */
static void spread(ws_compute compute, int n, void *buffer)
{
    if (ws_compute_bytes(compute) == 8) {
        uint64_t *x = buffer;
        for (int i = 1; i < n; i++)
            x[i] = x[0];
    } else {
        uint32_t *x = buffer;
        for (int i = 1; i < n; i++)
            x[i] = x[0];
    }
}

const void *ws_row_fetch(ws_tile x, ws_compute compute, int row, int col, int n, void *buffer)
{
    if (x->kind == WS_RULE_SPLAT) {
        ws_number_write(compute, x, buffer);
        spread(compute, n, buffer);
        return buffer;
    }
    int broadcast = x->cols == 1;
    const void *elements = ws_element(x, x->rows == 1 ? 0 : row, broadcast ? 0 : col);
    if (!broadcast && ws_is_computed(x->dtype) && compute == ws_compute_of(x->dtype))
        return elements;
    ws_row_read(x->dtype, compute, broadcast ? 1 : n, elements, buffer);
    if (broadcast)
        spread(compute, n, buffer);
    return buffer;
}
