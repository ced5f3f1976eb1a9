#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Faults that WS_FAULT asks for: a grid that says of no tile that it is done, a device that is lost. What follows is one
# error that names grid, tiles, device and time, and no hang.

. "$(dirname "$0")/../tap.sh"
cd "$work" || exit 99

cat >kernel.c <<'END'
#include <ws.h>
/* Y[r] = 2 X[(r + 1) % n] by way of A[r], 64 x 64. */
void pull(int n, const float *const X[], float *const A[], float *const Y[])
{
    #pragma ws devices(n)
    for (int r = 0; r < n; r++) {
        #pragma ws together
        ws_tensor x = ws_tensor_2d(X[(r + 1) % n], WS_F32, 64, 64), a = ws_tensor_2d(A[r], WS_F32, 64, 64);
        ws_tensor y = ws_tensor_2d(Y[r], WS_F32, 64, 64);
        #pragma ws grid(2) share(4)
        for (int i = 0; i < 64; i += 16)
            for (int j = 0; j < 64; j += 32)
                ws_store(a, i, j, ws_load(x, i, j, 16, 32));
        #pragma ws grid(2)
        for (int i = 0; i < 64; i += 16)
            for (int j = 0; j < 64; j += 32)
                ws_store(y, i, j, ws_mul(ws_load(a, i, j, 16, 32), 2));
    }
}
END

cat >main.c <<'END'
#include <stdio.h>
#include <ws.h>
void pull(int n, const float *const X[], float *const A[], float *const Y[]);
int main(void)
{
    enum { N = 3, CELLS = 64 * 64 };
    float *X[N], *A[N], *Y[N];
    static float host[CELLS];
    int wrong = 0;
    for (int r = 0; r < N; r++) {
        float **all[] = {&X[r], &A[r], &Y[r]};
        for (int t = 0; t < 3; t++)
            *all[t] = ws_alloc_on(r, sizeof host);
        for (int i = 0; i < CELLS; i++)
            host[i] = (float)(r * CELLS + i);
        ws_copy(X[r], host, sizeof host);
    }
    pull(N, (const float *const *)X, A, Y);
    ws_sync();
    ws_status status = ws_last_error();
    printf("%d %s\n", status, status ? ws_error_message() : "");
    for (int r = 0; r < N && !status; r++) {
        ws_copy(host, Y[r], sizeof host);
        for (int i = 0; i < CELLS; i++)
            wrong += host[i] != 2.0f * (float)((r + 1) % N * CELLS + i);
    }
    return wrong != 0;
}
END

# says FAULT TEXT
says() {
    WS_FAULT=$1 WS_WATCHDOG=7 ./program >said 2>&1
    grep -qF "$2" said || { cat said; return 1; }
}
calm() { WS_FAULT=$1 ./program >said 2>&1 || { cat said; return 1; }; }

if ! has_plugin; then
    skip 'faults' 'no plugin'
    done_testing
    exit
fi
ok 'built' "$wscc" --ws-target=emulate -O1 kernel.c main.c -o program -lm
ok 'no fault' calm ''
ok 'faults of other kernels, grids and devices' calm silent:push,silent:pull#3,silent:pull#1@3,lost:pull#1@7,broken:pull
ok 'the last grid: nobody waits' calm silent:pull#2
ok 'a grid of device 1 never says that a tile is done' says silent:pull#1@1 \
    'pull, grid 2 of its block, on device 1: a tile has waited 7 s for row 0 of 4 of the tiles of pull, grid 1 of '
ok 'the same of all devices' says silent:pull 'on device 0: a tile has waited 7 s'
ok 'device 2 is lost' says lost:pull#1@2 'device 2: lost while it ran pull'
ok 'one behind another fault' says lost:x,lost:pull#2@0 'device 0: lost while it ran pull'
done_testing
