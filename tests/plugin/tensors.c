/* SPDX-License-Identifier: GPL-3.0-or-later */
/* options: -w */
/* Tensors: made before the grid, in it, by a helper, as parameters of one, of strides and of pieces; and live-ins. */
#include <ws.h>
#include <math.h>

struct shape {
    const float *in;
    float *out;
    int heads, len, dim;
};

static inline ws_tensor pitched(const float *p, int n, int m, long pitch)
{
    return ws_tensor_strided(p, WS_F32, 2, ((long[]){n, m}), ((long[]){pitch, 1}));
}

static void body(ws_tensor in, ws_tensor out, int heads, int len, float scale)
{
    #pragma ws grid(2)
    for (int h = 0; h < heads; h++)
        for (int i = 0; i < len; i += 64)
            ws_store_3d(out, h, i, 0, ws_mul(ws_load_3d(in, h, i, 0, 64, 32), scale));
}

void through_helper(const struct shape *s)
{
    ws_tensor in = ws_tensor_3d(s->in, WS_F32, s->heads, s->len, s->dim);
    ws_tensor out = ws_tensor_3d(s->out, WS_F32, s->heads, s->len, s->dim);
    body(in, out, s->heads, s->len, 1.0f / sqrtf((float)s->dim));
}

void places(int n, int m, long pitch, const float *p, float *q, struct shape shape, const int *start)
{
    ws_tensor t = pitched(p, n, m, pitch), st = ws_tensor_1d(start, WS_I32, 100);
    int count = 0;
    for (int repeat = 0; repeat < 3; repeat++) {
        count += repeat;
        #pragma ws grid(1)
        for (int i = 0; i < n; i += 64)
            ws_store(ws_tensor_2d(q + repeat, WS_F32, n, m), i, repeat,
                     ws_add(ws_load_or(t, i, repeat, 64, 32, 1.5), (double)count));
    }
    #pragma ws grid(2)
    for (long i = 0; i < n; i += 64)
        for (unsigned j = 0; j < (unsigned)shape.heads; j += 32) {
            ws_tensor piece = ws_slice(t, 0, ws_at(st, i), ws_at(st, i + 1));
            double f = ws_at_float(ws_tensor_1d(p, WS_F32, n), j);
            ws_tensor far = ws_tensor_2d(q + 4 * n, WS_F32, n, m);
            ws_store(far, i, j, ws_mul(ws_load(piece, i, j, 64, 32), fabs(f) + exp2(f)));
        }
    _Pragma("ws grid(1)") for (int i = 0; i < n; i += 64)
        ws_store_col(ws_tensor_1d(q, WS_F32, n), i, ws_load_col(ws_tensor_1d(p, WS_F32, n), i, 64));
}
