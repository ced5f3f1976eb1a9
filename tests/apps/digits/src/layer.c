/* SPDX-License-Identifier: GPL-3.0-or-later */
/* layer.c - one dense layer. */
#include "network.h"

enum { BATCH = 64, OUT = 64, IN = 64 };

static inline ws_tile activate(ws_tile x, activation act)
{
    return act == RELU ? ws_max(x, 0) : x;
}

void layer(const matrix *x, const matrix *w, const float *bias, activation act, matrix *y)
{
    ws_tensor in = ws_tensor_2d(x->data, WS_BF16, x->rows, x->cols);
    ws_tensor weights = ws_tensor_2d(w->data, WS_BF16, w->rows, w->cols);
    ws_tensor shift = ws_tensor_1d(bias, WS_F32, w->rows);
    ws_tensor out = ws_tensor_2d(y->data, WS_BF16, y->rows, y->cols);
    int batch = x->rows, outputs = w->rows, inputs = w->cols;

    #pragma ws grid(2)
    for (int i = 0; i < batch; i += BATCH)
        for (int j = 0; j < outputs; j += OUT) {
            ws_tile sum = ws_zeros(WS_F32, BATCH, OUT);
            #pragma ws pipeline(3, 2)
            for (int k = 0; k < inputs; k += IN)
                sum = ws_dot(ws_load(in, i, k, BATCH, IN), ws_trans(ws_load(weights, j, k, OUT, IN)), sum);
            sum = activate(ws_add(sum, ws_load_row(shift, j, OUT)), act);
            ws_store(out, i, j, ws_cast(sum, WS_BF16));
        }
}
