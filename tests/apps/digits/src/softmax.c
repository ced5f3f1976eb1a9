/* SPDX-License-Identifier: GPL-3.0-or-later */
/* softmax.c - scores to probabilities; the number of classes is small, so that a row fits a tile. */
#include <math.h>
#include "network.h"

enum { ROWS = 64, CLASSES = 32 };

void softmax(const matrix *scores, float *probabilities)
{
    ws_tensor s = ws_tensor_2d(scores->data, WS_BF16, scores->rows, scores->cols);
    ws_tensor p = ws_tensor_2d(probabilities, WS_F32, scores->rows, scores->cols);
    int rows = scores->rows;

    #pragma ws grid(1)
    for (int i = 0; i < rows; i += ROWS) {
        ws_tile t = ws_cast(ws_load_or(s, i, 0, ROWS, CLASSES, -INFINITY), WS_F32);
        ws_tile e = ws_exp(ws_sub(t, ws_row_max(t)));
        ws_store(p, i, 0, ws_div(e, ws_row_sum(e)));
    }
}
