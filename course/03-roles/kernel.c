#include <ws.h>

/* y = relu (x w^T + bias), where row r of x is row first[0] + r of a table.  */
void layer(int M, int N, int K, int T, const ws_f16 *table, const int *first, const ws_f16 *w, const float *bias, float *y)
{
    ws_tensor rows = ws_tensor_2d(table, WS_F16, T, K);
    ws_tensor begins = ws_tensor_1d(first, WS_I32, 1);
    ws_tensor weights = ws_tensor_2d(w, WS_F16, N, K);
    ws_tensor biases = ws_tensor_1d(bias, WS_F32, N);
    ws_tensor out = ws_tensor_2d(y, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            long begin = ws_at(begins, 0);
            long place = begin + i;
            ws_tile acc = ws_zeros(WS_F32, 64, 64);

            #pragma ws pipeline(4, 2)
            for (int k = 0; k < K; k += 64) {
                ws_tile x = ws_load(rows, place, k, 64, 64);
                ws_tile weight = ws_load(weights, j, k, 64, 64);
                ws_tile turned = ws_trans(weight);
                acc = ws_dot(x, turned, acc);
            }
            ws_tile shift = ws_load_row(biases, j, 64);
            ws_tile sum = ws_add(acc, shift);
            ws_tile cut = ws_max(sum, 0);
            ws_store(out, i, j, cut);
        }
}
