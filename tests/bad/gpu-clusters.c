/* A GeForce has no clusters of blocks.
   options: --ws-gpu=120a */
#include <ws.h>

void add(int n, int m, const float *x, float *y)
{
    ws_tensor a = ws_tensor_2d(x, WS_F32, n, m), b = ws_tensor_2d(y, WS_F32, n, m);

    #pragma ws grid(1)
    for (int i = 0; i < n; i += 8) {
        ws_tile sum = ws_zeros(WS_F32, 8, 64);
        #pragma ws blocks
        for (int s = 0; s < 4; s++)
            sum = ws_add(sum, ws_load(a, i, 64 * s, 8, 64));
        ws_store(b, i, 0, sum);
    }
}
