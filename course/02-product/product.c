#include <ws.h>

/* C = A B^T: A is M x K, B is N x K, C is M x N, all row-major. Any M, N and K.  */
void product(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K);
    ws_tensor b = ws_tensor_2d(B, WS_F16, N, K);
    ws_tensor c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);

            /* Here goes a loop along k, which adds a product of two tiles to acc, and a pragma above it.  */
            (void)a;
            (void)b;
            ws_store(c, i, j, acc);
        }
}
