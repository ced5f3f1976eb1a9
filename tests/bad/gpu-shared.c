/* Two operands of 64 KB are too large for the 99 KB of a GeForce.
   options: --ws-gpu=120a */
#include <ws.h>

void gemm(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 128)
        for (int j = 0; j < N; j += 128) {
            ws_tile acc = ws_zeros(WS_F32, 128, 128);
            #pragma ws pipeline(3)
            for (int k = 0; k < K; k += 256)
                acc = ws_dot(ws_load(a, i, k, 128, 256), ws_trans(ws_load(b, j, k, 128, 256)), acc);
            ws_store(c, i, j, acc);
        }
}
