/* SPDX-License-Identifier: MIT */
/*
 * types.c - conversions of the storage types of <ws.h>, for users.
 */
#include "scalar.h"

#include <ws.h>

ws_f16 ws_f16_from(float x)
{
    return (ws_f16){ws_f16_from_f64(x)};
}

ws_bf16 ws_bf16_from(float x)
{
    return (ws_bf16){ws_bf16_from_f64(x)};
}

ws_e4m3 ws_e4m3_from(float x)
{
    return (ws_e4m3){ws_e4m3_from_f64(x)};
}

ws_e5m2 ws_e5m2_from(float x)
{
    return (ws_e5m2){ws_e5m2_from_f64(x)};
}

float ws_f16_to(ws_f16 x)
{
    return ws_f32_from_f16(x.bits);
}

float ws_bf16_to(ws_bf16 x)
{
    return ws_f32_from_bf16(x.bits);
}

float ws_e4m3_to(ws_e4m3 x)
{
    return ws_f32_from_e4m3(x.bits);
}

float ws_e5m2_to(ws_e5m2 x)
{
    return ws_f32_from_e5m2(x.bits);
}
