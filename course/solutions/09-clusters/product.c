#include <ws.h>

/* C = A B^T with a long sum, and so few tiles that most of a GPU would have nothing to do: four blocks of a cluster share
   the sum. A is M x K, B is N x K, C is M x N.  */
void product(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K);
    ws_tensor b = ws_tensor_2d(B, WS_F16, N, K);
    ws_tensor c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile sum = ws_zeros(WS_F32, 64, 64);

            #pragma ws parts
            for (int s = 0; s < 4; s++) {
                ws_tile part = ws_zeros(WS_F32, 64, 64);

                #pragma ws pipeline(3)
                for (int k = s * 64; k < K; k += 4 * 64)
                    part = ws_dot(ws_load(a, i, k, 64, 64), ws_trans(ws_load(b, j, k, 64, 64)), part);
                sum = ws_add(sum, part);
            }
            ws_store(c, i, j, sum);
        }
}
