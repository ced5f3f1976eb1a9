/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The C++ half of cxx_caller.c. */
#include <ws.h>

extern "C" void saxpy_f16(int M, int N, float alpha, const ws_f16 *X, ws_f16 *Y);
extern "C" int cxx_calls_it(int M, int N, float alpha, const ws_f16 *X, ws_f16 *Y)
{
    saxpy_f16(M, N, alpha, X, Y);
    const ws_f16 half = ws_f16_from(0.5f);
    if (ws_f16_to(half) != 0.5f)
        return 1;
    return ws_sync() != WS_OK || ws_last_error() != WS_OK;
}
