#include <ws.h>

/* The same, as roles with queues between them.  */
void product(int M, int N, int K, const ws_f16 *X, const signed char *Q, const float *S, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F16, M, K);
    ws_tensor q = ws_tensor_2d(Q, WS_I8, N, K);
    ws_tensor s = ws_tensor_2d(S, WS_F32, K / 64, N);
    ws_tensor y = ws_tensor_2d(Y, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 128)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 128, 64);
            ws_ring left = ws_ring_new(6), bytes = ws_ring_new(6), right = ws_ring_new(3);
            {
                #pragma ws task(load)
                for (int k = 0; k < K; k += 64) {
                    ws_put(left, ws_load(x, i, k, 128, 64));
                    ws_put(bytes, ws_load(q, j, k, 64, 64));
                }
            }
            {
                #pragma ws task(prepare) groups(2)
                for (int k = 0; k < K; k += 64) {
                    ws_tile b;
                    ws_get(bytes, &b);
                    ws_put(right, ws_cast(ws_mul(ws_cast(b, WS_F32), ws_load_col_2d(s, k / 64, j, 64)), WS_F16));
                }
            }
            {
                #pragma ws task(multiply) groups(2)
                #pragma ws pipeline(6, 2)
                for (int k = 0; k < K; k += 64) {
                    ws_tile a, w;
                    ws_get(left, &a);
                    ws_get(right, &w);
                    acc = ws_dot(a, ws_trans(w), acc);
                }
            }
            ws_store(y, i, j, acc);
        }
}
