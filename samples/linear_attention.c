/* SPDX-License-Identifier: MIT */
/*
 * linear_attention - O_i = sum over j <= i of (Q_i K_j) V_j for each head: attention without the softmax (Katharopoulos
 * and others, 2020), by chunks.
 *
 * What all keys before a chunk have to say about it is one D x D sum of K^T V. So a chunk is two products of its own,
 * one with that sum, and one that adds to it. One block walks over a head's chunks. With tasks the chunk's rows go to a
 * role that stores, under the next chunk's products.
 */
#include "check_attention.h"

enum { D = 64, CHUNK = 64 };

/* Each operand is heads x L x D. */
void linear_plain(int heads, int L, const ws_f16 *Q, const ws_f16 *K, const ws_f16 *V, float *O)
{
    ws_tensor q = ws_tensor_3d(Q, WS_F16, heads, L, D), k = ws_tensor_3d(K, WS_F16, heads, L, D);
    ws_tensor v = ws_tensor_3d(V, WS_F16, heads, L, D), o = ws_tensor_3d(O, WS_F32, heads, L, D);

    #pragma ws grid(1)
    for (int h = 0; h < heads; h++) {
        ws_tile state = ws_zeros(WS_F32, D, D);
        #pragma ws pipeline(2)
        for (int i = 0; i < L; i += CHUNK) {
            ws_tile tq = ws_load_3d(q, h, i, 0, CHUNK, D), tk = ws_load_3d(k, h, i, 0, CHUNK, D);
            ws_tile tv = ws_load_3d(v, h, i, 0, CHUNK, D), zero = ws_zeros(WS_F32, CHUNK, D);
            ws_tile s = ws_dot(tq, ws_trans(tk), ws_zeros(WS_F32, CHUNK, CHUNK));
            s = ws_select(ws_le(ws_col_index(1, CHUNK), ws_row_index(CHUNK, 1)), s, 0);
            ws_tile rows = ws_dot(tq, ws_cast(state, WS_F16), ws_dot(ws_cast(s, WS_F16), tv, zero));
            state = ws_dot(ws_trans(tk), tv, state);
            ws_store_3d(o, h, i, 0, rows);
        }
    }
}

void linear_tasks(int heads, int L, const ws_f16 *Q, const ws_f16 *K, const ws_f16 *V, float *O)
{
    ws_tensor q = ws_tensor_3d(Q, WS_F16, heads, L, D), k = ws_tensor_3d(K, WS_F16, heads, L, D);
    ws_tensor v = ws_tensor_3d(V, WS_F16, heads, L, D), o = ws_tensor_3d(O, WS_F32, heads, L, D);

    #pragma ws grid(1)
    for (int h = 0; h < heads; h++) {
        ws_tile state = ws_zeros(WS_F32, D, D);
        #pragma ws pipeline(3)
        for (int i = 0; i < L; i += CHUNK) {
            ws_tile tq = ws_load_3d(q, h, i, 0, CHUNK, D), tk = ws_load_3d(k, h, i, 0, CHUNK, D), rows;
            ws_tile tv = ws_load_3d(v, h, i, 0, CHUNK, D), zero = ws_zeros(WS_F32, CHUNK, D);
            {
                #pragma ws task(chunk) groups(1)
                ws_tile s = ws_dot(tq, ws_trans(tk), ws_zeros(WS_F32, CHUNK, CHUNK));
                s = ws_select(ws_le(ws_col_index(1, CHUNK), ws_row_index(CHUNK, 1)), s, 0);
                rows = ws_dot(tq, ws_cast(state, WS_F16), ws_dot(ws_cast(s, WS_F16), tv, zero));
                state = ws_dot(ws_trans(tk), tv, state);
            }
            {
                #pragma ws task(out) ring(rows, 2)
                ws_store_3d(o, h, i, 0, rows);
            }
        }
    }
}

static void check_head(int L, check_rows q, check_rows k, check_rows v, check_rows o)
{
    for (long r = 0; r < L; r++)
        for (int c = 0; c < D; c++) {
            double sum = 0, magnitude = 0;
            for (long j = 0; j <= r; j++) {
                double s = check_row_dot(q, r, k, j, D) * check_row_at(v, j, c);
                sum += s;
                magnitude += fabs(s);
            }
            check_close(o.at, (size_t)(o.start + r * o.stride + c), sum, 0x1p-8 * magnitude + 0x1p-10);
        }
}

int main(int argc, char **argv)
{
    check_begin("linear_attention", argc, argv);
    int heads = check_size(1, 2), L = check_size(2, 200);
    for (int tasks = 0; tasks < 2; tasks++) {
        size_t count = (size_t)heads * L * D;
        ws_f16 *Q = check_random(WS_F16, count), *K = check_random(WS_F16, count), *V = check_random(WS_F16, count);
        float *O = check_output(WS_F32, count);
        (tasks ? linear_tasks : linear_plain)(heads, L, check_place(Q), check_place(K), check_place(V), check_place(O));
        check_fetch();
        for (long h = 0; h < heads; h++)
            check_head(L, (check_rows){Q, h * L * D, D}, (check_rows){K, h * L * D, D}, (check_rows){V, h * L * D, D},
                       (check_rows){O, h * L * D, D});
        check_next();
    }
    return check_end();
}
