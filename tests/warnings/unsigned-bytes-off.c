/* SPDX-License-Identifier: GPL-3.0-or-later */
/* options: -Wno-ws-unsigned-bytes */
/* Bytes that C has without a sign, as WS_I8: they are read as signed ones. */
#include <stdio.h>
#include <ws.h>

static void f(int M, const unsigned char *X, int *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_I8, M, 32), y = ws_tensor_2d(Y, WS_I32, M, 32);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 64)
        ws_store(y, i, 0, ws_cast(ws_load(x, i, 0, 64, 32), WS_I32));
}

int main(void)
{
    static unsigned char x[64 * 32] = {200, 100};
    static int y[64 * 32];
    f(64, x, y);
    printf("%d %d\n", y[0], y[1]);
    return 0;
}
