#include <ws.h>

/* y = x^T: x is M x N, y is N x M, both row-major. Any M and N.  */
void transpose(int M, int N, const float *x, float *y)
{
    ws_tensor tx = ws_tensor_2d(x, WS_F32, M, N);
    ws_tensor ty = ws_tensor_2d(y, WS_F32, N, M);

    /* Here go two loops over tiles of 32 x 32, and a pragma above them.  */
    (void)tx;
    (void)ty;
}
