#include <ws.h>

/* y = x^T: x is M x N, y is N x M, both row-major. Any M and N.  */
void transpose(int M, int N, const float *x, float *y)
{
    ws_tensor tx = ws_tensor_2d(x, WS_F32, M, N);
    ws_tensor ty = ws_tensor_2d(y, WS_F32, N, M);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 32)
        for (int j = 0; j < N; j += 32) {
            ws_tile t = ws_load(tx, i, j, 32, 32);
            ws_store(ty, j, i, ws_trans(t));
        }
}
